from __future__ import annotations

import numpy as np
import pytest

from builders.records import citation_judgement, judgement, nug, relevance, vote
from karat.measures.agreement.agreement import (
    citation_sheet,
    class_sets,
    judgement_sheet,
    nug_classes,
    ratings_of,
    relevance_sheet,
    relevant_or_not,
    repeated_vote_sheet,
    shared_units,
    vote_sheet,
)
from karat.model import Judgement


def test_votes_are_numbers_by_assessor_and_occasion() -> None:
    votes = [
        vote("a", "vital", "ann"),
        vote("a", "okay", "ann", occasion="2"),
        vote("a", 0.25, "ben"),
        vote("a", 1.0, "ben"),
    ]
    assert vote_sheet(votes) == {"ann": {("q", "a"): 1.0}, "ann/2": {("q", "a"): 0.0}, "ben": {("q", "a"): 0.25}}


def test_an_assessor_on_two_occasions_is_a_unit_rated_twice() -> None:
    votes = [
        vote("a", "vital", "ann", occasion="1"),
        vote("a", "okay", "ann", occasion="2"),
        vote("a", "okay", "ben", occasion="1"),
    ]
    sheet = repeated_vote_sheet(votes)
    assert sheet == {"1": {("q", "a", "ann"): 1.0, ("q", "a", "ben"): 0.0}, "2": {("q", "a", "ann"): 0.0}}
    assert [*shared_units(sheet)] == [("q", "a", "ann")]


def test_judgements_by_judge_and_assessor() -> None:
    unit = ("q", "r", "", "a")
    sheet = judgement_sheet(
        [judgement("a", 0.5), judgement("a", 1.0, assessor="ann"), judgement("a", 0.0, judge="k", snippet_id="s")]
    )
    assert sheet == {"j": {unit: 0.5}, "j/ann": {unit: 1.0}, "k": {("q", "r", "s", "a"): 0.0}}


def test_a_judge_who_is_not_sure_is_counted_with_the_expected_degree() -> None:
    sheet = judgement_sheet([judgement("a", None, status="ok", probabilities={"0": 0.5, "0.5": 0.2, "1": 0.3})])
    assert sheet["j"][("q", "r", "", "a")] == pytest.approx(0.4)


@pytest.mark.parametrize(
    "failed", [judgement("a", None), judgement("a", status="unknown"), judgement("a", None, status="ok")]
)
def test_what_failed_is_no_rating(failed: Judgement) -> None:
    assert judgement_sheet([failed]) == {}


def test_relevance_is_two_questions() -> None:
    labels = ("irrelevant", "relevant", "redundant")
    sheet = relevance_sheet(relevance(label, label) for label in labels)
    assert [*sheet["ann"].values()] == [0, 1, 2]
    assert relevant_or_not(np.array([0, 1, 2, np.nan])).tolist()[:3] == [0, 1, 1]
    assert np.isnan(relevant_or_not(np.array([np.nan]))).all()


def test_a_missing_document_was_not_rated() -> None:
    supports = {"d1": "full", "d2": "partial", "d3": "none", "d4": "missing"}
    sheet = citation_sheet(citation_judgement(doc_id, support) for doc_id, support in supports.items())
    assert {unit[-2]: value for unit, value in sheet["ann"].items()} == {"d1": 1.0, "d2": 0.5, "d3": 0.0}


def test_a_nugget_belongs_to_the_nug_it_belongs_to_most() -> None:
    classes = nug_classes(
        [nug("a", members={"n1": 0.5, "n2": 1, "n3": 0.5}), nug("b", members={"n1": 0.5, "n3": 0.75}), nug("c")]
    )
    assert classes == {("q", "n1"): "a", ("q", "n2"): "a", ("q", "n3"): "b"}


def test_a_class_is_named_by_its_members() -> None:
    items = [("q", "n1"), ("q", "n2"), ("p", "n1")]
    sets = class_sets({items[0]: "a", items[1]: "a", items[2]: "a", ("q", "n9"): "a"}, items)
    assert sets == [frozenset(items[:2]), frozenset(items[:2]), frozenset(items[2:])]


def test_the_matrix_has_a_row_per_unit_and_a_column_per_rater() -> None:
    ratings = ratings_of({"ann": {("q", "a"): 1.0, ("q", "b"): 0.0}, "ben": {("q", "c"): 0.5, ("q", "a"): 0.0}})
    assert (ratings.raters, ratings.units) == (("ann", "ben"), (("q", "a"), ("q", "b"), ("q", "c")))
    np.testing.assert_equal(ratings.matrix, [[1, 0], [0, np.nan], [np.nan, 0.5]])


@pytest.mark.parametrize("order", [1, -1])
def test_of_nugs_to_which_a_nugget_belongs_alike_the_first_by_id_counts(order: int) -> None:
    nugs = [
        nug("b", members={"x": 0.5, "y": 1.0}),
        nug("a", members={"x": 0.5, "y": 0.5}),
        nug("c", members={"x": 0.5}),
    ]
    assert set(nug_classes(nugs[::order]).values()) == {"a", "b"}
    assert nug_classes(nugs[::order]) == nug_classes(nugs)
