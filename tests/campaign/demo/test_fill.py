from __future__ import annotations

from pathlib import Path

import pytest

import karat
from karat.campaign.adjudication.differences import differences
from karat.campaign.campaign import Campaign
from karat.campaign.demo import fill_demo, fill_judging_demo
from karat.campaign.people.accounts import account_named, accounts, has_password
from karat.campaign.results.agreement import agreement
from karat.campaign.results.agreement_words import by_work
from karat.campaign.results.export import export_collection
from karat.campaign.results.progress import progress
from karat.campaign.results.sheets import all_sheets, runs
from karat.campaign.work.query_key import query_key
from karat.campaign.work.task_data import task_data
from karat.formats import write


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    campaign = Campaign.create(tmp_path_factory.mktemp("demo") / "campaign", "Demo")
    logins = fill_demo(campaign, now=1_000_000_000.0)
    assert [(login.name, login.role) for login in logins] == [
        ("olga", "organiser"), ("ann", "assessor"), ("ben", "assessor"), ("eva", "adjudicator"),
    ]  # fmt: skip
    with campaign.database.read() as connection:
        for login in logins:
            found = account_named(connection, login.name)
            assert found is not None
            assert has_password(connection, found.number, login.password)
    return campaign


def test_it_is_in_the_state_of_a_campaign_after_some_days(demo: Campaign) -> None:
    with demo.database.read() as connection:
        page = progress(connection)
        people = {account.name: account for account in accounts(connection)}
        numbers = {query.query_id: query.number for query in page.queries}
        undecided = [
            item
            for item in differences(connection, people["eva"], numbers["bridge"]).items
            if not item.agreed and item.decision is None
        ]
        decided = differences(connection, people["eva"], numbers["storm"]).items
        key = query_key(connection, numbers["storm"], people["ann"].number)
    assert [query.query_id for query in page.queries if query.adjudicated] == ["storm"]
    assert {item.kind for item in undecided} >= {"relevance", "nugget", "nug", "citation"}
    assert all(item.agreed or item.decision is not None for item in decided)
    assert len(key) == 8
    done = {query.query_id: [sum(step.done is not None for step in person.steps) for person in query.people]
            for query in page.queries}  # fmt: skip
    assert done == {"storm": [5, 5], "bridge": [4, 4], "visit": [2, 1], "concert": [0, 0], "strike": [0, 0]}


def test_its_export_is_sound_and_can_be_scored(demo: Campaign, tmp_path: Path) -> None:
    with demo.database.read() as connection:
        whole = export_collection(connection)
        decided = export_collection(connection, adjudicated_only=True)
    for name, collection in (("whole", whole), ("adjudicated", decided)):
        file = tmp_path / f"{name}.jsonl"
        assert write(collection, file).lines() == []
        assert karat.load(file) == collection
        assert {finding.code for finding in karat.lint(file)} <= {
            "near-duplicate", "repeated-nug", "non-atomic-nug", "leading-pronoun", "uncovered-query", "no-vital-nug",
            "orphan-nugget",
        }  # fmt: skip
    scores = {score.run_id: score.value for score in karat.score(decided, measures="recall").by_query()}
    assert scores["librarian"] is not None
    assert {record.assessor for record in decided.nuggets if record.source != "auto"} == {"eva"}
    assert {vote.assessor for vote in decided.votes} == {"ann", "ben"}


def test_agreement_and_sheets_have_something_to_show(demo: Campaign) -> None:
    with demo.database.read() as connection:
        found = agreement(connection, by="medium")
        sheets = all_sheets(connection)
        names = runs(connection)
    assert {"relevance", "nuggets", "nugs", "votes"} <= {row.what for row in found.rows}
    assert found.worst[0].score == 0.0
    assert {item.step for item in found.worst} >= {"relevance", "nuggets"}
    assert names == ["heron", "librarian", "lynx"]
    rows = sheets.of("heron")
    assert rows[0][:3] == ("query", "measure", "score")
    assert len(rows) > 5


def test_agreement_is_said_in_words_and_a_program_is_no_assessor(demo: Campaign) -> None:
    with demo.database.read() as connection:
        found = agreement(connection)
    works = {work.title: work for work in by_work(found)}
    assert [*works] == ["Relevance", "Nuggets", "Nugs", "Votes"]
    assert works["Relevance"].sentence == "ann and ben agree on 18 of 21 passages whether they are relevant."
    assert works["Votes"].sentence == "ann and ben vote the same on 5 of 8 nugs."
    assert works["Nuggets"].main.raters == 2
    assert works["Nuggets"].main.coefficient == "nugget_overlap"
    assert {row.pair for row in found.rows} == {"ann ~ ben"}
    worst = works["Relevance"].worst
    # Several items agree as little; which of them is first depends on the numbers drawn for passages.
    least = {item.text for item in worst if item.score == worst[0].score}
    assert "Drivers pay a toll of 2 euros; buses pay nothing." in least


def test_the_demo_of_judging(tmp_path: Path) -> None:
    campaign = Campaign.create(tmp_path / "campaign", "Demo")
    fill_judging_demo(campaign, now=1_000_000_000.0)
    with campaign.database.read() as connection:
        people = {account.name: account for account in accounts(connection)}
        (query,) = progress(connection).queries
        shown = task_data(connection, people["ann"], query.number, "judging")
        compared = differences(connection, people["eva"], query.number)
        found = by_work(agreement(connection))
    assert len(shown.pairs) == 15
    assert [pair.uncertainty for pair in shown.pairs] == sorted(
        (pair.uncertainty for pair in shown.pairs), reverse=True
    )
    # What the program says is withheld until ann has answered: she has answered two pairs.
    assert len(shown.suggestions) == 2
    assert [(behind.name, behind.steps) for behind in compared.behind] == [("ann", ("judging",))]
    assert [work.title for work in found] == ["Judging"]
    assert found[0].sentence == "ann and ben give the same answer for 2 of 2 pairs of an answer and a nug."
