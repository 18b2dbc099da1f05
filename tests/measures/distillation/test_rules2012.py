from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import cases, run_nugget, value
from builders.records import QUERY, nug, relevance, response
from karat.measures.distillation.contingency import Table
from karat.measures.distillation.distillation import Distillation
from karat.measures.distillation.rules2012 import contingency_2012
from karat.model import Record, Relevance, Response, Run, Snippet, SpanSet
from strategies import moderately

RELEVANT, IRRELEVANT = "Dora Lind sailed to Faroe in March.", "Her cousin rowed to Orkney."
EXAMPLE = [
    response("A", RELEVANT, IRRELEVANT),
    relevance("s1", "relevant", run_id="A"),
    relevance("s2", "irrelevant", run_id="A"),
    run_nugget("A1", start=17, end=25, type="LOC"),
    run_nugget("A2", start=26, end=34, type="TMP"),
    run_nugget("A3", start=17, end=26, type="LOC", snippet_id="s2"),
]


def test_two_relevant_nuggets_and_an_irrelevant_one_have_precision_two_thirds() -> None:
    case = cases(EXAMPLE)["A"]
    assert contingency_2012(case) == Table(right=2, wrong=1, counted=3)
    assert value(Distillation(part="precision", rules="2012"), case) == 2 / 3
    assert value(Distillation(part="recall", rules="2012"), case) == 1.0


def test_recall_is_over_the_relevant_nuggets_of_all_runs_each_once() -> None:
    other: list[Record] = [
        response("B", "In March, said the paper.", "She was seen in Norway"),
        relevance("s1", "relevant", run_id="B"),
        relevance("s2", "redundant", run_id="B"),
        run_nugget("B1", start=0, end=8, type="TMP"),
        run_nugget("B2", start=13, end=22, type="LOC", snippet_id="s2"),
        Run(run_id="C"),
        response("C"),
    ]
    by_run = cases([*EXAMPLE, *other])
    assert contingency_2012(by_run["A"]) == Table(right=2, wrong=1, counted=5)
    assert contingency_2012(by_run["B"]) == Table(right=1, wrong=1, missing=1, counted=5)
    assert contingency_2012(by_run["C"]) == Table(missing=2, counted=5)
    assert math.isnan(value(Distillation(part="precision", rules="2012"), by_run["C"]))
    assert value(Distillation(part="F_value", rules="2012"), by_run["C"]) == 0.0


def test_the_same_words_of_another_type_are_another_nugget() -> None:
    other = [response("B", "in march"), relevance("s1", "relevant", run_id="B"), run_nugget("B1", end=8, type="MOD")]
    assert contingency_2012(cases([*EXAMPLE, *other])["A"]).missing == 1


def test_nugs_tell_which_nuggets_are_the_same() -> None:
    other = [
        response("B", "on the islands"),
        relevance("s1", "relevant", run_id="B"),
        run_nugget("B1", end=14, type="LOC"),
    ]
    assert contingency_2012(cases([*EXAMPLE, *other])["A"]).missing == 1
    assert contingency_2012(cases([*EXAMPLE, *other, nug("Faroe", members=["A1", "B1"])])["A"]).missing == 0


def test_world_knowledge_is_not_missed() -> None:
    other = [response("B", "on the islands"), relevance("s1", "relevant", run_id="B")]
    hard = run_nugget("B1", end=14, type="LOC", world_knowledge=True)
    assert contingency_2012(cases([*EXAMPLE, *other, hard])["A"]).missing == 0
    plain = run_nugget("B1", end=14, type="LOC")
    key = nug("isles", members=["B1"], world_knowledge=True)
    assert contingency_2012(cases([*EXAMPLE, *other, plain, key])["A"]).missing == 0


@pytest.mark.parametrize(
    ("spans", "right"), [([(0, 35)], 2), ([(10, 25)], 1), ([(10, 30)], 1), ([(10, 31)], 2), ([(0, 9)], 0)]
)
def test_nuggets_beside_the_relevant_text_do_not_count(spans: list[tuple[int, int]], right: int) -> None:
    records = [record for record in EXAMPLE if not (isinstance(record, Relevance) and record.snippet_id == "s1")]
    case = cases([*records, relevance("s1", "relevant", run_id="A", text_spans=SpanSet(spans))])["A"]
    assert contingency_2012(case) == Table(right=right, wrong=1, counted=3)


def test_said_again_in_a_relevant_snippet_it_is_right_for_precision_and_found_once() -> None:
    records: list[Record] = [
        response("A", "in March", "again in March", "a storm"),
        response("B", "a calm sea"),
        *(relevance(f"s{number}", "relevant", run_id="A") for number in (1, 2)),
        relevance("s3", "irrelevant", run_id="A"),
        relevance("s1", "relevant", run_id="B"),
        run_nugget("A1", end=8),
        run_nugget("A2", start=6, end=14, snippet_id="s2"),
        run_nugget("A3", end=7, snippet_id="s3"),
        run_nugget("B1", end=10),
    ]
    case = cases(records)["A"]
    assert contingency_2012(case) == Table(right=1, wrong=1, missing=1, repeated=1, counted=4)
    scores = {part: value(Distillation(part=part, rules="2012"), case) for part in ("precision", "recall", "rightness")}
    assert scores == {"precision": 2 / 3, "recall": 1 / 2, "rightness": 1 / 3}


def test_assessors_who_differ_share_the_nuggets() -> None:
    case = cases([*EXAMPLE, relevance("s2", "relevant", run_id="A", assessor="bob")])["A"]
    assert contingency_2012(case) == Table(right=2.5, wrong=0.5, counted=3)


def test_corrected_nuggets_take_the_place_of_automatic_ones() -> None:
    corrected = run_nugget("A4", start=26, end=34, type="TMP", source="corrected")
    automatic = [run_nugget("A5", end=9, source="auto"), run_nugget("A6", start=3, end=9, source="auto")]
    assert contingency_2012(cases([*EXAMPLE, corrected, *automatic])["A"]).right == 1


def test_a_corrector_who_found_none_takes_the_place_of_others() -> None:
    automatic = [run_nugget("A5", end=9, source="auto"), run_nugget("A6", start=3, end=9, source="auto")]
    looked = Response(
        query_id=QUERY,
        run_id="A",
        snippets=(Snippet(snippet_id="s1", text=RELEVANT, extra={"found_none": ["person"]}),),
    )
    records = [looked, relevance("s1", "relevant", run_id="A"), *automatic]
    assert contingency_2012(cases(records)["A"]).right == 0
    by_person, corrected = run_nugget("A7", end=4), run_nugget("A8", end=4, source="corrected")
    assert contingency_2012(cases([*records, by_person])["A"]).right == 1
    assert contingency_2012(cases([*records, by_person, corrected])["A"]).counted == 1


def test_nothing_is_charged_by_the_character_and_late_words_do_not_count() -> None:
    case = cases(EXAMPLE)["A"]
    assert contingency_2012(case, words=5) == Table(right=1, counted=1)
    assert Distillation(part="recall", rules="2012").counts(case)[4] == 0


def test_without_labels_nothing_can_be_said() -> None:
    case = cases([record for record in EXAMPLE if not isinstance(record, Relevance)])["A"]
    measure = Distillation(part="precision", rules="2012")
    assert contingency_2012(case) == Table()
    assert math.isnan(value(measure, case))
    assert "no nugget lies in a labelled snippet" in measure.undefined()


def test_without_texts_nuggets_without_a_nug_are_all_different() -> None:
    records = [record for record in EXAMPLE if isinstance(record, Relevance)]
    bare = [run_nugget("A1"), run_nugget("A2"), relevance("s1", "relevant", run_id="B"), run_nugget("B1")]
    assert contingency_2012(cases([*records, *bare])["A"]) == Table(right=2, missing=1, counted=3)


# A1 belongs to two nugs alike: by one it is what B1 says, by the other what B2 says.
TIED: list[Record] = [
    *EXAMPLE,
    response("B", "on the islands", "in the north"),
    relevance("s1", "relevant", run_id="B"),
    relevance("s2", "relevant", run_id="B"),
    relevance("s2", "redundant", run_id="B", assessor="bob"),
    run_nugget("B1", end=14),
    run_nugget("B2", end=12, snippet_id="s2"),
    nug("isles", members=["A1", "B1"]),
    nug("north", members=["A1", "B2", "A3"]),
]


def test_of_nugs_to_which_a_nugget_belongs_alike_the_first_by_id_counts() -> None:
    assert contingency_2012(cases(TIED)["A"]) == Table(right=2, wrong=1, missing=0.5, counted=5)
    assert contingency_2012(cases(TIED[::-1])["A"]) == Table(right=2, wrong=1, missing=0.5, counted=5)


@moderately
@given(st.permutations(TIED))
def test_the_order_of_the_records_changes_nothing(records: list[Record]) -> None:
    found, expected = cases(records), cases(TIED)
    for run_id in "AB":
        assert contingency_2012(found[run_id]) == contingency_2012(expected[run_id])
