from __future__ import annotations

import json
from typing import Any

import pytest

from builders.rows import Row, judgement, nug, query, response, run
from karat.formats import Source, load, open_inputs
from karat.formats.inputs.inputs import Inputs
from karat.formats.io.source import MAX_PROBLEMS
from karat.model import Collection, InputError, Judgement, Nug, Query, Response, Run, Snippet, content_id

FOX = content_id("red fox")


def file(name: str, *rows: Row | str) -> Source:
    return Source(name, "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode())


def asked(query_id: str = "q", text: str = "why?", **fields: Any) -> Row:
    return query(query_id, text) | fields


def entry(nug_id: str = "1", text: str = "red fox", **fields: Any) -> Row:
    return nug(nug_id=nug_id, importance=None, descriptions=[text]) | fields


def mark(nug_id: str = "1", **fields: Any) -> Row:
    return judgement(nug_id=nug_id) | fields


def said(*texts: str, **fields: Any) -> Row:
    return response("q", "r", *texts, **fields) if texts else response(snippets=[]) | fields


def bank(*nuggets: tuple[str, str], query: str = "why?") -> Row:
    return {"qid": "q", "query": query, "nuggets": [{"text": text, "importance": label} for text, label in nuggets]}


def assignment(answer: str, *nuggets: tuple[str, str], query: str = "why?") -> Row:
    named = [{"text": text, "importance": "vital", "assignment": label} for text, label in nuggets]
    return {"qid": "q", "run_id": "r", "query": query, "answer_text": answer, "nuggets": named}


def answer(*sentences: str) -> Row:
    parts = [{"text": text, "citations": [0]} for text in sentences]
    return {
        "run_id": "r",
        "topic_id": "q",
        "topic": "why?",
        "references": ["d1"],
        "response_length": 3,
        "answer": parts,
    }


def kept(*files: Source) -> tuple[Collection, list[str]]:
    """What can be kept of the files, and what was wrong."""
    inputs = open_inputs(*files, on_error="skip")
    return Collection(inputs), list(map(str, inputs.problems))


def problems(*files: Source) -> list[str]:
    """What is wrong, as the error says it; the same as what is reported when it is skipped."""
    with pytest.raises(InputError) as raised:
        load(*files)
    assert list(map(str, raised.value.problems)) == kept(*files)[1]
    return list(map(str, raised.value.problems))


def test_a_reference_may_come_before_what_it_refers_to() -> None:
    nugget = {"kind": "nugget", "nugget_id": "g", "query_id": "q", "run_id": "r", "snippet_id": "1", "spans": [[0, 3]]}
    rows = [
        mark(snippet_id="1"),
        entry(members=[{"nugget_id": "g", "degree": 1.0}], parent="0"),
        nugget | {"source": "person"},
        said("A red fox."),
        entry("0", "Which animal?", aggregator="or"),
        run("r"),
        asked(),
    ]
    assert len(load(file("all", *rows))) == len(rows)


def test_a_reference_may_be_to_another_file_in_any_order() -> None:
    key, run = file("key", entry()), file("run", mark("1"), mark("2"))
    expected = ["run:2: nug_id: '2' is not a nug of query 'q'"]
    assert problems(key, run) == expected
    assert problems(run, key) == expected


def test_what_no_file_defines_may_be_referred_to() -> None:
    assert len(load(file("run", mark("1"), mark("2", snippet_id="9", query_id="p")))) == 2
    assert len(load(file("key", entry("1", members=[{"nugget_id": "g", "degree": 1.0}])))) == 1


def test_judgements_of_a_query_without_nugs_are_not_checked() -> None:
    assert len(load(file("key", entry(query_id="p")), file("run", mark("7")))) == 2


def test_the_queries_and_runs_of_a_karat_file_bind_only_that_file() -> None:
    key, marks = file("key", asked("p"), run("s")), file("marks", mark())
    assert len(load(key, marks)) == 3
    assert problems(file("key", asked("p"), mark())) == ["key:2: query_id: 'q' is not a query of this file"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([said("A fox."), mark(snippet_id="2")], "x:2: snippet_id: '2' is not a snippet of run 'r'"),
        (
            [said("A fox."), {"kind": "relevance", "query_id": "q", "run_id": "r", "snippet_id": "1",
                                  "assessor": "a", "label": "relevant", "text_spans": [[0, 7]]}],
            "x:2: text_spans: ends at 7, but the snippet has 6 characters",
        ),
        (
            [{"kind": "nugget", "nugget_id": "g", "query_id": "q", "run_id": "r", "snippet_id": "1",
              "spans": [[0, 1]], "anchor": [[5, 9]], "source": "auto"}, said("A fox.")],
            "x:1: anchor: ends at 9, but the snippet has 6 characters",
        ),
        (
            [said("A fox."), entry(parent="p")],
            "x:2: parent: 'p' is not a nug of query 'q'",
        ),
        (
            [said("a", "b") | {"snippets": [{"snippet_id": "1", "text": "a"}, {"snippet_id": "1", "text": "b"}]}],
            "x:1: snippets[1].snippet_id: '1' appears twice in the response",
        ),
        (
            [said() | {"snippets": [{"snippet_id": "1", "text": "ab",
                                         "citations": [{"doc_id": "d"}, {"doc_id": "d", "chunk": [[1, 3]]}]}]}],
            "x:1: snippets[0].citations[1].chunk: ends at 3, but the snippet has 2 characters",
        ),
        (
            [asked(), run("s"), said("a")],
            "x:3: run_id: 'r' is not a run of this file",
        ),
        (
            [entry(), {name: value for name, value in mark().items() if name != "degree"}],
            "x:2: degree: is missing, although the status is ok",
        ),
    ],
)  # fmt: skip
def test_a_reference_that_leads_nowhere_is_reported_with_its_line_and_place(rows: list[Row], expected: str) -> None:
    assert problems(file("x", *rows)) == [expected]


def test_a_judgement_with_probabilities_needs_no_degree() -> None:
    given = mark(probabilities={"0": 0.5, "1": 0.5})
    del given["degree"]
    assert len(load(file("x", entry(), given))) == 2


def test_files_of_different_formats_fit_together() -> None:
    collection = load(
        file("bank", bank(("red fox", "vital"), ("blue sky", "okay"))),
        file("assignments", assignment("A red fox. The end.", ("red fox", "support"))),
        file("answers", answer("A red fox.", "The end.")),
    )
    assert collection.queries == [Query(query_id="q", text="why?")]
    assert collection.runs == [Run(run_id="r")]
    assert [(nug.nug_id, nug.importance) for nug in collection.nugs] == [
        (FOX, "vital"),
        (content_id("blue sky"), "okay"),
    ]
    assert collection.judgements == [Judgement(query_id="q", run_id="r", nug_id=FOX, degree=1.0, judge="given")]
    assert [[snippet.text for snippet in response.snippets] for response in collection.responses] == [
        ["A red fox.", "The end."]
    ]
    assert [snippet.citations[0].doc_id for snippet in collection.responses[0].snippets] == ["d1", "d1"]


def test_a_response_is_given_once_in_the_form_with_more_pieces_whatever_the_order() -> None:
    whole, pieces = file("whole", said("A red fox.  The end.")), file("pieces", said("A red fox.", "The end."))
    snippets = (Snippet(snippet_id="1", text="A red fox."), Snippet(snippet_id="2", text="The end."))
    expected = [Response(query_id="q", run_id="r", snippets=snippets)]
    assert load(whole, pieces).responses == expected
    assert load(pieces, whole).responses == expected


def test_of_two_equal_accounts_of_a_response_the_first_is_kept() -> None:
    collection = load(file("a", said("A fox.", note="first")), file("b", said("A fox.", note="second")))
    assert [response.extra for response in collection.responses] == [{"note": "first"}]


def test_an_empty_response_gives_way_to_one_with_words() -> None:
    empty, full = file("empty", said()), file("full", said("A fox."))
    assert [len(response.snippets) for response in load(empty, full).responses] == [1]
    assert [len(response.snippets) for response in load(full, empty).responses] == [1]


def test_a_file_with_some_snippets_of_a_response_gives_way_to_one_with_all() -> None:
    some, all_of_them = file("some", said("A fox.")), file("all", said("A fox.", "A hen."))
    assert [len(response.snippets) for response in load(some, all_of_them).responses] == [2]
    assert [len(response.snippets) for response in load(all_of_them, some).responses] == [2]


def test_a_response_with_other_words_is_reported_and_the_first_is_kept() -> None:
    first, second = file("first", said("A fox.")), file("second", asked(), said("A hen.", "More."))
    expected = [
        "second:2: the response with query_id 'q', run_id 'r' has a different text in first:1; if these are two "
        "versions of one run, give each a name: old=first new=second"
    ]
    assert problems(first, second) == expected
    collection, _ = kept(first, second)
    assert [response.snippets[0].text for response in collection.responses] == ["A fox."]


def test_the_same_definition_in_several_files_is_given_once() -> None:
    rows = (asked(), run("r"), entry())
    collection = load(*(file(name, *rows) for name in "abc"))
    assert (len(collection.queries), len(collection.runs), len(collection.nugs)) == (1, 1, 1)


def test_what_one_file_leaves_out_another_may_say() -> None:
    collection = load(
        file("a", asked(text=""), entry(), run("r")),
        file(
            "b",
            asked(template="why X?"),
            entry(importance="vital", note=1),
            {"kind": "run", "run_id": "r", "group": "g"},
        ),
        file("c", {"kind": "run", "run_id": "r", "human": True}, entry(text="Red  FOX", weight=2.0, note=2)),
    )
    assert collection.queries == [Query(query_id="q", text="why?", template="why X?")]
    assert collection.runs == [Run(run_id="r", group="g", human=True)]
    assert collection.nugs == [
        Nug(query_id="q", nug_id="1", descriptions=("red fox",), importance="vital", weight=2.0, extra={"note": 1})
    ]


def test_two_accounts_that_contradict_each_other_are_reported_and_the_first_is_kept() -> None:
    first = file("a", asked(), entry(importance="vital"), {"kind": "run", "run_id": "r", "group": "g"})
    second = file("b", entry(importance="okay"), {"kind": "run", "run_id": "r", "group": "h"}, asked(text="how?"))
    assert problems(first, second) == [
        "b:1: the nug with query_id 'q', nug_id '1' has the importance 'okay' here, but 'vital' in a:2",
        "b:2: the run with run_id 'r' has the group 'h' here, but 'g' in a:3",
        "b:3: the query with query_id 'q' has the text 'how?' here, but 'why?' in a:1",
    ]
    collection, _ = kept(first, second)
    assert collection == load(first)


def test_an_id_that_appears_twice_in_one_file_is_reported_even_where_nothing_differs() -> None:
    assert problems(file("x", entry(), entry("2", "sky"), "", entry())) == [
        "x:4: the nug with query_id 'q', nug_id '1' is already on line 1"
    ]


def test_a_nugget_may_be_in_several_files_if_they_say_the_same_of_it() -> None:
    places = {"query_id": "q", "run_id": "r", "snippet_id": "1", "source": "person"}
    nugget = {"kind": "nugget", "nugget_id": "g", **places, "spans": [[0, 3]]}
    assert len(load(file("a", nugget), file("b", nugget)).nuggets) == 1
    assert problems(file("a", nugget), file("b", nugget | {"spans": [[0, 4]], "assessor": "ben"})) == [
        "b:1: the nugget with query_id 'q', nugget_id 'g' is different in a:1"
    ]


def test_definitions_of_other_formats_conflict_at_the_line_of_their_row() -> None:
    first = file("bank", bank(("red fox", "vital")))
    second = file("more", "", json.dumps(bank(("blue sky", "okay"), ("red fox", "okay"), query="how?")))
    assert problems(first, second) == [
        "more:2: the query with query_id 'q' has the text 'how?' here, but 'why?' in bank:1",
        f"more:2: the nug with query_id 'q', nug_id '{FOX}' has the importance 'okay' here, but 'vital' in bank:1",
    ]


def test_stop_raises_the_problems_of_all_files_in_order() -> None:
    files = [
        file("a", entry(), "{broken", entry("2", "sky", importance="crucial")),
        file("b", bank(("red fox", "crucial"))),
        file("c", mark("9"), {"kind": "judgement"}, mark("1", degree=7)),
    ]
    told = problems(*files)
    assert [problem.rpartition(": ")[0] for problem in told] == [
        "a:2: is not JSON",
        "a:3: importance",
        "b:1: nuggets[0].importance",
        "c:1: nug_id",
        "c:2: query_id",
        "c:3: degree",
    ]


def test_skip_keeps_the_rest() -> None:
    collection, told = kept(
        file("a", entry(), "{broken", entry("2", "sky", importance="crucial")),
        file("c", mark("9"), mark("1", degree=7), mark("2")),
    )
    assert len(told) == 4
    assert [(nug.nug_id, nug.importance) for nug in collection.nugs] == [("1", None), ("2", None)]
    assert [(judgement.nug_id, judgement.degree, judgement.status) for judgement in collection.judgements] == [
        ("1", None, "failed"),
        ("2", 1.0, "ok"),
    ]


def test_problems_come_in_the_order_of_the_lines_whoever_found_them() -> None:
    rows = [mark("9"), "{broken", mark("8"), {"kind": "nug"}, entry()]
    assert [problem.partition(": ")[0] for problem in problems(file("x", *rows))] == ["x:1", "x:2", "x:3", "x:4"]


def test_a_problem_names_the_query() -> None:
    inputs = open_inputs(file("x", entry(), mark("9"), run("r")), on_error="skip")
    list(inputs)
    assert [(problem.code, problem.query_id) for problem in inputs.problems] == [("dangling-reference", "q")]


def test_a_file_that_gives_out_does_not_hide_the_others() -> None:
    broken = Source("broken", b"\xff\xfe{\x00}\x00")
    inputs = open_inputs(file("a", entry()), on_error="skip")
    inputs.readings.append(open_inputs(file("b", entry("2", "sky"), mark("9"))).readings[0])
    inputs.readings[0].source = broken
    collection = Collection(inputs)
    assert [nug.nug_id for nug in collection.nugs] == ["2"]
    assert [problem.file for problem in inputs.problems] == ["broken", "b"]


def test_batches_carry_the_lines_and_the_name_of_their_file() -> None:
    inputs = open_inputs(
        file("a", entry(), "", mark(), mark(degree=7, assessor="x")),
        file("b", bank(("x", "vital"), ("y", "okay"))),
        on_error="skip",
    )
    seen = [
        (inputs.file, type(record).__name__, line, position in batch.repaired)
        for batch in inputs.batches()
        for position, (record, line) in enumerate(zip(batch.records, batch.lines, strict=True))
    ]
    assert seen == [
        ("a", "Nug", 1, False),
        ("a", "Judgement", 3, False),
        ("a", "Judgement", 4, True),
        ("b", "Query", 1, False),
        ("b", "Nug", 1, False),
        ("b", "Nug", 1, False),
    ]


def test_warnings_are_kept_apart_from_problems() -> None:
    rows = [bank(("x", "vital")), bank(("y", "vital")) | {"qid": 7}]
    inputs = open_inputs(file("a", *rows), on_error="stop")
    assert len(list(inputs)) == 4
    assert [str(warning) for warning in inputs.warnings] == [
        "a:2: qid: some ids in this field are strings and some are numbers (number here)"
    ]


def test_problems_past_the_limit_are_counted() -> None:
    rows = [mark("9", assessor=str(number)) for number in range(MAX_PROBLEMS + 5)]
    with pytest.raises(InputError) as raised:
        load(file("x", entry(), *rows))
    assert len(raised.value.problems) == MAX_PROBLEMS
    assert raised.value.unlisted == 5
    assert str(raised.value).endswith("... and 5 more")


def test_nothing_at_all_is_an_empty_collection() -> None:
    assert len(Collection(Inputs([]))) == 0


def test_inputs_can_be_gone_through_again() -> None:
    inputs = open_inputs([{"kind": "nug", "query_id": "q", "nug_id": "1", "descriptions": ["red fox"]}])
    assert list(inputs) == list(inputs)
    assert inputs.problems == []


def test_only_the_part_that_is_wrong_is_left_out() -> None:
    nugget = {
        "kind": "nugget",
        "query_id": "q",
        "run_id": "r",
        "snippet_id": "1",
        "spans": [[0, 1]],
        "source": "person",
    }
    snippet = {"snippet_id": "1", "text": "a fox", "citations": [{"doc_id": "d", "chunk": [[0, 9]]}, {"doc_id": "e"}]}
    rows = [
        nugget | {"nugget_id": "g"},
        {
            "kind": "nug",
            "query_id": "q",
            "nug_id": "1",
            "descriptions": ["red fox"],
            "members": [{"nugget_id": "x"}, {"nugget_id": "g"}, {"nugget_id": "y"}],
        },
        {"kind": "response", "query_id": "q", "run_id": "r", "snippets": [snippet]},
    ]
    inputs = open_inputs(rows, on_error="skip")
    kept = list(inputs)
    assert [member.nugget_id for member in kept[1].members] == ["g"]  # type: ignore[union-attr]
    assert [citation.doc_id for citation in kept[2].snippets[0].citations] == ["e"]  # type: ignore[union-attr]
    assert [(problem.line, problem.path) for problem in inputs.problems] == [
        (2, "members[0].nugget_id"),
        (2, "members[1].nugget_id"),
        (3, "snippets[0].citations[0].chunk"),
    ]


def test_nugs_that_are_each_others_parents_are_reported() -> None:
    rows = [
        {"kind": "nug", "query_id": "q", "nug_id": one, "descriptions": ["red fox"], "parent": other}
        for one, other in (("1", "2"), ("2", "1"))
    ]
    inputs = open_inputs(rows, on_error="skip")
    assert list(inputs) == []
    assert str(inputs.problems[0]) == "<list>:1: parent: '2' makes the nug its own ancestor"


def test_what_a_replaced_account_said_besides_its_text_is_not_lost_in_silence() -> None:
    response = {"kind": "response", "query_id": "q", "run_id": "r"}
    whole = response | {"snippets": [{"snippet_id": "1", "text": "a fox. a sea.", "citations": [{"doc_id": "d"}]}]}
    pieces = response | {"snippets": [{"snippet_id": "1", "text": "a fox."}, {"snippet_id": "2", "text": "a sea."}]}
    for files in ([whole], [pieces]), ([pieces], [whole]):
        inputs = open_inputs(*files)
        assert [len(record.snippets) for record in inputs] == [2]  # type: ignore[union-attr]
        assert [warning.code for warning in inputs.warnings] == ["replaced-response"]
        assert "citations and other fields given here are left out" in inputs.warnings[0].message


def test_where_somebody_looked_must_exist() -> None:
    reviewed = {"kind": "reviewed", "query_id": "q", "run_id": "r", "step": "nuggets", "assessor": "ann"}
    response = {"kind": "response", "query_id": "q", "run_id": "r", "snippets": [{"snippet_id": "1", "text": "a fox"}]}
    whole = {name: value for name, value in reviewed.items() if name != "run_id"}
    assert len(load(file("a", response, reviewed, reviewed | {"snippet_id": "1"}, whole)).reviewed) == 3
    assert problems(file("a", response, reviewed | {"snippet_id": "2"}, whole | {"snippet_id": "1"})) == [
        "a:2: snippet_id: '2' is not a snippet of run 'r'",
        "a:3: run_id: is missing, although a snippet is named",
    ]


def test_documents_and_templates_of_several_files_are_merged() -> None:
    first = {"kind": "document", "doc_id": "d", "text": "Foxes are red."}
    second = {"kind": "document", "doc_id": "d", "title": "Foxes", "language": "en"}
    template = {"kind": "template", "template_id": "t", "description": "Why X?"}
    more = template | {"categories": {"cause": "what made it"}}
    collection = load(file("one", first, template), file("two", second, more))
    (document,) = collection.documents
    assert (document.text, document.title, document.language) == ("Foxes are red.", "Foxes", "en")
    assert [known.categories for known in collection.templates] == [{"cause": "what made it"}]
    expected = "two:1: the document with doc_id 'd' has the text 'Foxes fly.' here, but 'Foxes are red.' in one:1"
    assert problems(file("one", first), file("two", first | {"text": "Foxes fly."})) == [expected]


def test_a_cited_document_need_not_be_there() -> None:
    snippet = {"snippet_id": "1", "text": "A fox.", "citations": [{"doc_id": "d"}, {"doc_id": "e"}]}
    document = {"kind": "document", "doc_id": "d"}
    assert len(load(file("all", document, response(snippets=[snippet])))) == 2


def marked(nugget_id: str, **fields: Any) -> Row:
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1", "spans": [[0, 3]], "source": "person"}
    return {"kind": "nugget", "nugget_id": nugget_id} | place | fields


def test_what_a_nugget_revises_must_be_a_nugget_and_not_itself() -> None:
    rows = [marked("a", revises=["b", "x"]), marked("b"), marked("c", revises=["d"]), marked("d", revises=["c"])]
    collection, wrong = kept(file("all", *rows))
    assert wrong == [
        "all:1: revises[1]: 'x' is not a nugget of query 'q'",
        "all:3: revises[0]: 'd' makes the nugget revise itself",
        "all:4: revises[0]: 'c' makes the nugget revise itself",
    ]
    assert [nugget.revises for nugget in collection.nuggets] == [("b",), (), (), ()]


def test_numbers_as_ids_are_read_as_strings_in_what_refers_to_them() -> None:
    label = {
        "kind": "relevance",
        "query_id": "q",
        "run_id": "r",
        "snippet_id": 2,
        "assessor": "a",
        "label": "redundant",
    }
    collection = load(file("all", marked(1), marked(2, revises=[1]), label | {"redundant_with": 1}))
    assert collection.nuggets[1].revises == ("1",)
    assert collection.relevances[0].redundant_with == "1"


def test_a_judged_citation_must_be_one_of_its_snippet_and_of_its_document() -> None:
    snippet = {"snippet_id": "1", "text": "A fox.", "citations": [{"doc_id": "d", "citation_id": "c1"}]}
    judged = {
        "kind": "citation_judgement", "query_id": "q", "run_id": "r", "snippet_id": "1", "doc_id": "d",
        "citation_id": "c1", "support": "full", "assessor": "ann", "spans": [[2, 5]],
    }  # fmt: skip
    good = response(snippets=[snippet])
    assert len(load(file("all", good, judged))) == 2
    wrong = [judged | change for change in ({"citation_id": "c2"}, {"doc_id": "e"}, {"spans": [[2, 9]]})]
    assert problems(file("all", good, *wrong)) == [
        "all:2: citation_id: 'c2' is not a citation of snippet '1'",
        "all:3: doc_id: is 'e', but the citation 'c1' is of 'd'",
        "all:4: spans: ends at 9, but the snippet has 6 characters",
    ]


def test_queries_with_other_ids_are_matched_by_their_question() -> None:
    key = file("key.jsonl", query("1", "Why did it close?"), nug("1"), query("2", "Who built it?"), nug("2"))
    plain = file("plain.jsonl", {"question": "why did it  close", "answer": "Cracks."})
    named = file(
        "named.jsonl", query("q1", "Why did it close?"), query("q2", "Who?"), run("r"), response("q1"), response("q2")
    )
    inputs = open_inputs(key, plain, named)
    collection = Collection(inputs)
    assert [(each.run_id, each.query_id) for each in collection.responses] == [("plain", "1"), ("r", "1"), ("r", "q2")]
    assert [str(warning) for warning in inputs.warnings] == [
        f"plain.jsonl: 1 query matched by the question, because the ids differ ({content_id('why did it  close')} is 1 "
        "of the key)",
        "named.jsonl: 1 query matched by the question, because the ids differ (q1 is 1 of the key)",
    ]
    # Reading once more gives the same.
    assert Collection(inputs) == collection


@pytest.mark.parametrize("more", [nug("2"), nug("x")], ids=["two in the key", "has nugs itself"])
def test_unclear_questions_are_not_matched(more: Row) -> None:
    key = file("key.jsonl", query("1", "Why?"), nug("1"), query("2", "Why?"), query("x", "Why?"), more)
    runs = file("runs.jsonl", query("x", "Why?"), run("r"), response("x"))
    assert [each.query_id for each in load(key, runs).responses] == ["x"]


def test_two_answers_of_a_run_are_not_matched_to_one_query() -> None:
    key = file("key.jsonl", query("1", "Why?"), nug("1"))
    runs = file("runs.jsonl", query("a", "Why?"), query("b", "Why?"), run("r"), response("a"), response("b"))
    assert [each.query_id for each in load(key, runs).responses] == ["a", "b"]


def test_a_conflict_has_the_line_of_its_row_and_two_versions_of_a_run_can_be_named() -> None:
    rows = [{"query_id": name, "query": "Why?", "run_id": "r", "answer": "So."} for name in "ab"]
    others = json.dumps([row | {"answer": "No."} for row in rows], indent=1)
    assert problems(file("one.jsonl", *rows), Source("two.json", others.encode())) == [
        "two.json:2: the response with query_id 'a', run_id 'r' has a different text in one.jsonl:1; if these are two "
        "versions of one run, give each a name: old=one.jsonl new=two.json",
        "two.json:8: the response with query_id 'b', run_id 'r' has a different text in one.jsonl:2",
    ]
    twice = json.dumps([rows[0], rows[0] | {"query": "Who?", "run_id": "s"}], indent=1)
    assert problems(Source("x.json", twice.encode())) == [
        "x.json:8: text: is 'Who?' here, but 'Why?' on line 2, for the same query (query_id 'a')"
    ]
