"""Export: the campaign as Karat's records, so that every command of Karat works on it at any time.

Of the adjudicated layer only queries whose adjudication is finished are exported: where a query has any adjudicated
record, the assessors' own do not count, and a half adjudicated query would be scored on half of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection as AbstractCollection
from collections.abc import Iterable, Iterator

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.material.templates import template_of
from karat.campaign.results.layer_records import LayerRecords
from karat.campaign.results.places import Places, QueryNames
from karat.campaign.store import tables
from karat.campaign.work.annotations import Place, decode_work, layer
from karat.campaign.work.payloads import NuggetWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.query_key import IMPORTED
from karat.campaign.work.steps import adjudicated_queries
from karat.model import AnyRecord, Collection, Document, Nug, Nugget, Query, Run, UsageError, decode_record
from karat.model.wording import number_of

ALL = -1
"""The owner of imported nugs: they are everybody's."""


def export_records(
    connection: Connection,
    *,
    adjudicated_only: bool = False,
    assessor: str | None = None,
    queries: AbstractCollection[str] | None = None,
    skipped: Counter[str] | None = None,
) -> Iterator[AnyRecord]:
    """Records of everything; of one assessor; or of the adjudicated layer and the queries that have it.

    queries: ids of queries, if not all. skipped: counts what cannot be exported (`skipped_lines`).
    Raises UsageError where there is no such assessor or query.
    """
    names = _account_names(connection)
    owner = None
    if assessor is not None:
        owner = next((number for number, (name, _) in names.items() if name == assessor), None)
        if owner is None:
            known = ", ".join(name for name, role in names.values() if role == "assessor")
            raise UsageError(
                f"there is no assessor {assessor!r}; choose from {known or 'nobody: invite somebody first'}"
            )
    if adjudicated_only and assessor is not None:
        raise UsageError("adjudicated only and one assessor exclude each other; choose one of them")
    chosen = _queries(connection, queries)
    finished = adjudicated_queries(connection)
    if adjudicated_only:
        chosen = {number: record for number, record in chosen.items() if number in finished}
    counted = Counter[str]() if skipped is None else skipped
    return _records(connection, chosen, finished, names, owner, counted, adjudicated_only=adjudicated_only)


def skipped_lines(skipped: Counter[str]) -> list[str]:
    """What an export left out, in words."""
    counts = ", ".join(number_of(count, kind) for kind, count in skipped.items() if count)
    why = "about nugs that are not in the export (deleted, or of an adjudication that is open again)"
    return [f"left out: {counts} {why}"] if counts else []


def export_collection(
    connection: Connection,
    *,
    adjudicated_only: bool = False,
    assessor: str | None = None,
    queries: AbstractCollection[str] | None = None,
) -> Collection:
    """The same as a collection, in memory."""
    return Collection(export_records(connection, adjudicated_only=adjudicated_only, assessor=assessor, queries=queries))


def _records(
    connection: Connection,
    queries: dict[int, Query],
    finished: set[int],
    names: dict[int, tuple[str, str]],
    owner: int | None,
    skipped: Counter[str],
    *,
    adjudicated_only: bool,
) -> Iterator[AnyRecord]:
    for template_id in sorted({query.template for query in queries.values() if query.template is not None}):
        template = template_of(connection, template_id)
        if template is not None:
            yield template
    yield from queries.values()
    yield from _runs(connection, queries)
    yield from _documents(connection, queries)
    for number, query in queries.items():
        assessors = [] if adjudicated_only else _owners(connection, number) if owner is None else [owner]
        with_adjudicated = number in finished and owner is None
        known = QueryNames(query.query_id, skipped=skipped)
        yield from _of_query(connection, number, known, assessors, names, adjudicated=with_adjudicated)


def _of_query(
    connection: Connection,
    number: int,
    known: QueryNames,
    assessors: list[int],
    names: dict[int, tuple[str, str]],
    *,
    adjudicated: bool,
) -> Iterator[AnyRecord]:
    places = Places(connection, number)
    yield from places.responses.values()
    yield from _imported_nugs(connection, number, known)
    done = _done(connection, number)
    layers = [
        LayerRecords(
            known, places, each, layer(connection, number, each), who={}, default_name=names[each][0],
            done=done.get(each, ()),
        )
        for each in assessors
    ]  # fmt: skip
    voters = layers
    if adjudicated:
        who = _adjudicators(connection, number, names)
        default = next(iter(who.values()), "adjudicator")
        decided = LayerRecords(
            known, places, ADJUDICATED, layer(connection, number, ADJUDICATED), who=who, default_name=default,
            done=done.get(ADJUDICATED, ()),
        )  # fmt: skip
        layers = [*layers, decided]
        if not voters:
            # Every person's own votes count, and they are about the adjudicated nugs.
            voters = [
                LayerRecords(
                    known, places, each, layer(connection, number, each, ["vote"]), who={},
                    default_name=names[each][0],
                )
                for each in _owners(connection, number)
            ]  # fmt: skip
    yield from _suggestions(connection, number, known, places, layers)
    for each in layers:
        yield from each.records()
    for each in dict.fromkeys((*voters, *layers)):
        yield from each.votes_and_judgements()


def _account_names(connection: Connection) -> dict[int, tuple[str, str]]:
    columns = tables.account.c
    rows = connection.execute(select(columns.number, columns.name, columns.role).order_by(columns.number))
    return {row.number: (row.name, row.role) for row in rows}


def stored_queries(connection: Connection) -> list[str]:
    """The ids of all queries of the campaign."""
    return [query.query_id for query in _queries(connection, None).values()]


def _queries(connection: Connection, wanted: Iterable[str] | None) -> dict[int, Query]:
    columns = tables.query.c
    found: dict[int, Query] = {}
    for number, record in connection.execute(select(columns.number, columns.record).order_by(columns.position)):
        query = decode_record(record.encode())
        assert isinstance(query, Query)
        found[number] = query
    if wanted is None:
        return found
    ids = {query.query_id for query in found.values()}
    if unknown := [query_id for query_id in wanted if query_id not in ids]:
        raise UsageError(f"there is no query {', '.join(map(repr, unknown))}; see the list of queries")
    chosen = set(wanted)
    return {number: query for number, query in found.items() if query.query_id in chosen}


def _runs(connection: Connection, queries: Iterable[int]) -> Iterator[Run]:
    """The runs that answer the queries; one that nobody described has only its id."""
    response, wanted = tables.response.c, set(queries)
    answered = {
        run_id
        for query, run_id in connection.execute(select(response.query, response.run_id).distinct())
        if query in wanted
    }
    known = {}
    for run_id, record in connection.execute(select(tables.run.c.run_id, tables.run.c.record)):
        run = decode_record(record.encode())
        assert isinstance(run, Run)
        known[run_id] = run
    for run_id in sorted(answered):
        yield known.get(run_id) or Run(run_id=run_id)


def _documents(connection: Connection, queries: Iterable[int]) -> Iterator[Document]:
    """The documents that answers to the queries cite."""
    citation, response, document = tables.citation.c, tables.response.c, tables.document.c
    wanted = set(queries)
    cited = {
        doc_id
        for query, doc_id in connection.execute(
            select(response.query, citation.doc_id)
            .join(tables.response, response.number == citation.response)
            .distinct()
        )
        if query in wanted
    }
    for doc_id, record in connection.execute(select(document.doc_id, document.record).order_by(document.doc_id)):
        if doc_id in cited:
            decoded = decode_record(record.encode())
            assert isinstance(decoded, Document)
            yield decoded


def _owners(connection: Connection, query_number: int) -> list[int]:
    """The assessors who have something in the query."""
    annotation, state = tables.annotation.c, tables.step_state.c
    saved = select(annotation.owner).where(annotation.query == query_number, annotation.record.is_not(None)).distinct()
    finished = select(state.owner).where(state.query == query_number, state.done.is_not(None)).distinct()
    found = {*connection.execute(saved).scalars(), *connection.execute(finished).scalars()}
    return sorted(found - {ADJUDICATED})


def _imported_nugs(connection: Connection, query_number: int, known: QueryNames) -> Iterator[Nug]:
    columns = tables.key_nug.c
    rows = connection.execute(
        select(columns.number, columns.record).where(columns.query == query_number).order_by(columns.position)
    )
    for number, record in rows:
        nug = decode_record(record.encode())
        assert isinstance(nug, Nug)
        known.nug(ALL, f"{IMPORTED}{number}", nug.nug_id)
        yield nug


def _suggestions(
    connection: Connection, query_number: int, known: QueryNames, places: Places, layers: Iterable[LayerRecords]
) -> Iterator[Nugget]:
    """The automatic nuggets that people accepted or corrected: nobody's, so without an assessor."""
    wanted = {number for each in layers for number in each.revised_suggestions()}
    columns = tables.suggestion.c
    rows = connection.execute(
        select(columns.number, columns.record, columns.details)
        .where(columns.query == query_number, columns.kind == "nugget")
        .order_by(columns.number)
    )
    for row in rows:
        if row.number not in wanted:
            continue
        record = decode_work(row.record)
        assert isinstance(record, NuggetWork)
        details = msgspec.json.decode(row.details or "{}")
        for place in places.in_scope(record.passage, record.spans):
            name = known.nugget(str(details.get("nugget_id") or f"auto-{row.number}"))
            known.suggestions[row.number, place.response, place.position] = name
            yield Nugget(
                nugget_id=name, query_id=known.query_id, run_id=place.run_id, snippet_id=place.snippet_id,
                spans=record.spans, type=record.type, category=record.category, secondary=record.secondary,
                anchor=record.anchor, world_knowledge=record.world_knowledge, paraphrase=record.paraphrase,
                source="auto", rule=details.get("rule"),
            )  # fmt: skip


def _done(connection: Connection, query_number: int) -> dict[int, list[str]]:
    columns, found = tables.step_state.c, dict[int, list[str]]()
    rows = connection.execute(
        select(columns.owner, columns.step).where(columns.query == query_number, columns.done.is_not(None))
    )
    for owner, step in rows:
        found.setdefault(owner, []).append(step)
    return found


def _adjudicators(connection: Connection, query_number: int, names: dict[int, tuple[str, str]]) -> dict[Place, str]:
    """Who wrote the newest version of each adjudicated annotation."""
    batch, change = tables.batch.c, tables.change.c
    rows = connection.execute(
        select(change.kind, change.key, batch.account)
        .join(tables.batch, batch.number == change.batch)
        .where(batch.query == query_number, batch.owner == ADJUDICATED, batch.refused.is_(False))
        .order_by(change.number)
    )
    return {(row.kind, row.key): names[row.account][0] for row in rows}
