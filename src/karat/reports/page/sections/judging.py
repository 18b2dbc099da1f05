"""The judge beside people, where both judged the same answers: may its scores be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from karat.evaluate.validate.views import CalibrationBin
from karat.reports.page.charts.agreement import bland_altman_chart, scatter_chart
from karat.reports.page.charts.curves import calibration_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Chart, Section, Table, csv_text, number, signed
from karat.stats.intervals.bootstrap import mean_intervals
from karat.stats.intervals.wilson import wilson_interval

Z = 1.96
BELOW = (
    "Points near the dashed line are good.",
    "In the chart of differences the solid line is their mean; 95 % of runs are expected between the dashed lines.",
)


@dataclass(frozen=True)
class BothScores:
    """A run's score by people and by the judge, with the interval of the judge's error."""

    run_id: str
    people: float
    judge: float
    low: float | None
    high: float | None

    @property
    def gap(self) -> float:
        return self.judge - self.people


def section(contents: Contents) -> Section | None:
    found = contents.judge_and_people
    if found is None:
        return None
    runs = [
        BothScores(run.run_id, run.official, run.judged, run.judge_low, run.judge_high)
        for run in found.runs
        if run.official is not None and run.judged is not None
    ]
    parts: list[object] = _calibration(found.bins)
    lead = f"Where people judged too, {found.judge} was tried with their labels hidden, query by query."
    if len(runs) > 1:
        wrong = [(a, b) for a, b in combinations(runs, 2) if (a.people - b.people) * (a.judge - b.judge) < 0]
        gaps = [run.gap for run in runs]
        mean, limits = float(np.mean(gaps)), mean_intervals([gaps])[0]
        sure = "" if limits is None else f", 95 % interval {signed(limits.low)} to {signed(limits.high)} for other runs"
        pairs = len(runs) * (len(runs) - 1) // 2
        lead += (
            f" It puts {len(wrong)} of {pairs} pairs of runs in the other order than people, and scores runs "
            f"{number(abs(mean))} too {'high' if mean > 0 else 'low'} on average (judge minus people "
            f"{signed(mean)}{sure})."
        )
        parts += [_scatter(runs, found.measure), _bland_altman(runs, found.measure)]
        parts += [_wrong_order(wrong)] if wrong else []
    return Section("judging", "The judge and people", lead, parts, BELOW) if parts else None


def _calibration(bins: Sequence[CalibrationBin]) -> list[object]:
    rows = []
    for row in bins:
        if row.pairs and row.probability is not None and row.contained is not None:
            low, high = wilson_interval(round(row.contained * row.pairs), row.pairs)
            rows.append(
                {
                    "probability": row.probability, "share": row.contained, "low": low, "high": high,
                    "pairs": row.pairs,
                }
            )  # fmt: skip
    if not rows:
        return []
    data = csv_text(("probability", "share", "low", "high", "pairs"), (tuple(row.values()) for row in rows))
    label = "share of pairs that people call contained, by the probability that the judge gave"
    return [Chart(calibration_chart(rows), label, data, "calibration")]


def _scatter(runs: Sequence[BothScores], measure: str) -> Chart:
    rows = [
        {"name": run.run_id, "people": run.people, "judge": run.judge, "low": run.low, "high": run.high} for run in runs
    ]
    data = csv_text(("run", "people", "judge", "low", "high"), (tuple(row.values()) for row in rows))
    label = f"{measure} of each run by the judge and by people"
    return Chart(scatter_chart(rows, measure=measure), label, data, "judge-and-people")


def _bland_altman(runs: Sequence[BothScores], measure: str) -> Chart:
    gaps = np.array([run.gap for run in runs])
    mean, sd = float(gaps.mean()), float(gaps.std(ddof=1))
    points = [(run.run_id, (run.judge + run.people) / 2, run.gap) for run in runs]
    rows = [dict(zip(("name", "mean", "difference"), point, strict=True)) for point in points]
    data = csv_text(("run", "mean", "difference"), points)
    spec = bland_altman_chart(rows, measure=measure, mean=mean, low=mean - Z * sd, high=mean + Z * sd)
    return Chart(spec, f"judge minus people by the mean of both: {mean:+.3f} on average", data, "bland-altman")


def _wrong_order(wrong: Sequence[tuple[BothScores, BothScores]]) -> Table:
    columns = ["run", "other run", "by people", "by the judge"]
    rows = [[a.run_id, b.run_id, signed(a.people - b.people), signed(a.judge - b.judge)] for a, b in wrong]
    data = csv_text(columns, ((a.run_id, b.run_id, a.people - b.people, a.judge - b.judge) for a, b in wrong))
    caption = "Pairs of runs that the judge puts in the other order"
    return Table(columns, rows, data, "wrong-order", right=columns[2:], caption=caption)
