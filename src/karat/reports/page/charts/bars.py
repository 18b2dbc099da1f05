"""Stacked bars: what each run has right, wrong, redundant and missing; the layers of a pyramid that it reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.reports.page.charts.drawing import PALETTE, Row, altair, data, finished

WIDTH = 520
LINE = 26


def stacked_chart(rows: Sequence[Row], *, axis: str, colours: Mapping[str, str]) -> dict[str, Any]:
    """One bar per name, one part per kind, in the order of `colours` (kind -> name in PALETTE).

    rows: name, kind, value.
    """
    alt = altair()
    order = {kind: at for at, kind in enumerate(colours)}
    ordered = [{**row, "order": order[row["kind"]]} for row in rows]
    scale = alt.Scale(domain=list(colours), range=[PALETTE[name] for name in colours.values()])
    names = list(dict.fromkeys(row["name"] for row in rows))
    return finished(
        alt.Chart(data(ordered)).mark_bar(stroke="white", strokeWidth=0.5).encode(
            y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8)),
            x=alt.X("value:Q", title=axis, stack="zero"),
            color=alt.Color("kind:N", title=None, scale=scale, legend=alt.Legend(orient="top")),
            order="order:Q",
        ).properties(width=WIDTH, height=max(LINE * len(names), LINE))
    )  # fmt: skip
