"""Join nuggets that are next to each other."""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft, in_order


def merged(sentence: ParsedSentence, drafts: list[Draft], kind: str, rule: str) -> list[Draft]:
    """The drafts; those of one type are joined if they touch or have only a comma between them."""
    rest = [draft for draft in drafts if draft.type != kind]
    merged: list[Draft] = []
    for draft in in_order(draft for draft in drafts if draft.type == kind):
        last = merged[-1] if merged else None
        if last is not None and _touch(sentence, last, draft):
            between = range(last.end, draft.start)
            merged[-1] = replace(last, tokens=last.tokens | draft.tokens | set(between), rule=rule)
        elif last is not None and draft.tokens <= last.tokens:
            continue
        else:
            merged.append(draft)
    return in_order([*rest, *merged])


def _touch(sentence: ParsedSentence, left: Draft, right: Draft) -> bool:
    if right.tokens <= left.tokens:
        return False
    between = [sentence.tokens[at].text for at in range(left.end, right.start)]
    # 'reached Homs, Hama and Aleppo': a list of places, not a place in another.
    listed = (
        right.type == "LOC" and sentence.tokens[right.start].dep == "conj" and sentence.tokens[right.start].ent_type
    )
    return right.start <= left.end or (between == [","] and not listed)
