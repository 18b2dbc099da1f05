from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

pytest.importorskip("sqlalchemy", reason="the workbench is not installed (pip install '.[web]')")

from sqlalchemy import select

import karat
from cli.running import karat_here
from karat.campaign.campaign import Campaign
from karat.campaign.material.counts import material_counts, queries_without_assessors
from karat.campaign.people.accounts import accounts, create_account
from karat.campaign.people.invitations import accept, invited_account
from karat.campaign.results.export import export_collection
from karat.campaign.store.tables import key_nug
from karat.campaign.work.changes import Change, save
from karat.campaign.work.payloads import VoteWork
from karat.model import encode_record

LINK = re.compile(r"(https?://\S+)/invitation/([\w-]{43})\n")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A campaign with the demo's material."""
    folder = tmp_path / "facts"
    key, _, runs = karat.demo_files()
    assert karat_here("campaign", "create", folder, "--title", "Facts", "--organiser", "Ana").code == 0
    assert karat_here("campaign", "import", folder, key, runs, "--ignore-annotation").code == 0
    return folder


def test_create_prints_the_organisers_link(tmp_path: Path) -> None:
    done = karat_here(
        "campaign", "create", tmp_path / "new", "--title", "Facts", "--organiser", "Ana", "--language", "DE",
        "--words", "0", "--assessors", "3", "--url", "https://example.org/",
    )  # fmt: skip
    assert done.code == 0
    link = LINK.fullmatch(done.text)
    assert link is not None
    assert link[1] == "https://example.org"
    assert "It works once, for 14 days" in done.err
    with Campaign.open(tmp_path / "new") as campaign:
        settings = campaign.settings
        with campaign.database.write() as connection:
            assert accept(connection, link[2], "four words that fit").role == "organiser"
    assert (settings.language, settings.words_in_scope, settings.assessors_per_query) == ("de", 0, 3)


def test_a_campaign_that_cannot_be_created_leaves_nothing(tmp_path: Path) -> None:
    for name, language in (("", "en"), ("Ana", "x y")):
        done = karat_here(
            "campaign", "create", tmp_path / "new", "--title", "Facts", "--organiser", name, "--language", language
        )
        assert (done.code, done.text) == (2, "")
        assert list(tmp_path.iterdir()) == []


def test_invite_makes_an_account_or_a_new_link(place: Path) -> None:
    first = karat_here("campaign", "invite", place, "Bo", "--languages", "ar,zh")
    again = karat_here("campaign", "invite", place, "bo", "--role", "adjudicator")
    assert (first.code, again.code) == (0, 0)
    assert "Bo has an account already (assessor)" in again.err
    with Campaign.open(place) as campaign, campaign.database.read() as connection:
        people = {person.name: (person.role, person.languages) for person in accounts(connection)}
        tokens = [match[2] for done in (first, again) if (match := LINK.fullmatch(done.text))]
        valid = [invited_account(connection, token) is not None for token in tokens]
    assert people == {"Ana": ("organiser", ()), "Bo": ("assessor", ("ar", "zh"))}
    assert valid == [False, True], "a new link ends the old one"
    third = karat_here("campaign", "invite", place, "Bo", "--languages", "pt")
    assert "languages of Bo besides the campaign's own are now: pt" in third.err
    with Campaign.open(place) as campaign, campaign.database.read() as connection:
        assert [person.languages for person in accounts(connection)] == [(), ("pt",)]


def test_import_says_what_it_did(tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    key, judgements, runs = karat.demo_files()
    karat_here("campaign", "create", folder, "--title", "Facts", "--organiser", "Ana")
    refused = karat_here("campaign", "import", folder, key, runs)
    assert refused.code == 3
    assert "people's annotation (231 votes)" in refused.err
    done = karat_here("campaign", "import", folder, key, runs, "--ignore-annotation", "--judge", "nuggeteer")
    assert done.code == 0
    assert "added: 12 queries, 5 runs, 77 nugs, 60 responses" in done.err
    assert "added: 385 suggestions" in done.err
    assert "steps of the campaign: votes, judging" in done.err
    again = karat_here("campaign", "import", folder, key, runs, "--ignore-annotation")
    assert "already in the campaign: 12 queries" in again.err
    bad = karat_here("campaign", "import", folder, judgements)
    assert bad.code == 3
    assert "judgements.jsonl:79: degree: 'suport'" in bad.err


def test_import_of_another_version_is_an_error_that_names_it(place: Path, tmp_path: Path) -> None:
    answer = karat.load(karat.demo_files().runs).responses[0]
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(encode_record(answer).replace(answer.snippets[0].text[:8].encode(), b"Changed!") + b"\n")
    done = karat_here("campaign", "import", place, changed)
    assert done.code == 3
    assert f"response of run {answer.run_id} to query {answer.query_id}: the campaign has another version" in done.err


def test_an_unknown_judge_is_named_before_anything_is_imported(tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    karat_here("campaign", "create", folder, "--title", "Facts", "--organiser", "Ana")
    done = karat_here("campaign", "import", folder, karat.demo_files().runs, "--judge", "solomon")
    assert done.code == 2
    assert "solomon" in done.err
    with Campaign.open(folder) as campaign:
        assert campaign.settings.steps == ()


def test_assign_shows_the_load_of_each_assessor(place: Path) -> None:
    with Campaign.open(place) as campaign, campaign.database.write() as connection:
        for name in ("Bo", "Cleo", "Dan"):
            create_account(connection, name, "assessor")
    done = karat_here("campaign", "assign", place)
    assert done.code == 0
    assert done.lines[2:5] == ["Bo              8", "Cleo            8", "Dan             8"]
    assert "24 assignments added" in done.err
    assert "0 assignments added" in karat_here("campaign", "assign", place).err


def test_status_shows_material_and_people(place: Path) -> None:
    done = karat_here("campaign", "status", place)
    assert done.code == 0
    assert "Facts: steps votes, judging\n0 of 12 queries adjudicated" in done.err
    assert re.search(r"^queries +12$", done.text, re.MULTILINE)
    assert re.search(r"^Ana +organiser +invited$", done.text, re.MULTILINE)


def test_export_is_read_by_other_commands(place: Path, tmp_path: Path) -> None:
    """Two assessors vote; what a format cannot tell apart is refused."""
    with Campaign.open(place) as campaign, campaign.database.write() as connection:
        people = [create_account(connection, name, "assessor") for name in ("Bo", "Cleo")]
    karat_here("campaign", "assign", place)
    with Campaign.open(place) as campaign, campaign.database.write() as connection:
        for person, value in zip(people, ("vital", "okay"), strict=True):
            query = connection.execute(select(key_nug.c.query, key_nug.c.number).order_by(key_nug.c.number)).first()
            assert query is not None
            key = f"key:{query.number}"
            vote = Change(kind="vote", key=key, version=0, record=VoteWork(nug=key, value=value))
            save(connection, person, query.query, person.number, f"request-{person.name}", [vote])
    done = karat_here("campaign", "export", place, "-o", tmp_path / "all.jsonl")
    assert done.code == 0
    exported = karat.load(tmp_path / "all.jsonl")
    assert {(vote.assessor, vote.value) for vote in exported.votes} == {("Bo", "vital"), ("Cleo", "okay")}
    assert len(exported.responses) == 60
    assert karat_here("show", tmp_path / "all.jsonl").code == 0
    mixed = karat_here("campaign", "export", place, "--to", "nuggetizer-bank", "-o", tmp_path / "bank.jsonl")
    assert mixed.code == 2
    assert "nuggetizer-bank would mix the annotation of Bo, Cleo" in mixed.err
    assert not (tmp_path / "bank.jsonl").exists()
    one = karat_here(
        "campaign", "export", place, "--to", "nuggetizer-bank", "--assessor", "Bo", "-o", tmp_path / "bank.jsonl"
    )
    assert one.code == 0
    assert karat.load(tmp_path / "bank.jsonl").nugs


def test_some_queries_are_exported(place: Path, tmp_path: Path) -> None:
    for number, option in enumerate((("--queries", "q1,q2"), ("--query", "q1", "--query", "q2"))):
        assert karat_here("campaign", "export", place, *option, "-o", tmp_path / f"{number}.jsonl").code == 0
        assert {query.query_id for query in karat.load(tmp_path / f"{number}.jsonl").queries} == {"q1", "q2"}
    wrong = karat_here("campaign", "export", place, "--queries", "zz")
    assert (wrong.code, "--queries: there is no query 'zz'" in wrong.err) == (2, True)


def test_backup_and_restore(place: Path, tmp_path: Path) -> None:
    done = karat_here("campaign", "backup", place, tmp_path / "b.gz")
    assert done.code == 0
    assert re.search(r"[\d,]+ rows written to", done.err)
    restored = karat_here("campaign", "restore", tmp_path / "b.gz", tmp_path / "again")
    assert restored.code == 0
    assert "Restored the campaign 'Facts'" in restored.err
    assert karat_here("campaign", "status", tmp_path / "again").text == karat_here("campaign", "status", place).text
    assert karat_here("campaign", "restore", tmp_path / "b.gz", place).code == 2


@pytest.mark.parametrize("subcommand", ["import", "invite", "assign", "status", "export", "backup"])
def test_a_folder_without_a_campaign_says_how_to_make_one(tmp_path: Path, subcommand: str) -> None:
    more = {"import": ["x.jsonl"], "invite": ["Bo"], "backup": [str(tmp_path / "b.gz")]}.get(subcommand, [])
    done = karat_here("campaign", subcommand, tmp_path, *more)
    assert done.code == 3
    assert f"{tmp_path}: there is no campaign; make one with: karat campaign create" in done.err
    assert list(tmp_path.iterdir()) == []


def test_without_the_workbench_a_message_says_how_to_install_it(tmp_path: Path) -> None:
    with patch.dict(sys.modules, {"sqlalchemy": None}):
        done = karat_here("campaign", "create", tmp_path / "new", "--title", "Facts", "--organiser", "Ana")
    assert done.code == 2
    assert "A campaign needs an optional part of Karat" in done.err
    assert "[web]" in done.err


def test_the_demo_is_a_finished_campaign_that_is_kept(tmp_path: Path) -> None:
    done = karat_here("campaign", "demo", tmp_path / "finished")
    assert (done.code, [line.split()[0] for line in done.text.splitlines()]) == (
        0, ["organiser", "assessor", "assessor", "adjudicator"],
    )  # fmt: skip
    assert "12 of 12 queries adjudicated" in karat_here("campaign", "status", tmp_path / "finished").err
    again = karat_here("campaign", "demo", tmp_path / "finished")
    assert (again.code, again.text) == (2, "")


def test_a_campaign_without_a_title_is_called_as_its_folder(tmp_path: Path) -> None:
    created = karat_here("campaign", "create", tmp_path / "facts", "--organiser", "Ana")
    assert "Created the campaign 'facts'" in created.err


def test_the_small_example_of_the_documentation_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[3] / "docs" / "campaigns.md").read_text(encoding="utf-8")
    part = page.split("## A small example")[1].split("\n## ")[0]
    names = re.findall(r"`(\S+\.(?:csv|jsonl))` has", part)
    *files, commands = re.findall(r"```\w*\n(.*?)```", part, re.DOTALL)
    assert names == ["queries.csv", "run.csv", "documents.jsonl"]
    monkeypatch.chdir(tmp_path)
    for name, text in zip(names, files, strict=True):
        Path(name).write_text(text, encoding="utf-8")
    *lines, serve = commands.strip().splitlines()
    assert serve == "karat serve --campaign facts"
    for line in lines:
        done = karat_here(*shlex.split(line)[1:])
        assert done.code == 0, (line, done.err)
    with Campaign.open(Path("facts")) as campaign, campaign.database.read() as connection:
        queries = {query.query_id: query for query in export_collection(connection).queries}
        counts = material_counts(connection)
        assert queries_without_assessors(connection, 2) == 0
    assert {name: query.conditions for name, query in queries.items()} == {
        "q1": {"language": "en"}, "q2": {"language": "ar"},
    }  # fmt: skip
    assert (counts.citations, counts.documents) == (4, 3)


def test_one_language_without_readers_does_not_stop_the_others(tmp_path: Path) -> None:
    place, file = tmp_path / "facts", tmp_path / "queries.csv"
    file.write_text("query_id,query,language\nq1,Why?,en\nq2,How?,ar\n", encoding="utf-8")
    karat_here("campaign", "create", place, "--title", "Facts", "--organiser", "Ana")
    assert karat_here("campaign", "import", place, file).code == 0
    for name in ("Bo", "Dee"):
        karat_here("campaign", "invite", place, name)
    lacking = karat_here("campaign", "assign", place)
    assert lacking.code == 1
    assert "2 assignments added" in lacking.err
    assert "1 query in ar: 2 active assessors reading ar needed, there is nobody" in lacking.err
    for name in ("Bo", "Dee"):
        karat_here("campaign", "invite", place, name, "--languages", "ar")
    enough = karat_here("campaign", "assign", place)
    assert (enough.code, "2 assignments added" in enough.err) == (0, True)


def test_the_status_comes_in_every_format(tmp_path: Path) -> None:
    place = tmp_path / "finished"
    assert karat_here("campaign", "demo", place).code == 0
    people = json.loads(karat_here("campaign", "status", place, "--format", "json").text)["people"]
    assert {person["person"] for person in people} >= {"ann", "ben"}
    lines = karat_here("campaign", "status", place, "--format", "csv").text.splitlines()
    assert len(lines) == 1 + len(people)
