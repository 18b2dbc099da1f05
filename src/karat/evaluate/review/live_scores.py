"""Judgements that change one by one, and the scores of runs that follow them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.evaluate.review.order import Pair, pair_of
from karat.evaluate.score.judge_error import KeptCounts
from karat.evaluate.score.score import score_tabulated
from karat.evaluate.tables.score_table import tabulate
from karat.evaluate.tables.tabulating import Tabulated
from karat.judges.human.known import alike, whole_text
from karat.judges.human.labels import KNOWN
from karat.judges.judge import Judging
from karat.measures.cases.cases import Cases, Cell
from karat.measures.cases.rules import ALL_JUDGES, Missing
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement, Nug, Response, Score

MOST_KEPT = 1 << 28
"""Bytes of what was drawn."""


class LiveScores:
    """A key, responses and what is said of them.

    Only the runs that an answer touches are scored again, and of these only the query that it is of is drawn again.
    """

    def __init__(self, collection: Collection, judging: Judging, *, missing: Missing = "skip", seed: int = 0) -> None:
        self.nugs = {(one.query_id, one.nug_id): one for one in collection.nugs}
        self.judgements = {pair_of(one): one for one in judging.judgements}
        self.responses = {(one.query_id, one.run_id): one for one in collection.responses}
        self._judge = next((one.judge for one in self.judgements.values()), "known")
        self._rest = [one for one in collection if not isinstance(one, Judgement | Nug | Response)]
        self._judging, self._missing, self._seed = judging, missing, seed
        self._twins: dict[tuple[str, str], list[str]] = {}
        for one in collection.responses:
            self._twins.setdefault(_text(one), []).append(one.run_id)
        self._pairs: dict[Cell, dict[Pair, None]] = {}
        for pair in self.judgements:
            self._pairs.setdefault((pair.query_id, pair.run_id), {})[pair] = None
        self._scores: dict[tuple[str, str], Score | None] = {}
        self._cases: dict[str, Cases] = {}
        self._drawn: KeptCounts = {}

    def records(self, run_id: str | None = None) -> Collection:
        """Everything, or all that is of one run or of none."""
        everything = [*self._rest, *self.nugs.values(), *self.responses.values(), *self.judgements.values()]
        return Collection(one for one in everything if run_id is None or getattr(one, "run_id", run_id) == run_id)

    def score(self, run_id: str, measure: str) -> Score | None:
        """The run's score over all queries, as the judgements now are; None where it has none."""
        if (run_id, measure) not in self._scores:
            if run_id not in self._cases:
                self._cases[run_id] = Cases(self.records(run_id), missing=self._missing, judge=ALL_JUDGES)
            cases = self._cases[run_id]
            found = Tabulated(tuple(tabulate(cases, one) for one in parse_measures(measure)), cases, ())
            scoring = score_tabulated(
                found, sigma=self._judging.sigma, run_sigma=self._judging.run_sigma, seed=self._seed, kept=self._drawn
            )
            self._scores[run_id, measure] = next(iter(scoring.of_all()), None)
            self._keep_within(run_id)
        return self._scores[run_id, measure]

    def _keep_within(self, run_id: str) -> None:
        """Of too much that was drawn only what is of this run is kept."""
        if sum(one.counts.nbytes for one in self._drawn.values()) > MOST_KEPT:
            self._drawn = {key: found for key, found in self._drawn.items() if key[1] == run_id}

    def know(self, judgement: Judgement) -> dict[Pair, Judgement | None]:
        """A person's answer holds for the same text in every run, as a judge would reuse it; returns what it replaced.

        What is known of a text already stays as it is. It bears the program's name as all that is taken over does.
        """
        known = msgspec.structs.replace(judgement, judge=self._judge, assessor=None, extra={KNOWN: True})
        before: dict[Pair, Judgement | None] = {}
        asked = pair_of(judgement)
        for run_id in self._twins[_text(self.responses[asked.query_id, asked.run_id])]:
            pair = Pair(asked.query_id, run_id, asked.nug_id)
            was = self.judgements.get(pair)
            if pair == asked or was is None or was.probabilities:
                before[pair] = was
                self._set(pair, msgspec.structs.replace(known, run_id=run_id))
        return before

    def restore(self, before: Mapping[Pair, Judgement | None]) -> None:
        """Undo `know`."""
        for pair, was in before.items():
            self._set(pair, was)

    def set_nug(self, nug: Nug) -> None:
        self.nugs[nug.query_id, nug.nug_id] = nug
        self._change_key(nug.query_id)

    def remove_nug(self, nug: Nug) -> None:
        del self.nugs[nug.query_id, nug.nug_id]
        self._change_key(nug.query_id)

    def _set(self, pair: Pair, judgement: Judgement | None) -> None:
        """Judge a pair otherwise, or not at all: of the run's score, only what is of the query is made anew."""
        cell = pair.query_id, pair.run_id
        own = self._pairs.setdefault(cell, {})
        if judgement is None:
            del self.judgements[pair], own[pair]
        else:
            self.judgements[pair] = judgement
            own[pair] = None
        self._scores = {key: score for key, score in self._scores.items() if key[0] != pair.run_id}
        self._drawn = {key: found for key, found in self._drawn.items() if key[1:] != (pair.run_id, pair.query_id)}
        if pair.run_id in self._cases:
            self._cases[pair.run_id].set_judgements(cell, [self.judgements[one] for one in own])

    def _change_key(self, query_id: str) -> None:
        """The key is every run's."""
        self._scores.clear()
        self._cases.clear()
        self._drawn = {key: found for key, found in self._drawn.items() if key[2] != query_id}


def _text(response: Response) -> tuple[str, str]:
    return response.query_id, alike(whole_text(response))
