from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from builders.records import judgement, nug
from karat.evaluate.plan.question_plan import plan_text, read_plan
from karat.evaluate.plan.random_part import DRAWN, draw_part, drawn_queries, keyed_queries, nug_texts_digest
from karat.model import Collection, UsageError, Vote

KEY = Collection(nug("n", query_id=f"q{at}") for at in range(12))


def test_every_query_is_drawn_as_often_as_any_other_and_none_twice() -> None:
    drawn = Counter(query for seed in range(600) for query in draw_part(KEY, 4, seed=seed).queries)
    assert len(drawn) == 12
    assert all(150 <= count <= 250 for count in drawn.values())
    assert all(len(set(draw_part(KEY, 12, seed=seed).queries)) == 12 for seed in range(5))
    assert draw_part(KEY, 4, seed=1) == draw_part(KEY, 4, seed=1) != draw_part(KEY, 4, seed=2)
    # Fewer with the same seed are the first ones of more: who wants more labels goes on.
    assert draw_part(KEY, 4).queries == draw_part(KEY, 9).queries[:4]


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "part.json"
    part = draw_part(KEY, 5, seed=3)
    file.write_text(plan_text(part))
    assert read_plan(file) == part
    assert json.loads(file.read_text()) == {
        "kind": "review_plan", "v": 1, "queries": list(part.queries), "of": 12, "digest": part.digest,
        "key": part.key, "seed": 3,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind":"nug"}', '{"kind":"review_plan","v":1}', "karat"])
def test_another_file_is_no_plan(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UsageError, match=r"x\.json: this is not a plan of a review"):
        read_plan(tmp_path / "x.json")


def test_a_plan_for_other_queries_is_refused() -> None:
    part = draw_part(KEY, 5)
    part.check(KEY)
    few = Collection([nug for nug in KEY.nugs if nug.query_id in ("q1", "q2", "q3")])
    with pytest.raises(UsageError, match=r"drawn from 12 queries, and these files have other ones \(3\)"):
        part.check(few)


def test_a_plan_for_another_key_of_the_same_queries_is_refused() -> None:
    part = draw_part(KEY, 5, seed=3)
    nugs = list(KEY.nugs)
    part.check(Collection(reversed(nugs)))
    other = [msgspec.structs.replace(nugs[0], nug_id="another"), *nugs[1:]]
    with pytest.raises(UsageError, match=r"the key changed since the plan was drawn.*plan --review 5 --seed 3"):
        part.check(Collection(other))
    older = msgspec.structs.replace(part, key=None)
    older.check(Collection(other))
    assert draw_part(Collection(other), 5, seed=3).queries == part.queries


def test_a_plan_of_an_earlier_version_is_understood() -> None:
    earlier = msgspec.structs.replace(draw_part(KEY, 5), key=nug_texts_digest(KEY))
    earlier.check(KEY)
    other = Collection([*KEY.nugs[:-1], msgspec.structs.replace(KEY.nugs[-1], descriptions=("something else",))])
    with pytest.raises(UsageError, match="the key changed since the plan was drawn"):
        earlier.check(other)


def test_a_file_with_votes_does_not_make_a_plan_stale() -> None:
    vote = Vote(query_id="q1", nug_id="n", assessor="Ana", value="vital")
    draw_part(KEY, 5).check(Collection([*KEY, vote]))


@pytest.mark.parametrize("number", [-1, 0, 2, 13])
def test_a_part_has_at_least_three_queries_and_no_more_than_there_are(number: int) -> None:
    with pytest.raises(UsageError, match="at least 3 queries, and at most the 12"):
        draw_part(KEY, number)
    with pytest.raises(UsageError, match="there is no key"):
        draw_part(Collection([]), 3)


def test_answers_say_which_queries_they_were_drawn_from() -> None:
    part = draw_part(KEY, 3)
    answers = [judgement(query_id="q1", extra={DRAWN: part.digest}), judgement(query_id="q2", extra={DRAWN: "other"})]
    assert drawn_queries([*answers, judgement(query_id="q3")], keyed_queries(KEY)) == ({"q1"}, {"q2"})
