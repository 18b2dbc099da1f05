"""What organisers do in the browser: people, settings, assigning, exports, sheets, agreement."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import karat
from builders.workbench import RUNS, Browser, Workbench
from karat.campaign.material.settings import read_settings

Opener = Callable[..., Browser]


@pytest.fixture
def judged(workbench: Workbench, browser: Opener) -> Workbench:
    """ann and ben have labelled q1, and differ in one passage; both marked a nugget and made a nug of it."""
    passages = workbench.passages("q1")
    for name in ("ann", "ben"):
        person, changes = browser(name), []
        for text, passage in passages.items():
            label = "irrelevant" if name == "ben" and "schools" in text else "relevant"
            record: dict[str, object] = {"passage": passage, "label": label}
            changes.append({"kind": "relevance", "key": str(passage), "version": 0, "record": record})
        storm = passages["The storm hit Lisbon."]
        nugget = {"passage": storm, "spans": [[0, 20]] if name == "ann" else [[4, 20]], "type": "EVENT"}
        changes.append({"kind": "nugget", "key": "n-1", "version": 0, "record": nugget})
        nug = {"description": "hit Lisbon", "best": "n-1", "members": [{"nugget": "n-1", "degree": 1.0}]}
        changes.append({"kind": "nug", "key": "g-1", "version": 0, "record": nug})
        path = f"/api/queries/{workbench.queries['q1']}"
        saved = person.post(f"{path}/changes", {"request": name, "changes": changes})
        assert saved.status_code == 200, saved.text
        for step in ("relevance", "nuggets", "nugs"):
            assert person.post(f"{path}/steps/{step}", {"done": True}).status_code == 200
    return workbench


def test_an_export_can_be_read_by_karat(judged: Workbench, browser: Opener, tmp_path: Path) -> None:
    olga = browser("olga")
    response = olga.get("/export/karat")
    assert response.headers["content-disposition"].startswith("attachment")
    file = tmp_path / "export.jsonl"
    file.write_bytes(response.content)
    records = list(karat.read(file))
    kinds = {type(record).__name__ for record in records}
    assert {"Query", "Response", "Relevance", "Nugget", "Nug"} <= kinds
    labels = [record for record in records if type(record).__name__ == "Relevance"]
    assert {record.assessor for record in labels} == {"ann", "ben"}


@pytest.mark.parametrize(("name", "file"), [("nuggetizer", "assessor-ann/bank.jsonl"), ("brat", ""), ("trec", "")])
def test_zips_have_a_folder_per_assessor(judged: Workbench, browser: Opener, name: str, file: str) -> None:
    content = browser("olga").get(f"/export/{name}").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert "losses.txt" in names
        assert any(each.startswith("assessor-ann/") for each in names)
        assert any(each.startswith("assessor-ben/") for each in names)
        assert not file or file in names
        if name == "brat":
            texts = sorted(each for each in names if each.startswith("assessor-ann/") and each.endswith(".txt"))
            assert len(texts) == len(RUNS)
            marks = archive.read(texts[0].removesuffix("txt") + "ann").decode()
            assert "\tEVENT 0 20\t" in marks


def test_an_adjudicated_export_has_nothing_of_single_assessors(judged: Workbench, browser: Opener) -> None:
    text = browser("olga").get("/export/karat?adjudicated=true").text
    assert '"assessor":"ann"' not in text
    assert browser("olga").get("/export/cooking").status_code in (400, 404)


def test_agreement_leads_to_the_worst_items(judged: Workbench, browser: Opener) -> None:
    eva = browser("eva")
    found = eva.get("/api/agreement").json()
    assert found["rows"]
    assert {item["step"] for item in found["worst"]} >= {"relevance", "nuggets"}
    page = eva.get("/agreement").text
    assert f"/queries/{judged.queries['q1']}/adjudication" in page
    assert eva.get("/agreement?by=language").status_code == 200
    assert eva.get("/agreement?by=cooking").status_code == 400


def test_agreement_is_computed_again_after_a_change(judged: Workbench, browser: Opener) -> None:
    eva, olga, ben = browser("eva"), browser("olga"), browser("ben")
    before = eva.get("/api/agreement").json()["worst"]
    path = f"/api/queries/{judged.queries['q1']}"
    olga.form(f"/queries/{judged.queries['q1']}/reopen", {"owner": str(judged.accounts["ben"]), "step": "relevance"})
    schools = next(number for text, number in judged.passages("q1").items() if "schools" in text)
    record = {"passage": schools, "label": "relevant"}
    change = {"kind": "relevance", "key": str(schools), "version": 1, "record": record}
    assert ben.post(f"{path}/changes", {"request": "agreed", "changes": [change]}).status_code == 200
    for _ in range(200):
        after = eva.get("/api/agreement").json()["worst"]
        if after != before:
            break
    assert [item["step"] for item in after] == [item["step"] for item in before if item["step"] != "relevance"]


def test_sheets_are_given_out_per_run(judged: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    assert RUNS[0] in olga.get("/sheets").text
    sheet = olga.get("/sheets/csv", params={"run": RUNS[0]})
    assert sheet.status_code == 200, sheet.text
    assert sheet.text.splitlines()[0].startswith("query,measure,score")
    assert RUNS[1] not in sheet.text
    assert olga.get("/sheets/csv", params={"run": "nothing"}).status_code == 422


def test_settings_are_checked_and_saved(workbench: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    form = {
        "title": "Storms of March", "language": "en", "words_in_scope": "250", "assessors_per_query": "3",
        "show_suggestion": "never", "vote_scale": "graded", "types": "WHO\nWHERE\n", "step_relevance": "yes",
        "step_votes": "yes", "rule_votes": "Vital is what must be there.", "examples_votes": "One.\n\nTwo.",
    }  # fmt: skip
    assert olga.form("/settings", form).status_code == 303
    with workbench.campaign.database.read() as connection:
        saved = read_settings(connection)
    assert (saved.title, saved.steps, saved.words_in_scope) == ("Storms of March", ("relevance", "votes"), 250)
    assert (saved.types, saved.guidelines["votes"].examples) == (("WHO", "WHERE"), ("One.", "Two."))
    for wrong in ({"words_in_scope": "-1"}, {"words_in_scope": "²"}, {"title": ""}, {"vote_scale": "x"}):
        assert olga.form("/settings", {**form, **wrong}).status_code == 422, wrong
    template = {
        "template_id": "weather",
        "description": "What happened",
        "categories": "DAMAGE: what broke",
        "types": "",
    }
    assert olga.form("/settings/templates", template).status_code == 303
    assert "what broke" in olga.get("/settings").text
    assert olga.form("/settings/templates", {**template, "categories": "no colon"}).status_code == 422


def test_people_are_managed(workbench: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    assert olga.form("/people", {"name": "ann", "role": "assessor"}).status_code == 422
    assert olga.form("/people", {"name": "x", "role": "king"}).status_code == 422
    assert olga.form(f"/people/{workbench.accounts['olga']}/active", {"active": "no"}).status_code == 422
    said = olga.form(f"/people/{workbench.accounts['ann']}/languages", {"languages": "ar, zh"})
    assert "Saved: languages of ann besides the campaign&#39;s own: ar zh." in said.text
    assert 'value="ar zh"' in olga.get("/people").text
    assert "/invitation/" in olga.form(f"/people/{workbench.accounts['ann']}/invitation").text
    browser("ann")
    assert olga.form("/people/99999/invitation").status_code == 422


def test_queries_are_assigned(workbench: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    done = olga.form("/material/assign")
    assert done.status_code == 200, done.text
    assert "1 assignments were added" in done.text or "1 assignment" in done.text
    assert olga.form("/material/assign").status_code == 200
