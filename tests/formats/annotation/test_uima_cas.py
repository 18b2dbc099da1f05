from __future__ import annotations

import json
from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, messages
from karat.formats.annotation.uima_cas import sniff_uima_cas
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Nugget, Response, Run, Snippet, SpanSet

TEXT = "A 🐝 dances\r\nre\u0301el."
SOFA = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": TEXT}
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
META = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"


def annotation(number: int, layer: str, begin: Any, end: Any, **features: Any) -> dict[str, Any]:
    return {"%ID": number, "%TYPE": layer, "@sofa": 1, "begin": begin, "end": end} | features


def cas(*structures: dict[str, Any], **more: Any) -> str:
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": [SOFA, *structures], "%VIEWS": {}} | more)


def marked(nugget_id: str, start: int, end: int, **fields: Any) -> Nugget:
    return nugget(nugget_id, (start, end), query_id="bytes", run_id="uima-cas", **fields)


def test_reads_custom_layers_and_named_entities() -> None:
    relation = annotation(9, "webanno.custom.Then", 2, 3, **{"@Governor": 5, "@Dependent": 6})
    collection = collect(
        cas(
            annotation(2, "uima.tcas.DocumentAnnotation", 0, 19),
            annotation(3, TOKEN, 0, 1),
            annotation(5, ENTITY, 2, 4, value="BEE", identifier="Q7"),
            annotation(6, "webanno.custom.Claim", 5, 11, kind="act"),
            annotation(7, "custom.Span", 0, 1),
            relation,
        ),
        "uima-cas",
    )
    assert collection.runs == [Run(run_id="uima-cas")]
    assert collection.responses == [
        Response(
            query_id="bytes",
            run_id="uima-cas",
            snippets=(Snippet(snippet_id="1", text=TEXT),),
            extra={"relations": [relation]},
        )
    ]
    assert collection.nuggets == [
        marked("5", 2, 3, type="BEE", category=ENTITY, extra={"value": "BEE", "identifier": "Q7"}),
        marked("6", 4, 10, type="act", category="webanno.custom.Claim", extra={"kind": "act"}),
        marked("7", 0, 1, type="Span", category="custom.Span"),
    ]
    assert collection.nuggets[1].spans.text(TEXT) == "dances"


def test_anchors_may_be_marked_and_the_document_named() -> None:
    meta = annotation(2, META, 0, 19, documentTitle="doc 7")
    mark = {"%ID": 3, "%TYPE": "webanno.custom.Claim", "@sofa": 1, "^begin": 2, "^end": 4}
    collection = collect(cas(meta, mark), "uima-cas")
    assert [(nugget.query_id, nugget.spans) for nugget in collection.nuggets] == [("doc 7", SpanSet([(2, 3)]))]


def test_several_sofas_are_several_snippets() -> None:
    second = {"%ID": 8, "%TYPE": "uima.cas.Sofa", "sofaID": "other", "sofaString": "Hum."}
    collection = collect(cas(second, annotation(9, "webanno.custom.Claim", 0, 3, **{"@sofa": 8})), "uima-cas")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["_InitialView", "other"]
    assert collection.nuggets[0].snippet_id == "other"


def test_what_is_wrong_is_reported() -> None:
    layer = "webanno.custom.Claim"
    data = cas(
        annotation(2, layer, 0, 99),
        annotation(3, layer, 3, 5),
        annotation(4, layer, 0, 1, **{"@sofa": 77}),
        annotation(5, layer, "x", 1),
        annotation(6, layer, 0, 1),
        annotation(6, layer, 0, 1),
        annotation(7, layer, 2, 2),
        5,  # type: ignore[arg-type]
    )
    assert messages(data, "uima-cas") == [
        "1: %FEATURE_STRUCTURES[8]: must be an object, not a number",
        "1: %FEATURE_STRUCTURES[1]: ends at 99, but the text has 19 UTF-16 units",
        "1: %FEATURE_STRUCTURES[2]: [[3, 5]] begin or end inside a character",
        "1: %FEATURE_STRUCTURES[3].@sofa: there is no sofa '77' with a text",
        "1: %FEATURE_STRUCTURES[4].begin: must be a number, not 'x'",
        "1: %FEATURE_STRUCTURES[6].%ID: '6' appears twice",
        "1: %FEATURE_STRUCTURES[7]: a span needs 0 <= start < end, not [2, 2]",
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (cas(), True),
        ('{"%FEATURE_STRUCTURES": [], "%VIEWS": {}}', True),
        ('{"%FEATURE_STRUCTURES": []}', False),
        ('{"%TYPES": {}}', False),
        ("[]", False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_uima_cas(Head(Source("<bytes>", data.encode()))) is expected
