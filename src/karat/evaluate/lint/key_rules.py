"""Mistakes in the nugs of one query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from karat.evaluate.lint.exclusion import excluding_pairs
from karat.evaluate.lint.near_sets import near_pairs
from karat.evaluate.nuggets.drafting.sentences.filler import is_empty
from karat.model import Nug
from karat.text import LEADING_PRONOUNS, content_words, has_digit, negates, word_count, words

NEAR_DUPLICATE = 0.8
"""Two nugs are near duplicates when the Jaccard index of their content words reaches this."""
MOST_PAIRS = 10_000
"""How many pairs of near duplicates are listed for one query, and of contradictory answers for one OR nug."""
MAX_WORDS = 30
"""A description longer than this says more than one thing."""
# Not after an abbreviation such as "U.S." or "vs."
_SENTENCE_END = re.compile(r"(?<=[a-z\d)]{3})[.!?]\s+(?=[A-Z])|;\s")
LONGEST_REFUSAL = 30
"""A text with more words than this says something besides having no answer."""
_NO_ANSWER = re.compile(
    r"(?:(?:unfortunately|sorry|as an ai[\w ]*),?\s+(?:but\s+)?(?=i\b|we\b))?"
    r"(?:(?:i['’]?m|i am|we are)\s+(?:sorry|afraid|unable|not (?:sure|able))"
    r"|(?:i|we) (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t) "
    r"(?:know|find|answer|have|help|provide|tell)"
    r"|there (?:is|was) (?:no|not enough|insufficient) information"
    r"|(?:no (?:answer|information)(?: (?:found|available|provided))?|n/?a|none|unknown|not found|no response"
    r"|error|null|todo|tbd)\W*$"
    r"|the (?:provided |given )?(?:context|documents?|passages?|sources?) (?:do|does) not "
    r"(?:contain|mention|say|provide))",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"(?:,\s+|\s)(?:and|but|while|whereas)\s", re.IGNORECASE)

Trouble = tuple[Nug, str, str]
"""A nug, the code of its mistake, and the message."""


def lint_nugs(nugs: Sequence[Nug], *, vital_key: bool = True) -> Iterator[Trouble]:
    """All mistakes in a query's nugs, single nugs first.

    vital_key: whether any nug of the whole key has an importance.
    """
    for nug in nugs:
        yield from _lint_nug(nug)
    yield from _repeats(nugs)
    yield from _contradictions(nugs)
    if nugs and vital_key and not any(nug.importance == "vital" for nug in nugs):
        yield nugs[0], "no-vital-nug", "the query has no vital nug, so its vital scores are undefined"


def _lint_nug(nug: Nug) -> Iterator[Trouble]:
    if nug.extra.get("importance_status") == "failed":
        yield nug, "failed-label", f"{name_of(nug)}: importance is 'failed'"
    if not any(content_words(description) for description in nug.descriptions):
        yield nug, "unmatchable-nug", f"{name_of(nug)}: it has no content word that a response could match"
    for description in filter(content_words, nug.descriptions):
        first = next(iter(words(description)), "")
        if first.partition("'")[0] in LEADING_PRONOUNS:
            yield nug, "leading-pronoun", f"{name_of(nug)}: it begins with the pronoun {first!r}"
        if says_no_answer(description):
            yield nug, "filler", f"{name_of(nug)}: it says that there is no answer, and nothing else"
        elif is_empty(description, frozenset()):
            yield nug, "filler", f"{name_of(nug)}: it says that something matters, varies or has an effect, and not how"
        if reason := _several_things(description):
            yield nug, "non-atomic-nug", f"{name_of(nug)}: {reason}"
    if len(nug.members) == 1 and nug.members[0].degree != 1.0:
        yield nug, "lone-degree", f"{name_of(nug)}: its only member has degree {nug.members[0].degree:g}, not 1"


def says_no_answer(text: str) -> bool:
    """Whether a short text only says that its author does not know, or found nothing.

    >>> says_no_answer("I'm sorry, but I could not find anything."), says_no_answer("Nobody knows why.")
    (True, False)
    """
    return word_count(text) <= LONGEST_REFUSAL and _NO_ANSWER.match(text.strip()) is not None


def _several_things(description: str) -> str:
    """Why a description seems to say several things; empty if it does not."""
    if description.rstrip().endswith("?"):
        return ""
    count = word_count(description)
    if count > MAX_WORDS:
        return f"it has {count} words"
    if _SENTENCE_END.search(description) and all(
        len(content_words(part)) >= 2 for part in _SENTENCE_END.split(description) if part.strip()
    ):
        return "it has several sentences"
    parts = [content_words(part) for part in _CONJUNCTION.split(description)]
    if len(parts) > 1 and all(len(part) >= 4 for part in parts):
        return "it has clauses joined by a conjunction"
    return ""


def _repeats(nugs: Sequence[Nug]) -> Iterator[Trouble]:
    first: dict[tuple[str | None, str], Nug] = {}
    # "20 killed" and "30 killed", "rose" and "never rose" have nearly the same words and different meanings: only nugs
    # with the same numbers and negations are compared. Answers to different questions may have the same text.
    alike: dict[tuple[str | None, frozenset[str]], list[tuple[Nug, frozenset[str]]]] = {}
    for nug in nugs:
        text = " ".join(nug.descriptions).strip()
        if (known := first.setdefault((nug.parent, text), nug)) is not nug:
            yield nug, "repeated-nug", f"{name_of(nug)}: it has the same text as nug {known.nug_id}"
        elif nug.descriptions:
            decisive = frozenset(word for word in words(nug.descriptions[0]) if negates(word) or has_digit(word))
            sense = frozenset(content_words(nug.descriptions[0])) | decisive
            alike.setdefault((nug.parent, decisive), []).append((nug, sense))
    listed = 0
    for group in alike.values():
        pairs = near_pairs([sense for _, sense in group], NEAR_DUPLICATE, most=MOST_PAIRS - listed)
        for left, right in pairs[: MOST_PAIRS - listed]:
            nug, other = group[left][0], group[right][0]
            yield other, "near-duplicate", f"{name_of(other)}: it says nearly the same as {name_of(nug)}"
        listed += len(pairs)
        if listed > MOST_PAIRS:
            message = f"more than {MOST_PAIRS:,} pairs of nugs say nearly the same; the other pairs are not listed"
            yield group[0][0], "near-duplicate", message
            return


def _contradictions(nugs: Sequence[Nug]) -> Iterator[Trouble]:
    answers: dict[str, list[Nug]] = {}
    for nug in nugs:
        if nug.parent is not None:
            answers.setdefault(nug.parent, []).append(nug)
    for nug in nugs:
        if nug.aggregator == "or":
            texts = [next(iter(answer.descriptions), "") for answer in answers.get(nug.nug_id, [])]
            pairs = excluding_pairs(texts, most=MOST_PAIRS)
            for left, right in pairs[:MOST_PAIRS]:
                message = f"{name_of(nug)}: {texts[left]!r} and {texts[right]!r} exclude each other"
                yield nug, "contradictory-answers", message
            if len(pairs) > MOST_PAIRS:
                message = (
                    f"more than {MOST_PAIRS:,} pairs of answers exclude each other; the other pairs are not listed"
                )
                yield nug, "contradictory-answers", f"{name_of(nug)}: {message}"


def name_of(nug: Nug) -> str:
    """The nug in a message: its id and the beginning of its text."""
    text = nug.descriptions[0] if nug.descriptions else ""
    return f"nug {nug.nug_id} {text if len(text) <= 60 else text[:57] + '...'!r}" if text else f"nug {nug.nug_id}"
