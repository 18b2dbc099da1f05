"""Scores of runs that are updated whenever a judgement changes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.evaluate.review.order import Pair, pair_of
from karat.evaluate.score.errors.drawn_blocks import KeptCounts
from karat.evaluate.score.score import score_tabulated
from karat.evaluate.tables.score_table import tabulate
from karat.evaluate.tables.tabulating import Tabulated
from karat.judges.human.known_judgements import alike, whole_text
from karat.judges.human.labels import KNOWN
from karat.judges.judge import Judging
from karat.measures.cases.cases import Cases, Cell
from karat.measures.cases.rules import ALL_JUDGES, Missing
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement, Nug, Response, Score

MOST_KEPT = 1 << 28
"""The largest size in bytes of the draws that are kept."""


class LiveScores:
    """A key, responses and their judgements, with the runs' scores.

    After an answer, only the runs it concerns are scored again, and only its query is drawn again.
    """

    def __init__(self, collection: Collection, judging: Judging, *, missing: Missing = "skip", seed: int = 0) -> None:
        self.nugs = {(nug.query_id, nug.nug_id): nug for nug in collection.nugs}
        self.judgements = {pair_of(judgement): judgement for judgement in judging.judgements}
        self.responses = {(response.query_id, response.run_id): response for response in collection.responses}
        self._judge = next((judgement.judge for judgement in self.judgements.values()), "known")
        self._rest = [record for record in collection if not isinstance(record, Judgement | Nug | Response)]
        self._judging, self._missing, self._seed = judging, missing, seed
        self._twins: dict[tuple[str, str], list[str]] = {}
        for response in collection.responses:
            self._twins.setdefault(_text(response), []).append(response.run_id)
        self._pairs: dict[Cell, dict[Pair, None]] = {}
        for pair in self.judgements:
            self._pairs.setdefault((pair.query_id, pair.run_id), {})[pair] = None
        self._scores: dict[tuple[str, str], Score | None] = {}
        self._cases: dict[str, Cases] = {}
        self._drawn: KeptCounts = {}

    def records(self, run_id: str | None = None) -> Collection:
        """All records, or those that belong to one run or to no run."""
        everything = [*self._rest, *self.nugs.values(), *self.responses.values(), *self.judgements.values()]
        return Collection(
            record for record in everything if run_id is None or getattr(record, "run_id", run_id) == run_id
        )

    def score(self, run_id: str, measure: str) -> Score | None:
        """The run's score over all queries, with the judgements as they are now; None where it has none."""
        if (run_id, measure) not in self._scores:
            if run_id not in self._cases:
                self._cases[run_id] = Cases(self.records(run_id), missing=self._missing, judge=ALL_JUDGES)
            cases = self._cases[run_id]
            tables = Tabulated(tuple(tabulate(cases, parsed) for parsed in parse_measures(measure)), cases, ())
            scoring = score_tabulated(
                tables, sigma=self._judging.sigma, run_sigma=self._judging.run_sigma, common=self._judging.common,
                seed=self._seed, kept=self._drawn,
            )  # fmt: skip
            self._scores[run_id, measure] = next(iter(scoring.of_all()), None)
            self._keep_within(run_id)
        return self._scores[run_id, measure]

    def _keep_within(self, run_id: str) -> None:
        """If the draws take too much memory, keep only those of this run."""
        if sum(drawn.counts.nbytes for drawn in self._drawn.values()) > MOST_KEPT:
            self._drawn = {key: drawn for key, drawn in self._drawn.items() if key[1] == run_id}

    def know(self, judgement: Judgement) -> dict[Pair, Judgement | None]:
        """Use a person's answer for the same text in every run, as a judge does; returns the replaced judgements.

        Judgements by people stay as they are. The answer gets the program's name, like every reused judgement.
        """
        known = msgspec.structs.replace(judgement, judge=self._judge, assessor=None, extra={KNOWN: True})
        before: dict[Pair, Judgement | None] = {}
        asked = pair_of(judgement)
        for run_id in self._twins[_text(self.responses[asked.query_id, asked.run_id])]:
            pair = Pair(asked.query_id, run_id, asked.nug_id)
            earlier = self.judgements.get(pair)
            if pair == asked or earlier is None or earlier.probabilities:
                before[pair] = earlier
                self._set(pair, msgspec.structs.replace(known, run_id=run_id))
        return before

    def restore(self, before: Mapping[Pair, Judgement | None]) -> None:
        """Undo `know`."""
        for pair, earlier in before.items():
            self._set(pair, earlier)

    def set_nug(self, nug: Nug) -> None:
        self.nugs[nug.query_id, nug.nug_id] = nug
        self._change_key(nug.query_id)

    def remove_nug(self, nug: Nug) -> None:
        del self.nugs[nug.query_id, nug.nug_id]
        self._change_key(nug.query_id)

    def _set(self, pair: Pair, judgement: Judgement | None) -> None:
        """Change or remove the judgement of a pair; only this query of the run's score is computed again."""
        cell = pair.query_id, pair.run_id
        pairs = self._pairs.setdefault(cell, {})
        if judgement is None:
            del self.judgements[pair], pairs[pair]
        else:
            self.judgements[pair] = judgement
            pairs[pair] = None
        self._scores = {key: score for key, score in self._scores.items() if key[0] != pair.run_id}
        self._drawn = {key: drawn for key, drawn in self._drawn.items() if key[1:] != (pair.run_id, pair.query_id)}
        if pair.run_id in self._cases:
            self._cases[pair.run_id].set_judgements(cell, [self.judgements[each] for each in pairs])

    def _change_key(self, query_id: str) -> None:
        """Every run is scored again for this query, because all runs share the key."""
        self._scores.clear()
        self._cases.clear()
        self._drawn = {key: drawn for key, drawn in self._drawn.items() if key[2] != query_id}


def _text(response: Response) -> tuple[str, str]:
    return response.query_id, alike(whole_text(response))
