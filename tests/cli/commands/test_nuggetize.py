"""karat nuggetize and karat draft-key"""

from __future__ import annotations

import csv
import json

import pytest

from cli.running import Outcome, karat_here

TEXT = "Foreign Minister Ana Ruiz flew to Lima on Monday.\n\nNorway rejected the treaty.\n"


def run(*arguments: str, input: str = "", code: int = 0) -> Outcome:
    done = karat_here(*arguments, stdin=input.encode())
    assert done.code == code, done.err
    return done


def _rows(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def test_one_snippet_per_line(tmp_path):
    (tmp_path / "snippets.txt").write_text(TEXT)
    rows = _rows(run("nuggetize", str(tmp_path / "snippets.txt")).text)
    assert [row["snippet_id"] for row in rows] == ["1", "3"]
    nuggets = {(nugget["type"], nugget["text"]) for nugget in rows[0]["nuggets"]}
    assert nuggets >= {("PER", "Ana Ruiz"), ("TITLE", "Foreign Minister"), ("LOC", "to Lima"), ("TMP", "on Monday")}
    event = next(nugget for nugget in rows[0]["nuggets"] if nugget["type"] == "EVT")
    start, end = event["anchor"]
    assert rows[0]["text"][start:end] == "flew"
    for row in rows:
        for nugget in row["nuggets"]:
            assert " ... ".join(row["text"][start:end] for start, end in nugget["spans"]) == nugget["text"]


def test_standard_input_and_types():
    done = run("nuggetize", "--types", "gpe", input=TEXT)
    assert [nugget["text"] for row in _rows(done.text) for nugget in row["nuggets"]] == ["Norway"]
    assert "roles:" in done.err


def test_every_nugget_is_also_a_sentence():
    rows = _rows(run("nuggetize", input=TEXT).text)
    assert all(nugget["paraphrase"] for row in rows for nugget in row["nuggets"])
    title = next(nugget for nugget in rows[0]["nuggets"] if nugget["type"] == "TITLE")
    assert title["paraphrase"] == "Ana Ruiz is the Foreign Minister."
    assert "= Ana Ruiz is the Foreign Minister." in run("nuggetize", "--format", "pretty", input=TEXT).text


def test_pretty_names_every_nugget():
    done = run("nuggetize", "--format", "pretty", "--explain", input=TEXT)
    assert "TITLE Foreign Minister" in done.text
    assert "+ title-before" in done.text


def test_records_can_be_read_again(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"text": "Norway rejected the treaty.", "snippet_id": "s9"}\n')
    out = tmp_path / "nuggets.jsonl"
    run("nuggetize", str(tmp_path / "rows.jsonl"), "--format", "karat", "-o", str(out))
    shown = run("show", str(out)).text
    assert "nugget" in shown
    assert "s9" in out.read_text()


def test_templates_keep_their_types_and_are_listed():
    done = run("nuggetize", "--template", "where_been", input=TEXT)
    assert {nugget["type"] for row in _rows(done.text) for nugget in row["nuggets"]} == {"LOC", "TMP"}
    assert "relationship_persons" in run("nuggetize", "--list-templates").text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--template", "nope"], "list_facts_event"),
        (["--types", "cat"], "CAT"),
        (["--template", "people_orgs_involved", "--asked", "cats"], "people, organizations, countries"),
        (["--relevant-only"], "plain text"),
        (["--model", "no_such_model"], "no_such_model"),
    ],
)
def test_mistakes_are_reported(arguments, message):
    done = run("nuggetize", *arguments, input=TEXT, code=2)
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_note_is_printed_once_with_the_snippets_it_is_about(tmp_path):
    german = "Der Minister ist nach der Sitzung nicht zu sprechen und wird heute nicht kommen."
    done = run("nuggetize", "--format", "jsonl", input=f"Ana slept.\n{german}\n{german}\n")
    note = "this text seems to be German, not English: no nuggets"
    assert f"note: {note} (2 snippets, first: snippet 2)" in done.err
    assert [row.get("notes", []) for row in _rows(done.text)] == [[], [note], [note]]
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": german, "query_id": "q1", "run_id": "a"}))
    done = run("nuggetize", "--from", "text", str(tmp_path / "rows.jsonl"), "--format", "karat")
    assert f"note: {note} (query q1, run a, snippet 1)" in done.err


def test_a_broken_row_is_reported_with_its_line(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"text": "Norway rejected the treaty."}\n{"txt": 3}\n')
    done = run("nuggetize", str(tmp_path / "rows.jsonl"), code=3)
    assert "rows.jsonl:2" in done.err


def test_only_relevant_text(tmp_path):
    text = "Secretary Ana Ruiz visited Lima, Tomas Reyes said."
    records = [
        {"kind": "query", "v": 1, "query_id": "q", "text": "Who visited Lima?", "template": "people_visited"},
        {"kind": "response", "v": 1, "query_id": "q", "run_id": "a",
         "snippets": [{"snippet_id": "1", "text": text}, {"snippet_id": "2", "text": "Carla Mendes resigned."}]},
        {"kind": "relevance", "v": 1, "query_id": "q", "run_id": "a", "snippet_id": "1", "assessor": "x",
         "label": "relevant", "text_spans": [[0, text.index(",")]]},
        {"kind": "relevance", "v": 1, "query_id": "q", "run_id": "a", "snippet_id": "2", "assessor": "x",
         "label": "irrelevant"},
    ]  # fmt: skip
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    rows = _rows(run("nuggetize", str(path)).text)
    assert [[nugget["text"] for nugget in row["nuggets"]] for row in rows] == [["Ana Ruiz"], ["Carla Mendes"]]
    assert len(_rows(run("nuggetize", str(path), "--relevant-only").text)) == 1
    out = tmp_path / "auto.jsonl"
    run("nuggetize", str(path), "-o", str(out))
    scored = run("score", str(path), str(out), "--measures", "precision(rules=2012)", "--format", "jsonl")
    assert json.loads(scored.text.splitlines()[0])["value"] == 0.5


@pytest.fixture
def runs_of_a_dam(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text('query_id,run_id,text\nq1,a,"The dam burst on Monday."\nq1,b,"On Monday the dam burst."\n')
    return path


def test_a_draft_of_a_key(tmp_path, runs_of_a_dam):
    out = tmp_path / "key.jsonl"
    done = run("draft-key", str(runs_of_a_dam), "-o", str(out))
    nugs = [record for record in _rows(out.read_text()) if record["kind"] == "nug"]
    assert (nugs[0]["runs"], nugs[0]["importance"], nugs[0]["suggested"]) == (2, "vital", True)
    assert "Drafted 1 nug for 1 query" in done.err
    behind = _rows((tmp_path / "key.nuggets.jsonl").read_text())
    assert {record["nugget_id"] for record in behind} == {member["nugget_id"] for member in nugs[0]["members"]}
    assert run("draft-key", str(out), "-o", str(out), code=2)


def test_an_edited_key_is_not_replaced_by_a_draft(tmp_path, runs_of_a_dam):
    out = tmp_path / "key.jsonl"
    out.write_text("edited\n")
    done = run("draft-key", str(runs_of_a_dam), "-o", str(out), code=2)
    assert "exists already, and somebody may have edited it; name another file, or add --force" in done.err
    assert out.read_text() == "edited\n"
    run("draft-key", str(runs_of_a_dam), "-o", str(out), "--force")
    assert out.read_text() != "edited\n"


@pytest.mark.parametrize("name", ["key.csv", "key.tsv"])
def test_a_draft_for_a_spreadsheet_can_be_scored_with(tmp_path, runs_of_a_dam, name):
    out = tmp_path / name
    (tmp_path / "key.nuggets.jsonl").write_text("those of key.jsonl\n")
    done = run("draft-key", str(runs_of_a_dam), "-o", str(out))
    assert "A table does not show which nuggets a nug was made from; use -o key.jsonl for that." in done.err
    assert (tmp_path / "key.nuggets.jsonl").read_text() == "those of key.jsonl\n"
    assert out.read_text().splitlines()[0].replace("\t", ",") == ("query_id,nug_id,nug,importance,runs,suggested,also")
    scored = run("score", str(out), str(runs_of_a_dam), "--judge", "lexical", "--format", "jsonl")
    assert {json.loads(line)["run_id"] for line in scored.text.splitlines()} == {"a", "b"}
    assert "not understood" not in scored.err


@pytest.mark.parametrize("ending", ["xls", "ods", "txt", "md"])
def test_a_key_is_not_written_under_a_wrong_name(tmp_path, runs_of_a_dam, ending):
    out = tmp_path / f"key.{ending}"
    done = run("draft-key", str(runs_of_a_dam), "-o", str(out), code=2)
    assert f"a key cannot be written as {ending}; write {tmp_path / 'key.csv'}" in done.err
    assert not out.exists()


def test_the_rule_for_importance_is_the_one_that_was_used(tmp_path, runs_of_a_dam):
    done = run("draft-key", str(runs_of_a_dam), "-o", str(tmp_path / "key.jsonl"))
    assert "those that most runs say (at least two)" in done.err
    record = {"kind": "response", "v": 1, "query_id": "q", "run_id": "a",
              "snippets": [{"snippet_id": "s", "text": "Norway rejected the treaty of Lima."}]}  # fmt: skip
    (tmp_path / "one.jsonl").write_text(json.dumps(record))
    done = run("draft-key", str(tmp_path / "one.jsonl"), "-o", str(tmp_path / "one.key.jsonl"))
    assert "Only one run says each: the first third is suggested as vital." in done.err


def test_responses_come_by_standard_input_as_well():
    record = {"kind": "response", "v": 1, "query_id": "q", "run_id": "a",
              "snippets": [{"snippet_id": "s", "text": "Norway rejected the treaty."}]}  # fmt: skip
    (row,) = _rows(run("nuggetize", input=json.dumps(record)).text)
    assert (row["query_id"], row["run_id"], row["snippet_id"]) == ("q", "a", "s")


def test_lines_of_two_files_get_different_ids(tmp_path):
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("Norway rejected the treaty.\n")
    rows = _rows(run("nuggetize", str(tmp_path / "one.txt"), str(tmp_path / "two.txt")).text)
    assert [row["snippet_id"] for row in rows] == ["one:1", "two:1"]


def test_what_is_read_is_not_written_over(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("Norway rejected the treaty.\n")
    assert "one of the inputs" in run("nuggetize", str(path), "-o", str(path), code=2).err
    assert path.read_text() == "Norway rejected the treaty.\n"


def test_a_bad_line_can_be_skipped(tmp_path):
    path = tmp_path / "one.txt"
    path.write_bytes(b"Norway rejected the treaty.\nJos\xe9 left.\nAna Ruiz resigned.\n")
    assert "one.txt:2" in run("nuggetize", str(path), code=3).err
    rows = _rows(run("nuggetize", str(path), "--on-error", "skip").text)
    assert [row["snippet_id"] for row in rows] == ["1", "3"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_the_name_of_the_output_decides_for_a_table(tmp_path, ending):
    out = tmp_path / f"nuggets.{ending}"
    text = "Norway rejected the treaty on Monday.\nOh.\n"
    done = run("nuggetize", "--from", "text", "-o", str(out), input=text)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="," if ending == "csv" else "\t"))
    [norway] = [row for row in rows if row["type"] == "GPE"]
    assert (norway["snippet_id"], norway["spans"], norway["text"]) == ("1", "0-6", "Norway")
    assert "1 snippet without nuggets: no row" in done.err
    given = run("nuggetize", "--from", "text", "--format", ending, input=text)
    assert given.text.encode() == out.read_bytes()
    run("nuggetize", "--from", "text", "--format", "jsonl", "-o", str(out), input=text)
    assert json.loads(out.read_text().splitlines()[0])["nuggets"]


def test_cells_of_a_table_are_harmless(tmp_path):
    record = {"kind": "response", "v": 1, "query_id": "=q", "run_id": "a",
              "snippets": [{"snippet_id": "@s", "text": "Norway rejected the treaty."}]}  # fmt: skip
    rows = list(csv.DictReader(run("nuggetize", "--format", "csv", input=json.dumps(record)).text.splitlines()))
    assert {(row["query_id"], row["snippet_id"]) for row in rows} == {("'=q", "'@s")}
