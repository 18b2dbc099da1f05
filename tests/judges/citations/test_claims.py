from __future__ import annotations

import pytest

from karat.judges.citations.claims import read_claim, split_claims
from karat.judges.citations.documents import Source, Sources

SOURCES = Sources([Source("d", "The bridge closed in 1968. The mayor of Springfield spoke.")])


def test_marks_of_citations_are_no_part_of_the_claim() -> None:
    assert split_claims("Cracks were found [1]. It closed [2, 3] in 1968.") == [
        "Cracks were found.",
        "It closed in 1968.",
    ]
    assert split_claims("[1]") == []
    assert split_claims("It is.") == []


def test_numbers_and_names_are_known() -> None:
    claim = read_claim("The old Springfield bridge cost 20,919 dollars in 1968", SOURCES)
    assert [claim.forms[at] for at in sorted(claim.numbers)] == ["20919", "1968"]
    assert [claim.forms[at] for at in sorted(claim.names)] == ["springfield"]
    assert claim.weights.sum() == pytest.approx(1)


def test_parts_are_between_commas_and_conjunctions() -> None:
    claim = read_claim("The bridge closed Monday, and engineers found cracks, quickly", SOURCES)
    parts = [[claim.forms[at] for at in part] for part in claim.parts]
    assert parts == [["bridg", "close", "monday"], ["engin", "found", "crack", "quick"]]
