from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_temporal.updates import sniff_tempsumm_updates
from karat.model import Citation, Response, Run, Snippet

HEADER = "query_id\tupdate_id\tdoc_id\tsentence_id\tupdate_len\tduplicate_id\tupdate_text\n"
FIRST = "TS99.1\t13-ab-5\t13-ab\t5\t9\tNULL\tIt sank. \n"
SECOND = "TS99.1\t14-cd-0\t14-cd\t0\t8\t13-ab-5\tIt sank.\n"
OTHER = "TS99.2\t13-ab-5\t13-ab\t5\t9\tNULL\tIt sank. \n"


def sentence(update_id: str, text: str, **extra: object) -> Snippet:
    doc_id, _, sentence_id = update_id.rpartition("-")
    return Snippet(
        snippet_id=update_id,
        text=text,
        citations=(Citation(doc_id=doc_id),),
        extra={"sentence_id": sentence_id} | extra,
    )


RECORDS = [
    Run(run_id="pool"),
    Response(
        query_id="TS99.1",
        run_id="pool",
        snippets=(
            sentence("13-ab-5", "It sank. ", update_len=9),
            sentence("14-cd-0", "It sank.", update_len=8, duplicate_id="13-ab-5"),
        ),
    ),
    Response(query_id="TS99.2", run_id="pool", snippets=(sentence("13-ab-5", "It sank. ", update_len=9),)),
]


def test_reads_a_response_a_query_also_where_its_rows_are_apart() -> None:
    assert list(collect(HEADER + FIRST + OTHER + SECOND, "tempsumm-updates")) == RECORDS


def test_only_ids_and_text_are_needed() -> None:
    data = "query_id   update_id\tupdate_text\r\nTS99.1\tu1\tIt sank.\r\n"
    assert list(collect(b"\xef\xbb\xbf" + data.encode(), "tempsumm-updates")) == [
        Run(run_id="pool"),
        Response(query_id="TS99.1", run_id="pool", snippets=(Snippet(snippet_id="u1", text="It sank."),)),
    ]


def test_repeated_rows_and_absent_originals_are_lint_findings() -> None:
    third = SECOND.replace("14-cd-0", "15-ef-1").replace("13-ab-5", "12-zz-0")
    data = HEADER + FIRST + FIRST + SECOND + SECOND.replace("\t13-ab-5\t", "\tNULL\t") + third
    reading = open_reading(data.encode(), format="tempsumm-updates")
    responses = [record for record in reading if isinstance(record, Response)]
    assert [snippet.snippet_id for snippet in responses[0].snippets] == ["13-ab-5", "14-cd-0", "15-ef-1"]
    assert responses[0].snippets[1].extra["duplicate_id"] == "13-ab-5"
    assert [str(warning).removeprefix("<bytes>:") for warning in reading.source.warnings] == [
        "3: update_id: '13-ab-5' repeats an earlier row",
        "5: update_id: '14-cd-0' differs from an earlier row; that one is kept",
        "6: duplicate_id: '12-zz-0' is not in the file",
    ]


def test_another_text_under_the_same_id_is_reported() -> None:
    data = HEADER + FIRST + FIRST.replace("It sank.", "It swims.") + "TS99.1\tx\n"
    assert messages(data, "tempsumm-updates") == [
        "3: update_id: '13-ab-5' has a different text in an earlier row",
        "4: the row has 2 values for 7 columns",
    ]
    collection, problems = collect_with_problems(data, "tempsumm-updates")
    assert [snippet.text for snippet in collection.responses[0].snippets] == ["It sank. "]
    assert [problem.code for problem in problems] == ["duplicate-id", "bad-table"]


def test_round_trip() -> None:
    assert round_trip(RECORDS, "tempsumm-updates").decode() == HEADER + FIRST + SECOND + OTHER
    bare = Snippet(snippet_id="u1", text="x", extra={"note": "n"})
    round_trip([RECORDS[0], Response(query_id="1", run_id="pool", snippets=(bare,))], "tempsumm-updates")


def test_what_cannot_be_written_is_counted() -> None:
    two = (Citation(doc_id="d1"), Citation(doc_id="d2"))
    records = [
        Run(run_id="r"),
        Response(query_id="1", run_id="r", snippets=(Snippet(snippet_id="u", text="a\nb", citations=two),)),
        Response(query_id="2", run_id="pool", snippets=(Snippet(snippet_id="a b", text="x"),)),
        Response(query_id="3", run_id="pool", snippets=()),
        Response(query_id="4", run_id="pool", snippets=(Snippet(snippet_id="u", text="x", extra={"n": [1]}),)),
    ]
    assert lost(records, "tempsumm-updates") == {
        "run.run_id": 1,
        "response": 1,
        "response.run_id": 1,
        "response.snippets": 1,
        "response.snippets.citations": 1,
        "response.snippets.extra": 1,
        "response.snippets.text": 1,
    }


@pytest.mark.parametrize(("data", "expected"), [(HEADER + FIRST, True), (FIRST, False), ("", False)])
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_updates(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count", "updates", "queries", "absent"),
    [
        # The updates of one query, TS13.5, stand in the file twice.
        ("trec-tempsumm-2013/updates.tsv.gz", 10376, 9307, 9, 852),
        ("trec-tempsumm-2014/updates_sampled.tsv.gz", 9589, 9589, 10, 171),
    ],
)
def test_released_updates(real_data: Path, name: str, count: int, updates: int, queries: int, absent: int) -> None:
    path = real_data / name
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line][1:]
    by_id = {(row[0], row[1]): row for row in reversed(rows)}
    reading = open_reading(path.read_bytes(), format="tempsumm-updates")
    responses = [record for record in reading if isinstance(record, Response)]
    assert len(rows) == count
    assert sum(len(response.snippets) for response in responses) == len(by_id) == updates
    assert len(responses) == len({row[0] for row in rows}) == queries
    codes = [warning.code for warning in reading.source.warnings]
    assert codes.count("repeated-row") == count - updates
    assert codes.count("dangling-reference") == absent
    assert absent == sum(row[5] != "NULL" and (row[0], row[5]) not in by_id for row in by_id.values())
    first, last = responses[0].snippets[0], responses[-1].snippets[-1]
    assert (first.snippet_id, first.text) == (rows[0][1], rows[0][6])
    assert (last.snippet_id, last.text, last.extra["update_len"]) == (rows[-1][1], rows[-1][6], int(rows[-1][4]))
    round_trip([Run(run_id="pool"), *responses], "tempsumm-updates")
