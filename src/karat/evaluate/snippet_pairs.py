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

from karat.engine.mapping import Track
from karat.formats.trec_temporal.tables import POOL
from karat.judges.base import Judge, Task
from karat.judges.human.examples import TextBook, is_sure
from karat.judges.pairs import Floats, Pairs, pairs_of, tasks_of
from karat.model import Collection, Judgement, Nug, Response, Snippet, UsageError
from karat.text.idf import TextPool

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
        if is_sure(one) and one.snippet_id is not None:
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
