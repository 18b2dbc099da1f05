"""The notes of a draft: what was left out, and which nugs contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from karat.evaluate.nuggets.drafting.query_draft import UNSURE, QueryDraft
from karat.evaluate.nuggets.drafting.reading import ReadText
from karat.evaluate.nuggets.drafting.sentences.candidates import reason_for
from karat.evaluate.nuggets.drafting.sources import Sources
from karat.model import Nug
from karat.model.wording import number_of

LISTED = 5
"""How many pairs or queries are named."""


def contradiction_notes(nugs: Sequence[Nug]) -> list[str]:
    """The note that names the first pairs of nugs that contradict each other."""
    pairs = []
    for nug in nugs:
        others = [other for other in nug.extra.get("contradicts", []) if int(other[1:]) > int(nug.nug_id[1:])]
        pairs += [f"{nug.query_id}: {nug.nug_id} and {other}" for other in others]
    if not pairs:
        return []
    more = f", and {len(pairs) - LISTED:,} more" if len(pairs) > LISTED else ""
    listed = ", ".join(pairs[:LISTED]) + more
    count = number_of(len(pairs), "pair")
    return [f"{count} of nugs seem to contradict each other ({listed}): check them, and keep what is true"]


def unsure_notes(nugs: Sequence[Nug]) -> list[str]:
    """The note that names the queries of which no nug is clearly vital."""
    queries = [nug.query_id for nug in nugs if nug.extra.get("suggested") == UNSURE]
    if not queries:
        return []
    listed = ", ".join(queries[:LISTED]) + (" …" if len(queries) > LISTED else "")
    return [
        f"no nug is clearly vital for {number_of(len(queries), 'query')} ({listed}): those that most runs say are "
        f'contradicted or far from the question. One each is called vital all the same ("suggested": "{UNSURE}"), '
        "because without a vital nug strict_vital is undefined there: check these first"
    ]


def reading_notes(sources: Sources, read: Sequence[ReadText]) -> list[str]:
    """How many sentences were left out for each reason."""
    notes = list(sources.notes)
    reasons: Counter[str] = Counter()
    for result in read:
        reasons.update(result.left_out)
    if reasons:
        total = sum(result.sentences for result in read)
        listed = "; ".join(f"{count:,} {reason_for(reason, count)}" for reason, count in reasons.most_common())
        notes.append(f"of {number_of(total, 'sentence')}, {sum(reasons.values()):,} left out: {listed}")
    return notes


def draft_notes(drafts: Iterable[QueryDraft], empty: Sequence[str], *, most: int | None) -> list[str]:
    """The queries without a nug, and how many nugs were left out for each reason."""
    notes = []
    if empty:
        more = " …" if len(empty) > LISTED else ""
        notes.append(f"no nug for {number_of(len(empty), 'query')}: {', '.join(empty[:LISTED])}{more}")
    drafts = list(drafts)
    untraced, unrelated, cut = (
        sum(counts) for counts in zip(*((draft.untraced, draft.unrelated, draft.cut) for draft in drafts), strict=True)
    )
    if untraced:
        them = "it" if untraced == 1 else "them"
        notes.append(
            f"{number_of(untraced, 'nug')} that the model wrote left out: no sentence of the texts says {them}"
        )
    if unrelated:
        notes.append(f"{number_of(unrelated, 'nug')} that only one run says left out: not about the question")
    if cut:
        notes.append(f"{number_of(cut, 'nug')} left out: --max {most} keeps those that together say the most per query")
    return notes
