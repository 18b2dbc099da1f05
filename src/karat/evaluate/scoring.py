"""Scores of runs from a key and the judgements of their responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from karat import __version__
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.measure.credits import nug_credits
from karat.measure.rag import RAG_MEASURES, RagMeasure
from karat.model import Collection, Judgement, Score, Signature, UsageError
from karat.model.identity import identity
from karat.stats.bootstrap import mean_interval

Missing = Literal["error", "zero", "skip"]
ALL_QUERIES = "all"


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """Scores by query and over all queries, and what could not be counted."""

    scores: tuple[Score, ...]
    notes: tuple[str, ...]
    """What was undefined, missing, failed or left out, in words."""

    def of_all(self) -> list[Score]:
        """The scores over all queries."""
        return [score for score in self.scores if score.query_id == ALL_QUERIES]

    def by_query(self) -> list[Score]:
        return [score for score in self.scores if score.query_id != ALL_QUERIES]


def score(
    *inputs: Input,
    measures: str | Sequence[str] = tuple(RAG_MEASURES),
    missing: Missing = "error",
    on_error: OnError = "stop",
    seed: int = 0,
) -> Scoring:
    """Score every run of the inputs: a key with judgements, as paths, records or dicts.

    missing: a query of the key that a run does not answer is an error, counts as zero, or is left out.
    """
    return score_collection(load(*inputs, on_error=on_error), measures=measures, missing=missing, seed=seed)


def score_collection(
    collection: Collection,
    *,
    measures: str | Sequence[str] = tuple(RAG_MEASURES),
    missing: Missing = "error",
    seed: int = 0,
) -> Scoring:
    """Score every run of a collection."""
    if missing not in get_args(Missing):
        raise UsageError(f"missing={missing!r} is not one of {', '.join(get_args(Missing))}")
    return _Scorer(collection, measures_called(measures), missing, seed).run()


def measures_called(names: str | Sequence[str]) -> list[RagMeasure]:
    """The measures of these names (one name alone will do); those that are none are told all at once."""
    if isinstance(names, str):
        names = [names]
    unknown = [name for name in names if name not in RAG_MEASURES]
    if unknown:
        raise UsageError(
            f"no measure is called {' or '.join(map(repr, unknown))}; choose from {', '.join(RAG_MEASURES)}"
        )
    return [RAG_MEASURES[name] for name in names]


class _Scorer:
    def __init__(self, collection: Collection, measures: list[RagMeasure], missing: Missing, seed: int) -> None:
        self.key = collection.key
        self.measures = measures
        self.missing = missing
        self.seed = seed
        self.judged: dict[tuple[str, str], list[Judgement]] = {}
        self.notes: list[str] = []
        seen: set[tuple[str | None, ...]] = set()
        whole: set[str] = set()
        for judgement in collection.judgements:
            if (key := identity(judgement)) in seen:
                continue
            seen.add(key)
            self.judged.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
            if judgement.snippet_id is None:
                whole.add(judgement.run_id)
        if repeats := len(collection.judgements) - len(seen):
            self.notes.append(f"{_number(repeats, 'repeated judgement')} left out: the first counts (see `karat lint`)")
        # Of these runs only finds were marked: a response without a mark was judged, and holds nothing.
        self.only_finds = {run_id for _, run_id in self.judged} - whole
        self.silent: dict[tuple[str, str], bool] = {
            (response.query_id, response.run_id): not any(snippet.text.strip() for snippet in response.snippets)
            for response in collection.responses
        }
        ids = [run.run_id for run in collection.runs]
        ids += [run_id for _, run_id in (*self.silent, *self.judged)]
        self.run_ids = list(dict.fromkeys(ids))
        if ALL_QUERIES in self.key.nugs:
            raise UsageError(f"a query is called {ALL_QUERIES!r}, which is the name of the mean; give it another id")
        if not self.key.nugs:
            raise UsageError("there is no key: give a file with nugs (see `karat show FILE`)")
        if not self.judged:
            raise UsageError("there are no judgements: give a file that says which nugs each response contains")

    def run(self) -> Scoring:
        for query_id in dict.fromkeys(query_id for query_id, _ in (*self.silent, *self.judged)):
            if query_id not in self.key.nugs:
                self.notes.append(f"query {query_id}: not in the key, left out")
        absent = [(run_id, query_id) for run_id in self.run_ids for query_id in self.key.nugs
                  if (query_id, run_id) not in self.silent and (query_id, run_id) not in self.judged]  # fmt: skip
        if absent and self.missing == "error":
            run_id, query_id = absent[0]
            more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
            raise UsageError(
                f"run {run_id} has no response to query {query_id}{more}; "
                "count missing responses as zero or leave them out with --missing zero|skip"
            )
        if absent:
            done = "counted as zero" if self.missing == "zero" else "left out"
            self.notes.append(f"{_number(len(absent), 'missing response')}, {done}")
        scores = [score for run_id in self.run_ids for score in self._score_run(run_id)]
        return Scoring(scores=tuple(scores), notes=tuple(self.notes))

    def _score_run(self, run_id: str) -> list[Score]:
        scores: list[Score] = []
        trouble: dict[str, tuple[int, int]] = {}
        for measure in self.measures:
            values: list[float] = []
            undefined = 0
            signature = self._signature(measure)
            for query_id in self.key.nugs:
                if (
                    self.missing == "skip"
                    and (query_id, run_id) not in self.silent
                    and (query_id, run_id) not in self.judged
                ):
                    continue
                value, flagged = self._score_response(measure, query_id, run_id)
                trouble[query_id] = flagged
                if value is None:
                    undefined += 1
                else:
                    values.append(value)
                scores.append(
                    Score(
                        run_id=run_id, query_id=query_id, measure=str(measure), value=value,
                        n=int(value is not None), undefined=int(value is None), signature=signature,
                    )
                )  # fmt: skip
            interval = mean_interval(values, seed=self.seed)
            scores.append(
                Score(
                    run_id=run_id,
                    query_id=ALL_QUERIES,
                    measure=str(measure),
                    value=sum(values) / len(values) if values else None,
                    low=interval.low if interval else None,
                    high=interval.high if interval else None,
                    n=len(values),
                    undefined=undefined,
                    signature=signature,
                )
            )
            if undefined:
                reason = "no vital nug was judged" if measure.vital else "no nug was judged"
                where = f"{_number(undefined, 'query')} ({reason})"
                self.notes.append(f"run {run_id}: {measure} is undefined for {where}, left out of the mean")
        for query_id, (failed, unjudged) in trouble.items():
            if failed:
                self.notes.append(
                    f"run {run_id}, query {query_id}: {_number(failed, 'failed judgement')}, scored on the rest"
                )
            if unjudged:
                self.notes.append(
                    f"run {run_id}, query {query_id}: {_number(unjudged, 'nug')} not judged, scored on the rest"
                )
        return scores

    def _score_response(self, measure: RagMeasure, query_id: str, run_id: str) -> tuple[float | None, tuple[int, int]]:
        nugs = self.key.of(query_id)
        judgements = self.judged.get((query_id, run_id), [])
        silent = self.silent.get((query_id, run_id), self.missing == "zero")
        if not judgements and (silent or run_id in self.only_finds):
            # Silence is not undefined: an empty response contains nothing.
            return measure.count(nugs, {nug.nug_id: 0.0 for nug in nugs if nug.parent is None}).value, (0, 0)
        found = nug_credits(nugs, judgements, measure.credit)
        return measure.count(nugs, found.credits).value, (found.failed, found.unjudged)

    def _signature(self, measure: RagMeasure) -> str:
        judges = sorted({judgement.judge for judged in self.judged.values() for judgement in judged})
        settings = {
            "judge": "+".join(judges),
            "missing": self.missing,
            "ci": "bootstrap-percentile",
            "b": "2000",
            "seed": str(self.seed),
            "v": __version__,
        }
        return str(Signature(str(measure), settings))


def _number(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"
