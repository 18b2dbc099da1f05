from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from builders.records import nugget
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import open_reading, write_bytes
from karat.formats.annotation.brat import sniff_brat
from karat.formats.inputs.reading import Reading
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Response, Run, Snippet, SpanSet

TEXT = "A 🐝 dances\r\nre\u0301el, then hums."
ANN = """T1\tDance 2 3;4 10\t🐝 dances
A1\tNegation T1
M2\tConf T1 High
#1\tAnnotatorNotes T1\tlooks odd
#2\tParaphrase T1\ta bee dances
N1\tReference T1 Wiki:7\tBee
T2\tSound 24 28\thums
R1\tThen Arg1:T1 Arg2:T2
E1\tDance:T1 Theme:T2
*\tEquiv T1 T2
A3\tNegation E1
"""
ABOUT_T1 = {
    "attributes": {"Negation": True, "Conf": "High"},
    "notes": [{"type": "AnnotatorNotes", "text": "looks odd"}],
    "normalizations": [{"type": "Reference", "reference": "Wiki:7", "text": "Bee"}],
}
OTHERS = ["R1\tThen Arg1:T1 Arg2:T2", "E1\tDance:T1 Theme:T2", "*\tEquiv T1 T2", "A3\tNegation E1"]


marked = partial(nugget, query_id="bytes", run_id="brat")


def opened(folder: Path, ann: str, text: bytes = TEXT.encode()) -> Reading:
    (folder / "doc 7.txt").write_bytes(text)
    (folder / "doc 7.ann").write_bytes(ann.encode())
    return open_reading(folder / "doc 7.ann", format="brat", on_error="skip")


def test_reads_the_text_beside_the_file_and_what_is_marked_in_it(tmp_path: Path) -> None:
    reading = opened(tmp_path, ANN)
    collection = Collection(reading)
    assert reading.source.problems == []
    assert reading.source.warnings == []
    assert collection.runs == [Run(run_id="brat")]
    assert collection.responses == [
        Response(
            query_id="doc 7", run_id="brat", snippets=(Snippet(snippet_id="1", text=TEXT),), extra={"brat": OTHERS}
        )
    ]
    assert collection.nuggets == [
        marked("T1", (2, 3), (4, 10), query_id="doc 7", type="Dance", paraphrase="a bee dances", extra=ABOUT_T1),
        marked("T2", (24, 28), query_id="doc 7", type="Sound"),
    ]
    assert collection.nuggets[0].spans.text(TEXT) == "🐝 ... dances"


def test_written_and_read_again_beside_the_same_text(tmp_path: Path) -> None:
    collection = Collection(opened(tmp_path, ANN))
    written = write_bytes(collection, format="brat").decode()
    assert "T1\tDance 2 3;4 10\t🐝 dances\n" in written
    assert Collection(opened(tmp_path, written)) == collection
    assert lost(collection, "brat") == {"response.snippets": 1}


def test_without_the_text_there_are_nuggets_only() -> None:
    reading = open_reading(ANN.encode(), format="brat")
    collection = Collection(reading)
    assert [nugget.nugget_id for nugget in collection] == ["T1", "T2"]
    assert [str(warning) for warning in reading.source.warnings] == [
        f"<bytes>:{line}: is not kept: that needs the .txt beside the file" for line in (8, 9, 10, 11)
    ]
    round_trip(collection, "brat")


def test_crlf_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + ANN.replace("\n", "\r\n").encode()
    assert collect(data, "brat").nuggets == collect(ANN, "brat").nuggets


def test_places_are_checked_against_the_text(tmp_path: Path) -> None:
    reading = opened(tmp_path, "T1\tA 0 99\tx\nT2\tA 0 1\tB\nT3\tA 5 11\tdances\nT4\tA 3 3\t\n")
    collection = Collection(reading)
    assert [str(problem).rpartition("doc 7.ann:")[2] for problem in reading.source.problems] == [
        "1: T1: ends at 99, but the text has 29 characters",
        "4: T4: a span needs 0 <= start < end, not [3, 3]",
    ]
    assert [(warning.line, warning.code) for warning in reading.source.warnings] == [
        (2, "text-mismatch"),
        (3, "offset-unit"),
    ]
    # T3 counts as JavaScript does; the text it states tells.
    assert [nugget.spans for nugget in collection.nuggets] == [SpanSet([(0, 1)]), SpanSet([(4, 10)])]


def test_broken_lines_and_repeated_ids_are_reported() -> None:
    data = "T1\tA 0 1\tx\n\nnonsense\nT1\tB 2 3\ty\nT2 A 0 1\n"
    bad = "is not an annotation (`T1<TAB>Type 0 5<TAB>text`, R, E, A, M, N, # or *)"
    assert messages(data, "brat") == [f"3: {bad}", "4: T1: this id appears twice", f"5: {bad}"]
    assert collect_with_problems(data, "brat")[0].nuggets == [marked("T1", (0, 1), type="A")]


def test_a_text_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    reading = opened(tmp_path, "T1\tA 0 1\tx\n", b"caf\xe9")
    assert len(Collection(reading)) == 1
    assert [problem.message for problem in reading.source.problems] == [
        "doc 7.txt: byte 4 is not UTF-8; save the file as UTF-8"
    ]


def test_a_second_attribute_of_a_name_is_kept_as_a_line(tmp_path: Path) -> None:
    collection = Collection(opened(tmp_path, "T1\tA 0 1\tA\nA1\tMood T1 x\nA2\tMood T1 y\n"))
    assert collection.nuggets[0].extra == {"attributes": {"Mood": "x"}}
    assert collection.responses[0].extra == {"brat": ["A2\tMood T1 y"]}


def test_snippets_are_joined_and_places_moved() -> None:
    records = [
        Run(run_id="sys"),
        Run(run_id="other"),
        Response(
            query_id="q",
            run_id="sys",
            snippets=(Snippet(snippet_id="a", text="One 🐝."), Snippet(snippet_id="b", text="Two.")),
        ),
        Response(query_id="q", run_id="other", snippets=()),
        marked("x", (0, 3), query_id="q", run_id="sys", snippet_id="b", type="a b", source="auto", category="c"),
        marked("T1", (4, 5), query_id="q", run_id="sys", snippet_id="a", paraphrase="a\nb", extra={"k": 1}),
        marked("T9", (0, 9), query_id="q", run_id="sys", snippet_id="b"),
        marked("T8", (0, 1), query_id="q", run_id="other"),
        marked("T7", (0, 1), query_id="r"),
    ]
    assert write_bytes(records, format="brat").decode() == (
        "T2\ta_b 7 10\tTwo\nT1\tNugget 4 5\t🐝\n#1\tParaphrase T1\ta b\n"
    )
    assert lost(records, "brat") == {
        "nugget": 3,
        "nugget.category": 1,
        "nugget.extra": 1,
        "nugget.nugget_id": 1,
        "nugget.paraphrase": 1,
        "nugget.source": 1,
        "nugget.type": 1,
        "response": 1,
        "response.snippets": 1,
        "run": 1,
        "run.run_id": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ANN, True),
        ("T1\tProtein 0 6;16 21\tx\n", True),
        ("R1\tThen Arg1:T1 Arg2:T2\n", False),
        ("T1\tvital\tdescription\n", False),
        ("topic\tid\ttext\nT1\tA 0 1\tx\n", False),
        ("", False),
        ('{"T1": 1}', False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_brat(Head(Source("<bytes>", data.encode()))) is expected
