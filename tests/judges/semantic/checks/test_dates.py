"""Years, months and days that disagree."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import find_conflicts, read_text


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The treaty was signed in 1994.", "The treaty was signed in 1996."),
        ("The harbour closed in March.", "The harbour closed in May."),
        ("The harbour closed on March 5.", "The harbour closed on 7 March."),
        ("The vote was held on Monday.", "The vote was held on Friday."),
        ("The church was built in the 18th century.", "The church was built in the 15th century."),
        ("The club was founded in the 1990s.", "The club was founded in 1975."),
        ("She has led the party since 2016.", "She has led the party since 2012."),
        ("The law passed on 2019-04-02.", "The law passed on 2018-04-02."),
    ],
)
def test_another_date_in_the_same_place_is_a_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) == {"date"}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The club was founded in 1994.", "The club was founded in the 1990s."),
        ("The club was founded in the 1990s.", "The club was founded in 1994."),
        ("The war was fought in 1916.", "The war was fought from 1914 to 1918."),
        ("The war was fought in 1916.", "The war was fought in 1914-18."),
        ("The bank closed after 1990.", "The bank closed in 1994."),
        ("The vote was held on March 5.", "The vote was held on the 5th of March."),
        ("The vote was held on March 5.", "The vote was held in March."),
        ("The vote was held in 2004.", "The vote was held in Rome."),
        ("The treaty was signed in 1994.", "Founded in 1951, the union saw the treaty signed in 1994."),
        ("They may march in Rome.", "They march in Rome."),
        ("He paid 1500 crowns for the horse.", "In 1620 he paid 1500 crowns for the horse."),
    ],
)
def test_dates_that_can_be_the_same_agree(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()
