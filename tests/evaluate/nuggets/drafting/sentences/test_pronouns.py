"""Names are written for pronouns only where they are sure."""

from __future__ import annotations

from collections import Counter

import pytest

from karat.evaluate.nuggets.drafting.sentences.candidates import UNCLEAR


@pytest.mark.parametrize(
    ("question", "answer", "texts"),
    [
        (
            "Who was Marie Curie?",
            "Marie Curie discovered polonium. She also won two Nobel Prizes for her work.",
            ["Marie Curie discovered polonium.", "Marie Curie won two Nobel Prizes for her work."],
        ),
        (
            "How do honeybees live?",
            "Honeybees build combs of wax in hollow trees. They store honey for the winter.",
            ["Honeybees build combs of wax in hollow trees.", "Honeybees store honey for the winter."],
        ),
        (
            "What is known about the heat pump?",
            "A heat pump moves heat into the house. Its compressor needs electric power.",
            ["A heat pump moves heat into the house.", "A heat pump's compressor needs electric power."],
        ),
        (
            "Why does the coast retreat?",
            "Erosion of the shore is a risk for many towns. This erosion destroys houses and roads near the cliffs.",
            [
                "Erosion of the shore is a risk for many towns.",
                "Erosion of the shore destroys houses and roads near the cliffs.",
            ],
        ),
    ],
)
def test_sure_cases(drafted, question: str, answer: str, texts: list[str]) -> None:
    assert drafted(answer, question=question) == texts


def test_a_restrictive_clause_stays_with_the_name(drafted) -> None:
    texts = drafted(
        "People who were vaccinated recover faster from the virus. They also have fewer lasting symptoms.",
        question="Do people recover from the virus?",
    )
    assert texts[1] == "People who were vaccinated have fewer lasting symptoms."


def test_what_is_named_in_the_sentence_stays(drafted) -> None:
    sentence = "Many fathers spend more time with their children than their own parents did."
    assert drafted(sentence) == [sentence]


def test_nothing_stands_for_an_empty_it(drafted) -> None:
    texts = drafted("The huts are closed in October. It is dangerous to cross the glacier without a guide.")
    assert texts[1] == "It is dangerous to cross the glacier without a guide."


def test_an_unclear_sentence_is_kept_with_the_one_before_it(drafted) -> None:
    texts = drafted("The tax was raised in May. This made the shop owners angry.")
    assert texts[1] == "The tax was raised in May. This made the shop owners angry."


def test_or_it_is_left_out_and_counted(read) -> None:
    left_out: Counter[str] = Counter()
    candidates = read(
        "The council raised the tax on small shops in May after a long debate about the cost of repairing the old "
        "bridges in the valley, the schools, the two hospitals and the harbour wall. This made the shop owners angry.",
        left_out=left_out,
    )
    assert len(candidates) == 1
    assert left_out[UNCLEAR] == 1


def test_two_people_are_not_confused(drafted) -> None:
    texts = drafted("Anna Berg met Clara Lind in Oslo. She wrote a famous book about the city.")
    assert not any(text.startswith(("Anna Berg wrote", "Clara Lind wrote")) for text in texts)


def test_an_object_is_not_the_subject(drafted) -> None:
    texts = drafted("Salts dissolve slowly. Rivers carry them to the sea.", question="Why is the sea salty?")
    assert "Rivers carry them to the sea." not in texts


def test_this_is_not_written_as_the(drafted) -> None:
    texts = drafted("The baker refused to pay. This act of courage made the town famous in the north.")
    assert texts == [
        "The baker refused to pay.",
        "The baker refused to pay. This act of courage made the town famous in the north.",
    ]
    assert drafted("Lund has a park. This school of painting was founded by two sisters.") == ["Lund has a park."]


@pytest.mark.parametrize("sentence", ["The gas flows through a narrow pipe.", "The movement won many members in May."])
def test_a_bare_noun_points_back_unless_the_question_has_it(drafted, sentence: str) -> None:
    assert drafted(sentence, question="How does a fridge work?") == []
    assert drafted(sentence, question="Where do the gas and the movement go?") == [sentence]


def test_what_there_is_only_one_of_does_not_point_back(drafted) -> None:
    sentence = "The sun warms the sand on the beach."
    assert drafted(sentence, question="Why is the beach hot?") == [sentence]


def test_a_short_name_is_written_in_full(drafted) -> None:
    texts = drafted(
        "Parliament passed the Harbour Act in 1900. The Act banned open fires on ships.",
        question="Which rules did sailors have?",
    )
    assert texts[-1] == "The Harbour Act banned open fires on ships."


def test_a_pronoun_inside_a_phrase_is_not_that_phrase(drafted) -> None:
    sentence = "Folding builds a net of gluten, and the gas caught in it lifts the dough."
    assert drafted(sentence) == [sentence]


def test_a_pronoun_needs_a_subject_that_agrees_in_the_sentence_before(drafted) -> None:
    texts = drafted("Two old ferries cross the strait in the dark winter. She sells the tickets at the pier.")
    assert texts == ["Two old ferries cross the strait in the dark winter."]


def test_an_owner_may_be_meant_as_well(drafted) -> None:
    texts = drafted("The union's influence reaches Oslo. It names judges.", question="How strong is the union?")
    assert not any("influence names" in text for text in texts)


@pytest.mark.parametrize(
    "answer",
    [
        "Liver injury is rare. It won FDA approval in 2019.",
        "Kidney failure is rare. It was approved in Japan in 2019.",
        "Tonsillitis is common in children. It received a licence in Norway in May.",
    ],
)
def test_a_disease_does_not_win_approval(drafted, answer: str) -> None:
    assert len(drafted(answer, question="What is Zolgensma?")) == 1
    texts = drafted(f"Zolgensma is a gene therapy for infants. {answer}", question="What is Zolgensma?")
    assert texts[-1].startswith(("Zolgensma won", "Zolgensma was approved", "Zolgensma received"))


def test_another_name_ends_what_the_answer_is_about(drafted) -> None:
    texts = drafted(
        "Zolgensma is a gene therapy for infants. Spinraza is a rival. Liver injury is rare. It won approval in 2019.",
        question="What is Zolgensma?",
    )
    assert not any("won approval" in text for text in texts)


def test_it_at_the_beginning_is_not_an_object(drafted) -> None:
    texts = drafted("The European Commission reviewed Zolgensma. It was approved in Japan in 2021.")
    assert texts[1:] == ["The European Commission reviewed Zolgensma. It was approved in Japan in 2021."]


def test_a_disease_lasts(drafted) -> None:
    texts = drafted("Tonsillitis is common in children. It lasts about one week.", question="What is tonsillitis?")
    assert texts[-1] == "Tonsillitis lasts about one week."
