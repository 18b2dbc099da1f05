from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.rows import Row, judgement, nug
from karat.evaluate.tables.score_table import Average, ScoreTable, tabulate
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measure

NAN = float("nan")


def table(values: list[list[float]], *, average: Average = "query", name: str = "M") -> ScoreTable:
    array = np.array(values)
    runs, queries = array.shape
    run_ids, query_ids = tuple("abcdefgh"[:runs]), tuple(str(at) for at in range(queries))
    return ScoreTable(name, run_ids, query_ids, array, np.zeros(array.shape, bool), average=average)


def counted(*rows: Row, average: Average = "query", missing: str = "skip", measure: str = "strict_vital") -> ScoreTable:
    cases = Cases(load(rows), missing=missing)  # type: ignore[arg-type]
    return tabulate(cases, parse_measure(measure), average=average)


UNEVEN = [
    nug("p"), judgement("p", "r", 1.0),
    nug("q", "1"), nug("q", "2"), nug("q", "3"), *(judgement("q", "r", 0.0, nug_id) for nug_id in "123"),
]  # fmt: skip
"""One nug of one found for p, none of three for q."""


def test_counts_and_values_are_found_by_run_and_query() -> None:
    table = counted(*UNEVEN)
    assert (table.name, table.run_ids, table.query_ids) == ("strict_vital", ("r",), ("p", "q"))
    assert table.counts is not None
    assert table.counts.tolist() == [[[1.0, 1.0], [0.0, 3.0]]]
    assert table.values.tolist() == [[1.0, 0.0]]


def test_the_mean_counts_queries_and_the_pooled_score_counts_nugs() -> None:
    """Macro: (1/1 + 0/3) / 2. Micro: (1 + 0) / (1 + 3)."""
    assert counted(*UNEVEN, average="query").totals().tolist() == [0.5]
    assert counted(*UNEVEN, average="pool").totals().tolist() == [0.25]


def test_undefined_and_skipped_are_distinguished() -> None:
    rows = [nug("o", importance="okay"), judgement("o", "r", 1.0), *UNEVEN, judgement("p", "s", 1.0)]
    table = counted(*rows)
    np.testing.assert_array_equal(table.values, [[NAN, 1.0, 0.0], [NAN, 1.0, NAN]])
    assert table.skipped.tolist() == [[False, False, False], [True, False, True]]
    assert [(table.n(row), table.undefined(row)) for row in (0, 1)] == [(2, 1), (1, 0)]
    assert table.totals().tolist() == [0.5, 1.0]


def test_a_query_without_vital_nugs_adds_nothing_to_the_pool_and_is_counted_as_undefined() -> None:
    table = counted(nug("o", importance="okay"), judgement("o", "r", 1.0), *UNEVEN, average="pool")
    assert table.totals().tolist() == [0.25]
    assert (table.n(0), table.undefined(0)) == (3, 1)


def test_a_skipped_query_adds_nothing_to_the_pool() -> None:
    table = counted(*UNEVEN, judgement("p", "s", 1.0), average="pool")
    assert table.totals().tolist() == [0.25, 1.0]
    assert [table.n(row) for row in (0, 1)] == [2, 1]


@pytest.mark.parametrize("average", ["query", "pool", "median"])
def test_where_everything_is_undefined_so_is_the_score(average: Average) -> None:
    table = counted(nug("o", importance="okay"), judgement("o", "r", 1.0), average=average)
    assert np.isnan(table.totals()).tolist() == [True]
    assert table.undefined(0) == 1
    assert table.intervals(seed=0) == [None]


@pytest.mark.parametrize("average", ["query", "pool", "median"])
def test_one_query_gives_no_interval(average: Average) -> None:
    table = counted(nug("q"), judgement("q", "r", 0.5), average=average, measure="lenient_all")
    assert table.totals().tolist() == [0.5]
    assert table.intervals(seed=0) == [None]


def test_the_interval_of_a_constant_run_depends_on_what_is_known_of_the_measure() -> None:
    (median,) = table([[0.3] * 7], average="median").intervals(seed=0)
    assert median is not None
    assert (median.low, median.high, median.method) == (pytest.approx(0.3), pytest.approx(0.3), "percentile")
    unbounded, bounded = table([[0.3] * 7]), table([[0.3] * 7], name="strict_all")
    assert (unbounded.bounds, unbounded.intervals(seed=0)) == ((None,), [None])
    (interval,) = bounded.intervals(seed=0)
    assert interval is not None
    reach = 1 - 0.025 ** (1 / 7)
    assert (interval.low, interval.high) == pytest.approx((0.3 - 0.3 * reach, 0.3 + 0.7 * reach))
    assert interval.method == "equal values"


def test_scores_beyond_the_bounds_of_their_measure_have_none() -> None:
    for value, known in ((1.0, True), (1.0 + 1e-12, True), (1.1, False), (-0.1, False)):
        found = table([[0.3] * 7 + [value]], name="strict_all")
        assert (found.bounds[0] is not None) == known
        assert found.intervals(seed=0)[0] is not None


def test_the_interval_of_a_run_does_not_depend_on_the_values_of_another() -> None:
    alone = table([[0.1, 0.4, 0.5, 0.9]], name="strict_all").intervals(seed=0)
    beside = table([[0.1, 0.4, 0.5, 0.9], [1.2, 0.4, 0.5, 0.6]], name="strict_all").intervals(seed=0)
    assert beside[0] == alone[0]
    assert [interval and interval.method for interval in beside] == ["bounded", "BCa"]


def test_part_of_the_queries_and_part_of_the_runs() -> None:
    whole = counted(*UNEVEN, judgement("p", "s", 0.0), average="pool")
    assert whole.of_queries(None) is whole
    part = whole.of_queries([1])
    assert (part.query_ids, part.values.tolist()[0], part.skipped.tolist()) == (("q",), [0.0], [[False], [True]])
    assert part.totals()[0] == 0.0
    assert np.isnan(part.totals()[1])
    second = whole.of_runs(["s"])
    assert (second.run_ids, second.totals().tolist()) == (("s",), [0.0])


matrices = st.integers(1, 9).flatmap(
    lambda queries: st.lists(
        st.lists(st.one_of(st.floats(0, 1, width=16), st.just(NAN)), min_size=queries, max_size=queries),
        min_size=1,
        max_size=4,
    )
)


@settings(max_examples=40, deadline=None)
@given(matrices)
def test_means_and_medians_are_those_of_the_defined_queries_and_lie_in_their_intervals(
    values: list[list[float]],
) -> None:
    for average, by_hand in (("query", np.mean), ("median", np.median)):
        found = table(values, average=average, name="strict_all")
        known = [[value for value in row if value == value] for row in values]
        expected = [by_hand(row) if row else NAN for row in known]
        np.testing.assert_allclose(found.totals(), expected, atol=1e-12)
        for total, row, interval in zip(found.totals(), known, found.intervals(seed=1), strict=True):
            if len(row) < 2:
                assert interval is None
            elif len(row) == len(values[0]) or interval is not None:
                assert interval is not None
                assert interval.low - 1e-12 <= total <= interval.high + 1e-12


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_a_pooled_score_is_the_micro_average_and_lies_in_its_interval(nugs: list[tuple[int, int]]) -> None:
    rows: list[Row] = []
    for at, (all_of, found_of) in enumerate(nugs):
        for number in range(all_of):
            rows += [nug(str(at), str(number)), judgement(str(at), "r", float(number < found_of), str(number))]
    table = counted(*rows, average="pool")
    micro = sum(min(pair) for pair in nugs) / sum(all_of for all_of, _ in nugs)
    assert table.totals()[0] == pytest.approx(micro)
    (interval,) = table.intervals(seed=0)
    assert interval is not None
    assert interval.low <= table.totals()[0] <= interval.high


def test_the_seed_decides_the_intervals() -> None:
    found = table([[0.1, 0.9, 0.4, 0.7, 0.2, 0.8]])
    assert found.intervals(seed=1) == found.intervals(seed=1) != found.intervals(seed=2)
