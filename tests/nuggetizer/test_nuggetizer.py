"""The nuggetizer as a whole: offsets, portions, explanations, and text it should not guess at."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.model import SpanSet, UsageError
from karat.nuggetizer.english.foreign import foreign_note
from karat.nuggetizer.nuggetizer import Nuggetizer

PIECES = [
    "The mayor of Porto", "resigned", "🙂", "in March 2019", "<b>", "</b>", "&nbsp;", "said that", "Dr. Ana Ruiz, 34,",
    "flew from Lyon to Oslo", ",", ".", "\n\n", "\t", "“", "”", "'s", "…", "because of rain", "\u200b", "e\u0301", "—",
    "three", "http://x.y/z?q=1", "§", "I", "didn’t", "A" * 60, "(", ")", "$40 million", "don't", "\u00a0",
]  # fmt: skip


@pytest.fixture(scope="module")
def nuggetizer(analyzer):
    return Nuggetizer(analyzer, explain=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_offsets_point_into_the_text(nuggetizer, text):
    for nugget in nuggetizer.nuggetize(text).nuggets:
        assert nugget.spans.fits(text)
        assert nugget.text == nugget.spans.text(text)
        assert nugget.text.strip() == nugget.text
        if nugget.anchor is not None:
            assert nugget.anchor.difference(nugget.spans) == SpanSet()


def test_a_portion_is_analysed_with_the_whole_text_as_context(nuggetizer):
    text = "Secretary Ana Ruiz visited Lima, Tomas Reyes said."
    portion = SpanSet([(0, text.index(","))])
    nuggets = nuggetizer.nuggetize(text, portion=portion).nuggets
    assert {(nugget.type, nugget.text) for nugget in nuggets} >= {
        ("PER", "Ana Ruiz"),
        ("LOC", "Lima"),
        ("TITLE", "Secretary"),
    }
    assert not any("Reyes" in nugget.text or nugget.type == "STM" for nugget in nuggets)
    assert all(nugget.spans.difference(portion) == SpanSet() for nugget in nuggets)


def test_explanations_name_the_rule_that_removed_a_draft(nuggetizer):
    changes = nuggetizer.nuggetize("The board voted to sell the factory.").changes
    assert ("no-event-from-nonfinite", "removed", "EVT", "sell") in {
        (change.rule, change.did, change.type, change.text) for change in changes
    }


@pytest.mark.parametrize("text", ["", "   ", "\n", "🙂🙂", "...", "<br/><br/>", "a"])
def test_text_with_nothing_in_it_has_no_nuggets(nuggetizer, text):
    assert nuggetizer.nuggetize(text).nuggets == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Minister ist nach der Sitzung nicht zu sprechen und wird heute nicht kommen.", "German"),
        ("El ministro dijo que la reunión con los sindicatos se celebrará por la tarde.", "Spanish"),
        ("Le ministre est arrivé dans la ville avec les délégués et il ne parle pas.", "French"),
        ("министр прибыл в город", "not in Latin script"),
        ("大臣は昨日、東京に到着した。", "not in Latin script"),
        ("El ministro renunció.", "Spanish"),
        ("Der Kanzler kam gestern.", "German"),
        ("Vier Tote nach Unfall", "German"),
        ("Het parlement stemde gisteren.", "Dutch"),
    ],
)
def test_texts_in_other_languages_get_a_note(nuggetizer, text, language):
    nuggetized = nuggetizer.nuggetize(text)
    assert nuggetized.nuggets == ()
    assert language in nuggetized.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "Angela Merkel",
        "La Paz, Bolivia",
        "Prices up 4 percent",
        "In 2004 the Los Angeles Lakers lost.",
        "OK",
        "Stop!",
        "42",
    ],
)
def test_short_english_is_not_taken_for_another_language(text):
    assert foreign_note(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "El Niño weakened.",
        "Los Angeles burned.",
        "Le Monde reported losses.",
        "Ludwig van Beethoven died.",
        "Juan de la Cruz won.",
        "il Giornale closed.",
        "Priya Nair, a chemist, married Arjun Rao.",
    ],
)
def test_foreign_names_are_english_text(nuggetizer, text):
    nuggetized = nuggetizer.nuggetize(text)
    assert nuggetized.notes == ()
    assert nuggetized.nuggets


def test_a_very_long_text_is_read(nuggetizer):
    text = "the committee reviewed the plan and " * 3_000
    nuggetized = nuggetizer.nuggetize(text)
    assert len(text) > 100_000
    assert all(nugget.spans.fits(text) for nugget in nuggetized.nuggets)


def test_results_keep_their_order_and_do_not_depend_on_neighbours(nuggetizer):
    texts = ["Norway rejected the treaty.", "", "Ana Ruiz sued Siemens in 2014.", "Hola que tal como te va por la casa"]
    together = [nuggetized.nuggets for nuggetized in nuggetizer.nuggetize_many(texts)]
    assert together == [nuggetizer.nuggetize(text).nuggets for text in texts]


def test_unknown_rules_are_reported(analyzer):
    with pytest.raises(UsageError, match="auto, guidelines"):
        Nuggetizer(analyzer, rules="2011")  # type: ignore[arg-type]
