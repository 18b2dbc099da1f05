from __future__ import annotations

import math

import numpy as np
import pytest

from karat.judges.base import Task
from karat.judges.lexical.features import FEATURES
from karat.judges.lexical.key_terms import key_terms
from karat.judges.lexical.lexical import feature_table
from karat.judges.lexical.response_words import read
from karat.judges.lexical.word_links import Links, similarity
from karat.model import Nug, Response, Snippet
from karat.text.idf import TextPool

FOXES, BARNS = "Red foxes hunt mice", "Red barns burned in 1987"
ALL_RARE = {"red": 1.0}
"""A table by which every word is as rare as any other."""


def task(nugs: list[str], responses: list[str], question: str = "") -> Task:
    return Task(
        "q",
        [Nug(query_id="q", nug_id=str(at), descriptions=(text,)) for at, text in enumerate(nugs)],
        [
            Response(query_id="q", run_id=str(at), snippets=(Snippet(snippet_id="s", text=text),))
            for at, text in enumerate(responses)
        ],
        question,
        idf=ALL_RARE,
    )


def features(nugs: list[str], response: str, question: str = "") -> dict[str, float]:
    """The features of the first nug."""
    values = feature_table(task(nugs, [response], question))[0, 0]
    return dict(zip(FEATURES, map(float, values), strict=True))


def test_worked_example() -> None:
    values = features(
        [FOXES, BARNS], "Foxes were hunting. Nothing else. Nobody knows. Red mice.", "What do red cats hunt?"
    )
    common, own = math.sqrt(math.log(3 / 2)), math.sqrt(math.log(3))  # mixed weights with idf 1
    total = common + 3 * own
    expected = {
        "mixed_response": 1,
        "mixed_window": 2 * own / total,
        "mixed_sentence": 2 * own / total,
        "missing_response": 0,
        "missing_window": math.log(3),
        "missing_sentence": math.log(3),
        "inf_response": 1,
        "inf_window": 2 * math.log(3) / (math.log(3 / 2) + 3 * math.log(3)),
        "inf_sentence": 2 * math.log(3) / (math.log(3 / 2) + 3 * math.log(3)),
        "top_response": 1,
        "top_window": 1,
        "new_response": 1,
        "new_window": 1 / 2,
        "new_sentence": 1 / 2,
        "related_response": 1,
        "related_sentence": 2 * own / total,
        "related_new_response": 1,
        "related_new_sentence": 1 / 2,
        "asked": (common + own) / total,
        "gram_response": 1,
        "gram_sentence": 2 * own / total,
        "bigram_response": 1 / 3,
        "length": math.log(5),
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert {values[name] for name in set(FEATURES) - set(expected)} == {0.0}


def test_related_words() -> None:
    said = features(["doctor"], "It rained. A physician came.")
    assert (said["mixed_response"], said["missing_response"]) == (0, pytest.approx(math.log(2)))
    assert [said[name] for name in FEATURES if name.startswith("related")] == pytest.approx([0.9] * 4)
    # The same word counts in full beside a related one.
    assert features(["doctor"], "A physician and a doctor.")["related_sentence"] == 1
    apart = features(["doctor praised town"], "A physician came. The town slept.")
    assert apart["related_response"] == pytest.approx((0.9 + 1) / 3)
    assert apart["related_sentence"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("question", "share"), [("", 0), ("Which doctor?", 0.5), ("Which doctor of the town?", 1)])
def test_what_the_question_says_already(question: str, share: float) -> None:
    assert features(["the doctor's town", "other"], "x", question)["asked"] == pytest.approx(share)


def test_pieces_of_words() -> None:
    # <hunt> has the pieces <hun, hunt, unt>, of which <huntsman> has two.
    assert features(["hunt"], "The huntsman.")["gram_response"] == pytest.approx(2 / 3)


def test_a_window_has_three_sentences() -> None:
    near = features([FOXES], "A red one. Foxes, I think. They hunt mice.")
    far = features([FOXES], "A red one. Foxes, I think. So it goes. They hunt mice.")
    assert near["mixed_window"] == pytest.approx(1)
    assert far["mixed_window"] == pytest.approx(3 / 4)
    assert near["mixed_sentence"] == far["mixed_sentence"] == pytest.approx(1 / 2)


def test_windows_reach_over_snippets() -> None:
    parts = tuple(
        Snippet(snippet_id=str(at), text=text) for at, text in enumerate(("Red foxes.", "They hunt.", "Mice."))
    )
    whole = task([FOXES], ["x"])
    spread = Task("q", whole.nugs, [Response(query_id="q", run_id="r", snippets=parts)], idf=ALL_RARE)
    assert feature_table(spread)[0, 0, list(FEATURES).index("mixed_window")] == pytest.approx(1)


@pytest.mark.parametrize(
    ("response", "share", "other"),
    [
        ("Red barns burned in 1987.", 1, 0),
        ("Red barns burned in 1986.", 0, 1),
        ("Red barns burned in 1986 or 1987.", 1, 0),
        ("Red barns burned.", 0, 0),
    ],
)
def test_numbers(response: str, share: float, other: float) -> None:
    values = features([BARNS], response)
    assert [values[name] for name in ("has_number", "number_response", "number_window", "other_number")] == [
        1, share, share, other,
    ]  # fmt: skip


def test_names() -> None:
    values = features(["The crew of Apollo met Armstrong"], "armstrong was there.")
    assert (values["has_name"], values["name_response"], values["name_window"]) == (1, 0.5, 0.5)
    assert features(["Bees dance"], "Bees dance.")["has_name"] == 0  # a capital for its place alone
    assert features(["NASA flies"], "NASA flies.")["has_name"] == 1


@pytest.mark.parametrize(
    ("nug", "response", "differs"),
    [
        ("bees do not sting", "Bees sting.", 1),
        ("bees do not sting", "Bees never sting.", 0),
        ("bees sting", "Bees don't sting.", 1),
        ("bees sting", "Bees sting. Nothing is not lost.", 0),
    ],
)
def test_negation_of_the_best_sentence(nug: str, response: str, differs: float) -> None:
    assert features([nug], response)["negation_differs"] == differs


def test_words_spelt_alike() -> None:
    links = Links(key_terms(task(["evacuation of 1987 towns"], ["x"])))
    terms = links.key.vocabulary.forms
    assert {terms[at]: value for at, value in links.soft("evacue")} == {
        "evacu": pytest.approx(similarity("evacu", "evacue"))
    }
    assert {terms[at]: value for at, value in links.soft("town")} == {"town": 1.0}
    assert links.soft("1986") == []  # a number is right or wrong
    assert links.soft("elevator") == []  # begins otherwise


def test_similarity() -> None:
    # <evacu> has 5 trigrams, <evacue> has 6, 4 of them shared; of the six letters of the longer one five are shared.
    assert similarity("evacu", "evacue") == pytest.approx(max(2 * 4 / 11, 5 / 6))
    # Three letters in common are no long beginning: trigrams alone.
    assert similarity("cats", "catch") == pytest.approx(2 * 2 / 9)


def test_presence_is_that_of_the_best_word() -> None:
    links = Links(key_terms(task(["evacuation"], ["x"])))
    reading = read(["evacuees", "evacuation and evacuees", ""], [0, 2, 2, 3])
    presence = reading.presence(links.soft_matrix(reading.forms), "sentence").toarray()
    assert presence.ravel().tolist() == pytest.approx([similarity("evacu", "evacue"), 1, 0, 0])
    assert reading.units.tolist() == [0, 1, -1, 2]
    assert reading.starts("window").tolist() == [0, 1, 2, 3]
    assert reading.presence(links.soft_matrix(reading.forms), "response").toarray().ravel().tolist() == [1, 0, 0]


def test_weights_of_terms() -> None:
    nugs = [Nug(query_id="q", nug_id=str(at), descriptions=(text,)) for at, text in enumerate(("red fox", "red barn"))]
    pool = TextPool(["red", "red barn", "red fox", "a red fox"])
    key = key_terms(Task("q", nugs, [], pool=pool))
    assert key.vocabulary.forms == ["red", "fox", "barn"]
    # All texts have red: ln(5 / 4.5) is a little above the least that a word weighs.
    red, fox = math.sqrt(math.log(5 / 4.5) * math.log(3 / 2)), math.sqrt(math.log(5 / 2.5) * math.log(3))
    assert key.weights["mixed"].toarray()[0] == pytest.approx([red / (red + fox), fox / (red + fox), 0])
    assert key.weights["top"].toarray()[0].tolist() == [0, 1, 0]


def test_empty_response_lacks_everything() -> None:
    values = features([FOXES], "")
    assert values["missing_response"] == pytest.approx(math.log(5))
    assert {
        values[name] for name in FEATURES if name.split("_")[0] in ("mixed", "inf", "new", "related", "gram", "bigram")
    } == {0.0}


def test_every_feature_is_finite() -> None:
    nugs = [FOXES, "the of", "", "1987", "東京は日本の首都です。", "not"]
    values = feature_table(
        task(nugs, ["", "the", "Red foxes.", "東京は日本の首都です。人口は多い。", "\n\n . !", "1986"])
    )
    assert values.shape == (6, 6, len(FEATURES))
    assert np.isfinite(values).all()
