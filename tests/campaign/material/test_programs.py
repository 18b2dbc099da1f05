from __future__ import annotations

import msgspec
import pytest
from sqlalchemy import select

import karat
from builders.records import response
from karat.campaign.campaign import Campaign
from karat.campaign.material.importing import import_files, import_records
from karat.campaign.material.programs import check_programs, suggest_judgements, suggest_nuggets
from karat.campaign.material.settings import change_settings
from karat.campaign.store.tables import key_nug, passage, suggestion
from karat.campaign.store.tables import response as response_table
from karat.campaign.work.payloads import JudgementWork, NuggetWork
from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.evaluate.nuggets.nuggetize import NuggetizedSnippet, SnippetNotes
from karat.model import Query, SpanSet, UsageError
from karat.nuggetizer.drafts import Nuggetized


def decoded(record: str, kind: type[NuggetWork | JudgementWork]) -> NuggetWork | JudgementWork:
    return msgspec.json.decode(record, type=kind, dec_hook=lambda kind, value: SpanSet(value))


def test_a_judge_answers_for_every_response_and_nug(campaign: Campaign) -> None:
    key, _, runs = karat.demo_files()
    import_files(campaign.database, key, runs, ignore_annotation=True)
    done = suggest_judgements(campaign.database, "nuggeteer")
    judging = karat.judge(key, runs, judge="nuggeteer")
    assert done.added == {"suggestion": len(judging.judgements)}
    with campaign.database.read() as connection:
        stored = [
            decoded(record, JudgementWork) for record in connection.execute(select(suggestion.c.record)).scalars()
        ]
        nugs = {f"key:{row.number}": row.nug_id for row in connection.execute(select(key_nug))}
        runs_of = {row.number: row.run_id for row in connection.execute(select(response_table))}
    assert sorted((runs_of[work.response], nugs[work.nug], work.degree) for work in stored) == sorted(
        (judgement.run_id, judgement.nug_id, judgement.degree) for judgement in judging.judgements
    )
    assert suggest_judgements(campaign.database, "nuggeteer").added == {}


def test_judging_needs_a_key_and_a_judge(campaign: Campaign) -> None:
    with pytest.raises(UsageError, match="the campaign has no key"):
        suggest_judgements(campaign.database, "lexical")
    with pytest.raises(UsageError, match="solomon"):
        check_programs(suggest=False, judge="solomon")


def test_nuggets_in_scope_are_suggested_once_per_text(campaign: Campaign) -> None:
    pytest.importorskip("spacy")
    text = "President Ana Ruiz flew to Lima on Monday."
    query = Query(query_id="q", text="Where has Ana Ruiz been?", template="where_been")
    with campaign.database.write() as connection:
        change_settings(connection, {"words_in_scope": 8})
        import_records(connection, [query, response("a", text, "She met Bo Lund in Oslo."), response("b", text)])
    check_programs(suggest=True, judge=None)
    suggest_nuggets(campaign.database)
    with campaign.database.read() as connection:
        texts = {row.number: row.text for row in connection.execute(select(passage))}
        stored = [decoded(record, NuggetWork) for record in connection.execute(select(suggestion.c.record)).scalars()]
    assert {texts[work.passage] for work in stored} == {text}, "the ninth word is out of scope"
    assert {work.type for work in stored} == {"LOC", "TMP"}
    assert {work.source for work in stored} == {"auto"}
    assert suggest_nuggets(campaign.database).added == {}


def test_notes_about_a_text_show_its_words() -> None:
    """A passage stands for the snippets of several runs, so neither a run nor a number says which it is."""
    text = InputSnippet(query_id="q6", run_id="", snippet_id="361723479282", text="Die Brücke " + "fiel ein " * 9)
    found = [
        NuggetizedSnippet(input=text, result=Nuggetized(text=text.text, nuggets=(), notes=("is not English",)))
    ] * 2
    (line,) = SnippetNotes(found).lines()
    assert line.startswith('is not English (2 snippets, first: query q6, "Die Brücke fiel ein')
    assert "361723479282" not in line


def test_a_campaign_asks_no_language_model() -> None:
    with pytest.raises(UsageError, match="a campaign asks no language model; judge first with `karat judge"):
        check_programs(suggest=False, judge="llm(model=m)")
