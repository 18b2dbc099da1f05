"""Scores that depend on the votes of assessors, by any panel of assessors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from karat.measures.base import Array, Measure
from karat.measures.cases.case import Pool
from karat.measures.cases.cases import Cases
from karat.measures.pyramid_weights import Rater, ballots, pyramid_weights


@dataclass(frozen=True)
class VotedScores:
    """Scores by the votes of any panel of raters, without counting the responses again."""

    measure: Measure
    pools: tuple[Pool, ...]
    raters: tuple[Rater, ...]
    credits: tuple[Array, ...]
    """By query: (runs, nugs), NaN where a nug was not judged."""
    lengths: Array
    """(runs, queries), NaN for a response that is left out."""

    @classmethod
    def of(cls, cases: Cases, measure: Measure) -> VotedScores:
        """From all cases, by a measure that depends on votes."""
        pools = tuple(cases.pools[query_id] for query_id in cases.query_ids)
        credits, lengths = [], np.full((len(cases.run_ids), len(pools)), np.nan)
        for column, pool in enumerate(pools):
            of_query = np.full((len(cases.run_ids), len(pool.whole_nugs)), np.nan)
            for row, run_id in enumerate(cases.run_ids):
                case = cases.case(run_id, pool.query_id)
                if case is not None:
                    of_nugs = case.strict.credits
                    of_query[row] = [of_nugs.get(nug.nug_id, np.nan) for nug in pool.whole_nugs]
                    lengths[row, column] = case.length
            credits.append(of_query)
        raters = {rater for pool in pools for rater in ballots(pool.whole_nugs, pool.votes)}
        in_order = sorted(raters, key=lambda rater: (rater[0], rater[1] or ""))
        return cls(measure, pools, tuple(in_order), tuple(credits), lengths)

    def by_panel(self, panel: Iterable[int]) -> Array:
        """Scores (runs, queries) from the votes of only these raters; undefined for a query without their votes."""
        chosen = [int(at) for at in panel]
        if self.measure.averages_assessors():
            of_rater = self.by_rater[..., chosen]
            defined = ~np.isnan(of_rater)
            sums, voters = np.where(defined, of_rater, 0.0).sum(axis=-1), defined.sum(axis=-1)
            return self.measure.values(np.stack([sums, voters], axis=-1))
        raters = {self.raters[at] for at in chosen}
        pyramids = [pyramid_weights(_of_panel(pool, raters)).weights for pool in self.pools]
        return np.stack([self._scores(column, weights) for column, weights in enumerate(pyramids)], axis=1)

    @cached_property
    def by_rater(self) -> Array:
        """The score by each rater's own votes (runs, queries, raters); NaN where a rater gives no nug any weight."""
        votes = [ballots(pool.whole_nugs, pool.votes) for pool in self.pools]
        by_query = [
            np.stack([self._scores(column, of_query.get(rater, {})) for rater in self.raters], axis=-1)
            for column, of_query in enumerate(votes)
        ]
        return np.stack(by_query, axis=1)

    def _scores(self, column: int, weights: Mapping[str, float]) -> Array:
        """The scores of all runs for one query by these weights of its nugs."""
        of_nugs = np.array([weights.get(nug.nug_id, 0.0) for nug in self.pools[column].whole_nugs])
        lengths = self.lengths[:, column]
        scores = self.measure.values_by_weight(self.credits[column], of_nugs, lengths)
        return np.where(np.isnan(lengths), np.nan, scores)


def _of_panel(pool: Pool, panel: set[Rater]) -> Pool:
    """The pool with only the votes of a panel. Weights of the key do not replace votes that were taken away."""
    if not pool.votes:
        return pool
    votes = {
        nug_id: [vote for vote in cast if (vote.assessor, vote.occasion) in panel]
        for nug_id, cast in pool.votes.items()
    }
    return replace(pool, votes=votes, nugs=[msgspec.structs.replace(nug, weight=None) for nug in pool.nugs])
