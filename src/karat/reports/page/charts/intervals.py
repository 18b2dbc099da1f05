"""Values with their intervals, one line per run: the leaderboard, and differences from a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.reports.page.charts.drawing import PALETTE, Row, altair, data, finished

WIDTH = 520
LINE = 26
"""Pixels per run."""


def interval_chart(rows: Sequence[Row], *, axis: str, zero: bool = False, unit: bool = False) -> dict[str, Any]:
    """A thin bar from low to high, a thick one for the judge's own interval where there is one, and a point.

    rows: name, value, low, high, judge_low, judge_high, group. zero: a line at 0, for differences. unit: the axis goes
    from 0 to 1, so that scores look as large as they are.
    """
    alt = altair()
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8))
    )
    scale = alt.Scale(domain=[0, 1]) if unit else alt.Scale(zero=False, nice=True)
    x = alt.X("value:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=6))
    layers = []
    if zero:
        layers.append(alt.Chart(data([{"at": 0}])).mark_rule(color=PALETTE["soft"], strokeDash=[3, 3]).encode(x="at:Q"))
    layers.append(
        base.transform_filter("isValid(datum.low)").mark_rule(color=PALETTE["accent"], strokeWidth=2)
        .encode(x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q")
    )  # fmt: skip
    if any(row.get("judge_low") is not None for row in rows):
        layers.append(
            base.transform_filter("isValid(datum.judge_low)").mark_rule(color=PALETTE["pale"], strokeWidth=9)
            .encode(x=alt.X("judge_low:Q", title=axis, scale=scale), x2="judge_high:Q")
        )  # fmt: skip
    layers.append(base.mark_point(filled=True, size=70, opacity=1, color=PALETTE["accent"]).encode(x=x))
    if any(row.get("group") for row in rows):
        layers.append(
            base.mark_text(align="left", fontSize=12, color=PALETTE["soft"]).encode(
                x=alt.value(WIDTH + 10), text="group:N"
            )
        )
    return finished(alt.layer(*layers).properties(width=WIDTH, height=max(LINE * len(rows), LINE)))
