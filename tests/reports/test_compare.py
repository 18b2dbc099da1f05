from __future__ import annotations

import re

import pytest

from builders.rows import Row, judgement, nug, score_rows
from karat.evaluate.compare.compare import compare, compare_collection
from karat.evaluate.compare.comparison import Comparison
from karat.formats import load
from karat.model import decode_record, encode_record
from karat.reports.compare import comparison_data, comparison_scores, comparison_tables

MATRIX = {"a": [0.75, 0.875, 0.5, 1.0, 0.75, 0.625, 0.5], "b": [0.25, 0.125, 0.0, 0.5, 0.5, 0.25, 0.125]}


def shown(comparison: Comparison, *, nugs: int = 5, tukey: bool = False) -> tuple[list[str], list[str]]:
    """The lines of the tables, and the remarks between them."""
    parts = list(comparison_tables(comparison, nugs=nugs, tukey=tukey))
    lines = [line for part in parts if not isinstance(part, str) for line in str(part).splitlines()]
    return lines, [part for part in parts if isinstance(part, str)]


def head(line: str) -> str:
    """The names of the columns, which are at least two blanks apart."""
    return " | ".join(re.split(r"\s{2,}", line.strip()))


def test_one_row_per_pair_and_then_the_analysis_of_variance() -> None:
    lines, remarks = shown(compare(score_rows(MATRIX)))
    assert head(lines[0]) == "M, run | against | difference | effect | p | n | verdict"
    pair = lines[2].split()
    assert pair[:3] == ["a", "b", "+0.46"]
    assert pair[-4:] == ["+2.57", "0.0156", "7", "better"]
    assert lines[3].split()[:2] == ["M", "by"]
    assert [line.split()[0] for line in lines[5:]] == ["run", "query", "residual"]
    assert remarks == []


def test_against_a_better_baseline_the_verdict_is_worse() -> None:
    lines, _ = shown(compare(score_rows(MATRIX), baseline="a"))
    assert head(lines[0]) == "M, run | minus a | effect | p | n | verdict"
    assert lines[2].split()[:2] == ["b", "-0.46"]
    assert lines[2].endswith("worse")


def test_one_sided_p_values_say_what_they_ask() -> None:
    lines, _ = shown(compare(score_rows(MATRIX), baseline="a", alternative="less"))
    assert head(lines[0]) == "M, run | minus a | effect | p (worse) | n | verdict"
    assert lines[2].split()[-4:] == ["-2.57", "0.0078", "7", "worse"]


def test_long_names_of_runs_are_cut_in_the_middle() -> None:
    base, other = f"base-{'x' * 40}-one", f"new-{'x' * 40}-two"
    lines, _ = shown(compare(score_rows({base: MATRIX["a"], other: MATRIX["b"]}), baseline=base))
    assert head(lines[0]).split(" | ")[1] == "minus base-xxxxxxxxx..xxxxxxxxxx-one"
    assert lines[2].split()[0] == "new-xxxxxxxxxx..xxxxxxxxxx-two"


def test_the_groups_of_tukey_on_request_without_letters_for_what_has_no_score() -> None:
    undefined: list[float | None] = [None] * 7
    lines, _ = shown(compare(score_rows({**MATRIX, "c": undefined})), tukey=True)
    at = next(at for at, line in enumerate(lines) if line.startswith("M, Tukey's HSD"))
    assert [line.split() for line in lines[at + 2 :]] == [["a", "0.714", "a"], ["b", "0.250", "b"], ["c", "undefined"]]
    assert [line.split() for line in lines[3:5]] == [
        [run_id, "c", "undefined", "0", "not", "tested"] for run_id in "ab"
    ]
    assert "nan" not in "".join(lines)


def test_constant_scores_have_an_undefined_f() -> None:
    lines, _ = shown(compare(score_rows({"a": [0.5] * 7, "b": [0.5] * 7})))
    assert lines[5].split() == ["run", "0.0000", "1", "0.00000", "undefined"]


def test_where_there_is_no_analysis_of_variance_the_reason_is_given() -> None:
    _, remarks = shown(compare(score_rows({"a": [0.5], "b": [0.25]})))
    assert remarks == ["M: no analysis of variance: at least 2 queries must have values, not 1"]


def test_of_very_many_pairs_those_of_the_best_run_are_shown() -> None:
    many = {f"r{at:02}": [at / 16 + query / 256 for query in range(16)] for at in range(15)}
    lines, remarks = shown(compare(score_rows(many)))
    assert remarks[0] == (
        "M: 105 of 105 pairs differ significantly; the table shows the best run against the others, "
        "--format tsv has all pairs"
    )
    pairs = [line.split()[:2] for line in lines if line.endswith("better")]
    assert pairs == [["r14", f"r{at:02}"] for at in reversed(range(14))]


def test_a_hundred_pairs_are_all_shown() -> None:
    many = {f"r{at:02}": [at / 16 + query / 256 for query in range(14)] for at in range(14)}
    lines, remarks = shown(compare(score_rows(many)))
    assert sum(line.endswith("better") for line in lines) == 91
    assert remarks == []


def test_two_measures_are_compared_side_by_side() -> None:
    rows = [*score_rows(MATRIX), *score_rows({"a": [0.5] * 7, "b": [0.5] * 7}, measure="N")]
    _, remarks = shown(compare(rows, measures="M,N"))
    assert remarks == [
        "Tukey's HSD separates 1 of 1 pairs of runs by M and 0 by N: 0 by both, 1 only by the first, "
        "0 only by the second, 0 in opposite directions"
    ]


def changed() -> list[Row]:
    rows = [nug("q", str(at), "vital" if at < 3 else "okay") for at in range(6)]
    rows += [judgement("q", "base", float(at < 4), str(at)) for at in range(6)]
    return [*rows, *(judgement("q", "new", float(at > 2), str(at)) for at in range(6))]


def test_nugs_lost_come_before_nugs_gained() -> None:
    lines, remarks = shown(compare_collection(load(changed()), baseline="base"))
    assert "new gained 2 and lost 3 nugs against base (0 and 3 of them vital)" in remarks
    at = next(at for at, line in enumerate(lines) if line.startswith("new, query"))
    assert head(lines[at]) == "new, query | change | degree | nug"
    rows = [line.split() for line in lines[at + 2 :]]
    assert [row[:3] for row in rows] == [["q", "lost", "vital"]] * 3 + [["q", "gained", "okay"]] * 2
    assert rows[0][3:] == ["1", "->", "0", "the", "0", "of", "q"]


def test_as_many_nugs_are_shown_as_were_asked_for() -> None:
    comparison = compare_collection(load(changed()), baseline="base")
    lines, remarks = shown(comparison, nugs=1)
    assert [line.split()[1] for line in lines if line.startswith("q  ")] == ["lost", "gained"]
    assert "new gained 2 and lost 3 nugs against base (0 and 3 of them vital)" in remarks
    lines, remarks = shown(comparison, nugs=0)
    assert not any("nugs against" in remark for remark in remarks)


def test_a_long_description_is_cut_and_takes_one_line() -> None:
    rows = changed()
    rows[0]["descriptions"] = ["a fox\n" * 40]
    lines, _ = shown(compare_collection(load(rows), baseline="base"))
    (line,) = [line for line in lines if "a fox" in line]
    assert line.endswith("...")
    assert len(line.partition("a fox")[1] + line.partition("a fox")[2]) == 80


def test_tsv_has_one_row_per_pair() -> None:
    head, *rows = comparison_data(compare(score_rows({**MATRIX, "c": [None] * 7})))[0].tsv().splitlines()
    names = head.split("\t")
    assert names == [
        "measure", "run_id", "versus", "value", "low", "high", "p", "p_adjusted", "p_t", "n", "detectable",
        "all_low", "all_high", "effect", "effect_low", "effect_high", "significant", "verdict",
    ]  # fmt: skip
    cells = [dict(zip(names, row.split("\t"), strict=True)) for row in rows]
    assert [(row["run_id"], row["versus"]) for row in cells] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert float(cells[0]["value"]) == pytest.approx(0.464, abs=1e-3)
    assert (cells[1]["value"], cells[1]["p"], cells[1]["n"]) == ("", "", "0")


def test_the_records_are_scores_that_decode() -> None:
    (score,) = comparison_scores(compare(score_rows(MATRIX), baseline="a"))
    assert (score.run_id, score.query_id, score.measure, score.n) == ("b", "all", "M-a", 7)
    assert score.extra["versus"] == "a"
    assert score.extra["significant"] is True
    assert decode_record(encode_record(score)) == score


def test_the_nugs_of_many_runs_are_shown_only_against_a_baseline() -> None:
    for count, expected in ((6, 5), (7, 0)):
        rows = [nug("q"), *(judgement("q", f"r{at}", float(at == 0)) for at in range(count))]
        _, remarks = shown(compare_collection(load(rows)))
        assert sum("nugs against r0" in remark for remark in remarks) == expected
        _, remarks = shown(compare_collection(load(rows), baseline="r0"))
        assert sum("nugs against r0" in remark for remark in remarks) == count - 1


def test_pooled_scores_have_no_analysis_of_variance() -> None:
    lines, remarks = shown(compare_collection(load(changed()), baseline="base", average="pool"), nugs=0)
    assert remarks == ["strict_vital: no analysis of variance: it is for means over queries, not for pooled scores"]
    assert lines[2].split()[:2] == ["new", "-1.000"]


def test_runs_without_a_common_query_are_named_and_not_tested() -> None:
    rows = [*score_rows({"ann": [0.5, 0.75, 0.25]}), *score_rows({"ben": [0.1, 0.2, 0.3]})]
    for at, row in enumerate(rows[3:]):
        row["query_id"] = f"other{at}"
    comparison = compare(rows, missing="skip")
    table, remark = comparison_tables(comparison)
    assert not isinstance(table, str)
    assert table.rows[0][-1] == "not tested"
    assert remark == "M: no analysis of variance: no chain of shared queries connects ben with ann"
    assert "no two runs have a query in common" in comparison.notes
    of_margin = compare(rows, missing="skip", baseline="ann", max_loss=0.1)
    (table, _) = comparison_tables(of_margin)
    assert not isinstance(table, str)
    assert table.rows[0][-1] == "not tested"


def test_where_a_program_judged_the_analysis_of_variance_is_said_to_lack_its_error() -> None:
    rows: list[Row] = []
    for at in range(4):
        rows.append(nug(f"q{at}"))
        for run_id, chance in (("a", 0.2), ("b", 0.7)):
            said = judgement(f"q{at}", run_id, float(chance > 0.5))
            rows.append(said | {"probabilities": {"0": 1 - chance, "1": chance}})
    said = compare(rows, measures="strict_all").notes
    assert any("tests contain this error, the analysis of variance and Tukey's groups do not" in note for note in said)


FEW = {"main": [0.9, 0.8, 1.0, 0.7, 0.9, 1.0, 0.6], "tiny": [0.1, 0.3, 0.2, 0.3, 0.1, 0.3, 0.3]}


def test_the_column_of_verdicts_is_there_only_where_one_is_given() -> None:
    equal = {"a": [0.5, 0.7, 0.6, 0.2, 0.4, 0.9, 0.1], "b": [0.6, 0.6, 0.5, 0.3, 0.5, 0.8, 0.2]}
    lines, _ = shown(compare(score_rows(equal)))
    assert head(lines[0]) == "M, run | against | difference | effect | p | n"
    lines, _ = shown(compare(score_rows(equal), baseline="a", max_loss=0.5))
    assert head(lines[0]).endswith("| verdict")


def test_a_verdict_beside_an_interval_that_holds_0_is_explained() -> None:
    compared = compare(score_rows(FEW, measure="strict_all"), baseline="main")
    (pair,) = compared.measures[0].differences
    holds = (pair.low or 0) <= 0 <= (pair.high or 0)
    said = [note for note in compared.interval_notes if "though the interval holds 0" in note]
    assert pair.worse
    assert bool(said) == holds
    rare = {"main": [0.2] * 6 + [0.3], "tiny": [0.1] * 6 + [0.1]}
    compared = compare(score_rows(rare, measure="strict_all"), baseline="main")
    (pair,) = compared.measures[0].differences
    assert pair.worse
    assert (pair.low or 0) <= 0 <= (pair.high or 0)
    (note,) = [note for note in compared.interval_notes if "though the interval holds 0" in note]
    assert note.startswith("strict_all: tiny and main differ significantly, though")
    assert "below 10 queries the interval assumes nothing and is wider than the test needs" in note


def test_more_than_a_thousand_runs_have_no_tukey_and_the_message_says_what_to_do() -> None:
    rows = score_rows({f"r{at}": [at / 1001, 0.5, at % 2 / 2] for at in range(1001)})
    comparison = compare([*rows, *(row | {"measure": "N"} for row in rows)], measures="M,N")
    assert comparison.measures[0].anova is not None
    assert (comparison.measures[0].tukey, comparison.side_by_side) == (None, None)
    said = (
        "no Tukey's HSD for more than 1,000 runs, because it tests all pairs of runs; choose runs with --runs, or "
        "compare them with one run (--baseline)"
    )
    # It is a note where it would have been shown unasked, and stands in its place where it was asked for.
    assert said in comparison.notes
    assert f"M: {said}" in list(comparison_tables(comparison, tukey=True))
    assert {table.name for table in comparison_data(comparison)} == {"differences", "anova"}
