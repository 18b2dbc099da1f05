"""What the answer formats of TREC RAG, NeuCLIR and RAGTIME share: sentences that cite documents of a reference list.

The reference list is kept in the response's `extra` if it says more than the citations do: a different order, or
documents that no sentence cites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from karat.formats.io.fields import Fields, normal_label, type_name
from karat.formats.io.json_path import join
from karat.formats.io.sink import Sink
from karat.model import AnyRecord, Citation, Collection, Response, Run, Snippet
from karat.model.identity import identity, identity_text

REFERENCES = "references"
METADATA = "metadata"
CITATION_STYLE = "citation_style"
"""The field of a response's `extra` that says that its file cites by document id, not by position in the references."""


class Responses:
    """Passes a response on if it is the first for its query and run; a second one is a problem."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def __call__(self, response: Response, row: Fields) -> Iterator[AnyRecord]:
        key = identity(response)
        if key in self._seen:
            row.bad("", f"a second response with {identity_text(response)}; only one is allowed", code="duplicate-id")
        self._seen.add(key)
        yield response


def read_sentences(
    row: Fields, name: str, references: list[str], read_citations: Callable[[Fields, list[str]], list[Citation]]
) -> tuple[Snippet, ...]:
    """The sentences of an answer, numbered from 1."""
    snippets: list[Snippet] = []
    for number, item in enumerate(row.items(name), 1):
        with item.unit():
            text = item.text("text")
            citations = tuple(read_citations(item, references))
            snippets.append(Snippet(snippet_id=str(number), text=text, citations=citations, extra=item.rest()))
    return tuple(snippets)


def doc_id_of(item: Fields, place: str, value: object) -> str | None:
    """A document's id: a string, or a number, which is read as a string; anything else is reported."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    item.complain(place, f"a document's id must be a string, not {type_name(value)}", code="wrong-type")
    return None


def read_references(row: Fields) -> list[str]:
    """The reference list; empty if it is missing. A member that is not an id becomes an empty string."""
    references: list[str] = []
    seen: set[str] = set()
    for index, value in enumerate(row.optional_members(REFERENCES)):
        place = join(REFERENCES, index)
        doc_id = doc_id_of(row, place, value) or ""
        if doc_id in seen:
            row.source.warn(join(row.path, place), f"{doc_id!r} appears twice", code="duplicate-reference")
        references.append(doc_id)
        seen.add(doc_id)
    return references


def cited_documents(snippets: tuple[Snippet, ...]) -> list[str]:
    """Every document that is cited, in the order of first citation."""
    return list(dict.fromkeys(citation.doc_id for snippet in snippets for citation in snippet.citations))


def references_to_keep(row: Fields, references: list[str], snippets: tuple[Snippet, ...]) -> dict[str, Any]:
    """`extra` with the reference list, unless there is none or it says no more than the citations."""
    return {REFERENCES: references} if row.has(REFERENCES) and references != cited_documents(snippets) else {}


def references_of(response: Response, *, complete: bool) -> list[str]:
    """The reference list to write; a complete one has every cited document."""
    cited = cited_documents(response.snippets)
    kept = response.extra.get(REFERENCES)
    if not isinstance(kept, list):
        return cited
    return [*kept, *(doc_id for doc_id in cited if doc_id not in kept)] if complete else kept


def check_reference(item: Fields, place: str, doc_id: str, references: list[str]) -> None:
    """A cited document that is not in the references is still a citation, so this is only a lint finding."""
    if references and doc_id not in references:
        path = join(item.path, place)
        item.source.warn(path, f"{doc_id!r} is not among the references", code="dangling-reference")


def read_index_citations(item: Fields, references: list[str]) -> list[Citation]:
    """Citations given as positions in the reference list, counted from 0, or as ids of its documents."""
    citations: list[Citation] = []
    for index, value in enumerate(item.optional_members("citations")):
        place = join("citations", index)
        if isinstance(value, str) and value.isdecimal() and value not in references:
            value = int(value)
        if isinstance(value, str):
            check_reference(item, place, value, references)
            citations.append(Citation(doc_id=value))
        elif isinstance(value, bool) or not isinstance(value, int):
            item.complain(
                place,
                f"must be a document id or a whole number (a position in the references), not {type_name(value)}",
                code="wrong-type",
            )
        elif not 0 <= value < len(references) or not references[value]:
            message = f"there is no reference {value}: there are {len(references)}, counted from 0"
            item.complain(place, message, code="dangling-reference")
        else:
            citations.append(Citation(doc_id=references[value]))
    return citations


def cites_by_id(row: Fields, name: str) -> bool:
    """Whether a row's sentences cite documents by id."""
    sentences = row.data.get(name)
    return isinstance(sentences, list) and any(
        isinstance(value, str) and not value.isdecimal()
        for sentence in sentences
        if isinstance(sentence, dict) and isinstance(sentence.get("citations"), list)
        for value in sentence["citations"]
    )


def metadata_to_write(response: Response, run: Run, known: dict[str, Any], sink: Sink) -> dict[str, Any]:
    """The metadata object: known fields, then those kept from the file; its type only if it agrees with `human`."""
    kept = response.extra.get(METADATA, {})
    if not isinstance(kept, dict):
        sink.lose("response.extra", "metadata that is not an object cannot be written")
        kept = {}
    team = {} if run.group is None else {"team_id": run.group}
    if "type" in kept and is_manual(kept["type"]) == run.human:
        known = known | {"type": kept["type"]}
    return with_extra(team | known, kept, "type")


def is_manual(run_type: object) -> bool:
    """Whether the type of a run says that a person answered."""
    return isinstance(run_type, str) and normal_label(run_type) == "manual"


def with_extra(known: dict[str, Any], extra: dict[str, Any], *handled: str) -> dict[str, Any]:
    """An object to write: known fields, then the kept ones; those in `handled` are left out."""
    return known | {name: value for name, value in extra.items() if name not in known and name not in handled}


def check_sentence_ids(response: Response, sink: Sink) -> None:
    """Report ids of sentences that are lost because the reader numbers the sentences."""
    for number, snippet in enumerate(response.snippets, 1):
        if snippet.snippet_id != str(number):
            sink.lose("response.snippets.snippet_id", "sentences are numbered when the file is read")


def lose_unanswered(collection: Collection, sink: Sink) -> None:
    """Report queries and runs that are lost because they have no response."""
    answered = {response.query_id for response in collection.responses}
    answering = {response.run_id for response in collection.responses}
    for query in collection.queries:
        if query.query_id not in answered:
            sink.lose("query", "it has no response")
    for run in collection.runs:
        if run.run_id not in answering:
            sink.lose("run", "it has no response")


def runs_by_id(collection: Collection) -> dict[str, Run]:
    """The runs of all responses, also those that have no Run record."""
    runs = {response.run_id: Run(run_id=response.run_id) for response in collection.responses}
    return runs | {run.run_id: run for run in collection.runs}
