from __future__ import annotations

import msgspec
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from builders.rows import Matrix, Row, judged_rows, judgement, nug, response, run, score_rows
from karat import __version__
from karat.evaluate.compare.compare import compare
from karat.evaluate.compare.comparison import Comparison, MeasureComparison, PairDifference
from karat.evaluate.score.score import score
from karat.model import UsageError

MATRIX: Matrix = {
    "a": [0.875, 0.75, 0.75, 0.875, 0.625, 0.75, 1.0, 0.5],
    "b": [0.375, 0.5, 0.75, 0.25, 0.375, 0.25, 0.5, 0.25],
    "c": [0.5, 0.375, 0.625, 0.5, 0.5, 0.125, 0.625, 0.125],
}
"""In eighths, so that equal sums are equal numbers for every program."""


def compared(rows: list[Row], **options: object) -> MeasureComparison:
    (measure,) = compare(rows, **options).measures  # type: ignore[arg-type]
    return measure


def pair(one: MeasureComparison, run_id: str, versus: str) -> PairDifference:
    (found,) = [each for each in one.differences if (each.run_id, each.versus) == (run_id, versus)]
    return found


def refused(rows: list[Row], **options: object) -> str:
    with pytest.raises(UsageError) as raised:
        compare(rows, **options)  # type: ignore[arg-type]
    return str(raised.value)


def test_every_pair_is_compared_the_better_run_first() -> None:
    comparison = compared(score_rows(MATRIX))
    assert [(difference.run_id, difference.versus) for difference in comparison.differences] == [
        ("a", "c"),
        ("a", "b"),
        ("c", "b"),
    ]
    assert [difference.value for difference in comparison.differences] == [0.34375, 0.359375, 0.015625]
    assert {difference.n for difference in comparison.differences} == {8}


def test_p_values_are_those_of_scipy() -> None:
    comparison = compared(score_rows(MATRIX))
    for difference in comparison.differences:
        first, second = (np.array(MATRIX[run_id], float) for run_id in (difference.run_id, difference.versus))
        exact = stats.permutation_test(
            (first, second), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
            n_resamples=np.inf, vectorized=True,
        )  # fmt: skip
        assert difference.p == pytest.approx(exact.pvalue)
        assert difference.p_t == pytest.approx(stats.ttest_rel(first, second).pvalue)


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_p_values_are_those_of_scipy(alternative: str) -> None:
    comparison = compared(score_rows(MATRIX), baseline="b", alternative=alternative)
    for difference in comparison.differences:
        first, second = (np.array(MATRIX[run_id], float) for run_id in (difference.run_id, "b"))
        exact = stats.permutation_test(
            (first, second), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
            n_resamples=np.inf, vectorized=True, alternative=alternative,
        )  # fmt: skip
        assert difference.p == pytest.approx(exact.pvalue)
        assert difference.p_t == pytest.approx(stats.ttest_rel(first, second, alternative=alternative).pvalue)


def test_the_correction_is_holms() -> None:
    comparison = compared(score_rows(MATRIX))
    corrected = multipletests([difference.p for difference in comparison.differences], method="holm")[1]
    assert [difference.p_adjusted for difference in comparison.differences] == pytest.approx(corrected.tolist())


def test_the_difference_lies_in_its_interval() -> None:
    for average in ("query", "pool"):
        for difference in compared(judged_rows(MATRIX), average=average, measures="lenient_vital").differences:
            assert difference.low is not None
            assert difference.high is not None
            assert difference.value is not None
            assert difference.low <= difference.value <= difference.high


def test_against_a_baseline_there_are_fewer_tests() -> None:
    comparison = compared(score_rows(MATRIX), baseline="b")
    assert [(difference.run_id, difference.versus) for difference in comparison.differences] == [("a", "b"), ("c", "b")]
    assert comparison.signature == (
        f"M|from:scores|test:permutation-holm|pairs:2|alternative:two-sided|average:query|ci:bootstrap-bca|"
        f"seed:0|v:{__version__}"
    )


def test_some_of_the_runs_may_be_compared_without_the_others() -> None:
    comparison = compared(score_rows(MATRIX), runs=["c"], baseline="a")
    assert [(difference.run_id, difference.versus) for difference in comparison.differences] == [("c", "a")]


def test_judgements_and_their_scores_by_query_give_the_same() -> None:
    rows = judged_rows(MATRIX)
    scores = [msgspec.to_builtins(one) for one in score(rows, measures="lenient_vital").by_query()]
    by_judgements, by_scores = (compared(given, measures="lenient_vital") for given in (rows, scores))
    assert by_scores.differences == by_judgements.differences
    assert by_scores.anova is not None
    assert by_judgements.anova is not None
    assert by_scores.anova.run == by_judgements.anova.run


def test_the_first_suitable_measure_is_compared_where_none_is_named() -> None:
    assert compared(judged_rows(MATRIX)).table.name == "strict_vital"


def test_the_analysis_of_variance_has_the_runs_and_the_queries() -> None:
    comparison = compared(score_rows(MATRIX))
    assert comparison.anova is not None
    assert (comparison.anova.run.df, comparison.anova.query.df, comparison.anova.residual.df) == (2, 7, 14)
    values = np.array(list(MATRIX.values()), float)
    between = 8 * ((values.mean(axis=1) - values.mean()) ** 2).sum()
    assert comparison.anova.run.sum_of_squares == pytest.approx(between)
    assert comparison.obstacle is None


def test_two_measures_are_held_side_by_side() -> None:
    both = [*score_rows(MATRIX), *score_rows({"a": [0.5] * 8, "b": [0.5] * 8, "c": [0.5] * 8}, measure="N")]
    beside = compare(both, measures="M,N").side_by_side
    assert beside is not None
    assert (beside.pairs, beside.separated_a, beside.separated_b) == (3, 2, 0)
    assert compare(both, measures="M").side_by_side is None


def test_runs_that_are_all_equal_do_not_differ() -> None:
    comparison = compared(score_rows({"a": [0.5] * 8, "b": [0.5] * 8}))
    (difference,) = comparison.differences
    assert (difference.value, difference.low, difference.p, difference.p_adjusted, difference.p_t) == (
        0.0,
        None,
        1.0,
        1.0,
        1.0,
    )
    assert comparison.interval_notes == (
        "M: no interval for a minus b: all 8 values are equal, and the measure has no known bounds",
    )
    assert not difference.significant
    assert comparison.anova is not None
    assert np.isnan(comparison.anova.run.f)


def test_a_constant_difference_leaves_the_t_test_undefined() -> None:
    (difference,) = compared(score_rows({"a": [0.75, 0.5] * 4, "b": [0.5, 0.25] * 4})).differences
    assert (difference.value, difference.p, difference.p_t) == (0.25, pytest.approx(2 / 2**8), None)


def test_undefined_queries_are_left_out_pair_by_pair() -> None:
    comparison = compared(score_rows({"a": [0.9, None, 0.5, 0.4], "b": [None, 0.1, 0.3, 0.1], "c": [None] * 4}))
    first = pair(comparison, "a", "b")
    assert (first.n, first.value) == (2, pytest.approx(0.25))
    none = pair(comparison, "a", "c")
    assert (none.n, none.value, none.low, none.p, none.p_adjusted, none.p_t, none.detectable) == (0, *[None] * 6)
    assert not none.significant


def test_one_query_decides_nothing_and_it_is_said_how_many_would() -> None:
    comparison = compare(score_rows({"a": [0.9], "b": [0.1]}, measure="recall"))
    (difference,) = comparison.measures[0].differences
    assert (difference.value, difference.low, difference.p, difference.p_t, difference.detectable) == (
        0.8,
        None,
        1.0,
        None,
        None,
    )
    assert comparison.measures[0].anova is None
    assert comparison.measures[0].obstacle == "at least 2 queries must have values, not 1"
    assert comparison.notes == (
        "with 1 query no difference, however large, is significant (1 pair of runs needs at least 6 queries)",
    )


def test_one_sided_tests_need_fewer_queries() -> None:
    rows = score_rows({"a": [0.9] * 4, "b": [0.1] * 4}, measure="recall")
    (note,) = compare(rows, baseline="a", alternative="less").notes
    assert note.endswith("(1 pair of runs needs at least 5 queries)")
    five = compare(score_rows({"a": [0.9] * 5, "b": [0.1] * 5}, measure="recall"), baseline="a", alternative="less")
    assert five.notes == ()
    assert [one.run_id for one in five.regressions] == ["b"]


def test_only_what_is_worse_than_the_baseline_is_a_regression() -> None:
    rows = score_rows(MATRIX)
    assert [one.run_id for one in compare(rows, baseline="a").regressions] == ["b", "c"]
    assert compare(rows, baseline="b").regressions == ()
    assert compare(rows).regressions == ()


def test_the_detectable_difference_grows_with_the_noise_and_falls_with_the_queries() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, 20)

    def detectable(values: np.ndarray) -> float:
        (difference,) = compared(score_rows({"a": values.tolist(), "b": [0.0] * len(values)})).differences
        assert difference.detectable is not None
        return difference.detectable

    assert detectable(2 * noise) == pytest.approx(2 * detectable(noise))
    assert detectable(np.tile(noise, 4)) < detectable(noise) / 1.8


def test_pooled_differences_are_of_the_pooled_scores() -> None:
    rows = [nug("p"), *(nug("q", number) for number in "123")]
    for run_id, first, second in (("r", 1.0, 0.0), ("s", 0.0, 1.0)):
        rows += [judgement("p", run_id, first), *(judgement("q", run_id, second, number) for number in "123")]
    (pooled,) = compared(rows, average="pool", measures="strict_all").differences
    assert (pooled.run_id, pooled.value) == ("s", pytest.approx(0.75 - 0.25))
    (macro,) = compared(rows, measures="strict_all").differences
    assert macro.value == 0.0


def test_the_seed_decides_what_is_drawn() -> None:
    rng = np.random.default_rng(4)
    rows = score_rows({run_id: rng.random(30).round(3).tolist() for run_id in "ab"})
    first, again, other = (compared(rows, seed=seed).differences[0] for seed in (1, 1, 2))
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)


CHANGED = [
    nug("q", "v"), nug("q", "o", "okay"), nug("q", "same"), nug("p", "v"), nug("p", "half"),
    *(judgement("q", "base", degree, nug_id) for nug_id, degree in (("v", 1.0), ("o", 0.0), ("same", 0.5))),
    *(judgement("q", "new", degree, nug_id) for nug_id, degree in (("v", 0.0), ("o", 1.0), ("same", 0.5))),
    judgement("p", "base", None, "v"), judgement("p", "new", 1.0, "v"),
    judgement("p", "base", 0.5, "half"), judgement("p", "new", 1.0, "half"),
]  # fmt: skip


def changes(found: Comparison) -> list[tuple[str, str, str, float, float, bool]]:
    return [
        (change.run_id, change.query_id, change.nug_id, change.before, change.after, change.gained)
        for change in found.changes
    ]


def test_nugs_gained_and_lost_are_listed_the_vital_and_the_large_first() -> None:
    comparison = compare(CHANGED, baseline="base")
    assert comparison.versus == "base"
    assert changes(comparison) == [
        ("new", "q", "v", 1.0, 0.0, False),
        ("new", "p", "half", 0.5, 1.0, True),
        ("new", "q", "o", 0.0, 1.0, True),
    ]
    assert [change.importance for change in comparison.changes] == ["vital", "vital", "okay"]
    assert comparison.changes[0].description == "the v of q"


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [(0.3, 0.7, True), (0.7, 0.3, True), (0.45, 0.55, False), (0.0, 0.39, False), (0.6, 1.0, False), (0.4, 0.6, True)],
)
def test_of_what_a_program_is_unsure_only_clear_changes_count(before: float, after: float, counts: bool) -> None:
    rows = [nug("q"), nug("p")]
    for query_id in "qp":
        for run_id, chance in (("base", before), ("new", after)):
            shares = {"0": 1 - chance, "1": chance}
            rows.append(judgement(query_id, run_id, float(chance > 0.5), judge="lexical", probabilities=shares))
    comparison = compare(rows, baseline="base")
    assert [change.gained for change in comparison.changes] == ([after > before] * 2 if counts else [])
    assert any("from 0.4 or less to 0.6 or more" in note for note in comparison.notes)


@pytest.mark.parametrize(
    ("labelled", "said"),
    [
        ({"new": 0, "old": 2}, ["people's judgements count (2 of run old), but there are none of new"]),
        ({"new": 1, "old": 2}, []),
        ({"new": 0, "old": 0}, []),
    ],
)
def test_labels_of_one_run_only_are_said_to_look_like_a_difference(labelled: dict[str, int], said: list[str]) -> None:
    rows = [nug(query_id) for query_id in "qp"]
    for run_id, count in labelled.items():
        for place, query_id in enumerate("qp"):
            rows.append(response(query_id, run_id, f"A red fox of {run_id} ran over the hill."))
            if place < count:
                rows.append(judgement(query_id, run_id, 1.0, judge="person"))
    notes = compare(rows, judge="lexical", measures="strict_all", baseline="old").notes
    assert [note.partition(":")[0] for note in notes if "look" in note] == said


def test_without_a_baseline_changes_are_against_the_best_run() -> None:
    comparison = compare(CHANGED, measures="lenient_all")
    assert comparison.versus == "new"
    assert [one[:3] + one[5:] for one in changes(comparison)][:2] == [
        ("base", "q", "v", True), ("base", "p", "half", False),
    ]  # fmt: skip


def test_scores_without_judgements_have_no_nugs() -> None:
    assert compare(score_rows(MATRIX)).changes == ()


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (score_rows(MATRIX), {"baseline": "main"}, "there is no run 'main'; choose from a, b, c"),
        (score_rows(MATRIX), {"runs": ["a", "z"]}, "there is no run 'z'; choose from a, b, c"),
        (score_rows({"a": [0.1, 0.2]}), {}, "there is only one run, a: nothing to compare it with"),
        (
            [*score_rows(MATRIX), *score_rows({"a": [0.1, 0.2]}, measure="N")],
            {"measures": "M,N"},
            "there is only one run, a: nothing to compare it with by N",
        ),
        (
            score_rows(MATRIX),
            {"average": "median"},
            "there are tests for mean and pooled scores only; choose --average query or pool",
        ),
    ],
)
def test_what_cannot_be_compared_is_reported_with_the_choices(
    rows: list[Row], options: dict[str, object], message: str
) -> None:
    assert refused(rows, **options) == message


def test_a_missing_response_is_an_error_zero_or_left_out_as_in_scoring() -> None:
    rows = [run("a"), run("b"), *judged_rows({"a": [1.0, 1.0, 0.5], "b": [0.5, 0.5]})]
    assert refused(rows).startswith("run b has no response to query q2; ")
    values = {
        missing: compared(rows, missing=missing, measures="lenient_vital").differences[0]
        for missing in ("zero", "skip")
    }
    assert (values["zero"].n, values["zero"].value) == (3, pytest.approx(0.5))
    assert (values["skip"].n, values["skip"].value) == (2, pytest.approx(0.5))


def test_where_less_is_better_the_longer_run_is_the_worse() -> None:
    """By name, too, where the scores were computed before."""
    rows = score_rows({"brief": [1.0] * 6, "long": [3.0] * 6}, measure="verbosity")
    comparison = compare(rows, baseline="brief", alternative="less")
    assert [(one.run_id, one.value, one.loss) for one in comparison.regressions] == [("long", 2.0, 2.0)]
    assert compare(rows, baseline="long", alternative="less").regressions == ()
    assert compare(rows).versus == "brief"


ALIKE = [
    *(nug(f"q{at}") for at in range(10)), *(judgement(f"q{at}", "a", float(at > 2)) for at in range(10)),
    *(judgement(f"q{at}", "b", 0.0) for at in range(3)),
]  # fmt: skip
"""Both find nothing for q0, q1, q2; a alone answers seven more, and finds what it is asked for."""


def test_pooled_runs_are_compared_on_the_queries_that_both_answer() -> None:
    pooled, mean = (
        compared(ALIKE, average=average, missing="skip", measures="strict_vital").differences[0]
        for average in ("pool", "query")
    )
    for one in (pooled, mean):
        assert (one.n, one.value, one.p, one.p_adjusted) == (3, 0.0, 1.0, 1.0)
    assert (pooled.low, pooled.high) == (0.0, 0.0)
    reach = 1 - 0.025 ** (1 / 3)
    assert (mean.low, mean.high) == pytest.approx((-reach, reach))
    counted = compared(ALIKE, average="pool", missing="zero", measures="strict_vital").differences[0]
    assert (counted.n, counted.value) == (10, pytest.approx(0.7))


def test_pooled_scores_have_no_tests_of_means() -> None:
    comparison = compared(judged_rows(MATRIX), average="pool", measures="lenient_vital")
    assert (comparison.tukey, comparison.anova) == (None, None)
    assert comparison.obstacle == "it is for means over queries, not for pooled scores"
    assert {(difference.p_t, difference.detectable) for difference in comparison.differences} == {(None, None)}
    assert None not in {difference.p for difference in comparison.differences}


def test_a_pooled_score_that_depends_on_one_large_query_is_not_significant() -> None:
    """One query of forty nugs decides the difference; of the other seven, of one each, the other run has all."""
    rows = [nug("q0", str(at)) for at in range(40)] + [nug(f"q{at}") for at in range(1, 8)]
    for run_id, large in (("a", 1.0), ("b", 0.0)):
        rows += [judgement("q0", run_id, large, str(at)) for at in range(40)]
        rows += [judgement(f"q{at}", run_id, 1.0 - large) for at in range(1, 8)]
    (difference,) = compared(rows, average="pool", measures="strict_vital").differences
    assert (difference.run_id, difference.value, difference.p) == ("a", pytest.approx(33 / 47), 1.0)


def test_measures_of_different_queries_are_not_held_side_by_side() -> None:
    rows = [*score_rows({"a": [0.5] * 5, "b": [0.25] * 5}), *score_rows({"a": [0.5] * 6, "b": [0.25] * 6}, measure="N")]
    comparison = compare(rows, measures="M,N")
    assert [measure.differences[0].n for measure in comparison.measures] == [5, 6]
    assert comparison.side_by_side is None


@pytest.mark.parametrize("average", ["query", "pool"])
def test_the_order_of_rows_decides_nothing(average: str) -> None:
    """So many queries that intervals and p-values are drawn at random, and ids whose order is not that of text."""
    rng = np.random.default_rng(3)
    rows = judged_rows({run_id: rng.choice([0.0, 0.5, 1.0], 30).tolist() for run_id in "abc"})
    shuffled = [rows[at] for at in rng.permutation(len(rows))]
    options = {"average": average, "measures": "lenient_vital"}
    scores, again = (
        {(one.run_id, one.query_id): one for one in score(given, **options).scores} for given in (rows, shuffled)
    )
    assert scores == again
    assert {one.extra["tie"] for one in scores.values() if one.query_id == "all"} == {"a"}
    for baseline in ("a", None):
        pairs, others = (
            {
                (difference.run_id, difference.versus): difference
                for difference in compared(given, baseline=baseline, **options).differences
            }
            for given in (rows, shuffled)
        )
        assert pairs == others


def test_the_order_of_given_scores_decides_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = score_rows({"a": rng.random(30).tolist(), "b": rng.random(30).tolist()})
    shuffled = [rows[at] for at in rng.permutation(len(rows))]
    assert compared(rows, baseline="a").differences == compared(shuffled, baseline="a").differences
