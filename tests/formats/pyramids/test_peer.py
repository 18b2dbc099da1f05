from __future__ import annotations

from pathlib import Path
from typing import Any

from builders.records import judgement, nugget
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import open_reading
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.pyramids.peer import sniff_pyramid_peer
from karat.model import Collection, Evidence, Judgement, Member, Nug, Nugget, Response, Run, Snippet, SpanSet

PYRAMID = """<pyramid>
<startDocumentRegEx><![CDATA[= [A-Z]\\n]]></startDocumentRegEx>
 <text><line>= A</line><line>Bees dance.</line><line>= B</line><line>Bees hum.</line></text>
 <scu uid="1" label="bees dance">
  <contributor label="Bees dance"><part label="Bees dance" start="4" end="14"/></contributor></scu>
 <scu uid="2" label="bees hum">
  <contributor label="Bees hum"><part label="Bees hum" start="20" end="28"/></contributor></scu>
</pyramid>
"""
PEER = "A 🐝 dances,\nsings and hums."


def pan(*peerscus: str) -> str:
    lines = "".join(f"<line>{line}</line>" for line in PEER.split("\n"))
    body = "\n".join(peerscus)
    return f"<peerAnnotation>\n{PYRAMID}<annotation>\n <text>{lines}</text>\n{body}\n</annotation>\n</peerAnnotation>\n"


DANCES = """<peerscu uid="1" label="(1) bees dance">
<contributor label="dances...hums"><part label="hums" start="23" end="27"/>
<part label="dances" start="5" end="11"/></contributor>
</peerscu>"""
HUMS = '<peerscu uid="2" label="(1) bees hum" comment="no"></peerscu>'
REST = """<peerscu uid="0" label="All non-matching SCUs go here">
<contributor label="sings"><part label="sings" start="13" end="18"/></contributor></peerscu>"""


def marked(nugget_id: str, *spans: tuple[int, int]) -> Nugget:
    return nugget(nugget_id, *spans, query_id="bytes", run_id="peer")


def match(nug_id: str, degree: float, *spans: tuple[int, int], **fields: Any) -> Judgement:
    evidence = Evidence(spans=SpanSet(spans)) if spans else None
    ids = {"query_id": "bytes", "run_id": "peer", "judge": "given"}
    return judgement(nug_id, degree, evidence=evidence, **ids | fields)


def test_reads_the_pyramid_the_peer_and_what_was_found_in_it() -> None:
    collection = collect(pan(DANCES, HUMS, REST), "pyramid-peer")
    assert [(run.run_id, run.human) for run in collection.runs] == [("= A", True), ("= B", True), ("peer", False)]
    assert collection.responses[2] == Response(
        query_id="bytes", run_id="peer", snippets=(Snippet(snippet_id="1", text=PEER),)
    )
    assert [nug.weight for nug in collection.nugs] == [1.0, 1.0]
    assert collection.nugs[0].members == (Member(nugget_id="1.1"),)
    assert collection.nuggets[2:] == [marked("peer.1.1", (4, 10), (22, 26)), marked("peer.0.1", (12, 17))]
    assert collection.nuggets[2].spans.text(PEER) == "dances ... hums"
    assert collection.judgements == [match("1", 1.0, (4, 10), (22, 26)), match("2", 0.0, extra={"comment": "no"})]
    round_trip(collection, "pyramid-peer")


def test_the_name_of_the_file_says_query_and_peer(tmp_path: Path) -> None:
    path = tmp_path / "D0601.M.250.A.17.pan"
    path.write_text(pan(DANCES))
    collection = Collection(open_reading(path, format="pyramid-peer"))
    assert collection.judgements[0].query_id == "D0601"
    assert collection.judgements[0].run_id == "17"
    assert collection.nuggets[-1].nugget_id == "17.1.1"


def test_another_label_than_the_pyramids_is_kept() -> None:
    collection = collect(pan('<peerscu uid="1" label="(9) wasps dance"/>'), "pyramid-peer")
    assert collection.judgements == [match("1", 0.0, extra={"label": "(9) wasps dance"})]
    round_trip(collection, "pyramid-peer")


def test_a_contributor_without_a_place_is_a_match_all_the_same() -> None:
    data = pan('<peerscu uid="1" label="bees dance"><contributor label=""/></peerscu>')
    reading = open_reading(data.encode(), format="pyramid-peer")
    collection = Collection(reading)
    assert collection.judgements == [match("1", 1.0)]
    assert [warning.code for warning in reading.source.warnings] == ["missing-span"]
    round_trip(collection, "pyramid-peer")


def test_dangling_and_repeated_uids_and_places_outside_are_reported() -> None:
    outside = '<contributor label="z"><part label="z" start="20" end="99"/></contributor>'
    data = pan(
        f'<peerscu uid="1" label="bees dance">{outside}</peerscu>',
        '<peerscu uid="5" label="x"/>',
        '<peerscu uid="1" label="bees dance"/>',
        HUMS,
    )
    assert messages(data, "pyramid-peer") == [
        "12: peerscu[0].contributor[0].part[0]: ends at 99, but the text has 28 UTF-16 units",
        "13: peerscu[1].uid: the pyramid has no SCU '5'",
        "14: peerscu[2].uid: an earlier peerscu has the uid '1', too",
    ]
    # The contributor is gone, but somebody saw the SCU in the text.
    assert [j.degree for j in collect_with_problems(data, "pyramid-peer")[0].judgements] == [1.0, 0.0]


def test_a_file_without_an_annotation_is_reported() -> None:
    assert messages("<peerAnnotation>" + PYRAMID + "</peerAnnotation>", "pyramid-peer") == [
        "1: a peer annotation needs a <pyramid> and an <annotation>"
    ]


def test_evidence_without_nuggets_becomes_a_contributor() -> None:
    records = [
        record
        for record in collect(pan(DANCES, HUMS), "pyramid-peer")
        if getattr(record, "nugget_id", "") != "peer.1.1"
    ]
    assert lost(records, "pyramid-peer") == {}


def test_what_cannot_be_written_is_counted() -> None:
    records = list(collect(pan(DANCES, HUMS, REST), "pyramid-peer"))[:-2]
    more = [
        Run(run_id="second"),
        Response(query_id="bytes", run_id="second", snippets=()),
        Nug(query_id="bytes", nug_id="3", descriptions=("z",)),
        Judgement(query_id="bytes", run_id="peer", nug_id="1", degree=0.6, judge="ann", assessor="ann"),
        Judgement(query_id="bytes", run_id="peer", nug_id="2", judge="given", status="failed"),
        Judgement(query_id="bytes", run_id="second", nug_id="2", degree=1.0, judge="given"),
        Judgement(query_id="bytes", run_id="peer", snippet_id="1", nug_id="3", degree=0.0, judge="given"),
    ]
    assert lost([*records, *more], "pyramid-peer") == {
        "run": 1,
        "response": 1,
        "judgement": 2,
        "judgement.assessor": 1,
        "judgement.degree": 1,
        "judgement.evidence.spans": 1,
        "judgement.judge": 1,
        "judgement.snippet_id": 1,
        "judgement.status": 1,
    }


def test_is_recognised() -> None:
    assert sniff_pyramid_peer(Head(Source("<bytes>", b'<?xml version="1.0"?>' + pan(HUMS).encode())))
    assert sniff_pyramid_peer(Head(Source("<bytes>", pan(HUMS).replace("peerAnnotation", "root").encode())))
    for other in (PYRAMID, "<Pyramid/>", "", "<root><pyramid/></root>"):
        assert not sniff_pyramid_peer(Head(Source("<bytes>", other.encode())))
