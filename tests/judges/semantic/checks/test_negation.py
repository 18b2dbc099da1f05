"""Statements that one text makes and the other denies."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import find_conflicts, read_text


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The drug reduced mortality.", "The drug did not reduce mortality in the trial."),
        ("The drug didn't reduce mortality.", "The drug reduced mortality."),
        ("The company paid its workers.", "The company never paid its workers."),
        ("The company failed to pay its workers.", "In the end the company paid its workers."),
        ("The city has clean water.", "The city has no clean water."),
        ("The minister refused to sign the treaty.", "The minister signed the treaty."),
        ("The fence prevented wolves from entering the valley.", "The wolves entered the valley through the fence."),
        ("She was able to vote.", "She was not able to vote."),
        ("The whale is a fish.", "The whale is not a fish."),
        ("Bees cannot see red light.", "Bees can see red light."),
    ],
)
def test_a_denied_statement_is_a_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) == {"negation"}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The drug reduced mortality.", "The drug reduced mortality, but it did not change costs."),
        ("The drug did not reduce mortality.", "The drug failed to reduce mortality."),
        ("The study found no link.", "The study did not find a link."),
        ("The drug reduced mortality.", "The drug did not fail to reduce mortality."),
        ("The team won the cup.", "The team not only won the cup but also the league."),
        ("The team won the cup.", "No fewer than 40,000 people saw the team win the cup."),
        ("The army failed to retake the fort.", "The army marched to retake the fort."),
        ("The hall seats no more than 40 people.", "The hall seats 40 people."),
        ("Smoking is bad for the heart.", "You should not be smoking: it is bad for the heart."),
        ("The road is closed.", "Whether or not the road is closed is unknown."),
    ],
)
def test_a_negation_of_something_else_is_none(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()
