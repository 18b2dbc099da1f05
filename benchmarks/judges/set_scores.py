"""Every labelled set that a prior is fitted on, as arrays: a judge's raw score and people's degree of each pair.

A judge that was learned from some of these sets must not be measured on them with the weights that it comes with.
`score_sets` takes other weights for each set, learned without it: a dict from the name of the set to weights in the
form of the judge's own file of weights (`left_out_weights.py` makes them for `lexical`).
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Judge
from karat.judges.human.known_judgements import whole_text
from karat.judges.registry import parse_judge
from lexical_made_sets import Judged, made
from lexical_sets import CHECKS, MADE, SETS, labelled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NAMES = (*SETS, *CHECKS)
"""The sets that priors are fitted on; trec-rag-2024, on which judges are measured, is none of them."""
TINY = 1e-6


@dataclass(frozen=True)
class ScoredSet:
    """The labelled pairs of a set; every vector has one entry per pair."""

    scores: Floats
    degrees: Floats
    query: Ints
    nug: Ints
    response: Ints
    run: Ints
    vital: Floats
    """1 for a vital nug, 0 for an okay one, 0.5 where the importance is unknown."""
    length: Ints
    """Characters of the response."""

    def only(self, which: NDArray[np.bool_] | Ints) -> ScoredSet:
        return ScoredSet(*(getattr(self, field.name)[which] for field in fields(self)))


def tasks_of_set(data: Path, name: str) -> Iterator[Judged]:
    return iter(made(data, name)) if name in MADE else labelled(data, name)


def run_of(name: str, run_id: str) -> str:
    """The system behind a run; in SummHay that is the language model, because its retrievers make 50 runs of two
    answers each."""
    return run_id.rsplit("_", 1)[-1] if name == "summhay" else run_id


def scored_set(data: Path, name: str, judge: Judge) -> ScoredSet:
    """One set, scored by a judge."""
    codes: list[dict[object, int]] = [{}, {}, {}, {}]
    queries, nugs, responses, runs = codes
    columns: list[tuple[Floats, ...]] = []
    for at, judged in enumerate(tasks_of_set(data, name)):
        task = judged.task
        scores, shape = judge.match(task).scores.astype(float), judged.degrees.shape
        # The runs of a query may stand in several files, which number its nugs anew.
        of_nugs = [nugs.setdefault((task.query_id, nug.descriptions[0]), len(nugs)) for nug in task.nugs]
        of_run = [runs.setdefault(run_of(name, each.run_id), len(runs)) for each in task.responses]
        of_response = [responses.setdefault((at, row), len(responses)) for row in range(shape[0])]
        vital = [{"vital": 1.0, "okay": 0.0}.get(nug.importance or "", 0.5) for nug in task.nugs]
        lengths = [len(whole_text(each)) for each in task.responses]
        known = ~np.isnan(judged.degrees)
        by_row = [np.broadcast_to(np.array(each)[:, None], shape) for each in (of_response, of_run)]
        by_column = [np.broadcast_to(np.array(each)[None], shape) for each in (of_nugs, vital)]
        query = np.full(shape, queries.setdefault(task.query_id, len(queries)))
        length = np.broadcast_to(np.array(lengths)[:, None], shape)
        all_columns = (scores, judged.degrees, query, by_column[0], *by_row, by_column[1], length)
        columns.append(tuple(np.asarray(column)[known] for column in all_columns))
    return ScoredSet(*(np.concatenate(column) for column in zip(*columns, strict=True)))


@contextmanager
def using_weights(judge: Judge, weights: object | None) -> Iterator[None]:
    """The judge with other weights than those that come with it; None: its own.

    Its module has a function `load_weights` that says in its annotation what it returns.
    """
    module = import_module(type(judge).__module__)
    own = getattr(module, "load_weights", None)
    if weights is None:
        yield
        return
    if own is None:
        raise SystemExit(f"{judge.name}: {module.__name__} has no load_weights, so it cannot have other weights")
    kind = typing.get_type_hints(own.__wrapped__ if hasattr(own, "__wrapped__") else own)["return"]
    given = msgspec.convert(weights, kind)
    module.load_weights = lambda: given  # type: ignore[attr-defined]
    try:
        yield
    finally:
        module.load_weights = own  # type: ignore[attr-defined]


def score_sets(
    data: Path,
    judge: str,
    *,
    names: tuple[str, ...] = NAMES,
    weights: Mapping[str, object] | None = None,
    cache: Path | None = None,
) -> dict[str, ScoredSet]:
    """All sets, scored by a judge. weights: by the name of the set. cache: a folder for what was scored before."""
    sets = {}
    for name in names:
        file = cache / f"{judge}-{name}{'-learned-without-it' if weights else ''}.npz" if cache else None
        if file is not None and file.exists():
            with np.load(file) as saved:
                sets[name] = ScoredSet(*(saved[field.name] for field in fields(ScoredSet)))
            continue
        program = parse_judge(judge)
        # A set from which nothing was learned has the judge's own weights.
        with using_weights(program, (weights or {}).get(name)):
            sets[name] = scored_set(data, name, program)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(file, **{field.name: getattr(sets[name], field.name) for field in fields(ScoredSet)})
    return sets
