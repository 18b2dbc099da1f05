from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from builders.rows import judgement, lines, nug
from cli.running import Outcome, karat, karat_here

MEASURES = ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]


def nug_line(query_id: str, nug_id: str, importance: str) -> str:
    return lines(nug(query_id, nug_id, importance))


def judgement_line(query_id: str, nug_id: str, degree: float, run_id: str = "a") -> str:
    return lines(judgement(query_id, run_id, degree, nug_id, judge="ann"))


KEY = (
    nug_line("q1", "v1", "vital")
    + nug_line("q1", "v2", "vital")
    + nug_line("q1", "o1", "okay")
    + nug_line("q1", "o2", "okay")
)
SECOND = nug_line("q2", "v1", "vital")
JUDGED = (
    judgement_line("q1", "v1", 1)
    + judgement_line("q1", "v2", 0.5)
    + judgement_line("q1", "o1", 0)
    + judgement_line("q1", "o2", 0)
)
"""strict_vital 1/2, lenient_vital 1.5/2, strict_all 1/4, lenient_all 1.5/4"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.jsonl").write_text(KEY)
    Path("both.jsonl").write_text(KEY + SECOND)
    Path("judged.jsonl").write_text(JUDGED)


def values(done: Outcome) -> dict[str, float | None]:
    return {row["measure"]: row["value"] for row in map(json.loads, done.lines)}


def test_the_table_has_a_row_per_run_and_a_column_per_measure() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl")
    assert done.code == 0
    head, rule, row = [line for line in done.lines if line]
    assert head.split() == ["run", "n", *MEASURES]
    assert set(rule) == {"-", " "}
    assert re.sub(r"\[.*?\]", "", row).split() == ["a", "1", "0.500", "0.750", "0.250", "0.375"]
    assert done.err.startswith("signature: strict_vital,lenient_vital,strict_all,lenient_all|judge:ann|missing:error|")


def test_jsonl_gives_a_score_record_a_line_and_nothing_on_stderr() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    assert values(done) == dict(zip(MEASURES, (0.5, 0.75, 0.25, 0.375), strict=True))
    rows = [json.loads(line) for line in done.lines]
    assert {(row["kind"], row["run_id"], row["query_id"], row["n"]) for row in rows} == {("score", "a", "all", 1)}


def test_the_scores_are_records_that_karat_reads() -> None:
    scores = karat("score", "key.jsonl", "judged.jsonl", "--format", "jsonl")
    shown = karat("show", "-", stdin=scores.out)
    assert (shown.code, shown.err) == (0, "")
    assert any(line.split() == ["score", "4"] for line in shown.lines)


def test_tsv_has_a_header_and_the_same_values() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--format", "tsv")
    assert (done.code, done.err) == (0, "")
    head, *rows = (line.split("\t") for line in done.lines)
    assert head == ["run_id", "query_id", "measure", "value", "low", "high", "n", "undefined", "tie", "signature"]
    assert [(row[0], row[1], row[2], float(row[3])) for row in rows] == [
        ("a", "all", measure, value) for measure, value in zip(MEASURES, (0.5, 0.75, 0.25, 0.375), strict=True)
    ]
    assert {len(row) for row in rows} == {len(head)}


def test_a_row_a_query_on_request() -> None:
    Path("more.jsonl").write_text(judgement_line("q2", "v1", 1))
    files = ("both.jsonl", "judged.jsonl", "more.jsonl", "--by", "query", "--measures", "strict_vital")
    rows = [json.loads(line) for line in karat_here("score", *files, "--format", "jsonl").lines]
    assert [(row["query_id"], row["value"]) for row in rows] == [("q1", 0.5), ("q2", 1.0)]
    head, _rule, *lines = [line.split() for line in karat_here("score", *files).lines if line]
    assert head == ["run", "query", "strict_vital"]
    assert lines == [["a", "q1", "0.500"], ["a", "q2", "1.000"]]


@pytest.mark.parametrize("given", ["strict_all", "strict_all,lenient_vital", " lenient_all , strict_vital "])
def test_measures_come_as_they_were_named(given: str) -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--measures", given, "--format", "jsonl")
    assert list(values(done)) == [name.strip() for name in given.split(",")]


def test_an_unknown_measure_is_answered_with_the_choices() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--measures", "strict_vital,strict_vitl")
    assert (done.code, done.out) == (2, b"")
    assert "'strict_vitl'" in done.err
    assert "strict_vital" in done.err.replace("'strict_vitl'", "")


def test_a_query_without_a_response_is_an_error_until_the_user_chooses() -> None:
    done = karat_here("score", "both.jsonl", "judged.jsonl")
    assert (done.code, done.out) == (3, b"")
    assert "run a has no response to query q2" in done.err
    assert "--missing zero|skip" in done.err


@pytest.mark.parametrize(
    ("missing", "value", "n", "note"),
    [
        ("zero", 0.25, 2, "1 missing response, counted as zero: a 1"),
        ("skip", 0.5, 1, "1 missing response, left out: a 1"),
    ],
)
def test_a_missing_response_counts_as_zero_or_not_at_all(missing: str, value: float, n: int, note: str) -> None:
    done = karat_here(
        "score", "both.jsonl", "judged.jsonl", "--missing", missing, "--measures", "strict_vital", "--format", "jsonl"
    )
    assert done.code == 0
    (row,) = map(json.loads, done.lines)
    assert (row["value"], row["n"]) == (value, n)
    assert f"missing:{missing}" in row["signature"]
    assert done.err.splitlines()[0] == note


@pytest.mark.parametrize(
    ("file", "message"),
    [("judged.jsonl", "there is no key"), ("key.jsonl", "there are no judgements")],
)
def test_half_of_what_is_needed_is_not_enough(file: str, message: str) -> None:
    done = karat_here("score", file)
    assert (done.code, done.out) == (3, b"")
    assert message in done.err


def test_an_undefined_score_is_reported_and_not_a_number() -> None:
    Path("okay.jsonl").write_text(nug_line("q3", "o1", "okay"))
    Path("okay-judged.jsonl").write_text(judgement_line("q3", "o1", 1))
    files = ("okay.jsonl", "okay-judged.jsonl", "--measures", "strict_vital")
    done = karat_here("score", *files)
    assert done.code == 0
    assert done.lines[2].split()[-1] == "undefined"
    assert (
        "run a: strict_vital is undefined for 1 query (the key has no vital nug that was judged), left out of the mean"
        in done.err
    )
    (row,) = map(json.loads, karat_here("score", *files, "--format", "jsonl").lines)
    assert row.get("value") is None
    assert (row["n"], row["undefined"]) == (0, 1)
    assert karat_here("score", *files, "--format", "tsv").lines[1].split("\t")[3] == ""


def test_a_bad_judgement_stops_the_scoring() -> None:
    Path("judged.jsonl").write_text(JUDGED.replace("0.5", '"half"'))
    done = karat_here("score", "key.jsonl", "judged.jsonl")
    assert (done.code, done.out) == (3, b"")
    assert done.err.splitlines() == [
        "judged.jsonl:2: degree: 'half' is not a number from 0 to 1",
        "1 problem in 1 file.",
        "Fix the file, or leave out the bad parts with --on-error skip.",
    ]


def test_a_bad_judgement_can_be_skipped_and_the_rest_is_scored() -> None:
    Path("judged.jsonl").write_text(JUDGED.replace("0.5", '"half"'))
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--on-error", "skip", "--format", "jsonl")
    assert done.code == 0
    assert values(done)["strict_vital"] == 1.0
    assert done.err.splitlines() == [
        "skipped: judged.jsonl:2: degree: 'half' is not a number from 0 to 1",
        "skipped in judged.jsonl: 1 impossible-label",
        "run a, query q1: 1 failed judgement, scored on the rest",
    ]


def test_the_seed_is_in_the_signature_and_decides_the_interval() -> None:
    Path("more.jsonl").write_text(judgement_line("q2", "v1", 1))
    files = ("score", "both.jsonl", "judged.jsonl", "more.jsonl", "--format", "jsonl", "--seed")
    assert karat_here(*files, "7").out == karat_here(*files, "7").out
    assert {"seed:7" in json.loads(line)["signature"] for line in karat_here(*files, "7").lines} == {True}
    for row in map(json.loads, karat_here(*files, "7").lines):
        assert row["low"] <= row["value"] <= row["high"]


def test_one_file_may_hold_it_all() -> None:
    answer = {
        "query": "why",
        "qid": "q1",
        "answer_text": "so",
        "run_id": "r",
        "nuggets": [{"text": "the way", "importance": "vital", "assignment": "partial_support"}],
    }
    done = karat_here("score", "-", "--format", "jsonl", stdin=json.dumps(answer).encode())
    assert done.code == 0
    assert values(done) == dict(zip(MEASURES, (0.0, 0.5, 0.0, 0.5), strict=True))


def test_the_best_run_is_on_top() -> None:
    Path("better.jsonl").write_text(
        "".join(judgement_line("q1", nug_id, 1, "b") for nug_id in ("v1", "v2", "o1", "o2"))
    )
    done = karat_here("score", "key.jsonl", "judged.jsonl", "better.jsonl")
    assert [line.split()[0] for line in done.lines[2:4]] == ["b", "a"]


def nugs_of(count: int) -> str:
    return "".join(nug_line(f"q{at}", "v1", "vital") for at in range(count))


def marks_of(run_id: str, degrees: list[float]) -> str:
    return "".join(judgement_line(f"q{at}", "v1", degree, run_id) for at, degree in enumerate(degrees))


def one_file(text: str) -> str:
    Path("all.jsonl").write_text(text)
    return "all.jsonl"


def test_tie_groups_are_next_to_the_scores_in_every_format() -> None:
    runs = {"good": [1.0] * 8, "fair": [1.0] * 7 + [0.5], "poor": [0.0] * 8}
    file = one_file(nugs_of(8) + "".join(marks_of(*one) for one in runs.items()))
    table, tsv, jsonl, latex = (
        karat_here("score", file, "--measures", "lenient_vital", "--format", form)
        for form in ("table", "tsv", "jsonl", "latex")
    )
    assert [line.split()[-1] for line in table.lines[2:5]] == ["a", "a", "b"]
    assert [line.split("\t")[8] for line in tsv.lines[1:]] == ["a", "a", "b"]
    assert [json.loads(line)["tie"] for line in jsonl.lines] == ["a", "a", "b"]
    assert r"$^{\mathrm{b}}$" in latex.text
    assert r"lenient\_vital" in latex.text
    assert "signature: lenient_vital|" in latex.err


def test_too_few_queries_for_tie_groups_are_reported() -> None:
    done = karat_here("score", one_file(nugs_of(3) + marks_of("a", [1.0] * 3) + marks_of("b", [0.0] * 3)))
    assert done.err.splitlines()[0] == (
        "no tie groups: with 3 queries no difference, however large, is significant "
        "(1 pair of runs needs at least 6 queries)"
    )


@pytest.mark.parametrize(("average", "value"), [("query", 0.5), ("pool", 0.25), ("median", 0.5)])
def test_the_average_may_be_of_queries_of_counts_or_the_middle(average: str, value: float) -> None:
    key = nug_line("p", "v1", "vital") + "".join(nug_line("q", one, "vital") for one in ("v1", "v2", "v3"))
    marks = judgement_line("p", "v1", 1) + "".join(judgement_line("q", one, 0) for one in ("v1", "v2", "v3"))
    done = karat_here("score", one_file(key + marks), "--average", average, "--format", "jsonl")
    assert values(done)["strict_vital"] == value


def asked(query_id: str, language: str) -> str:
    row = {"kind": "query", "v": 1, "query_id": query_id, "text": "Why?", "conditions": {"language": language}}
    return json.dumps(row) + "\n"


def test_scores_by_a_field_of_the_queries() -> None:
    queries = asked("q0", "en") + asked("q1", "de") + asked("q2", "en")
    file = one_file(queries + nugs_of(3) + marks_of("a", [1.0, 0.0, 0.5]))
    done = karat_here("score", file, "--by", "language", "--measures", "lenient_vital", "--format", "jsonl")
    assert {row["query_id"]: row["value"] for row in map(json.loads, done.lines)} == {
        "language=de": 0.0,
        "language=en": 0.75,
        "all": 0.5,
    }
    table = karat_here("score", file, "--by", "language", "--measures", "lenient_vital")
    assert [line.split()[:3] for line in table.lines[2:5]] == [["de", "a", "1"], ["en", "a", "2"], ["all", "a", "3"]]


def test_scores_relative_to_the_people() -> None:
    runs = "".join(
        json.dumps({"kind": "run", "v": 1, "run_id": one, "human": one == "ann"}) + "\n" for one in ("ann", "m")
    )
    file = one_file(runs + nugs_of(2) + marks_of("ann", [1.0, 0.5]) + marks_of("m", [0.5, 0.25]))
    done = karat_here("score", file, "--relative-to", "human", "--measures", "lenient_vital", "--format", "jsonl")
    assert values(done)["lenient_vital/human"] == 0.5
    nobody = one_file(nugs_of(1) + marks_of("m", [0.5]))
    assert "no run is a person's" in karat_here("score", nobody, "--relative-to", "human").err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--by", "medium"), 2, "Error: no query has a field 'medium'; the queries have no conditions\n"),
        (("--relative-to", "main"), 2, "Error: there is no run 'main'; choose from human, a\n"),
        (
            ("--measures", "F3"),
            3,
            "Error: F3 needs the texts of the responses (it counts their length): run a has none for query q1; "
            "give the run files, too\n",
        ),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", *arguments)
    assert (done.code, done.out, done.err) == (code, b"", message)


def test_beta_is_that_of_an_f_that_names_none() -> None:
    texts = json.dumps(
        {"kind": "response", "v": 1, "query_id": "q1", "run_id": "a", "snippets": [{"snippet_id": "1", "text": "fox"}]}
    )
    Path("runs.jsonl").write_text(texts + "\n")
    files = ("key.jsonl", "judged.jsonl", "runs.jsonl")
    done = karat_here("score", *files, "--measures", "F,F5", "--beta", "1", "--format", "jsonl")
    assert values(done) == {"F1": pytest.approx(2 / 3), "F5": pytest.approx(26 * 0.5 / 25.5)}
    assert karat_here("score", *files, "--measures", "F", "--beta", "0").code == 2


def test_scores_by_query_are_scored_again_under_their_own_names() -> None:
    rows = [
        {"kind": "score", "v": 1, "run_id": run_id, "query_id": f"q{at}", "measure": "ndcg", "value": at / 8}
        for run_id in ("a", "b")
        for at in range(8)
    ]
    file = one_file("".join(json.dumps(row) + "\n" for row in rows))
    done = karat_here("score", file, "--measures", "ndcg", "--format", "jsonl")
    assert [(row["value"], row["n"], row["tie"]) for row in map(json.loads, done.lines)] == [(0.4375, 8, "a")] * 2
    assert "there are no scores of map; there are scores of ndcg" in karat_here("score", file, "--measures", "map").err


def test_the_spread_of_three_runs_is_below_the_scores_per_query() -> None:
    file = one_file(nugs_of(1) + marks_of("a", [1.0]) + marks_of("b", [0.5]) + marks_of("c", [0.0]))
    done = karat_here("score", file, "--by", "query", "--measures", "lenient_vital")
    assert done.lines[-2].split() == ["lenient_vital", "q0", "1.000", "0.500", "0.000", "1"]


def test_very_many_notes_of_a_kind_are_one_line_and_the_others_are_not_cut() -> None:
    marks = "".join(marks_of(f"r{at:02}", [1.0]) for at in range(30))
    file = one_file(nug_line("q0", "v1", "vital") + nug_line("q0", "v2", "vital") + marks)
    notes = karat_here("score", file, "--measures", "strict_all").err.splitlines()
    folded = [note for note in notes if "not judged" in note]
    assert len(folded) == 1
    assert folded[0].startswith("run r00, query q0: 1 nug not judged, scored on the rest (and 29 more notes like this")
    assert notes[-1].startswith("signature: ")
    assert not any("more notes" in note and "like this" not in note for note in notes)


def test_notes_do_not_steer_the_terminal() -> None:
    marks = judgement_line("q\x1b[2J", "v1", 1) + judgement_line("q0", "v1", 1)
    done = karat_here("score", one_file(nugs_of(1) + marks), "--measures", "strict_all")
    assert done.err.splitlines()[0] == "query q\\x1b[2J: not in the key, left out"


def test_scores_of_medians_have_no_letters() -> None:
    file = one_file(nugs_of(21) + marks_of("a", [1.0] * 11 + [0.0] * 10) + marks_of("b", [0.5] * 21))
    done = karat_here("score", file, "--average", "median", "--measures", "lenient_vital")
    assert [line.split()[:3] for line in done.lines[2:4]] == [["a", "21", "1.00"], ["b", "21", "0.50"]]
    assert all(line.endswith("]") for line in done.lines[2:4])
    assert done.err.splitlines()[0] == "no tie groups: there are tests for mean and pooled scores, not for medians"


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_slices_that_are_read_again_are_not_taken_for_queries(form: str) -> None:
    queries = asked("q0", "en") + asked("q1", "de") + asked("q2", "en")
    file = one_file(queries + nugs_of(3) + marks_of("a", [1.0, 0.0, 0.5]))
    sliced = karat_here("score", file, "--by", "language", "--measures", "lenient_vital", "--format", form)
    Path(f"sliced.{form}").write_text(sliced.text)
    again = karat_here("score", f"sliced.{form}", "--format", "jsonl")
    assert [(row["query_id"], row["value"]) for row in map(json.loads, again.lines)] == [("all", 0.5)]
    Path(f"slices.{form}").write_text("".join(f"{line}\n" for line in sliced.lines if "all" not in line.split("|")[0]))
    refused = karat_here("score", f"slices.{form}")
    assert (refused.code, refused.err) == (
        3, "Error: all scores are means over several queries each; give scores by query, or over all queries\n",
    )  # fmt: skip


def test_a_query_may_be_called_like_a_slice() -> None:
    key = "".join(nug_line(one, "v1", "vital") for one in ("language=en", "q2"))
    marks = judgement_line("language=en", "v1", 1) + judgement_line("q2", "v1", 0)
    file = one_file(asked("language=en", "en") + asked("q2", "en") + key + marks)
    options = ("--measures", "strict_vital", "--by")
    by_query, by_language = (karat_here("score", file, *options, one).lines[2:-1] for one in ("query", "language"))
    assert [line.split() for line in by_query] == [["a", "language=en", "1.000"], ["a", "q2", "0.000"]]
    assert [line.split()[:4] for line in by_language] == [["en", "a", "2", "0.50"], ["all", "a", "2", "0.50"]]


@pytest.mark.parametrize("form", ["table", "latex", "tsv", "jsonl"])
def test_people_are_warned_about_intervals_of_few_queries(form: str) -> None:
    told = "lenient_vital: intervals from fewer than 10 queries (here 9) use the bounds 0 and 1 of the values"
    arguments = ("--measures", "lenient_vital", "--format", form)
    few = karat_here("score", one_file(nugs_of(9) + marks_of("a", [1.0] * 4 + [0.5] * 5)), *arguments)
    assert any(line.startswith(told) for line in few.err.splitlines())
    enough = karat_here("score", one_file(nugs_of(10) + marks_of("a", [1.0] * 5 + [0.5] * 5)), *arguments)
    assert "too narrow" not in enough.err
    alone = karat_here("score", one_file(nugs_of(1) + marks_of("a", [1.0])), *arguments)
    assert "too narrow" not in alone.err


def test_pooled_scores_tell_what_is_undefined() -> None:
    marks = judgement_line("q0", "v1", 0.5) + judgement_line("p", "o1", 1)
    file = one_file(nugs_of(1) + nug_line("p", "o1", "okay") + marks)
    done = karat_here("score", file, "--average", "pool", "--measures", "lenient_vital")
    assert done.lines[2].split()[:3] == ["a", "2", "0.500"]
    assert done.err.splitlines()[0] == (
        "run a: lenient_vital is undefined for 1 query (the key has no vital nug that was judged), pooled as they are"
    )


@pytest.mark.parametrize(
    ("rows", "n", "note"),
    [
        ([("a", "q1", 0.1), ("a", "q2", 0.3), ("b", "all", 0.9)], {"a": 2},
         "M: b left out: with a score over all queries, but none by query"),
        ([("a", "q1", 0.1), ("a", "q1", 0.9), ("a", "q2", 0.3)], {"a": 2},
         "M: 1 repeated score left out, 1 that contradicts it: the first counts"),
    ],
)  # fmt: skip
def test_given_scores_that_do_not_fit_are_reported(
    rows: list[tuple[str, str, float]], n: dict[str, int], note: str
) -> None:
    text = ""
    for run_id, query_id, value in rows:
        row = {"kind": "score", "v": 1, "run_id": run_id, "query_id": query_id, "measure": "M", "value": value}
        text += json.dumps(row) + "\n"
    done = karat_here("score", one_file(text), "--format", "jsonl")
    assert {row["run_id"]: row["n"] for row in map(json.loads, done.lines)} == n
    assert [json.loads(line)["value"] for line in done.lines] == [pytest.approx(0.2)]
    assert done.err.splitlines()[0] == note


def test_the_brief_run_is_on_top_where_less_is_better() -> None:
    rows = [("long", 5.0), ("brief", 1.0), ("none", None)]
    text = "".join(
        json.dumps({"kind": "score", "v": 1, "run_id": run_id, "query_id": f"q{at}", "measure": "verbosity"}
                   | ({} if value is None else {"value": value + at / 8})) + "\n"
        for run_id, value in rows for at in range(12)
    )  # fmt: skip
    table = karat_here("score", one_file(text))
    assert [(line.split()[0], line.split()[-1]) for line in table.lines[2:5]] == [
        ("brief", "a"), ("long", "b"), ("none", "undefined"),
    ]  # fmt: skip
    latex = karat_here("score", "all.jsonl", "--format", "latex").lines
    assert [line.split()[0] for line in latex if line.startswith(("brief", "long", "none"))] == [
        "brief", "long", "none",
    ]  # fmt: skip


def test_ids_with_tabs_and_line_breaks_give_a_table_that_can_be_read_again() -> None:
    runs = ("a\tb", "x/y", "r=1", "new\nline", "\u00fcbung", "human", "all")
    file = one_file(nugs_of(2) + "".join(marks_of(run_id, [1.0, 0.5]) for run_id in runs))
    written = karat_here("score", file, "--by", "query", "--measures", "lenient_vital", "--format", "tsv")
    Path("again.tsv").write_bytes(written.out)
    again = karat_here("score", "again.tsv", "--format", "jsonl")
    assert again.code == 0
    assert [(row["run_id"], row["value"], row["n"]) for row in map(json.loads, again.lines)] == [
        (run_id, 0.75, 2) for run_id in (r"a\tb", "x/y", "r=1", r"new\nline", "\u00fcbung", "human", "all")
    ]


def test_the_rules_are_options_and_are_in_the_signature() -> None:
    ann = judgement_line("q0", "v1", 1)
    bob = ann.replace('"judge": "ann"', '"judge": "bob"').replace('"degree": 1', '"degree": 0')
    file = one_file(nugs_of(1) + nug_line("q0", "v2", "vital") + ann + bob)
    asked_for = ("score", file, "--measures", "strict_vital", "--format", "jsonl")
    refused = karat_here(*asked_for)
    assert (refused.code, refused.err) == (
        2, "Error: the judgements are by 2 judges (ann, bob); choose one with --judge NAME, "
        "or take them together with --judge all\n",
    )  # fmt: skip
    expected = {
        ("--judge", "ann"): (1.0, "judge:ann|missing:error|unjudged:skip|assessors:mean"),
        ("--judge", "all"): (0.5, "judge:ann+bob|missing:error|unjudged:skip|assessors:mean"),
        ("--judge", "ann", "--unjudged", "zero"): (0.5, "judge:ann|missing:error|unjudged:zero|assessors:mean"),
        ("--judge", "all", "--assessors", "majority", "--missing", "zero"): (
            0.0, "judge:ann+bob|missing:zero|unjudged:skip|assessors:majority",
        ),
    }  # fmt: skip
    for options, (value, settings) in expected.items():
        (row,) = map(json.loads, karat_here(*asked_for, *options).lines)
        assert row["value"] == value
        assert f"|{settings}|" in row["signature"]
    strict = karat_here(*asked_for, "--judge", "ann", "--unjudged", "error")
    assert strict.code == 3
    assert "run a, query q0: 1 nug not judged, not to be scored" in strict.err


def test_a_beta_that_nothing_takes_is_refused() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--measures", "strict_all", "--beta", "2")
    assert (done.code, done.err) == (
        2,
        "Error: beta is only for an F without its own beta: measures=F, pyramid_F or macro_F\n",
    )


LABELS = "query_id,run_id,nugget,importance,label\nq1,mine,bees dance,vital,1\nq1,mine,food is far,vital,0\n"


def test_by_nug_shows_which_nugs_a_run_contains() -> None:
    Path("monday.csv").write_text(LABELS)
    table = [line.split() for line in karat_here("score", "monday.csv", "--by", "nug").lines if line.strip()]
    assert table[0] == ["query", "mine", "nug"]
    assert table[2:] == [["q1", "vital", "0", "food", "is", "far"], ["q1", "vital", "1", "bees", "dance"]]
    rows = [json.loads(line) for line in karat_here("score", "monday.csv", "--by", "nug", "--format", "jsonl").lines]
    assert [(row["description"], row["degrees"]) for row in rows] == [
        ("food is far", {"mine": 0.0}),
        ("bees dance", {"mine": 1.0}),
    ]
    tsv = karat_here("score", "monday.csv", "--by", "nug", "--format", "tsv").lines
    assert len(tsv) == 3
    assert (
        r"q1 & vital & 1 & bees dance \\" in karat_here("score", "monday.csv", "--by", "nug", "--format", "latex").lines
    )


def test_how_often_a_pyramid_raises_a_zero_is_said_also_where_there_are_many_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows: list[dict[str, object]] = [
        {
            "kind": "nug",
            "query_id": "q",
            "nug_id": name,
            "importance": importance,
            "weight": 1.0,
            "descriptions": [name],
        }
        for name, importance in (("a", "vital"), ("b", "okay"))
    ]
    for at in range(30):
        run = {"query_id": "q", "run_id": f"r{at}"}
        # Each run has a note of its own: one judgement failed.
        rows += [
            {"kind": "nug", **run, "nug_id": f"c{at}", "importance": "okay", "weight": 1.0, "descriptions": ["c"]}
            if at == 0
            else {"kind": "judgement", **run, "nug_id": "c0", "judge": "j", "status": "failed"},
            {"kind": "response", **run, "snippets": [{"snippet_id": "1", "text": "some words"}]},
            {"kind": "judgement", **run, "nug_id": "a", "judge": "j", "degree": 0.0},
            {"kind": "judgement", **run, "nug_id": "b", "judge": "j", "degree": 1.0},
        ]
    rows = [{key: value for key, value in row.items() if row["kind"] != "nug" or key != "run_id"} for row in rows]
    Path("all.jsonl").write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in rows))
    done = karat_here("score", "all.jsonl", "--measures", "F3,pyramid_F3")
    assert done.code == 0, done.err
    assert "more notes" in done.err
    assert "pyramid_F3 is above zero where F3 is zero for 30 of 30 responses (100.0%)" in done.err
    # Nor is it folded away where several measures have it.
    done = karat_here("score", "all.jsonl", "--measures", ",".join(f"F{b},pyramid_F{b}" for b in range(1, 6)))
    for beta in range(1, 6):
        assert f"pyramid_F{beta} is above zero where F{beta} is zero for 30 of 30 responses (100.0%)" in done.err


@pytest.mark.parametrize("more", [[], ["judged.jsonl"]])
def test_a_misspelt_judge_is_pointed_out(more: list[str]) -> None:
    done = karat_here("score", "key.jsonl", *more, "--judge", "lexcal")
    assert done.code == 2
    assert "no judge is called 'lexcal' (did you mean lexical?); choose from auto, semantic, lexical, llm" in done.err
