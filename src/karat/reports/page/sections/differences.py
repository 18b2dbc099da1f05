"""Run against run: differences with intervals, and the nugs behind them with the sentences that prove them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.evaluate.compare.comparison import PairDifference
from karat.evaluate.compare.nug_changes import NugChange
from karat.model.wording import natural, number_of
from karat.reports.page.charts.intervals import interval_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.contents.places import places_of
from karat.reports.page.sections.parts import Chart, Section, Table, csv_text, interval, listed, signed

MOST_CHANGES, FEWEST_CHANGES = 600, 20
"""How many gained and lost nugs are listed, shared out evenly over the runs, the vital ones first; the CSV has all."""
CHARTED = 40
"""At most so many pairs are drawn; the table has all."""


@dataclass(frozen=True)
class Change:
    """A nug that one of two runs has, and the sentence of that run that proves it."""

    query_id: str
    query: str
    """As people are shown it."""
    nug_id: str
    nug: str
    importance: str
    degrees: str
    proof_run: str
    proof: str


@dataclass(frozen=True)
class Changes:
    """What a run gained and lost against another."""

    run_id: str
    versus: str
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]
    gained_in_all: int
    lost_in_all: int


@dataclass(frozen=True)
class ChangesData:
    """What all runs gained and lost, as CSV; packed, because it may be long."""

    data: str


def section(contents: Contents) -> Section | None:
    comparison = contents.comparison
    if comparison is None:
        return None
    measure = comparison.measures[0]
    pairs = measure.differences
    data = csv_text(
        ("run", "versus", "difference", "low", "high", "all_low", "all_high", "judge_low", "judge_high", "p",
         "p_adjusted", "queries", "verdict"),
        (
            (pair.run_id, pair.versus, pair.value, pair.low, pair.high, pair.all_low, pair.all_high,
             pair.judge_low, pair.judge_high, pair.p, pair.p_adjusted, pair.n, verdict(pair))
            for pair in pairs
        ),
    )  # fmt: skip
    rows = [
        [
            pair.run_id, pair.versus, signed(pair.value), _ends(pair),
            "" if pair.p_adjusted is None else _p(pair.p_adjusted), str(pair.n), verdict(pair),
        ]
        for pair in pairs
    ]  # fmt: skip
    parts: list[object] = []
    drawn = [pair for pair in pairs if pair.value is not None][:CHARTED]
    if drawn:
        spec = interval_chart(
            [
                {
                    "name": f"{pair.run_id} − {pair.versus}", "value": pair.value, "low": pair.low, "high": pair.high,
                    "judge_low": pair.judge_low, "judge_high": pair.judge_high,
                    "group": "" if pair.significant else "not told apart",
                }
                for pair in drawn
            ],
            axis=f"difference in {measure.table.name}", zero=True,
        )  # fmt: skip
        label = f"differences in {measure.table.name} with 95 % intervals, for {number_of(len(drawn), 'pair')} of runs"
        parts.append(Chart(spec, label, data, "differences"))
    columns = ["run", "against", "difference", "95 % interval", "p", "queries", "verdict"]
    parts.append(Table(columns, rows, data, "differences", right=columns[2:6]))
    changes = _changes(contents)
    parts += changes
    if changes:
        parts.append(_changes_data(contents))
    below = [
        "A difference is the first run's score minus the second's, over the queries that both have. p is corrected for "
        "the number of pairs: at 0.05 or less the two runs differ."
    ]
    if any(pair.judge_low is not None for pair in pairs):
        below.append("In braces: the interval for the judge's own error on these same queries.")
    if len(pairs) > len(drawn) and drawn:
        below.append(f"The chart shows the first {len(drawn)} of {len(pairs):,} pairs; the table has all.")
    return Section("differences", "Run against run", _lead(contents), parts, below)


def _ends(pair: PairDifference) -> str:
    """The interval, and in braces the judge's own."""
    braces = f" {{{pair.judge_low:.3f}, {pair.judge_high:.3f}}}" if pair.judge_low is not None else ""
    return f"{interval(pair.low, pair.high)}{braces}"


def verdict(pair: PairDifference) -> str:
    if pair.p_adjusted is None:
        return "not tested"
    if not pair.significant:
        return "cannot be told apart"
    return "worse" if pair.loss > 0 else "better"


def _lead(contents: Contents) -> str:
    comparison = contents.comparison
    assert comparison is not None
    pairs = comparison.measures[0].differences
    if comparison.baseline is None:
        real = sum(pair.significant for pair in pairs)
        untested = sum(pair.p_adjusted is None for pair in pairs)
        tied = len(pairs) - real - untested
        verb = "differs" if real == 1 else "differ"
        said = f"Of {number_of(len(pairs), 'pair')} of runs, {real:,} {verb} and {tied:,} cannot be told apart"
        said += f"; {untested:,} could not be tested." if untested else "."
    else:
        groups: dict[str, list[str]] = {}
        for pair in pairs:
            groups.setdefault(verdict(pair), []).append(pair.run_id)
        words = {
            "better": "better than", "worse": "worse than", "cannot be told apart": "not to be told apart from",
            "not tested": "not tested against",
        }  # fmt: skip
        said = (
            ". ".join(
                f"{listed(runs)} {'is' if len(runs) == 1 else 'are'} {words[kind]} {comparison.baseline}"
                for kind, runs in groups.items()
            )
            + "."
        )
    if comparison.changes:
        lost = sum(not change.gained for change in comparison.changes)
        said += (
            f" Against {comparison.versus}, the other runs lost {number_of(lost, 'nug')} and gained "
            f"{number_of(len(comparison.changes) - lost, 'nug')} (counted per run)."
        )
    return said


def _changes(contents: Contents) -> list[Changes]:
    comparison = contents.comparison
    assert comparison is not None
    by_run: dict[str, list[NugChange]] = {}
    for change in comparison.changes:
        by_run.setdefault(change.run_id, []).append(change)
    found = []
    most = max(FEWEST_CHANGES, MOST_CHANGES // max(1, 2 * len(by_run)))
    for run_id in (run_id for run_id in contents.run_ids if run_id in by_run):
        gained = [change for change in by_run[run_id] if change.gained]
        lost = [change for change in by_run[run_id] if not change.gained]
        found.append(
            Changes(
                run_id=run_id, versus=comparison.versus or "", gained_in_all=len(gained), lost_in_all=len(lost),
                gained=tuple(_proven(contents, change, run_id) for change in _listed(gained, most)),
                lost=tuple(_proven(contents, change, comparison.versus or "") for change in _listed(lost, most)),
            )
        )  # fmt: skip
    return found


def _changes_data(contents: Contents) -> ChangesData:
    assert contents.comparison is not None
    names = ("run_id", "versus", "query_id", "nug_id", "importance", "before", "after", "description")
    rows = ([getattr(change, name) for name in names] for change in contents.comparison.changes)
    return ChangesData(csv_text(names, rows))


def _listed(changes: Sequence[NugChange], most: int) -> list[NugChange]:
    """Those that are listed, query by query: of too many, the vital ones and the largest changes."""
    return sorted(changes[:most], key=lambda change: (natural(change.query_id), change.importance != "vital"))


def _proven(contents: Contents, change: NugChange, holder: str) -> Change:
    """The change with the sentence of the run that has the nug."""
    proof = ""
    case = None if contents.cases is None else contents.cases.case(holder, change.query_id)
    if case is not None and case.response is not None:
        judgement = contents.best_judgements(case).get(change.nug_id)
        places = () if judgement is None else places_of(judgement, case.response)
        proof = " … ".join(case.response.snippets[place.snippet].text[place.start : place.end] for place in places)
    return Change(
        query_id=change.query_id, query=contents.name_of(change.query_id), nug_id=change.nug_id,
        nug=change.description, importance=change.importance or "",
        degrees=f"{change.before:.2g} → {change.after:.2g}", proof_run=holder, proof=" ".join(proof.split()),
    )  # fmt: skip


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
