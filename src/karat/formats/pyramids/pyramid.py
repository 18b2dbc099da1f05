"""A DUC/TAC pyramid (.pyr, DUCView): model summaries and the SCUs marked in them. The query is the name of the file.

<pyramid><startDocumentRegEx>…</startDocumentRegEx><text><line>…</line></text>
<scu uid="1" label="…"><contributor label="…"><part label="…" start="10" end="42"/></contributor></scu></pyramid>
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.annotation.annotated_text import one_query, stem_of
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.io.xml import read_xml
from karat.formats.pyramids.xml_parsing import read_pyramid_element, root_tag
from karat.formats.pyramids.xml_writing import write_pyramid_element
from karat.model import AnyRecord, Collection, Response

TITLE = "DUC/TAC pyramid (.pyr)"
CARRIES = carries(
    run="run_id human",
    response="query_id run_id snippets snippets.snippet_id snippets.text",
    nugget="nugget_id query_id run_id snippet_id spans source extra",
    nug="query_id nug_id descriptions weight members members.nugget_id extra",
)


def sniff_pyramid(head: Head) -> bool:
    return root_tag(head) == "pyramid"


def read_pyramid(source: Source) -> Iterator[AnyRecord]:
    root = read_xml(source)
    element = root if root.tag == "pyramid" else next(root.descendants("pyramid"), None)
    if element is None:
        source.fail("the file has no <pyramid> element", code="missing-field", line=root.line)
    source.query_id = stem_of(source)
    yield from read_pyramid_element(source, element, source.query_id)


def write_pyramid(records: Iterable[AnyRecord], sink: Sink) -> None:
    query_id, collection = one_query(Collection(records), sink)
    responses = summaries_of(collection, sink)
    sink.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    written = write_pyramid_element(collection, query_id, responses, sink)
    for nugget in collection.nuggets:
        if nugget.nugget_id not in written:
            sink.lose("nugget", "it is in no nug")
    texts = {response.run_id for response in responses}
    for response in collection.responses:
        if response.run_id not in texts:
            sink.lose("response", "it is not one of the pyramid's summaries")
    for run in collection.runs:
        if run.run_id not in texts:
            sink.lose("run", "it has no summary in the pyramid")


def summaries_of(collection: Collection, sink: Sink) -> list[Response]:
    """The responses that the pyramid is built on: those of people, or if there are none, those with members of nugs."""
    models = {run.run_id for run in collection.runs if run.human}
    if not any(response.run_id in models for response in collection.responses):
        members = {member.nugget_id for nug in collection.nugs for member in nug.members}
        models = {nugget.run_id for nugget in collection.nuggets if nugget.nugget_id in members}
        for run in collection.runs:
            if run.run_id in models:
                sink.lose("run.human", "the summaries of a pyramid count as written by people")
    return [response for response in collection.responses if response.run_id in models]
