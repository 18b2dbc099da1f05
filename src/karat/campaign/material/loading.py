"""Loading: records become rows, which wait until all are known and checked, and are written in one go.

Records come in any order: a query is known by its id as soon as something refers to it, and gets its text later.
"""

from __future__ import annotations

from collections import Counter

import msgspec
from sqlalchemy import Connection, Table, func, select, update

from karat.campaign.material.passages import scopes, text_hash
from karat.campaign.material.rows import Rows
from karat.campaign.material.stored import LONGEST_ID, digest, is_id, is_storable, language_of
from karat.campaign.material.suggestions import Suggestions
from karat.campaign.material.templates import built_in_templates
from karat.campaign.store import tables
from karat.model import (
    Citation,
    Document,
    Nug,
    Query,
    Record,
    Response,
    Run,
    Template,
    encode_record,
    record_to_dict,
)

_encode = msgspec.json.Encoder().encode


class QueryEntry:
    """What is known of a query while an import runs."""

    def __init__(self, number: int, record: str | None, *, is_new: bool) -> None:
        self.number = number
        self.record = record
        """None: something refers to it, and its own record has not come yet."""
        self.is_new = is_new
        self.is_written = not is_new
        self.responses: dict[str, tuple[int, bytes]] | None = {} if is_new else None
        """Number and hash of the record by run."""
        self.passages: dict[bytes, int] | None = {} if is_new else None
        self.nugs: dict[str, tuple[int, str]] | None = {} if is_new else None


class Loader:
    """Takes material, one record at a time, and reads what is there already; nothing is written.

    After `finish`, and if there are no `problems`, `rows.write_all` writes it.
    """

    def __init__(self, connection: Connection, *, words: int) -> None:
        self.connection = connection
        self.words = words
        self.added: Counter[str] = Counter()
        self.present: Counter[str] = Counter()
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.rows = Rows(connection)
        self.new_passages: dict[int, dict[str, int]] = {}
        """The passages of new responses by snippet."""
        self._late: list[QueryEntry] = []
        """Queries that were written before their record came."""
        self.queries = {
            row.query_id: QueryEntry(row.number, row.record, is_new=False)
            for row in connection.execute(select(tables.query))
        }
        self._position = connection.execute(select(func.max(tables.query.c.position))).scalar() or 0
        self._runs: dict[str, bytes] = self._hashes(tables.run, "run_id")
        self._documents: dict[str, bytes] = self._hashes(tables.document, "doc_id")
        self._templates: dict[str, bytes] = self._hashes(tables.template, "template_id")
        self.suggestions = Suggestions(self)

    def problem(self, message: str) -> None:
        """Something that stops the import: rows are no longer written, and the rest is only checked."""
        self.problems.append(message)
        self.rows.stop()

    # Definitions ------------------------------------------------------------------------------------------------------

    def query(self, query_id: str) -> QueryEntry:
        """The query with an id, made where it is not there yet."""
        entry = self.queries.get(query_id)
        if entry is None:
            self._check_id("query", query_id)
            entry = self.queries[query_id] = QueryEntry(self.rows.number(tables.query), None, is_new=True)
        return entry

    def add_query(self, query: Query) -> None:
        entry = self.query(query.query_id)
        record = encode_record(query).decode()
        if entry.record is None:
            if not query.text.strip():
                self.problem(f"query {query.query_id}: it has no text, and assessors need the question")
            entry.record = record
            if entry.is_written:
                self._late.append(entry)
            else:
                self._write_query(query.query_id, entry, query.conditions.get("language"))
        elif entry.record != record:
            self._differs(f"query {query.query_id}")
        else:
            self.present["query"] += 1

    def _write_query(self, query_id: str, entry: QueryEntry, language: str | None = None) -> None:
        """Write the row of a query before rows that refer to it."""
        if entry.is_written:
            return
        entry.is_written = True
        self._position += 1
        self.added["query"] += 1
        row = {
            "number": entry.number, "query_id": query_id, "position": self._position,
            "language": language_of(language), "record": entry.record or "",
        }  # fmt: skip
        self.rows.write(tables.query, row)

    def add_run(self, run: Run) -> None:
        if self._is_new("run", run.run_id, run, self._runs):
            self.rows.write(tables.run, {"run_id": run.run_id, "record": encode_record(run).decode()})

    def add_document(self, document: Document) -> None:
        if self._is_new("document", document.doc_id, document, self._documents):
            row = {"doc_id": document.doc_id, "record": encode_record(document).decode()}
            self.rows.write(tables.document, row | {"number": self.rows.number(tables.document)})

    def add_template(self, template: Template) -> None:
        """A template of the campaign stays as it is: the organiser may have edited it."""
        name, record = template.template_id, encode_record(template)
        known = self._templates.get(name)
        if known is not None:
            self.present["template"] += 1
            if known != digest(record):
                self.notes.append(f"template {name}: the campaign has another version, which is kept")
            return
        if template == built_in_templates().get(name):
            self.present["template"] += 1
            return
        self._check_id("template", name)
        self._templates[name] = digest(record)
        self.added["template"] += 1
        self.rows.write(tables.template, {"template_id": name, "record": record.decode()})

    def add_nug(self, nug: Nug) -> None:
        entry = self.query(nug.query_id)
        self._write_query(nug.query_id, entry)
        nugs = self.nugs_of(entry)
        if nug.members:
            self.notes.append(f"query {nug.query_id}: the members of key nugs are left out: their nuggets are not here")
            nug = msgspec.structs.replace(nug, members=())
        record = encode_record(nug).decode()
        if nug.nug_id in nugs:
            if nugs[nug.nug_id][1] != record:
                self._differs(f"nug {nug.nug_id} of query {nug.query_id}")
            else:
                self.present["nug"] += 1
            return
        self._check_id("nug", nug.nug_id)
        number = self.rows.number(tables.key_nug)
        nugs[nug.nug_id] = (number, record)
        self.added["nug"] += 1
        row = {"number": number, "query": entry.number, "nug_id": nug.nug_id, "position": len(nugs), "record": record}
        self.rows.write(tables.key_nug, row)

    def nugs_of(self, entry: QueryEntry) -> dict[str, tuple[int, str]]:
        """Number and record of the query's key nugs by id."""
        if entry.nugs is None:
            rows = self.connection.execute(select(tables.key_nug).where(tables.key_nug.c.query == entry.number))
            entry.nugs = {row.nug_id: (row.number, row.record) for row in rows}
        return entry.nugs

    # Responses --------------------------------------------------------------------------------------------------------

    def responses_of(self, entry: QueryEntry) -> dict[str, tuple[int, bytes]]:
        """Number and hash of the query's responses by run."""
        if entry.responses is None:
            rows = self.connection.execute(select(tables.response).where(tables.response.c.query == entry.number))
            entry.responses = {row.run_id: (row.number, digest(row.record.encode())) for row in rows}
        return entry.responses

    def add_response(self, answer: Response) -> None:
        entry = self.query(answer.query_id)
        responses = self.responses_of(entry)
        record = encode_record(answer)
        known = responses.get(answer.run_id)
        if known is not None:
            if known[1] != digest(record):
                self._differs(f"response of run {answer.run_id} to query {answer.query_id}")
            else:
                self.present["response"] += 1
            return
        self._check_id("run", answer.run_id)
        self._write_query(answer.query_id, entry)
        number = self.rows.number(tables.response)
        responses[answer.run_id] = (number, digest(record))
        self.added["response"] += 1
        row = {"number": number, "query": entry.number, "run_id": answer.run_id, "record": record.decode()}
        self.rows.write(tables.response, row)
        where = f"response of run {answer.run_id} to query {answer.query_id}"
        of_snippets = self.new_passages[number] = {}
        for position, (snippet, scope) in enumerate(
            zip(answer.snippets, scopes(answer, words=self.words), strict=True)
        ):
            if not snippet.text.strip():
                # There is nothing to read; the response's record keeps it.
                continue
            if not is_storable(snippet.text) or not is_storable(snippet.snippet_id):
                self.problem(f"{where}: snippet {snippet.snippet_id!r}: it has a character that is no text (NUL)")
                continue
            passage = of_snippets[snippet.snippet_id] = self._passage(entry, snippet.text)
            self.rows.write(tables.occurrence, {
                "response": number, "position": position, "passage": passage, "snippet_id": snippet.snippet_id,
                "scope": scope,
            })  # fmt: skip
            for citation in snippet.citations:
                self._citation(citation, number, position, passage, where)

    def _passage(self, entry: QueryEntry, text: str) -> int:
        if entry.passages is None:
            passage = tables.passage
            rows = self.connection.execute(
                select(passage.c.text_hash, passage.c.number).where(passage.c.query == entry.number)
            )
            entry.passages = {row.text_hash: row.number for row in rows}
        text_digest = text_hash(text)
        if text_digest not in entry.passages:
            entry.passages[text_digest] = self.rows.number(tables.passage)
            self.added["passage"] += 1
            row = {
                "number": entry.passages[text_digest], "query": entry.number, "text": text, "text_hash": text_digest,
            }  # fmt: skip
            self.rows.write(tables.passage, row)
        return entry.passages[text_digest]

    def _citation(self, citation: Citation, response: int, position: int, passage: int, where: str) -> None:
        if not is_storable(citation.doc_id):
            self.problem(f"{where}: doc_id {citation.doc_id!r}: it has a character that is no text (NUL)")
            return
        self.added["citation"] += 1
        record = _encode(record_to_dict(citation) if citation.extra else citation)
        self.rows.write(tables.citation, {
            "number": self.rows.number(tables.citation), "response": response, "position": position, "passage": passage,
            "doc_id": citation.doc_id, "record": record.decode(),
        })  # fmt: skip

    # The end ----------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Everything has come: suggest what waited for it, and find queries that never got a text."""
        if self.problems:
            return
        self.suggestions.finish()
        unknown = [query_id for query_id, entry in self.queries.items() if entry.is_written and not entry.record]
        for query_id in unknown:
            self.problem(f"query {query_id}: its text is not in the files; give the file of the queries, too")
        for entry in self._late:
            assert entry.record is not None
            query = msgspec.json.decode(entry.record)
            language = query.get("conditions", {}).get("language")
            self.rows.afterwards(
                update(tables.query)
                .where(tables.query.c.number == entry.number)
                .values(record=entry.record, language=language_of(language))
            )
        self.notes = list(dict.fromkeys(self.notes))

    def _is_new(self, noun: str, name: str, record: Record, known: dict[str, bytes]) -> bool:
        """Whether the record has to be written; counts it if it is there already, and notes if another one is."""
        new = digest(encode_record(record))
        if name not in known:
            self._check_id(noun, name)
            known[name] = new
            self.added[noun] += 1
            return True
        if known[name] != new:
            self._differs(f"{noun} {name}")
        else:
            self.present[noun] += 1
        return False

    def _differs(self, what: str) -> None:
        self.problem(
            f"{what}: the campaign has another version of it, which people may have annotated already; give the new "
            "one another id, or leave it out"
        )

    def _check_id(self, noun: str, name: str) -> None:
        if not is_id(name):
            self.problem(f"{noun} {name[:60]!r}: not an id that can be stored (1 to {LONGEST_ID} characters)")

    def _hashes(self, table: Table, key: str) -> dict[str, bytes]:
        rows = self.connection.execute(select(table.c[key], table.c.record))
        return {row[0]: digest(row[1].encode()) for row in rows}
