"""Sentences are split only where every part stays true."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "The dam burst on Monday, and the mayor left the town.",
            ["The dam burst on Monday.", "The mayor left the town."],
        ),
        (
            "The storm destroyed forty houses and killed three people.",
            ["The storm destroyed forty houses.", "The storm killed three people."],
        ),
        (
            "Ana Ruiz, who was born in Lima, wrote four novels about the sea.",
            ["Ana Ruiz wrote four novels about the sea.", "Ana Ruiz was born in Lima."],
        ),
        (
            "The old bridge, which was built in 1870, carries two lanes of traffic.",
            ["The old bridge carries two lanes of traffic.", "The old bridge was built in 1870."],
        ),
    ],
)
def test_safe_splits(drafted, sentence: str, parts: list[str]) -> None:
    assert drafted(sentence) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        # Restrictive clauses, conditions, times.
        "People who were vaccinated are less likely to get long COVID.",
        "The engine stops and the lamp turns red if the oil pressure falls.",
        "When the tide rises, the gates close and the pumps start.",
        "In winter the lake freezes and the boats stay in the harbour.",
        # Negation, modals, hedges, amounts.
        "The drug did not cure the patients and caused severe headaches.",
        "The treatment may lower blood pressure and improve sleep.",
        "Few students read the book and wrote a long report.",
        "Some farmers grow maize and sell milk in town.",
        # What somebody says.
        "The mayor said that the dam was old and the engineers had warned her.",
        "Critics claim that the law failed, and supporters point to lower prices.",
        # Shared objects, passive voice, pairs.
        "The firm designs and sells cheap solar lamps.",
        "The bill was passed by the senate and signed by the president.",
        "The city not only lost its harbour but also lost its trade.",
        # "which" may be about all of it.
        "The glacier lost half of its ice, which raised the level of the lake.",
        "Either the pump failed or the valve was left open.",
    ],
)
def test_in_doubt_a_sentence_stays_whole(drafted, sentence: str) -> None:
    assert drafted(sentence) == [sentence]


def test_a_long_sentence_loses_only_what_is_said_besides(drafted) -> None:
    sentence = (
        "The company that runs the ferries between the northern islands and the mainland announced in March that "
        "it would buy three electric ships from a yard in Gdansk, which has built ferries for more than forty years."
    )
    (text,) = drafted(sentence)
    assert text.endswith("from a yard in Gdansk.")
