from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

import karat
from builders.records import judgement, nug, nugget, relevance, response, vote
from karat.campaign.campaign import Campaign
from karat.campaign.material.importing import Imported, import_files, import_records
from karat.campaign.material.settings import change_settings
from karat.campaign.people.accounts import create_account
from karat.campaign.store import tables
from karat.campaign.work.assignments import assign_query
from karat.campaign.work.steps import set_step
from karat.model import (
    Citation,
    Document,
    InputError,
    Query,
    Record,
    Response,
    Run,
    Snippet,
    SpanSet,
    Template,
    UsageError,
    decode_record,
)
from karat.model.identity import identity

QUESTION = Query(query_id="q", text="What happened?", conditions={"language": "AR"})


def put(campaign: Campaign, *records: Record, **options: Any) -> Imported:
    with campaign.database.write() as connection:
        return import_records(connection, records, **options)  # type: ignore[arg-type]


def rows(campaign: Campaign, table: Any) -> Sequence[Any]:
    with campaign.database.read() as connection:
        return connection.execute(select(table)).all()


def counts(campaign: Campaign) -> dict[str, int]:
    with campaign.database.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables.metadata.sorted_tables
        }


def test_the_demo_becomes_material(campaign: Campaign) -> None:
    key, _, runs = karat.demo_files()
    done = import_files(campaign.database, key, runs, ignore_annotation=True)
    assert done.lines() == [
        "added: 12 queries, 5 runs, 77 nugs, 60 responses, 233 passages, 253 citations",
        "left out: 231 votes",
    ]
    collection = karat.load(key, runs)
    for table, records in ((tables.response, collection.responses), (tables.query, collection.queries)):
        stored = [decode_record(row.record.encode()) for row in rows(campaign, table)]
        assert sorted(stored, key=identity) == sorted(records, key=identity)
    assert [row.query_id for row in sorted(rows(campaign, tables.query), key=lambda row: row.position)] == [
        query.query_id for query in collection.queries
    ]
    assert campaign.settings.steps == ("votes", "judging")


def test_the_same_text_of_a_query_is_one_passage(campaign: Campaign) -> None:
    other = Query(query_id="other", text="And what else?")
    put(
        campaign, QUESTION, other, response("a", "One.", "Two."), response("b", "Two.", "two."),
        response("a", "Two.", query_id="other"),
    )  # fmt: skip
    texts = {row.number: row.text for row in rows(campaign, tables.passage)}
    assert sorted(texts.values()) == ["One.", "Two.", "Two.", "two."]
    places = {
        (row.response, row.position): (texts[row.passage], row.snippet_id) for row in rows(campaign, tables.occurrence)
    }
    by_run = {(row.run_id, row.query): row.number for row in rows(campaign, tables.response)}
    query = next(row.number for row in rows(campaign, tables.query) if row.query_id == "q")
    assert places[by_run["a", query], 1] == ("Two.", "s2")
    assert places[by_run["b", query], 0] == ("Two.", "s1")


def test_numbers_that_assessors_see_say_nothing_of_the_order(campaign: Campaign) -> None:
    put(campaign, QUESTION, *(response(f"r{number}", f"Text {number}.") for number in range(50)))
    numbers = [row.number for row in sorted(rows(campaign, tables.response), key=lambda row: int(row.run_id[1:]))]
    assert numbers != sorted(numbers)
    assert max(numbers) > 2**32
    assert max(numbers) < 2**40
    assert len(set(numbers)) == 50


def test_only_the_first_words_are_in_scope(campaign: Campaign) -> None:
    answer = response("a", "one two three", "four five six", "seven")
    with campaign.database.write() as connection:
        change_settings(connection, {"words_in_scope": 4})
        import_records(connection, [QUESTION, answer])
    assert [row.scope for row in rows(campaign, tables.occurrence)] == [13, 4, 0]
    with campaign.database.write() as connection:
        change_settings(connection, {"words_in_scope": 0})
    assert [row.scope for row in rows(campaign, tables.occurrence)] == [13, 13, 5]


def test_citations_documents_and_templates(campaign: Campaign) -> None:
    cited = Citation(doc_id="d1", citation_id="c", chunk=SpanSet([(0, 3)]), excerpt="x", extra={"page": 3})
    answer = Response(
        query_id="q",
        run_id="a",
        snippets=(Snippet(snippet_id="s", text="One.", citations=(cited, Citation(doc_id="d2"))),),
    )
    own = Template(template_id="own", description="What {who} did.", categories={"deed": "what was done"})
    done = put(campaign, QUESTION, Document(doc_id="d1", text="x y"), own, answer)
    assert done.added["citation"] == 2
    records = {row.doc_id: msgspec.json.decode(row.record) for row in rows(campaign, tables.citation)}
    assert records["d1"] == {"doc_id": "d1", "citation_id": "c", "chunk": [[0, 3]], "excerpt": "x", "page": 3}
    assert [row.doc_id for row in rows(campaign, tables.document)] == ["d1"]
    assert [row.template_id for row in rows(campaign, tables.template)] == ["own"]
    assert campaign.settings.steps == ("relevance", "nuggets", "nugs", "citations", "votes")
    changed = msgspec.structs.replace(own, description="Edited.")
    assert "the campaign has another version, which is kept" in put(campaign, changed).notes[0]


def test_an_empty_snippet_is_kept_in_its_response_only(campaign: Campaign) -> None:
    put(campaign, QUESTION, response("a", "One.", " ", ""))
    assert len(rows(campaign, tables.occurrence)) == 1
    (stored,) = rows(campaign, tables.response)
    assert len(msgspec.json.decode(stored.record)["snippets"]) == 3


def test_records_come_in_any_order(campaign: Campaign) -> None:
    auto = nugget("n1", (0, 3), run_id="a", snippet_id="s1", source="auto")
    put(campaign, auto, judgement("n", run_id="a", judge="lexical"), response("a", "One."), nug("n"), QUESTION)
    (query,) = rows(campaign, tables.query)
    assert (query.language, decode_record(query.record.encode())) == ("ar", QUESTION)
    assert sorted(row.kind for row in rows(campaign, tables.suggestion)) == ["judgement", "nugget"]


# Importing again ------------------------------------------------------------------------------------------------------


def test_importing_again_adds_what_is_new(campaign: Campaign) -> None:
    first = [QUESTION, Run(run_id="a"), response("a", "One.", "Two."), nug("n", "fact")]
    put(campaign, *first)
    before = counts(campaign)
    assert put(campaign, *first).lines() == [
        "added: nothing", "already in the campaign: 1 query, 1 run, 1 response, 1 nug",
    ]  # fmt: skip
    assert counts(campaign) == before
    done = put(campaign, *first, Run(run_id="b"), response("b", "Two.", "Three."), nug("m", "another fact"))
    assert done.added == {"run": 1, "response": 1, "passage": 1, "nug": 1}
    assert sorted(row.text for row in rows(campaign, tables.passage)) == ["One.", "Three.", "Two."]


def test_what_differs_is_named_and_nothing_is_imported(campaign: Campaign) -> None:
    put(campaign, QUESTION, Run(run_id="a"), Document(doc_id="d", text="x"), response("a", "One."), nug("n", "fact"))
    before = counts(campaign)
    with pytest.raises(UsageError, match="nothing was imported") as raised:
        put(
            campaign,
            msgspec.structs.replace(QUESTION, text="Why?"),
            Run(run_id="a", human=True),
            Document(doc_id="d", text="y"),
            response("a", "One!"),
            response("b", "New."),
            nug("n", "other fact"),
        )
    lines = str(raised.value).splitlines()[1:]
    assert [line.split(": ")[0] for line in lines] == [
        "query q", "run a", "document d", "response of run a to query q", "nug n of query q",
    ]  # fmt: skip
    assert "the campaign has another version" in lines[0]
    assert counts(campaign) == before


def test_many_problems_are_counted(campaign: Campaign) -> None:
    answers = [response("a", "One.", query_id=f"q{number}") for number in range(30)]
    with pytest.raises(UsageError, match=r"query q0: its text is not in the files.*\n(.*\n){19}\.\.\. and 10 more"):
        put(campaign, *answers)
    assert counts(campaign)["query"] == 0


def test_a_file_with_problems_imports_nothing(campaign: Campaign) -> None:
    good = b'{"kind":"query","v":1,"query_id":"q","text":"What?"}\n'
    bad = b'{"kind":"response","v":1,"query_id":"q","run_id":"a","snippets":[{"snippet_id":1}]}\n'
    with pytest.raises(InputError):
        import_files(campaign.database, good + bad)
    assert counts(campaign)["query"] == 0
    done = import_files(campaign.database, good + bad, on_error="skip")
    assert done.added == {"query": 1, "response": 1}
    assert len(done.problems) == 1
    assert counts(campaign)["passage"] == 0


@pytest.mark.parametrize(
    "record",
    [
        response("a", "nul\0"), response("a\0", "x"), response("", "x"), response("a", "x", prefix="\0"),
        response("a", "x", query_id="x" * 501), Query(query_id="blank", text=" "), nug("n\0"), Document(doc_id="\0"),
        Response(query_id="q", run_id="a", snippets=(
            Snippet(snippet_id="s", text="x", citations=(Citation(doc_id="\0"),)),)),
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_named(campaign: Campaign, record: Record) -> None:
    with pytest.raises(UsageError, match="nothing was imported"):
        put(campaign, QUESTION, record, response("good", "Fine."))
    assert counts(campaign)["query"] == 0


# Annotation and suggestions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "noun"),
    [
        (vote("n"), "1 vote"),
        (relevance("s1", "relevant", run_id="a"), "1 relevance"),
        (nugget("p", run_id="a", snippet_id="s1"), "1 nugget"),
        (nugget("p", run_id="a", snippet_id="s1", source="auto", assessor="ann"), "1 nugget"),
        (nug("m", assessor="ann"), "1 nug"),
        (judgement("n", run_id="a", assessor="ann"), "1 judgement"),
        (judgement("n", run_id="a", judge="nist"), "1 judgement"),
    ],
)
def test_peoples_annotation_is_refused_or_left_out(campaign: Campaign, record: Record, noun: str) -> None:
    material = [QUESTION, response("a", "One."), nug("n")]
    with pytest.raises(UsageError, match=rf"people's annotation \({noun}\).*--ignore-annotation"):
        put(campaign, *material, record)
    assert counts(campaign)["query"] == 0
    assert put(campaign, *material, record, ignore_annotation=True).lines()[-1] == f"left out: {noun}"
    assert counts(campaign)["suggestion"] == 0


def test_automatic_nuggets_become_suggestions_of_the_passage(campaign: Campaign) -> None:
    found = [
        nugget(f"{run}-{kind}", (0, 3), run_id=run, snippet_id="s1", source="auto", type=kind, rule="verb")
        for run in "ab"
        for kind in ("EVT", "PER")
    ]
    done = put(campaign, QUESTION, response("a", "One."), response("b", "One."), *found)
    assert (done.added["suggestion"], done.present["suggestion"]) == (2, 2)
    (passage,) = rows(campaign, tables.passage)
    stored = rows(campaign, tables.suggestion)
    assert {row.passage for row in stored} == {passage.number}
    assert sorted(msgspec.json.decode(row.record)["type"] for row in stored) == ["EVT", "PER"]
    record = next(msgspec.json.decode(row.record) for row in stored if "EVT" in row.record)
    assert record == {"kind": "nugget", "passage": passage.number, "spans": [[0, 3]], "type": "EVT", "source": "auto"}
    assert msgspec.json.decode(stored[0].details)["rule"] == "verb"
    assert put(campaign, *found).added == {}


def test_a_programs_judgements_become_suggestions_of_the_response(campaign: Campaign) -> None:
    said = [
        judgement("n", 0.0, run_id="a", judge="mine", snippet_id="s1"),
        judgement("n", 0.5, run_id="a", judge="mine", snippet_id="s2", probabilities={"0": 0.3, "0.5": 0.5, "1": 0.2}),
        judgement("n", None, run_id="b", judge="mine"),
    ]
    done = put(campaign, QUESTION, response("a", "One.", "Two."), response("b", "Two."), nug("n"), *said)
    assert done.added["suggestion"] == 1
    assert done.notes == ("left out: judgements that failed or are unknown (1)",)
    (row,) = rows(campaign, tables.suggestion)
    (key,) = rows(campaign, tables.key_nug)
    two = next(passage.number for passage in rows(campaign, tables.passage) if passage.text == "Two.")
    record = msgspec.json.decode(row.record)
    assert record == {
        "kind": "judgement", "response": row.response, "nug": f"key:{key.number}", "degree": 0.5,
        "evidence_passage": two,
    }  # fmt: skip
    assert msgspec.json.decode(row.details)["probabilities"]["0.5"] == 0.5
    better = judgement("n", 1.0, run_id="a", judge="mine")
    assert put(campaign, better, programs=["mine"]).added == {"suggestion": 1}
    (row,) = rows(campaign, tables.suggestion)
    assert msgspec.json.decode(row.record)["degree"] == 1.0


def test_judgements_of_two_programs_are_not_mixed(campaign: Campaign) -> None:
    said = [judgement("n", run_id="a", judge=judge) for judge in ("lexical", "nuggeteer")]
    with pytest.raises(UsageError, match=r"several programs \(lexical, nuggeteer\)"):
        put(campaign, QUESTION, response("a", "One."), nug("n"), *said)


def test_suggestions_about_nothing_are_named(campaign: Campaign) -> None:
    lost = nugget("n1", run_id="missing", snippet_id="s1", source="auto")
    with pytest.raises(UsageError, match="nugget of run missing for query q: the response is neither"):
        put(campaign, QUESTION, response("a", "One."), lost)


def test_the_organisers_choice_of_steps_is_kept(campaign: Campaign) -> None:
    put(campaign, QUESTION, response("a", "One."))
    assert campaign.settings.steps == ("relevance", "nuggets", "nugs", "votes")
    put(campaign, nug("n"))
    assert campaign.settings.steps == ("votes", "judging")
    with campaign.database.write() as connection:
        change_settings(connection, {"steps": ["judging"]})
    put(campaign, nug("m"))
    assert campaign.settings.steps == ("judging",)


def test_imports_at_the_same_time_come_one_after_the_other(campaign: Campaign) -> None:
    def add(run: int) -> Imported:
        with campaign.database.write() as connection:
            return import_records(connection, [QUESTION, response(f"r{run}", "The same.", f"Only {run}.")])

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(add, range(8)))
    assert sum(imported.added.get("query", 0) for imported in done) == 1
    found = counts(campaign)
    assert (found["query"], found["response"], found["passage"], found["occurrence"]) == (1, 8, 9, 16)


def test_an_import_does_not_change_the_steps_of_work_that_has_begun(campaign: Campaign) -> None:
    """A key that comes later would hide everything that people did."""
    done = put(campaign, QUESTION, response("q", "run", "One."))
    assert done.notes == ()
    used = campaign.settings.steps
    assert "relevance" in used
    with campaign.database.write() as connection:
        person = create_account(connection, "ann", "assessor")
        query = connection.execute(select(tables.query.c.number)).scalar_one()
        assign_query(connection, query, person.number)
        set_step(connection, person, query, person.number, "relevance", done=True)
    done = put(campaign, nug("q", "n1"))
    assert campaign.settings.steps == used
    assert "the steps stay as they are" in done.lines()[-1]
    assert "votes, judging" in done.lines()[-1]
