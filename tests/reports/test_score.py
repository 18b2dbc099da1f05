from __future__ import annotations

from typing import Any

from karat.model import Score
from karat.reports.score import query_spread_table, score_latex, score_tables, scores_data


def total(run_id: str, value: float | None, measure: str = "F3", query_id: str = "all", **more: object) -> Score:
    known = {"n": 4, "undefined": 0} if value is not None else {"n": 0, "undefined": 4}
    fields = {"run_id": run_id, "query_id": query_id, "measure": measure, "value": value} | known | more
    return Score(**fields)  # type: ignore[arg-type]


def shown(scores: list[Score], **options: Any) -> str:
    return "\n".join(map(str, score_tables(scores, **options)))


def cells(scores: list[Score], **options: Any) -> list[list[str]]:
    return [line.split() for line in shown(scores, **options).splitlines() if line]


def test_the_best_run_comes_first_with_interval_and_tie_group() -> None:
    scores = [
        total("low", 0.2, low=0.1, high=0.3, extra={"tie": "b"}),
        total("none", None),
        total("top", 0.75, low=0.5, high=1.0, extra={"tie": "ab"}),
    ]
    assert shown(scores) == (
        "run   n                    F3\n"
        "----  -  --------------------\n"
        "top   4  0.75 [0.50, 1.00] ab\n"
        "low   4  0.20 [0.10, 0.30] b\n"
        "none  0          undefined\n"
    )


def test_measures_have_a_column_each_and_a_run_may_lack_one() -> None:
    assert cells([total("r", 0.5), total("r", 0.25, "gain"), total("s", 0.125)]) == [
        ["run", "n", "F3", "gain"], ["---", "-", "-----", "-----"], ["r", "4", "0.500", "0.250"], ["s", "4", "0.125"],
    ]  # fmt: skip


def test_a_measure_that_is_defined_for_fewer_queries_says_for_how_many() -> None:
    rows = cells([total("r", 0.5), total("r", 0.25, "vital", n=3, undefined=1)])
    assert rows[2] == ["r", "4", "0.500", "0.250", "n=3"]


def test_by_query_rows_stay_in_order() -> None:
    rows = cells([total("r", 0.1, query_id="q2"), total("r", 0.9, query_id="q1")], by="query")
    assert rows[::2] == [["run", "query", "F3"], ["r", "q2", "0.100"]]


def test_by_field_rows_are_sorted_by_its_values_the_best_run_first() -> None:
    scores = [
        total(run_id, value, query_id=f"language={language}")
        for run_id, language, value in (("r", "en", 0.1), ("r", "de", 0.9), ("s", "en", 0.4), ("s", "de", 0.2))
    ]
    assert cells(scores, by="language") == [
        ["language", "run", "n", "F3"], ["--------", "---", "-", "-----"],
        ["de", "r", "4", "0.900"], ["de", "s", "4", "0.200"], ["en", "s", "4", "0.400"], ["en", "r", "4", "0.100"],
    ]  # fmt: skip


def test_ratios_have_a_table_of_their_own() -> None:
    rows = cells([total("person", 0.8), total("machine", 0.4), total("machine", 0.5, "F3/human")])
    assert [row[0] for row in rows if "-" not in row[0]] == ["run", "person", "machine", "run", "machine"]
    assert rows[4] == ["run", "n", "F3/human"]


def test_many_measures_are_spread_over_several_tables() -> None:
    names = [f"measure_number_{at}" for at in range(20)]
    scores = [total("r", 0.5, name) for name in names]
    tables = score_tables(scores)
    assert len(tables) > 1
    assert [name.strip() for table in tables for name in table.columns[2:]] == names
    assert len(score_tables(scores, width=1000)) == 1


def test_no_scores_have_no_table() -> None:
    assert score_tables([]) == []


def test_the_spread_of_each_query_is_that_of_the_runs() -> None:
    values = {"a": 0.0, "b": 0.25, "c": 0.0, "d": 0.75, "e": None}
    table = query_spread_table([total(run_id, value, query_id="q") for run_id, value in values.items()])
    assert table is not None
    assert table.columns == ["measure", "query", "best", "median", "worst", "zeros"]
    assert table.rows == [["F3", "q", "0.750", "0.125", "0.000", "2"]]


def test_two_runs_have_no_spread() -> None:
    assert query_spread_table([total(run_id, 0.5, query_id="q") for run_id in "ab"]) is None


def test_tsv_has_every_field_and_leaves_undefined_ones_empty() -> None:
    scores = [total("r", 0.1, low=0.0, high=0.25, signature="F3|v:1", extra={"tie": "a"}), total("s", None)]
    assert scores_data(scores).tsv() == (
        "run_id\tquery_id\tmeasure\tvalue\tlow\thigh\tn\tundefined\ttie\tsignature\n"
        "r\tall\tF3\t0.1\t0.0\t0.25\t4\t0\ta\tF3|v:1\n"
        "s\tall\tF3\t\t\t\t0\t4\t\t\n"
    )


def test_latex_has_the_tie_group_as_a_superscript_and_a_dash_for_undefined() -> None:
    best = total("my_run", 0.5, "strict_vital", low=0.25, high=0.75, extra={"tie": "ab"})
    scores = [best, total("s", None, "strict_vital")]
    lines = score_latex(scores).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r"run & n & strict\_vital \\"
    assert lines[4] == r"my\_run & 4 & 0.50$^{\mathrm{ab}}$ {\scriptsize [0.25, 0.75]} \\"
    assert lines[5] == r"s & 0 & -- \\"


def test_where_less_is_better_the_lowest_comes_first() -> None:
    scores = [total("long", 5.0, "verbosity"), total("none", None, "verbosity"), total("brief", 1.0, "verbosity")]
    assert [row[0] for row in cells(scores)[2:]] == ["brief", "long", "none"]
    assert [line.split()[0] for line in score_latex(scores).splitlines()[4:7]] == ["brief", "long", "none"]
    ratios = [total(run_id, value, "verbosity/human") for run_id, value in (("b", 2.0), ("a", 0.5))]
    assert [row[0] for row in cells(ratios)[2:]] == ["a", "b"]


def test_the_total_comes_below_the_slices() -> None:
    slices = [total("r", 0.5, query_id=f"zone={zone}", extra={"by": "zone"}) for zone in ("b", "a")]
    assert [row[0] for row in cells([total("r", 0.9), *slices], by="zone")[2:]] == ["a", "b", "all"]


def test_tsv_names_the_field_of_slices_where_there_are_some() -> None:
    scores = [total("r", 0.5, query_id="zone=a", extra={"by": "zone", "tie": "b"}), total("r", 0.25)]
    head, *rows = (line.split("\t") for line in scores_data(scores).tsv().splitlines())
    assert head[-3:] == ["tie", "signature", "by"]
    assert [row[-3:] for row in rows] == [["b", "", "zone"], ["", "", ""]]


def test_tsv_keeps_a_row_on_a_line() -> None:
    assert scores_data([total("a\tb\nc", 0.5)]).tsv().splitlines()[1].split("\t")[:2] == [r"a\tb\nc", "all"]


def test_crossed_fields_show_the_values_of_each_below_the_names() -> None:
    places = ("ar,medium=news", "en,medium=a=b, c", "en,medium=(none)")
    scores = [total("r", 0.5, query_id=f"language={place}") for place in places]
    (table,) = score_tables([*scores, total("r", 0.5)], by="language,medium", width=200)
    assert table.columns[0] == "language,medium"
    assert [row[0] for row in table.rows] == ["ar,news", "en,(none)", "en,a=b, c", "all"]
