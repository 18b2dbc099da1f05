from __future__ import annotations

import numpy as np
import pytest

from karat.judges.base import Matches, Task
from karat.judges.calibration.learned import ENOUGH_OF_NUG, learn, nug_names
from karat.judges.pairs import Pairs, QueryPairs
from karat.model import Nug, Response
from karat.text.response_units import Units

RUNS = 30


def made(*, judged: int = RUNS, seed: int = 0) -> Pairs:
    """Two nugs of one query: the first is contained from score 0.2 on, the second from 0.8 on."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 1, (RUNS, 2))
    degrees = (scores >= np.array([0.2, 0.8])).astype(float)
    degrees[judged:] = np.nan
    nugs = [Nug(query_id="q", nug_id=name, descriptions=(name,), importance="vital") for name in "ab"]
    responses = [Response(query_id="q", run_id=f"r{at}", snippets=()) for at in range(RUNS)]
    units = Units([], [], np.zeros(RUNS + 1, np.int64))
    matches = Matches(scores.astype(np.float32), np.full((RUNS, 2), -1, np.int32), units)
    cell, nug = (own.ravel() for own in np.meshgrid(np.arange(RUNS), np.arange(2), indexing="ij"))
    return Pairs(
        [QueryPairs(Task("q", nugs, responses), matches)],
        scores.ravel(), degrees.ravel(), np.zeros(2 * RUNS, int), nug, cell, np.ones(2 * RUNS),
    )  # fmt: skip


def test_nugs_judged_often_have_thresholds_of_their_own() -> None:
    pairs = made()
    learned = learn(pairs)
    assert learned.settings()["thr"] == "nug"
    assert set(learned.codes) == {("q", "a"), ("q", "b")}
    full = learned.probabilities(pairs)[:, 2]
    middle = (pairs.scores > 0.35) & (pairs.scores < 0.65)
    assert full[middle & (pairs.nug == 0)].min() > full[middle & (pairs.nug == 1)].max()


def test_probabilities_are_probabilities() -> None:
    found = learn(made()).probabilities(made(seed=1))
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert (found >= 0).all()


def test_nugs_judged_seldom_are_read_by_the_common_curve() -> None:
    pairs = made(judged=ENOUGH_OF_NUG - 1)
    learned = learn(pairs)
    assert learned.of_nugs is None
    assert "thr" not in learned.settings()
    common = learned.common.probabilities(pairs.scores, covariates=pairs.covariates())
    assert learned.probabilities(pairs) == pytest.approx(common)


def test_what_is_not_to_be_used_teaches_nothing() -> None:
    pairs = made()
    use = pairs.cell < 15
    spoiled = made()
    spoiled.degrees[~use] = 1 - spoiled.degrees[~use]
    assert learn(pairs, use).probabilities(pairs) == pytest.approx(learn(spoiled, use).probabilities(pairs))


def test_nugs_go_by_their_names_in_another_order() -> None:
    pairs = made()
    assert nug_names(pairs) == [("q", "a"), ("q", "b")]
    learned = learn(pairs)
    (query,) = pairs.queries
    turned_task = Task("q", list(reversed(query.task.nugs)), query.task.responses)
    turned = Pairs(
        [QueryPairs(turned_task, query.matches)],
        pairs.scores, pairs.degrees, pairs.question, 1 - pairs.nug, pairs.cell, pairs.vital,
    )  # fmt: skip
    assert learned.probabilities(turned) == pytest.approx(learned.probabilities(pairs))
