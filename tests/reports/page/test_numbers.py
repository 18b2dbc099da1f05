"""Every number of the page is the number of a command: each table's visible cells, and its data as CSV.

The commands run on the same files, and the tables are read from the HTML, so nothing is compared with itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import pytest

import karat
from builders.reported import record, save
from builders.whole import whole
from cli.running import karat_here
from reports.page.read_page import Page, PageTable, csv_rows, read_page

pytest.importorskip("altair")

Row = dict[str, Any]
FIRST = "strict_vital"
SUPPORT = ("full", "partial", "none", "missing")


class Reported:
    """A report, and the commands on the same files."""

    def __init__(self, folder: Path, files: Sequence[Path], *options: str) -> None:
        self.inputs = [*map(str, files)]
        self.files = [*self.inputs, *options, "--on-error", "skip"]
        self.folder = folder
        out = folder / "report.html"
        done = karat_here("report", *self.files, "--made", "", "-o", out)
        assert done.code == 0, done.err
        self.html = out.read_text(encoding="utf-8")
        self.page: Page = read_page(self.html)
        self.answers: dict[tuple[str, ...], Any] = {}

    def asked(self, *command: str) -> Any:
        """What a command says in JSON; it is asked only once."""
        if command not in self.answers:
            done = karat_here(command[0], *self.files, *command[1:], "--format", "json")
            assert done.code == 0, done.err
            self.answers[command] = json.loads(done.text)
        return self.answers[command]


@pytest.fixture(scope="module", params=["demo", "people", "people and judge"])
def reported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """The demo; a collection with everything, judged by a person; the same where a program judged a part of it."""
    folder = tmp_path_factory.mktemp("numbers")
    if request.param == "demo":
        return Reported(folder, [Path(file) for file in karat.demo_files()])
    if request.param == "people":
        return Reported(folder, [save(folder / "all.jsonl", whole())])
    return Reported(folder, [save(folder / "all.jsonl", whole(labelled=5))], "--judge", "lexical")


def same(shown: str, value: float | int | None) -> bool:
    """A number of the CSV: with all its digits, or nothing where it is undefined."""
    return shown == "" if value is None else float(shown) == value


def cell(value: float | None, low: float | None, high: float | None, *more: str) -> str:
    """A cell for people."""
    if value is None:
        return "undefined"
    ends = "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"
    return " ".join(part for part in (f"{value:.3f}", ends, *more) if part)


def scored(rows: Sequence[Row], *names: str) -> dict[tuple[Any, ...], Row]:
    return {tuple(row[name] for name in names): row for row in rows}


def check_ends(shown: Mapping[str, str], row: Row, *names: str) -> None:
    for name in names:
        assert same(shown[name], row.get(name)), (name, shown, row)


def test_leaderboard(reported: Reported) -> None:
    rows = scored(reported.asked("score")["scores"], "run_id", "measure")
    table = reported.page.table("scores")
    assert {(row["run"], row["measure"]) for row in table.csv} == rows.keys()
    assert reported.page.charts["scores", "leaderboard"] == table.csv
    for shown in table.csv:
        row = rows[shown["run"], shown["measure"]]
        check_ends(shown, row, "value", "low", "high", "judge_low", "judge_high", "n", "undefined")
        assert shown["tie"] == (row["tie"] or "")
    measures = table.head[2:]
    assert {(line[0], measure) for line in table.body for measure in measures} == rows.keys()
    for run_id, queries, *cells in table.body:
        assert queries == str(max(rows[run_id, measure]["n"] for measure in measures))
        for measure, text in zip(measures, cells, strict=True):
            row = rows[run_id, measure]
            judge = f"{{{row['judge_low']:.3f}, {row['judge_high']:.3f}}}" if row.get("judge_low") is not None else ""
            assert text == cell(row["value"], row["low"], row["high"], judge, row["tie"] or "")


def test_pairs_and_what_was_gained_and_lost(reported: Reported) -> None:
    answer = reported.asked("compare", "--measures", FIRST)
    rows = scored(answer["differences"], "run_id", "versus")
    table = reported.page.table("differences")
    assert [(row["run"], row["versus"]) for row in table.csv] == list(rows)
    assert reported.page.charts["differences", "differences"] == table.csv
    for shown, line in zip(table.csv, table.body, strict=True):
        row = rows[shown["run"], shown["versus"]]
        check_ends(shown, row, "low", "high", "all_low", "all_high", "judge_low", "judge_high", "p", "p_adjusted")
        assert same(shown["difference"], row["value"])
        assert same(shown["queries"], row["n"])
        told = {None: "cannot be told apart"}.get(row["verdict"], row["verdict"])
        p = "" if row["p_adjusted"] is None else "<0.001" if row["p_adjusted"] < 0.001 else f"{row['p_adjusted']:.3f}"
        judge = f" {{{row['judge_low']:.3f}, {row['judge_high']:.3f}}}" if row.get("judge_low") is not None else ""
        assert line == [
            row["run_id"], row["versus"], f"{row['value']:+.3f}", f"[{row['low']:.3f}, {row['high']:.3f}]{judge}", p,
            str(row["n"]), told,
        ]  # fmt: skip
        assert shown["verdict"] == told
    changes = csv_rows(reported.page.packs["changes"])
    expected = scored(answer["nugs"], "run_id", "query_id", "nug_id")
    assert {(row["run_id"], row["query_id"], row["nug_id"]) for row in changes} == expected.keys()
    for shown in changes:
        check_ends(shown, expected[shown["run_id"], shown["query_id"], shown["nug_id"]], "before", "after")


def test_by_condition(reported: Reported) -> None:
    tables = [table for table in reported.page.tables if table.caption.startswith(f"{FIRST} by ")]
    assert tables
    for table in tables:
        field = table.caption.removeprefix(f"{FIRST} by ")
        answer = reported.asked("score", "--by", field, "--measures", FIRST)["scores"]
        rows = scored(answer, "run_id", "query_id")
        assert len(table.csv) == len([row for row in answer if row["query_id"] != "all"])
        for shown in table.csv:
            check_ends(shown, rows[shown["run"], f"{field}={shown[field]}"], "value", "low", "high")
        values = [head.partition(" (n=") for head in table.head[1:]]
        for run_id, *cells in table.body:
            for (value, _, count), text in zip(values, cells, strict=True):
                row = rows[run_id, f"{field}={value}"]
                assert text == cell(row["value"], row["low"], row["high"])
                assert int(count.removesuffix(")")) == row["n"] + (row["undefined"] or 0)


def test_worst_queries(reported: Reported) -> None:
    answer = reported.asked("score", "--by", "query", "--measures", FIRST)["scores"]
    table = reported.page.table("failures", "The five worst queries of each run")
    values = {(row["run_id"], row["query_id"]): row["value"] for row in answer}
    told = [line for line in table.body if line[3] != "with the same score"]
    assert [(line[0], line[1]) for line in told] == [(row["run"], row["query"]) for row in table.csv]
    for shown, line in zip(table.csv, told, strict=True):
        value = values[shown["run"], shown["query"]]
        assert same(shown[FIRST], value)
        assert line[2] == f"{value:.3f}"
    for run_id in {run_id for run_id, _ in values}:
        known = sorted(value for (of, _), value in values.items() if of == run_id and value is not None)
        worse = [value for value in known if value < known[-1]]
        assert [float(row[FIRST]) for row in table.csv if row["run"] == run_id] == worse[:5]
        more = [line for line in table.body if line[0] == run_id and line[3] == "with the same score"]
        equal = sum(value == worse[4] for value in worse[5:]) if len(worse) > 5 else 0
        assert [line[1] for line in more] == ([f"and {equal} more"] if equal else [])


def degrees_of(reported: Reported) -> dict[tuple[str, str], dict[str, float | None]]:
    """What each run has of each nug, by `karat score --by nug`."""
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in reported.asked("score", "--by", "nug")["nugs"]:
        found.setdefault((row["query_id"], row["nug_id"]), {})[row["run_id"]] = row["degree"]
    return found


def test_matrix(reported: Reported) -> None:
    degrees = degrees_of(reported)
    rows = csv_rows(reported.page.packs["matrix"]["csv"])
    (table,) = [table for table in reported.page.tables if table.section == "nugs"]
    assert {(row["query"], row["nug"]) for row in rows} == degrees.keys()
    assert len(rows) == len(degrees)
    runs = table.head[3:-2]
    for shown, line in zip(rows, table.body, strict=True):
        expected = degrees[shown["query"], shown["nug"]]
        assert runs == sorted(expected, key=runs.index)
        known = [value for value in expected.values() if value is not None]
        assert float(shown["mean"]) == pytest.approx(sum(known) / len(known), abs=1e-12)
        assert line[-2] == f"{sum(known) / len(known):.2f}"
        assert line[2].startswith(f"{shown['nug']} ")
        for run_id, text in zip(runs, line[3:-2], strict=True):
            value = expected[run_id]
            assert same(shown[run_id], value)
            if value is not None:
                marks = {0.0: "○", 1.0: "●"}
                assert text in (marks.get(value, "◐"), f"{value:.2f}")


def test_answers(reported: Reported) -> None:
    rows = scored(reported.asked("score", "--by", "query", "--measures", FIRST)["scores"], "run_id", "query_id")
    degrees = degrees_of(reported)
    found = 0
    for query_id, of_query in re.findall(
        r'data-query="([^"]+)"(.*?)</details>\s*(?=<details class="query"|</section>|<ul class="below">)',
        reported.html,
        re.S,
    ):
        for run_id, counted, value in re.findall(
            rf'data-run="([^"]+)"><h4>[^<]+<span[^>]*> · (.*?)(?: · {FIRST} ([\d.]+))?</span>', of_query
        ):
            found += 1
            score = rows[run_id, query_id]["value"]
            assert value == ("" if score is None else f"{score:.3f}")
            own = [of_runs[run_id] for (of, _), of_runs in degrees.items() if of == query_id]
            known = [degree for degree in own if degree is not None]
            full, some = sum(degree == 1 for degree in known), sum(0.5 <= degree < 1 for degree in known)
            part = f", {some} in part" if some else ""
            nugs = f"{len(known)} nug{'' if len(known) == 1 else 's'}"
            assert counted in (f"{full} of {nugs} in full{part}", f"{full + some} of {nugs} probable")
    assert found == len(rows)


def test_contingency(reported: Reported) -> None:
    if not karat.load(*reported.inputs, on_error="skip").nuggets:
        assert not [table for table in reported.page.tables if table.section == "contingency"]
        return
    names = ("right", "wrong", "redundant", "missing", "estimated")
    rows = scored(reported.asked("score", "--contingency")["contingency"], "run_id")
    table = reported.page.table("contingency")
    assert {(row["run"],) for row in table.csv} == rows.keys()
    for shown, line in zip(table.csv, table.body, strict=True):
        row = rows[shown["run"],]
        check_ends(shown, row, *names)
        assert line == [shown["run"], *(f"{row[name]:.2f}" for name in names)]
    for caption, settings in (("Without a prior", ""), ("With the Bayesian prior", "(prior=bayes)")):
        check_scores(
            reported, reported.page.table("contingency", caption), f"rightness{settings},proficiency{settings}"
        )


def check_scores(reported: Reported, table: PageTable, measures: str) -> None:
    """A table with a column per measure, and its data in rows of run and measure."""
    rows = scored(reported.asked("score", "--measures", measures)["scores"], "run_id", "measure")
    assert {(row["run"], row["measure"]) for row in table.csv} == rows.keys()
    for shown in table.csv:
        check_ends(shown, rows[shown["run"], shown["measure"]], "value", "low", "high")
    for run_id, *cells in table.body:
        for measure, text in zip(table.head[1:], cells, strict=True):
            row = rows[run_id, measure]
            assert text == cell(row["value"], row["low"], row["high"], row["tie"] or "")


def mean_degrees(reported: Reported, name: str, nugs: Set[tuple[str, str]]) -> dict[str, Row]:
    """The mean degree of some nugs per run with its interval: given to `karat score` as scores by query."""
    by_query: dict[tuple[str, str], list[float]] = {}
    for (query_id, nug_id), of_runs in degrees_of(reported).items():
        for run_id, degree in of_runs.items():
            if (query_id, nug_id) in nugs and degree is not None:
                by_query.setdefault((run_id, query_id), []).append(degree)
    rows = [
        record("score", run_id=run_id, query_id=query_id, measure="lenient_all", value=sum(some) / len(some))
        for (run_id, query_id), some in by_query.items()
    ]
    done = karat_here("score", save(reported.folder / f"{name}.jsonl", rows), "--missing", "skip", "--format", "json")
    assert done.code == 0, done.err
    return {row["run_id"]: row for row in json.loads(done.text)["scores"]}


def check_means(reported: Reported, table: PageTable, kind: str, nugs_of: Mapping[str, Set[tuple[str, str]]]) -> None:
    """A table of mean degrees, with a column per kind of nug."""
    columns = [head.partition(" (")[0].removesuffix(" nugs") for head in table.head[1:]]
    assert columns == list(nugs_of)
    assert len(table.csv) == len(table.body) * len(columns)
    for column, (name, nugs) in enumerate(nugs_of.items(), 1):
        rows = mean_degrees(reported, f"{kind} {column}", nugs)
        for shown in (row for row in table.csv if row[kind] == name):
            row = rows[shown["run"]]
            assert float(shown["mean_degree"]) == pytest.approx(row["value"], abs=1e-12)
            assert float(shown["low"]) == pytest.approx(row["low"], abs=1e-12)
            assert float(shown["high"]) == pytest.approx(row["high"], abs=1e-12)
            assert int(shown["queries"]) == row["n"]
        for line in table.body:
            row = rows[line[0]]
            assert line[column] == cell(row["value"], row["low"], row["high"])


def test_kinds_of_nugs(reported: Reported) -> None:
    rows = reported.asked("score", "--by", "nug")["nugs"]
    nugs_of = {
        kind: {(row["query_id"], row["nug_id"]) for row in rows if row["importance"] == kind}
        for kind in ("vital", "okay")
    }
    check_means(reported, reported.page.table("failures", "Mean degree by importance of the nugs"), "kind", nugs_of)


def test_pyramid(reported: Reported) -> None:
    votes = [each for each in karat.load(*reported.inputs, on_error="skip").votes if each.value in ("vital", 1)]
    count = Counter((vote.query_id, vote.nug_id) for vote in votes)
    degrees = degrees_of(reported)
    table = reported.page.table("pyramid")
    layers: dict[str, set[tuple[str, str]]] = {}
    for layer in sorted({count[nug] for nug in degrees}, reverse=True):
        layers[f"{layer} of 3 votes"] = {nug for nug in degrees if count[nug] == layer}
    assert [head.partition(" (")[2] for head in table.head[1:]] == [f"{len(nugs)} nugs)" for nugs in layers.values()]
    check_means(reported, table, "layer", layers)
    for chart in reported.page.charts["pyramid", "pyramid"]:
        found = sum(degrees[nug][chart["run"]] or 0.0 for nug in layers[chart["layer"]])
        assert float(chart["nugs_found"]) == pytest.approx(found, abs=1e-9)


def test_citations(reported: Reported) -> None:
    checked = karat.load(*reported.inputs, on_error="skip").citation_judgements
    if not checked:
        assert not [table for table in reported.page.tables if table.section == "citations"]
        return
    counts = Counter((each.run_id, each.support) for each in checked)
    rows = scored(
        reported.asked("score", "--measures", "support_precision,support_recall")["scores"], "run_id", "measure"
    )
    table = reported.page.table("citations")
    measures = ["support_precision", "support_recall"]
    assert table.head == ["run", *SUPPORT, *measures]
    for shown, line in zip(table.csv, table.body, strict=True):
        run_id = shown["run"]
        assert [int(shown[kind]) for kind in SUPPORT] == [counts[run_id, kind] for kind in SUPPORT]
        cells = []
        for measure in measures:
            row = rows[run_id, measure]
            cells.append(cell(row["value"], row["low"], row["high"], row["tie"] or ""))
            for name, end in (("value", ""), ("low", "_low"), ("high", "_high")):
                assert same(shown[f"{measure}{end}"], row[name])
        assert line == [run_id, *(str(counts[run_id, kind]) for kind in SUPPORT), *cells]


def test_stability_and_queries_needed(reported: Reported) -> None:
    rows = {row["measure"]: row for row in reported.asked("stability", "--measures", FIRST)["stability"]}
    chart = reported.page.charts["trust", "stability"]
    words = {"told apart by the test": "told_apart", "put in the other order by other queries": "swapped"}
    assert len(chart) == sum(":told_apart(" in name or ":swapped(" in name for name in rows)
    for shown in chart:
        row = rows[f"{FIRST}:{words[shown['what']]}({shown['queries']})"]
        assert same(shown["share"], row["value"])
        check_ends(shown, row, "low", "high")
    tables = [table for table in reported.page.tables if table.section == "trust"]
    pairs = scored(reported.asked("compare", "--measures", FIRST)["differences"], "run_id", "versus")
    for table in tables:
        assert len(table.csv) == len(table.body)
        # Each pair is planned by itself; two of them are enough.
        for shown, line in list(zip(table.csv, table.body, strict=True))[:2]:
            runs = shown["run"], shown["versus"]
            (plan,) = reported.asked("plan", "--measures", FIRST, "--runs", ",".join(runs))["plans"]
            assert same(shown["difference"], pairs[runs]["value"])
            assert same(shown["queries"], pairs[runs]["n"])
            assert same(shown["needed"], plan["queries_needed"])
            needed = "more than a million" if plan["queries_needed"] is None else f"{plan['queries_needed']:,}"
            assert line[:4] == [
                " and ".join(runs), f"{pairs[runs]['value']:+.3f}", str(pairs[runs]["n"]), needed,
            ]  # fmt: skip


def test_judge_and_people(reported: Reported) -> None:
    charts = {name: rows for (section, name), rows in reported.page.charts.items() if section == "judging"}
    if "--judge" not in reported.files:
        assert not charts
        return
    runs = {row["run_id"]: row for row in reported.asked("validate", "--view", "runs", "--measures", FIRST)["runs"]}
    assert {row["run"] for row in charts["judge-and-people"]} == runs.keys()
    for shown in charts["judge-and-people"]:
        row = runs[shown["run"]]
        for name, field in (("people", "official"), ("judge", "judged"), ("low", "judge_low"), ("high", "judge_high")):
            assert same(shown[name], row[field])
    for shown in charts["bland-altman"]:
        row = runs[shown["run"]]
        assert float(shown["difference"]) == pytest.approx(row["judged"] - row["official"], abs=1e-12)
        assert float(shown["mean"]) == pytest.approx((row["judged"] + row["official"]) / 2, abs=1e-12)
    bins = [row for row in reported.asked("validate", "--view", "calibration")["calibration"] if row["pairs"]]
    assert [(float(row["probability"]), float(row["share"]), int(row["pairs"])) for row in charts["calibration"]] == [
        (row["probability"], row["contained"], row["pairs"]) for row in bins
    ]
    for table in (table for table in reported.page.tables if table.section == "judging"):
        for shown, line in zip(table.csv, table.body, strict=True):
            first, second = runs[shown["run"]], runs[shown["other run"]]
            for column, field in (("by people", "official"), ("by the judge", "judged")):
                assert float(shown[column]) == pytest.approx(first[field] - second[field], abs=1e-12)
                assert line[table.head.index(column)] == f"{first[field] - second[field]:+.3f}"


def test_no_table_is_left_out_of_these_tests(reported: Reported) -> None:
    tested = {
        "scores", "differences", "nugs", "citations", "failures", "trust", "judging", "contingency", "pyramid",
        "repeat",
    }  # fmt: skip
    assert {table.section for table in reported.page.tables} <= tested
    captions = {table.caption for table in reported.page.tables if table.section == "failures"}
    assert {caption for caption in captions if not caption.startswith(f"{FIRST} by ")} == {
        "Mean degree by importance of the nugs", "The five worst queries of each run",
    }  # fmt: skip
