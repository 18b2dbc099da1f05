"""What people did not look at is no gold, and gold without types is compared without them."""

from __future__ import annotations

from typing import Any

import pytest

from karat.evaluate.nuggets.compare import NuggetComparisons, compare_nugget_collections
from karat.model import Collection, Nugget, Response, Reviewed, Snippet, SpanSet, UsageError

TEXT = "Ada left Rome."
ANSWER = Response(
    query_id="q", run_id="r", snippets=tuple(Snippet(snippet_id=str(at), text=f"{TEXT} {at}") for at in range(5))
)


def nugget(snippet: int, source: Any, at: int = 0, **fields: Any) -> Nugget:
    fields = {"type": "PER"} | fields
    name = f"{snippet}{source}{at}{fields.get('assessor', '')}"
    return Nugget(
        nugget_id=name, query_id="q", run_id="r", snippet_id=str(snippet), spans=SpanSet([(at, at + 3)]), source=source,
        **fields,
    )  # fmt: skip


AUTO = [ANSWER, *(nugget(snippet, "auto", at) for snippet in range(5) for at in (0, 9))]


def compared(*gold: Any, **options: Any) -> NuggetComparisons:
    return compare_nugget_collections(Collection(AUTO), Collection([ANSWER, *gold]), **options)


def test_one_corrected_snippet_of_five_is_compared_alone_and_a_note_says_so() -> None:
    """Gold 2 against 2 of the same snippet; counted as gold 0, the other four would make the difference -400 %."""
    comparisons = compared(nugget(0, "corrected"), nugget(0, "corrected", 9))
    everything = comparisons.parts[0]
    assert (everything.snippets, everything.gold, everything.auto) == (1, 2, 2)
    assert everything.difference.value == 0.0
    (note,) = comparisons.notes
    assert note.startswith("4 snippets without gold nuggets left out: no record says where people looked")


def test_reviewed_snippets_count_as_gold_zero() -> None:
    looked = [Reviewed(query_id="q", run_id="r", snippet_id=at, step="nuggets", assessor="ann") for at in "12"]
    comparisons = compared(nugget(0, "corrected"), *looked)
    assert (comparisons.parts[0].snippets, comparisons.parts[0].gold, comparisons.parts[0].auto) == (3, 1, 6)
    assert comparisons.notes == (
        "2 snippets without gold nuggets left out: nobody is recorded to have looked there; the others are compared",
    )
    whole = Reviewed(query_id="q", step="nuggets", assessor="ann")
    assert compared(nugget(0, "corrected"), whole).parts[0].snippets == 5
    other_step = Reviewed(query_id="q", step="votes", assessor="ann")
    assert compared(nugget(0, "corrected"), other_step).parts[0].snippets == 1


def test_of_a_named_assessor_only_the_own_reviews_count() -> None:
    reviews = [Reviewed(query_id="q", snippet_id=None, step="nuggets", assessor="ben")]
    gold = nugget(0, "corrected", assessor="ann")
    assert compared(gold, *reviews, assessor="ann").parts[0].snippets == 1
    assert compared(gold, *reviews).parts[0].snippets == 5


def test_without_gold_and_without_reviews_there_is_nothing_to_compare() -> None:
    nobody = Nugget(
        nugget_id="x", query_id="p", run_id="r", snippet_id="1", spans=SpanSet([(0, 3)]), source="person", type="PER"
    )
    with pytest.raises(UsageError, match="there is nothing to compare: 5 snippets without gold nuggets left out"):
        compared(nobody, missing="skip")


def test_gold_without_types_is_compared_without_types() -> None:
    comparisons = compared(*(nugget(snippet, "person", type=None) for snippet in range(5)))
    (everything,) = comparisons.parts
    assert (everything.matched, everything.recall.value, everything.precision.value) == (5, 1.0, 0.5)
    assert comparisons.notes == ("the gold nuggets have no types: all are compared without types",)
    assert "|types:no|" in comparisons.signature
    typed = compared(*(nugget(snippet, "person") for snippet in range(5)))
    assert [part.part for part in typed.parts] == ["all", "type=PER"]


def test_adjudicated_gold_counts() -> None:
    one = [nugget(0, "person", assessor=name) for name in ("ann", "ben")]
    with pytest.raises(UsageError, match="choose one with --assessor"):
        compared(*one)
    comparisons = compared(*one, nugget(0, "person", 9, assessor="cid", adjudicated=True))
    assert (comparisons.parts[0].gold, comparisons.parts[0].matched) == (1, 1)
    assert (
        comparisons.notes[0]
        == "adjudicated nugget records count in 1 query: 2 others left out (2 by assessors on their own)"
    )


def test_a_gold_nugget_that_was_revised_does_not_count() -> None:
    """The person first marked two nuggets and then joined them; of the automatic ones none is lost."""
    first = [nugget(0, "person", at, assessor="ann") for at in (0, 9)]
    joined = nugget(0, "person", 4, assessor="ann", revises=tuple(one.nugget_id for one in first), revision="joined")
    everything = compared(*first, joined).parts[0]
    assert (everything.snippets, everything.gold, everything.auto) == (1, 1, 2)


def test_a_named_assessor_may_have_looked_and_found_none() -> None:
    looked = Reviewed(query_id="q", run_id="r", snippet_id="0", step="nuggets", assessor="ben")
    everything = compared(nugget(0, "person", assessor="ann"), looked, assessor="ben").parts[0]
    assert (everything.snippets, everything.gold, everything.auto) == (1, 0, 2)
