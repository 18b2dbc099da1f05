from __future__ import annotations

import gzip
import json
import shlex
import subprocess
from pathlib import Path

import pytest

from cli.running import COMMAND, karat, karat_here
from karat.cli.messages import SHOWN

RECORDS = [
    {"kind": "query", "v": 1, "query_id": "q1", "text": "Wie groß ist ein Bienenstock?"},
    {"kind": "query", "v": 1, "query_id": "q2", "text": "why dance"},
    {"kind": "run", "v": 1, "run_id": "a", "human": True},
    {"kind": "nug", "v": 1, "query_id": "q1", "nug_id": "n1", "descriptions": ["fifty thousand bees"]},
]
GOOD = "".join(json.dumps(record) + "\n" for record in RECORDS)
BAD_LINE = '{"kind":"nug","v":1,"query_id":"q1","nug_id":7,"descriptions":["x"],"weight":"heavy"}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jsonl").write_text(GOOD)
    (tmp_path / "bad.jsonl").write_text(GOOD + BAD_LINE)
    return tmp_path


def samples(lines: list[str]) -> list[str]:
    """The rows of the table of first records."""
    heads = [number for number, line in enumerate(lines) if line.startswith("first of each")]
    return [line for number in heads for line in lines[number + 2 :] if line]


@pytest.mark.usefixtures("folder")
def test_tells_the_format_the_counts_and_the_first_records() -> None:
    shown = karat_here("show", "good.jsonl")
    assert (shown.code, shown.err) == (0, "")
    assert [line for line in shown.lines[:8] if not line.startswith("key:")] == [
        "good.jsonl: Karat's own records, one per line (karat)",
        "2 queries, 1 run",
        "kind   records",
        "-----  -------",
        "query        2",
        "run          1",
        "nug          1",
    ]
    hashed = karat_here("key", "hash", "good.jsonl").lines
    assert shown.lines[2] == f"{hashed[0]} (the hash of its nugs and votes, as in signatures)"
    first, second, run, nug = samples(shown.lines)
    assert [line.split()[:2] for line in (first, second, run)] == [["query", "q1"], ["query", "q2"], ["run", "a"]]
    assert nug.split()[:3] == ["nug", "q1", "n1"]
    assert "Wie groß ist ein Bienenstock?" in first
    assert "why dance" in second
    assert "fifty thousand bees" in nug


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("number", "queries"), [("0", 0), ("1", 1), ("9", 2)])
def test_the_number_of_first_records_can_be_chosen(number: str, queries: int) -> None:
    shown = karat_here("show", "good.jsonl", "-n", number)
    assert sum(line.startswith("query") for line in samples(shown.lines)) == queries


@pytest.mark.usefixtures("folder")
def test_jsonl_prints_every_record_and_nothing_else() -> None:
    shown = karat_here("show", "good.jsonl", "--format", "jsonl", "-n", "1")
    assert (shown.code, shown.err) == (0, "")
    assert [json.loads(line) for line in shown.lines] == RECORDS


def test_jsonl_of_another_format_is_karat_s_form(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("Qid 9.4: What is a moon garden?\n9.4 1\tvital\tflowers at night\n")
    assert [json.loads(line) for line in karat_here("show", tmp_path / "key", "--format", "jsonl").lines] == [
        {"kind": "query", "v": 1, "query_id": "9.4", "text": "What is a moon garden?"},
        {
            "kind": "nug",
            "v": 1,
            "query_id": "9.4",
            "nug_id": "1",
            "descriptions": ["flowers at night"],
            "importance": "vital",
        },
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("on_error", "code"), [("stop", 3), ("skip", 0)])
@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_problems_are_reported_on_stderr_after_what_could_be_read(on_error: str, code: int, form: str) -> None:
    shown = karat_here("show", "bad.jsonl", "--on-error", on_error, "--format", form)
    assert shown.code == code
    assert "why dance" in shown.text
    told = shown.err.splitlines()
    assert told[0].startswith("bad.jsonl:5: ")
    assert told[-1] == "1 problem in 1 file."


@pytest.mark.usefixtures("folder")
def test_a_flood_of_problems_is_cut() -> None:
    Path("flood.jsonl").write_text(GOOD + "{\n" * (SHOWN + 50))
    told = karat_here("show", "flood.jsonl").err.splitlines()
    assert told[3:] == [
        "flood.jsonl: 247 more like this (lines 8, 9, 10, ... 254): is not JSON: Input data was truncated",
        "`karat lint` lists each of them.",
        "250 problems in 1 file.",
    ]


@pytest.mark.usefixtures("folder")
def test_several_files_are_shown_one_after_the_other() -> None:
    shown = karat_here("show", "bad.jsonl", "good.jsonl", "-n", "0")
    assert shown.code == 3
    assert [line.partition(":")[0] for line in shown.lines if "(karat)" in line] == ["bad.jsonl", "good.jsonl"]


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_plain_or_packed(packed: bool) -> None:
    data = gzip.compress(GOOD.encode()) if packed else GOOD.encode()
    shown = karat("show", "-", stdin=data)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[:2] == ["-: Karat's own records, one per line (karat)", "2 queries, 1 run"]


def test_a_packed_file(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl.gz").write_bytes(gzip.compress(GOOD.encode()))
    assert karat_here("show", tmp_path / "good.jsonl.gz").lines[1] == "2 queries, 1 run"


@pytest.mark.usefixtures("folder")
def test_a_format_that_does_not_fit_leaves_no_records() -> None:
    shown = karat_here("show", "good.jsonl", "--from", "trec-rag24")
    assert shown.code == 3
    assert shown.lines[-1] == "no records"
    assert "good.jsonl:1: topic_id: is missing" in shown.err


def test_what_a_file_says_cannot_steer_the_terminal_or_break_the_table(tmp_path: Path) -> None:
    row = {"kind": "query", "v": 1, "query_id": "q", "text": "a\x1b[31mred\u202e\nnew  line"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    shown = karat_here("show", tmp_path / "q.jsonl")
    assert "\\x1b[31mred\\x202e new line" in shown.text
    assert "\x1b" not in shown.text


def test_a_long_record_is_cut_to_one_readable_line(tmp_path: Path) -> None:
    snippets = [{"snippet_id": str(number), "text": "long " * 99} for number in range(3)]
    row = {"kind": "response", "v": 1, "query_id": "q", "run_id": "r", "snippets": snippets}
    (tmp_path / "r.jsonl").write_text(json.dumps(row))
    (line,) = samples(karat_here("show", tmp_path / "r.jsonl").lines)
    assert "long long" in line
    assert len(line) < 200


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    many = [{"kind": "query", "v": 1, "query_id": str(number), "text": "why"} for number in range(30_000)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many))
    piped = f"{shlex.join([*COMMAND, 'show', 'many.jsonl', '--format', 'jsonl'])} | head -n 1"
    done = subprocess.run(piped, shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout) == many[0]
    assert done.stderr == b""
