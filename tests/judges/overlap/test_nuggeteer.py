from __future__ import annotations

from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import nug, response, task
from karat.judges import base
from karat.judges.base import Task
from karat.judges.overlap.nuggeteer import Nuggeteer
from karat.judges.registry import parse_judge

IDF = {"red": 1.0, "fox": 2.0, "whale": 4.0, "old": 8.0}
NUGS = ["red fox", "red whale"]
COMBINATIONS = [
    f"nuggeteer(stem={stem},n={n},weights={weights},stop={stop})"
    for stem, n, weights, stop in product(("none", "porter"), (1, 2, 3), ("idf", "count"), ("keep", "drop"))
]


def paper(**settings: Any) -> Nuggeteer:
    """The paper's words: unstemmed, stop words kept, a snippet at a time."""
    return Nuggeteer(**{"unit": "snippet", "n": 1, "stem": "none", "stop": "keep"} | settings)


def score(text: str, nugs: list[Any] = NUGS, *, at: int = 0, **settings: Any) -> float:
    """The score of a text and the first nug."""
    made = {key: settings.pop(key) for key in ("examples", "pool") if key in settings}
    matcher = paper(**settings).matcher(task(nugs, **{"idf": IDF} | made))
    return float(matcher.score([text])[0, at])


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        # I(red) = 1 - 1/2, I(fox) = 1: the nug has 0.5 * 1 + 1 * 2 = 2.5
        ("red", {}, 0.5 / 2.5),
        ("Fox!", {}, 2 / 2.5),
        ("whale", {}, 0.0),
        ("a fox, a red fox", {}, 1.0),
        # as printed: I(red) = 1 - 2/2, I(fox) = 1 - 1/2
        ("red", {"informativeness": "printed"}, 0.0),
        ("fox", {"informativeness": "printed"}, 1.0),
        ("red", {"informativeness": "none"}, 1 / 3),
        ("fox", {"informativeness": "none"}, 2 / 3),
        ("red", {"weights": "count"}, 0.5 / 1.5),
        ("fox", {"weights": "count"}, 1 / 1.5),
        ("red", {"weights": "count", "informativeness": "none"}, 0.5),
        # "red fox" weighs 1 + 2 and is the nug's own: 2.5 + 3
        ("fox red", {"n": 2}, 2.5 / 5.5),
        ("the red fox", {"n": 2}, 1.0),
        ("red old fox", {"n": 2}, 2.5 / 5.5),
        ("fox red", {"n": 2, "weights": "count"}, 1.5 / 2.5),
        ("red fox", {"n": 2, "normalize": False}, 5.5),
        ("red", {"normalize": False}, 0.5),
        ("fox fox red fox", {"normalize": False}, 2.5),
        ("fox fox red fox", {"normalize": False, "positions": True}, 6.5),
        ("fox fox", {"positions": True}, 4 / 2.5),
    ],
)
def test_equation_3_by_hand(text: str, settings: dict[str, Any], expected: float) -> None:
    assert score(text, **settings) == pytest.approx(expected)


def test_trigrams_by_hand() -> None:
    # words 8 + 1 + 2, bigrams 9 + 3, the trigram 11
    nugs = ["old red fox"]
    assert score("old red fox", nugs, n=3, normalize=False) == pytest.approx(34)
    assert score("an old red, red fox", nugs, n=3) == pytest.approx((11 + 12) / 34)
    assert score("old red", nugs, n=3) == pytest.approx((9 + 9) / 34)


def test_idf_comes_from_the_pool_or_else_from_the_responses() -> None:
    nugs, texts = ["red fox"], ["a red fox", "red", "none"]
    red, fox = log(4 / 2.5), log(4 / 1.5)
    matcher = paper().matcher(task(nugs, pool=texts))
    assert matcher.score(["fox"])[0, 0] == pytest.approx(fox / (red + fox))
    assert paper().match(task(nugs, texts)).scores[:, 0] == pytest.approx([1, red / (red + fox), 0])


def test_the_best_of_several_descriptions_counts() -> None:
    nugs = [["red fox", "old whale"], "sea"]
    assert score("red", nugs) == pytest.approx(1 / 3)
    assert score("old", nugs) == pytest.approx(8 / 12)
    assert score("red old", nugs) == pytest.approx(8 / 12)
    assert score("whale fox red", nugs) == 1.0


def test_an_ngram_that_two_descriptions_of_one_nug_share_is_no_less_informative() -> None:
    assert score("red", [["red fox", "red whale"], "sea"]) == pytest.approx(1 / 3)
    assert score("red", ["red fox", "sea"]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("references", "expected"),
    [("descriptions", 0.0), ("examples", 1.0), ("both", 1.0)],
)
def test_known_responses_as_references(references: str, expected: float) -> None:
    examples = {"n0": ["old whale"]}
    assert score("old whale", ["red fox"], examples=examples, references=references) == expected
    # A nug without examples keeps its description.
    assert score("red fox", ["red fox"], references=references) == 1.0


def test_with_examples_only_the_description_is_not_used() -> None:
    examples = {"n0": ["old whale"]}
    assert score("red fox", ["red fox"], examples=examples, references="examples") == 0.0
    assert score("red fox", ["red fox"], examples=examples, references="both") == 1.0


def test_stop_words_dropped_and_stems() -> None:
    nugs = ["the foxes were hunting"]
    assert score("the were", nugs, stop="drop", weights="count") == 0.0
    assert score("the were", nugs, stop="keep", weights="count") == pytest.approx(0.5)
    assert score("fox hunts", nugs, stop="drop", weights="count") == 0.0
    assert score("fox hunts", nugs, stop="drop", weights="count", stem="porter") == 1.0
    # What is dropped leaves no gap: "fox hunt" is a bigram of both.
    assert score("a fox that hunted", nugs, stop="drop", weights="count", stem="porter", n=2) == 1.0


def test_one_nug_scores_nothing_as_printed_and_is_no_nan() -> None:
    assert score("red fox", ["red fox"], informativeness="printed") == 0.0
    assert score("red fox", ["red fox"]) == 1.0


def test_a_nug_of_stop_words_only_scores_nothing() -> None:
    found = paper(stop="drop").matcher(task(["it is the", "fox"], idf=IDF)).score(["it is the", "", "fox"])
    assert found.tolist() == [[0, 0], [0, 0], [0, 1]]
    assert paper(stop="drop").matcher(task(["it is"], idf=IDF)).score(["it is"]).tolist() == [[0]]


def test_words_that_weigh_nothing_or_less_are_no_evidence() -> None:
    assert score("red", ["red"], weights="idf", pool=["red"]) == 1.0
    matcher = paper().matcher(task(["red", "fox"], idf={"red": -2.0, "fox": 1.0}))
    assert matcher.score(["red fox"]).tolist() == [[0, 1]]


def test_empty_responses_score_nothing_and_have_no_unit() -> None:
    empty = Task("q", task(NUGS).nugs, [response("a"), response("b", "", " "), response("c", "fox")], idf=IDF)
    matches = paper().match(empty)
    assert matches.scores[:2].tolist() == [[0, 0], [0, 0]]
    assert matches.best.tolist() == [[-1, -1], [-1, -1], [0, 0]]


@pytest.mark.parametrize(
    ("nug", "same", "other"),
    [
        ("東京 は 日本 の 首都", "首都、日本。東京は東京 は の", "大阪"),
        ("القاهرة عاصمة مصر", "مصر: عاصمة القاهرة؟", "لندن"),
        ("Москва — столица", "СТОЛИЦА москва", "город"),
    ],
)
@pytest.mark.parametrize("judge", COMBINATIONS[::5])
def test_any_language_is_words_between_white_space_and_marks(nug: str, same: str, other: str, judge: str) -> None:
    score = parse_judge(judge).match(task([nug], [nug, same, other])).scores[:, 0]
    assert score[0] == 1.0
    assert 0 < score[1] <= 1.0
    assert score[2] == 0.0


def test_the_best_snippet_is_the_first_of_equals() -> None:
    one = Task("q", task(NUGS).nugs, [response("a", "no", "a fox", "fox", "red", prefix="a", first=0)], idf=IDF)
    matches = paper().match(one)
    assert [matches.units.places[unit].snippet_id for unit in matches.best[0]] == ["a1", "a3"]


@pytest.mark.parametrize("judge", COMBINATIONS)
def test_all_24_combinations_of_the_paper_run_from_a_text_and_print_one(judge: str) -> None:
    program = parse_judge(judge)
    assert parse_judge(str(program)) == program
    assert str(program.settings()["stem"]) in judge
    texts = ["the red foxes ran", "a fox", "whales swim in the sea", ""]
    matches = program.match(task(["The red fox runs", "the whale swims"], texts))
    assert matches.scores.shape == (4, 2)
    assert np.isfinite(matches.scores).all()
    assert ((matches.scores >= 0) & (matches.scores <= 1)).all()
    assert matches.scores[0, 0] > matches.scores[3, 0] == 0.0


def test_the_24_combinations_differ() -> None:
    texts = [
        "the red foxes ran",
        "a fox runs red",
        "whales swim in the red sea",
        "the red fox",
        "foxes running the sea",
    ]
    nugs = ["The red fox runs away", "the whale swims in the sea"]
    assert len(COMBINATIONS) == 24
    found = {parse_judge(judge).match(task(nugs, texts)).scores.tobytes() for judge in COMBINATIONS}
    assert len(found) == 24


TEXTS = st.lists(st.sampled_from("red fox whale sea the of runs".split()), max_size=6).map(" ".join)


@given(
    nugs=st.lists(TEXTS, min_size=1, max_size=4),
    texts=st.lists(TEXTS, min_size=1, max_size=4),
    judge=st.sampled_from(COMBINATIONS),
    shuffled=st.randoms(use_true_random=False),
)
def test_neither_the_order_of_nugs_nor_of_responses_matters(
    nugs: list[str], texts: list[str], judge: str, shuffled: Any
) -> None:
    plain = parse_judge(judge).match(task(nugs, texts)).scores
    rows, columns = list(range(len(texts))), list(range(len(nugs)))
    shuffled.shuffle(rows)
    shuffled.shuffle(columns)
    moved = task([nugs[at] for at in columns], [texts[at] for at in rows])
    assert parse_judge(judge).match(moved).scores == pytest.approx(plain[np.ix_(rows, columns)], abs=1e-6)


@given(nugs=st.lists(TEXTS, min_size=1, max_size=4), judge=st.sampled_from(COMBINATIONS))
def test_a_response_that_repeats_a_description_scores_one_unless_nothing_weighs(nugs: list[str], judge: str) -> None:
    own = np.diag(parse_judge(judge).match(task(nugs, [f"well {nug} indeed" for nug in nugs])).scores)
    assert set(own.tolist()) <= {0.0, 1.0}
    stop = {"the", "of"} if "drop" in judge else set()
    assert own.tolist() == [float(bool(set(nug.split()) - stop)) for nug in nugs]


def test_a_long_answer_in_sentences_is_scored_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    made = paper(unit="sentence")
    nugs = [nug(str(at), f"fox {at}") for at in range(100)]
    long = Task("q", nugs, [response("a", "A fox 7 ran. " * 500), response("b", "Fox 3. " * 100)], idf=IDF)
    whole = made.match(long)
    monkeypatch.setattr(base, "CELLS", 1000)
    original = type(made.matcher(long)).score

    def counted(self: Any, texts: Any) -> Any:
        sizes.append(len(texts))
        return original(self, texts)

    monkeypatch.setattr(type(made.matcher(long)), "score", counted)
    pieces = made.match(long)
    assert sizes == [10] * 60
    assert np.array_equal(pieces.scores, whole.scores)
    assert np.array_equal(pieces.best, whole.best)


@pytest.mark.parametrize("unit", ["snippet", "sentence", "window", "response"])
def test_an_answer_of_ten_megabytes_and_ten_thousand_nugs_come_to_an_end(unit: str) -> None:
    in_pieces = unit in ("sentence", "window")
    answer = "Some fox 17 ran to a whale. " * (3_000 if in_pieces else 370_000)
    nugs = [f"fox {at} ran" for at in range(10_000)]
    matches = paper(unit=unit).match(task(nugs, [answer, "fox 3"], idf=IDF))
    assert matches.scores[0, 17] == 1.0
    assert 0 < matches.scores[1, 4] < matches.scores[1, 3] < 1


def test_informativeness_counts_in_responses_by_equation_1() -> None:
    nugs = ["red fox", "old whale", "sea"]
    # Responses that contain n1 have "fox" as well; no response is known to contain n2.
    examples = {"n0": ["a red animal"], "n1": ["a fox sees the old whale", "whale"]}
    of = {"examples": examples, "normalize": False, "counted_in": "responses"}
    # n0: red is only in its own responses, fox in those of one other nug of three.
    assert score("red", nugs, **of) == pytest.approx(1.0)
    assert score("fox", nugs, **of) == pytest.approx(2 * (1 - 1 / 3))
    # The description gives the weights: other words of its responses have none.
    assert score("animal", nugs, **of) == 0.0
    assert score("fox", nugs, examples=examples, normalize=False) == pytest.approx(2.0)
    # As printed, the nug's own responses count, too: red is in those of n0, fox in those of n1.
    printed = of | {"informativeness": "printed"}
    assert score("red", nugs, **printed) == pytest.approx(1 - 1 / 3)
    assert score("fox", nugs, **printed) == pytest.approx(2 * (1 - 1 / 3))


def test_without_judged_responses_everything_is_informative() -> None:
    assert score("red", counted_in="responses") == score("red", informativeness="none")
    assert paper(counted_in="responses").reads_known
    assert not paper(counted_in="responses", informativeness="none").reads_known
