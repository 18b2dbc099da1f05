"""Only some runs and queries of the records, by name or pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from karat.formats.karat.judgement_columns import JudgementColumns
from karat.model import RECORD_TYPES, AnyRecord, Collection, Judgement, UsageError
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
        collection
        if queries is None
        else _kept(collection, "query_id", [name for name in names_of(collection, "query_id") if name != ALL_QUERIES])
        for collection in collections
    ]
    for argument, field, wanted in (("runs", "run_id", runs), ("queries", "query_id", queries)):
        if wanted is not None:
            names = list(dict.fromkeys(name for part in parts for name in names_of(part, field)))
            chosen = chosen_names(wanted, names, argument=f"{prefix}{argument}")
            parts = [_kept(part, field, chosen) for part in parts]
    return parts


def _kept(collection: Collection, field: str, names: Iterable[str]) -> Collection:
    """The records with one of these names in a field, and those without the field."""
    chosen: set[str | None] = {None, *names}
    judged: Sequence[Judgement] = collection.judgements
    if isinstance(judged, JudgementColumns):
        judged = judged.of_rows(judged.rows_with(field, chosen))
    else:
        judged = [each for each in judged if getattr(each, field) in chosen]
    others = (each for kind in RECORD_TYPES if kind is not Judgement for each in collection.of(kind))
    return Collection((each for each in others if getattr(each, field, None) in chosen), judgements=judged)


def names_of(records: Iterable[AnyRecord], field: str) -> list[str]:
    """The different values of a field, in order."""
    if isinstance(records, Collection) and isinstance(records.judgements, JudgementColumns):
        # In the order of kinds, of which judgements are one.
        names: dict[str, None] = {}
        for kind in RECORD_TYPES:
            if kind is Judgement:
                names |= dict.fromkeys(records.judgements.names_of(field))
            else:
                names |= dict.fromkeys(names_of(records.of(kind), field))  # type: ignore[arg-type]
        return list(names)
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
