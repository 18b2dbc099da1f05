"""All pairs of a response and a nug, with a judge's raw score and, where people judged, their degree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.engines import Track, map_chunks
from karat.judges.base import Judge, Matches, Task
from karat.judges.cached_scores import KeepMatches, cached_matches
from karat.judges.calibration.labelled import Labelled
from karat.judges.human.known_judgements import whole_text
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases
from karat.measures.cases.credits import lenient, nug_credits
from karat.model import Collection, Nug, Response
from karat.model.wording import natural
from karat.text.idf import IdfTable, TextPool


def match_tasks(
    tasks: Sequence[Task], program: Judge, *, track: Track | None = None, jobs: int = 1
) -> Iterator[Matches]:
    """What the judge finds in each task, in order; the result does not depend on the number of jobs."""
    if program.works_together:
        return program.match_together(tasks, track=track, jobs=jobs)
    return cached_matches(tasks, program, lambda missing: _match_each(missing, program, track=track, jobs=jobs))


def _match_each(tasks: Sequence[Task], program: Judge, *, track: Track | None, jobs: int) -> Iterator[Matches]:
    names = [task.query_id for task in tasks]
    pool, idf = (tasks[0].pool, tasks[0].idf) if tasks else (None, None)
    if pool is not None and all(task.pool is pool and task.idf is idf for task in tasks):
        # The pool holds all texts, and a table may hold all words: a worker gets them once, not with every query.
        tasks = [replace(task, pool=None, idf=None) for task in tasks]
    else:
        pool = idf = None
    work, keep = _MatchTask(program, pool, idf), KeepMatches(program, idf if idf is not None else pool)
    return map_chunks(work, tasks, jobs=jobs, names=names, track=track, keep=keep)


@dataclass(frozen=True)
class _MatchTask:
    program: Judge
    pool: TextPool | None
    idf: Mapping[str, float] | IdfTable | None

    def __call__(self, task: Task) -> Matches:
        return self.program.match(task if self.pool is None else replace(task, pool=self.pool, idf=self.idf))


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class QueryPairs:
    """One query: its nugs, its responses, and how well each matches each."""

    task: Task
    matches: Matches


@dataclass(frozen=True)
class Pairs:
    """Every pair of every query, as arrays of one length, ordered by query, then by response."""

    queries: list[QueryPairs]
    scores: Floats
    """NaN where the judge failed."""
    degrees: Floats
    """The degrees that people gave; NaN where they gave none."""
    question: Ints
    nug: Ints
    """The nug of each pair; every nug of every query has its own code."""
    cell: Ints
    """The response of each pair; every response to every query has its own code."""
    vital: Floats
    """1 for a vital nug, 0 for an okay one, 0.5 where the importance is unknown."""

    def covariates(self) -> Floats:
        """What a calibration uses besides the score: the importance, and its product with the score.

        Without a score the product is 0: the pair has no probability, whatever its covariates are.
        """
        return np.column_stack([self.vital, self.vital * np.nan_to_num(self.scores)])

    def labelled(self) -> Labelled:
        return Labelled(self.scores, self.degrees, self.question, self.nug)


def tasks_of(
    collection: Collection,
    *,
    examples: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    pool: Sequence[Response] = (),
    idf: IdfTable | None = None,
) -> list[Task]:
    """One task per query that has nugs and responses, in natural order.

    The rarity of words is that of a table (`idf`), or it is learned from the responses in `pool`, or else from all
    responses of the collection.
    """
    key, texts = collection.key, collection.query_texts()
    responses: dict[str, list[Response]] = {}
    for response in collection.responses:
        responses.setdefault(response.query_id, []).append(response)
    learned_from = TextPool([whole_text(response) for response in pool or collection.responses])
    return [
        Task(
            query_id,
            judgeable_nugs(key.of(query_id)),
            sorted(responses[query_id], key=lambda response: natural(response.run_id)),
            texts.get(query_id, ""),
            (examples or {}).get(query_id, {}),
            learned_from,
            idf,
        )
        for query_id in sorted(key.query_ids, key=natural)
        if query_id in responses
    ]


def judgeable_nugs(nugs: Iterable[Nug]) -> list[Nug]:
    """The nugs that are judged; an AND/OR nug is judged through its parts, not as a whole."""
    nugs = list(nugs)
    parents = {nug.parent for nug in nugs if nug.parent is not None}
    return [nug for nug in nugs if nug.nug_id not in parents]


def pairs_of(
    tasks: Sequence[Task],
    program: Judge,
    labels: Cases | None = None,
    *,
    other_labels: Cases | None = None,
    track: Track | None = None,
    jobs: int = 1,
) -> Pairs:
    """Score all pairs. Degrees come from `labels`, and from `other_labels` where `labels` has none.

    jobs: how many processes score, one query at a time; the scores do not depend on it.
    """
    queries: list[QueryPairs] = []
    columns: list[list[NDArray[np.float64]]] = []
    nugs = cells = 0
    matched = match_tasks(tasks, program, track=track, jobs=jobs)
    for number, (task, matches) in enumerate(zip(tasks, matched, strict=True)):
        queries.append(QueryPairs(task, matches))
        shape = matches.scores.shape
        rows, columns_of_nugs = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
        vital = np.array([{"vital": 1.0, "okay": 0.0}.get(nug.importance or "", 0.5) for nug in task.nugs])
        columns.append(
            [
                matches.scores.astype(np.float64).ravel(),
                degrees_of(task, labels, other_labels).ravel(),
                np.full(shape, float(number)).ravel(),
                (columns_of_nugs + nugs).astype(float).ravel(),
                (rows + cells).astype(float).ravel(),
                np.broadcast_to(vital, shape).ravel(),
            ]
        )
        nugs, cells = nugs + shape[1], cells + shape[0]
    scores, degrees, question, nug, cell, vitals = (
        np.concatenate([of_query[at] for of_query in columns]) if columns else np.zeros(0) for at in range(6)
    )
    return Pairs(queries, scores, degrees, question.astype(int), nug.astype(int), cell.astype(int), vitals)


def degrees_in(case: Case, nugs: Sequence[Nug]) -> dict[str, float]:
    """The degree of each judged nug, also of parts of AND/OR nugs: the best snippet, the mean over assessors."""
    if not case.judgements and case.silent:
        # Nobody looked for nugs that were not in the key of that time.
        keyed = {nug.nug_id for nug in case.pool.nugs}
        return {nug.nug_id: 0.0 for nug in nugs if nug.nug_id in keyed}
    if all(nug.parent is None for nug in nugs):
        return case.lenient.credits
    as_wholes = [msgspec.structs.replace(nug, parent=None) if nug.parent is not None else nug for nug in nugs]
    return nug_credits(as_wholes, case.judgements, lenient).credits


def degrees_of(task: Task, *labels: Cases | None) -> Floats:
    """The degrees that people gave (responses x nugs), by the first labels that have one; NaN where none have."""
    degrees = np.full((len(task.responses), len(task.nugs)), np.nan)
    for cases in labels:
        for row, response in enumerate(task.responses if cases is not None else ()):
            case = cases.case(response.run_id, task.query_id) if cases is not None else None
            if case is None or not (case.judgements or case.silent):
                continue
            credits = degrees_in(case, task.nugs)
            for column, nug in enumerate(task.nugs):
                if np.isnan(degrees[row, column]):
                    degrees[row, column] = credits.get(nug.nug_id, np.nan)
    # Programs use three degrees: one in between, such as a mean of assessors, becomes the nearest of them.
    halves: Floats = np.round(2 * degrees) / 2
    return halves


def without_empty(pairs: Pairs) -> Pairs:
    """The pairs without the labels of empty responses, and of pairs that have no score: they teach nothing."""
    has_text = np.concatenate([np.diff(query.matches.units.starts) > 0 for query in pairs.queries])
    teaches = has_text[pairs.cell] & ~np.isnan(pairs.scores)
    return replace(pairs, degrees=np.where(teaches, pairs.degrees, np.nan))


def matching_notes(pairs: Pairs) -> tuple[str, ...]:
    """What the judge says about its own work, each once."""
    return tuple(dict.fromkeys(note for query in pairs.queries for note in query.matches.notes))


def runs_of(pairs: Pairs) -> list[str]:
    """The run of each response (cell), in order."""
    return [response.run_id for query in pairs.queries for response in query.task.responses]


def run_codes(pairs: Pairs) -> Ints:
    """The run of each pair, as a number."""
    names = runs_of(pairs)
    codes = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([codes[name] for name in names], int)[pairs.cell]
