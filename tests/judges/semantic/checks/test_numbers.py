"""Numbers that disagree, and numbers that only look different."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import Conflict, find_conflicts, read_text


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


def test_the_words_of_both_texts_are_named() -> None:
    nug, text = "The storm killed at least 40 people.", "The storm killed at least 4 people on the coast."
    assert find_conflicts(read_text(nug), read_text(text)) == (
        Conflict("number", "at least 40 people", "at least 4 people"),
    )


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The bridge is 300 metres long.", "The bridge is 500 metres long."),
        ("Forty miners were rescued.", "Fourteen miners were rescued."),
        ("Sales grew to $3.2 million.", "Sales grew to $4.1 million."),
        ("Some 30 percent of the voters stayed at home.", "Some 60 per cent of the voters stayed at home."),
        ("One in four adults smokes.", "One in ten adults smokes."),
        ("The mine employs two hundred and ten workers.", "The mine employs 120 workers."),
        ("He came third in the race.", "He came second in the race."),
        ("She is the 14th president of the club.", "She is the 15th president of the club."),
        ("The shop has 40 rooms.", "The shop has more than 4 rooms."),
        ("Between 5 and 10 guests got ill.", "Twenty guests got ill."),
        ("The home side won 3-1.", "The home side won 2-1."),
        ("He has type 1 diabetes.", "He has type 2 diabetes."),
        ("A third of the fields were flooded.", "Half of the fields were flooded."),
        ("The fine was 2 million euros.", "The fine was 2 billion euros."),
        ("The town has more than 50,000 inhabitants.", "The town has fewer than 20,000 inhabitants."),
    ],
)
def test_another_number_in_the_same_place_is_a_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) == {"number"}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The dam cost 3.2 million dollars.", "The dam cost $3,200,000."),
        ("Forty-one miners were rescued.", "All 41 miners were rescued."),
        ("A dozen ships were lost.", "Twelve ships were lost."),
        ("A quarter of the fields were flooded.", "25% of the fields were flooded."),
        ("One in four adults smokes.", "About 25 percent of adults smoke."),
        ("The club has about 40 members.", "The club has 41 members."),
        ("The club has more than 4 members.", "The club has 40 members."),
        ("The club has at least 20 members.", "The club has more than 30 members."),
        ("The club has 32 members.", "The club has more than 30 members."),
        ("Between 5 and 10 guests got ill.", "Seven guests got ill."),
        ("Seven guests got ill.", "Five to ten guests got ill."),
        ("The club has 40 members.", "The club has many members."),
        ("The club has 40 members.", "The club has 40 members and 3 halls."),
        ("The club has 40 members.", "The club has 3 halls for its members."),
        ("The rate is 4.2 percent.", "The rate is about 4 percent."),
        ("Some 48,000 people live there.", "48,213 people live there."),
        ("He is 6 feet tall.", "He is 183 cm tall."),
        ("The thirty seventh president resigned.", "The 37th president resigned."),
        ("Ten French soldiers died.", "Two hundred soldiers died."),
        ("The first [3] study of bees found mites.", "The first [7] study of bees found mites."),
        ("COVID-19 spread quickly.", "COVID spread quickly to 40 states."),
        ("It does not have 5 million inhabitants.", "It has 2 million inhabitants."),
    ],
)
def test_silence_and_other_ways_to_write_it_are_no_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()


def test_the_evidence_may_allow_less_but_not_more() -> None:
    assert not kinds("The fire killed more than 4 people.", "The fire killed 40 people.")
    assert kinds("The fire killed 40 people.", "The fire killed more than 4 people.") == {"number"}
