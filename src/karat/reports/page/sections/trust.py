"""How far the ranking can be trusted, and how many more queries would separate what is tied."""

from __future__ import annotations

from karat.evaluate.compare.comparison import PairDifference
from karat.evaluate.plan.pilots import Pilot
from karat.model.wording import number_of
from karat.reports.page.charts.curves import stability_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Chart, Section, Table, csv_text, signed

SWAPPED = "put in the other order by other queries"
SEPARATED = "told apart by the test"
FIELDS = ("queries", "what", "share", "low", "high")
LABEL = (
    "for each number of queries: how many pairs of runs the test separates, and how many swap places with other queries"
)
BELOW = (
    "Queries are drawn many times from those at hand; bars go from the 2.5th to the 97.5th percentile of the draws.",
    "Queries needed: with so many queries the paired permutation test finds the difference in 4 of 5 tries, if the "
    "true difference is the one observed now. The observed one is uncertain, and so is this number.",
)


def section(contents: Contents) -> Section | None:
    stability = contents.stability
    if stability is None:
        return None
    rows: list[tuple[int, str, float | None, float | None, float | None]] = []
    for number in stability.by_queries:
        rows.append((number.size, SEPARATED, number.power.share, number.power.low, number.power.high))
        if number.swaps is not None:
            rows.append((number.size, SWAPPED, number.swaps.swapped, number.swaps.low, number.swaps.high))
    spec = stability_chart([dict(zip(FIELDS, row, strict=True)) for row in rows])
    parts: list[object] = [Chart(spec, LABEL, csv_text(FIELDS, rows), "stability")]
    if contents.plans:
        parts.append(_needed_table(contents))
    return Section("trust", "May the ranking be trusted?", _lead(contents), parts, BELOW)


def _needed_table(contents: Contents) -> Table:
    columns = ["runs", "difference now", "queries now", "queries needed", "remark"]
    rows = [
        [
            f"{pair.run_id} and {pair.versus}", signed(pair.value), str(pair.n),
            "more than a million" if pilot.needed is None else f"{pilot.needed:,}",
            (pilot.reason or "").partition(":")[0],
        ]
        for pair, pilot in contents.plans
    ]  # fmt: skip
    data = csv_text(
        ("run", "versus", "difference", "queries", "needed"),
        ((pair.run_id, pair.versus, pair.value, pair.n, pilot.needed) for pair, pilot in contents.plans),
    )
    caption = "Pairs that cannot be told apart: how many queries would be enough"
    return Table(columns, rows, data, "queries-needed", right=columns[1:4], caption=caption)


def _lead(contents: Contents) -> str:
    stability = contents.stability
    assert stability is not None
    said = []
    half = [number for number in stability.by_queries if number.swaps is not None]
    if half:
        last = half[-1]
        assert last.swaps is not None
        said.append(
            f"With only {last.size} queries, two different sets of queries put {last.swaps.swapped:.0%}"
            f"{_range(last.swaps.low, last.swaps.high)} of the pairs of runs in the other order."
        )
    power = stability.by_queries[-1].power
    if power.share is not None:
        untested = round(power.untested)
        tested = power.pairs - untested
        pairs = f"{round(power.share * tested):,} of {number_of(tested, 'pair')} of runs"
        lacking = f"; {untested:,} more could not be tested" if untested else ""
        said.insert(0, f"All {stability.queries} queries tell {pairs} apart{lacking}.")
    if not said:
        said.append(f"{stability.queries} queries are too few to test any pair of runs: the ranking may be chance.")
    said += [_sentence(*plan) for plan in contents.plans[:2]]
    return " ".join(said)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" (in the draws {low:.0%} to {high:.0%})"


def _sentence(pair: PairDifference, pilot: Pilot) -> str:
    both = f"{pair.run_id} and {pair.versus}"
    if pilot.needed is None:
        return f"No number of queries can be named that would separate {both}."
    needed = f"about {pilot.needed:,} queries are needed"
    return f"To separate {both}, {needed} if the difference is as large as it looks."
