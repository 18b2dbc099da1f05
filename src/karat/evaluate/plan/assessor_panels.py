"""Scores that hang on the votes of assessors, with any panel of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from karat.measures.base import Array, Measure
from karat.measures.cases.case import Pool
from karat.measures.cases.cases import Cases
from karat.measures.pyramid import Rater, ballots, pyramid_weights
from karat.measures.trec import MacroF, NuggetF


@dataclass(frozen=True)
class VotedScores:
    """Scores by the votes of any panel of raters, without counting the responses again."""

    measure: NuggetF | MacroF
    pools: tuple[Pool, ...]
    raters: tuple[Rater, ...]
    credits: tuple[Array, ...]
    """By query: (runs, nugs), NaN where a nug was not judged."""
    lengths: Array
    """(runs, queries), NaN for a response that is left out."""

    @classmethod
    def of(cls, cases: Cases, measure: NuggetF | MacroF) -> VotedScores:
        pools = tuple(cases.pools[query_id] for query_id in cases.query_ids)
        credits, lengths = [], np.full((len(cases.run_ids), len(pools)), np.nan)
        for column, pool in enumerate(pools):
            of_query = np.full((len(cases.run_ids), len(pool.standing)), np.nan)
            for row, run_id in enumerate(cases.run_ids):
                case = cases.case(run_id, pool.query_id)
                if case is not None:
                    found = case.strict.credits
                    of_query[row] = [found.get(nug.nug_id, np.nan) for nug in pool.standing]
                    lengths[row, column] = case.length
            credits.append(of_query)
        raters = {rater for pool in pools for rater in ballots(pool.standing, pool.votes)}
        in_order = sorted(raters, key=lambda rater: (rater[0], rater[1] or ""))
        return cls(measure, pools, tuple(in_order), tuple(credits), lengths)

    def by_panel(self, panel: Iterable[int]) -> Array:
        """Scores (runs, queries) from the votes of these raters alone; a query none of them voted on is undefined."""
        chosen = [int(at) for at in panel]
        if isinstance(self.measure, MacroF):
            of_rater = self.by_rater[..., chosen]
            defined = ~np.isnan(of_rater)
            sums, voters = np.where(defined, of_rater, 0.0).sum(axis=-1), defined.sum(axis=-1)
            return self.measure.values(np.stack([sums, voters], axis=-1))
        raters = {self.raters[at] for at in chosen}
        weights = [pyramid_weights(_of_panel(pool, raters)).weights for pool in self.pools]
        return np.stack([self._scores(column, found) for column, found in enumerate(weights)], axis=1)

    @cached_property
    def by_rater(self) -> Array:
        """The F-score by each rater's own votes (runs, queries, raters); NaN where a rater gives no nug any weight."""
        votes = [ballots(pool.standing, pool.votes) for pool in self.pools]
        by_query = [
            np.stack([self._scores(column, of_query.get(rater, {})) for rater in self.raters], axis=-1)
            for column, of_query in enumerate(votes)
        ]
        return np.stack(by_query, axis=1)

    def _scores(self, column: int, weights: Mapping[str, float]) -> Array:
        """The scores of all runs for one query by these weights, as NuggetF counts them."""
        credits = self.credits[column]
        judged = ~np.isnan(credits)
        credited = np.where(judged, credits, 0.0)
        weight = np.array([weights.get(nug.nug_id, 0.0) for nug in self.pools[column].standing])
        counts = (credited @ weight, judged @ weight, credited.sum(axis=1), self.lengths[:, column])
        part = self.measure if isinstance(self.measure, NuggetF) else NuggetF(beta=self.measure.beta)
        return np.where(np.isnan(self.lengths[:, column]), np.nan, part.values(np.stack(counts, axis=-1)))


def _of_panel(pool: Pool, panel: set[Rater]) -> Pool:
    """The pool with the votes of a panel alone. Weights of the key do not stand in for votes that were taken away."""
    if not pool.votes:
        return pool
    votes = {
        nug_id: [vote for vote in cast if (vote.assessor, vote.occasion) in panel]
        for nug_id, cast in pool.votes.items()
    }
    return replace(pool, votes=votes, nugs=[msgspec.structs.replace(nug, weight=None) for nug in pool.nugs])


def hangs_on_votes(measure: Measure | None) -> bool:
    """Whether the votes of assessors make a difference to a measure."""
    return isinstance(measure, MacroF) or (
        isinstance(measure, NuggetF) and measure.weighing == "pyramid" and measure.part != "precision"
    )
