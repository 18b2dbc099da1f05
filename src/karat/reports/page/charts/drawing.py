"""An altair chart -> SVG for a page, SVG, PNG or JSON for a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from karat.model import MissingExtra
from karat.model.wording import safe

Row = Mapping[str, Any]

PALETTE = {
    "ink": "#1f1e1d", "soft": "#57544f", "line": "#d9d6ce", "accent": "#1d5f8b", "pale": "#9fc3db",
    "good": "#22653b", "warn": "#805301", "bad": "#a32a21",
}  # fmt: skip
"""The colours of charts by what they mean. In a page they become variables of its style, so that they follow its theme;
each value is used for nothing else."""
_NAMES = {value: name for name, value in PALETTE.items()}
_COLOUR = re.compile("|".join(_NAMES))
_ROLE = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_TAG = re.compile("<[^<>]*>")
FONT = "system-ui, sans-serif"


def altair() -> Any:
    """The chart library; only the report needs it."""
    try:
        import altair as library
        import vl_convert  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("a chart", "report") from error
    return library


LONGEST = 36
"""Characters of a name in a chart. The library would cut longer ones itself, and in the middle of a letter."""


def data(rows: Sequence[Row]) -> Any:
    """Rows for a chart, with names that fit; two long names that begin alike stay apart."""
    short: dict[str, str] = {}
    for name in dict.fromkeys(row["name"] for row in rows if isinstance(row.get("name"), str)):
        cut = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        while cut in short.values():
            cut += "′"
        short[name] = cut
    named = [{**row, "name": short.get(row["name"], row["name"])} if "name" in row else dict(row) for row in rows]
    return altair().Data(values=named)


def _visible(spec: Any) -> Any:
    """The spec with control characters made visible in all its texts: one in a title ends the drawing process."""
    if isinstance(spec, dict):
        return {name: _visible(value) for name, value in spec.items()}
    if isinstance(spec, list):
        return [_visible(value) for value in spec]
    return safe(spec) if isinstance(spec, str) else spec


def finished(chart: Any) -> dict[str, Any]:
    """The spec of a chart, in Karat's look."""
    colour = PALETTE
    looked: dict[str, Any] = _visible(
        chart.configure(font=FONT, background="transparent", aria=False).to_dict(validate=False)
    )
    # Room at both sides: a browser's letters may be wider than those that the chart was measured with.
    looked["padding"] = {"left": 24, "right": 48, "top": 6, "bottom": 6}
    looked["config"] |= {
        "view": {"stroke": None},
        "axis": {
            "labelColor": colour["ink"], "titleColor": colour["soft"], "domainColor": colour["line"],
            "tickColor": colour["line"], "gridColor": colour["line"], "labelFontSize": 12, "titleFontSize": 12,
            "titleFontWeight": "normal", "labelLimit": 0, "labelFlush": False,
        },
        "legend": {"labelColor": colour["ink"], "titleColor": colour["soft"], "labelFontSize": 12},
        "header": {"labelColor": colour["ink"], "titleColor": colour["soft"]},
        "text": {"color": colour["ink"]},
    }  # fmt: skip
    return looked


def svg_for_page(spec: Mapping[str, Any], label: str) -> str:
    """The chart as SVG that follows the page's theme and width; `label` says in words what it shows."""
    from html import escape

    # In tags only: a run may be called #1d5f8b. The picture has one label, so its parts have no roles.
    drawn = _TAG.sub(
        lambda tag: _ROLE.sub("", _COLOUR.sub(lambda found: f"var(--{_NAMES[found.group()]})", tag.group())), svg(spec)
    )
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    widest = f' style="max-width:{float(size[1]):.0f}px"' if size else ""
    drawn = re.sub(r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', r"\1", drawn, count=1)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(safe(label), quote=True)}"{widest} ', 1)


def svg(spec: Mapping[str, Any]) -> str:
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(dict(spec))
    return drawn


def png(spec: Mapping[str, Any]) -> bytes:
    import vl_convert

    # Twice the size of a screen's pixels, on white: a picture for a paper or slide.
    drawn: bytes = vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=2)
    return drawn


def as_json(spec: Mapping[str, Any]) -> str:
    return json.dumps(spec, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
