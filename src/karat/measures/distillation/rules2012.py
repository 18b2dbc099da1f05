"""Contingency tables by the rules of 2012, in which all snippets are nuggetized (Babko-Malaya et al. 2012, 3.3).

    right    = nuggets in the relevant text of relevant snippets
    wrong    = nuggets in irrelevant and in redundant snippets
    missing  = relevant nuggets of other runs that the run does not have

Nothing is charged by the character. Relevant text is `text_spans` of the label, else the whole snippet; a nugget lies
in it with more than half of its characters, and one outside it in a relevant snippet does not count. Nuggets in
snippets without a label do not count.

Recall is over the relevant nuggets of all runs, each once. Nuggets are the same one where they belong to the same nug
(of several, the one with the largest degree, of equals the one whose id sorts first); nuggets without a nug, where they
have the same type and words. A run that has one of them twice in relevant snippets has both right for precision, as the
paper counts, and one for all else.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from karat.measures.cases.case import Case
from karat.measures.cases.response_text import beyond, chosen_nuggets, responses
from karat.measures.distillation.contingency import Table, takes_world_knowledge
from karat.model import Nug, Nugget, Relevance, Snippet
from karat.text import words as words_of

Identity = tuple[str, ...]
"""What is equal for two nuggets that count as the same."""


class LabelShares(msgspec.Struct, frozen=True):
    """The share of assessors who make a nugget right by their label, and of those who make it wrong."""

    right: float
    wrong: float


def contingency_2012(case: Case, *, words: int = 0) -> Table:
    """The table of a response; where assessors differ on a snippet its nuggets count by their shares."""
    labels: dict[tuple[str, str], list[Relevance]] = {}
    for relevance in case.pool.relevances:
        labels.setdefault((relevance.run_id, relevance.snippet_id), []).append(relevance)
    late = beyond(case, words=words)
    same_as = _identities(case)
    pooled: dict[Identity, float] = {}
    of_run: dict[Identity, list[float]] = {}
    known: set[Identity] = set()
    wrong = counted = 0.0
    for nugget in chosen_nuggets(case.pool.nuggets, responses=responses(case)):
        said = labels.get((nugget.run_id, nugget.snippet_id))
        if not said or nugget.nugget_id in late:
            continue
        counted += 1
        shares, identity = _label_shares(nugget, said), same_as(nugget)
        pooled[identity] = max(shares.right, pooled.get(identity, 0.0))
        if nugget.world_knowledge:
            known.add(identity)
        if nugget.run_id == case.run_id:
            of_run.setdefault(identity, []).append(shares.right)
            wrong += shares.wrong
    known |= {("nug", nug.nug_id) for nug in case.pool.whole_nugs if takes_world_knowledge(nug, case.pool)}
    best = {identity: max(shares) for identity, shares in of_run.items()}
    return Table(
        right=sum(best.values()),
        wrong=wrong,
        missing=sum(most - best.get(identity, 0.0) for identity, most in pooled.items() if identity not in known),
        repeated=sum(sum(shares) for shares in of_run.values()) - sum(best.values()),
        counted=counted,
    )


def _label_shares(nugget: Nugget, said: list[Relevance]) -> LabelShares:
    right = sum(relevance.label == "relevant" and _lies_in(nugget, relevance) for relevance in said)
    wrong = sum(relevance.label != "relevant" for relevance in said)
    return LabelShares(right / len(said), wrong / len(said))


def _lies_in(nugget: Nugget, relevance: Relevance) -> bool:
    if relevance.text_spans is None:
        return True
    return 2 * nugget.spans.intersection(relevance.text_spans).length > nugget.spans.length


def _identities(case: Case) -> Callable[[Nugget], Identity]:
    """A function of nuggets that gives the same result for nuggets that count as the same."""
    nug_of = _best_nugs(case.pool.whole_nugs)
    snippets: dict[tuple[str, str], Snippet] = {
        (response.run_id, snippet.snippet_id): snippet for response in responses(case) for snippet in response.snippets
    }

    def identity(nugget: Nugget) -> Identity:
        if nugget.nugget_id in nug_of:
            return "nug", nug_of[nugget.nugget_id]
        snippet = snippets.get((nugget.run_id, nugget.snippet_id))
        if snippet is None:
            return "nugget", nugget.nugget_id
        return "text", nugget.type or "", *words_of(nugget.spans.text(snippet.text))

    return identity


def _best_nugs(nugs: list[Nug]) -> dict[str, str]:
    """The nug that each nugget expresses best; of equals the one whose id sorts first."""
    best: dict[str, tuple[float, str]] = {}
    for nug in nugs:
        for member in nug.members:
            rank = -member.degree, nug.nug_id
            best[member.nugget_id] = min(rank, best.get(member.nugget_id, rank))
    return {nugget_id: nug_id for nugget_id, (_, nug_id) in best.items()}
