"""What labels buy: how often runs are in people's order without labels, and with 60 or 120 by `karat review`.

KARAT_DATA=... python benchmarks/honesty/labelling.py [--judge lexical] [--weights FILE] [--cache FOLDER] [--count N]
    [--set NAME ...] [--queries 5 15]

Test collections with their texts, drawn as in `unlabelled.py`, are judged as `karat score --judge` judges them, by the
prior of the other kinds of set. Then the first 60 (120) questions of `karat review` are answered with people's labels,
and the collection is judged again; `random` are as many pairs drawn at random.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

import karat.judges.calibration.priors as priors
import karat.judges.calibration.uncertainty as uncertainty
from between_sets import SetPrior, fit_prior, without
from karat.evaluate.review.order import effects_of, in_order, pair_of
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.tables.tabulating import tabulated
from karat.judges.base import Judge
from karat.judges.calibration.logistic import LogisticCurve
from karat.judges.judge import Judging, judge_collection
from karat.judges.pairs import Floats
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement, Nug, Query, Response
from set_scores import ScoredSet, tasks_of_set, using_weights
from unlabelled import drawn_collections, load_sets, peoples_values

LABELS = (0, 60, 120)
CLEAR = 0.1
"""A difference that people would call clear."""


@dataclass(frozen=True)
class Texts:
    """What the codes of a `ScoredSet` stand for."""

    nugs: dict[int, Nug]
    responses: dict[int, Response]
    questions: dict[int, str]


def texts_of(data: Path, name: str) -> Texts:
    """The codes are given in the same order as by `scored_set`."""
    codes: tuple[dict[object, int], dict[object, int]] = ({}, {})
    queries, nugs = codes
    texts = Texts({}, {}, {})
    for judged in tasks_of_set(data, name):
        task = judged.task
        query = queries.setdefault(task.query_id, len(queries))
        texts.questions[query] = task.question
        for nug in task.nugs:
            texts.nugs[nugs.setdefault((task.query_id, nug.descriptions[0]), len(nugs))] = nug
        for response in task.responses:
            texts.responses[len(texts.responses)] = response
    return texts


def with_texts(drawn: ScoredSet, texts: Texts) -> Collection:
    """The key and the runs of a test collection, without labels."""
    queries = {query: Query(query_id=f"q{query}", text=texts.questions[query]) for query in set(drawn.query.tolist())}
    nugs, responses = {}, {}
    for query, nug, response, run in zip(
        drawn.query.tolist(), drawn.nug.tolist(), drawn.response.tolist(), drawn.run.tolist(), strict=True
    ):
        known = texts.nugs[nug]
        nugs[nug] = Nug(
            query_id=f"q{query}", nug_id=f"n{nug}", descriptions=known.descriptions, importance=known.importance
        )
        responses[response] = Response(
            query_id=f"q{query}", run_id=f"r{run}", snippets=texts.responses[response].snippets
        )
    return Collection([*queries.values(), *nugs.values(), *responses.values()])


@contextmanager
def using_prior(judge: Judge, prior: SetPrior) -> Iterator[None]:
    """The prior of other sets instead of the one that comes with Karat."""
    full, partial = prior.curves.full, prior.curves.partial
    assert isinstance(full, LogisticCurve)
    assert isinstance(partial, LogisticCurve)
    own, freedom = priors.PRIORS, priors.BETWEEN_FREEDOM
    sigma = own[judge.name].sigma if judge.name in own else 1.3
    changed = MappingProxyType({**own, judge.name: priors.Prior(full, partial, sigma, prior.between)})
    for module in (priors, uncertainty):
        module.PRIORS, module.BETWEEN_FREEDOM = changed, prior.freedom  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in (priors, uncertainty):
            module.PRIORS, module.BETWEEN_FREEDOM = own, freedom  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Order:
    """Of one test collection and number of labels."""

    pairs: float
    """Pairs of runs in people's order, of those that differ by people."""
    clear: float
    """Of those that differ by at least .1."""
    best: float
    """Three runs: the best by the judge is the best by people."""
    whole: float
    """Three runs: all in people's order."""
    error: float
    """The mean distance of a run's score from people's."""
    held: float
    width: float


def order_of(collection: Collection, judging: Judging, drawn: ScoredSet) -> Order:
    """The judge's scores against people's."""
    vital = bool((drawn.vital == 1).any())
    others = (record for record in collection if not isinstance(record, Judgement))
    table = tabulated(
        Collection([*others, *judging.judgements]), measures=["strict_vital" if vital else "strict_all"],
        missing="skip", judge="all",
    )  # fmt: skip
    assert table.cases is not None
    error = judge_error(
        table.cases, table.tables, seed=0, sigma=judging.sigma, run_sigma=judging.run_sigma, common=judging.common
    )
    scores = error.tables[0]
    people = peoples_values(drawn, scores.run_ids, scores.query_ids, vital)
    rows = [row for row in range(len(scores.run_ids)) if scores.n(row) >= min(3, people.shape[1])]
    truth, value = np.nanmean(people[rows], axis=1), scores.totals()[rows]
    ends = [error.runs[0][row].of_slices["all"] for row in rows]
    held = [end is not None and end.low <= at <= end.high for end, at in zip(ends, truth.tolist(), strict=True)]
    width = float(np.mean([end.high - end.low for end in ends if end]))
    first, second = np.triu_indices(len(rows), 1)
    right = (truth[first] - truth[second]) * (value[first] - value[second]) > 0
    apart, clear = np.abs(truth[first] - truth[second]) > 1e-9, np.abs(truth[first] - truth[second]) >= CLEAR
    triples = [list(three) for three in itertools.combinations(range(len(rows)), 3)]
    # Where people call two runs equal there is no order to find.
    triples = [three for three in triples if len(np.unique(truth[three])) == 3]
    best = [np.argmax(truth[three]) == np.argmax(value[three]) for three in triples]
    whole = [bool((np.argsort(truth[three]) == np.argsort(value[three])).all()) for three in triples]
    return Order(
        _mean(right[apart]), _mean(right[clear]), _mean(best), _mean(whole), float(np.abs(value - truth).mean()),
        float(np.mean(held)), width,
    )  # fmt: skip


def _mean(values: Sequence[bool] | Floats) -> float:
    return float(np.mean(values)) if len(values) else np.nan


def answers(
    collection: Collection, judging: Judging, drawn: ScoredSet, count: int, *, at_random: int | None = None
) -> list[Judgement]:
    """People's labels of the first questions of a review, or of pairs drawn at random."""
    degree = {
        (f"q{query}", f"r{run}", f"n{nug}"): value
        for query, run, nug, value in zip(
            drawn.query.tolist(), drawn.run.tolist(), drawn.nug.tolist(), drawn.degrees.tolist(), strict=True
        )
    }
    if at_random is not None:
        asked = list(degree)
        asked = [asked[at] for at in np.random.default_rng(at_random).permutation(len(asked))[:count]]
    else:
        others = (record for record in collection if not isinstance(record, Judgement))
        cases = Cases(Collection([*others, *judging.judgements]), missing="skip", judge="all")
        measure = parse_measures("strict_vital" if bool((drawn.vital == 1).any()) else "strict_all")[0]
        ordered = in_order(judging.judgements, effects_of(cases, measure))
        asked = [(pair.query_id, pair.run_id, pair.nug_id) for pair in ordered]
        # Where people gave no label, they skip the question.
        asked = [pair for pair in asked if pair in degree][:count]
    return [
        Judgement(query_id=query, run_id=run, nug_id=nug, degree=degree[query, run, nug], judge="person")
        for query, run, nug in asked
    ]


def judged(collection: Collection, judge: str, labels: Sequence[Judgement], drawn: ScoredSet) -> Judging:
    """Only pairs that people labelled count, on both sides."""
    known = {
        (f"q{query}", f"r{run}", f"n{nug}")
        for query, run, nug in zip(drawn.query.tolist(), drawn.run.tolist(), drawn.nug.tolist(), strict=True)
    }
    judging = judge_collection(Collection([*collection, *labels]), judge=judge)
    kept = tuple(
        each
        for each in judging.judgements
        if (pair := pair_of(each)) and (pair.query_id, pair.run_id, pair.nug_id) in known
    )
    return Judging(kept, judging.notes, judging.sigma, judging.run_sigma, judging.signature, judging.common)


def orders(
    data: Path, sets: dict[str, ScoredSet], name: str, queries: int, count: int, *, judge: str, weights: object | None
) -> dict[str, list[Order]]:
    """By the number of labels."""
    program, texts = parse_judge(judge), texts_of(data, name)
    found: dict[str, list[Order]] = {}
    with using_weights(program, weights), using_prior(program, fit_prior(without(sets, name))):
        for seed, drawn in enumerate(drawn_collections(sets[name], name, queries, count)):
            collection = with_texts(drawn, texts)
            alone = judged(collection, judge, (), drawn)
            found.setdefault("0", []).append(order_of(collection, alone, drawn))
            for number in LABELS[1:]:
                for way, chosen in (("", None), (" random", seed)):
                    labels = answers(collection, alone, drawn, number, at_random=chosen)
                    again = judged(collection, judge, labels, drawn)
                    found.setdefault(f"{number}{way}", []).append(order_of(collection, again, drawn))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="lexical")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--queries", type=int, nargs="+", default=[5, 15])
    parser.add_argument(
        "--set", action="append",
        default=None, help="default: all sets with several runs",
    )  # fmt: skip
    given = parser.parse_args()
    weights = {} if given.weights is None else json.loads(given.weights.read_text())
    sets = load_sets(given.judge, given.weights, given.cache)
    names = given.set or [name for name in sets if name != "wice"]
    print(
        "| queries | labels | set | pairs in order | clear pairs | best of 3 | order of 3 | score off by | in {judge} "
        "| width |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for queries in given.queries:
        every: dict[str, list[list[float]]] = {}
        for name in names:
            found = orders(
                Path(os.environ["KARAT_DATA"]), sets, name, queries, given.count, judge=given.judge,
                weights=weights.get(name),
            )  # fmt: skip
            for labels, rows in found.items():
                row = [
                    float(np.nanmean([getattr(each, field) for each in rows])) for field in Order.__dataclass_fields__
                ]
                every.setdefault(labels, []).append(row)
                print(f"| {queries} | {labels} | {name} | {' | '.join(f'{value:.3f}' for value in row)} |", flush=True)
        for labels, table in every.items():
            cells = " | ".join(f"{value:.3f}" for value in np.nanmean(table, axis=0))
            print(f"| {queries} | {labels} | mean over sets | {cells} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
