"""Differences of runs where a program judged: its own error is in intervals, tests, tie groups and gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import karat
from builders.reported import Record
from builders.rows import Row, judgement, nug
from builders.whole import whole
from karat.evaluate.compare.compare import compare_collection
from karat.evaluate.compare.comparison import PairDifference
from karat.evaluate.compare.judge_differences import same_answers
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.score.score import score_collection
from karat.evaluate.tables.corrected_tests import permutation_pairs
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.formats import load
from karat.judges.errors.draws import shares_of
from karat.measures.cases.cases import Cases
from karat.measures.cases.saved_fields import CommonErrors, Sigmas
from karat.testing import assert_not_worse

UNSURE = ((0.2, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02))


def unsure(chances: np.ndarray) -> list[Row]:
    """A program's judgements with these P(full) (runs, queries, nugs)."""
    runs, queries, nugs = chances.shape
    rows = [nug(f"q{at}", str(each)) for at in range(queries) for each in range(nugs)]
    for run, at, each in np.ndindex(runs, queries, nugs):
        full = round(float(chances[run, at, each]), 4)
        row = judgement(f"q{at}", f"r{run}", float(full >= 0.5), str(each))
        rows.append(row | {"probabilities": {"0": 1 - full, "0.5": 0.0, "1": full}})
    return rows


def chances_of(shifts: tuple[float, ...], *, queries: int = 12, nugs: int = 5, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return ndtr(np.array(shifts)[:, None, None] + random.normal(0, 0.7, (len(shifts), queries, nugs)))


def difference(chances: np.ndarray, **sizes: Any) -> PairDifference:
    given = {"sigma": 1.0, "run_sigma": 0.15, "common": CommonErrors()} | sizes
    return compare_collection(load(unsure(chances)), measures="strict_all", **given).measures[0].differences[0]


def width(pair: PairDifference) -> float:
    assert pair.judge_low is not None
    assert pair.judge_high is not None
    return pair.judge_high - pair.judge_low


def test_the_difference_is_in_the_judges_interval_and_that_is_in_the_whole() -> None:
    pair = difference(chances_of((0.3, 0.0)))
    assert pair.value is not None
    assert pair.low is not None
    assert pair.high is not None
    assert pair.judge_low is not None
    assert pair.judge_high is not None
    assert pair.low < pair.judge_low < pair.value < pair.judge_high < pair.high


def test_what_all_runs_share_cancels_in_a_difference_and_what_runs_have_does_not() -> None:
    chances = chances_of((0.3, 0.0))
    apart = width(difference(chances))
    assert width(difference(chances, common=CommonErrors(nug=0.7))) < 0.9 * apart
    assert width(difference(chances, common=CommonErrors(query=0.2))) < apart
    assert width(difference(chances, common=CommonErrors(calibration=UNSURE))) < 1.15 * apart
    assert width(difference(chances, run_sigma=1.0)) > 1.3 * apart


def test_an_uncertain_calibration_widens_scores() -> None:
    rows = unsure(chances_of((0.0, 0.0)))
    widths = []
    for common in (CommonErrors(), CommonErrors(calibration=UNSURE), CommonErrors(calibration=UNSURE, freedom=4.0)):
        score = score_collection(load(rows), measures="strict_all", common=common).of_all()[0]
        assert score.judge_low is not None
        assert score.judge_high is not None
        assert score.value == pytest.approx(0.5, abs=0.1)
        widths.append(score.judge_high - score.judge_low)
    assert widths[0] * 1.3 < widths[1] < widths[2]


def test_an_error_of_the_run_makes_differences_less_certain_in_tests_ties_and_gates() -> None:
    chances = chances_of((0.0, 0.45), queries=40)
    small, large = (difference(chances, run_sigma=run_sigma) for run_sigma in (0.0, 1.0))
    assert small.significant
    assert not large.significant
    assert (small.p or 0.0) < (large.p or 0.0)
    assert (small.detectable or 1.0) < (large.detectable or 0.0)
    rows = unsure(chances)
    letters = [
        [score.extra["tie"] for score in score_collection(load(rows), run_sigma=run_sigma).of_all()[::6]]
        for run_sigma in (0.0, 1.0)
    ]
    assert len(set(letters[0])) == 2
    assert len(set(letters[1])) == 1
    carried = [row | ({"error_sigma": [1.0, 1.0]} if "probabilities" in row else {}) for row in rows]
    with pytest.raises(AssertionError, match="worse"):
        assert_not_worse(
            [row | ({"error_sigma": [1.0, 0.0]} if "probabilities" in row else {}) for row in rows], baseline="r1"
        )
    assert_not_worse(carried, baseline="r1")


def test_errors_of_single_judgements_do_not_last() -> None:
    """What lasts with other queries is the run's effect: Var = share x (mean normal density)^2."""
    cases = tabulated(load(unsure(np.full((2, 40, 5), 0.5))), measures="strict_all")
    assert cases.cases is not None
    sizes = Sigmas(1.2, 0.5)
    error = judge_error(cases.cases, cases.tables, sigma=1.2, run_sigma=0.5, common=CommonErrors(nug=0.4), seed=0)
    lasting = error.lasting(0)
    assert np.diag(lasting) == pytest.approx([shares_of(sizes).run / (2 * np.pi)] * 2, rel=0.15)
    assert abs(lasting[0, 1]) < 0.1 * lasting[0, 0]
    assert np.var(error.draws(0), axis=1).min() > np.diag(lasting).max()


def test_pooled_scores_have_the_judges_error_in_their_tests() -> None:
    rows = load(unsure(chances_of((0.0, 0.45), queries=40)))
    p = [
        compare_collection(rows, measures="strict_all", average="pool", sigma=1.0, run_sigma=run_sigma)
        .measures[0].differences[0].p
        for run_sigma in (0.0, 1.0)
    ]  # fmt: skip
    assert (p[0] or 1.0) < 0.01 < 0.05 < (p[1] or 0.0)


@pytest.mark.parametrize("queries", [15, 75, 300])
def test_false_alarms_of_two_runs_that_are_the_same(queries: int) -> None:
    """Two runs that people would judge the same, and a judge with a run effect of the default size (.15).

    Without the judge's error in the test there are .08, .25 and .50 false alarms (benchmarks/honesty/judges.py).
    """
    count, nugs = 400, 10
    random = np.random.default_rng(queries)
    share = shares_of(Sigmas(1.2, 0.15)).run
    z = np.sqrt(share) * random.standard_normal((count, 2, 1, 1)) + random.normal(0, 0.3, (count, 1, queries, 1))
    z = z + random.normal(0, 0.35, (count, 2, queries, 1)) + random.normal(0, 0.8, (count, 2, queries, nugs))
    chances = ndtr(z)
    few = tabulated(load(unsure(chances[0])), measures="strict_all")
    assert few.cases is not None
    lasting = judge_error(few.cases, few.tables, sigma=1.2, run_sigma=0.15, seed=0).lasting(0)
    values = chances.mean(axis=-1).reshape(2 * count, queries)
    names = [tuple(f"{kind}{at}" for at in range(size)) for kind, size in (("r", 2 * count), ("q", queries))]
    table = ScoreTable("strict_all", names[0], names[1], values, np.zeros(values.shape, bool))
    pairs = np.arange(2 * count).reshape(count, 2)
    variance = np.eye(2 * count) * np.diag(lasting).mean()
    alarms = permutation_pairs(table, pairs, alternative="less", seed=0, judge_variance=variance).p <= 0.05
    assert alarms.mean() <= 0.07 + 0.02  # two standard errors of 400 simulations


def test_several_judged_runs_are_tested_together_with_the_judges_error() -> None:
    """Holm's correction cannot separate 10 pairs with so few queries; max-T with the judge's variance can."""
    chances = chances_of((0.0, 0.1, 0.2, 0.3, 3.0), queries=10)
    small, large = (
        compare_collection(load(unsure(chances)), measures="strict_all", sigma=1.0, run_sigma=run_sigma).measures[0]
        for run_sigma in (0.1, 5.0)
    )
    assert (small.test, large.test) == ("max-t-judge", "max-t-judge")
    assert sum(pair.significant for pair in small.differences) >= 4
    assert sum(pair.significant for pair in large.differences) < sum(pair.significant for pair in small.differences)
    for narrow, wide in zip(small.differences, large.differences, strict=True):
        assert None not in (narrow.all_low, narrow.all_high, wide.all_low, wide.all_high)
        assert (wide.all_high or 0) - (wide.all_low or 0) > (narrow.all_high or 0) - (narrow.all_low or 0)


def copied(records: list[Record], run_id: str, name: str) -> list[Record]:
    """The answers and labels of a run once more, as those of another run."""
    found = []
    for row in records:
        if row.get("run_id") == run_id and row["kind"] in ("run", "response", "judgement"):
            snippets = [{**each, "snippet_id": f"{name} {each['snippet_id']}"} for each in row.get("snippets", ())]
            found.append(row | {"run_id": name} | ({"snippets": snippets} if snippets else {}))
    return found


@pytest.mark.parametrize("labelled_at_random", [False, True])
@pytest.mark.parametrize("measure", ["strict_vital", "F3"])
def test_a_run_and_its_copy_differ_by_nothing_whatever_the_judge_gets_wrong(
    measure: str, labelled_at_random: bool
) -> None:
    records = whole(labelled=5)
    records += copied(records, "ash", "copy")
    found = karat.compare(
        records, judge="lexical", measures=measure, runs=["ash", "copy", "elm"], labelled_at_random=labelled_at_random
    )
    pairs = {(pair.run_id, pair.versus): pair for pair in found.measures[0].differences}
    same = pairs.pop(("ash", "copy"))
    assert (same.value, same.judge_low, same.judge_high, same.p) == (0.0, 0.0, 0.0, 1.0)
    # Against a third run both are the same, and there the judge's error counts.
    ours, theirs = pairs.values()
    names = ("value", "low", "high", "judge_low", "judge_high", "p", "all_low", "all_high")
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
    assert width(ours) > 0.1
    said = "run copy: its answers are those of ash, word for word; the judge errs on both in the same way"
    assert said in found.notes


def test_one_other_word_in_one_answer_is_no_copy() -> None:
    records = whole(labelled=0)
    records += copied(records, "ash", "copy")
    assert same_answers(Cases(load(records), missing="skip")) == {"copy": "ash"}
    records[-1]["snippets"][0]["text"] += " Really."
    assert same_answers(Cases(load(records), missing="skip")) == {}
