from __future__ import annotations

from pathlib import Path

import pytest

from builders.records import nugget
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import open_reading
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.pyramids.pyramid import sniff_pyramid
from karat.model import Collection, Member, Nug, Nugget, Query, Response, Run, Snippet, SpanSet

# Offsets run over the lines joined by newlines: the headings take 0-14 and 53-67.
TEXT = """<text>
  <line>-----</line>
  <line> D1.A</line>
  <line>-----</line>
  <line></line>
  <line>Bees dance.</line>
  <line>The dance tells the way.</line>
  <line></line>
  <line>-----</line>
  <line> D1.B</line>
  <line>-----</line>
  <line>Dancing bees point to food.</line>
 </text>"""
REGEX = r"<startDocumentRegEx><![CDATA[[-]*\n D1\.[A-Z]\n[-]*\n]]></startDocumentRegEx>"
DTD = """<?xml version="1.0"?>
<!DOCTYPE pyramid [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ATTLIST scu uid CDATA #REQUIRED>
]>
"""
DANCE = """<scu uid="7" label="bees dance" comment="sure">
  <contributor label="Bees...dance" comment="twice">
   <part label="dance" start="35" end="40"/><part label="Bees" start="19" end="23"/></contributor>
  <contributor label="Dancing bees"><part label="Dancing bees" start="75" end="87"/></contributor>
 </scu>"""


def pyr(*scus: str, text: str = TEXT, regex: str = REGEX) -> str:
    return f"<pyramid>\n{regex}\n {text}\n {''.join(scus)}\n</pyramid>\n"


def scu(*spans: tuple[int, int], uid: str = "1") -> str:
    parts = "".join(f'<part label="" start="{start}" end="{end}"/>' for start, end in spans)
    return f'<scu uid="{uid}" label="x"><contributor label="">{parts}</contributor></scu>'


def marked(nugget_id: str, run_id: str, *spans: tuple[int, int]) -> Nugget:
    return nugget(nugget_id, *spans, query_id="bytes", run_id=run_id)


A_TEXT = "Bees dance.\nThe dance tells the way."


def test_reads_summaries_contributors_and_scus() -> None:
    collection = collect(DTD + pyr(DANCE), "pyramid")
    assert collection.runs == [Run(run_id="D1.A", human=True), Run(run_id="D1.B", human=True)]
    assert collection.responses == [
        Response(query_id="bytes", run_id="D1.A", snippets=(Snippet(snippet_id="1", text=A_TEXT),)),
        Response(
            query_id="bytes", run_id="D1.B", snippets=(Snippet(snippet_id="1", text="Dancing bees point to food."),)
        ),
    ]
    assert collection.nuggets == [
        Nugget(
            nugget_id="7.1",
            query_id="bytes",
            run_id="D1.A",
            snippet_id="1",
            spans=SpanSet([(0, 4), (16, 21)]),
            source="person",
            extra={"comment": "twice"},
        ),
        Nugget(
            nugget_id="7.2",
            query_id="bytes",
            run_id="D1.B",
            snippet_id="1",
            spans=SpanSet([(0, 12)]),
            source="person",
        ),
    ]
    assert collection.nugs == [
        Nug(
            query_id="bytes",
            nug_id="7",
            descriptions=("bees dance",),
            weight=2.0,
            members=(Member(nugget_id="7.1"), Member(nugget_id="7.2")),
            extra={"comment": "sure"},
        )
    ]
    assert collection.nuggets[0].spans.text(A_TEXT) == "Bees ... dance"


def test_the_query_is_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "D0601.pyr"
    path.write_text(pyr(DANCE))
    assert [nug.query_id for nug in Collection(open_reading(path, format="pyramid")).nugs] == ["D0601"]


def test_the_weight_counts_summaries_not_contributors() -> None:
    twice = '<scu uid="1" label="x"><contributor label=""><part label="" start="19" end="23"/></contributor>'
    twice += '<contributor label=""><part label="" start="24" end="29"/></contributor></scu>'
    collection = collect(pyr(twice), "pyramid")
    assert collection.nugs[0].weight == 1.0
    assert len(collection.nugs[0].members) == 2


def test_without_an_expression_or_a_match_there_is_one_summary() -> None:
    for regex in ("", "<startDocumentRegEx>NOT THERE</startDocumentRegEx>"):
        collection = collect(pyr(scu((19, 23)), regex=regex), "pyramid")
        assert collection.runs == [Run(run_id="1", human=True)]
        assert collection.nuggets[0].spans == SpanSet([(19, 23)])


def test_an_expression_of_one_line_and_summaries_without_names() -> None:
    text = "<text><line>====</line><line>One.</line><line>====</line><line>Two.</line></text>"
    collection = collect(pyr(text=text, regex="<startDocumentRegEx>^=+$</startDocumentRegEx>"), "pyramid")
    assert [(r.run_id, r.snippets[0].text) for r in collection.responses] == [("1", "One."), ("2", "Two.")]


def test_offsets_count_utf16_units_as_java_does() -> None:
    text = "<text><line>A 🐝 dances ne\u0301e.</line></text>"
    part = '<part label="dances" start="5" end="11"/>'
    collection = collect(
        pyr(f'<scu uid="1" label="x"><contributor label="dances">{part}</contributor></scu>', text=text, regex=""),
        "pyramid",
    )
    assert collection.nuggets[0].spans == SpanSet([(4, 10)])
    assert b'start="44" end="50"' in round_trip(collection, "pyramid")


def test_offsets_in_code_points_are_seen_by_the_label() -> None:
    text = "<text><line>A 🐝 dances.</line></text>"
    part = '<part label="dances" start="4" end="10"/>'
    data = pyr(f'<scu uid="1" label="x"><contributor label="dances">{part}</contributor></scu>', text=text, regex="")
    reading = open_reading(data.encode(), format="pyramid")
    assert Collection(reading).nuggets[0].spans == SpanSet([(4, 10)])
    assert [warning.code for warning in reading.source.warnings] == ["offset-unit"]


def test_a_label_that_is_not_the_text_is_a_finding_and_kept() -> None:
    data = pyr(
        '<scu uid="1" label="x"><contributor label="say"><part label="hum" start="19" end="23"/></contributor></scu>'
    )
    reading = open_reading(data.encode(), format="pyramid")
    assert Collection(reading).nuggets[0].extra == {"label": "say"}
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:16: scu[0].contributor[0].part[0]: covers 'Bees', but the file says 'hum'"
    ]
    assert b'label="say"' in round_trip(collect(data, "pyramid"), "pyramid")


def test_broken_places_are_reported_and_only_that_contributor_dropped() -> None:
    data = pyr(
        scu((50, 80)) + "\n",
        scu((19, 23), (75, 80), uid="2") + "\n",
        scu((19, 999), uid="3") + "\n",
        scu((9, 5), uid="4") + "\n",
        DANCE,
    )
    collection, problems = collect_with_problems(data, "pyramid")
    assert [str(problem).removeprefix("<bytes>:") for problem in problems] == [
        "16: scu[0].contributor[0].part[0]: 50-80 is not inside one summary",
        "17: scu[1].contributor[0]: has parts in several summaries: D1.A, D1.B",
        "18: scu[2].contributor[0].part[0]: ends at 999, but the text has 102 UTF-16 units",
        "19: scu[3].contributor[0].part[0]: a span needs 0 <= start < end, not [9, 5]",
    ]
    assert {problem.query_id for problem in problems} == {"bytes"}
    assert [nug.nug_id for nug in collection.nugs] == ["1", "2", "3", "4", "7"]
    assert [nug.weight for nug in collection.nugs] == [None, None, None, None, 2.0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pyr('<scu label="x"/>'), "16: scu[0].uid: is missing"),
        (pyr(scu((19, 23)), scu((19, 23))), "16: scu[1].uid: an earlier SCU has the uid '1', too"),
        (pyr(regex="<startDocumentRegEx>(</startDocumentRegEx>"),
         "2: startDocumentRegEx: is not a regular expression: missing ), unterminated subpattern at position 0"),
        (pyr('<scu uid="1" label="x"><contributor label=""><part start="a" end="2"/></contributor></scu>'),
         "16: scu[0].contributor[0].part[0].start: must be a number, not 'a'"),
        ("<pyramid><text>", "1: is not XML: no element found"),
        ("<other/>", "1: the file has no <pyramid> element"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported(data: str, message: str) -> None:
    assert messages(data, "pyramid") == [message]


def test_text_before_the_first_summary_and_equal_names_are_findings() -> None:
    text = "<text><line>#4</line><line>= D1</line><line>One.</line><line>= D1</line><line>Two.</line></text>"
    reading = open_reading(
        pyr(text=text, regex="<startDocumentRegEx>= D\\d\n</startDocumentRegEx>").encode(), format="pyramid"
    )
    assert [run.run_id for run in Collection(reading).runs] == ["= D1", "= D1-2"]
    assert [warning.code for warning in reading.source.warnings] == ["outside-summaries", "duplicate-id"]


def test_crlf_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + pyr(DANCE).replace("\n", "\r\n").encode()
    assert list(collect(data, "pyramid")) == list(collect(pyr(DANCE), "pyramid"))


def test_round_trip() -> None:
    written = round_trip(collect(pyr(DANCE, scu((19, 40), uid="3")), "pyramid"), "pyramid")
    assert b'<part label="Bees" start="' in written
    texts = {
        "a b": 'A 🐝 "dances" & <hums>\r\nwith e\u0301lan\t!\n\n-----------------\n x\n-----------------\nend',
        "B-2": "Zwei 🐝🐝.",
        "C": "",
    }
    records = [
        *(Run(run_id=run_id, human=True) for run_id in texts),
        *(
            Response(query_id="bytes", run_id=run_id, snippets=(Snippet(snippet_id="1", text=text),) if text else ())
            for run_id, text in texts.items()
        ),
        marked("x.1", "a b", (2, 3), (20, 25)),
        marked("x.2", "B-2", (5, 7)),
        Nug(
            query_id="bytes",
            nug_id="x",
            descriptions=('a "b" & c',),
            weight=2.0,
            members=(Member(nugget_id="x.1"), Member(nugget_id="x.2")),
        ),
        Nug(query_id="bytes", nug_id="bare", descriptions=("nobody says it",)),
    ]
    round_trip(records, "pyramid")


def test_what_cannot_be_written_is_counted() -> None:
    def nugget(nugget_id: str, run_id: str = "a", **more: object) -> Nugget:
        return Nugget(
            nugget_id=nugget_id,
            query_id="q",
            run_id=run_id,
            snippet_id="s",
            spans=SpanSet([(0, 1)]),
            **({"source": "person"} | more),  # type: ignore[arg-type]
        )

    two = (Snippet(snippet_id="s", text="one"), Snippet(snippet_id="t", text="two\n"))
    records = [
        Query(query_id="q", text="why"),
        Run(run_id="a", human=True),
        Run(run_id="b"),
        Response(query_id="q", run_id="a", snippets=two),
        Response(query_id="q", run_id="b", snippets=two[:1]),
        nugget("odd", source="auto", extra={"n": 1}),
        nugget("lonely"),
        Nug(
            query_id="q",
            nug_id="1",
            descriptions=("x", "y"),
            weight=3.0,
            importance="vital",
            members=(Member(nugget_id="odd", degree=0.5), Member(nugget_id="gone")),
        ),
        Nug(query_id="r", nug_id="1", descriptions=("x",)),
    ]
    assert lost(records, "pyramid") == {
        "query": 1,
        "run": 1,
        "response": 1,
        "response.snippets": 1,
        "response.snippets.text": 1,
        "nugget": 1,
        "nugget.nugget_id": 1,
        "nugget.source": 1,
        "nugget.extra": 1,
        "nug": 1,
        "nug.descriptions": 1,
        "nug.importance": 1,
        "nug.members": 1,
        "nug.members.degree": 1,
        "nug.weight": 1,
    }


def test_is_recognised() -> None:
    assert sniff_pyramid(Head(Source("<bytes>", (DTD + pyr()).encode())))
    for other in ("<peerAnnotation><pyramid>", "<Pyramid><scu/></Pyramid>", "", '{"a": "<pyramid>"}', "<!-- -->"):
        assert not sniff_pyramid(Head(Source("<bytes>", other.encode())))
