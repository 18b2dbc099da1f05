"""Make the pictures of charts that docs/gallery.md shows: python docs/pictures/charts.py

They are the charts of `karat report` on the bundled demo: once scored by people's judgements, once with the judge
`lexical` beside them; and, where the demo has nothing to show, on the collection in collection.py. The extras "report"
and "docs" are needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from collection import records  # in this folder
from small import small_png

import karat
from karat.reports.page.charts.drawing import png
from karat.reports.page.page import sections_of
from karat.reports.page.report import report
from karat.reports.page.sections.parts import Chart

FOLDER = Path(__file__).parent / "charts"


def charts(*inputs: Any, **options: Any) -> dict[str, Chart]:
    """The charts of a report, by name; without inputs, of the demo."""
    contents = report(*(inputs or karat.demo_files()), on_error="skip", made="", **options).contents
    parts = (part for section in sections_of(contents) for part in section.parts)
    return {part.name: part for part in parts if isinstance(part, Chart)}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    by_judge = charts(judge="lexical", baseline="atlas")
    of_town = charts(list(records()))
    for name, chart in {**of_town, **by_judge, **charts(baseline="atlas")}.items():
        picture = small_png(png(chart.spec))
        (FOLDER / f"{name}.png").write_bytes(picture)
        print(f"{name}: {chart.label} ({len(picture)} bytes)")


if __name__ == "__main__":
    main()
