from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat
from builders.rows import judgement, lines, query, vote
from cli.running import karat_here

DEMO = Path(karat.__file__).parent / "demo" / "key.jsonl"
VOTES = {"ann": "vvoov", "ben": "vvoov", "cho": "voooo"}
"""Cho differs from both others on the second nug and on the last: 11 of 15 pairs agree."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    votes = [
        vote(f"n{at}", "vital" if letter == "v" else "okay", assessor, query_id=f"q{at % 2}")
        for assessor, letters in VOTES.items()
        for at, letter in enumerate(letters)
    ]
    Path("votes.jsonl").write_text(lines(query("q0", language="en"), query("q1", language="fr"), *votes))
    Path("ann.jsonl").write_text(judgements("a", 1, 0, 1, 1))
    Path("ben.jsonl").write_text(judgements("a", 1, 0, 0, 1))


def judgements(judge: str, *degrees: float) -> str:
    return lines(*(judgement(degree=degree, nug_id=f"n{at}", judge=judge) for at, degree in enumerate(degrees)))


def test_the_table_has_one_row_per_coefficient() -> None:
    done = karat_here("agree", "votes.jsonl")
    assert done.code == 0
    head, rule, *rows = [line for line in done.lines if line]
    assert head.split() == ["what", "coefficient", "value", "95", "%", "interval", "units", "raters"]
    assert set(rule) == {"-", " "}
    assert [row.split()[:2] for row in rows] == [
        ["votes", "percent_agreement"],
        ["votes", "fleiss_kappa"],
        ["votes", "krippendorff_alpha(level=nominal)"],
        ["votes", "gwet_ac1"],
    ]
    assert rows[0].split()[2] == "0.73"
    assert all(row.split()[-2:] == ["5", "3"] for row in rows)
    signature = f"signature: agree|ci:jackknife|over:queries|b:2000|seed:0|v:{karat.__version__}\n"
    *words, rare, last = done.err.splitlines(keepends=True)
    assert [line.split(":")[0] for line in words] == [
        "percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "units",
    ]  # fmt: skip
    assert max(map(len, words)) <= 81
    assert rare.startswith("votes: the rarest label has only 3 units")
    assert last == signature


def test_the_demo_has_votes_to_agree_on() -> None:
    done = karat_here("agree", DEMO)
    assert done.code == 0
    assert {line.split()[0] for line in done.lines[2:] if line} == {"votes"}


def test_two_files_are_two_raters() -> None:
    done = karat_here("agree", "ann.jsonl", "ben.jsonl", "--seed", "3")
    assert done.code == 0
    assert "ann.jsonl ~ ben.jsonl" in done.text
    assert "judgements: several files have the same rater for the same thing" in done.err
    assert "|seed:3|" in done.err


def test_jsonl_gives_score_records() -> None:
    done = karat_here("agree", "ann.jsonl", "ben.jsonl", "--format", "jsonl")
    rows = [json.loads(line) for line in done.lines]
    assert done.code == 0
    assert {(row["kind"], row["run_id"], row["query_id"], row["n"]) for row in rows} == {
        ("score", "ann.jsonl ~ ben.jsonl", "all", 4)
    }
    values = {row["measure"]: row["value"] for row in rows}
    assert values["judgements.percent_agreement"] == 0.75
    assert values["judgements.cohen_kappa"] == pytest.approx(0.5)
    assert "signature:" not in done.err


def test_tsv_has_a_header_and_all_pairs() -> None:
    done = karat_here("agree", "votes.jsonl", "--format", "tsv", "--pairs", "--by", "language", "--of", "votes")
    head, *rows = (line.split("\t") for line in done.lines)
    assert head == ["what", "coefficient", "pair", "part", "value", "low", "high", "units", "raters", "reason"]
    assert {row[2] for row in rows} == {"all", "ann ~ ben", "ann ~ cho", "ben ~ cho"}
    assert {row[3] for row in rows} == {"all", "language=en", "language=fr"}
    assert {len(row) for row in rows} == {len(head)}


def test_undefined_has_no_number_and_a_reason() -> None:
    Path("same.jsonl").write_text(judgements("a", 1) + judgements("b", 1))
    done = karat_here("agree", "same.jsonl")
    assert done.code == 0
    assert ["judgements", "cohen_kappa", "a", "~", "b", "undefined", "1", "2"] in [line.split() for line in done.lines]
    assert "judgements.cohen_kappa (a ~ b) is undefined: only one category was used" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["ann.jsonl"], 3, "nothing was rated by two raters (votes: none; judgements: only by a;"),
        (["ann.jsonl", "ben.jsonl", "--of", "votes"], 3, "nothing was rated by two raters (votes: none)"),
        (
            ["ann.jsonl", "ben.jsonl", "--by", "medium"],
            2,
            "no query has a field 'medium'; the queries have no conditions",
        ),
        (["nowhere.jsonl"], 3, "nowhere.jsonl"),
        (["ann.jsonl", "--of", "feelings"], 2, "'feelings' is not one of"),
    ],
)
def test_mistakes_end_in_a_sentence(arguments: list[str], code: int, message: str) -> None:
    done = karat_here("agree", *arguments)
    assert (done.code, done.out) == (code, b"")
    assert message in done.err
    assert "Traceback" not in done.err


def test_bad_lines_stop_or_are_skipped() -> None:
    Path("bad.jsonl").write_text(judgements("a", 1) + judgements("b", 1, 7))
    stopped = karat_here("agree", "bad.jsonl")
    assert (stopped.code, stopped.out) == (3, b"")
    assert "bad.jsonl:3" in stopped.err
    skipped = karat_here("agree", "bad.jsonl", "--on-error", "skip")
    assert skipped.code == 0
    assert "skipped: bad.jsonl:3" in skipped.err


def test_help_shows_an_example() -> None:
    done = karat_here("agree", "--help")
    assert done.code == 0
    assert "Example:" in done.text


def test_parts_stand_below_the_name_of_their_field() -> None:
    done = karat_here("agree", "votes.jsonl", "--by", "language", "--of", "votes")
    head, _, *rows = done.lines
    assert head.split()[:3] == ["what", "coefficient", "language"]
    assert {row.split()[2] for row in rows if row.startswith("votes ")} == {"all", "en", "fr"}
