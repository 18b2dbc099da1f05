"""Documents that citations point to."""

from __future__ import annotations

from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.errors import NotAllowed
from karat.campaign.work.permissions import Person
from karat.model import Document, decode_record


def visible_document(connection: Connection, person: Person, number: int) -> Document:
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
    return decoded
