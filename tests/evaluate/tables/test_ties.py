from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from builders.rows import judged_rows, judgement, nug, score_rows
from karat.evaluate.compare.compare import compare_collection
from karat.evaluate.score.score import score_collection
from karat.evaluate.tables.score_table import ScoreTable, tabulate
from karat.evaluate.tables.ties import MOST_RUNS, Ties, tie_groups
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measure
from karat.stats.significance.anova import MOST_PAIRED_RUNS


def table(values: list[list[float]]) -> ScoreTable:
    array = np.array(values)
    runs, queries = array.shape
    ids = tuple(f"r{at}" for at in range(runs)), tuple(f"q{at}" for at in range(queries))
    return ScoreTable("M", *ids, array, np.zeros(array.shape, bool))


def noisy(*means: float, queries: int, seed: int = 0, spread: float = 0.1) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    easy = rng.normal(0, 0.2, queries)
    return [(mean + easy + rng.normal(0, spread, queries)).tolist() for mean in means]


def test_runs_that_are_clearly_apart_have_letters_of_their_own_best_first() -> None:
    assert tie_groups(table(noisy(0.2, 0.8, 0.5, queries=30)), seed=0) == Ties(("c", "a", "b"), test="max-t")


def test_runs_that_cannot_be_distinguished_share_a_letter() -> None:
    assert tie_groups(table(noisy(0.5, 0.5, 0.1, queries=30)), seed=0) == Ties(("a", "a", "b"), test="max-t")


def test_all_runs_equal_are_one_group() -> None:
    assert tie_groups(table([[0.5] * 8] * 3), seed=0) == Ties(("a", "a", "a"), test="permutation-holm")


def test_one_run_has_no_other_to_be_distinguished_from() -> None:
    assert tie_groups(table([[0.1, 0.9]]), seed=0) == Ties(("",))
    scoring = score_collection(load(score_rows({"r": [0.1, 0.9]})))
    assert [score.extra for score in scoring.of_all()] == [{}]
    assert scoring.notes == ()


@pytest.mark.parametrize(
    ("runs", "queries", "had", "lacking", "enough"),
    [
        (2, 1, "1 query", "1 pair of runs needs", 6),
        (2, 5, "5 queries", "1 pair of runs needs", 6),
        (3, 6, "6 queries", "3 pairs of runs need", 7),
        (5, 8, "8 queries", "10 pairs of runs need", 9),
    ],
)
def test_too_few_queries_give_no_letters_and_say_how_many_it_takes(
    runs: int, queries: int, had: str, lacking: str, enough: int
) -> None:
    assert tie_groups(table([[float(run)] * queries for run in range(runs)]), seed=0) == Ties(
        ("",) * runs,
        f"no tie groups: with {had} no difference, however large, is significant ({lacking} at least {enough} queries)",
    )
    told_apart = tie_groups(table([[float(run)] * enough for run in range(runs)]), seed=0)
    assert told_apart.letters == tuple("edcba"[-runs:])


def test_the_note_is_below_the_scores_once() -> None:
    scoring = score_collection(load(judged_rows({"r": [1.0, 0.5], "s": [0.0, 0.0]})))
    assert [score.extra for score in scoring.of_all()] == [{}] * 8
    assert scoring.notes == (
        "no tie groups: with 2 queries no difference, however large, is significant "
        "(1 pair of runs needs at least 6 queries)",
    )


def test_letters_agree_with_the_corrected_tests_of_all_pairs() -> None:
    values = noisy(0.5, 0.52, 0.62, 0.66, 0.8, queries=16, seed=3)
    given = load(score_rows({f"r{at}": row for at, row in enumerate(values)}))
    letters = {score.run_id: set(score.extra["tie"]) for score in score_collection(given, seed=5).of_all()}
    (compared,) = compare_collection(given, seed=5).measures
    assert len(compared.differences) == 10
    for one in compared.differences:
        assert one.significant == (not letters[one.run_id] & letters[one.versus])
    assert {difference.significant for difference in compared.differences} == {True, False}


def test_the_same_seed_gives_the_same_letters_and_undefined_runs_have_none() -> None:
    values = noisy(0.5, 0.6, 0.65, 0.4, queries=25, seed=2)
    values.insert(1, [float("nan")] * 25)
    found = [tie_groups(table(values), seed=7) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].letters[1] == ""
    assert "" not in (found[0].letters[0], *found[0].letters[2:])


def test_undefined_cells_are_left_out_pair_by_pair() -> None:
    values = np.array(noisy(0.2, 0.8, queries=12))
    values[0, :3] = values[1, 3:6] = np.nan
    assert tie_groups(table(values.tolist()), seed=0).letters == ("b", "a")
    values[0, 6] = np.nan
    assert (tie_groups(table(values.tolist()), seed=0).note or "").startswith("no tie groups: with 5 queries")


def test_runs_without_a_query_in_common_are_not_distinguished() -> None:
    nothing = float("nan")
    values = [[0.9] * 8 + [nothing] * 8, [nothing] * 8 + [0.1] * 8]
    ties = tie_groups(table(values), seed=0)
    assert ties.letters == ("", "")
    assert (ties.note or "").startswith("no tie groups: no two runs have a query in common")


def test_very_many_runs_have_no_letters_but_the_way_to_them() -> None:
    ties = tie_groups(table([[0.1, 0.2]] * (MOST_RUNS + 1)), seed=0)
    assert set(ties.letters) == {""}
    assert ties.note == "no tie groups for more than 120 runs; see `karat compare --tukey`"
    # For so many there is no Tukey's test either.
    ties = tie_groups(table([[0.1, 0.2]] * (MOST_PAIRED_RUNS + 1)), seed=0)
    assert ties.note == (
        "no tie groups for more than 120 runs, because all pairs of runs are tested; choose runs with --runs, or "
        "compare them with one run: `karat compare --baseline RUN`"
    )


def test_pooled_scores_are_distinguished_by_exchanging_counts() -> None:
    rows = [nug(f"q{at}", number) for at in range(10) for number in "12"]
    for run_id, degrees in (("good", (1.0, 1.0)), ("poor", (0.0, 1.0)), ("other", (1.0, 0.0))):
        rows += [
            judgement(f"q{at}", run_id, degree, number)
            for at in range(10)
            for number, degree in zip("12", degrees, strict=True)
        ]
    cases = Cases(load(rows))
    table = tabulate(cases, parse_measure("strict_all"), average="pool")
    assert tie_groups(table, seed=0).letters == ("a", "b", "b")


def test_no_letter_is_given_to_two_runs_that_differ() -> None:
    values = noisy(*np.linspace(0.2, 0.8, 9), queries=20, seed=11)
    letters = tie_groups(table(values), seed=0).letters
    (compared,) = compare_collection(load(score_rows({f"r{at}": row for at, row in enumerate(values)}))).measures
    apart = {
        frozenset((difference.run_id, difference.versus))
        for difference in compared.differences
        if difference.significant
    }
    for first, second in combinations(range(9), 2):
        shared = set(letters[first]) & set(letters[second])
        assert bool(shared) != (frozenset((f"r{first}", f"r{second}")) in apart)


def test_medians_have_no_letters_and_the_reason_is_reported() -> None:
    """The median of the first is the higher one, its mean the lower."""
    rows = score_rows({"a": [0.6] * 11 + [0.0] * 10, "b": [0.5] * 21}, measure="recall")
    scoring = score_collection(load(rows), average="median")
    assert [(score.run_id, score.value, score.extra) for score in scoring.of_all()] == [("a", 0.6, {}), ("b", 0.5, {})]
    assert scoring.notes == ("no tie groups: there are tests for mean and pooled scores, not for medians",)
    means = score_collection(load(rows))
    assert [(score.run_id, score.extra["tie"]) for score in means.of_all()] == [("a", "b"), ("b", "a")]


def test_a_single_run_has_no_note_about_its_median() -> None:
    scoring = score_collection(load(score_rows({"a": [0.1, 0.6, 0.7]})), average="median")
    assert scoring.notes == ()


def test_pooled_ties_leave_out_what_one_of_the_two_was_not_asked() -> None:
    rows = [nug(f"q{at}") for at in range(16)]
    rows += [judgement(f"q{at}", "a", float(at > 7)) for at in range(16)] + [
        judgement(f"q{at}", "b", 0.0) for at in range(8)
    ]
    scoring = score_collection(load(rows), average="pool", missing="skip", measures="strict_vital")
    assert [(score.value, score.extra["tie"]) for score in scoring.of_all()] == [(0.5, "a"), (0.0, "a")]


def easy_and_hard() -> list[list[float]]:
    """r0 answers only the easy queries; r1 is better on each of them, and answers the hard ones, too."""
    rng = np.random.default_rng(2)
    easy, hard = rng.uniform(0.65, 0.75, 15), rng.uniform(0.1, 0.2, 15)
    better = np.concatenate([easy + rng.uniform(0.1, 0.16, 15), hard + 0.13])
    return [[*easy.tolist(), *[np.nan] * 15], better.tolist()]


def test_letters_do_not_reverse_the_truth_where_values_are_missing() -> None:
    made = table(easy_and_hard())
    raw = made.totals()
    assert raw[0] > raw[1]
    assert made.best_first() == [1, 0]
    assert tie_groups(made, seed=0).letters == ("b", "a")
    (difference,) = (
        compare_collection(load(score_rows({"r0": easy_and_hard()[0], "r1": easy_and_hard()[1]})))
        .measures[0]
        .differences
    )
    assert (difference.run_id, difference.versus, difference.significant) == ("r1", "r0", True)


def test_the_score_table_is_in_the_order_of_adjusted_means_and_says_so() -> None:
    scoring = score_collection(load(score_rows({"r0": easy_and_hard()[0], "r1": easy_and_hard()[1]})))
    rows = [line.split()[0] for line in str(scoring).splitlines()[2:4]]
    assert rows == ["r1", "r0"]
    assert any("rows and letters follow adjusted means" in note for note in scoring.notes)
    by_run = {score.run_id: score for score in scoring.of_all()}
    assert by_run["r0"].value is not None
    assert by_run["r1"].value is not None
    assert by_run["r0"].value > by_run["r1"].value
    assert by_run["r0"].extra["adjusted"] < by_run["r1"].extra["adjusted"]


def test_runs_without_a_common_query_share_no_letter() -> None:
    rng = np.random.default_rng(3)
    best, worst = rng.normal(0.906, 0.02, 10).tolist(), rng.normal(0.105, 0.02, 10).tolist()
    gap = [np.nan] * 10
    made = tie_groups(table([[*best, *gap], [*gap, *worst]]), seed=0)
    assert not made.letters[0] or not set(made.letters[0]) & set(made.letters[1]) - {"*"}
    third = rng.normal(0.5, 0.02, 20).tolist()
    groups = tie_groups(table([[*best, *gap], [*gap, *worst], third]), seed=0)
    assert groups.letters == ("a", "c*", "b")
    assert groups.note is not None
    assert groups.note.startswith("*: a run that was not tested against every other")
    assert "(r0 and r1)" in groups.note


def test_without_gaps_nothing_is_adjusted() -> None:
    assert table(noisy(0.2, 0.8, queries=5)).adjusted() is None
    undefined = noisy(0.2, 0.8, queries=5)
    for row in undefined:
        row[2] = np.nan
    assert table(undefined).adjusted() is None
