from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.records import nug, response
from karat.judges.base import Task
from karat.judges.lexical import lexical
from karat.judges.lexical.features import FEATURES
from karat.judges.lexical.lexical import Lexical, load_weights, log_odds
from karat.model import Nug, Response
from karat.text.idf import TextPool

FOX = "The red fox hunts mice at night"
BARN = "Three barns burned in 1987"
POOL = TextPool(["A fox is red.", "Mice run at night.", "Barns burned in 1986 and 1987.", "Nobody hunts here."])


def described(*descriptions: str) -> Nug:
    return nug("n", *descriptions)


def answer(*texts: str) -> Response:
    return response("r", *texts, first=0)


def task(nugs: list[Nug], responses: list[Response]) -> Task:
    return Task("q", nugs, responses, pool=POOL)


def scores(nugs: list[Nug], *responses: Response) -> list[list[float]]:
    found: list[list[float]] = Lexical().match(task(nugs, list(responses))).scores.tolist()
    return found


def test_name_and_settings() -> None:
    assert Lexical().name == "lexical"
    assert Lexical().settings() == {"unit": "sentence", "version": "2"}


def test_weights_are_those_of_the_features() -> None:
    weights = load_weights()
    assert weights.version == Lexical().version
    assert [feature.name for feature in weights.features] == list(FEATURES)
    assert all(feature.sd > 0 for feature in weights.features)
    assert {one.name: one.licence for one in weights.trained_on} == {
        "nuggetizer-rag24": "Apache-2.0",
        "realsumm": "CC-BY-4.0",
        "summhay": "Apache-2.0",
        "argkp-kpa2021": "CDLA-Sharing-1.0",
        "wice": "see the publisher",
    }


def test_more_of_a_nug_never_counts_against_it() -> None:
    weight = {feature.name: feature.weight for feature in load_weights().features}
    said = [name for name in FEATURES if name.endswith(("_response", "_window", "_sentence"))]
    assert {name for name in said if weight[name] < 0} == {name for name in said if name.startswith("missing")}
    assert weight["other_number"] < 0
    assert weight["negation_differs"] < 0


def test_log_odds_by_hand() -> None:
    weights = load_weights()
    at_mean = {
        feature.name: np.array([[feature.mean, feature.mean + feature.sd, feature.mean + 9 * feature.sd]], np.float32)
        for feature in weights.features
    }
    total = sum(feature.weight for feature in weights.features)
    expected = weights.intercept + np.array([0, 1, 5]) * total
    assert log_odds(at_mean, weights)[0] == pytest.approx(expected, abs=1e-4)


def test_said_in_full_in_part_and_not_at_all() -> None:
    found = scores([described(FOX)], answer(FOX + "."), answer("A fox hunts."), answer("It rained."), answer())
    (full,), (part,), (other,), (empty,) = found
    assert full > 0 > part > other
    assert empty == pytest.approx(other)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["It rained.", "A fox ran.", "Barns are red.", "In 1986 mice came.", "No."]), max_size=6)
)
def test_adding_the_nugs_own_sentence_raises_its_score(sentences: list[str]) -> None:
    ((before,), (after,)) = scores([described(FOX)], answer(*sentences), answer(*sentences, FOX + "."))
    assert after > before


def test_a_related_word_is_worth_something_but_less() -> None:
    said = ("The doctor praised nurses.", "The physician praised nurses.", "The gardener praised nurses.")
    (same,), (related,), (other,) = scores([described("A doctor praised the nurses")], *map(answer, said))
    assert same > related > other


def test_the_wrong_number_costs() -> None:
    (right,), (wrong,), (none,) = scores(
        [described(BARN)],
        answer("Three barns burned in 1987."),
        answer("Three barns burned in 1986."),
        answer("Three barns burned."),
    )
    assert right > none > wrong


def test_the_best_sentence_and_its_place() -> None:
    text = "It rained. The fox hunts at night. The fox slept."
    matches = Lexical().match(task([described(FOX), described(BARN)], [answer("Hello.", text), answer("")]))
    unit = matches.best[0, 0]
    place = matches.units.places[unit]
    assert (place.snippet_id, text[place.start : place.end]) == ("s1", "The fox hunts at night.")
    assert matches.best[0, 1] == -1  # nothing of it is said
    assert matches.best[1].tolist() == [-1, -1]
    assert matches.scores.dtype == np.float32


def test_words_heaviest_first() -> None:
    matcher = Lexical().matcher(task([described(FOX), described("A fox barks")], []))
    found = matcher.words("At night foxes were hunting in the rain, and foxes slept", 0)
    assert set(found) == {"night", "fox", "hunt"}
    assert found[-1] == "fox"  # both nugs have it
    assert matcher.words("", 0) == matcher.words("It rained", 0) == []


def test_the_best_of_several_descriptions() -> None:
    both, first, second = described(FOX, BARN), described(FOX), described(BARN)
    said = [answer(FOX), answer("Nothing. " + BARN), answer("")]
    matches = Lexical().match(task([both], said))
    assert matches.scores[:, 0].argsort()[0] == 2
    texts = [matches.units.texts[at] for at in matches.best[:2, 0]]
    assert texts == [FOX, BARN]
    assert len(scores([first, second], *said)[0]) == 2


def test_a_response_is_judged_independently_of_others() -> None:
    said = [answer(FOX), answer("A fox."), answer(), answer(BARN, "It rained.")]
    together = scores([described(FOX), described(BARN)], *said)
    assert together == [scores([described(FOX), described(BARN)], one)[0] for one in said]


def test_texts_score_as_responses_do() -> None:
    texts = [FOX + ". It rained.", "", BARN]
    whole = task([described(FOX), described(BARN)], [answer(text) for text in texts])
    assert Lexical().matcher(whole).score(texts).tolist() == Lexical().match(whole).scores.tolist()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nugs = [described(FOX), described(BARN), described("mice", "night"), described("")]
    said = task(nugs, [answer(FOX, BARN), answer(), answer("Mice. At night. Red."), answer(BARN)])
    whole = Lexical().match(said)
    monkeypatch.setattr(lexical, "CELLS", 2)
    parts = Lexical().match(said)
    assert parts.scores.tolist() == whole.scores.tolist()
    assert parts.best.tolist() == whole.best.tolist()


def test_nothing_to_do() -> None:
    assert Lexical().match(task([], [answer("x")])).scores.shape == (1, 0)
    assert Lexical().match(task([described("x")], [])).scores.shape == (0, 1)
    assert Lexical().matcher(task([described("x")], [])).score([]).shape == (0, 1)


@pytest.mark.parametrize("text", ["the of and", "", "!?"])
def test_a_nug_without_content_is_never_found(text: str) -> None:
    matches = Lexical().match(task([described(text)], [answer("the of and"), answer("")]))
    assert (matches.scores < 0).all()
    assert (matches.best == -1).all()


def test_other_languages() -> None:
    japanese, russian = "東京は日本の首都です", "Москва столица России"
    found = scores(
        [described(japanese), described(russian)], answer(japanese + "。人口は多い。"), answer("Столица: Москва.")
    )
    assert found[0][0] > 0 > found[0][1]
    assert found[1][1] > found[0][1]
