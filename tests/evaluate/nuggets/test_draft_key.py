"""Draft keys: what runs say, brought together for people."""

from __future__ import annotations

import pytest

from karat.evaluate.lint import lint
from karat.evaluate.nuggets.draft_key import draft_key_collection
from karat.formats import load, write
from karat.model import Collection, Query, Response, Snippet, UsageError


def _collection(**runs: str) -> Collection:
    return Collection(
        [
            Query(query_id="q1", text="What happened at the dam?"),
            *(
                Response(query_id="q1", run_id=run_id, snippets=(Snippet(snippet_id="1", text=text),))
                for run_id, text in runs.items()
            ),
        ]
    )


@pytest.fixture(scope="module")
def draft():
    return draft_key_collection(
        _collection(
            a="The dam burst on Monday. Mayor Ana Ruiz resigned.",
            b="On Monday the dam burst. It was old.",
            c="Engineers had warned the town.",
        )
    )


def test_what_two_runs_say_comes_first_and_has_members_of_both(draft):
    first = draft.nugs[0]
    assert first.extra["runs"] == 2
    assert "dam burst" in first.descriptions[0]
    runs = {
        nugget.run_id for nugget in draft.nuggets if nugget.nugget_id in {member.nugget_id for member in first.members}
    }
    assert runs == {"a", "b"}


def test_sentences_that_begin_with_a_pronoun_make_no_nug(draft):
    assert not any(text.startswith("It ") for nug in draft.nugs for text in nug.descriptions)


def test_degrees_of_a_nugget_sum_to_at_most_one(draft):
    shares: dict[str, float] = {}
    for nug in draft.nugs:
        for member in nug.members:
            shares[member.nugget_id] = shares.get(member.nugget_id, 0.0) + member.degree
    assert all(share <= 1.001 for share in shares.values())


def test_few_runs_can_be_left_out():
    collection = _collection(a="The dam burst.", b="The dam burst.", c="Prices fell sharply.")
    draft = draft_key_collection(collection, min_runs=2)
    assert [nug.descriptions for nug in draft.nugs] == [("The dam burst.",)]


def test_the_key_comes_with_its_queries_and_can_be_linted(draft, tmp_path):
    path = tmp_path / "key.jsonl"
    write(draft.records(), path, format="karat")
    assert load(path).queries == [Query(query_id="q1", text="What happened at the dam?")]
    assert not [problem for problem in lint(path) if "member" in problem.code or "degree" in problem.code]


def test_nothing_to_draft_from():
    with pytest.raises(UsageError, match="no responses"):
        draft_key_collection(Collection([Query(query_id="q1", text="?")]))
