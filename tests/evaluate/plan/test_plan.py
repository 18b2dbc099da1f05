from __future__ import annotations

import math
import re
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

import karat
from karat.evaluate.plan.goal import Goal
from karat.evaluate.plan.pilots import SAFE_TRUST
from karat.evaluate.plan.plan import NUMBERS, Plan, plan
from karat.model import UsageError
from karat.reports.plan import planning_tables
from karat.stats.reliability.safe_plan import JUDGE_FLOOR, NO_VARIATION, SMALL_PILOT
from karat.stats.reliability.variance import generalizability, variance_components

Row = dict[str, Any]
A = [0.8, 0.6, 0.7, 0.9, 0.4, 0.7]
B = [0.5, 0.6, 0.4, 0.9, 0.1, 0.8]
C = [0.1, 0.3, 0.2, 0.5, 0.0, 0.4]


def scores(measure: str = "F3", **runs: list[float | None]) -> list[Row]:
    return [
        {"kind": "score", "run_id": run_id, "query_id": f"q{at}", "measure": measure}
        | ({} if value is None else {"value": value})
        for run_id, values in runs.items()
        for at, value in enumerate(values)
    ]


def only(*inputs: Any, **options: Any) -> Plan:
    (found,) = plan(*inputs, **options).plans
    return found


def test_without_a_pilot_the_difference_and_the_sd_make_the_plan() -> None:
    planned = only(difference=0.05, sd=0.2)
    assert (planned.queries_needed, planned.measure, planned.pilot, planned.components) == (128, None, None, None)
    expected = TTestPower().solve_power(effect_size=0.25, alpha=0.05, power=0.8)
    assert planned.queries_needed == math.ceil(expected)
    steps = {step.queries: step for step in planned.steps}
    assert sorted(steps) == sorted({*NUMBERS, 128})
    assert [step.queries for step in planned.steps if step.mark == "needed"] == [128]
    for queries, near in ((10, 0.03), (100, 1e-6), (500, 1e-6)):
        assert steps[queries].power == pytest.approx(TTestPower().power(0.25, queries, 0.05), abs=near)
        assert steps[queries].reliability is None
    assert steps[128].detectable == pytest.approx(0.05, rel=0.005)


def test_a_one_sided_test_and_fewer_comparisons_need_fewer_queries() -> None:
    needed = [
        only(difference=0.05, sd=0.2, one_sided=True).queries_needed,
        only(difference=0.05, sd=0.2).queries_needed,
        only(difference=0.05, sd=0.2, comparisons=10).queries_needed,
        only(difference=0.05, sd=0.2, comparisons=10, power=0.95).queries_needed,
    ]
    assert None not in needed
    assert needed == sorted(needed, key=lambda number: number or 0)
    assert len(set(needed)) == 4


def test_the_pilot_gives_difference_and_sd_of_two_runs() -> None:
    planning = plan(scores(a=A, b=B, c=C), runs=("a", "b"))
    (found,) = planning.plans
    by_query = [one - other for one, other in zip(A, B, strict=True)]
    assert found.pilot is not None
    assert (found.pilot.run_id, found.pilot.versus, found.pilot.queries, found.pilot.pairs) == ("a", "b", 6, 1)
    assert found.pilot.observed == found.difference == pytest.approx(mean(by_query))
    assert found.sd == pytest.approx(stdev(by_query))
    assert found.pilot.low is not None
    assert found.pilot.low < 0.13 < (found.pilot.high or 0)
    assert found.pilot.sd_low < found.sd < found.pilot.sd_high
    assert [step.mark for step in found.steps if step.queries == 6] == ["at hand"]
    assert found.signature.startswith("F3|from:scores|seed:0|test:permutation|difference:observed|power:0.8|")
    assert any("may be zero" in note for note in planning.notes) == (found.pilot.low <= 0)


def test_the_interval_of_the_sd_is_that_of_the_chi_square_distribution() -> None:
    from scipy.stats import chi2

    planned = only(scores(a=A, b=B))
    assert planned.pilot is not None
    for limit, tail in ((planned.pilot.sd_low, 0.975), (planned.pilot.sd_high, 0.025)):
        assert limit == pytest.approx(planned.sd * math.sqrt(5 / chi2.ppf(tail, 5)))


def test_of_two_runs_that_nobody_names_the_better_comes_first() -> None:
    planned = only(scores(b=B, a=A))
    assert planned.pilot is not None
    assert (planned.pilot.run_id, planned.pilot.versus) == ("a", "b")
    assert planned.difference > 0


def test_of_several_runs_the_median_sd_is_taken_and_reported() -> None:
    planning = plan(scores(a=A, b=B, c=C))
    (found,) = planning.plans
    pairs = [[x - y for x, y in zip(one, other, strict=True)] for one, other in ((A, B), (A, C), (B, C))]
    assert found.sd == pytest.approx(sorted(map(stdev, pairs))[1])
    assert found.difference == pytest.approx(sorted(abs(mean(pair)) for pair in pairs)[1])
    assert found.pilot is not None
    assert (found.pilot.run_id, found.pilot.pairs, found.pilot.low) == (None, 3, None)
    assert "median sd of the differences of 3 pairs of runs" in planning.notes[0]


def test_the_difference_that_matters_replaces_the_one_observed() -> None:
    planning = plan(scores(a=A, b=B), difference=0.02)
    (found,) = planning.plans
    assert found.difference == 0.02
    assert found.pilot is not None
    assert found.pilot.observed == pytest.approx(0.8 / 6)
    assert (found.queries_needed or 0) > (only(scores(a=A, b=B)).queries_needed or 0)
    assert planning.notes == (f"F3: {SAFE_TRUST}",)
    assert "|difference:0.02|" in found.signature


def test_reliability_comes_from_the_variance_components_of_all_runs() -> None:
    planned = only(scores(a=A, b=B, c=C), runs=("a", "b"))
    components = variance_components([A, B, C])
    assert planned.components == components
    assert components is not None
    at_25 = next(step for step in planned.steps if step.queries == 25)
    expected = generalizability(components, queries=25)
    assert (at_25.reliability, at_25.dependability) == (expected.relative, expected.absolute)


def test_a_query_that_one_run_lacks_is_left_out_and_reported() -> None:
    planning = plan(scores(a=[*A, 0.5], b=[*B, None]))
    (found,) = planning.plans
    assert found.pilot is not None
    assert (found.pilot.queries, found.pilot.left_out) == (6, 1)
    assert found.sd == pytest.approx(only(scores(a=A, b=B)).sd)
    assert "F3: 1 query left out, where one of the two runs has no value" in planning.notes
    assert (
        "F3: variance components by REML from 13 values of 2 runs and 7 queries; some runs lack values"
        in planning.notes
    )


def test_one_sided_for_the_worse_run_no_number_is_enough() -> None:
    planning = plan(scores(a=A, b=B), runs=("b", "a"), one_sided=True)
    assert planning.plans[0].queries_needed is None
    assert planning.notes == (
        "F3: b is below a, which a one-sided test does not look for; name them in the other order",
    )


def test_runs_that_do_not_differ_leave_nothing_to_find() -> None:
    planned = only(scores(a=A, b=list(A)))
    assert (planned.difference, planned.sd, planned.queries_needed) == (0.0, 0.0, None)
    assert planned.pilot is not None
    assert {step.power for step in planned.steps} == {None}
    assert {step.detectable for step in planned.steps} == {None}
    assert planned.pilot.reason == NO_VARIATION


def test_nothing_is_planned_from_a_pilot_without_variation() -> None:
    records = scores(a=[0.75, 0.5, 0.25], b=[0.5, 0.25, 0.0])
    for options in ({}, {"difference": 0.1}):
        planned = only(records, **options)
        assert (planned.sd, planned.queries_needed, planned.fewest) == (0.0, None, 6)
        assert planned.pilot is not None
        assert (planned.pilot.safe_queries, planned.pilot.reason) == (None, NO_VARIATION)
        assert {(step.power, step.detectable) for step in planned.steps} == {(None, None)}
    planning = plan(records)
    assert any("the pilot shows no variation" in note and "nothing can be planned" in note for note in planning.notes)
    text = "".join(map(str, planning_tables(planning)))
    assert re.search(r"queries needed if these are exact .*no number", text)
    assert re.search(r"difference that they find with power 0.8 +unknown", text)


def test_beside_a_safe_number_stands_what_no_pilot_can_know() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.normal(mean, 0.1, 40).round(3).tolist() for mean in (0.6, 0.5))
    said = "a rare failure that the pilot did not show is in no plan"
    assert any(said in note for note in plan(scores(a=a, b=b)).notes)
    assert not any(said in note for note in plan(scores(a=a[:19], b=b[:19])).notes), "there is no safe number"


def test_a_safe_number_for_an_observed_difference_takes_twenty_queries() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.normal(mean, 0.1, 40).round(3).tolist() for mean in (0.6, 0.5))
    planning = plan(scores(a=a[:19], b=b[:19]))
    (small,) = planning.plans
    assert small.pilot is not None
    assert (small.pilot.safe_queries, small.pilot.reason) == (None, SMALL_PILOT)
    assert f"F3: no safe number of queries: {SMALL_PILOT}" in planning.notes
    named = only(scores(a=a[:19], b=b[:19]), difference=0.05)
    large = only(scores(a=a, b=b))
    for planned in (named, large):
        assert planned.pilot is not None
        assert planned.queries_needed is not None
        assert planned.pilot.safe_queries is not None
        assert planned.fewest <= planned.queries_needed < planned.pilot.safe_queries
        assert [step.queries for step in planned.steps if step.mark == "safe"] == [planned.pilot.safe_queries]
    assert f"F3: {SAFE_TRUST}" in plan(scores(a=a, b=b)).notes
    assert f"F3: {SAFE_TRUST}" not in planning.notes


def test_a_program_that_judged_leaves_an_error_that_no_number_of_queries_removes() -> None:
    key, _, runs = karat.demo_files()
    planning = plan(key, runs, judge="lexical", runs=("atlas", "cedar"))
    (found,) = planning.plans
    assert found.pilot is not None
    floor = found.pilot.judge_floor
    assert floor is not None
    assert any(f"no number of queries shows a difference below {floor:.3f}" in note for note in planning.notes)
    below = only(key, runs, judge="lexical", runs=("atlas", "cedar"), difference=floor * 0.99)
    assert below.pilot is not None
    assert (below.queries_needed, below.pilot.reason) == (None, JUDGE_FLOOR)
    assert max(step.power or 0 for step in below.steps) < 0.82
    assert only(key, runs, judge="lexical", runs=("atlas", "cedar"), difference=2 * floor).queries_needed is not None
    given = only(scores(a=A, b=B))
    assert given.pilot is not None
    assert given.pilot.judge_floor is None


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ({"difference": 1e-300, "sd": 1e300}, None),
        ({"difference": 1e300, "sd": 1e-300}, 6),
        ({"difference": 1e-9, "sd": 1.0, "power": 0.999999}, None),
        ({"difference": 0.5, "sd": 1.0, "power": 0.999999, "comparisons": 1_000_000}, 432),
    ],
)
def test_absurd_values_end_with_a_plan_or_with_none(options: dict[str, float], needed: int | None) -> None:
    assert only(**options).queries_needed == needed


def test_judgements_make_a_pilot_too() -> None:
    rows = [
        {"kind": "nug", "query_id": query, "nug_id": "1", "descriptions": ["x"], "importance": "vital"}
        for query in "pqr"
    ]
    rows += [
        {
            "kind": "judgement",
            "query_id": query,
            "run_id": run,
            "nug_id": "1",
            "degree": float(query < best),
            "judge": "j",
        }
        for query in "pqr"
        for run, best in (("a", "r"), ("b", "q"))
    ]
    planned = only(rows)
    assert (planned.measure, planned.difference) == ("strict_vital", pytest.approx(1 / 3))
    assert planned.signature.startswith("strict_vital|judge:j|missing:error|")
    assert "|key:" in planned.signature


def test_a_plan_for_each_measure() -> None:
    rows = scores(a=A, b=B) + scores("strict_all", a=B, b=A)
    assert [one.measure for one in plan(rows).plans] == ["F3"]
    assert [one.measure for one in plan(rows, measures="strict_all,F3").plans] == ["strict_all", "F3"]


@pytest.mark.parametrize(
    ("inputs", "options", "said"),
    [
        ((), {"difference": 0.1}, "both the difference to find and the sd"),
        ((), {"difference": 0.0, "sd": 0.1}, "number above 0"),
        ((), {"difference": 0.1, "sd": -0.1}, "at least 0"),
        ((), {"difference": 0.1, "sd": 0.1, "runs": ("a", "b")}, "there are no files with their scores"),
        ((), {"difference": 0.1, "sd": 0.1, "power": 1.0}, "power=1.0 is not between 0 and 1"),
        ((), {"difference": 0.1, "sd": 0.1, "comparisons": 0}, "comparisons must be at least 1"),
        ((), {"difference": 0.1, "sd": 0.1, "comparisons": 10**400}, "at most a billion"),
        ((), {"difference": 0.1, "sd": 0.1, "alpha": 1e-300}, "alpha=1e-300 is below 1e-09"),
        ((), {"difference": 0.1, "sd": math.inf}, "sd=inf is not a finite number"),
        ((scores(a=A, b=B),), {"sd": 0.1}, "give an sd only without files"),
        ((scores(a=A, b=B),), {"difference": -0.1}, "number above 0"),
        ((scores(a=A),), {}, "there is only one run, a"),
        ((scores(a=[0.1], b=[0.2]),), {}, r"F3 is known for only one query \(q0\)"),
        ((scores(a=A, b=B, c=C),), {"runs": ("a",)}, "a plan is for two runs"),
        ((scores(a=A, b=B, c=C),), {"runs": ("a", "a")}, "a plan is for two runs"),
        ((scores(a=A, b=B, c=C),), {"runs": ("a", "x")}, "there is no run 'x'; choose from a, b, c"),
        ((scores(a=[0.1, None, 0.2], b=[None, 0.3, 0.4]),), {}, "have fewer than two queries in common"),
        ((scores(a=[0.1, None], b=[None, 0.3], c=[None, None]),), {}, "no two runs have two queries in common"),
        ((scores(a=A, b=B),), {"average": "median"}, "choose --average query"),
    ],
)
def test_what_cannot_be_planned_is_said(inputs: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(*inputs, **options)


def test_a_goal_checks_itself() -> None:
    assert Goal(one_sided=True).alternative == "greater"
    with pytest.raises(UsageError, match=r"alpha=0\.0 is not between 0 and 1"):
        Goal(alpha=0.0)


def typical_pair(values: np.ndarray) -> tuple[float, float, int]:
    """The sd of the pair in the middle, the median size of the differences, and the number of pairs, one by one."""
    spreads = []
    for first in range(len(values)):
        for second in range(first + 1, len(values)):
            by_query = values[first] - values[second]
            known = by_query[~np.isnan(by_query)]
            if len(known) >= 2:
                spreads.append((float(known.std(ddof=1)), abs(float(known.mean())), first, second))
    spreads.sort()
    return spreads[(len(spreads) - 1) // 2][0], float(np.median([size for _, size, *_ in spreads])), len(spreads)


def many_scores(missing: float, runs: int = 30) -> tuple[np.ndarray, list[Row]]:
    draw = np.random.default_rng(5)
    values = draw.random((runs, 11)).round(2)
    values[draw.random(values.shape) < missing] = np.nan
    given = {
        f"r{at:02}": [None if math.isnan(value) else value for value in row] for at, row in enumerate(values.tolist())
    }
    return values, scores(**given)


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.8])
def test_the_typical_pair_is_that_of_all_pairs_to_the_last_bit(missing: float) -> None:
    values, rows = many_scores(missing)
    found = only(rows)
    assert found.pilot is not None
    assert (found.sd, found.pilot.observed, found.pilot.pairs) == typical_pair(values)


def test_very_many_pairs_are_drawn_and_the_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.evaluate.plan.pilots.MOST_PAIRS", 300)
    values, rows = many_scores(0.0)
    planned = plan(rows)
    (found,) = planned.plans
    assert found.pilot is not None
    assert found.pilot.pairs == 300
    assert any("of 300 pairs of runs, drawn at random from 435, is taken" in note for note in planned.notes)
    sd, size, _ = typical_pair(values)
    assert (found.sd, found.pilot.observed) == (pytest.approx(sd, rel=0.05), pytest.approx(size, rel=0.2))
