"""Curves: the stability of a ranking by the number of queries, and the calibration of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.reports.page.charts.drawing import PALETTE, Row, altair, data, finished

WIDTH, HEIGHT = 420, 200
TITLE = "share of pairs of runs"


def stability_chart(rows: Sequence[Row]) -> dict[str, Any]:
    """Shares by the number of queries, one line per kind. rows: queries, share, low, high, what."""
    alt = altair()
    base = alt.Chart(data(rows)).encode(x=alt.X("queries:Q", title="number of queries", axis=alt.Axis(tickMinStep=1)))
    colour = alt.Color(
        "what:N", title=None, legend=alt.Legend(orient="top", columns=1, labelLimit=0, symbolOpacity=1),
        scale=alt.Scale(range=[PALETTE["accent"], PALETTE["bad"]]),
    )  # fmt: skip
    y = alt.Y("share:Q", title=TITLE, scale=alt.Scale(domain=[0, 1]))
    shape = alt.Shape("what:N", legend=None)
    return finished(
        (
            base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", title=TITLE), y2="high:Q", color=colour)
            + base.mark_line().encode(y=y, color=colour)
            + base.mark_point(filled=True, size=60, opacity=1).encode(y=y, color=colour, shape=shape)
        ).properties(width=WIDTH, height=HEIGHT)
    )


def calibration_chart(rows: Sequence[Row]) -> dict[str, Any]:
    """What share of pairs people called contained, by the judge's probability. rows: probability, share, low, high."""
    alt = altair()
    unit = alt.Scale(domain=[0, 1])
    base = alt.Chart(data(rows)).encode(x=alt.X("probability:Q", title="probability that the judge gave", scale=unit))
    line = alt.Chart(data([{"x": 0, "y": 0}, {"x": 1, "y": 1}])).mark_line(color=PALETTE["soft"], strokeDash=[3, 3])
    return finished(
        (
            line.encode(x=alt.X("x:Q", scale=unit), y=alt.Y("y:Q", scale=unit))
            + base.mark_rule(color=PALETTE["accent"], strokeWidth=2).encode(y="low:Q", y2="high:Q")
            + base.mark_point(filled=True, size=70, opacity=1, color=PALETTE["accent"]).encode(
                y=alt.Y("share:Q", title="share that people called contained", scale=unit)
            )
        ).properties(width=300, height=300)
    )
