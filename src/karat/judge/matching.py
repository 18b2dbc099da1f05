"""The tasks of many queries, scored one after the other or in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from karat.engine import map_chunks
from karat.engine.mapping import Track
from karat.judge.base import Matches, Scorer, Task
from karat.text.idf import TextPool


def match_tasks(
    tasks: Sequence[Task], scorer: Scorer, *, track: Track | None = None, jobs: int = 1
) -> Iterator[Matches]:
    """What the scorer finds in each task, in order; the same with any number of jobs."""
    names = [task.query_id for task in tasks]
    if jobs == 1 or len(tasks) < 2:
        return map_chunks(scorer.match, tasks, jobs=jobs, names=names, track=track)
    pool = tasks[0].pool
    if pool is not None and all(task.pool is pool for task in tasks):
        # The pool holds all texts: it goes to a process once, and not with every query.
        return map_chunks(
            _Match(scorer, pool), [replace(task, pool=None) for task in tasks], jobs=jobs, names=names, track=track
        )
    return map_chunks(_Match(scorer, None), tasks, jobs=jobs, names=names, track=track)


@dataclass(frozen=True)
class _Match:
    scorer: Scorer
    pool: TextPool | None

    def __call__(self, task: Task) -> Matches:
        return self.scorer.match(task if self.pool is None else replace(task, pool=self.pool))
