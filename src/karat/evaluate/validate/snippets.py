"""Pairs of a snippet and a nug, with judged texts of other snippets to learn from.

A snippet is judged where people judged snippets of its response. It does not contain a nug that nobody marked in it,
unless another snippet of the response was marked with it: assessors of answers mark only the best one (Marton & Radul
2006, footnote 2), those of a pool mark all.

What is hidden from a snippet: the snippets of its fold, which are those of a tenth of the query's documents, its own
among them, and every copy of one of the fold's texts (the same words), whichever document has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karat.engines import Track
from karat.evaluate.validate.figures import JudgedPairs, compact
from karat.judges.base import Judge, Task
from karat.judges.calibration.best_threshold import best_threshold
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.human.examples import TextBook, has_degree
from karat.judges.pairs import Floats, Pairs, pairs_of, tasks_of
from karat.model import Collection, Judgement, Nug, Response, Snippet, UnfitInput
from karat.model.default_names import POOL
from karat.text.idf import TextPool


def judged_snippets(pairs: Pairs) -> JudgedPairs:
    """What people and the judge say; the threshold (best kappa) and the calibration of a query come from the others."""
    known = ~(np.isnan(pairs.degrees) | np.isnan(pairs.scores))
    scores, contained, query = pairs.scores[known], pairs.degrees[known] >= 1, compact(pairs.question[known])
    decisions, probabilities = np.zeros(len(scores)), np.zeros(len(scores))
    for number in range(int(query.max(initial=-1)) + 1):
        own, others = query == number, query != number
        taught = Labelled(scores[others], contained[others].astype(float), query[others], query[others])
        probabilities[own] = fit_logistic(taught).probabilities(scores[own])[:, 2]
        threshold = best_threshold(scores[others], contained[others]).threshold
        decisions[own] = np.nan if np.isnan(threshold) else scores[own] >= threshold
    return JudgedPairs(contained.astype(float), scores, decisions, probabilities, query)


FOLDS = 10
Marks = Mapping[str, Sequence[Judgement]]
"""The judgements about one response's snippets, by snippet_id."""


@dataclass(frozen=True)
class SnippetTask:
    """A task whose responses are one snippet each, and what people say about them (snippets x nugs; NaN: nothing)."""

    task: Task
    degrees: Floats


def snippet_pairs(
    collection: Collection, program: Judge, *, folds: int | None = None, seed: int = 0, track: Track | None = None,
    jobs: int = 1,
) -> Pairs:  # fmt: skip
    """All pairs of a judged snippet and a nug of its query; each snippet is a response of its own."""
    labelled = snippet_tasks(collection, folds=folds, seed=seed)
    pairs = pairs_of([snippets.task for snippets in labelled], program, track=track, jobs=jobs)
    return replace(pairs, degrees=np.concatenate([snippets.degrees.ravel() for snippets in labelled]))


def snippet_tasks(collection: Collection, *, folds: int | None = None, seed: int = 0) -> list[SnippetTask]:
    """One task per query that has judged snippets; how rare a word is comes from all snippets."""
    marks: dict[tuple[str, str], dict[str, list[Judgement]]] = {}
    for judgement in collection.judgements:
        if has_degree(judgement) and judgement.snippet_id is not None:
            of_response = marks.setdefault((judgement.query_id, judgement.run_id), {})
            of_response.setdefault(judgement.snippet_id, []).append(judgement)
    rng = np.random.default_rng(seed)
    pool = TextPool([snippet.text for response in collection.responses for snippet in response.snippets])
    tasks = [_labelled(replace(task, pool=pool), marks, folds or FOLDS, rng) for task in tasks_of(collection)]
    tasks = [snippets for snippets in tasks if snippets.task.responses]
    if not tasks:
        raise UnfitInput(
            "--cv snippet needs judgements of single snippets whose text is there; choose --cv query|run|group"
        )
    return tasks


def _labelled(task: Task, marks: Mapping[tuple[str, str], Marks], folds: int, rng: np.random.Generator) -> SnippetTask:
    judged = [response for response in task.responses if (response.query_id, response.run_id) in marks]
    documents = dict.fromkeys(_document(snippet) for response in judged for snippet in response.snippets)
    fold = dict(zip(documents, (rng.permutation(len(documents)) % folds).tolist(), strict=True))
    book, groups, single = TextBook(), [], []
    degrees = [np.zeros((0, len(task.nugs)))]
    for response in judged:
        of_response = marks[response.query_id, response.run_id]
        degrees.append(_degrees(response, of_response, task.nugs))
        for snippet in response.snippets:
            groups.append(fold[_document(snippet)])
            book.add(snippet.text, groups[-1], of_response.get(snippet.snippet_id, ()))
            name = f"{response.run_id} {snippet.snippet_id}"
            single.append(Response(query_id=response.query_id, run_id=name, snippets=(snippet,)))
    known = replace(task, responses=single, known=book.known(), groups=groups)
    return SnippetTask(known, np.concatenate(degrees))


def _degrees(response: Response, marks: Marks, nugs: Sequence[Nug]) -> Floats:
    """Snippets x nugs; NaN where nobody can say."""
    column = {nug.nug_id: at for at, nug in enumerate(nugs)}
    degrees = np.full((len(response.snippets), len(nugs)), np.nan)
    for row, snippet in enumerate(response.snippets):
        for judgement in marks.get(snippet.snippet_id, ()):
            if judgement.nug_id in column:
                cell = row, column[judgement.nug_id]
                degrees[cell] = np.fmax(degrees[cell], judgement.degree or 0.0)
    marked = (np.nan_to_num(degrees) > 0).any(axis=0)
    not_contained = np.isnan(degrees) & (True if response.run_id == POOL else ~marked)
    degrees[not_contained] = 0.0
    halves: Floats = np.round(2 * degrees) / 2
    return halves


def _document(snippet: Snippet) -> str:
    return snippet.citations[0].doc_id if snippet.citations else f"snippet {snippet.snippet_id}"
