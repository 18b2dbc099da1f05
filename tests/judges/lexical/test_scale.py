from __future__ import annotations

import random
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score

import karat
from builders.records import task
from karat.judges.lexical.lexical import Lexical
from karat.judges.pairs import tasks_of
from karat.text.sentences import LONGEST


def words(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices("abcdefghij", k=draw.randint(2, 8))) for _ in range(count)]


def test_a_response_of_a_megabyte() -> None:
    known = words(3000, 0)
    draw = random.Random(1)
    text = " ".join(" ".join(draw.choices(known, k=18)).capitalize() + "." for _ in range(9000))
    assert len(text) > 900_000
    matches = Lexical().match(task([" ".join(known[:8]), text[:100]], [text]))
    assert matches.scores[0, 1] > 0
    assert matches.best[0, 1] == 0


def test_two_thousand_nugs() -> None:
    known = words(3000, 0)
    draw = random.Random(1)
    descriptions = [" ".join(draw.choices(known, k=10)) for _ in range(2000)]
    said = [". ".join(description.capitalize() for description in descriptions[:30]) + ".", ""]
    found = Lexical().match(task(descriptions, said)).scores
    assert (found[0, :30] > 0).all()
    assert (found[0, 30:] < found[0, :30].min()).all()
    assert (found[1] < 0).all()


@pytest.mark.real_data
def test_trec_rag_2024(real_data: Path) -> None:
    collection = karat.load(real_data / "trec-rag-2024" / "nugget_assignment.20241108.jl")
    degrees = {
        (judgement.query_id, judgement.run_id, judgement.nug_id): judgement.degree
        for judgement in collection.judgements
    }
    values, contained = [], []
    for query in tasks_of(collection):
        found = Lexical().match(query).scores
        for row, one in enumerate(query.responses):
            for column, own in enumerate(query.nugs):
                values.append(float(found[row, column]))
                contained.append(degrees[query.query_id, one.run_id, own.nug_id] == 1)
    assert len(values) == 9536
    assert roc_auc_score(contained, values) >= 0.84


def test_text_without_marks_is_judged_in_pieces_that_can_be_shown() -> None:
    known = words(3000, 0)
    draw = random.Random(1)
    text = " ".join(draw.choices(known, k=20_000))
    wanted = " ".join(text[60_000:60_100].split()[1:-1])
    asked = task([wanted], [text])
    matches = Lexical().match(asked)
    piece = matches.units.texts[matches.best[0, 0]]
    assert wanted in piece
    assert len(piece) <= LONGEST
    assert Lexical().matcher(asked).words(piece, 0)


@pytest.mark.parametrize(
    ("description", "says", "other"),
    [
        ("东京是日本的首都", "日本的首都是东京，人口很多。", "今天天气很好，我们去公园。"),
        ("東京タワーの高さは333メートル", "333メートルの東京タワー。", "猫が庭で寝ている。"),
        ("น้ำท่วมกรุงเทพ", "เกิดน้ำท่วมในกรุงเทพ", "แมวนอนอยู่"),
    ],
)
def test_scripts_without_blanks_are_distinguished(description: str, says: str, other: str) -> None:
    scores = Lexical().match(task([description], [says, other])).scores
    assert scores[0, 0] > 0 > scores[1, 0]


def test_the_words_that_decided_are_heaviest_first_and_then_in_order() -> None:
    matcher = Lexical().matcher(task([["foxes hunt mice", "an owl hunts"], "rivers"]))
    text = "Mice, owls and foxes: all hunt mice by rivers."
    assert matcher.words(text, 0) == ["owl", "hunt", "mice", "fox"]
    assert matcher.words(text, 1) == ["river"]
    assert matcher.words("", 0) == []
