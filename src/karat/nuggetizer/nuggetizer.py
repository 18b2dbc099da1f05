"""The automatic nuggetizer: text -> analysis -> drafts -> rules -> nuggets (Babko-Malaya et al. 2012)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, repeat
from typing import Literal

import msgspec

from karat.language.analysis import Analysis, Analyzer, ParsedSentence
from karat.model import Signature, SpanSet, UsageError
from karat.nuggetizer.detectors.dependents import detect_dependents
from karat.nuggetizer.detectors.distances import detect_distances
from karat.nuggetizer.detectors.entities import detect_entities
from karat.nuggetizer.detectors.events import detect_events, detect_statements
from karat.nuggetizer.detectors.numbers import detect_numbers
from karat.nuggetizer.detectors.roles import detect_modifiers
from karat.nuggetizer.detectors.times import detect_times
from karat.nuggetizer.detectors.titles import detect_titles
from karat.nuggetizer.drafts import Draft, DraftChange, FoundNugget, Nuggetized, in_order, spans_of
from karat.nuggetizer.english.foreign import LOOKED_AT, foreign_note, shape_notes, short_foreign_note
from karat.nuggetizer.markup import CleanText, clean_text
from karat.nuggetizer.paraphrase import paraphrase
from karat.nuggetizer.rules import auto, guidelines
from karat.nuggetizer.said_with import said_with
from karat.nuggetizer.selection import place_in_text
from karat.text.pieces import pieces

LONG = 100_000
"""Texts of more characters are nuggetized part by part, so that memory does not grow with their analysis."""
PART = 4_000
"""The greatest length of a part of a long text, in characters."""
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
    detect_distances,
)
RULE_SETS = {"auto": auto.RULES, "guidelines": guidelines.RULES}


@dataclass(frozen=True)
class Nuggetizer:
    """Finds typed nuggets in texts; its signature holds everything that changes the result."""

    analyzer: Analyzer
    rules: RuleSet = "auto"
    explain: bool = False
    paraphrase: bool = False
    """Whether to write each nugget as a sentence, too."""

    def __post_init__(self) -> None:
        if self.rules not in RULE_SETS:
            raise UsageError(f"rules: {self.rules!r} is not one of {', '.join(RULE_SETS)}")

    def nuggetize(self, text: str, *, portion: SpanSet | None = None) -> Nuggetized:
        """The nuggets of a text; with `portion`, only those of this part, but with the whole text as context."""
        return next(self.nuggetize_many([text], portions=[portion]))

    def nuggetize_many(
        self, texts: Iterable[str], *, portions: Iterable[SpanSet | None] | None = None, batch: int = 64
    ) -> Iterator[Nuggetized]:
        """The nuggets of many texts, in the order of the texts; a very long text is worked on part by part."""
        chosen = zip(texts, portions if portions is not None else repeat(None), strict=False)
        for is_long, group in groupby(chosen, key=lambda pair: len(pair[0]) > LONG):
            if is_long:
                yield from (self._in_parts(text, portion, batch) for text, portion in group)
            else:
                yield from self._nuggetize_texts(group, batch)

    def _in_parts(self, text: str, portion: SpanSet | None, batch: int) -> Nuggetized:
        """The nuggets of a very long text, of which only one part is in analysis at a time."""
        foreign = foreign_note(text[:LOOKED_AT])
        if foreign:
            return Nuggetized(text=text, nuggets=(), notes=(foreign,))
        places = pieces(text, most=PART)
        parts = ((text[start:end], _shifted(portion, -start, end - start)) for start, end in places)
        nuggets: list[FoundNugget] = []
        changes: list[DraftChange] = []
        notes: dict[str, None] = {}
        results = self._nuggetize_texts(parts, batch, part_of_text=True)
        for (start, _), part in zip(places, results, strict=True):
            nuggets.extend(_moved(nugget, start) for nugget in part.nuggets)
            changes.extend(part.changes)
            notes.update(dict.fromkeys(part.notes))
        notes.update(dict.fromkeys(shape_notes(text)))
        return Nuggetized(text=text, nuggets=tuple(nuggets), notes=tuple(notes), changes=tuple(changes))

    def _nuggetize_texts(
        self, chosen: Iterable[tuple[str, SpanSet | None]], batch: int, *, part_of_text: bool = False
    ) -> Iterator[Nuggetized]:
        queue: deque[_QueuedText] = deque()
        analyses = self.analyzer.analyze_many(_texts_to_analyse(chosen, queue, part_of_text), batch=batch)
        for analysis in analyses:
            queued = queue.popleft()
            if queued.foreign:
                yield Nuggetized(text=queued.text, nuggets=(), notes=(queued.foreign,))
            else:
                yield self._nuggetized(analysis, queued)

    def _nuggetized(self, analysis: Analysis, queued: _QueuedText) -> Nuggetized:
        text, clean = queued.text, queued.clean
        tokens = () if queued.part_of_text else (token for sentence in analysis.sentences for token in sentence.tokens)
        foreign = short_foreign_note([*tokens])
        if foreign:
            return Nuggetized(text=text, nuggets=(), notes=(foreign,))
        nuggets: list[FoundNugget] = []
        changes: list[DraftChange] = []
        for sentence in analysis.sentences:
            drafts = self._drafts(sentence, changes)
            for draft in drafts:
                nugget = _nugget(sentence, draft, queued)
                if nugget is not None:
                    nuggets.append(self._paraphrased(nugget, sentence, draft, drafts, clean))
        notes = dict.fromkeys(
            [
                *(note for sentence in analysis.sentences for note in sentence.notes),
                *(() if queued.part_of_text else shape_notes(text)),
            ]
        )
        return Nuggetized(
            text=text, nuggets=tuple(sorted(nuggets, key=place_in_text)), notes=tuple(notes), changes=tuple(changes)
        )

    def signature(self) -> Signature:
        """The models and the rule set."""
        return Signature("nuggetize", {"rules": self.rules} | self.analyzer.signature())

    def _paraphrased(
        self, nugget: FoundNugget, sentence: ParsedSentence, draft: Draft, drafts: list[Draft], clean: CleanText
    ) -> FoundNugget:
        """The nugget together with its paraphrase, if that is wanted."""
        if not self.paraphrase:
            return nugget
        return msgspec.structs.replace(
            nugget,
            paraphrase=paraphrase(sentence, draft, drafts),
            proposition=clean.original(spans_of(sentence, said_with(sentence, draft, drafts))),
        )

    def _drafts(self, sentence: ParsedSentence, changes: list[DraftChange]) -> list[Draft]:
        drafts: list[Draft] = []
        for detector in DETECTORS:
            made = [draft for draft in detector(sentence) if draft.tokens]
            if self.explain:
                changes.extend(_change(sentence, draft.rule, "made", draft) for draft in made)
            drafts.extend(made)
        for rule in RULE_SETS[self.rules]:
            before = drafts
            # A phrase of nothing but punctuation has no tokens left, and is no nugget.
            drafts = [draft for draft in rule(sentence, before) if draft.tokens]
            if self.explain:
                changes.extend(_changes(sentence, rule.__name__.replace("_", "-"), before, drafts))
        return in_order(drafts)


@dataclass(frozen=True)
class _QueuedText:
    """A text that waits for its analysis."""

    text: str
    clean: CleanText
    foreign: str
    portion: SpanSet | None
    part_of_text: bool
    """Whether it is only a part of a text, of which the language is known."""


def _texts_to_analyse(
    chosen: Iterable[tuple[str, SpanSet | None]], queue: deque[_QueuedText], part_of_text: bool
) -> Iterator[str]:
    """Each text without its markup; an empty text in place of one that is not English."""
    for text, portion in chosen:
        foreign = "" if part_of_text else foreign_note(text[:LOOKED_AT])
        queued = _QueuedText(text, clean_text(text), foreign, portion, part_of_text)
        queue.append(queued)
        yield "" if queued.foreign else queued.clean.text


def _shifted(spans: SpanSet | None, by: int, length: int) -> SpanSet | None:
    """Spans of a text as spans of a part of it; what lies outside the part is left out."""
    if spans is None:
        return None
    moved = ((max(0, start + by), min(length, end + by)) for start, end in spans)
    return SpanSet([(start, end) for start, end in moved if start < end])


def _moved(nugget: FoundNugget, by: int) -> FoundNugget:
    """A nugget of a part of a text as one of the whole text."""

    def moved(spans: SpanSet | None) -> SpanSet | None:
        return None if spans is None else SpanSet([(start + by, end + by) for start, end in spans])

    if not by:
        return nugget
    return msgspec.structs.replace(
        nugget, spans=moved(nugget.spans), anchor=moved(nugget.anchor), proposition=moved(nugget.proposition)
    )


def _nugget(sentence: ParsedSentence, draft: Draft, queued: _QueuedText) -> FoundNugget | None:
    """The nugget that a draft becomes; None if it lies outside the portion, or has no letter or digit."""
    text, clean, portion = queued.text, queued.clean, queued.portion
    spans = clean.original(spans_of(sentence, draft.tokens))
    anchor = clean.original(spans_of(sentence, draft.anchor)) if draft.anchor else None
    if portion is not None:
        # At least half of the anchor (or, without an anchor, of the nugget) must be in the portion.
        inside = spans.intersection(portion)
        centre = anchor or spans
        if centre.intersection(portion).meaningful_length(text) * 2 < max(1, centre.meaningful_length(text)):
            return None
        spans = inside
    if not spans or not spans.meaningful_length(text):
        return None
    return FoundNugget(type=draft.type, spans=spans, text=spans.text(text), rule=draft.rule, anchor=anchor)


def _changes(sentence: ParsedSentence, rule: str, before: list[Draft], after: list[Draft]) -> Iterator[DraftChange]:
    """What a rule removed, changed or made."""
    old, new = set(before), set(after)
    for draft in before:
        if draft not in new:
            yield _change(sentence, rule, "removed", draft)
    for draft in after:
        if draft not in old:
            yield _change(sentence, rule, "made", draft)


def _change(sentence: ParsedSentence, rule: str, did: str, draft: Draft) -> DraftChange:
    return DraftChange(rule=rule, did=did, type=draft.type, text=spans_of(sentence, draft.tokens).text(sentence.source))
