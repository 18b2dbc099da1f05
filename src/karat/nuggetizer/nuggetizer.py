"""The automatic nuggetizer: text -> analysis -> drafts -> rules -> nuggets (Babko-Malaya et al. 2012)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
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
from karat.nuggetizer.english.foreign import foreign_note, shape_notes, short_foreign_note
from karat.nuggetizer.markup import CleanText, clean_text
from karat.nuggetizer.paraphrase import paraphrase, said_with
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
        """The nuggets of many texts, in the order of the texts."""
        queue: deque[_QueuedText] = deque()
        analyses = self.analyzer.analyze_many(_texts_to_analyse(texts, portions, queue), batch=batch)
        for analysis in analyses:
            queued = queue.popleft()
            if queued.foreign:
                yield Nuggetized(text=queued.text, nuggets=(), notes=(queued.foreign,))
            else:
                yield self._nuggetized(analysis, queued)

    def _nuggetized(self, analysis: Analysis, queued: _QueuedText) -> Nuggetized:
        text, clean = queued.text, queued.clean
        foreign = short_foreign_note([token for sentence in analysis.sentences for token in sentence.tokens])
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
            [*(note for sentence in analysis.sentences for note in sentence.notes), *shape_notes(text)]
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
            made = list(detector(sentence))
            if self.explain:
                changes.extend(_change(sentence, draft.rule, "made", draft) for draft in made)
            drafts.extend(made)
        for rule in RULE_SETS[self.rules]:
            before = drafts
            drafts = rule(sentence, before)
            if self.explain:
                changes.extend(_changes(sentence, rule.__name__.replace("_", "-"), before, drafts))
        return in_order(draft for draft in drafts if draft.tokens)


@dataclass(frozen=True)
class _QueuedText:
    """A text that waits for its analysis."""

    text: str
    clean: CleanText
    foreign: str
    portion: SpanSet | None


def _texts_to_analyse(
    texts: Iterable[str], portions: Iterable[SpanSet | None] | None, queue: deque[_QueuedText]
) -> Iterator[str]:
    """Each text without its markup; an empty text in place of one that is not English."""
    for text, portion in zip(texts, portions if portions is not None else repeat(None), strict=False):
        queued = _QueuedText(text, clean_text(text), foreign_note(text), portion)
        queue.append(queued)
        yield "" if queued.foreign else queued.clean.text


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
