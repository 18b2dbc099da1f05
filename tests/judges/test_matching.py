from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judges.task_builders import task
from karat.judges.base import Task
from karat.judges.lexical.lexical import Lexical
from karat.judges.pairs import match_tasks
from karat.text.idf import TextPool


def tasks(*, shared: bool) -> list[Task]:
    texts = ["Red foxes hide. They run at dusk.", "", "Owls eat mice, and 20 foxes hunt them.", "東京の狐"]
    pool = TextPool(texts)
    made = [task(["red foxes hide", "owls hunt mice"], texts[at:]) for at in range(3)]
    return [
        replace(one, query_id=f"q{at}", pool=pool if shared else TextPool(texts[at:])) for at, one in enumerate(made)
    ]


@pytest.mark.parametrize("shared", [True, False])
def test_scores_are_the_same_with_any_number_of_jobs(shared: bool) -> None:
    alone = list(match_tasks(tasks(shared=shared), Lexical()))
    spread = list(match_tasks(tasks(shared=shared), Lexical(), jobs=2))
    assert len(alone) == len(spread) == 3
    for one, other in zip(alone, spread, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.best, other.best)
        assert (one.units.texts, one.units.places) == (other.units.texts, other.units.places)
        assert one.units.starts.tolist() == other.units.starts.tolist()


def test_one_task_needs_no_process() -> None:
    (found,) = match_tasks(tasks(shared=True)[:1], Lexical(), jobs=8)
    assert found.scores.shape == (4, 2)


def test_the_queries_are_tracked() -> None:
    seen: list[str] = []
    list(match_tasks(tasks(shared=True), Lexical(), track=lambda names: seen.extend(names) or names))
    assert seen == ["q0", "q1", "q2"]
