"""Queries by a field (the language, the medium, the template, ...), or by several fields together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from karat.measures.cases.cases import ALL_QUERIES, Cases
from karat.model import Query, Score, UsageError

NONE = "(none)"
SLICE = "by"


def slices_by(cases: Cases, field: str | None) -> dict[str, list[int]]:
    """`FIELD=value` -> the columns of the queries that have it, and all queries as "all".

    Several fields with commas are crossed: `language,medium` gives `language=ar,medium=audio`, ...
    """
    if field is None:
        return {ALL_QUERIES: list(range(len(cases.query_ids)))}
    slices: dict[str, list[int]] = {}
    known: dict[str, None] = {}
    for column, query_id in enumerate(cases.query_ids):
        pool = cases.pools.get(query_id)
        fields = fields_of(pool.query if pool else None)
        known |= dict.fromkeys(fields)
        slices.setdefault(crossed(field, fields), []).append(column)
    check_fields(field, known)
    return {**dict(sorted(slices.items())), ALL_QUERIES: list(range(len(cases.query_ids)))}


def crossed(by: str, fields: Mapping[str, str]) -> str:
    """The slice to which a query with these fields belongs: `FIELD=value`, or several with commas."""
    return ",".join(f"{name}={fields.get(name, NONE)}" for name in field_names(by))


def slice_values(name: str, by: str) -> str:
    """What a table shows of a slice below the head `by`: `ar,audio` of `language=ar,medium=audio`."""
    names = field_names(by)
    if not name.startswith(f"{names[0]}="):
        return name
    rest = name.removeprefix(f"{names[0]}=")
    values = []
    for following in names[1:]:
        value, _, rest = rest.partition(f",{following}=")
        values.append(value)
    return ",".join([*values, rest])


def field_names(by: str) -> list[str]:
    """The fields named in `--by`."""
    return [name.strip() for name in by.split(",") if name.strip()] or [by]


def check_fields(by: str, known: Iterable[str]) -> None:
    """Raise an error that names the fields there are, if one of those named is not among them."""
    names = list(known)
    for name in field_names(by):
        if name not in names:
            choices = f"choose from {', '.join(names)}" if names else "the queries have no conditions"
            raise UsageError(f"no query has a field {name!r}; {choices}")


def fields_of(query: Query | None) -> dict[str, str]:
    """The conditions of a query, and its template."""
    if query is None:
        return {}
    template = {"template": query.template} if query.template else {}
    return {**template, **query.conditions}


def slice_mark(name: str) -> dict[str, str]:
    """The mark of a slice's score, so that nobody takes it for the score of a query whose id has = in it."""
    if name == ALL_QUERIES:
        return {}
    return {SLICE: ",".join(part.partition("=")[0] for part in name.split(",") if "=" in part)}


def is_over_many(score: Score) -> bool:
    """Whether a score is over all queries, or over a slice of them."""
    return score.query_id == ALL_QUERIES or SLICE in score.extra
