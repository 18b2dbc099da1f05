from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.rows import Row, judgement, nug, query, response
from karat.evaluate.compare.compare import compare_collection
from karat.evaluate.score.errors import drawn_blocks
from karat.evaluate.score.errors.judge_draws import DrawnDegrees, UnsureCase, drawn_counts, is_uncertain
from karat.evaluate.score.errors.judge_error import combined, judge_error, with_judge_error
from karat.evaluate.score.score import score_collection
from karat.evaluate.tables.tabulating import tabulated
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.model import Judgement, Score
from karat.stats.intervals.bootstrap import Interval


def unsure(query_id: str, run_id: str, full: float, nug_id: str = "1", *, partial: float = 0.0) -> Row:
    row = judgement(query_id, run_id, 1.0 if full >= 0.5 else 0.0, nug_id)
    return row | {"probabilities": {"0": 1 - full - partial, "0.5": partial, "1": full}}


def scored(rows: list[Row], measure: str = "strict_all", **options: Any) -> Score:
    return score_collection(load(rows), measures=measure, **options).of_all()[0]


CHANCES = [[0.9, 0.2, 0.03], [0.5, 0.6, 0.001], [0.4, 0.97, 0.3], [0.8, 0.1, 0.2]]
ROWS = [
    row
    for at, chances in enumerate(CHANCES)
    for each, chance in enumerate(chances)
    for row in (nug(f"q{at}", str(each)), unsure(f"q{at}", "x", chance, str(each), partial=0.0))
]
EXPECTED = sum(map(sum, CHANCES)) / 12


def test_the_value_is_the_expected_score() -> None:
    assert scored(ROWS).value == pytest.approx(EXPECTED, abs=1e-12)


def test_partial_credit_counts_half_in_a_lenient_score_and_nothing_in_a_strict_one() -> None:
    rows = [nug("q"), nug("q", "2"), unsure("q", "x", 0.3, partial=0.5), unsure("q", "x", 0.1, "2", partial=0.1)]
    assert scored(rows, "strict_all").value == pytest.approx((0.3 + 0.1) / 2, abs=1e-12)
    assert scored(rows, "lenient_all").value == pytest.approx((0.55 + 0.15) / 2, abs=1e-12)


@pytest.mark.parametrize("average", ["query", "pool", "median"])
def test_the_judges_interval_holds_the_value(average: str) -> None:
    score = scored(ROWS, average=average)
    assert score.value is not None
    assert score.judge_low is not None
    assert score.judge_high is not None
    assert score.judge_low < score.value < score.judge_high


def test_the_judges_error_is_in_measures_that_read_the_judgements_themselves() -> None:
    rows = [*ROWS, *(response(f"q{at}", "x", "some text") for at in range(len(CHANCES)))]
    score = scored(rows, "comprehensiveness")
    assert score.value == pytest.approx(EXPECTED, abs=0.05)
    assert (score.judge_low or 0.0) < EXPECTED - 0.05 < EXPECTED + 0.05 < (score.judge_high or 0.0)


def test_an_interval_holds_even_a_value_that_hardly_any_draw_reaches() -> None:
    score = scored([nug("q"), unsure("q", "x", 0.001)])
    assert (score.judge_low, score.value, score.judge_high) == (0.0, pytest.approx(0.001), pytest.approx(0.001))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0, 3), st.integers(0, 5))
def test_value_and_interval_for_any_probabilities(chances: list[float], sigma: float, seed: int) -> None:
    keyed = [nug("q", str(at)) for at in range(len(chances))]
    marks = [unsure("q", "x", chance, str(at)) for at, chance in enumerate(chances)]
    score = scored([*keyed, *marks], sigma=sigma, seed=seed)
    assert score.value == pytest.approx(sum(chances) / len(chances), abs=1e-9)
    assert score.judge_low is not None
    assert score.judge_high is not None
    assert 0 <= score.judge_low <= score.value <= score.judge_high <= 1 + 1e-12


def test_the_interval_widens_with_sigma_and_the_value_stays() -> None:
    keyed = [nug("q", str(at)) for at in range(20)]
    rows = [*keyed, *(unsure("q", "x", 0.5, str(at)) for at in range(20))]
    widths, values = [], []
    for sigma in (0.0, 1.0, 3.0):
        score = scored(rows, sigma=sigma)
        assert score.judge_low is not None
        assert score.judge_high is not None
        widths.append(score.judge_high - score.judge_low)
        values.append(score.value)
    assert widths[0] < widths[1] < widths[2]
    assert values == pytest.approx([0.5] * 3, abs=1e-12)


def test_without_shared_errors_the_interval_is_that_of_independent_nugs() -> None:
    keyed = [nug(f"q{at}") for at in range(400)]
    score = scored([*keyed, *(unsure(f"q{at}", "x", 0.3) for at in range(400))], sigma=0.0, run_sigma=0.0)
    assert score.judge_low is not None
    assert score.judge_high is not None
    # 2 x 1.96 x sqrt(0.3 x 0.7 / 400)
    assert score.judge_high - score.judge_low == pytest.approx(0.0898, rel=0.2)


def test_errors_that_follow_a_run_through_its_queries_do_not_average_out() -> None:
    rows = [*(nug(f"q{at}") for at in range(100)), *(unsure(f"q{at}", "x", 0.5) for at in range(100))]
    alone, shared = (scored(rows, sigma=0.0, run_sigma=run_sigma) for run_sigma in (0.0, 1.0))
    assert alone.judge_high is not None
    assert shared.judge_high is not None
    assert shared.judge_high > alone.judge_high + 0.1
    assert shared.value == pytest.approx(0.5, abs=1e-12)


def test_where_all_is_known_there_is_no_judges_interval() -> None:
    known = [nug(f"q{at}") for at in range(4)] + [judgement(f"q{at}", "x", float(at % 2)) for at in range(4)]
    score = scored(known)
    assert (score.judge_low, score.judge_high) == (None, None)


def test_a_run_that_is_known_has_an_interval_of_no_width_beside_one_that_is_not() -> None:
    rows = [nug("q"), judgement("q", "sure", 1.0), unsure("q", "x", 0.5)]
    sure, _ = score_collection(load(rows), measures="strict_all").of_all()
    assert (sure.value, sure.judge_low, sure.judge_high) == (1.0, 1.0, 1.0)


def test_the_interval_over_queries_is_wider_by_the_judges_error() -> None:
    both = scored(ROWS)
    table = tabulated(load(ROWS), measures="strict_all")
    (alone,) = table.tables[0].intervals(seed=0)
    assert alone is not None
    assert both.low is not None
    assert both.high is not None
    assert both.low < alone.low
    assert both.high > alone.high


def test_half_widths_add_up_in_squares() -> None:
    both = combined(Interval(0.2, 0.9), Interval(0.1, 0.8), 0.5)
    assert both is not None
    assert (both.low, both.high) == (pytest.approx(0.0), pytest.approx(1.0))
    assert combined(None, Interval(0, 1), 0.5) is None
    assert combined(Interval(0, 1), None, 0.5) == Interval(0, 1)


def test_an_undefined_score_has_no_interval() -> None:
    none = Score(run_id="x", query_id="all", measure="m", value=None)
    assert with_judge_error(none, None, Interval(0, 1)) == none


def test_draws_are_repeated_by_seed() -> None:
    (table,) = tabulated(load(ROWS), measures="strict_all").tables
    found = [
        judge_error(Cases(load(ROWS)), (table,), sigma=1.0, seed=seed, draws=21).runs[0][0].of_slices["all"]
        for seed in (1, 1, *range(2, 14))
    ]
    assert found[0] == found[1]
    assert len(set(found)) > 1


def test_of_a_measure_that_is_not_linear_the_expected_score_counts_not_that_of_expected_credits() -> None:
    keyed = [nug("q", "v"), nug("q", "o", "okay"), response("q", "x", "a" * 100)]
    rows = [*keyed, unsure("q", "x", 0.5, "v"), unsure("q", "x", 0.5, "o")]
    # F1 is 1 where the vital nug is found and 0 where it is not; recall 0.5 and precision 1 would have 2/3.
    assert tabulated(load(rows), measures="F1").tables[0].values[0, 0] == pytest.approx(2 / 3)
    assert scored(rows, "F1", sigma=0.0).value == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("aggregator", "expected"), [("or", 1 - 0.5 * 0.6), ("and", 0.5 * 0.4)])
def test_parts_are_drawn_and_the_whole_made_of_them(aggregator: str, expected: float) -> None:
    rows: list[Row] = []
    for at in range(30):
        name = f"q{at}"
        rows += [nug(name, "w", aggregator=aggregator), nug(name, "a", parent="w"), nug(name, "b", parent="w")]
        rows += [unsure(name, "x", 0.5, "a"), unsure(name, "x", 0.4, "b")]
    score = scored(rows, sigma=0.0)
    values = [score.judge_low, score.value, score.judge_high]
    assert score.value == pytest.approx(expected, abs=0.02)
    assert values == sorted(values, key=lambda value: value or 0)
    assert score.judge_low != score.judge_high


def test_where_assessors_or_snippets_are_several_each_judgement_is_drawn() -> None:
    rows = [nug("q"), unsure("q", "x", 0.5) | {"assessor": "a"}, unsure("q", "x", 0.5) | {"assessor": "b"}]
    cases = Cases(load(rows))
    (table,) = tabulated(load(rows), measures="strict_all").tables
    found = judge_error(cases, (table,), sigma=0.0, seed=0, draws=400)
    assert found.runs[0][0].of_slices == {"all": Interval(0.0, 1.0)}
    assert found.tables[0].values[0, 0] == pytest.approx(0.5, abs=1e-9)


def test_skipped_queries_stay_skipped() -> None:
    rows = [nug("q"), nug("r"), unsure("q", "x", 0.25), unsure("q", "y", 0.5), judgement("r", "y", 1.0)]
    scores = score_collection(load(rows), measures="strict_all", missing="skip").of_all()
    assert {one.run_id: (one.value, one.n) for one in scores} == {
        "x": (pytest.approx(0.25), 1),
        "y": (pytest.approx(0.75), 2),
    }


def test_who_gives_no_probability_to_anything_is_not_uncertain() -> None:
    one = Judgement(query_id="q", run_id="x", nug_id="1", degree=1.0, probabilities={"0": 0.0, "1": 0.0}, judge="j")
    assert not is_uncertain(one)
    assert not is_uncertain(Judgement(query_id="q", run_id="x", nug_id="1", degree=1.0, judge="j"))
    failed = Judgement(query_id="q", run_id="x", nug_id="1", probabilities={"1": 1.0}, judge="j", status="failed")
    assert not is_uncertain(failed)
    sure = scored([nug("q"), judgement("q", "x", 1.0) | {"probabilities": {"1": 0.0}}, nug("r"), unsure("r", "x", 0.5)])
    assert sure.value == pytest.approx(0.75)
    assert np.isfinite(sure.judge_low or np.nan)


def two_languages() -> list[Row]:
    rows: list[Row] = []
    for at, chances in enumerate(CHANCES):
        rows.append(query(f"q{at}", language="en" if at < 2 else "de"))
        for each, chance in enumerate(chances):
            rows += [nug(f"q{at}", str(each)), unsure(f"q{at}", "x", chance, str(each))]
    return rows


@pytest.mark.parametrize("average", ["query", "pool", "median"])
def test_slices_and_queries_have_the_judges_interval(average: Any) -> None:
    scoring = score_collection(load(two_languages()), measures="strict_all", by="language", average=average)
    assert [score.query_id for score in scoring.of_all()] == ["language=de", "language=en", "all"]
    for one in (*scoring.of_all(), *scoring.by_query()):
        assert one.value is not None
        assert one.judge_low is not None
        assert one.judge_high is not None
        assert one.judge_low <= one.value <= one.judge_high
        assert one.judge_low < one.judge_high
    whole, part = scoring.of_all()[2], scoring.of_all()[0]
    assert (part.judge_high or 0) - (part.judge_low or 0) > (whole.judge_high or 0) - (whole.judge_low or 0)
    # A query alone has no interval over queries.
    assert all(score.low is None for score in scoring.by_query())


def test_a_query_of_known_judgements_has_an_interval_of_no_width() -> None:
    rows = [nug("p"), nug("q"), judgement("p", "x", 1.0), unsure("q", "x", 0.5)]
    known, other = score_collection(load(rows), measures="strict_all").by_query()
    assert (known.judge_low, known.judge_high) == (1.0, 1.0)
    assert (other.judge_low, other.judge_high) == (0.0, 1.0)


chance = st.tuples(st.floats(0, 1), st.floats(0, 1))


@settings(max_examples=8, deadline=None)
@given(st.lists(chance, min_size=1, max_size=4), st.booleans(), st.sampled_from(["strict_vital", "lenient_weighted"]))
@pytest.mark.parametrize("more", [["F3"], ["nugget_recall"], ["nugget_precision"], ["pyramid_F3"]])
def test_draws_counted_at_once_are_those_counted_one_by_one(
    more: list[str], chances: list[tuple[float, float]], vital: bool, name: str
) -> None:
    rows = [nug("q", "known", "vital" if vital else "okay", weight=0.5), judgement("q", "x", 1.0, "known")]
    rows.append(response("q", "x", "a" * 150))
    for at, (full, partial) in enumerate(chances):
        rows += [nug("q", str(at), "okay" if at % 2 else "vital", weight=1.0)]
        rows += [unsure("q", "x", full, str(at), partial=(1 - full) * partial)]
    records = load(rows)
    for table in tabulated(records, measures=[name, *more]).tables:
        assert table.measure is not None
        case = Cases(records).case("x", "q")
        assert case is not None
        unknown = [judgement for judgement in case.judgements if is_uncertain(judgement)]
        degrees = np.random.default_rng(0).choice([0.0, 0.5, 1.0], (20, len(unknown)))
        cell = UnsureCase.of(case)
        assert cell is not None
        at_once = drawn_counts(table.measure, cell, DrawnDegrees(degrees)).counts
        for row, drawn in zip(at_once, degrees.tolist(), strict=True):
            said = dict(zip((one.nug_id for one in unknown), drawn, strict=True))
            sure = [row | {"degree": said[row["nug_id"]]} for row in rows if "probabilities" in row]
            sure = [{key: value for key, value in one.items() if key != "probabilities"} for one in sure]
            plain = load([*(row for row in rows if "probabilities" not in row), *sure])
            certain = Cases(plain).case("x", "q")
            assert certain is not None
            np.testing.assert_allclose(row, table.measure.counts(certain), atol=1e-9)


def test_what_the_judges_error_is_not_in_is_reported() -> None:
    rows = [nug(f"q{at}") for at in range(8)]
    rows += [unsure(f"q{at}", run_id, p) for at in range(8) for run_id, p in (("x", 0.9), ("y", 0.1))]
    compared = compare_collection(load(rows))
    assert any("the interval of the judge's error" in note.replace("95 % ", "") for note in compared.notes)
    known = [nug("q"), judgement("q", "x", 1.0), judgement("q", "y", 0.0)]
    assert not any("judge's" in note for note in compare_collection(load(known)).notes)


@pytest.mark.parametrize("average", ["query", "pool", "median"])
@pytest.mark.parametrize("measures", ["strict_all,lenient_vital", "F3"])
@pytest.mark.parametrize("parts", [False, True])
def test_blocks_of_runs_and_queries_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, average: str, measures: str, parts: bool
) -> None:
    """Runs that are sure of some queries, or of all. Nugs with parts have fewer draws: only nearly the same."""
    rows = list(ROWS)
    if parts:
        rows += [
            nug("q1", "whole", aggregator="and"),
            nug("q1", "part", parent="whole"),
            unsure("q1", "x", 0.4, "part"),
        ]
    of_x = [row for row in rows if row.get("run_id") == "x"]
    rows += [row | {"run_id": "y"} for row in of_x if row["query_id"] != "q0"]
    rows += [judgement("q0", "y", 1.0, str(at)) for at in range(3)]
    rows += [judgement(row["query_id"], "z", 1.0, row["nug_id"]) for row in of_x]
    rows += [response(f"q{at}", run) for at in range(4) for run in "xyz"]

    def found() -> list[tuple[float | None, ...]]:
        scores = score_collection(load(rows), measures=measures, average=average).scores
        return [(score.value, score.low, score.high, score.judge_low, score.judge_high) for score in scores]

    whole = found()
    assert len({score[3] for score in whole}) > 3
    for runs, queries in ((1, 1), (2, 3)):
        monkeypatch.setattr(drawn_blocks, "RUNS", runs)
        monkeypatch.setattr(drawn_blocks, "QUERIES", queries)
        for now, before in zip(found(), whole, strict=True):
            assert now == pytest.approx(before, abs=0.05 if parts else 1e-12)


def test_runs_with_fewer_draws_keep_their_error_beside_runs_with_more() -> None:
    """A nug with parts has fewer draws; a run that was judged by a person there has more, and one that is sure none."""
    rows = [*ROWS, nug("q1", "whole", aggregator="and"), nug("q1", "part", parent="whole")]
    of_x = [row for row in ROWS if row.get("run_id") == "x"]
    rows += [row | {"run_id": "y"} for row in of_x if row["query_id"] != "q1"]
    rows += [judgement("q1", "y", 1.0, name) for name in ("0", "1", "2", "part")]
    rows += [judgement(row["query_id"], "z", 1.0, row["nug_id"]) for row in of_x]
    rows += [judgement("q1", "z", 1.0, "part"), unsure("q1", "x", 0.4, "part")]
    scores = tabulated(load(rows), measures="lenient_all")
    assert scores.cases is not None
    error = judge_error(scores.cases, scores.tables, seed=0)
    assert {len(run.totals["all"]) for run in error.runs[0]} == {1, 200, 2000}
    draws = dict(zip(scores.tables[0].run_ids, error.draws(0), strict=True))
    for run, at in (("x", 0), ("y", 1)):
        np.testing.assert_array_equal(draws[run], error.runs[0][at].totals["all"][:200])
        assert draws[run].std() > 0.01
    assert draws["z"].std() == 0
