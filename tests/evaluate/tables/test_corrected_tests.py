from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from builders.rows import score_rows
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import score
from karat.evaluate.tables.corrected_tests import TestablePairs, common_queries, corrected_pairs, powerless
from karat.evaluate.tables.score_table import ScoreTable

Array = NDArray[np.float64]


def table(values: Array) -> ScoreTable:
    runs, queries = (tuple(f"{kind}{at}" for at in range(size)) for kind, size in zip("rq", values.shape, strict=True))
    return ScoreTable("strict_all", runs, queries, values, np.isnan(values))


def lacking(values: Array, *has: int) -> Array:
    """The same, where each run has only its first queries."""
    return np.where(np.arange(values.shape[1]) < np.array(has)[:, None], values, np.nan)


def all_pairs(runs: int) -> NDArray[np.int64]:
    return np.array([(first, second) for first in range(runs) for second in range(first + 1, runs)])


def test_a_pair_with_few_common_queries_is_tested_beside_pairs_with_many() -> None:
    draw = np.random.default_rng(0)
    values = lacking(0.5 + draw.normal(0, 0.05, (4, 14)), 14, 14, 14, 9)
    values[3] -= 0.4
    which = TestablePairs.of(table(values), all_pairs(4), alternative="two-sided")
    assert (which.together.sum(), which.separately.sum(), which.count) == (3, 3, 6)
    found = corrected_pairs(table(values), all_pairs(4), seed=0)
    assert found.test == "max-t+permutation-holm"
    # 2 / 2^9 for each of three pairs, and half of the level is theirs.
    assert found.adjusted[[2, 4, 5]] == pytest.approx(np.full(3, 3 * 2 * 2 / 2**9))
    assert np.isfinite(found.low[[0, 1, 3]]).all()
    assert np.isnan(found.low[[2, 4, 5]]).all()


def test_pairs_that_can_never_be_significant_are_not_tested_and_cost_nothing() -> None:
    values = lacking(np.linspace(0.1, 0.9, 3)[:, None] + np.zeros((3, 6)), 6, 6, 3)
    found = corrected_pairs(table(values), all_pairs(3), seed=0)
    assert found.adjusted[0] == pytest.approx(2 / 2**6)
    assert np.isnan(found.adjusted[1:]).all()
    assert powerless(table(values), all_pairs(3)) is None


def test_where_no_pair_can_be_significant_all_have_a_p_value() -> None:
    found = corrected_pairs(table(np.eye(3)[:, [0, 1, 2, 0]]), all_pairs(3), seed=0)
    assert not np.isnan(found.adjusted).any()
    assert "3 pairs of runs need at least 7 queries" in (powerless(table(np.zeros((3, 4))), all_pairs(3)) or "")


@pytest.mark.parametrize("others", [{"Z": [None] * 12}, {"Z": [None] * 12 + [0.5] * 4}])
def test_a_run_that_cannot_be_tested_changes_no_other_pair(others: dict[str, list[float | None]]) -> None:
    draw = np.random.default_rng(5)
    verdicts = []
    for seed in range(30):
        values = draw.beta(1, 1, (2, 12))
        values[0] += 0.25 * draw.random(12)
        two = {"B": values[0].tolist(), "C": values[1].tolist()}
        alone = compare(score_rows(two), seed=seed).measures[0]
        rows = [row for row in score_rows(two | others) if row["value"] is not None or "Z" not in row["run_id"]]
        if all(value is None for value in others["Z"]):
            rows = score_rows(two | others)
        beside = compare(rows, seed=seed, missing="skip").measures[0]
        pair = next(pair for pair in beside.differences if {pair.run_id, pair.versus} == {"B", "C"})
        assert (pair.p_adjusted, beside.test) == (alone.differences[0].p_adjusted, alone.test)
        letters = {
            each.run_id: set(str(each.extra.get("tie", ""))) - {"*"}
            for each in score(rows, seed=seed, missing="skip").of_all()
        }
        assert bool(letters["B"] & letters["C"]) != pair.significant
        verdicts.append(pair.significant)
    assert 0 < sum(verdicts) < len(verdicts)


def test_any_false_difference_is_as_rare_where_both_tests_are_used() -> None:
    draw = np.random.default_rng(3)
    pairs, false = all_pairs(4), 0
    for seed in range(150):
        values = lacking(draw.beta(0.5, 1.5, (4, 14)), 14, 14, 14, 8)
        false += bool((corrected_pairs(table(values), pairs, seed=seed).adjusted <= 0.05).any())
    assert false <= 14  # 7.5 expected at most; more than 14 in 1 of 100 suites that keep the promise


def test_the_note_names_pairs_that_differ_the_other_way_than_the_rows() -> None:
    draw = np.random.default_rng(3)
    values = np.full((3, 26), np.nan)
    values[:, :10] = np.array([0.5, 0.3, 0.5])[:, None]
    values[1:, 10:] = np.array([0.9, 0.3])[:, None]
    values += draw.uniform(-0.05, 0.05, values.shape)
    matrix = {
        name: [None if np.isnan(value) else value for value in row]
        for name, row in zip("ABC", values.tolist(), strict=True)
    }
    scoring = score(score_rows(matrix), missing="skip")
    (note,) = (note for note in scoring.notes if "order of the rows" in note)
    assert "A is better than B (10 common queries)" in note


def test_common_queries_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    values = draw.random((9, 7))
    values[draw.random(values.shape) < 0.4] = np.nan
    monkeypatch.setattr("karat.evaluate.tables.corrected_tests.PAIRS_AT_ONCE", 5)
    known = (~np.isnan(values)).astype(int)
    expected = [(known @ known.T)[first, second] for first, second in all_pairs(9).tolist()]
    assert common_queries(table(values), all_pairs(9)).tolist() == expected
