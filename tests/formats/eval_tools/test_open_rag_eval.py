from __future__ import annotations

from helpers import collect, collect_with_problems, messages
from karat.formats import Source, open_reading
from karat.formats.eval_tools.open_rag_eval import sniff_open_rag_eval
from karat.formats.io.head import Head
from karat.model import Citation, Collection, Query, Response, Run, Snippet, content_id

HEADER = "query_id,query,query_run,passage_id,passage,generated_answer\r\n"
FIRST = Citation(doc_id="[1]", excerpt="Bees dance.")
SECOND = Citation(doc_id="[2]", excerpt="Food is near.")


def test_cuts_the_answer_behind_its_markers() -> None:
    data = (
        "\ufeff" + HEADER + 'q1,why,1,[1],Bees dance.,"They dance [1]. They eat [1, 2], [2]\n\nThe end."\r\n'
        "q1,why,1,[2],Food is near.,\r\n"
        "q1,why,1,[3],Bees fly.,\r\n"
    )
    collection = collect(data, "open-rag-eval")
    assert collection.queries == [Query(query_id="q1", text="why")]
    assert collection.runs == [Run(run_id="run")]
    assert collection.responses == [
        Response(
            query_id="q1",
            run_id="run",
            snippets=(
                Snippet(snippet_id="1", text="They dance [1]. ", citations=(FIRST,)),
                Snippet(snippet_id="2", text="They eat [1, 2], [2]\n\n", citations=(FIRST, SECOND)),
                Snippet(snippet_id="3", text="The end."),
            ),
            extra={"uncited_passages": [{"passage_id": "[3]", "passage": "Bees fly."}]},
        )
    ]


def test_runs_are_kept_apart() -> None:
    data = HEADER + "q1,why,1,[1],a,x [1]\nq1,why,2,[1],b,y [1]\nq2,how,1,,,\n"
    collection = Collection(open_reading(Source("some/vectara.csv", data.encode()), format="open-rag-eval"))
    assert [(response.query_id, response.run_id) for response in collection.responses] == [
        ("q1", "vectara"),
        ("q1", "vectara:2"),
        ("q2", "vectara"),
    ]
    assert [run.run_id for run in collection.runs] == ["vectara", "vectara:2"]
    assert collection.responses[2].snippets == ()


def test_ids_that_are_no_numbers_are_counted_and_unknown_columns_kept() -> None:
    data = "query,passage_id,passage,generated_answer,score\nwhy,doc_a,A,It is so [2].,0.1\nwhy,doc_b,B,,0.2\n"
    collection = collect(data, "open-rag-eval")
    assert collection.responses[0].query_id == content_id("why")
    assert collection.responses[0].snippets[0].citations == (
        Citation(doc_id="doc_b", excerpt="B", extra={"score": "0.2"}),
    )


def test_dangling_markers_and_repeated_passages_are_reported() -> None:
    data = HEADER + "q1,why,1,[1],a,\nq1,why,1,[2],b,So [4] it is [1]\nq1,why,1,[2],c,Other\n"
    assert messages(data, "open-rag-eval") == [
        "4: generated_answer: differs from the answer in the first row",
        "4: passage_id: passage '[2]' appears twice in this answer",
        "3: generated_answer: [4] cites no passage of query 'q1'",
    ]
    collection, problems = collect_with_problems(data, "open-rag-eval")
    assert problems[-1].code == "dangling-reference"
    assert [len(snippet.citations) for snippet in collection.responses[0].snippets] == [0, 1]


def test_is_recognised() -> None:
    assert sniff_open_rag_eval(Head(Source("<bytes>", ("\ufeff" + HEADER).encode())))
    for data in ("query_id,query,generated_answer\n", "query,passage\n", "{}", ""):
        assert not sniff_open_rag_eval(Head(Source("<bytes>", data.encode())))
