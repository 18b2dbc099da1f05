from __future__ import annotations

import numpy as np
import pytest

from builders.rows import judged_rows, score_rows
from karat.evaluate.compare.compare import compare
from karat.evaluate.compare.losses import checked_losses
from karat.model import UsageError
from karat.testing import assert_not_worse

BASE = [0.8 + 0.01 * at for at in range(14)]


def wobbling(size: float = 0.02) -> list[float]:
    draw = np.random.default_rng(2)
    return [value + draw.uniform(-size, size) for value in BASE]


def gate_of(*runs: str, bad: int) -> list[dict[str, object]]:
    matrix = {"base": BASE, "good": wobbling(), "fine": wobbling(0.03), "bad": [value - 0.7 for value in BASE[:bad]]}
    return score_rows({name: matrix[name] for name in ("base", *runs, "bad")}, measure="strict_vital")


@pytest.mark.parametrize("runs", [("good",), ("good", "fine")])
def test_a_run_with_few_common_queries_fails_the_check_where_it_is_worse(runs: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match=r"^worse: bad is 0\.700 worse than base"):
        assert_not_worse(gate_of(*runs, bad=9), baseline="base", missing="skip")


def test_a_run_that_could_not_be_tested_is_undecided() -> None:
    with pytest.raises(AssertionError, match=r"^undecided: bad and base were not tested .* 3 common queries .*-0\.700"):
        assert_not_worse(gate_of("good", "fine", bad=3), baseline="base", missing="skip")


def test_several_measures_are_tested_together() -> None:
    draw = np.random.default_rng(9)
    names = ["strict_vital", "lenient_vital", "strict_all", "lenient_all", "nugget_recall"]
    failed = alone = 0
    for seed in range(120):
        rows = [
            row
            for name in names
            for row in score_rows(dict(zip("ab", draw.beta(2, 2, (2, 12)).tolist(), strict=True)), measure=name)
        ]
        comparison = compare(rows, measures=names, baseline="a", alternative="less", seed=seed)
        failed += checked_losses(comparison, significant=True).failed
        alone += any((pair.p or 1) <= 0.05 for each in comparison.measures for pair in each.differences)
    assert failed <= 12  # 6 expected at most
    assert alone > 16  # tested one by one, they would fail the check in every fifth or sixth collection
    assert "corrected for the number of runs and for 5 measures" in comparison.notes[0]


def test_measures_of_one_pair_each_have_holms_correction() -> None:
    rows = [
        *score_rows({"a": [0.9] * 8, "b": [0.1] * 8}, measure="strict_all"),
        *score_rows({"a": [0.9] * 6, "b": [0.1] * 6}, measure="lenient_all"),
    ]
    comparison = compare(rows, measures="strict_all,lenient_all", baseline="a", alternative="less")
    assert [each.differences[0].p_adjusted for each in comparison.measures] == [2 / 2**8, 1 / 2**6]


def test_a_small_loss_has_one_message_where_both_questions_are_asked() -> None:
    rows = score_rows({"a": BASE, "b": [value - 0.02 + 0.001 * (at % 3) for at, value in enumerate(BASE)]})
    comparison = compare(rows, baseline="a", max_loss=0.1, alternative="less")
    (line,) = checked_losses(comparison, significant=True).lines
    assert line.startswith("worse: b is 0.019 worse than a in M (p < 0.0001 after correction; the loss is at most 0.0")
    assert line.endswith("; that is less than 0.1, but it is a loss)")
    assert "worse, by less than the margin" in str(comparison)


def test_pooled_margins_need_ten_queries_and_resamples_that_vary() -> None:
    for queries, verdict in ((2, "not shown"), (9, "not shown"), (16, "not worse")):
        rows = judged_rows({"a": [1.0, 0.5] * queries, "b": [0.5, 1.0] * queries})
        rows = [row for row in rows if int(row["query_id"][1:]) < queries]
        options = {"measures": "lenient_vital", "average": "pool", "baseline": "a", "max_loss": 0.5}
        comparison = compare(rows, **options)  # type: ignore[arg-type]
        assert comparison.measures[0].differences[0].margin_verdict == verdict
        if verdict == "not shown":
            (line,) = checked_losses(comparison, significant=False).lines
            assert line.endswith("common queries give no limit (pooled scores need 10 or more that vary)")
    same = judged_rows({"a": [1.0, 0.5] * 10, "b": [1.0, 0.5] * 10})
    (pair,) = compare(same, measures="lenient_vital", average="pool", equivalent=0.1).measures[0].differences
    assert pair.margin_verdict == "undecided"


def test_a_run_that_is_far_better_is_different_though_only_losses_are_tested() -> None:
    rows = score_rows({"a": BASE, "b": [value + 0.3 for value in wobbling()]})
    (pair,) = compare(rows, baseline="a", equivalent=0.05, alternative="less").measures[0].differences
    assert (pair.margin_verdict, pair.worse) == ("different", False)


def test_a_margin_that_no_difference_can_reach_is_an_error() -> None:
    rows = score_rows({"a": BASE, "b": BASE}, measure="strict_all")
    for options in ({"baseline": "a", "max_loss": 1.0}, {"equivalent": 5.0}):
        with pytest.raises(UsageError, match=r"strict_all lies between 0 and 1.*give a number below 1"):
            compare(rows, **options)  # type: ignore[arg-type]


def test_what_was_not_seen_is_in_no_test() -> None:
    rows = score_rows({"a": BASE, "b": wobbling()})
    comparison = compare(rows, baseline="a", alternative="less")
    assert (
        checked_losses(comparison, significant=True)
        .lines[-1]
        .endswith("a rare gain or loss that these queries do not show is in no test")
    )
