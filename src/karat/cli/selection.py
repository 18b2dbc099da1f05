"""--runs and --queries: only some runs and queries of the files, by name or pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from karat.model import Collection

_Record = TypeVar("_Record")
_MEANINGS = {
    "runs": ("NAME,...", "Only these runs, as if the files held no others. Patterns work: 'atlas*'."),
    "queries": ("ID,...", "Only these queries, as if the files held no others. Patterns work: 'q1?'."),
}


def _kept(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[f"karat.{param.name}"] = value


def selection(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --runs and --queries; `read_collection` obeys them."""
    return _option("runs")(only_queries(function))


def only_queries(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --queries; `read_collection` obeys it."""
    return _option("queries")(function)


def _option(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    metavar, text = _MEANINGS[name]
    return click.option(f"--{name}", metavar=metavar, expose_value=False, callback=_kept, help=text)


def wanted(name: str) -> str | None:
    """What --runs or --queries says in this call."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(f"karat.{name}")


def named_runs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --runs to a command that reads all runs, and shows only some of them; --run is its old spelling."""
    hidden = click.option("--run", "run_ids", multiple=True, metavar="RUN", hidden=True, help="Old: --runs.")
    shown = click.option(
        "--runs", metavar="NAME,...", help="Only these runs; the judge reads the others, too. Patterns work: 'atlas*'."
    )
    return hidden(shown(function))


def selected(collection: Collection) -> Collection:
    """The records of the runs and queries that were asked for; what belongs to none of them (documents) stays."""
    return selected_together([collection])[0]


def selected_together(collections: Sequence[Collection]) -> list[Collection]:
    """The same for several, of which each may hold only a part of the names: a key has no runs."""
    asked = {name: wanted(name) for name in _MEANINGS}
    if not any(value is not None for value in asked.values()):
        return list(collections)
    from karat.formats.inputs.selection import names_of
    from karat.formats.inputs.selection import selected_together as select

    parts = {}
    for name, field in (("runs", "run_id"), ("queries", "query_id")):
        value = asked[name]
        names = list(dict.fromkeys(name for each in collections for name in names_of(each, field))) if value else []
        parts[name] = None if value is None else _parts(value, names)
    return select(collections, runs=parts["runs"], queries=parts["queries"], prefix="--")


class Matching:
    """Whether a record is of the runs and queries asked for, while files are read: all names are known at the end."""

    def __init__(self) -> None:
        asked = {"run_id": wanted("runs"), "query_id": wanted("queries")}
        self._asked = {field: value for field, value in asked.items() if value is not None}
        self._seen: dict[str, dict[str, bool]] = {field: {} for field in self._asked}

    def __bool__(self) -> bool:
        """Whether anything was asked for."""
        return bool(self._asked)

    def __call__(self, record: object) -> bool:
        fits = True
        for field, value in self._asked.items():
            name = getattr(record, field, None)
            if name is not None:
                seen = self._seen[field]
                if name not in seen:
                    parts = [value, *(part.strip() for part in value.split(","))]
                    seen[name] = any(name == part or fnmatchcase(name, part) for part in parts)
                fits = fits and seen[name]
        return fits

    def kept(self, records: Iterable[_Record]) -> Iterator[_Record]:
        """The records that fit; at the end, a name that matched nothing is a mistake."""
        yield from filter(self, records)
        self.check()

    def check(self) -> None:
        for field, value in self._asked.items():
            chosen_names(value, list(self._seen[field]), option="--runs" if field == "run_id" else "--queries")


def chosen_names(wanted: str, names: list[str], *, option: str) -> list[str]:
    """Those of the names that are meant, in their own order; a name or pattern that matches nothing is a mistake."""
    from karat.formats.inputs.selection import chosen_names as choose

    return choose(_parts(wanted, names), names, argument=option)


def _parts(wanted: str, names: Sequence[str]) -> list[str]:
    """A name with a comma in it is meant as it is."""
    return [wanted] if wanted in names else [part.strip() for part in wanted.split(",") if part.strip()]


def in_order(wanted: str, names: list[str]) -> list[str]:
    """The same in the order of who asked, for a command to which the order of runs means something."""
    found = [name for part in _parts(wanted, names) for name in chosen_names(part, names, option="--runs")]
    return list(dict.fromkeys(found))
