from __future__ import annotations

import pytest

from karat.judges.citations.claims import read_claim
from karat.judges.citations.documents import Sources
from karat.judges.citations.verbatim import in_order, is_verbatim

PASSAGE = 'In May, "Engineers found cracks in two cables", the mayor said. It was not closed.'


def verbatim(claim: str, passage: str = PASSAGE) -> bool:
    return is_verbatim(read_claim(claim, Sources([])), passage)


@pytest.mark.parametrize(
    "claim",
    [
        "Engineers found cracks in two cables.",
        "engineers found cracks, in two CABLES",
        "The engineers found cracks in two cables the mayor said",
        "It was not closed.",
    ],
)
def test_case_punctuation_and_a_stop_word_do_not_count(claim: str) -> None:
    assert verbatim(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Engineers found cracks in three cables.",
        "Engineers never found cracks in two cables.",
        "It was closed.",
        "In two cables cracks found engineers.",
        "Engineers found rust and cracks in two cables.",
        "In May it was not closed.",
        "two cables",
    ],
)
def test_other_words_another_order_or_a_negation_are_not_verbatim(claim: str) -> None:
    assert not verbatim(claim)


def test_the_shortest_way_is_found() -> None:
    assert in_order(["a", "b"], ["a", "x", "a", "b"]) == (1.0, (2, 4))
    assert in_order(["a", "b"], []) == (0.0, (0, 0))
    assert in_order(["a", "b", "c"], ["c", "a"])[0] == pytest.approx(1 / 3)
