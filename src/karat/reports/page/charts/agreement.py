"""A judge beside people, run by run: the scatter with intervals, and Bland and Altman's plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.reports.page.charts.drawing import PALETTE, Row, altair, data, finished

SIZE = 300


def scatter_chart(rows: Sequence[Row], *, measure: str) -> dict[str, Any]:
    """The judge's score by people's, with the judge's interval. rows: name, people, judge, low, high."""
    alt = altair()
    ends = [
        value for row in rows for value in (row["people"], row["judge"], row["low"], row["high"]) if value is not None
    ]
    scale = alt.Scale(domain=[min(ends), max(ends)], nice=True)
    base = alt.Chart(data(rows)).encode(x=alt.X("people:Q", title=f"{measure} by people", scale=scale))
    diagonal = alt.Chart(data([{"x": end, "y": end} for end in (min(ends), max(ends))]))
    y = alt.Y("judge:Q", title=f"{measure} by the judge", scale=scale)
    return finished(
        (
            diagonal.mark_line(color=PALETTE["soft"], strokeDash=[3, 3]).encode(
                x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale)
            )
            + base.mark_rule(color=PALETTE["pale"], strokeWidth=3).encode(
                y=alt.Y("low:Q", title=f"{measure} by the judge"), y2="high:Q"
            )
            + base.mark_point(filled=True, size=60, opacity=1, color=PALETTE["accent"]).encode(y=y)
            + base.mark_text(align="left", dx=7, fontSize=11, color=PALETTE["ink"]).encode(y=y, text="name:N")
        ).properties(width=SIZE, height=SIZE)
    )


def bland_altman_chart(rows: Sequence[Row], *, measure: str, mean: float, low: float, high: float) -> dict[str, Any]:
    """The judge minus people, by the mean of both; lines at the mean, and 1.96 standard deviations from it."""
    alt = altair()
    base = alt.Chart(data(rows)).encode(x=alt.X("mean:Q", title=f"mean {measure} of both", scale=alt.Scale(zero=False)))
    y = alt.Y("difference:Q", title="judge minus people")
    dashes = alt.Scale(domain=["mean", "limit"], range=[[1, 0], [4, 4]])
    lines = alt.Chart(data([{"at": mean, "dash": "mean"}, {"at": low, "dash": "limit"}, {"at": high, "dash": "limit"}]))
    return finished(
        (
            lines.mark_rule(color=PALETTE["soft"]).encode(
                y=alt.Y("at:Q", title="judge minus people"),
                strokeDash=alt.StrokeDash("dash:N", legend=None, scale=dashes),
            )
            + base.mark_point(filled=True, size=60, opacity=1, color=PALETTE["accent"]).encode(y=y)
            + base.mark_text(align="left", dx=7, fontSize=11, color=PALETTE["ink"]).encode(y=y, text="name:N")
        ).properties(width=SIZE, height=SIZE)
    )  # fmt: skip
