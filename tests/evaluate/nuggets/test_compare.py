from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers import collect
from karat.evaluate.nuggets.compare import NuggetComparison, compare_nugget_collections, compared
from karat.model import Collection, Query, Reviewed, UsageError

TEXT = "Ada Brown left Rome in May."
SPANS = {"EVT": [0, 19], "LOC": [15, 19], "TMP": [20, 26], "NUM": [0, 3]}
PRINTED = {
    "Str. Audio": (3308, 2971, 10), "Str. Text": (7766, 7700, 1), "Unstr. Audio": (3108, 2795, 10),
    "Unstr. Text": (4944, 4780, 3), "Overall": (19126, 18246, 5),
}  # fmt: skip
"""Corrected and automatic nuggets and the difference in percent: Table 4 of Babko-Malaya et al. 2012."""


def rows(*kinds: str, source: str = "auto", **fields: Any) -> list[dict[str, Any]]:
    """A snippet for each argument, with a nugget for each of its blank-separated types."""
    return [
        {"snippet_id": str(number), "text": f"{TEXT} {number}", "source": source}
        | {"nuggets": [{"type": kind, "spans": [SPANS[kind]]} for kind in names.split()]}
        | {name: value[number] if isinstance(value, list) else value for name, value in fields.items()}
        for number, names in enumerate(kinds)
    ]


def file(data: list[dict[str, Any]]) -> Collection:
    return collect("\n".join(map(json.dumps, data)), "nuggetized")


def by_part(auto: Any, gold: Any, **options: Any) -> dict[str, NuggetComparison]:
    comparisons = compare_nugget_collections(file(auto), file(gold), **options)
    return {comparison.part: comparison for comparison in comparisons.parts}


@pytest.mark.parametrize("name", PRINTED)
def test_relative_differences_are_those_of_table_4(name: str) -> None:
    gold, auto, percent = PRINTED[name]
    comparison = compared(np.array([[0.0, auto, gold]]))
    assert (comparison.gold, comparison.auto) == (gold, auto)
    assert comparison.difference.value is not None
    assert round(100 * comparison.difference.value) == percent


def test_the_conditions_of_table_4_sum_to_its_last_row() -> None:
    conditions = [counts for name, counts in PRINTED.items() if name != "Overall"]
    assert tuple(sum(column) for column in zip(*conditions, strict=True))[:2] == PRINTED["Overall"][:2]


def test_the_mean_difference_is_tested_by_a_paired_t() -> None:
    comparison = compared(np.array([[0.0, auto, gold] for auto, gold in ((1, 3), (2, 2), (0, 1), (4, 5), (3, 3))]))
    # Differences 2, 0, 1, 1, 0: mean 0.8, sd 0.8367, t 2.138 with 4 degrees of freedom.
    assert comparison.mean_difference.value == pytest.approx(0.8)
    assert comparison.mean_difference.low == pytest.approx(0.8 - 2.7764451 * 0.8366600 / 5**0.5)
    assert comparison.mean_difference.high == pytest.approx(0.8 + 2.7764451 * 0.8366600 / 5**0.5)
    assert comparison.p == pytest.approx(0.0993, abs=1e-4)


def test_counts_and_matches_for_all_and_by_type() -> None:
    parts = by_part(rows("EVT TMP", "EVT", "LOC NUM"), rows("EVT TMP LOC", "EVT", "TMP", source="person"))
    assert list(parts) == ["all", "type=EVT", "type=LOC", "type=NUM", "type=TMP"]
    everything = parts["all"]
    assert (everything.snippets, everything.gold, everything.auto, everything.matched) == (3, 5, 5, 3)
    assert everything.precision.value == everything.recall.value == everything.f1.value == 0.6
    assert everything.f1.low is not None
    assert everything.f1.low < 0.6 < (everything.f1.high or 0)
    assert (parts["type=LOC"].matched, parts["type=LOC"].f1.value) == (0, 0.0)
    numbers = parts["type=NUM"]
    assert (numbers.snippets, numbers.difference.value, numbers.recall.value, numbers.precision.value) == (
        3, None, None, 0.0,
    )  # fmt: skip


def test_no_difference_has_p_one_and_a_single_snippet_has_no_p() -> None:
    same = rows("EVT", "TMP EVT")
    assert by_part(same, same)["all"].p == 1.0
    alone = by_part(same[:1], same[:1])["all"]
    assert (alone.p, alone.mean_difference.value, alone.mean_difference.low, alone.f1.low) == (None, 0.0, None, None)


def test_the_match_rule_is_chosen_by_name() -> None:
    auto, gold = rows("TMP", "EVT"), rows("TMP", "EVT")
    gold[0]["nuggets"][0]["spans"] = [[23, 26]]
    assert by_part(auto, gold)["all"].matched == 2
    assert by_part(auto, gold, match="jaccard:0.8")["all"].matched == 1
    assert by_part(auto, gold, match="jaccard:0.5")["all"].matched == 2


def test_classes_are_fields_of_the_rows_and_may_be_crossed() -> None:
    auto = rows("EVT", "TMP", "LOC")
    gold = rows("EVT", "TMP", "LOC", style=["news", "blog", "news"], medium=["text", "text", "audio"])
    parts = by_part(auto, gold, by="style")
    assert [(part, comparison.snippets) for part, comparison in parts.items()][:3] == [
        ("all", 3), ("style=blog", 1), ("style=news", 2),
    ]  # fmt: skip
    assert "style=news,medium=audio" in by_part(auto, gold, by="style,medium")


def test_classes_are_conditions_of_the_query_runs_and_queries() -> None:
    auto = rows("EVT", "TMP", query_id=["q1", "q2"], run_id="r")
    query = Query(query_id="q1", text="?", conditions={"language": "ar"})
    gold = Collection([query, *file(auto)])
    parts = [comparison.part for comparison in compare_nugget_collections(file(auto), gold, by="language").parts]
    assert parts[1:3] == ["language=(none)", "language=ar"]
    assert {"query=q1", "query=q2"} < by_part(auto, auto, by="query").keys()
    assert "run=r" in by_part(auto, auto, by="run")


def test_snippets_with_other_ids_are_found_by_their_text() -> None:
    auto = rows("EVT", "TMP")
    gold = [row | {"snippet_id": f"x{row['snippet_id']}", "query_id": "q"} for row in rows("EVT", "TMP")]
    assert by_part(auto, gold[::-1])["all"].matched == 2


def test_the_same_ids_for_other_texts_mean_nothing() -> None:
    auto, gold = rows("EVT", "TMP"), rows("EVT", "TMP")
    gold[0]["snippet_id"], gold[1]["snippet_id"] = "1", "0"
    assert by_part(auto, gold)["all"].matched == 2


def test_repeated_texts_are_paired_in_order() -> None:
    auto = [row | {"text": TEXT} for row in rows("EVT", "TMP")]
    gold = [row | {"snippet_id": f"x{row['snippet_id']}"} for row in auto]
    assert by_part(auto, gold)["all"].matched == 2


@pytest.mark.parametrize(
    ("auto", "gold", "message"),
    [
        (rows("EVT", "TMP"), rows("EVT"), "1 snippet only in the automatic file: .* snippet 1 is not in the gold"),
        (rows("EVT"), rows("EVT", "TMP"), "1 snippet only in the gold file: .* query text, run text, snippet 1 is not"),
        (rows("EVT"), [rows("EVT")[0] | {"text": f"{TEXT}!"}], "snippet 0 has another text there"),
    ],
)  # fmt: skip
def test_a_snippet_that_is_only_in_one_file_is_an_error(auto: Any, gold: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        by_part(auto, gold)


def test_a_snippet_that_is_only_in_one_file_counts_or_is_left_out() -> None:
    auto, gold = rows("EVT", "TMP LOC"), rows("EVT", source="person")
    zero, skip = (by_part(auto, gold, missing=missing)["all"] for missing in ("zero", "skip"))
    assert (zero.snippets, zero.gold, zero.auto) == (2, 1, 3)
    assert (skip.snippets, skip.gold, skip.auto) == (1, 1, 1)
    (note,) = compare_nugget_collections(file(auto), file(gold), missing="zero").notes
    assert note.endswith("counted as without nuggets in the other file")


def test_one_file_may_hold_both() -> None:
    both = file(rows("EVT TMP", "LOC") + rows("EVT", "TMP", source="corrected"))
    (everything, *_) = compare_nugget_collections(both, both).parts
    assert (everything.auto, everything.gold, everything.matched) == (3, 2, 1)


def test_a_corrector_may_have_found_none() -> None:
    nobody = file(rows("EVT TMP", "LOC") + rows("", "", source="corrected"))
    comparisons = compare_nugget_collections(nobody, nobody)
    assert (comparisons.parts[0].auto, comparisons.parts[0].gold, comparisons.notes) == (3, 0, ())
    against = rows("EVT TMP", "LOC") + rows("EVT", "LOC", source="person") + rows("", source="corrected")
    assert by_part(rows("EVT TMP", "LOC"), against)["type=EVT"].gold == 0
    assert by_part(rows("EVT TMP", "LOC"), against)["type=LOC"].gold == 1


def test_files_in_the_wrong_order_get_a_note() -> None:
    by_people = rows("EVT", "TMP", source="person")
    assert compare_nugget_collections(file(rows("EVT", "")), file(by_people)).notes == ()
    first, second = compare_nugget_collections(file(by_people), file(rows("EVT", "TMP"))).notes
    assert first.startswith("the AUTO file has only nuggets that people made or corrected")
    assert second.startswith("the GOLD file has only automatic nuggets")
    assert compare_nugget_collections(file(rows("EVT")), file(rows("", source="person"))).notes == ()


def test_nuggets_without_responses_cover_the_snippets_where_somebody_looked() -> None:
    auto = file(rows("EVT", "TMP", ""))
    nuggets = file(rows("EVT", "", "", source="person")).nuggets
    looked = Reviewed(query_id="text", run_id="text", step="nuggets", assessor="ann")
    comparison = compare_nugget_collections(auto, Collection([*nuggets, looked])).parts[0]
    assert (comparison.snippets, comparison.auto, comparison.gold, comparison.matched) == (3, 2, 1, 1)
    bare = compare_nugget_collections(Collection(auto.nuggets), Collection(auto.nuggets))
    assert (bare.parts[0].snippets, bare.parts[0].matched) == (2, 2)
    (note,) = bare.notes[1:]
    assert note.startswith("some snippets have no text in either file: there, every character of a nugget counts")


def test_of_several_assessors_one_is_chosen() -> None:
    gold = rows("EVT", source="person", assessor="ann") + rows("TMP", source="person", assessor="ben")
    with pytest.raises(UsageError, match=r"nuggets of several assessors \(ann, ben\); choose one with --assessor"):
        by_part(rows("EVT"), gold)
    assert by_part(rows("EVT"), gold, assessor="ann")["all"].matched == 1
    assert by_part(rows("EVT"), gold, assessor="ben")["all"].matched == 0
    with pytest.raises(UsageError, match="no nuggets of assessor 'cho'; its assessors are ann, ben"):
        by_part(rows("EVT"), gold, assessor="cho")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "colour"}, "no snippet or query has a field 'colour'; choose from query, run, style"),
        ({"match": "exact"}, "'exact' is neither overlap nor jaccard:X"),
        ({"missing": "maybe"}, "missing='maybe' is not one of error, zero, skip"),
    ],
)
def test_wrong_options_are_reported(options: Any, message: str) -> None:
    news = rows("EVT", style="news")
    with pytest.raises(UsageError, match=message):
        by_part(news, news, **options)


def test_files_without_nuggets_or_a_common_snippet_are_refused() -> None:
    with pytest.raises(UsageError, match="the files have no nuggets"):
        by_part(rows(""), rows(""))
    with pytest.raises(UsageError, match="no snippet in common"):
        by_part(rows("EVT"), [rows("EVT")[0] | {"text": "Other text, of another snippet.", "snippet_id": "x"}],
                missing="skip")  # fmt: skip
