"""Pairs of a snippet and a nug, with judged texts of other snippets to learn from.

A snippet is judged where people judged snippets of its response. It does not contain a nug that nobody marked in it,
unless another snippet of the response was marked with it: assessors of answers mark the best one alone (Marton & Radul
2006, footnote 2), those of a pool mark all.

What is hidden from a snippet: the snippets of its fold, which are those of a tenth of the query's documents, its own
among them, and every copy of one of the fold's texts (the same words), whichever document has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.engine.mapping import Track
from karat.evaluate.validate.figures import Told
from karat.judges.base import Judge, Task
from karat.judges.calibration.cross_validated import best_threshold
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.human.examples import TextBook, has_degree
from karat.judges.pairs import Floats, Pairs, pairs_of, tasks_of
from karat.measures.base import ratio
from karat.model import Collection, Judgement, Nug, Response, Snippet, UsageError
from karat.model.default_names import POOL
from karat.text.idf import TextPool


def told_of_snippets(pairs: Pairs) -> Told:
    """What people and the judge say; the threshold of best kappa and the curve of a query come from the others."""
    known = ~np.isnan(pairs.degrees)
    scores, contained, question = pairs.scores[known], pairs.degrees[known] >= 1, pairs.question[known]
    decisions, probabilities = np.zeros(len(scores)), np.zeros(len(scores))
    for query in np.unique(question):
        own, others = question == query, question != query
        taught = Labelled(scores[others], contained[others].astype(float), question[others], question[others])
        probabilities[own] = fit_logistic(taught).probabilities(scores[own])[:, 2]
        threshold = best_threshold(scores[others], contained[others]).threshold
        decisions[own] = np.nan if np.isnan(threshold) else scores[own] >= threshold
    nobody = np.full((1, len(pairs.queries)), np.nan)
    return Told(
        labels=contained.astype(float),
        scores=scores,
        decisions=decisions,
        probabilities=probabilities,
        question=question,
        official=nobody,
        expected=nobody,
    )


@dataclass(frozen=True)
class _Counts:
    """What figures are made of, by query: they add up."""

    positive: NDArray[np.float32]
    """Contained pairs of each score, in order (queries x scores)."""
    negative: NDArray[np.float32]
    cells: Floats
    """True and false positives, false and true negatives of the decisions."""
    squares: Floats
    pairs: Floats


def draw_snippet_figures(told: Told, *, draws: int, seed: int) -> dict[str, list[float]]:
    """The figures of queries drawn with replacement."""
    queries = np.unique(told.question)
    found: dict[str, list[float]] = {}
    if len(queries) < 2:
        return found
    counts = _counted(told, queries)
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        times = np.bincount(rng.integers(len(queries), size=len(queries)), minlength=len(queries)).astype(float)
        for name, value in _figures(counts, times).items():
            found.setdefault(name, []).append(value)
    return found


def _counted(told: Told, queries: NDArray[np.int64]) -> _Counts:
    scores, code = np.unique(told.scores, return_inverse=True)
    positive, negative = (np.zeros((len(queries), len(scores)), np.float32) for _ in range(2))
    cells = np.zeros((len(queries), 4))
    squares, pairs = np.zeros(len(queries)), np.zeros(len(queries))
    for row, query in enumerate(queries):
        own = told.question == query
        labels, decisions = told.labels[own] == 1, told.decisions[own]
        positive[row] = np.bincount(code[own], labels, minlength=len(scores))
        negative[row] = np.bincount(code[own], ~labels, minlength=len(scores))
        yes, no = decisions == 1, decisions == 0
        cells[row] = [(yes & labels).sum(), (yes & ~labels).sum(), (no & labels).sum(), (no & ~labels).sum()]
        squares[row] = ((told.probabilities[own] - labels) ** 2).sum()
        pairs[row] = own.sum()
    return _Counts(positive, negative, cells, squares, pairs)


def _figures(counts: _Counts, times: Floats) -> dict[str, float]:
    """The figures when each query counts so many times."""
    weight = times.astype(np.float32)
    positive, negative = (weight @ counts.positive).astype(float), (weight @ counts.negative).astype(float)
    below = np.cumsum(negative) - negative / 2
    hit, false, missed, rest = times @ counts.cells
    total = hit + false + missed + rest
    agree = _ratio(hit + rest, total)
    chance = _ratio((hit + false) * (hit + missed) + (missed + rest) * (false + rest), total**2)
    return {
        "auc": _ratio(float(positive @ below), positive.sum() * negative.sum()),
        "precision": _ratio(hit, hit + false),
        "recall": _ratio(hit, hit + missed),
        "f1": _ratio(2 * hit, 2 * hit + false + missed),
        "kappa": _ratio(agree - chance, 1 - chance),
        "brier": _ratio(float(times @ counts.squares), float(times @ counts.pairs)),
    }


def _ratio(part: float, whole: float) -> float:
    return float(ratio(np.array([part]), np.array([whole]))[0])


FOLDS = 10
Marks = Mapping[str, Sequence[Judgement]]
"""The judgements of a response's snippets by snippet_id."""


@dataclass(frozen=True)
class SnippetTask:
    """A task whose responses are one snippet each, and what people say (snippets x nugs; NaN: nothing)."""

    task: Task
    degrees: Floats


def snippet_pairs(
    collection: Collection, scorer: Judge, *, folds: int | None = None, seed: int = 0, track: Track | None = None,
    jobs: int = 1,
) -> Pairs:  # fmt: skip
    """All pairs of a judged snippet and a nug of its query; each snippet is a response of its own."""
    found = snippet_tasks(collection, folds=folds, seed=seed)
    pairs = pairs_of([one.task for one in found], scorer, track=track, jobs=jobs)
    return replace(pairs, degrees=np.concatenate([one.degrees.ravel() for one in found]))


def snippet_tasks(collection: Collection, *, folds: int | None = None, seed: int = 0) -> list[SnippetTask]:
    """A task a query that has judged snippets; rarity of words is learned from all snippets."""
    marks: dict[tuple[str, str], dict[str, list[Judgement]]] = {}
    for one in collection.judgements:
        if has_degree(one) and one.snippet_id is not None:
            marks.setdefault((one.query_id, one.run_id), {}).setdefault(one.snippet_id, []).append(one)
    rng = np.random.default_rng(seed)
    pool = TextPool([snippet.text for one in collection.responses for snippet in one.snippets])
    found = [_labelled(replace(task, pool=pool), marks, folds or FOLDS, rng) for task in tasks_of(collection)]
    found = [one for one in found if one.task.responses]
    if not found:
        raise UsageError("no judgement is of a snippet whose text is there: choose --cv query|run|group")
    return found


def _labelled(task: Task, marks: Mapping[tuple[str, str], Marks], folds: int, rng: np.random.Generator) -> SnippetTask:
    judged = [one for one in task.responses if (one.query_id, one.run_id) in marks]
    documents = dict.fromkeys(_document(snippet) for one in judged for snippet in one.snippets)
    fold = dict(zip(documents, (rng.permutation(len(documents)) % folds).tolist(), strict=True))
    book, groups, alone = TextBook(), [], []
    degrees = [np.zeros((0, len(task.nugs)))]
    for response in judged:
        own = marks[response.query_id, response.run_id]
        degrees.append(_degrees(response, own, task.nugs))
        for snippet in response.snippets:
            groups.append(fold[_document(snippet)])
            book.add(snippet.text, groups[-1], own.get(snippet.snippet_id, ()))
            name = f"{response.run_id} {snippet.snippet_id}"
            alone.append(Response(query_id=response.query_id, run_id=name, snippets=(snippet,)))
    known = replace(task, responses=alone, known=book.known(), groups=groups)
    return SnippetTask(known, np.concatenate(degrees))


def _degrees(response: Response, marks: Marks, nugs: Sequence[Nug]) -> Floats:
    """Snippets x nugs; NaN where nobody can tell."""
    column = {nug.nug_id: at for at, nug in enumerate(nugs)}
    found = np.full((len(response.snippets), len(nugs)), np.nan)
    for row, snippet in enumerate(response.snippets):
        for one in marks.get(snippet.snippet_id, ()):
            if one.nug_id in column:
                at = row, column[one.nug_id]
                found[at] = np.fmax(found[at], one.degree or 0.0)
    marked = (np.nan_to_num(found) > 0).any(axis=0)
    silent = np.isnan(found) & (True if response.run_id == POOL else ~marked)
    found[silent] = 0.0
    halves: Floats = np.round(2 * found) / 2
    return halves


def _document(snippet: Snippet) -> str:
    return snippet.citations[0].doc_id if snippet.citations else f"snippet {snippet.snippet_id}"
