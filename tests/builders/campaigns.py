"""Small campaigns for tests: two answers to a question, two assessors, an adjudicator, an organiser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

import msgspec
from sqlalchemy import Connection, delete, insert, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import key_of, kind_of_work
from karat.campaign.work.changes import Saved, save
from karat.campaign.work.payloads import Work
from karat.campaign.work.rules import Change
from karat.model import Citation, Document, Nug, Query, Response, Run, Snippet, encode_record

STEPS = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
REQUESTS = count(1)


@dataclass(frozen=True)
class Somebody:
    """An account, as far as work asks for it."""

    number: int
    name: str
    role: str
    languages: tuple[str, ...] = ()


@dataclass
class Material:
    """Numbers of what was put into the store, by plain names."""

    queries: dict[str, int] = field(default_factory=dict)
    responses: dict[tuple[str, str], int] = field(default_factory=dict)
    passages: dict[tuple[str, str], int] = field(default_factory=dict)
    citations: dict[tuple[str, str, int, int], int] = field(default_factory=dict)
    nugs: dict[tuple[str, str], int] = field(default_factory=dict)


def add_people(connection: Connection, *people: tuple[str, str, str]) -> dict[str, Somebody]:
    """(name, role, languages) of each; numbers from 1 on."""
    made = {}
    for number, (name, role, languages) in enumerate(people, 1):
        connection.execute(
            insert(tables.account).values(number=number, name=name, role=role, languages=languages, created=0.0)
        )
        made[name] = Somebody(number, name, role, tuple(languages.split()))
    return made


def the_people(connection: Connection) -> dict[str, Somebody]:
    """ann and ben, assessors; eva, adjudicator; olga, organiser."""
    return add_people(
        connection, ("ann", "assessor", "ar"), ("ben", "assessor", "ar"), ("eva", "adjudicator", ""),
        ("olga", "organiser", ""),
    )  # fmt: skip


def set_settings(connection: Connection, **values: object) -> None:
    for name, value in values.items():
        connection.execute(insert(tables.setting).values(name=name, value=msgspec.json.encode(value).decode()))


def add_material(
    connection: Connection,
    answers: dict[str, dict[str, list[str | Snippet]]],
    *,
    first: int = 1000,
    languages: dict[str, str] | None = None,
    nugs: dict[str, list[str]] | None = None,
    documents: tuple[Document, ...] = (),
    scopes: dict[str, int] | None = None,
) -> Material:
    """`answers`: run id -> texts (or snippets) per query; `scopes`: characters in scope of a text (else all)."""
    made, numbers = Material(), count(first)
    for position, (query_id, runs) in enumerate(answers.items()):
        language = (languages or {}).get(query_id)
        number = made.queries[query_id] = next(numbers)
        record = Query(
            query_id=query_id, text=f"What about {query_id}?", conditions={"language": language} if language else {}
        )
        connection.execute(
            insert(tables.query).values(
                number=number, query_id=query_id, position=position, language=language, record=_json(record)
            )
        )
        for run_id, texts in runs.items():
            if not any(key[1] == run_id for key in made.responses):
                connection.execute(
                    insert(tables.run).values(
                        run_id=run_id, record=_json(Run(run_id=run_id, group=f"group of {run_id}"))
                    )
                )
            _add_response(connection, made, numbers, query_id, run_id, texts, scopes or {})
        for place, text in enumerate((nugs or {}).get(query_id, [])):
            nug_id = f"k{place + 1}"
            made.nugs[query_id, nug_id] = next(numbers)
            nug = Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,), importance="vital")
            connection.execute(
                insert(tables.key_nug).values(
                    number=made.nugs[query_id, nug_id], query=number, nug_id=nug_id, position=place, record=_json(nug)
                )
            )
    for document in documents:
        connection.execute(
            insert(tables.document).values(number=next(numbers), doc_id=document.doc_id, record=_json(document))
        )
    return made


def _add_response(
    connection: Connection,
    made: Material,
    numbers: count[int],
    query_id: str,
    run_id: str,
    texts: list[str | Snippet],
    scopes: dict[str, int],
) -> None:
    snippets = tuple(
        Snippet(snippet_id=f"{run_id}-{place}", text=text) if isinstance(text, str) else text
        for place, text in enumerate(texts)
    )
    number = made.responses[query_id, run_id] = next(numbers)
    response = Response(query_id=query_id, run_id=run_id, snippets=snippets)
    query = made.queries[query_id]
    connection.execute(
        insert(tables.response).values(number=number, query=query, run_id=run_id, record=_json(response))
    )
    for position, snippet in enumerate(snippets):
        place = query_id, snippet.text
        if place not in made.passages:
            made.passages[place] = next(numbers)
            connection.execute(
                insert(tables.passage).values(
                    number=made.passages[place], query=query, text=snippet.text,
                    text_hash=sha256(snippet.text.encode()).digest(),
                )
            )  # fmt: skip
        passage = made.passages[place]
        connection.execute(
            insert(tables.occurrence).values(
                response=number, position=position, passage=passage, snippet_id=snippet.snippet_id,
                scope=scopes.get(snippet.text, len(snippet.text)),
            )
        )  # fmt: skip
        for at, citation in enumerate(snippet.citations):
            made.citations[query_id, run_id, position, at] = next(numbers)
            connection.execute(
                insert(tables.citation).values(
                    number=made.citations[query_id, run_id, position, at], response=number, position=position,
                    passage=passage, doc_id=citation.doc_id, record=_json(citation),
                )
            )  # fmt: skip


def assign_all(connection: Connection, made: Material, *people: Somebody) -> None:
    rows = [
        {"query": query, "account": person.number, "assigned": 0.0}
        for query in made.queries.values()
        for person in people
    ]
    connection.execute(insert(tables.assignment), rows)


@contextmanager
def alone(connection: Connection, person: Somebody, query: int) -> Iterator[None]:
    """While the query is the person's only: votes on the own nugs are open then."""
    columns = tables.assignment.c
    others = columns.query == query, columns.account != person.number
    rows = [dict(row) for row in connection.execute(select(tables.assignment).where(*others)).mappings()]
    connection.execute(delete(tables.assignment).where(*others))
    yield
    if rows:
        connection.execute(insert(tables.assignment), rows)


def cited(doc_id: str, **more: object) -> Citation:
    return Citation(doc_id=doc_id, **more)  # type: ignore[arg-type]


def new(record: Work, key: str | None = None, version: int = 0) -> Change:
    """A change that saves a record; the key is made from it where it says what it is about."""
    return Change(kind=kind_of_work(record), key=key or key_of(record) or "", version=version, record=record)  # type: ignore[arg-type]


def gone(kind: str, key: str, version: int) -> Change:
    return Change(kind=kind, key=key, version=version)


def saved(connection: Connection, person: Somebody, query: int, *changes: Change, owner: int | None = None) -> Saved:
    """Save into the person's own layer (an adjudicator: into the adjudicated one)."""
    layer = owner if owner is not None else (0 if person.role == "adjudicator" else person.number)
    return save(connection, person, query, layer, f"test-{next(REQUESTS)}", changes, now=1.0)


def _json(record: msgspec.Struct) -> str:
    return encode_record(record).decode() if hasattr(record, "v") else msgspec.json.encode(record).decode()
