"""The automatic nuggetizer: text -> analysis -> drafts -> rules -> nuggets (Babko-Malaya et al. 2012)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

import msgspec

from karat.language.analysis import Analysis, Analyzer, Sentence
from karat.model import Signature, SpanSet, UsageError
from karat.nuggetizer.detectors.dependents import detect_dependents
from karat.nuggetizer.detectors.entities import detect_entities
from karat.nuggetizer.detectors.events import detect_events, detect_statements
from karat.nuggetizer.detectors.numbers import detect_numbers
from karat.nuggetizer.detectors.roles import detect_modifiers
from karat.nuggetizer.detectors.times import detect_times
from karat.nuggetizer.detectors.titles import detect_titles
from karat.nuggetizer.drafts import Draft, FoundNugget, Nuggetized, Step, in_order, spans_of
from karat.nuggetizer.english.foreign import foreign_note, shape_notes
from karat.nuggetizer.markup import Reading, read_text
from karat.nuggetizer.paraphrase import is_said_in_full, paraphrase, said_with
from karat.nuggetizer.rules import auto, guidelines
from karat.nuggetizer.selection import place_in_text

RuleSet = Literal["auto", "guidelines"]
DETECTORS = (
    detect_entities,
    detect_titles,
    detect_numbers,
    detect_times,
    detect_statements,
    detect_events,
    detect_modifiers,
    detect_dependents,
)
RULE_SETS = {"auto": auto.RULES, "guidelines": guidelines.RULES}


@dataclass(frozen=True)
class Nuggetizer:
    """Makes typed nuggets of texts; all that changes its result is in its signature."""

    analyzer: Analyzer
    rules: RuleSet = "auto"
    explain: bool = False
    paraphrase: bool = False
    """Whether each nugget is also said as a sentence."""

    def __post_init__(self) -> None:
        if self.rules not in RULE_SETS:
            raise UsageError(f"rules: {self.rules!r} is not one of {', '.join(RULE_SETS)}")

    def nuggetize(self, text: str, *, portion: SpanSet | None = None) -> Nuggetized:
        """The nuggets of a text; with `portion`, of this part of it, read with the whole as context."""
        return next(self.nuggetize_many([text], portions=[portion]))

    def nuggetize_many(
        self, texts: Iterable[str], *, portions: Iterable[SpanSet | None] | None = None, batch: int = 64
    ) -> Iterator[Nuggetized]:
        """The nuggets of many texts, in their order."""
        waiting: deque[_Waiting] = deque()
        analyses = self.analyzer.analyze_many(_read(texts, portions, waiting), batch=batch)
        for analysis in analyses:
            waiting_text = waiting.popleft()
            if waiting_text.foreign:
                yield Nuggetized(text=waiting_text.text, nuggets=(), notes=(waiting_text.foreign,))
            else:
                yield self.from_analysis(
                    analysis, text=waiting_text.text, reading=waiting_text.reading, portion=waiting_text.portion
                )

    def from_analysis(
        self,
        analysis: Analysis,
        *,
        text: str | None = None,
        reading: Reading | None = None,
        portion: SpanSet | None = None,
    ) -> Nuggetized:
        """The nuggets of a text that is analysed already; `reading` says where what was analysed stands in it."""
        text = analysis.text if text is None else text
        reading = Reading(text) if reading is None else reading
        nuggets: list[FoundNugget] = []
        steps: list[Step] = []
        for sentence in analysis.sentences:
            drafts = self._drafts(sentence, steps)
            for draft in drafts:
                nugget = _found(sentence, draft, text, reading, portion)
                if nugget is not None:
                    nuggets.append(self._said(nugget, sentence, draft, drafts, reading))
        notes = dict.fromkeys(
            [*(note for sentence in analysis.sentences for note in sentence.notes), *shape_notes(text)]
        )
        return Nuggetized(
            text=text, nuggets=tuple(sorted(nuggets, key=place_in_text)), notes=tuple(notes), steps=tuple(steps)
        )

    def signature(self) -> Signature:
        """Models and rule set."""
        return Signature("nuggetize", {"rules": self.rules} | self.analyzer.signature())

    def _said(
        self, nugget: FoundNugget, sentence: Sentence, draft: Draft, drafts: list[Draft], reading: Reading
    ) -> FoundNugget:
        """The nugget with the sentence it can be said as, where that is wanted."""
        if not self.paraphrase:
            return nugget
        return msgspec.structs.replace(
            nugget,
            paraphrase=paraphrase(sentence, draft, drafts),
            clause=paraphrase(sentence, draft, drafts, whole=True) if is_said_in_full(sentence, draft) else None,
            proposition=reading.original(spans_of(sentence, said_with(sentence, draft, drafts))),
        )

    def _drafts(self, sentence: Sentence, steps: list[Step]) -> list[Draft]:
        drafts: list[Draft] = []
        for detector in DETECTORS:
            made = list(detector(sentence))
            if self.explain:
                steps.extend(_step(sentence, draft.rule, "made", draft) for draft in made)
            drafts.extend(made)
        for rule in RULE_SETS[self.rules]:
            before = drafts
            drafts = rule(sentence, before)
            if self.explain:
                steps.extend(_changes(sentence, rule.__name__.replace("_", "-"), before, drafts))
        return in_order(draft for draft in drafts if draft.tokens)


@dataclass(frozen=True)
class _Waiting:
    """A text whose analysis is under way."""

    text: str
    reading: Reading
    foreign: str
    portion: SpanSet | None


def _read(texts: Iterable[str], portions: Iterable[SpanSet | None] | None, waiting: deque[_Waiting]) -> Iterator[str]:
    """What is to be analysed of each text: nothing of one in another language."""
    portions_or_none = iter(portions) if portions is not None else repeat(None)
    for text, portion in zip(texts, portions_or_none, strict=False):
        waiting_text = _Waiting(text, read_text(text), foreign_note(text), portion)
        waiting.append(waiting_text)
        yield "" if waiting_text.foreign else waiting_text.reading.text


def _found(
    sentence: Sentence, draft: Draft, text: str, reading: Reading, portion: SpanSet | None
) -> FoundNugget | None:
    spans = reading.original(spans_of(sentence, draft.tokens))
    anchor = reading.original(spans_of(sentence, draft.anchor)) if draft.anchor else None
    if portion is not None:
        # What is selected counts by its anchor; a modifier of which less than half is selected is not.
        inside = spans.intersection(portion)
        centre = anchor or spans
        if centre.intersection(portion).meaningful_length(text) * 2 < max(1, centre.meaningful_length(text)):
            return None
        spans = inside
    if not spans or not spans.meaningful_length(text):
        return None
    return FoundNugget(type=draft.type, spans=spans, text=spans.text(text), rule=draft.rule, anchor=anchor)


def _changes(sentence: Sentence, rule: str, before: list[Draft], after: list[Draft]) -> Iterator[Step]:
    """What a rule removed, and what it changed or made."""
    old, new = set(before), set(after)
    for draft in before:
        if draft not in new:
            yield _step(sentence, rule, "removed", draft)
    for draft in after:
        if draft not in old:
            yield _step(sentence, rule, "made", draft)


def _step(sentence: Sentence, rule: str, did: str, draft: Draft) -> Step:
    return Step(rule=rule, did=did, type=draft.type, text=spans_of(sentence, draft.tokens).text(sentence.source))
