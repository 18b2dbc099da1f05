"""Made-up edits of sentences that no judge was trained on: false ones that look alike, true ones that look different.

    number     another number, year, percentage, or unit              to be rejected
    name       another person, place, organisation or nationality     to be rejected
    negation   a negation added to or dropped from the main clause    to be rejected
    roles      subject and object swapped                             to be rejected
    copy       the sentence itself, or shorter at its end             to be accepted
    passive    the passive of an active clause                        to be accepted
    cleft      it is X that ...                                       to be accepted

The statement is the edited sentence; the answer is the sentence as it was, alone or among four to six other sentences
of its text.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from makers.clauses import cleft, passive, swapped
from makers.copies import copied, shortened
from makers.names import renamed
from makers.negation import negated
from makers.numbers import renumbered
from makers.sentence import Edit, text_of
from sources import TREC_RAG, Text, load_texts

from karat.language.analysis import ParsedSentence

FALSE = ("number", "name", "negation", "roles")
TRUE = ("copy", "passive", "cleft")
KINDS = (*FALSE, *TRUE)
EACH = 120
OF_A_TEXT = 2
OF_A_TOPIC = 5
"""Many answers to one topic say the same."""
LEAST_WORDS, MOST_WORDS = 6, 30
POINTING = frozenset("it he she they this these those that we i you his her their its there such here".split())
"""A statement that starts so cannot be understood alone."""


class Item(msgspec.Struct, frozen=True):
    """A statement, and the answers to look for it in."""

    item_id: str
    kind: str
    form: str
    """How it was made, within its kind."""
    statement: str
    sentence: str
    others: tuple[str, ...]
    """Other sentences of the text, around the sentence in the longer answer."""
    place: int
    """How many of the others stand before the sentence."""

    def answer(self, setting: str) -> list[str]:
        if setting == "alone":
            return [self.sentence]
        return [*self.others[: self.place], self.sentence, *self.others[self.place :]]


def load_edits(data: Path, work: Path, seed: int, *, each: int = EACH) -> list[Item]:
    """The made items, from the cache in `work` if they are there."""
    cache = work / f"edits-{seed}-{each}.jsonl"
    if not cache.exists():
        items = make_edits(load_texts(data, work, seed), seed, each=each)
        cache.write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in items))
    return [msgspec.json.decode(line, type=Item) for line in cache.read_bytes().splitlines()]


def make_edits(texts: Sequence[Text], seed: int, *, each: int = EACH) -> list[Item]:
    """`each` items of each kind, or as many as the texts give."""
    return [item for kind in KINDS for item in _of_kind(texts, kind, random.Random(f"{kind}{seed}"), each)]


def edits_of(kind: str, sentence: ParsedSentence, text: Text, rng: random.Random) -> list[Edit]:
    makers: dict[str, Callable[[], Iterator[Edit]]] = {
        "number": lambda: renumbered(sentence, rng), "name": lambda: renamed(sentence, text.sentences, rng),
        "negation": lambda: negated(sentence), "roles": lambda: swapped(sentence), "passive": lambda: passive(sentence),
        "cleft": lambda: cleft(sentence), "copy": lambda: iter([*copied(sentence), *shortened(sentence)]),
    }  # fmt: skip
    return list(makers[kind]())


def _of_kind(texts: Sequence[Text], kind: str, rng: random.Random, each: int) -> Iterator[Item]:
    """Items of one kind; its forms take turns, so that rare forms are there too."""
    waiting: dict[str, list[tuple[Edit, int, Text]]] = {}
    for text in rng.sample(list(texts), len(texts)):
        for at in rng.sample(range(len(text.sentences)), len(text.sentences)):
            sentence = text.sentences[at]
            words = text_of(sentence).split()
            if not LEAST_WORDS <= len(words) <= MOST_WORDS or (kind != "roles" and words[0].lower() in POINTING):
                continue
            for edit in edits_of(kind, sentence, text, rng):
                if edit.statement != text_of(sentence) or edit.form == "exact":
                    waiting.setdefault(edit.form, []).append((edit, at, text))
    taken: set[str] = set()
    by_text: Counter[str] = Counter()
    made = 0
    while made < each and waiting:
        for form in _turns(waiting):
            while waiting[form]:
                edit, at, text = waiting[form].pop(0)
                topic = "/".join(text.text_id.split("/")[:2])
                sentence = text_of(text.sentences[at])
                most = OF_A_TOPIC if topic.startswith(TREC_RAG) else OF_A_TEXT
                words = re.sub(r"\W+", "", sentence.lower())
                if words in taken or by_text[topic] >= most or not _is_new(edit, text):
                    continue
                taken.add(words)
                by_text[topic] += 1
                made += 1
                yield _item(f"{kind}{made}", kind, edit, at, text, rng)
                break
            if made == each:
                return
        waiting = {form: edits for form, edits in waiting.items() if edits}


def _turns(forms: Iterable[str]) -> list[str]:
    """The forms in the order of their turns; every second copy is exact."""
    forms = sorted(forms)
    return [turn for form in forms if form != "exact" for turn in ("exact", form)] if "exact" in forms[:-1] else forms


def _is_new(edit: Edit, text: Text) -> bool:
    """Whether a new number is nowhere else in the text, so that no other sentence can say the statement."""
    if edit.form not in ("digits", "percent", "year"):
        return True
    numbers = [set(re.findall(r"\d[\d,.]*\d|\d", words)) for words in (edit.statement, *map(text_of, text.sentences))]
    return bool(numbers[0] - set().union(*numbers[1:]))


def _item(item_id: str, kind: str, edit: Edit, at: int, text: Text, rng: random.Random) -> Item:
    count = min(rng.randint(4, 6), len(text.sentences) - 1)
    start = max(0, min(at - rng.randint(0, count), len(text.sentences) - 1 - count))
    around = [place for place in range(start, start + count + 1) if place != at]
    others = tuple(text_of(text.sentences[place]) for place in around)
    return Item(item_id, kind, edit.form, edit.statement, text_of(text.sentences[at]), others,
                sum(place < at for place in around))  # fmt: skip
