from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders.rows import Matrix, Row, judged_rows, judgement, nug, query, run, score_rows
from karat.evaluate.score.score import Scoring, score, score_collection
from karat.formats import load
from karat.measures.cases.saved_fields import CommonErrors
from karat.model import Score, UsageError

RUNS = [run("person", human=True), run("other", human=True), run("machine"), run("poor")]
MATRIX: Matrix = {
    "person": [1.0, 0.5, 1.0, 0.5],
    "other": [0.5, 0.5, 1.0, 0.0],
    "machine": [0.5, 0.5, 1.0, 0.0],
    "poor": [0.0, 0.0, 0.0, 0.5],
}
ROWS = [*RUNS, *judged_rows(MATRIX)]


def ratios(scoring: Scoring) -> dict[str, Score]:
    return {score.run_id: score for score in scoring.of_all() if "/" in score.measure}


def test_the_ratio_is_that_of_the_means_and_people_are_taken_together() -> None:
    """The people: 5.0 over 8 responses. The machine: 2.0 over 4; the poor one 0.5 over 4."""
    ratio = ratios(score(ROWS, relative_to="human", measures="lenient_vital"))
    assert list(ratio) == ["machine", "poor"]
    assert ratio["machine"].value == pytest.approx((2.0 / 4) / (5.0 / 8))
    assert ratio["poor"].value == pytest.approx((0.5 / 4) / (5.0 / 8))
    assert {one.measure for one in ratio.values()} == {"lenient_vital/human"}
    assert (ratio["machine"].n, ratio["machine"].undefined) == (4, 0)
    assert (ratio["machine"].signature or "").endswith("|relative-to:human")


def test_the_ratio_lies_in_its_interval() -> None:
    for one in ratios(score(ROWS, relative_to="human", measures="lenient_vital")).values():
        assert one.low is not None
        assert one.high is not None
        assert one.value is not None
        assert 0 <= one.low <= one.value <= one.high


def test_a_run_that_scores_like_its_reference_query_by_query_has_a_ratio_of_one_for_sure() -> None:
    ratio = ratios(score(ROWS, relative_to="other", measures="lenient_vital"))
    assert list(ratio) == ["person", "machine", "poor"]
    assert (ratio["machine"].value, ratio["machine"].low, ratio["machine"].high) == pytest.approx((1.0, 1.0, 1.0))
    assert ratio["person"].value == pytest.approx(3.0 / 2.0)


def test_pooled_scores_have_pooled_ratios() -> None:
    """The machine has 1 of 4 nugs, the person 4 of 4; query by query it would be (1 + 0) / 2."""
    rows = [run("person", human=True), run("machine"), nug("p"), *(nug("q", number) for number in "123")]
    rows += [judgement("p", run_id, 1.0) for run_id in ("person", "machine")]
    for number in "123":
        rows += [judgement("q", "person", 1.0, number), judgement("q", "machine", 0.0, number)]
    assert ratios(score(rows, relative_to="human", measures="strict_vital", average="pool"))["machine"].value == 0.25
    assert ratios(score(rows, relative_to="human", measures="strict_vital"))["machine"].value == 0.5


def test_where_the_person_scores_nothing_the_ratio_is_undefined_and_reported() -> None:
    rows = [run("person", human=True), run("machine"), *judged_rows({"person": [0.0, 0.0], "machine": [1.0, 0.5]})]
    scoring = score(rows, relative_to="human", measures="lenient_vital")
    found = ratios(scoring)["machine"]
    assert (found.value, found.low, found.high) == (None, None, None)
    assert scoring.notes[-1] == (
        "run machine: lenient_vital/human is undefined (human scores 0 or has no score, or the run has none)"
    )


def test_the_ratio_by_a_field_is_that_of_the_slice() -> None:
    asked = [query(f"q{at}", language="en" if at < 2 else "de") for at in range(4)]
    scoring = score([*asked, *ROWS], relative_to="person", by="language", measures="lenient_vital")
    found = {
        score.query_id: score.value for score in scoring.of_all() if score.run_id == "poor" and "/" in score.measure
    }
    assert found == {"language=de": pytest.approx(0.25 / 0.75), "language=en": 0.0, "all": pytest.approx(1 / 6)}


def test_a_skipped_query_counts_for_neither_mean() -> None:
    rows = [row for row in ROWS if (row.get("run_id"), row.get("query_id")) != ("machine", "q3")]
    ratio = ratios(score(rows, relative_to="person", measures="lenient_vital", missing="skip"))
    assert ratio["machine"].value == pytest.approx((2.0 / 3) / (2.5 / 3))
    assert ratio["machine"].n == 3


@pytest.mark.parametrize(
    ("rows", "relative_to", "message"),
    [
        (ROWS, "persn", "there is no run 'persn'; choose from human, person, other, machine, poor"),
        (
            judged_rows({"r": [1.0], "s": [0.5]}),
            "human",
            "no run is a person's (run records mark it with human: true); name a run instead",
        ),
        (
            score_rows({"r": [1.0], "s": [0.5]}),
            "r",
            "scores without judgements do not say what queries and runs are; give the judgements, too",
        ),
    ],
)
def test_a_reference_that_is_not_there_is_answered_with_the_choices(
    rows: list[Row], relative_to: str, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        score(rows, relative_to=relative_to)
    assert str(raised.value) == message


def test_medians_have_no_ratio() -> None:
    with pytest.raises(UsageError, match="a ratio needs mean or pooled scores; choose --average query or pool"):
        score(ROWS, relative_to="human", average="median")


def test_a_run_called_human_is_that_run() -> None:
    ratio = ratios(
        score(judged_rows({"human": [1.0, 0.5], "r": [0.5, 0.25]}), relative_to="human", measures="lenient_all")
    )
    assert ratio["r"].value == 0.5


CALIBRATION = ((0.3, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))


def judged_twice(chances: np.ndarray) -> list[Row]:
    """A program's judgements with these P(full) (runs, queries, nugs)."""
    runs, queries, nugs = chances.shape
    rows = [nug(f"q{at}", str(each)) for at in range(queries) for each in range(nugs)]
    for which, at, each in np.ndindex(runs, queries, nugs):
        full = round(float(chances[which, at, each]), 4)
        row = judgement(f"q{at}", f"r{which}", float(full >= 0.5), str(each))
        rows.append(row | {"probabilities": {"0": 1 - full, "0.5": 0.0, "1": full}})
    return rows


def judged_ratio(chances: np.ndarray, **sizes: Any) -> Score:
    given = {"sigma": 0.0, "run_sigma": 0.0, "common": CommonErrors()} | sizes
    scoring = score_collection(load(judged_twice(chances)), measures="strict_all", relative_to="r1", **given)
    return ratios(scoring)["r0"]


def test_people_s_ratio_lies_in_the_judge_s_interval() -> None:
    """People say yes as often as the judge thinks: 95 % of their ratios lie inside (.96 of 300, another seed)."""
    random = np.random.default_rng(5)
    held = outside = 0
    for _ in range(80):
        chances = random.beta(1.5, 1.0, (2, 8, 4))
        found = judged_ratio(chances)
        assert found.low is not None
        assert found.judge_low is not None
        assert found.low <= found.judge_low <= (found.value or 0) <= (found.judge_high or 0) <= (found.high or 0)
        said = (random.random(chances.shape) < chances).mean(axis=(1, 2))
        held += found.judge_low <= said[0] / said[1] <= (found.judge_high or 0)
        outside += not found.judge_low <= 2 * said[0] / said[1] <= (found.judge_high or 0)
    assert held >= 70
    assert outside >= 60  # and the interval is not so wide that it holds everything


def test_errors_that_both_runs_share_cancel_in_their_ratio() -> None:
    chances = np.random.default_rng(6).beta(2.0, 2.0, (2, 12, 5))
    plain, of_run, shared = (
        judged_ratio(chances, **sizes)
        for sizes in ({}, {"run_sigma": 0.5}, {"common": CommonErrors(calibration=CALIBRATION)})
    )
    width = [(one.judge_high or 0) - (one.judge_low or 0) for one in (plain, of_run, shared)]
    assert width[1] > 1.4 * width[0]
    assert width[2] < 1.2 * width[0]
