from __future__ import annotations

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import open_reading
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.pyramids.pyreval import sniff_pyreval
from karat.model import Collection, Nug

XML = (
    '<Pyramid><scu uid="0"><contributor label="Bees dance &amp; hum 🐝" /><contributor label="They dance." /></scu>'
    '<scu uid="1" note="n"><contributor label="Wasps." /></scu></Pyramid>'
)
TSV = "SCU\t0\t2\tBees dance & hum 🐝\nSCU\t0\t2\tThey dance.\nSCU\t1\t1\tWasps.\n"
NUGS = [
    Nug(query_id="bytes", nug_id="0", descriptions=("Bees dance & hum 🐝", "They dance."), weight=2.0),
    Nug(query_id="bytes", nug_id="1", descriptions=("Wasps.",), weight=1.0),
]


def test_reads_contributors_as_descriptions() -> None:
    assert collect(TSV, "pyreval").nugs == NUGS
    assert collect(XML.replace(' note="n"', ""), "pyreval").nugs == NUGS
    assert collect(XML, "pyreval").nugs[1].extra == {"note": "n"}


def test_byte_order_mark_crlf_and_blank_lines() -> None:
    assert collect(b"\xef\xbb\xbf" + TSV.replace("\n", "\r\n\r\n").encode(), "pyreval").nugs == NUGS
    assert len(collect(b"\xef\xbb\xbf\n" + XML.encode(), "pyreval").nugs) == 2


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = "SCU\t0\t2\tone\nSCU\t0\t3\ttwo\nPEER\t0\t2\tx\nSCU\t1\n"
    collection, problems = collect_with_problems(data, "pyreval")
    assert [str(problem) for problem in problems] == [
        "<bytes>:2: weight: SCU '0' has the weight 3 here, but 2 before",
        "<bytes>:3: kind: 'PEER' is not one of SCU",
        "<bytes>:4: weight: the row has 2 values for 4 columns",
    ]
    assert collection.nugs == [Nug(query_id="bytes", nug_id="0", descriptions=("one", "two"), weight=2.0)]
    assert messages('<Pyramid>\n<scu uid="1"/>\n<scu uid="1"/>\n<scu/></Pyramid>', "pyreval") == [
        "3: scu[1].uid: an earlier SCU has the uid '1', too",
        "4: scu[2].uid: is missing",
    ]


def test_a_weight_that_is_not_the_number_of_contributors_is_a_finding() -> None:
    reading = open_reading(b"SCU\t3\t5\tonly one\n", format="pyreval")
    assert Collection(reading).nugs[0].weight == 5.0
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: weight: SCU '3' has 1 contributors, not 5"
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [(XML, True), (TSV, True), ("<pyramid/>", False), ("SCU 0 5 text", False), ("", False), ("SCU\tx\ty\tz", False)],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_pyreval(Head(Source("<bytes>", data.encode()))) is expected
