"""The tokens of a text, and what each word is on its own: its stem, and which checks must look at it."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from importlib.resources import files

import msgspec

from karat.text.sentences import LONGEST
from karat.text.stems import stemmer
from karat.text.words import STOP_WORDS

TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)"  # 2024-03-05
    r"|\d{1,2}:\d\d(?!\d)"  # 10:30
    r"|\d+(?:(?: , |,|, (?=000\b))\d{3})+(?!\d)(?:\.\d+)?|\d+\.\d+|\d+(?:st|nd|rd|th|s)\b|\d+"
    r"|(?:[A-Z]\.){2,}"  # U.S.
    r"|[^\W\d_](?:['’]?[^\W_])*"
    r"|\S"
)
CLAUSE_ENDS = frozenset(". , ; : ! ? ( ) [ ] – — but although though whereas while however because".split())
LONGEST_TEXT = 3 * LONGEST
ENDS = frozenset(["", ".", "!", "?"])
AUXILIARIES = frozenset(
    """be am is are was were been being do does did have has had having will would can could shall should
    may might must get gets got getting""".split()
)
FUNCTION_WORDS = (
    STOP_WORDS
    | AUXILIARIES
    | frozenset(
        """upon within without among against toward towards via per like than as also yet still even ever
        never none         neither cannot another others either whether although though whereas however
        therefore thus hence since unless us ie eg         etc much many any every several one ones both
        itself himself herself themselves myself who's it's that's there's         he's she's they're
        we're you're i'm what's let's already rather quite else often usually""".split()
    )
)
"""Words that say nothing about the world on their own: a shared one does not make two texts talk about the same."""

OTHER_FUNCTION_WORDS = frozenset(
    """der den das durch und ist nicht ein eine einen dem mit von zu auf für sich wird wurde les est une un et dans que
    qui pas pour sur au aux du ne el los las una es y en por con del su il di che della sono het een niet op zijn och
    att det som av på är na nie jest się não uma os em""".split()
)
"""Frequent words of German, French, Spanish, Italian, Dutch, Swedish, Polish and Portuguese."""


def table(name: str) -> list[str]:
    """The lines of one of the tables, without comments and blank lines."""
    text = (files("karat.judges.semantic.checks") / "tables" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@lru_cache
def _base_forms() -> dict[str, str]:
    """The base form of every irregular form: rose -> rise."""
    return {form: base for line in table("irregular_words.txt") for base, *forms in [line.split()] for form in forms}


# A text repeats words, and so do texts of the same topic.
@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a word in lower case; irregular forms have that of their base form.

    >>> stem("rose") == stem("rising"), stem("men") == stem("man")
    (True, True)
    """
    if word.endswith("'s"):
        word = word[:-2]
    return stemmer("english")(_base_forms().get(word, word))


@lru_cache(maxsize=1 << 17)
def content_stem(word: str) -> str:
    """The stem of a word with content; an empty string for punctuation, numbers and function words."""
    return stem(word) if word[0].isalpha() and word not in FUNCTION_WORDS and not word.endswith("n't") else ""


class Words(msgspec.Struct, frozen=True, dict=True):
    """The tokens of a text; a place is the number of a token."""

    text: str
    written: tuple[str, ...]
    lower: tuple[str, ...]
    stems: tuple[str, ...]
    """The stem of each token with content, an empty string for the others."""

    @cached_property
    def content(self) -> frozenset[str]:
        return frozenset(self.stems) - {""}

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(self.lower)

    @cached_property
    def is_english(self) -> bool:
        """Whether the rules for English may be used: not where other languages' function words are in the majority."""
        others = sum(token in OTHER_FUNCTION_WORDS for token in self.lower)
        return others < 2 or others <= sum(token in FUNCTION_WORDS for token in self.lower)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The stems with content and the numbers in their order."""
        return tuple(
            [form or token for form, token in zip(self.stems, self.lower, strict=True) if form or token[0].isdigit()]
        )

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each stem with content stands."""
        places: dict[str, list[int]] = {}
        for place, form in enumerate(self.stems):
            if form:
                places.setdefault(form, []).append(place)
        return places

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in the text."""
        return [match.span() for match in TOKEN.finditer(self.text)]

    def said(self, first: int, last: int) -> str:
        """The original text of the tokens from `first` to `last`, both included."""
        return self.text[self.spans[max(first, 0)][0] : self.spans[min(last, len(self.written) - 1)][1]]

    def near(self, first: int, last: int, reach: int = 6) -> set[str]:
        """The stems with content that are at most `reach` tokens before or after the tokens from `first` to `last`."""
        return {*self.stems[max(0, first - reach) : first], *self.stems[last + 1 : last + 1 + reach]} - {""}

    def nearest(self, place: int, step: int) -> str:
        """The stem of the nearest word with content among the three tokens before (-1) or after (1) a place."""
        for at in range(place + step, place + 4 * step, step):
            if 0 <= at < len(self.stems) and self.stems[at]:
                return self.stems[at]
        return ""

    def before(self, place: int) -> str:
        """The token before a place, in lower case; an empty string at the beginning."""
        return self.lower[place - 1] if place > 0 else ""

    def after(self, place: int) -> str:
        """The token after a place, in lower case; an empty string at the end."""
        return self.lower[place + 1] if place + 1 < len(self.lower) else ""


def read_words(text: str) -> Words:
    """The tokens of a text; of a text that is longer than three of the longest sentences, those of its beginning.

    >>> read_words("The U.S. didn't win 1,200 games.").written
    ('The', 'U.S.', "didn't", 'win', '1,200', 'games', '.')
    """
    text = text[:LONGEST_TEXT]
    written = tuple(TOKEN.findall(text))
    lower = tuple(map(str.lower, written))
    if "’" in text:
        lower = tuple([token.replace("’", "'") for token in lower])
    return Words(text, written, lower, tuple(map(content_stem, lower)))


def same_run(ours: Words, place: int, theirs: Words, other: int, step: int) -> int:
    """How many tokens in a row (up to three) are the same, going away from two places; a common end counts as one."""
    for length in range(3):
        place, other = place + step, other + step
        mine = ours.lower[place] if 0 <= place < len(ours.lower) else ""
        yours = theirs.lower[other] if 0 <= other < len(theirs.lower) else ""
        if mine != yours and not (mine in ENDS and yours in ENDS):
            return length
        if mine in ENDS:
            return length + 1
    return 3


def same_neighbour(ours: Words, first: int, last: int, theirs: Words, start: int, end: int) -> bool:
    """Whether the nearest word with content before, or after, two spans is the same."""
    before, after = ours.nearest(first, -1), ours.nearest(last, 1)
    return (before != "" and before == theirs.nearest(start, -1)) or (after != "" and after == theirs.nearest(end, 1))


def same_surroundings(ours: Words, first: int, last: int, theirs: Words, start: int, end: int) -> int:
    """How many tokens are the same on both sides of two spans, up to six; 0 where one side has none."""
    left = same_run(ours, first, theirs, start, -1)
    right = same_run(ours, last, theirs, end, 1) if left else 0
    return left + right if right else 0
