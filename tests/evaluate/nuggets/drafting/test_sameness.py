"""Which sentences contain others, by words."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.drafting import sameness
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness
from karat.model import UsageError

OTHERS = [f"Village {name} has a mill and a church." for name in ("Arko", "Belm", "Cray", "Dorn")]


def _contains(first: str, second: str) -> tuple[float, float]:
    table = LexicalSameness().contains([first, second, *OTHERS])
    return float(table[0, 1]), float(table[1, 0])


def test_more_contains_less_but_not_the_other_way_round() -> None:
    more, less = _contains("The old dam burst on Monday after heavy rain.", "The dam burst.")
    assert more == pytest.approx(1.0)
    assert less < 0.6


def test_related_words_count() -> None:
    one, other = _contains("The doctor treated the child.", "A physician treated the child.")
    assert min(one, other) > 0.85


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The storm killed 4 people in Lima.", "The storm killed 40 people in Lima."),
        ("The drug did not reduce the fever.", "The drug reduced the fever."),
        ("The treaty was signed in Paris.", "The treaty was signed in Geneva."),
    ],
)
def test_numbers_negation_and_names_forbid(first: str, second: str) -> None:
    assert _contains(first, second) == (0.0, 0.0)


def test_an_extra_number_is_allowed_only_in_the_one_that_says_more() -> None:
    more, less = _contains("The storm killed 40 people.", "The storm killed people.")
    assert more == pytest.approx(1.0)
    assert less == 0.0


def test_too_many_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sameness, "MOST", 2)
    with pytest.raises(UsageError, match="3 different sentences, but at most 2 can be compared"):
        LexicalSameness().contains(["a", "b", "c"])
