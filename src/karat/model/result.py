"""What a verb of Karat returns: it prints as a short table, and gives its rows as dicts or as a data frame.

A result does not know how it is shown: that is the work of the reports, which are built on the results. The package
itself, which knows all rooms, leads from one to the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from importlib import import_module
from typing import Any, Literal, Protocol, get_args

from karat.model.errors import UsageError

FrameLibrary = Literal["pandas", "polars"]
LONGEST = 60
"""Characters of a text in a repr."""


class Shown(Protocol):
    """A result as a report shows it."""

    def text(self) -> str: ...

    def html(self) -> str: ...

    def dicts(self) -> list[dict[str, Any]]: ...

    def written(self, output_format: str, /) -> str: ...


class Result:
    """The base of all results. A mixin for structs, dataclasses and lists: it has no fields."""

    __slots__ = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict per row: the rows that the command of the same name prints with `--format jsonl`.

        `score` gives the scores over all queries first, and then those of each query.
        """
        return _shown(self).dicts()

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """The same rows as a data frame of pandas or, where only that is installed, of polars.

        library: "pandas" or "polars", to choose one.

        Raises:
            UsageError: the library is not installed.
        """
        choices = get_args(FrameLibrary)
        if library is not None and library not in choices:
            raise UsageError(f"library={library!r} is not one of {', '.join(choices)}")
        for name in choices if library is None else (library,):
            try:
                module = import_module(name)
            except ModuleNotFoundError:
                continue
            return _frame(module, self.to_dicts())
        wanted = library or "pandas or polars"
        raise UsageError(
            f"to_frame() needs {wanted}, which is not installed: pip install {library or 'pandas'} "
            "(to_dicts() gives the same rows without it)"
        )

    def to_json(self) -> str:
        """What `--format json` prints: one object with `signature`, `notes`, and the rows of every table."""
        return _shown(self).written("json")

    def to_markdown(self) -> str:
        """The tables as `--format markdown` prints them, for a pull request: notes and signature are below."""
        return _shown(self).written("markdown")

    def to_csv(self) -> str:
        """The rows as comma-separated values, in full precision; a spreadsheet computes nothing in them."""
        return _shown(self).written("csv")

    def to_tsv(self) -> str:
        """The rows as tab-separated values, in full precision."""
        return _shown(self).written("tsv")

    def to_latex(self) -> str:
        """The tables for a paper, in booktabs style."""
        return _shown(self).written("latex")

    def __str__(self) -> str:
        return _shown(self).text()

    def __repr__(self) -> str:
        """One line: how much there is of everything. `print` shows the table."""
        if isinstance(self, list):
            return f"<{type(self).__name__}: {len(self)}>"
        fields = getattr(self, "__struct_fields__", ()) or getattr(self, "__dataclass_fields__", ())
        return f"<{type(self).__name__} {', '.join(f'{name}: {_short(getattr(self, name))}' for name in fields)}>"

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        return _shown(self).html()


def _shown(result: Result) -> Shown:
    import karat

    return karat._shown(result)


def _frame(library: Any, rows: list[dict[str, Any]]) -> Any:
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    if library.__name__ == "polars":
        # Not strict: what a user's file has in a column may be a text in one row and a number in the next.
        return library.DataFrame(columns, strict=False)
    return library.DataFrame(columns)


def _short(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}...")
    if value is None or isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Sized) and (isinstance(value, Mapping) or hasattr(value, "__getitem__")):
        return str(len(value))
    return "..." if not isinstance(value, Result) else repr(value)
