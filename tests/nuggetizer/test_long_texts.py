"""Very long texts are nuggetized part by part, with the same result and true places; short foreign texts are not."""

from __future__ import annotations

import pytest

from karat.nuggetizer import nuggetizer as module
from karat.nuggetizer.nuggetizer import Nuggetizer

SENTENCES = "President Ana Ruiz flew to Lima on Monday. Three ferries sank near Malta. She said that it rained. "


@pytest.mark.parametrize("rules", ["auto", "guidelines"])
def test_parts_give_the_same_nuggets_in_the_same_places(analyzer, monkeypatch, rules):
    text = SENTENCES * 20
    whole = Nuggetizer(analyzer, rules=rules, paraphrase=True).nuggetize(text)
    monkeypatch.setattr(module, "LONG", 100)
    monkeypatch.setattr(module, "PART", 300)
    parts = Nuggetizer(analyzer, rules=rules, paraphrase=True).nuggetize(text)
    assert parts == whole
    assert all(nugget.spans.text(text) == nugget.text for nugget in parts.nuggets)


def test_a_portion_of_a_long_text(analyzer, monkeypatch):
    monkeypatch.setattr(module, "LONG", 100)
    monkeypatch.setattr(module, "PART", 300)
    text = SENTENCES * 20
    start = text.index("Three", 900)
    portion = module.SpanSet([(start, start + 33)])
    found = Nuggetizer(analyzer).nuggetize(text, portion=portion).nuggets
    assert [nugget.text for nugget in found if nugget.type in {"NUM", "LOC"}] == ["Three", "near Malta"]
    assert all(start <= nugget.spans[0][0] and nugget.spans[-1][1] <= start + 33 for nugget in found)


@pytest.mark.parametrize(
    "text",
    [
        "Kein Kommentar.", "Wir haben gewonnen.", "Frau Merkel traf Herrn Macron in Paris.", "Juan vive en Madrid.",
        "Bonne nouvelle pour Paris.", "Mario abita a Roma.", "Jan woont in Utrecht.", "A vonat holnap indul.",
        "Ben okula gidiyorum.", "Ela comprou dois livros.",
    ],
)  # fmt: skip
def test_a_short_text_in_another_language(analyzer, text):
    result = Nuggetizer(analyzer).nuggetize(text)
    assert result.nuggets == ()
    assert "English" in result.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "Il Giornale closed.", "Le Pen won.", "Tocilizumab downregulates ferritin.", "Zelenskyy met Erdogan.",
        "Bevacizumab plus erlotinib prolonged survival.", "La Niña caused droughts.", "Beyoncé performed.",
    ],
)  # fmt: skip
def test_a_short_english_text_with_strange_words(analyzer, text):
    assert Nuggetizer(analyzer).nuggetize(text).nuggets


def test_a_phrase_of_nothing_but_punctuation(analyzer):
    assert Nuggetizer(analyzer).nuggetize("(meta data) PUBLISHER: http://facebook.com/esctoday") is not None
