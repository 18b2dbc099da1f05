from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from builders.rows import Matrix, Row, judged_rows, judgement, nug, score_rows, total_rows
from karat import __version__
from karat.evaluate.compare.correlate import CorrelatedScores, correlate, correlate_collections
from karat.formats import load
from karat.model import UsageError
from karat.stats.correlation.record import Correlation

A: Matrix = {
    "r": [0.9, 0.8, 0.3, 0.6], "s": [0.5, 0.7, 0.4, 0.2], "t": [0.2, 0.1, 0.6, 0.3], "u": [0.7, 0.4, 0.1, 0.9],
}  # fmt: skip
B: Matrix = {
    "r": [0.8, 0.6, 0.2, 0.7], "s": [0.6, 0.9, 0.3, 0.1], "t": [0.3, 0.2, 0.7, 0.2], "u": [0.5, 0.5, 0.0, 0.8],
}  # fmt: skip
LEVELS = ("run", "query", "within-query")
RANKED = ("pearson", "spearman", "kendall_tau_b")


def of(found: CorrelatedScores, level: str) -> dict[str, Correlation]:
    (one,) = [each for each in found.levels if each.level == level]
    return {correlation.name: correlation for correlation in one.correlations}


def by_scipy(x: np.ndarray, y: np.ndarray) -> list[float]:
    return [float(test(x, y)[0]) for test in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]


def matrix(values: Matrix) -> np.ndarray:
    return np.array(list(values.values()), float)


def refused(a: list[Row], b: list[Row], **options: object) -> str:
    with pytest.raises(UsageError) as raised:
        correlate(a, b, **options)  # type: ignore[arg-type]
    return str(raised.value)


def test_coefficients_are_those_of_scipy_at_each_level() -> None:
    correlation = correlate(score_rows(A), score_rows(B))
    a, b = matrix(A), matrix(B)
    expected = {
        "run": by_scipy(a.mean(axis=1), b.mean(axis=1)),
        "query": by_scipy(a.ravel(), b.ravel()),
        "within-query": np.mean([by_scipy(a[:, at], b[:, at]) for at in range(4)], axis=0).tolist(),
    }
    for level in LEVELS:
        assert [of(correlation, level)[name].value for name in RANKED] == pytest.approx(expected[level])
    assert [of(correlation, level)["pearson"].n for level in LEVELS] == [4, 16, 4]
    assert of(correlation, "query")["rmse"].value == pytest.approx(np.sqrt(((a - b) ** 2).mean()))
    assert (correlation.measures, correlation.runs, correlation.queries) == (("M", "M"), 4, 4)
    assert (
        correlation.signature == "M|missing:error|unjudged:skip|assessors:mean|with:M|target:queries|"
        f"ci:bootstrap-queries|side:both|seed:0|v:{__version__}"
    )


def test_values_lie_in_their_intervals() -> None:
    for resample in ("queries", "runs"):
        for level in correlate(score_rows(A), score_rows(B), resample=resample).levels:  # type: ignore[arg-type]
            for one in level.correlations:
                assert one.low is not None
                assert one.high is not None
                assert one.value is not None
                assert one.low <= one.value <= one.high


def test_the_same_scores_on_both_sides_agree_in_everything() -> None:
    """Without ties, that is: tau-AP of a vector with ties is below 1 even with itself."""
    distinct = {"r": [0.9, 0.8, 0.3, 0.6], "s": [0.55, 0.7, 0.4, 0.2], "t": [0.25, 0.1, 0.65, 0.35]}
    correlation = correlate(score_rows(distinct), score_rows(distinct))
    for level in LEVELS:
        for name, one in of(correlation, level).items():
            assert one.value == pytest.approx(0.0 if name == "rmse" else 1.0)
    assert correlation.swaps is not None
    assert sum(one.swapped for one in correlation.swaps.bins) == 0
    assert correlation.separated is not None
    assert correlation.separated.contradictions == 0
    assert correlation.notes == ()


def test_the_other_way_round_every_pair_is_swapped() -> None:
    opposite = {run_id: [1 - value for value in values] for run_id, values in A.items()}  # type: ignore[operator]
    correlation = correlate(score_rows(A), score_rows(opposite))
    assert [of(correlation, level)["kendall_tau_b"].value for level in LEVELS] == pytest.approx([-1.0] * 3)
    assert correlation.swaps is not None
    assert sum(one.swapped for one in correlation.swaps.bins) == sum(one.pairs for one in correlation.swaps.bins) == 6


def test_one_sided_intervals_end_at_one() -> None:
    both, low = (correlate(score_rows(A), score_rows(B), side=side) for side in ("both", "low"))  # type: ignore[arg-type]
    for level in LEVELS:
        for name in (*RANKED, "tau_ap", "weighted_tau"):
            assert of(low, level)[name].high == 1.0
            assert of(low, level)[name].low >= of(both, level)[name].low  # type: ignore[operator]
    assert "|side:low|" in low.signature


def test_a_constant_side_has_no_correlation_and_the_reason_is_given() -> None:
    constant = {run_id: [0.5] * 4 for run_id in A}
    for first, second, which in ((constant, B, "first"), (A, constant, "second")):
        correlation = correlate(score_rows(first), score_rows(second))
        for name, one in of(correlation, "run").items():
            if name != "rmse":
                assert (one.value, one.undefined_reason) == (None, f"the {which} vector is constant")
        assert of(correlation, "within-query")["spearman"].undefined_reason == "it is undefined in every query"
        assert of(correlation, "query")["rmse"].value is not None


def test_one_run_and_one_query_have_no_correlation() -> None:
    correlation = correlate(score_rows({"r": [0.1, 0.5]}), score_rows({"r": [0.2, 0.9]}))
    assert of(correlation, "run")["pearson"].undefined_reason == "fewer than two points have both values"
    assert of(correlation, "query")["pearson"].value == pytest.approx(1.0)
    assert (correlation.swaps, correlation.separated) == (None, None)
    single = correlate(score_rows({"r": [0.1]}), score_rows({"r": [0.4]}))
    assert [of(single, level)["kendall_tau_b"].value for level in LEVELS] == [None] * 3
    assert of(single, "run")["rmse"].value == pytest.approx(0.3)


def test_undefined_cells_are_left_out_of_both_sides() -> None:
    holed = {run_id: [None if (run_id, at) == ("s", 2) else value for at, value in enumerate(values)]
             for run_id, values in A.items()}  # fmt: skip
    correlation = correlate(score_rows(holed), score_rows(B))
    a, b = matrix(holed), matrix(B)
    known = ~np.isnan(a)
    assert [of(correlation, "query")[name].value for name in RANKED] == pytest.approx(by_scipy(a[known], b[known]))
    assert (of(correlation, "query")["pearson"].n, of(correlation, "query")["pearson"].left_out) == (15, 1)


def test_both_sides_are_joined_on_their_common_runs_and_queries() -> None:
    fewer = {run_id: values[:3] for run_id, values in A.items() if run_id != "u"}
    other = [*score_rows(B), *score_rows({"z": [0.1] * 4})]
    correlation = correlate(score_rows(fewer), list(reversed(other)))
    assert (correlation.runs, correlation.queries) == (3, 3)
    assert correlation.notes == ("2 runs on only one side, left out", "1 query on only one side, left out")
    expected = by_scipy(matrix(A)[:3, :3].ravel(), matrix(B)[:3, :3].ravel())
    assert [of(correlation, "query")[name].value for name in RANKED] == pytest.approx(expected)


def test_scores_over_all_queries_are_compared_only_by_run() -> None:
    totals = {run_id: float(np.mean(values)) for run_id, values in A.items()}  # type: ignore[arg-type]
    correlation = correlate(total_rows(totals), score_rows(B))
    assert [level.level for level in correlation.levels] == ["run"]
    expected = by_scipy(matrix(A).mean(axis=1), matrix(B).mean(axis=1))
    assert [of(correlation, "run")[name].value for name in RANKED] == pytest.approx(expected)
    assert correlation.notes == ("the scores are over all queries: compared only by run",)
    assert "|ci:bootstrap-runs|" in correlation.signature
    both = correlate(total_rows(totals), total_rows(totals))
    assert (of(both, "run")["pearson"].value, both.separated) == (pytest.approx(1.0), None)


def test_judgements_are_scored_first_and_their_key_may_be_shared() -> None:
    rows = judged_rows(A)
    key = [row for row in rows if row["kind"] == "nug"]
    marks = [row for row in rows if row["kind"] == "judgement"]
    correlation = correlate(marks, score_rows(A, measure="lenient_vital"), shared=[key])
    assert correlation.measures == ("lenient_vital", "lenient_vital")
    assert of(correlation, "run")["rmse"].value == pytest.approx(0.0)


def test_each_side_may_have_a_measure_of_its_own() -> None:
    correlation = correlate(judged_rows(A), score_rows(B, measure="ndcg"), measures="lenient_all,ndcg")
    assert correlation.measures == ("lenient_all", "ndcg")
    same = correlate(judged_rows(A), judged_rows(B), measures="lenient_vital")
    assert same.measures == ("lenient_vital", "lenient_vital")
    two = correlate(judged_rows(A), judged_rows(A), measures=["strict_all", "lenient_all"])
    assert two.measures == ("strict_all", "lenient_all")


def test_files_are_read_as_their_records(tmp_path: Path) -> None:
    a, b = tmp_path / "a.tsv", tmp_path / "b.tsv"
    head = "run_id\tquery_id\tmeasure\tvalue\n"
    for path, values in ((a, A), (b, B)):
        rows = (f"{row['run_id']}\t{row['query_id']}\tM\t{row['value']}\n" for row in score_rows(values))
        path.write_text(head + "".join(rows))
    assert correlate(a, [b]).levels == correlate(score_rows(A), score_rows(B)).levels


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (score_rows({"x": [0.1]}), score_rows(B), {}, "the two sides have no run in common: x, ... and r, s, t, ..."),
        (
            [row | {"query_id": "z"} for row in score_rows({"r": [0.1], "s": [0.2]})],
            score_rows(B),
            {},
            "the two sides have no query in common: z, ... and q0, q1, q2, ...",
        ),
        (
            score_rows(A),
            score_rows(B, measure="N"),
            {},
            "the two sides have no measure in common (M and N); name one per side with --measures A,B",
        ),
        (score_rows(A), score_rows(B), {"measures": "M,X"}, "B has no scores of 'X'; it has M"),
        (score_rows(A), score_rows(B), {"measures": "X"}, "A has no scores of 'X'; it has M"),
        (score_rows(A), score_rows(B), {"measures": "M,M,M"}, "name one measure, or one per side, not 3"),
        (judged_rows(A)[-1:], score_rows(B), {}, "there is no key: give a file with nugs (see `karat show FILE`)"),
    ],
)
def test_what_cannot_be_joined_is_reported(
    a: list[Row], b: list[Row], options: dict[str, object], message: str
) -> None:
    assert refused(a, b, **options) == message


def test_missing_responses_are_an_error_zero_or_left_out_as_in_scoring() -> None:
    rows = [nug("p"), nug("q"), judgement("p", "r", 1.0), judgement("q", "r", 0.5), judgement("p", "s", 0.5)]
    assert refused(rows, rows).startswith("run s has no response to query q; ")
    zero, skip = (
        correlate_collections(load(rows), load(rows), measures="lenient_all", missing=missing)  # type: ignore[arg-type]
        for missing in ("zero", "skip")
    )
    assert (of(zero, "query")["rmse"].n, zero.notes) == (4, ("1 missing response, counted as zero: s 1",))
    assert of(skip, "query")["rmse"].n == 3
    assert skip.notes == (
        "1 missing response, left out: s 1", "1 of 4 cells have no value on one side, left out of both",
    )  # fmt: skip


HOLED_B: Matrix = {"x": [0.9, None, None], "y": [0.5] * 3, "z": [0.2] * 3}
WHOLE_A: Matrix = {"x": [0.9, 0.1, 0.1], "y": [0.5] * 3, "z": [0.2] * 3}
"""The same scores, but x lacks those of the queries it is bad at: by its own mean it would be the best."""


def test_what_one_side_lacks_is_taken_out_of_both() -> None:
    correlation = correlate(score_rows(WHOLE_A), score_rows(HOLED_B))
    assert correlation.notes == ("2 of 9 cells have no value on one side, left out of both",)
    assert of(correlation, "run")["rmse"].value == 0.0
    assert of(correlation, "run")["kendall_tau_b"].value == pytest.approx(1.0)
    assert correlation.swaps is not None
    assert [one.swapped for one in correlation.swaps.bins] == [0] * len(correlation.swaps.bins)
    assert correlation.separated is not None
    assert correlation.separated.separated_a == correlation.separated.separated_b == correlation.separated.both


def test_holes_in_a_table_of_scores_follow_the_rules() -> None:
    holed = [row for row in score_rows(HOLED_B) if row["value"] is not None]
    assert refused(score_rows(WHOLE_A), holed).startswith("run x has no score of M for query q1 (2 scores missing); ")
    skip, zero = (correlate(score_rows(WHOLE_A), holed, missing=one) for one in ("skip", "zero"))  # type: ignore[arg-type]
    assert skip.notes == (
        "M: 2 missing scores, left out", "2 of 9 cells have no value on one side, left out of both",
    )  # fmt: skip
    assert of(skip, "run")["rmse"].value == 0.0
    assert zero.notes == ("M: 2 missing scores, counted as zero",)
    assert of(zero, "query")["rmse"].value == pytest.approx((0.02 / 9) ** 0.5)


@pytest.mark.parametrize(
    ("peer", "measure"),
    [
        ("strict_vital_score", "strict_vital"), ("vital_score", "lenient_vital"), ("strict_all_score", "strict_all"),
        ("all_score", "lenient_all"),
    ],
)  # fmt: skip
def test_the_nuggetizers_names_are_understood(peer: str, measure: str) -> None:
    scores = score_rows(A, measure=peer)
    correlation = correlate(scores, judged_rows(A))
    assert correlation.measures == (peer, measure)
    named = correlate(scores, judged_rows(A), measures=f"{peer},{measure}")
    assert named.measures == (peer, measure)
    assert correlate(scores, judged_rows(A), measures=measure).measures == (peer, measure)


def test_a_measure_of_its_own_name_comes_before_the_nuggetizers() -> None:
    both = [*score_rows(A, measure="strict_vital"), *score_rows(B, measure="strict_vital_score")]
    correlation = correlate(both, score_rows(A, measure="strict_vital"))
    assert (correlation.measures, of(correlation, "query")["rmse"].value) == (("strict_vital", "strict_vital"), 0.0)


def test_how_far_intervals_of_few_queries_can_be_trusted_is_said() -> None:
    random = np.random.default_rng(4)
    sides = [score_rows({f"r{at}": random.random(12).tolist() for at in range(6)}) for _ in range(2)]
    few = [[row for row in rows if row["query_id"] in {f"q{at}" for at in range(5)}] for rows in sides]
    (note,) = correlate(*few).interval_notes
    assert note.startswith(
        "only 5 queries: below 10, 95 % intervals are too narrow; with 5 they held the value in 81 %"
    )
    assert correlate(*sides).interval_notes == ()
    assert correlate(*few, resample="runs").interval_notes == ()
    assert "two clusters" in correlate(*sides, target="population").interval_notes[0]
