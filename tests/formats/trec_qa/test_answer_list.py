from __future__ import annotations

import re
from pathlib import Path

import pytest

from builders.records import nug
from helpers import collect, collect_with_problems, messages
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_qa.answer_list import sniff_trec_qa_list
from karat.model import Nug, Query, content_id

LIST = (
    "# 9.3\nQ:Which rivers cross the old town?\nBlue River\nElk Creek (east)\n\n"
    "#  9.7 \nQ: Name the bridges.\nStone Bridge\n"
)


def question(query_id: str, text: str) -> Query:
    return Query(query_id=query_id, text=text, conditions={"type": "list"})


def answer(query_id: str, text: str) -> Nug:
    return nug(content_id(text), text, query_id=query_id)


def test_reads_questions_and_answers() -> None:
    collection = collect(LIST, "trec-qa-list")
    assert collection.queries == [
        question("9.3", "Which rivers cross the old town?"),
        question("9.7", "Name the bridges."),
    ]
    assert collection.nugs == [
        answer("9.3", "Blue River"),
        answer("9.3", "Elk Creek (east)"),
        answer("9.7", "Stone Bridge"),
    ]


def test_a_byte_order_mark_windows_line_ends_and_outer_blanks_are_passed_over() -> None:
    data = b"\xef\xbb\xbf" + LIST.replace("\n", "  \r\n").encode()
    assert collect(data, "trec-qa-list") == collect(LIST, "trec-qa-list")


def test_a_repeated_answer_gets_an_ordinal() -> None:
    ids = [nug.nug_id for nug in collect("# 1\nQ:x\nElk\nElk\n", "trec-qa-list").nugs]
    assert ids == [content_id("Elk"), content_id("Elk") + "-2"]


def test_what_is_out_of_place_is_reported_and_the_rest_kept() -> None:
    data = "Elk\n# 1\nOwl\nQ:Which?\nBat\n# 1\nFox\n"
    assert messages(data, "trec-qa-list") == [
        "1: an answer needs a line `# number` before it",
        "3: question 1 has no line `Q:question`",
        "4: question 1 already has a text",
        "6: question 1 is already in the file",
    ]
    collection = collect_with_problems(data, "trec-qa-list")[0]
    assert collection.queries == [question("1", "")]
    assert collection.nugs == [answer("1", "Owl"), answer("1", "Bat"), answer("1", "Fox")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [(LIST, True), ("", False), ("# 1\n", False), ("# a heading\nQ: x\n", False), ("#1\nx\n", False)],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_trec_qa_list(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "queries", "answers"), [(12, 37, 549), (13, 55, 484), (14, 93, 1158), (15, 89, 893)])
def test_released_lists(real_data: Path, year: int, queries: int, answers: int) -> None:
    data = (real_data / "trec-qa-nuggets" / f"trec{year}answers_list").read_bytes()
    lines = [line.strip() for line in data.decode().splitlines() if line.strip()]
    ids = [line.lstrip("# ") for line in lines if line.startswith("#")]
    listed = [line for line in lines if not re.match(r"#|Q:", line)]
    collection = collect(data, "trec-qa-list")
    assert [query.query_id for query in collection.queries] == ids
    assert [nug.descriptions[0] for nug in collection.nugs] == listed
    assert (len(ids), len(listed)) == (queries, answers)
    assert (collection.nugs[0].query_id, collection.nugs[-1].query_id) == (ids[0], ids[-1])
