"""Pairs made from parsed texts: a sentence, alone or with its neighbours, and a true or false version of it."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from karat.language.train.entailment.pairs import clauses, edits, versions
from karat.language.train.entailment.pairs.parsing import parse
from karat.language.train.entailment.pairs.roles import plain_role_pairs, role_pairs
from karat.language.train.entailment.pairs.scope import reported_pairs, scope_pairs
from karat.language.train.entailment.pairs.sets import LONGEST, NAMES, Pair, read_pairs

_WORD = re.compile(r"\w+")
_NAMES = ("PERSON", "ORG", "GPE", "NORP", "LOC", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART")
_STYLES = ("active", "passive", "passive", "cleft", "cleft-passive", "cleft-object")


STATEMENTS = {
    "sra": 2600, "mnli-binary": 3200, "fever-nli": 2200, "fm2": 1600, "infotabs": 2000, "defacto": 1300,
    "factcheckgpt": 500, "summedits": 150, "cad-nli": 900, "begin": 500,
}  # fmt: skip
"""How many entailed pairs of each set also get edited statements."""
_MATCHING = frozenset({"help", "scone", "med", "breaking-nli", "conjnli", "begin"})
"""Sets in which overlap is built in: of no use against it."""
_FACTS, _PLAIN_FACTS, _SCOPES, _REPORTED = 50_000, 40_000, 9_000, 3_000


def make_all(folder: Path, parses: Sequence[tuple[Any, bool]], *, scale: float, seed: int) -> Iterator[Pair]:
    """All pairs: those of the sets, and all kinds of made-up ones."""
    maker = Maker(parses, seed=seed)
    yield from maker.pairs()
    yield from role_pairs(int(_FACTS * scale), seed=seed + 100, found=maker.participants())
    yield from scope_pairs(int(_SCOPES * scale), seed=seed + 20)
    plain = [(sentence, dev) for doc, dev in parses for sentence in clauses.spans(doc, shortest=5, longest=24)]
    yield from reported_pairs(plain[: int(_REPORTED * scale)], seed=seed + 21)
    yield from plain_role_pairs(int(_PLAIN_FACTS * scale), seed=seed + 10)
    own = [pair for name in NAMES for pair in read_pairs(folder / "nli", name)]
    yield from own
    yield from against_overlap([pair for pair in own if pair.kind not in _MATCHING])
    rng = random.Random(seed)  # noqa: S311 - a sample
    chosen: list[Pair] = []
    for name, number in STATEMENTS.items():
        found = [pair for pair in own if pair.kind == name and pair.entailed and len(pair.statement.split()) < 45]
        chosen += rng.sample(found, min(len(found), int(number * scale)))
    yield from maker.edited_statements(chosen, parse([pair.statement for pair in chosen]))


class Maker:
    """Makes pairs from texts; names and participles are learned from all of them first."""

    def __init__(self, parses: Sequence[tuple[Any, bool]], *, seed: int) -> None:
        self.parses = parses
        self.rng = random.Random(seed)  # noqa: S311 - made-up texts
        self.forms = clauses.participles(doc for doc, _ in parses)
        self.names: dict[tuple[str, bool], list[str]] = defaultdict(list)
        for doc, dev in parses:
            for entity in doc.ents:
                if entity.label_ in _NAMES and len(entity) < 5:
                    self.names[entity.label_, dev].append(bare(entity.text))

    def participants(self) -> list[str]:
        """Names of persons, organisations and places of the training part, for made-up facts."""
        found = {name for label in ("PERSON", "ORG", "GPE") for name in self.names[label, False]}
        return sorted(name for name in found if name[0].isupper() and len(name) > 3 and name.replace(" ", "").isalpha())

    def pairs(self) -> Iterator[Pair]:
        """All pairs that the texts give."""
        for doc, dev in self.parses:
            around = list(doc.sents)
            for sentence in clauses.spans(doc, shortest=5, longest=42):
                place = around.index(sentence)
                near = [around[index] for index in (place - 1, place + 1) if 0 <= index < len(around)]
                yield from self._sentence(sentence, near, dev=dev)

    def edited_statements(self, pairs: Sequence[Pair], docs: Sequence[Any]) -> Iterator[Pair]:
        """Entailed pairs of the sets, whose statements have words of their own, beside edits of the statements."""
        for pair, doc in zip(pairs, docs, strict=True):
            sentence = next(iter(doc.sents), None)
            if sentence is None or len(sentence) != len(doc):
                continue
            text = clauses.finished(pair.statement)
            false = [
                edits.other_number(text, self.rng, near=clauses.numbers_of([pair.premise])),
                edits.opposite(text, self.rng),
            ]
            false += [wrong for _, wrong, entailed, _ in self._named(sentence, [], pair.dev) if not entailed]
            false += versions.negated(sentence, self.rng)[:4:3]
            clause = clauses.find_clause(sentence)
            if clause is not None:
                false += [clauses.swapped(clause, whole=True), *self._turned(clause, swap=True)]
                for true in self._turned(clause, swap=False)[:1]:
                    yield Pair(pair.premise, true, True, "statement", pair.dev, 0)
            found = [wrong for wrong in false if wrong is not None and wrong != text]
            for wrong in self.rng.sample(found, min(2, len(found))):
                yield Pair(pair.premise, wrong, False, "statement", pair.dev)
            if found:
                yield Pair(pair.premise, pair.statement, True, "statement", pair.dev, 0)

    def _sentence(self, sentence: Any, near: Sequence[Any], *, dev: bool) -> Iterator[Pair]:
        makers: list[Callable[[Any, Sequence[Any], bool], Iterator[tuple[str, str, bool, str]]]] = [
            self._roles, self._numbers, self._named, self._negations, self._meanings, self._parts,
        ]  # fmt: skip
        for maker in makers:
            for premise, statement, entailed, kind in maker(sentence, near, dev):
                if statement and (entailed or statement != premise):
                    yield Pair(premise, statement, entailed, kind, dev, 0 if entailed else -1)

    def _premise(self, sentence: Any, near: Sequence[Any], *, text: str | None = None, alone: float = 0.45) -> str:
        """The sentence alone or between its neighbours; `text` stands in for the sentence."""
        own = text or sentence.text.strip()
        if not near or self.rng.random() < alone:
            return own
        chosen = near if self.rng.random() < 0.6 else [self.rng.choice(list(near))]
        parts = [other.text.strip() for other in chosen if other.start < sentence.start] + [own]
        parts += [other.text.strip() for other in chosen if other.start > sentence.start]
        premise = " ".join(parts)
        return premise if len(premise.split()) <= LONGEST else own

    def _version(self, sentence: Any) -> str:
        """A text that the sentence entails: itself, a part, or with words of like meaning."""
        choice = self.rng.random()
        text = sentence.text.strip()
        if choice < 0.35:
            text = versions.shortened(sentence, self.rng) or text
        elif choice < 0.5:
            text = versions.reordered(sentence) or text
        if 0.4 < choice < 0.75:
            text = edits.synonym(text, self.rng) or text
        return clauses.finished(text)

    def _roles(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        clause = clauses.find_clause(sentence)
        if clause is not None:
            # In half of the cases the sentence itself is exchanged first, so that a strange sentence may well be true.
            flip = self.rng.random() < 0.5
            given = clauses.swapped(clause, whole=True) if flip else None
            same = [
                clauses.swapped(clause, whole=False) if flip else clauses.active(clause),
                *self._turned(clause, swap=flip),
            ]
            other_way = clauses.active(clause) if flip else clauses.swapped(clause, whole=self.rng.random() < 0.6)
            false = [other_way, *self._turned(clause, swap=not flip)]
            for texts, entailed in ((same, True), (false, False)):
                self.rng.shuffle(texts)
                for text in texts[:3]:
                    yield self._premise(sentence, near, text=given), text, entailed, "roles-text"
            if len(same) > 2:
                # Both ways: the passive may also be what is given, and the plain sentence what is asked.
                yield same[1], same[2], True, "roles-text"
                yield same[1], false[0], False, "roles-text"
            moved = versions.reordered(sentence)
            if moved is not None and not flip:
                yield self._premise(sentence, near), moved, True, "roles-text"
        for other in near:
            wrong = versions.misattributed(sentence, other)
            if wrong is not None:
                yield f"{sentence.text.strip()} {other.text.strip()}", wrong, False, "roles-text"
                yield f"{sentence.text.strip()} {other.text.strip()}", clauses.finished(other.text), True, "roles-text"

    def _turned(self, clause: Any, *, swap: bool) -> list[str]:
        styles = self.rng.sample(_STYLES, 2)
        texts = [clauses.turned(clause, self.forms, swap=swap, style=style) for style in styles]
        return [text for text in texts if text is not None]

    def _numbers(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        if not edits.has_number(sentence.text):
            return
        others = clauses.numbers_of([other.text for other in near])
        for _ in range(2):
            version = self._version(sentence)
            false = edits.other_number(version, self.rng, near=others)
            premise = self._premise(sentence, near, alone=0.3 if others else 0.5)
            if false is not None and false not in premise:
                yield premise, false, False, "number"
                yield premise, edits.same_number(version, self.rng) or version, True, "number"

    def _named(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        entities = [entity for entity in sentence.ents if entity.label_ in _NAMES and len(entity) < 6]
        if not entities:
            return
        entity = self.rng.choice(entities)
        name = bare(entity.text)
        beside = [bare(other.text) for span in near for other in span.ents if other.label_ == entity.label_]
        beside += [bare(other.text) for other in entities if other.label_ == entity.label_]
        beside = [other for other in beside if not (set(other.split()) & set(name.split()))]
        pool = beside if beside and self.rng.random() < 0.5 else self.names[entity.label_, dev]
        new = self.rng.choice(pool)
        if entity.label_ == "PERSON" and len(name.split()) == 2 and self.rng.random() < 0.25:
            first = self.rng.choice(self.names["PERSON", dev]).split()[0]
            new = f"{first} {name.split()[1]}"
        version = self._version(sentence)
        if name not in version or new in name or name in new:
            return
        premise = self._premise(sentence, near)
        yield premise, version.replace(name, new), False, "name"
        if entity.label_ == "PERSON" and len(name.split()) == 2 and self.rng.random() < 0.4:
            version = version.replace(name, name.split()[1])
        yield premise, version, True, "name"

    def _negations(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        own = clauses.finished(sentence.text)
        positive = versions.affirmed(sentence)
        if positive is not None:
            premise = self._premise(sentence, near)
            yield premise, positive, False, "negation"
            yield premise, own, True, "negation"
            return
        texts = versions.negated(sentence, self.rng)
        if len(texts) < 2:
            return
        one, two = self.rng.sample(texts, 2)
        yield self._premise(sentence, near), one, False, "negation"
        yield self._premise(sentence, near), self._version(sentence), True, "negation"
        premise = self._premise(sentence, near, text=one)
        yield premise, own if self.rng.random() < 0.5 else self._version(sentence), False, "negation"
        yield premise, two if self.rng.random() < 0.7 else one, True, "negation"

    def _meanings(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        version = self._version(sentence)
        premise = self._premise(sentence, near)
        for kind, false, true in (
            ("antonym", edits.opposite, edits.synonym),
            ("quantifier", edits.false_quantifier, edits.true_quantifier),
        ):
            wrong = false(version, self.rng)
            if wrong is not None:
                yield premise, wrong, False, kind
                yield premise, true(version, self.rng) or version, True, kind

    def _parts(self, sentence: Any, near: Sequence[Any], dev: bool) -> Iterator[tuple[str, str, bool, str]]:
        short = versions.shortened(sentence, self.rng)
        if short is not None and self.rng.random() < 0.4:
            yield self._premise(sentence, near), short, True, "part"
            # The other way round, the part does not say all that the sentence says.
            yield short, clauses.finished(sentence.text), False, "part"
        true, false = versions.asides(sentence)
        for texts, entailed in ((true, True), (false, False)):
            for text in texts:
                yield self._premise(sentence, near), text, entailed, "part"
        over = versions.overstated(sentence)
        if over is not None:
            yield self._premise(sentence, near), over, False, "part"
            yield self._premise(sentence, near), clauses.finished(sentence.text), True, "part"
        if near and self.rng.random() < 0.15:
            yield sentence.text.strip(), clauses.finished(near[0].text), False, "part"


def against_overlap(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs of the sets that word overlap gets wrong: entailed with few common words, or not entailed with many."""
    for pair in pairs:
        asked = {word for word in _WORD.findall(pair.statement.lower()) if len(word) > 3}
        common = len(asked & set(_WORD.findall(pair.premise.lower()))) / max(1, len(asked))
        if (pair.entailed and common <= 0.4) or (not pair.entailed and common >= 0.75):
            yield Pair(pair.premise, pair.statement, pair.entailed, "overlap", pair.dev, pair.three_way)


def bare(name: str) -> str:
    """A name without article and possessive."""
    return name.removeprefix("the ").removeprefix("The ").removesuffix("'s").removesuffix("’s").strip(' "')
