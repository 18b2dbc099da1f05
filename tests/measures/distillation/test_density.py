from __future__ import annotations

import pytest

from builders.cases import run_nugget
from builders.records import relevance, response
from karat.measures.distillation.density import Density, estimate_density
from karat.model import Collection, Record, UsageError

RECORDS: list[Record] = [
    response("A", "abcde fghij", "klm no", "not nuggetized"),
    response("B", "0123456789 0123456789"),
    relevance("s1", "irrelevant", run_id="A"),
    relevance("s2", "relevant", run_id="A"),
    relevance("s3", "irrelevant", run_id="A"),
    relevance("s1", "irrelevant", run_id="B"),
    run_nugget("A1", end=5),
    run_nugget("A2", start=6, end=11),
    run_nugget("A3", end=3, snippet_id="s2"),
    run_nugget("B1", end=10),
]


def test_characters_of_nuggetized_irrelevant_snippets_over_their_nuggets() -> None:
    assert estimate_density(Collection(RECORDS)) == Density(chars=30, nuggets=3, density=10.0)


@pytest.mark.parametrize(
    ("text", "run_id", "expected"),
    [
        ("all", None, Density(chars=35, nuggets=4, density=8.75)),
        ("irrelevant", "A", Density(chars=10, nuggets=2, density=5.0)),
        ("all", "A", Density(chars=15, nuggets=3, density=5.0)),
        ("irrelevant", "B", Density(chars=20, nuggets=1, density=20.0)),
    ],
)
def test_all_text_and_single_runs(text: str, run_id: str | None, expected: Density) -> None:
    assert estimate_density(Collection(RECORDS), text=text, run_id=run_id) == expected


def test_most_assessors_decide_and_corrected_nuggets_count() -> None:
    doubted = [*RECORDS, relevance("s1", "relevant", run_id="A", assessor="bob")]
    assert estimate_density(Collection(doubted)) == Density(chars=20, nuggets=1, density=20.0)
    mended = [*RECORDS, run_nugget("A9", end=9, source="corrected")]
    assert estimate_density(Collection(mended), run_id="A") == Density(chars=10, nuggets=1, density=10.0)


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([], "there are no nuggets"),
        ([response("A", "abc"), run_nugget("A1")], "no snippet with nuggets is labelled irrelevant"),
        (
            [relevance("s1", "irrelevant", run_id="A"), run_nugget("A1")],
            "the files do not have the texts of the snippets",
        ),
    ],
)
def test_where_density_cannot_be_computed_the_reason_is_given(records: list[Record], reason: str) -> None:
    assert estimate_density(Collection(records)) == Density(chars=0, nuggets=0, density=None, reason=reason)


def test_a_kind_of_text_that_is_none() -> None:
    with pytest.raises(UsageError, match="text='relevant' is not one of irrelevant, all"):
        estimate_density(Collection(RECORDS), text="relevant")
