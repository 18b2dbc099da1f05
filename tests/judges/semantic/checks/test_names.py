"""Somebody else in the place of a name."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import find_conflicts, read_text
from karat.judges.semantic.checks.words import table


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The minister visited Taiwan in the spring.", "The minister visited Japan in the spring."),
        ("The prize went to John Smith.", "The prize went to Jane Smith."),
        ("The opera was written by Verdi in Milan.", "The opera was written by Puccini in Milan."),
        ("The film was made by George A. Romero in 1968.", "The film was made by Ann Lee in 1968."),
        ("Talks with North Korea began.", "Talks with South Korea began."),
        ("Nokia was founded by an engineer.", "Ericsson was founded by an engineer."),
        ("French farmers blocked the road.", "Spanish farmers blocked the road."),
    ],
)
def test_another_name_in_the_same_place_is_a_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) - {"antonym"} == {"name"}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The prize went to John Smith.", "The prize went to Smith."),
        ("The prize went to Smith.", "The prize went to Dr. John Smith."),
        ("The United States left the treaty.", "The U.S. left the treaty."),
        ("The troops of the United States left.", "American troops left."),
        ("The World Health Organization warned of mosquitoes.", "The WHO warned of mosquitoes."),
        ("The WHO warned of mosquitoes.", "The World Health Organization warned of mosquitoes."),
        ("The fair in Lyon drew crowds.", "The fair drew crowds."),
        ("He was born in Germany.", "He was born in Berlin."),
        ("Doctors treated the wounded.", "Physicians treated the wounded."),
        ("The prize went to Verdi.", "The prize went to Verdi and Puccini."),
        ("The Treaty Of Rome Was Signed By Six States", "The Pact Of Rome Was Signed By Six States"),
    ],
)
def test_other_forms_of_a_name_agree(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()


def test_no_form_of_a_place_is_in_two_lines() -> None:
    forms = [form.strip() for line in table("places.txt") for form in line.split("|")]
    assert len(forms) == len(set(forms))
