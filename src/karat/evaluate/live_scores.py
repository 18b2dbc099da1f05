"""Judgements that change one by one, and the scores of runs that follow them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.evaluate.judging import Judging
from karat.evaluate.pairs import KNOWN
from karat.evaluate.review_order import Pair, pair_of
from karat.evaluate.rules import ALL_JUDGES, Missing
from karat.evaluate.scoring import score_collection
from karat.judge.known import alike, whole_text
from karat.model import Collection, Judgement, Nug, Response, Score


class LiveScores:
    """A key, responses and what is said of them; only the runs that an answer touches are scored again."""

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
        self._scores: dict[tuple[str, str], Score | None] = {}

    def records(self, run_id: str | None = None) -> Collection:
        """Everything, or all that is of one run or of none."""
        everything = [*self._rest, *self.nugs.values(), *self.responses.values(), *self.judgements.values()]
        return Collection(one for one in everything if run_id is None or getattr(one, "run_id", run_id) == run_id)

    def score(self, run_id: str, measure: str) -> Score | None:
        """The run's score over all queries, as the judgements now are; None where it has none."""
        if (run_id, measure) not in self._scores:
            scoring = score_collection(
                self.records(run_id), measures=measure, sigma=self._judging.sigma, run_sigma=self._judging.run_sigma,
                seed=self._seed, missing=self._missing, judge=ALL_JUDGES,
            )  # fmt: skip
            self._scores[run_id, measure] = next(iter(scoring.of_all()), None)
        return self._scores[run_id, measure]

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
                self.judgements[pair] = msgspec.structs.replace(known, run_id=run_id)
        self._forget(pair.run_id for pair in before)
        return before

    def restore(self, before: Mapping[Pair, Judgement | None]) -> None:
        """Undo `know`."""
        for pair, was in before.items():
            if was is None:
                del self.judgements[pair]
            else:
                self.judgements[pair] = was
        self._forget(pair.run_id for pair in before)

    def set_nug(self, nug: Nug) -> None:
        self.nugs[nug.query_id, nug.nug_id] = nug
        # The key is every run's.
        self._scores.clear()

    def remove_nug(self, nug: Nug) -> None:
        del self.nugs[nug.query_id, nug.nug_id]
        self._scores.clear()

    def _forget(self, run_ids: Iterable[str]) -> None:
        gone = set(run_ids)
        self._scores = {key: score for key, score in self._scores.items() if key[0] not in gone}


def _text(response: Response) -> tuple[str, str]:
    return response.query_id, alike(whole_text(response))
