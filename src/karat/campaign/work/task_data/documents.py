"""Documents that citations point to."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.errors import NotAllowed
from karat.campaign.work.permissions import Person
from karat.model import Document, decode_record


class TaskDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What pages show of a document: the named fields, and not what else its file says (perhaps whose it is)."""

    doc_id: str
    text: str | None
    language: str | None
    medium: str | None
    time: str | None
    title: str | None


def visible_document(connection: Connection, person: Person, number: int) -> TaskDocument:
    """The document, if it is cited in a query that the person may see; NotAllowed otherwise."""
    document, citation, response = tables.document.c, tables.citation.c, tables.response.c
    chosen = select(document.record).where(document.number == number)
    if person.role == "assessor":
        assignment = tables.assignment.c
        cited = (
            select(citation.doc_id)
            .join(tables.response, response.number == citation.response)
            .join(tables.assignment, assignment.query == response.query)
            .where(assignment.account == person.number, citation.doc_id == document.doc_id)
        )
        chosen = chosen.where(cited.exists())
    record = connection.execute(chosen).scalar()
    if record is None:
        raise NotAllowed
    decoded = decode_record(record.encode())
    assert isinstance(decoded, Document)
    return TaskDocument(
        doc_id=decoded.doc_id, text=decoded.text, language=decoded.language, medium=decoded.medium, time=decoded.time,
        title=decoded.title,
    )  # fmt: skip
