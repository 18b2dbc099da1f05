"""Sentences of an answer as plain text, and their place in the original."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.drafting.sentences.blocks import answer_sentences, original_spans


def _texts(*snippets: str) -> list[str]:
    return [sentence.text for sentence in answer_sentences(list(snippets))]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Bees **dance** [1]. They hum [2][3].", ["Bees dance.", "They hum."]),
        ("Bees dance [1, 2] . They hum.", ["Bees dance.", "They hum."]),
        ("Bees dance (Frisch 1967). They hum (Lind et al., 2001; Ray 2004).", ["Bees dance.", "They hum."]),
        ("Bees dance (Document 3). They hum [Source: web].", ["Bees dance.", "They hum."]),
        ("Bees dance [^4] in <b>spring</b>.", ["Bees dance in spring."]),
        ("See [the hive](http://hive.example/a).", ["See the hive."]),
        ("Bees dance [", ["Bees dance"]),
        ("In 1999 (a dry year) bees died.", ["In 1999 (a dry year) bees died."]),
    ],
)
def test_marks_are_cut(text: str, plain: list[str]) -> None:
    assert _texts(text) == plain


def test_headings_and_list_items_are_sentences_of_their_own() -> None:
    text = "# Bees\nBees dance.\n- They hum\n- **Cost:** Honey is dear.\n\n1. Wax melts.\nWings\nWings beat fast."
    assert " | ".join(_texts(text)) == (
        "Bees | Bees dance. | They hum | Cost: Honey is dear. | Wax melts. | Wings | Wings beat fast."
    )


def test_items_whose_line_breaks_were_lost() -> None:
    text = "Bees do much:  - **Dance:** They turn. - **Hum:** They buzz."
    assert _texts(text) == ["Bees do much:", "Dance: They turn.", "Hum: They buzz."]


def test_initials_end_no_sentence() -> None:
    assert _texts("The G.I. Bill helped. It was new.") == ["The G.I. Bill helped.", "It was new."]


def test_every_sentence_knows_its_place_in_the_original() -> None:
    text = "## Bees\n\n* **Bees**  dance [1] for   food. Then they &amp; others hum."
    places = [list(original_spans(sentence, [(0, len(sentence.text))])) for sentence in answer_sentences([text])[1:]]
    assert [text[spans[0][0] : spans[-1][1]] for spans in places] == [
        "Bees**  dance [1] for   food.",
        "Then they &amp; others hum.",
    ]
