"""The rule for sentences whose second part leaves out the verb."""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.gaps import gaps
from karat.nuggetizer.english.places import name_head, phrase_of_place, preposition_of


def gapped_parts_apart(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """In 'three in Kabul on Monday and two in Herat on Tuesday' each number keeps its own place and time."""
    found = gaps(sentence, drafts)
    if not found:
        return drafts
    result = []
    for draft in drafts:
        for gap in found:
            draft = _cut(draft, gap.joined, gap.preposition)
            preposition = preposition_of(sentence, name_head(sentence, draft)) if draft.type in {"GPE", "LOC"} else None
            if preposition is not None and preposition.index == gap.preposition:
                phrase = frozenset(at for at in phrase_of_place(sentence, draft) if at >= gap.preposition)
                draft = replace(draft, type="LOC", tokens=phrase, rule="gapped-parts-apart")
        result.append(draft)
    return result


def _cut(draft: Draft, joined: int, preposition: int) -> Draft:
    """A place or time only up to the conjunction, or only from the second phrase on."""
    if draft.type not in {"LOC", "TMP", "MOD"} or not draft.start < preposition <= max(draft.tokens):
        return draft
    kept = {at for at in draft.tokens if (at < joined if draft.start < joined else at >= preposition)}
    return replace(draft, tokens=frozenset(kept), rule="gapped-parts-apart") if kept else draft
