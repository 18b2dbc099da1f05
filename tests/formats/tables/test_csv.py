from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, get_format, load, open_inputs, write
from karat.formats.io.head import Head
from karat.formats.tables.csv import sniff_csv
from karat.model import (
    AnyRecord,
    Citation,
    Collection,
    Judgement,
    Nug,
    Query,
    Relevance,
    Response,
    Run,
    Score,
    Snippet,
    Vote,
    content_id,
)

FLAT = (
    "qid,question,system,answer,nugget,importance,label,note\n"
    "7,why do bees dance,a,They tell the way.,it tells the way,vital,support,sure\n"
    "7,why do bees dance,a,They tell the way.,it tells how far,okay,not_support,\n"
    "7,why do bees dance,b,,it tells the way,vital,partial_support,\n"
)
WAY, FAR = content_id("it tells the way"), content_id("it tells how far")


def answer(run_id: str, *snippets: Snippet, query_id: str = "7") -> Response:
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)


def test_a_flat_table_of_labels_gives_every_definition_once() -> None:
    collection = collect(FLAT, "csv")
    assert collection.queries == [Query(query_id="7", text="why do bees dance")]
    assert collection.runs == [Run(run_id="a"), Run(run_id="b")]
    assert collection.responses == [answer("a", Snippet(snippet_id="1", text="They tell the way.")), answer("b")]
    assert collection.nugs == [
        Nug(query_id="7", nug_id=WAY, descriptions=("it tells the way",), importance="vital"),
        Nug(query_id="7", nug_id=FAR, descriptions=("it tells how far",), importance="okay"),
    ]
    assert collection.judgements == [
        Judgement(query_id="7", run_id="a", nug_id=WAY, degree=1.0, judge="given", extra={"note": "sure"}),
        Judgement(query_id="7", run_id="a", nug_id=FAR, degree=0.0, judge="given"),
        Judgement(query_id="7", run_id="b", nug_id=WAY, degree=0.5, judge="given"),
    ]
    round_trip(collection, "csv")


def test_labels_without_run_and_query_id_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("question,answer,nugget,label\nwhy,so,x y,yes\n")
    collection = load(path, format="csv")
    assert collection.judgements == [
        Judgement(query_id=content_id("why"), run_id="mine", nug_id=content_id("x y"), degree=1.0, judge="given")
    ]
    assert collection.responses == [answer("mine", Snippet(snippet_id="1", text="so"), query_id=content_id("why"))]


@pytest.mark.parametrize(
    ("label", "degree"),
    [
        ("Support", 1.0), ("partial support", 0.5), ("not_supported", 0.0), ("Yes", 1.0), ("no", 0.0), ("TRUE", 1.0),
        ("full", 1.0), ("partial", 0.5), ("none", 0.0), ("0.5", 0.5), ("1", 1.0), ("0.25", 0.25),
    ],
)  # fmt: skip
def test_labels_are_read_tolerantly(label: str, degree: float) -> None:
    collection = collect(f"query_id,run_id,nug_id,label\n1,a,n,{label}\n", "csv")
    assert [(judgement.degree, judgement.status) for judgement in collection.judgements] == [(degree, "ok")]


def test_an_impossible_label_fails_and_a_blank_one_is_unknown() -> None:
    data = "query_id,run_id,nug_id,Label,annotator,judge\n1,a,n,suport,ann,x\n1,a,m,,ann,x\n1,a,o,failed,,\n"
    collection, problems = collect_with_problems(data, "csv")
    assert [str(problem) for problem in problems] == [
        "<bytes>:2: Label: 'suport' is not one of support, partial_support, not_support, yes, no, full, partial, none, "
        "0 to 1"
    ]
    assert collection.judgements == [
        Judgement(query_id="1", run_id="a", nug_id="n", judge="x", assessor="ann", status="failed"),
        Judgement(query_id="1", run_id="a", nug_id="m", judge="x", assessor="ann", status="unknown"),
        Judgement(query_id="1", run_id="a", nug_id="o", judge="given", status="failed"),
    ]
    assert problems[0].query_id == "1"


def test_a_semicolon_table_of_a_spreadsheet() -> None:
    data = '\ufeffTopic ID;Model;Nugget;Weight;Degree\r\n1;a;"x; ""y""\r\nz";0,75;0,5\r\n'
    collection = collect(data, "csv")
    assert collection.nugs[0].descriptions == ('x; "y"\r\nz',)
    assert collection.nugs[0].weight == 0.75
    assert collection.judgements[0].degree == 0.5


def test_rows_of_a_run_become_snippets() -> None:
    data = "query_id,run,text,docid\n1,a,First.,d1\n1,a,First.,d2\n1,a,Second.,\n2,a,,\n"
    assert collect(data, "csv").responses == [
        Response(
            query_id="1",
            run_id="a",
            snippets=(
                Snippet(snippet_id="1", text="First.", citations=(Citation(doc_id="d1"), Citation(doc_id="d2"))),
                Snippet(snippet_id="2", text="Second."),
            ),
        ),
        Response(query_id="2", run_id="a", snippets=()),
    ]


def test_the_same_sentence_twice_in_a_plain_answer_is_two_snippets() -> None:
    collection = collect("query_id,run,answer\n1,a,Yes.\n1,a,Yes.\n", "csv")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["1", "2"]


def test_votes_scores_and_keys() -> None:
    votes = collect("query_id,nugget_id,description,assessor,vote\n1,n,x,ann,vital\n1,n,x,bob,0.5\n", "csv")
    assert votes.nugs == [Nug(query_id="1", nug_id="n", descriptions=("x",))]
    assert votes.votes == [
        Vote(query_id="1", nug_id="n", assessor="ann", value="vital"),
        Vote(query_id="1", nug_id="n", assessor="bob", value=0.5),
    ]
    scores = collect("run,topic,measure,score,low,n\na,all,F3,0.5,0.4,9\na,1,F3,,,\n", "csv")
    assert scores.scores == [
        Score(run_id="a", query_id="all", measure="F3", value=0.5, low=0.4, n=9),
        Score(run_id="a", query_id="1", measure="F3"),
    ]
    key = collect("topic_id,topic,nugget_id,text,importance,source\n1,bees,n,x,3,me\n", "csv")
    assert key.queries == [Query(query_id="1", text="bees")]
    assert key.nugs == [Nug(query_id="1", nug_id="n", descriptions=("x",), weight=3.0, extra={"source": "me"})]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = (
        "query_id,run_id,nug_id,nug,importance,weight,label,assessor,vote\n"
        ",a,n,x,vital,1,yes,,\n"
        "1,a,n,x,vitl,many,yes,ann,maybe\n"
        "1,a,n,x,,,no,ann,\n"
        "1,,,,,,,,\n"
    )
    collection, problems = collect_with_problems(data, "csv")
    assert [str(problem).removeprefix("<bytes>:") for problem in problems] == [
        "2: query_id: is missing",
        "3: weight: must be a number, not 'many'",
        "3: importance: 'vitl' is not one of vital, okay, ok",
        "3: vote: 'maybe' is not one of vital, okay, a number from 0 to 1",
        "4: a second judgement with query_id '1', run_id 'a', nug_id 'n', "
        "judge 'given', assessor 'ann'; only one is allowed",
        "5: query_id, run_id, nug_id, nug, importance, weight, label, assessor, vote give no record; a row needs "
        "query_id + query, or query_id or query + answer (+ run_id), or query_id + nug (+ nug_id), or query_id + "
        "run_id + nug_id or nug + label, or query_id + nug_id or nug + assessor + vote, or query_id + run_id "
        "+ measure + value",
    ]
    assert len(collection.nugs) == len(collection.judgements) == 1


def test_a_table_that_gives_nothing_says_what_is_understood() -> None:
    (message,) = messages("colour,size\nred,2\n", "csv")
    assert message.startswith("1: the columns colour, size give no record; a table needs query_id + query, or ")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("query_id,query", True),
        ("QID;System;Answer", True),
        ("qid,nugget", True),
        ("question,answer", True),
        ("query_id,run_id", False),
        ("a,b", False),
        ('{"query_id": 1}', False),
        ("", False),
    ],
)
def test_is_recognised_by_its_header(header: str, expected: bool) -> None:
    assert sniff_csv(Head(Source("<bytes>", header.encode() + b"\n"))) is expected


BEES = Query(query_id="1", text='why, "really", do\nbees dance?')
ALICE = Run(run_id="alice")
SAID = Snippet(
    snippet_id="s1",
    text="=SUM(A1)\r\n+1",
    citations=(Citation(doc_id="d 1"), Citation(doc_id="d2")),
    extra={"mood": "x"},
)
NUG = Nug(query_id="1", nug_id="n", descriptions=("it, tells",), importance="vital", weight=0.1 + 0.2)
SHAPES: dict[str, list[AnyRecord]] = {
    "judgements of snippets": [
        BEES,
        Query(query_id="2", text=""),
        ALICE,
        answer("alice", Snippet(snippet_id="a", text="x"), Snippet(snippet_id="b", text=""), query_id="1"),
        answer("alice", query_id="2"),
        NUG,
        Nug(query_id="1", nug_id="unjudged", descriptions=("y",)),
        Judgement(query_id="1", run_id="alice", snippet_id="a", nug_id="n", degree=0.3, judge="llm", assessor="x"),
        Judgement(query_id="1", run_id="alice", nug_id="n", judge="given", status="failed", extra={"why": "tired"}),
    ],
    "judgements alone": [
        Run(run_id="bob"),
        Judgement(query_id="1", run_id="bob", nug_id="n", snippet_id="s", degree=0.0, judge="given"),
        Judgement(query_id="1", run_id="bob", nug_id="n", judge="given", status="unknown"),
    ],
    "judgements of answers": [
        BEES,
        ALICE,
        answer("alice", Snippet(snippet_id="1", text="x y"), query_id="1"),
        NUG,
        Judgement(query_id="1", run_id="alice", nug_id="n", degree=1.0, judge="given"),
    ],
    "nugs and votes": [
        BEES,
        NUG,
        Nug(query_id="1", nug_id="m", descriptions=("x",), extra={"origin": "pool"}),
        Vote(query_id="1", nug_id="n", assessor="ann", value="okay"),
        Vote(query_id="1", nug_id="n", assessor="bob", value=1.0),
        Vote(query_id="1", nug_id="elsewhere", assessor="ann", value="vital"),
    ],
    "responses": [BEES, ALICE, answer("alice", SAID, query_id="1"), answer("alice", query_id="3")],
    "scores": [
        BEES,
        Score(run_id="a", query_id="1", measure="F3", value=1 / 3, low=0.0, high=1.0, n=2, signature="F3|v:0"),
        Score(run_id="a", query_id="all", measure="F3", undefined=1, extra={"team": "x"}),
    ],
    "queries": [BEES, Query(query_id="2", text="", extra={"origin": "log"})],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_round_trip(shape: str) -> None:
    data = round_trip(SHAPES[shape], "csv")
    assert sniff_csv(Head(Source("<bytes>", data)))


@given(st.text(st.characters(codec="utf-8")).filter(str.strip))
def test_any_text_comes_back(text: str) -> None:
    round_trip([Query(query_id="1", text=text)], "csv")


def test_what_cannot_be_written_is_counted() -> None:
    everything = [
        *SHAPES["judgements of answers"],
        Run(run_id="silent"),
        Query(query_id="9", text="x", extra={"label": "y"}),
        answer("bob", Snippet(snippet_id="1", text="x"), Snippet(snippet_id="2", text="y", extra={"a": "b"})),
        Judgement(query_id="7", run_id="bob", nug_id="n", degree=1.0, judge="given", extra={"steps": [1]}),
        Vote(query_id="1", nug_id="n", assessor="ann", value="okay"),
        Score(run_id="a", query_id="1", measure="F3", value=1.0),
        Relevance(query_id="1", run_id="a", snippet_id="1", assessor="ann", label="relevant"),
    ]
    assert lost(everything, "csv") == {
        "run": 1,
        "query.extra": 1,
        "response.snippets": 1,
        "response.snippets.extra": 1,
        "judgement.extra": 1,
        "vote": 1,
        "score": 1,
        "relevance": 1,
    }
    assert lost([Nug(query_id="1", nug_id="n", descriptions=("x", "y"))], "csv") == {"nug.descriptions": 1}


def test_a_column_that_seems_misspelt_is_pointed_out() -> None:
    source = Source("t.csv", b"query_id,run_id,nugget,lable,colour\nq,r,red fox,1,blue\n")
    list(get_format("csv").read(source))
    assert [str(warning) for warning in source.warnings] == [
        "t.csv:1: lable: the column is not understood; did you mean 'label'?"
    ]


def test_the_columns_of_a_drafted_key_are_known() -> None:
    source = Source("t.csv", b"query_id,nug_id,nug,runs,suggested,contradicts,also\nq,d1,red fox,2,yes,d2,a fox\n")
    (nug,) = get_format("csv").read(source)
    assert source.warnings == []
    assert nug.extra == {"runs": "2", "suggested": "yes", "contradicts": "d2", "also": "a fox"}


def test_columns_of_queries_that_name_conditions_become_conditions(tmp_path: Path) -> None:
    file = tmp_path / "queries.csv"
    file.write_text("query_id,query,Language,condition.era,template,remark\nq1,Why?,ar,1960s,cause,odd\nq2,How?,,,,\n")
    inputs = open_inputs(file)
    first, second = Collection(inputs).queries
    assert first.conditions == {"language": "ar", "era": "1960s"}
    assert (first.template, first.extra) == ("cause", {"remark": "odd"})
    assert (second.conditions, second.template) == ({}, None)
    assert [str(warning) for warning in inputs.warnings] == [
        f"{file}:1: remark: the column is not understood and changes nothing; "
        "condition.remark would make it a condition"
    ]


@pytest.mark.parametrize("text", ["=1+1", "+x", "-y", "@z", "'=1", "''@a", "-0.5", "+7", "- no", "'plain"])
def test_formulas_are_harmless_and_come_back_as_they_were(text: str) -> None:
    records = [Query(query_id="q", text=text)]
    data = round_trip(records, "csv").decode()
    cell = data.splitlines()[1].split(",")[1]
    assert not cell.startswith(("=", "@", "+x", "-y", "- "))
    assert cell == (text if text in ("-0.5", "+7", "'plain") else f"'{text}")


def test_formulas_are_written_as_they_are_on_request(tmp_path: Path) -> None:
    write([Query(query_id="q", text="=1+1")], tmp_path / "q.csv", raw_cells=True)
    assert (tmp_path / "q.csv").read_text().splitlines()[1] == "q,=1+1"
    assert load(tmp_path / "q.csv").queries[0].text == "=1+1"
