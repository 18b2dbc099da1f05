"""The scores of all runs, with intervals and tie groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from karat.measures.entries import ENTRIES
from karat.model import Score
from karat.reports.page.charts.intervals import interval_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Chart, Section, Table, csv_text, interval, listed, number, value_text
from karat.stats.significance.tie_letters import UNTESTED

FIELDS = ("value", "low", "high", "judge_low", "judge_high", "n", "undefined")


def section(contents: Contents) -> Section:
    totals = contents.totals
    measures = list(dict.fromkeys(score.measure for score in contents.scoring.of_all()))
    by_run: dict[str, dict[str, Score]] = {}
    for score in contents.scoring.of_all():
        by_run.setdefault(score.run_id, {})[score.measure] = score
    rows = [
        [run_id, _counted(by_run[run_id].values()), *(_cell(by_run[run_id].get(name)) for name in measures)]
        for run_id in contents.run_ids
    ]  # fmt: skip
    data = csv_text(
        ("run", "measure", *FIELDS, "tie"),
        (
            (run_id, measure, *(getattr(score, field) for field in FIELDS), str(score.extra.get("tie", "")))
            for run_id in contents.run_ids
            for measure, score in by_run[run_id].items()
        ),
    )
    judged = any(score.judge_low is not None for score in totals)
    parts: list[object] = []
    shown = [score for score in totals if score.value is not None]
    if shown:
        spec = interval_chart(
            [
                {
                    "name": score.run_id, "value": score.value, "low": score.low, "high": score.high,
                    "judge_low": score.judge_low, "judge_high": score.judge_high, "group": score.extra.get("tie", ""),
                }
                for score in shown
            ],
            axis=contents.table.name, unit=all(bounds is not None for bounds in contents.table.bounds),
        )  # fmt: skip
        label = f"{contents.table.name} of each run with its 95 % interval: " + "; ".join(
            f"{score.run_id} {number(score.value)} {interval(score.low, score.high)}".rstrip() for score in shown[:12]
        )
        parts.append(Chart(spec, label, data, "leaderboard"))
    parts.append(Table(["run", "queries", *measures], rows, data, "scores", right=["queries", *measures]))
    below = [
        "The line is the 95 % interval for other queries of this kind. Runs that share a letter cannot be told apart.",
        "Letters come from tests of the differences query by query: runs whose intervals overlap may still differ.",
    ]
    if judged:
        below.append(
            "The thick pale bar is the judge's own error for these same queries; in the table it is in braces. The "
            "thin line contains it."
        )
    below += [f"{name}: {_meaning(name)}." for name in measures if _meaning(name)]
    return Section("scores", "Scores", lead(contents.table.name, totals), parts, below)


def lead(measure: str, totals: Sequence[Score]) -> str:
    """Who leads, who cannot be told apart from the first, who is worse, and who was not tested."""
    known = [score for score in totals if score.value is not None]
    if not known:
        return f"No run has a defined {measure}."
    first = known[0]
    value = f"{number(first.value)} {interval(first.low, first.high)}".rstrip()
    if len(known) == 1:
        return f"{first.run_id} has a {measure} of {value}."
    equal = [score.run_id for score in known if score.value == first.value]
    said = f"{listed(equal)} {'has' if len(equal) == 1 else 'all have'} the best {measure}, {value}"
    groups = tie_groups(known)
    if not any(groups.values()):
        return f"{said}; there are too few queries to test the runs against each other, or too many runs."
    others = [score for score in known[1:] if score.run_id not in equal]
    starred = [score.run_id for score in known if str(score.extra.get("tie", "")).endswith(UNTESTED)]
    together = [score.run_id for score in others if groups[score.run_id] & groups[first.run_id]]
    tested = [score.run_id for score in others if {score.run_id, first.run_id}.isdisjoint(starred)]
    apart = [run_id for run_id in tested if not groups[run_id] & groups[first.run_id]]
    if together:
        said += f"; {listed(together)} cannot be told apart from it"
    if apart:
        said += f"{', and' if together else ';'} {listed(apart)} {'is' if len(apart) == 1 else 'are'} worse than it"
    near = [(a.run_id, b.run_id) for a, b in pairwise(others) if groups[a.run_id] & groups[b.run_id]]
    near = [pair for pair in near if not {*pair} <= {*together}]
    if near:
        said += ". " + "; ".join(f"{a} and {b} cannot be told apart" for a, b in near[:3])
    if starred:
        said += f". Some pairs with {listed(starred)} could not be tested: they have too few queries in common"
    return f"{said}."


def tie_groups(scores: Sequence[Score]) -> dict[str, set[str]]:
    """The tie groups of each run by their names; see `letter_groups` for how they are written.

    From the 27th group on names have two letters, the first of them "aa", and are separated by spaces.
    """
    ties = {score.run_id: str(score.extra.get("tie", "")).removesuffix(UNTESTED) for score in scores}
    named_apart = any(" " in tie or tie == "aa" for tie in ties.values())
    return {run_id: set(tie.split() if named_apart else tie) for run_id, tie in ties.items()}


def _cell(score: Score | None) -> str:
    text = value_text(score)
    if score is not None and score.judge_low is not None:
        tie = str(score.extra.get("tie", ""))
        text = f"{text.removesuffix(tie).rstrip()} {{{score.judge_low:.3f}, {score.judge_high:.3f}}} {tie}".rstrip()
    return text


def _counted(scores: Iterable[Score]) -> str:
    """Over how many queries, by the measure that is defined for most."""
    return str(max(score.n or 0 for score in scores))


def _meaning(name: str) -> str:
    entry = ENTRIES.get(name)
    return "" if entry is None else getattr(entry, "summary", "") or getattr(entry, "description", "")
