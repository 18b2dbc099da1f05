from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import task
from karat.judges.base import Task
from karat.judges.human.judged_texts import NO_GROUP, JudgedTexts, Mark, wording
from karat.judges.registry import parse_judge

TEXTS = ("a red fox slept", "the whale sang", "A RED fox, slept!")
KNOWN = JudgedTexts(
    TEXTS, np.array([0, 1, 2]), [Mark("n0", 0, "red fox"), Mark("n1", 1, "whale"), Mark("n0", 2, "fox")]
)


def test_a_group_and_copies_of_its_texts_are_left_out() -> None:
    left = KNOWN.without(0)
    assert list(left.texts) == ["the whale sang", "A RED fox, slept!"]
    assert left.marks == [Mark("n1", 0, "whale"), Mark("n0", 1, "fox")]
    assert left.examples("n0") == ["A RED fox, slept!"]
    alone = KNOWN.without(0, ["a red fox slept"])
    assert list(alone.texts) == ["the whale sang"]
    assert alone.examples("n0") == []
    assert list(KNOWN.without(NO_GROUP).texts) == list(TEXTS)


@given(st.lists(st.sampled_from(["red fox", "Red  fox.", "whale", "old whale"]), max_size=8), st.data())
def test_no_text_of_the_group_nor_a_copy_stays(texts: list[str], data: st.DataObject) -> None:
    groups = np.array([data.draw(st.integers(0, 2)) for _ in texts], int)
    known = JudgedTexts(texts, groups, [Mark("n0", at, text) for at, text in enumerate(texts)])
    own = [text for text, group in zip(texts, groups, strict=True) if group == 1]
    left = known.without(1, own)
    assert 1 not in left.groups
    assert not {wording(text) for text in own} & {wording(text) for text in left.texts}
    assert [judgement.part for judgement in left.marks] == list(left.texts)


@pytest.mark.parametrize("judge", ["neighbours", "nuggeteer(unit=snippet,references=both)"])
def test_a_response_is_never_its_own_example(judge: str) -> None:
    """It scores as if its own judgement, and those of copies, were not there."""
    plain = task(["a vixen", "a cetacean"], ["a red fox slept", "the whale sang", "something else"])
    program = parse_judge(judge)

    def scores(known: JudgedTexts, groups: list[int]) -> np.ndarray:
        return program.match(
            Task("q", plain.nugs, plain.responses, pool=plain.texts(), known=known, groups=groups)
        ).scores

    hidden = scores(KNOWN, [0, 1, NO_GROUP])
    np.testing.assert_allclose(hidden[0], scores(KNOWN.without(0, [TEXTS[0]]), [])[0], rtol=1e-6)
    np.testing.assert_allclose(hidden[1], scores(KNOWN.without(1), [])[1], rtol=1e-6)
    np.testing.assert_allclose(hidden[2], scores(KNOWN, [])[2], rtol=1e-6)
    # Were it not hidden, it would find itself.
    assert scores(KNOWN, [])[0, 0] > hidden[0, 0]


def test_evidence_keeps_its_place_when_groups_are_judged_apart() -> None:
    plain = task(["red fox", "whale"], ["the whale sang", "one more", "a red fox slept"])
    program = parse_judge("nuggeteer(unit=snippet,references=both)")
    grouped = program.match(Task("q", plain.nugs, plain.responses, known=KNOWN, groups=[1, NO_GROUP, 0]))
    assert grouped.units.texts[grouped.best[2, 0]] == "a red fox slept"
    assert grouped.units.texts[grouped.best[0, 1]] == "the whale sang"
