"""Only some runs and queries of the records, by name or pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from karat.model import AnyRecord, Collection, UsageError
from karat.model.default_names import ALL_QUERIES

_SHOWN = 20


def selected_together(
    collections: Sequence[Collection], *, runs: Sequence[str] | None, queries: Sequence[str] | None, prefix: str = ""
) -> list[Collection]:
    """The records of these runs and queries; what belongs to none of them (documents) stays.

    Each collection may hold only a part of the names: a key has no runs. prefix: what stands before the name of the
    argument in messages.
    """
    if runs is None and queries is None:
        return list(collections)
    # A mean over all queries is not one over those that were asked for.
    parts = [
        [each for each in collection if queries is None or getattr(each, "query_id", None) != ALL_QUERIES]
        for collection in collections
    ]
    for argument, field, wanted in (("runs", "run_id", runs), ("queries", "query_id", queries)):
        if wanted is not None:
            names = names_of((each for part in parts for each in part), field)
            chosen = {None, *chosen_names(wanted, names, argument=f"{prefix}{argument}")}
            parts = [[each for each in part if getattr(each, field, None) in chosen] for part in parts]
    return [Collection(part) for part in parts]


def names_of(records: Iterable[AnyRecord], field: str) -> list[str]:
    """The different values of a field, in order."""
    return list(dict.fromkeys(name for each in records if (name := getattr(each, field, None)) is not None))


def chosen_names(wanted: Sequence[str], names: Sequence[str], *, argument: str) -> list[str]:
    """Those of the names that are meant, in their own order; a name or pattern that matches nothing is a mistake.

    >>> chosen_names(["b*", "a"], ["a", "b1", "b2", "c"], argument="runs")
    ['a', 'b1', 'b2']
    """
    if isinstance(wanted, str):
        # Its letters would be taken for names.
        raise UsageError(f"{argument}={wanted!r} is not a list of texts")
    if not wanted:
        raise UsageError(f"{argument} names nothing; choose from {_listed(names)}")
    chosen: set[str] = set()
    for part in wanted:
        found = {part} if part in names else {name for name in names if fnmatchcase(name, part)}
        if not found:
            from difflib import get_close_matches

            near = get_close_matches(part, names, 1)
            noun = "run" if argument.endswith("runs") else "query"
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise UsageError(f"{argument}: there is no {noun} {part!r}{hint}; choose from {_listed(names)}")
        chosen |= found
    return [name for name in names if name in chosen]


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) or "nothing: the files have none") + more
