from __future__ import annotations

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_eval.ranking import sniff_ranking
from karat.model import Citation, Response, Run, Snippet

RANKING = "301 Q0 d1 1 12.5 bees\n301 Q0 d2 2 -3e-2 bees\n302 Q0 d1 1 7 bees\n"


def ranked(doc_id: str, rank: int, score: float, **extra: str) -> Snippet:
    return Snippet(
        snippet_id=doc_id, text="", citations=(Citation(doc_id=doc_id),), extra={"rank": rank, "score": score, **extra}
    )


def test_reads_a_response_a_topic() -> None:
    collection = collect(RANKING, "ranking")
    assert collection.runs == [Run(run_id="bees")]
    assert collection.responses == [
        Response(query_id="301", run_id="bees", snippets=(ranked("d1", 1, 12.5), ranked("d2", 2, -0.03))),
        Response(query_id="302", run_id="bees", snippets=(ranked("d1", 1, 7.0),)),
    ]


def test_tabs_bom_crlf_and_another_second_column() -> None:
    collection = collect("\ufeff301\t0\td1\t1\t0.5\tbees\r\n", "ranking")
    assert collection.responses[0].snippets == (ranked("d1", 1, 0.5, iteration="0"),)
    round_trip(collection, "ranking")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = "301 Q0 d1 1 1 a\n301 Q0 d1 2 1 a\n301 Q0 d2 first 1 a\n301 Q0 d3 3 a\n301 Q0 d4 4 1 a\n"
    assert messages(data, "ranking") == [
        "2: docid: 'd1' is ranked twice for topic '301'",
        "3: rank: must be a number, not 'first'",
        "4: the row has 5 values for the 6 columns topic iteration docid rank score run",
    ]
    snippets = collect_with_problems(data, "ranking")[0].responses[0].snippets
    assert [snippet.snippet_id for snippet in snippets] == ["d1", "d4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RANKING, True),
        ("topic Q0 docid rank score run\n" + RANKING, False),
        ("301 0 d1 1\n", False),
        ("1 team run d1 3 4\n", False),
        ("{}", False),
        ("", False),
    ],
)
def test_is_recognised(text: str, expected: bool) -> None:
    assert sniff_ranking(Head(Source("<bytes>", text.encode()))) is expected


def test_round_trip_and_losses() -> None:
    round_trip(collect(RANKING, "ranking"), "ranking")
    answer = Response(query_id="1", run_id="a b", snippets=(Snippet(snippet_id="1", text="They dance."),))
    assert lost([Run(run_id="c"), answer], "ranking") == {"response.snippets.text": 1, "response.ids": 1, "run": 1}
