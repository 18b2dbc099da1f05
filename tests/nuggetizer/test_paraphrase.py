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
    ],
)
def test_in_the_words_of_the_text(nuggetizer, text, kind, said):
    paraphrases = {nugget.type: nugget.paraphrase for nugget in nuggetizer.nuggetize(text).nuggets}
    assert paraphrases[kind] == said


def test_propositions_hold_their_nuggets(nuggetizer):
    text = "In March, Foreign Minister Carla Mendes flew to Oslo because talks had failed."
    for nugget in nuggetizer.nuggetize(text).nuggets:
        assert nugget.proposition is not None
        assert nugget.spans.difference(nugget.proposition) == () or nugget.type == "EVT"
