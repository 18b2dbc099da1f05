from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat_here

DOCUMENTS = [
    {"doc_id": "d1", "text": "Engineers found cracks in two cables on Monday. The bridge was closed the same day."},
    {"doc_id": "d2", "text": "The city is old. A ferry carries 300 cars per hour across the river."},
]
RUN = {
    "run_id": "a", "topic_id": "q", "topic": "why?", "references": ["d1", "d2", "d3"],
    "answer": [
        {"text": "Engineers found cracks in two cables on Monday.", "citations": [0]},
        {"text": "A ferry carries 300 cars per hour across the river.", "citations": [0]},
        {"text": "Fish \x1b[31mprices doubled in Japan.", "citations": [2]},
        {"text": "The city is old.", "citations": [1]},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS), "utf-8")
    Path("runs.jsonl").write_text(json.dumps(RUN) + "\n", "utf-8")
    Path("texts").mkdir()
    for row in DOCUMENTS:
        Path("texts", f"{row['doc_id']}.txt").write_text(row["text"], "utf-8")


def test_a_table_of_verdicts_per_run() -> None:
    done = karat_here("cite", "runs.jsonl", "docs.jsonl")
    assert done.code == 0
    assert [line.split()[:4] for line in done.lines[2:8]] == [
        ["a", "verbatim", "2", "50.0%"],
        ["paraphrased", "0", "0.0%", "[0.0%,"],
        ["partly", "0", "0.0%", "[0.0%,"],
        ["absent", "0", "0.0%", "[0.0%,"],
        ["misattributed", "1", "25.0%", "[0.6%,"],
        ["missing", "1", "25.0%", "[0.6%,"],
    ]
    assert "no text at hand for 1 of 3 cited documents" in done.err
    assert "signature: cite|judge:lexical" in done.err
    assert max(map(len, done.lines)) <= 80


def test_a_folder_of_texts_gives_the_same() -> None:
    assert karat_here("cite", "texts", "runs.jsonl").out == karat_here("cite", "runs.jsonl", "docs.jsonl").out


def test_the_list_has_the_worst_first_and_no_control_sequences() -> None:
    done = karat_here("cite", "runs.jsonl", "docs.jsonl", "--list")
    assert done.lines[:5] == [
        "misattributed (1.00)  run a, query q, snippet 2",
        "  says    A ferry carries 300 cars per hour across the river.",
        "  cites   d1",
        "  is in   d2: A ferry carries 300 cars per hour across the river.",
        "  why     d2 says it, the cited document does not",
    ]
    assert "\x1b" not in done.text
    assert "Fish \\x1b[31mprices" in done.text
    few = karat_here("cite", "runs.jsonl", "docs.jsonl", "--list", "--verdict", "verbatim", "--limit", "1")
    assert few.text.count("verbatim (") == 1
    assert "misattributed (" not in few.text


def test_records_in_a_file_and_the_table_beside_them() -> None:
    done = karat_here("cite", "runs.jsonl", "docs.jsonl", "-o", "ledger.jsonl")
    assert done.lines[0].startswith("run")
    rows = [json.loads(line) for line in Path("ledger.jsonl").read_text("utf-8").splitlines()]
    assert [row["verdict"] for row in rows] == ["verbatim", "misattributed", "missing", "verbatim"]
    assert rows[1]["evidence"] == {
        "doc_id": "d2", "spans": [[17, 68]], "text": "A ferry carries 300 cars per hour across the river.",
    }  # fmt: skip
    assert rows[1]["kind"] == "citation_judgement"
    printed = karat_here("cite", "runs.jsonl", "docs.jsonl", "--format", "jsonl")
    assert printed.text == Path("ledger.jsonl").read_text("utf-8")
    scored = karat_here("score", "runs.jsonl", "ledger.jsonl", "--measures", "support_precision", "--format", "jsonl")
    assert json.loads(scored.lines[0])["value"] == 0.5


def test_tsv_of_shares_and_of_findings() -> None:
    shares = karat_here("cite", "runs.jsonl", "docs.jsonl", "--format", "tsv").lines
    assert shares[0].split("\t") == ["run_id", "verdict", "citations", "of", "share", "low", "high"]
    assert len(shares) == 7
    findings = karat_here("cite", "runs.jsonl", "docs.jsonl", "--format", "tsv", "--list", "-o", "x.tsv")
    assert findings.out == b""
    rows = [line.split("\t") for line in Path("x.tsv").read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {15}
    assert rows[1][6:8] == ["misattributed", "none"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs.jsonl", "docs.jsonl", "--verdict", "absent"], "--verdict and --limit choose findings for --list"),
        (["runs.jsonl", "docs.jsonl", "--list", "--verdict", "absnt"], "--verdict: 'absnt' is not one of verbatim,"),
        (["runs.jsonl", "docs.jsonl", "--judge", "rouge"], "the judge 'rouge' cannot check citations"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str) -> None:
    done = karat_here("cite", *arguments)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err


def test_documents_alone_are_nothing_to_check() -> None:
    done = karat_here("cite", "docs.jsonl")
    assert (done.code, done.out) == (3, b"")
    assert "there are no responses: give the runs" in done.err
