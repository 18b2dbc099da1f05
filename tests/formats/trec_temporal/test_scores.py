from __future__ import annotations

import csv
from pathlib import Path

import pytest

from helpers import collect_with_problems, messages
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_temporal.scores import sniff_tempsumm_scores
from karat.model import Collection, Run, Score

HEADER = "QueryID\tTeamID\tRunID\t# Updates\tE[Gain]\n"
ROWS = (
    "TS99.1\tgreen\tr1\t12.0000\t0.2500\n"
    "TS99.1\tAVG\t-\t12.0000\t0.2500\n"
    "AVG\tgreen\tr1\t12.0000\t0.2500\n"
    "STD\tgreen\tr1\t0.0000\tnan\n"
    "AVG\tALL\t-\t1\t1\n"
)


def score(query_id: str, measure: str, value: float | None, run_id: str = "r1") -> Score:
    return Score(run_id=run_id, query_id=query_id, measure=measure, value=value, undefined=1 if value is None else None)


def test_reads_a_score_a_column_and_leaves_rows_over_all_runs_out() -> None:
    reading = open_reading((HEADER + ROWS).encode(), format="tempsumm-scores")
    assert list(Collection(reading)) == [
        Run(run_id="r1", group="green"),
        score("TS99.1", "# Updates", 12.0),
        score("TS99.1", "E[Gain]", 0.25),
        score("all", "# Updates", 12.0),
        score("all", "E[Gain]", 0.25),
        score("all", "STD of # Updates", 0.0),
        score("all", "STD of E[Gain]", None),
    ]
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:3: RunID: rows over all runs (AVG TS99.1, ...) are left out"
    ]


def test_runs_of_two_teams_with_one_name_are_reported_apart() -> None:
    data = HEADER + "TS99.1\tgreen\tr1\t1\t1\nTS99.1\tblue\tr1\t2\t2\r\n"
    runs = collect_with_problems(b"\xef\xbb\xbf" + data.encode(), "tempsumm-scores")[0].runs
    assert runs == [Run(run_id="green-r1", group="green"), Run(run_id="blue-r1", group="blue")]


def test_bad_values_and_rows_are_reported_and_the_others_kept() -> None:
    data = HEADER + "TS99.1\tgreen\tr1\tmany\t0.5\nTS99.1\tgreen\tr1\t1\t1\nTS99.2\t\tr1\t1\t1\nTS99.3\n"
    assert sorted(messages(data, "tempsumm-scores")) == [
        "2: # Updates: must be a number, not 'many'",
        "3: RunID: 'r1' already has a row for TS99.1",
        "4: TeamID: is empty",
        "5: TeamID: the row has 1 values for 5 columns",
    ]
    assert collect_with_problems(data, "tempsumm-scores")[0].scores == [score("TS99.1", "E[Gain]", 0.5)]


@pytest.mark.parametrize(
    ("data", "expected"), [(HEADER + ROWS, True), (ROWS, False), ("QueryID\tRunID\tx\n", False), ("", False)]
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_scores(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
def test_official_scores(real_data: Path) -> None:
    path = real_data / "trec-tempsumm-2014" / "ts14.eval.graded.results.tsv"
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["RunID"] != "-"]
    collection, problems = collect_with_problems(path.read_bytes(), "tempsumm-scores")
    assert problems == []
    assert len(collection.runs) == len({row["RunID"] for row in rows}) == 24
    assert len(collection.scores) == len(rows) * 19 == 8664
    values = {(score.query_id, score.run_id, score.measure): score.value for score in collection.scores}
    for row in rows:
        query_id, prefix = row["QueryID"], ""
        if not query_id.startswith("TS14."):
            query_id, prefix = "all", "" if query_id == "AVG" else f"{query_id} of "
        for measure in ("E[Gain]", "Comprehensiveness", "E[Confidence-Biased Latency]"):
            assert values[query_id, row["RunID"], prefix + measure] == float(row[measure])
    assert values["TS14.11", "3AP", "# Updates"] == 12761
