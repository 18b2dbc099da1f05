"""Views of a validation -> tables and JSON lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.report.tables import print_table


def print_view(rows: Mapping[str, Sequence[msgspec.Struct]]) -> None:
    """A table of all rows; a column for the judge where there are rows of several."""
    shown = [(judge, msgspec.structs.asdict(row)) for judge, own in rows.items() for row in own]
    names = list(shown[0][1]) if shown else []
    several = len(rows) > 1
    columns = [*(["judge"] if several else []), *(name.replace("_", " ") for name in names)]
    cells = [[*([judge] if several else []), *(_cell(row[name]) for name in names)] for judge, row in shown]
    texts = {name.replace("_", " ") for name in names if any(isinstance(row[name], str) for _, row in shown)}
    print_table(columns, cells, right=[name for name in columns if name not in texts | {"judge"}])


def view_jsonl(rows: Mapping[str, Sequence[msgspec.Struct]]) -> str:
    """An object a row, with its judge where it hangs on one."""
    lines = [
        msgspec.json.encode(({"judge": judge} if judge else {}) | msgspec.structs.asdict(row)).decode()
        for judge, own in rows.items()
        for row in own
    ]
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
