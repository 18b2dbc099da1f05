"""What becomes a candidate, and what is left out."""

from __future__ import annotations

from collections import Counter

import pytest

from karat.evaluate.nuggets.drafting.sentences.candidates import BROKEN, EMPTY, HEADING, LONG, QUESTION, TALK


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Causes of the flood in the valley", HEADING),
        ("THE CAUSES OF THE GREAT FLOOD.", HEADING),
        ("The main causes of the flood are:", HEADING),
        ("Here is a summary of the flood in Cusco.", TALK),
        ("I hope this answer about the flood helps.", TALK),
        ("The provided documents do not mention the name of the dam.", TALK),
        ("As an AI, I cannot judge the quality of the dam.", TALK),
        ("There is no information about the age of the dam.", TALK),
        ("The query is directly addressed by the sentence that mentions the dam.", TALK),
        ("The repairs are not directly addressed by the other sentences in the document.", TALK),
        ("These sentences are relevant to the flood.", TALK),
        ("The context documents provided do not contain the age of the dam.", TALK),
        ("Wet years have highlighted the role of dams.", EMPTY),
        ("There are many reasons for floods in mountain valleys.", EMPTY),
        ("Rain plays an important role in mountain valleys.", EMPTY),
        ("What caused the flood in the valley?", QUESTION),
        ("The flood in Cusco had several causes.", EMPTY),
        ("Because the old dam above the town.", BROKEN),
        ("Offers a cheap way to store water.", BROKEN),
        (f"The flood destroyed {', '.join(f'the village of Ayo{at}' for at in range(15))} and the bridge.", LONG),
    ],
)
def test_left_out(read, text: str, reason: str) -> None:
    left_out: Counter[str] = Counter()
    assert read(text, question="What caused the flood in Cusco?", left_out=left_out) == []
    assert left_out == {reason: 1}


def test_orders_with_content_stay(drafted) -> None:
    text = "Wash the wound with clean water for ten minutes."
    assert drafted(text, question="How do I treat a bite?") == [text]


def test_labels_are_cut_and_dates_stay(drafted) -> None:
    assert drafted("**Cost:** A ticket costs nine euros.") == ["A ticket costs nine euros."]
    assert drafted("1821: Mexico wins its independence from Spain.") == [
        "1821: Mexico wins its independence from Spain."
    ]


def test_spans_point_to_the_original_text(read) -> None:
    text = "However, **the dam** burst on Monday [1], and the mayor left the town [2]."
    first, second = read(text)
    assert [[text[start:end] for start, end in candidate.spans] for candidate in (first, second)] == [
        ["the dam** burst on Monday"],
        ["the mayor left the town [2]."],
    ]
    assert first.text == "The dam burst on Monday."


def test_hedges_and_speakers_stay(drafted) -> None:
    for text in (
        "The minister said that the dam may have been too old.",
        "Reportedly, some engineers warned the town in 2009.",
        "The dam was probably built before 1900.",
    ):
        assert drafted(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The main source of iron is red meat.",
        "Old documents were stolen from the town hall in May.",
        "The answer to drought is better irrigation.",
        "Rain plays an important role because it fills the lake above the dam.",
        "In 1911 the bank highlighted the role of dams.",
    ],
)
def test_texts_and_roles_that_are_the_topic_stay(drafted, text: str) -> None:
    assert drafted(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "According to Doc 3, the dam burst in May.",
        "Document 2 states that the dam burst in May.",
        "The dam burst in May, as mentioned in passage [4].",
        "The dam burst, according to documents 2 and 3, in May.",
    ],
)
def test_numbered_sources_are_cut(drafted, text: str) -> None:
    assert drafted(text) == ["The dam burst in May."]
