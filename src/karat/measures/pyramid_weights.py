"""Nugget pyramids: the weight of a nug from the votes of several assessors (Lin & Demner-Fushman 2006)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from karat.measures.base import bounded
from karat.measures.cases.case import Pool
from karat.model import Nug, Vote

Rater = tuple[str, str | None]
"""An assessor on one occasion: an assessor who votes on two occasions counts as two raters."""
_VALUES = {"vital": 1.0, "okay": 0.0}


def vote_value(vote: Vote) -> float:
    """1 for vital, 0 for okay, a grade from 0 to 1 as it is."""
    return _VALUES[vote.value] if isinstance(vote.value, str) else vote.value


def ballots(nugs: Iterable[Nug], votes: Mapping[str, Sequence[Vote]]) -> dict[Rater, dict[str, float]]:
    """What each rater of a query says about each nug: nug_id -> 0..1. Of repeated votes the first counts."""
    by_rater: dict[Rater, dict[str, float]] = {}
    for nug in nugs:
        for vote in votes.get(nug.nug_id, ()):
            by_rater.setdefault((vote.assessor, vote.occasion), {}).setdefault(nug.nug_id, vote_value(vote))
    return by_rater


def repeated_votes(votes: Iterable[Vote]) -> int:
    """How many votes do not count because the same rater already voted on the nug, on the same occasion."""
    cast = Counter((vote.query_id, vote.nug_id, vote.assessor, vote.occasion) for vote in votes)
    return cast.total() - len(cast)


class Weights(msgspec.Struct, frozen=True):
    """The weights of a query's nugs, and which nugs have none."""

    weights: dict[str, float]
    unweighted: tuple[str, ...] = ()
    raters: int = 0


def pyramid_weights(pool: Pool) -> Weights:
    """Weight = votes for vital / the largest number of such votes in the query, so that the best nug weighs 1.

    Dang & Lin 2007, section 2.2, as the released weights of TREC 2006 show it. Where assessors voted on different
    nugs, the share of those who voted on a nug is taken instead. Where a query has no votes, the weights of the
    key are taken as they are (the negative ones as 0, those above 1e100 as 1e100). A nug that nobody voted on, in a
    query with votes, has no weight and is not counted. Where nobody calls anything vital all weights are 0.
    """
    voted = ballots(pool.whole_nugs, pool.votes)
    if not voted:
        weights = {nug.nug_id: bounded(max(nug.weight, 0.0)) for nug in pool.whole_nugs if nug.weight is not None}
    else:
        shares = {
            nug.nug_id: [ballot[nug.nug_id] for ballot in voted.values() if nug.nug_id in ballot]
            for nug in pool.whole_nugs
        }
        means = {nug_id: sum(values) / len(values) for nug_id, values in shares.items() if values}
        most = max(means.values(), default=0.0)
        weights = {nug_id: mean / most if most else 0.0 for nug_id, mean in means.items()}
    unweighted = tuple(nug.nug_id for nug in pool.whole_nugs if nug.nug_id not in weights)
    return Weights(weights, unweighted, len(voted))
