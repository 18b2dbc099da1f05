from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.formats import Source, open_reading
from karat.formats.banks.hltcoe_annotation import sniff_hltcoe_annotation
from karat.formats.io.head import Head
from karat.model import Citation, Collection, Nug, Response, Run, Snippet, content_id

FORMAT = "hltcoe-annotation"
NUGGETS = {"nugget_dict": {"Why?": {"food": ["d1"]}, "How?": {}}, "group_assignment": {"How?": "body"}}
REPORTS = {"t1": {"bees": {"0": "They dance.", "1": "They hum."}, "wasps": {"0": "They sting."}}, "t2": {"bees": {}}}
CITED = {
    "t1": {
        "d0": {},
        "d1": {"bees": {"10": "Late.", "2": "Early."}},
        "d2": {"bees": {"2": "Early."}, "wasps": {"0": "They sting."}},
    }
}
POOL = {"t1": ["d1", "d2"], "t2": ["d3"]}
QUESTIONS = {"t1": ["Why do they dance?", "Who sees it?"], "t2": ["How long?"]}


def read(data: object, name: str = "mini.json") -> tuple[Collection, list[str]]:
    source = Source(name, json.dumps(data).encode())
    collection = Collection(open_reading(source, format=FORMAT, on_error="skip"))
    return collection, [str(problem).removeprefix(f"{name}:") for problem in source.problems]


def read_file(path: Path) -> tuple[Collection, list[str]]:
    source = Source(path)
    return Collection(open_reading(source, format=FORMAT, on_error="skip")), [
        str(problem) for problem in source.problems
    ]


def recognised(data: object, name: str = "mini.json", indent: int | None = None) -> bool:
    return sniff_hltcoe_annotation(Head(Source(name, json.dumps(data, indent=indent).encode())))


def test_reads_nuggets_of_the_topic_in_the_file_name() -> None:
    collection, problems = read(NUGGETS, "out/nuggets_300.preload.json")
    why, how = content_id("Why?"), content_id("How?")
    assert problems == []
    assert list(collection) == [
        Nug(query_id="300", nug_id=why, descriptions=("Why?",)),
        Nug(
            query_id="300",
            nug_id=content_id(why, "food"),
            descriptions=("food",),
            parent=why,
            extra={"references": [{"doc_id": "d1"}]},
        ),
        Nug(query_id="300", nug_id=how, descriptions=("How?",), extra={"group": "body"}),
    ]


def test_reads_lists_of_nuggets_and_bare_ones_and_the_annotator_of_the_name() -> None:
    pairs = {"nugget_list": [["Why?", {"food": ["d1"]}], ["How?", {}]], "group_assignment": {"How?": "body"}}
    assert read(pairs, "nuggets_300.revised.json") == read(NUGGETS, "nuggets_300.preload.json")
    bare = read(NUGGETS["nugget_dict"], "nuggets_300_ann.json")[0]
    assert [nug.query_id for nug in bare.nugs] == ["300"] * 3
    assert bare.nugs[0].extra == {"creator": [{"is_human": True, "assessor_id": "ann"}]}


def test_reads_reports() -> None:
    collection, problems = read(REPORTS)
    assert problems == []
    assert collection.runs == [Run(run_id="bees"), Run(run_id="wasps")]
    assert collection.responses == [
        Response(
            query_id="t1",
            run_id="bees",
            snippets=(Snippet(snippet_id="0", text="They dance."), Snippet(snippet_id="1", text="They hum.")),
        ),
        Response(query_id="t1", run_id="wasps", snippets=(Snippet(snippet_id="0", text="They sting."),)),
        Response(query_id="t2", run_id="bees", snippets=()),
    ]


def test_reads_cited_sentences_as_snippets_with_citations() -> None:
    source = Source("mini.json", json.dumps(CITED).encode())
    collection = Collection(open_reading(source, format=FORMAT))
    assert collection.responses == [
        Response(
            query_id="t1",
            run_id="bees",
            snippets=(
                Snippet(snippet_id="2", text="Early.", citations=(Citation(doc_id="d1"), Citation(doc_id="d2"))),
                Snippet(snippet_id="10", text="Late.", citations=(Citation(doc_id="d1"),)),
            ),
        ),
        Response(
            query_id="t1",
            run_id="wasps",
            snippets=(Snippet(snippet_id="0", text="They sting.", citations=(Citation(doc_id="d2"),)),),
        ),
    ]
    assert [str(warning) for warning in source.warnings] == ["mini.json:1: t1.d0: no sentence cites this document"]


def test_reads_a_pool_as_a_run_of_documents() -> None:
    collection, _ = read(POOL)
    assert collection.runs == [Run(run_id="pool")]
    assert collection.responses[1] == Response(
        query_id="t2",
        run_id="pool",
        snippets=(Snippet(snippet_id="d3", text="", citations=(Citation(doc_id="d3"),)),),
    )


def test_reads_questions_as_nugs() -> None:
    collection, _ = read(QUESTIONS)
    assert list(collection)[-1] == Nug(query_id="t2", nug_id=content_id("How long?"), descriptions=("How long?",))
    assert len(collection) == 3


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    bad = {"nugget_dict": {"Why?": {"food": 5, "x": []}, "How?": []}, "group_assignment": {"When?": "time"}}
    collection, problems = read(bad, "nuggets_300.preload.json")
    assert problems == [
        "1: nugget_dict.Why?.food: must be a list, not a number",
        "1: nugget_dict.How?: answers must be an object, not a list",
        "1: group_assignment.When?: no nugget has this question",
    ]
    assert [nug.descriptions[0] for nug in collection.nugs] == ["Why?", "x", "How?"]
    assert read(NUGGETS, "<bytes>")[1] == [
        "1: only the name of the file says the topic: call the file nuggets_TOPIC.json"
    ]
    assert read({"t1": ["d1", "d1", 3]})[1] == [
        "1: t1[2]: must be a string, not a number",
        "1: t1: document 'd1' appears twice",
    ]
    assert read({"t1": {"a": {"0": "x", "1": None, "2": "y"}, "b": 1, "c": {}}})[1] == [
        "1: t1.a.1: is missing",
        "1: t1.b: must be an object, not a number",
    ]
    other = {"t1": {"d1": {"a": {"0": "x"}}, "d2": {"a": {"0": "y"}}}}
    assert read(other)[1] == ["1: t1.d2.a.0: the sentence has a different text in another place"]
    assert read({"a": 1})[1] == ["1: must be one of nuggets, questions, pool, reports, cited sentences"]


@pytest.mark.parametrize("data", [NUGGETS, REPORTS, CITED, POOL, QUESTIONS])
def test_is_recognised(data: object) -> None:
    assert recognised(data)
    assert recognised(data, indent=2)


def test_others_are_not_recognised() -> None:
    columns = {"question": ["why do bees dance"], "answer": ["for food"]}
    for other in (columns, {"t1": 1}, {"t1": [1, 2]}, {"t1": {"a": 1}}, {"t1": []}, {}, [], ["t1"], "x", None):
        assert not recognised(other)
    assert not recognised({"Why?": {"food": ["d1"]}})
    assert recognised({"Why?": {"food": ["d1"]}}, "nuggets_300_ann.json")


@pytest.mark.real_data
def test_minitest_report_sentences(real_data: Path) -> None:
    path = real_data / "neuclir24-minitest" / "mini-test.report-sentences.json"
    raw = json.loads(path.read_text())
    collection, problems = read_file(path)
    sentences = [text for runs in raw.values() for run in runs.values() for text in run.values()]
    assert problems == []
    assert sniff_hltcoe_annotation(Head(Source(path)))
    assert len(collection.runs) == len({run for runs in raw.values() for run in runs}) == 3
    assert len(collection.responses) == sum(len(runs) for runs in raw.values()) == 177
    snippets = [snippet for response in collection.responses for snippet in response.snippets]
    assert len(snippets) == len(sentences) == 1589
    assert (collection.responses[0].query_id, snippets[0].text) == ("300", sentences[0])
    assert (collection.responses[-1].query_id, snippets[-1].text) == ("329", sentences[-1])


@pytest.mark.real_data
def test_minitest_cited_sentences(real_data: Path) -> None:
    path = real_data / "neuclir24-minitest" / "mini-test.citation-to-sentences.json"
    raw = json.loads(path.read_text())
    source = Source(path)
    collection = Collection(open_reading(source, format=FORMAT))
    pairs = {
        (topic, run, number, doc)
        for topic, docs in raw.items()
        for doc, runs in docs.items()
        for run, sentences in runs.items()
        for number in sentences
    }
    read_pairs = [
        (response.query_id, response.run_id, snippet.snippet_id, citation.doc_id)
        for response in collection.responses
        for snippet in response.snippets
        for citation in snippet.citations
    ]
    assert sniff_hltcoe_annotation(Head(Source(path)))
    assert len(read_pairs) == len(pairs) == 1881
    assert set(read_pairs) == pairs
    assert len(collection.responses) == len({pair[:2] for pair in pairs}) == 174
    assert sum(len(response.snippets) for response in collection.responses) == len({pair[:3] for pair in pairs}) == 1370
    assert [warning.code for warning in source.warnings] == ["uncited-document"]
    assert (collection.responses[0].query_id, collection.responses[-1].query_id) == ("300", "329")


@pytest.mark.real_data
def test_minitest_pool(real_data: Path) -> None:
    path = real_data / "neuclir24-minitest" / "mini-test.document_pool.json"
    raw = json.loads(path.read_text())
    collection, problems = read_file(path)
    assert problems == []
    assert sniff_hltcoe_annotation(Head(Source(path)))
    assert len(collection.responses) == len(raw) == 59
    docs = [snippet.snippet_id for response in collection.responses for snippet in response.snippets]
    assert docs == [doc for docs in raw.values() for doc in docs]
    assert len(docs) == 846


@pytest.mark.real_data
def test_minitest_preload(real_data: Path) -> None:
    path = real_data / "neuclir24-minitest" / "outputs" / "mini-test.zho" / "nuggets_300.preload.json"
    raw = json.loads(path.read_text())
    collection, problems = read_file(path)
    assert problems == []
    assert sniff_hltcoe_annotation(Head(Source(path)))
    assert len(collection.nugs) == len(raw["nugget_dict"]) + sum(map(len, raw["nugget_dict"].values())) == 14
    assert {nug.query_id for nug in collection.nugs} == {"300"}
    assert sum("group" in nug.extra for nug in collection.nugs) == len(raw["group_assignment"]) == 5
    assert (collection.nugs[0].descriptions, collection.nugs[-1].descriptions) == (("Q1",), ("BBBB",))


@pytest.mark.real_data
def test_subquestions(real_data: Path) -> None:
    path = real_data / "neuclir24-nugget-questions" / "subquestions.oracle.json"
    raw = json.loads(path.read_text())
    collection, problems = read_file(path)
    assert problems == []
    assert sniff_hltcoe_annotation(Head(Source(path)))
    assert [nug.descriptions[0] for nug in collection.nugs] == [text for texts in raw.values() for text in texts]
    assert len(collection.nugs) == 267
    assert len({nug.query_id for nug in collection.nugs}) == len(raw) == 19
    assert (collection.nugs[0].query_id, collection.nugs[-1].query_id) == ("309", "377")
