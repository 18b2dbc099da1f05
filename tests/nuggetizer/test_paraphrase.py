"""Every nugget can be said as a sentence."""

from __future__ import annotations

import pytest

from karat.nuggetizer.nuggetizer import Nuggetizer


@pytest.fixture(scope="module")
def nuggetizer(analyzer):
    return Nuggetizer(analyzer, paraphrase=True)


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("President Carla Mendes resigned.", "TITLE", "Carla Mendes is the President."),
        ("Carla Mendes resigned in March.", "TMP", "Carla Mendes resigned in March."),
        ("In March Carla Mendes sold the house.", "EVT", "Carla Mendes sold the house."),
        ("The storm destroyed 40 houses.", "NUM", "The storm destroyed 40 houses."),
        ("The gate was locked, said Ana Ruiz.", "STM", "Ana Ruiz said The gate was locked."),
        ("Jan Kok's chief of staff, Piet Visser, resigned.", "TITLE", "Piet Visser is Jan Kok's chief of staff."),
        ("The president of Brazil, Carla Mendes, was impeached.", "EVT", "Carla Mendes was impeached."),
        ("Ana Ruiz said that the roof leaks.", "STM", "Ana Ruiz said that the roof leaks."),
        ('"It is over," said Ana Ruiz on Monday.', "TMP", 'Ana Ruiz said on Monday: "It is over."'),
        ("The company sold 200 cars in May and 300 in June.", "NUM", "The company sold 300 cars."),
        ("The company sold 200 cars in May and 300 in June.", "TMP", "The company sold 300 cars in June."),
        ("Three were arrested on Monday and two on Tuesday.", "TMP", "Two were arrested on Tuesday."),
        ("After leaving Bonn, the queen slept.", "LOC", "After leaving Bonn, the queen slept."),
        ("He will resign if prices fall in May.", "TMP", "He will resign if prices fall in May."),
        ("Smoking in Bonn harms people.", "LOC", "Smoking in Bonn harms people."),
        ("They tested the drug on 300 volunteers.", "NUM", "They tested the drug on 300 volunteers."),
        ("The court asked Ana Ruiz to leave in May.", "TMP", "The court asked Ana Ruiz to leave in May."),
        ("Former Chilean president Ana Ruiz left.", "TITLE", "Ana Ruiz is a former Chilean president."),
        ("Ana Ruiz, chairman of the board, left.", "TITLE", "Ana Ruiz is chairman of the board."),
        ("Ana Ruiz, then mayor of Lima, left.", "TITLE", "Ana Ruiz was then mayor of Lima."),
        ("Sgt. Paul Dunn left.", "TITLE", "Paul Dunn has the title Sgt."),
        ("Her lawyer, Tom Gray, left.", "TITLE", "Tom Gray is her lawyer."),
        ("Ana Ruiz, a nurse, left.", "PER", "Ana Ruiz, a nurse, left."),
        ("A bomb exploded in Bonn, killing 12.", "NUM", "A bomb exploded, killing 12."),
        ("Three people drowned in Bonn on Monday and one in Rome on Tuesday.", "TMP", "One drowned on Tuesday."),
    ],
)
def test_in_the_words_of_the_text(nuggetizer, text, kind, said):
    paraphrases = {nugget.type: nugget.paraphrase for nugget in nuggetizer.nuggetize(text).nuggets}
    assert paraphrases[kind] == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("French President Jacques Chirac called Jan Kok.", "Jacques Chirac is the French President."),
        ("Karl Otto called Anna Weber, a lawyer.", "Anna Weber is a lawyer."),
        ("Jan Kok's adviser, Piet Visser, called Karl Otto.", "Piet Visser is Jan Kok's adviser."),
    ],
)
@pytest.mark.parametrize("rules", ["auto", "guidelines"])
def test_a_title_is_never_given_to_somebody_else(analyzer, text, said, rules):
    nuggets = Nuggetizer(analyzer, rules=rules, paraphrase=True).nuggetize(text).nuggets
    assert [nugget.paraphrase for nugget in nuggets if nugget.type == "TITLE"] == [said]


def test_propositions_hold_their_nuggets(nuggetizer):
    text = "In March, Foreign Minister Carla Mendes flew to Oslo because talks had failed."
    for nugget in nuggetizer.nuggetize(text).nuggets:
        assert nugget.proposition is not None
        assert nugget.spans.difference(nugget.proposition) == () or nugget.type == "EVT"
