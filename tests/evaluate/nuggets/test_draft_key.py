"""Draft keys: what answers say, brought together for people."""

from __future__ import annotations

import pytest

import karat
from karat.evaluate.lint import lint
from karat.evaluate.nuggets.draft_key import draft_key_collection
from karat.formats import load, write
from karat.model import Collection, Nug, Query, Response, Snippet, UsageError


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
            a="The dam burst on Monday. Mayor Ana Ruiz resigned in June.",
            b="## Overview\nHowever, on Monday **the dam** burst [1]. It was badly built.",
            c="Here is what is known. Engineers had warned the town for years.",
        )
    )


def test_what_two_runs_say_comes_first_and_has_members_of_both(draft):
    first = draft.nugs[0]
    assert first.extra == {"runs": 2, "suggested": True}
    assert first.importance == "vital"
    assert first.descriptions == ("The dam burst on Monday.", "On Monday the dam burst.")
    members = {member.nugget_id for member in first.members}
    assert {nugget.run_id for nugget in draft.nuggets if nugget.nugget_id in members} == {"a", "b"}


def test_what_one_run_says_is_okay_until_people_decide(draft):
    assert [nug.importance for nug in draft.nugs[1:]] == ["okay"] * (len(draft.nugs) - 1)


def test_nuggets_point_to_the_original_text(draft):
    text = "## Overview\nHowever, on Monday **the dam** burst [1]. It was badly built."
    (nugget,) = [nugget for nugget in draft.nuggets if nugget.paraphrase == "On Monday the dam burst."]
    spans = list(nugget.spans)
    assert text[spans[0][0] : spans[-1][1]] == "on Monday **the dam** burst [1]."


def test_what_is_left_out_is_counted(draft):
    assert draft.notes == (
        "of 7 sentences, 2 left out: 1 is a heading, a fragment or a list; 1 talks about the answer or its sources",
    )


def test_a_pronoun_is_resolved(draft):
    assert "The dam was badly built." in {nug.descriptions[0] for nug in draft.nugs}


def test_degrees_of_a_nugget_sum_to_at_most_one():
    draft = draft_key_collection(
        _collection(a="The dam burst.", b="The old dam burst on Monday after heavy rain.", c="The dam burst on Monday.")
    )
    shares: dict[str, float] = {}
    for nug in draft.nugs:
        for member in nug.members:
            shares[member.nugget_id] = shares.get(member.nugget_id, 0.0) + member.degree
    assert all(share <= 1.011 for share in shares.values())


def test_few_runs_can_be_left_out():
    collection = _collection(
        a="The dam burst on Monday.", b="The dam burst on Monday.", c="Prices of bread fell sharply."
    )
    draft = draft_key_collection(collection, min_runs=2)
    assert [nug.descriptions for nug in draft.nugs] == [("The dam burst on Monday.",)]


def test_the_number_of_nugs_can_be_limited():
    collection = _collection(
        a="The dam burst on Monday. The mayor of Cusco left town. Bread became dear in the valley."
    )
    draft = draft_key_collection(collection, most=2)
    assert len(draft.nugs) == 2
    assert draft.notes == ("1 nug left out: --max 2 keeps those that together say the most per query",)
    assert len(draft_key_collection(collection, most=None).nugs) == 3


def test_the_key_comes_with_its_queries_and_can_be_linted(draft, tmp_path):
    path = tmp_path / "key.jsonl"
    write(draft.records(), path, format="karat")
    assert load(path).queries == [Query(query_id="q1", text="What happened at the dam?")]
    assert not [problem for problem in lint(path) if "member" in problem.code or "degree" in problem.code]


def test_a_key_from_passages():
    rows = [
        {
            "query": {"qid": "q", "text": "Why did the dam burst?"},
            "candidates": [
                {"docid": "d1", "doc": {"segment": "The dam was more than ninety years old."}},
                {"docid": "d2", "doc": {"segment": "The dam was more than ninety years old. Nobody had repaired it."}},
            ],
        }
    ]
    draft = karat.draft_key(rows)
    assert draft.nugs[0].extra == {"passages": 2, "suggested": True}
    assert "source:passages" in draft.signature


def test_queries_without_a_nug_are_named():
    draft = draft_key_collection(_collection(a="Overview"))
    assert draft.nugs == ()
    assert draft.notes[-1] == "no nug for 1 query: q1"


def test_nothing_to_draft_from():
    with pytest.raises(UsageError, match="no responses"):
        draft_key_collection(Collection([Query(query_id="q1", text="?")]))


def test_nugs_that_contradict_each_other_are_named():
    draft = draft_key_collection(
        _collection(
            a="The dam burst on Monday. It was not repaired in 2019.",
            b="The dam burst on Monday.",
            c="The dam burst on Friday. It was repaired in 2019.",
        )
    )
    by_text = {nug.descriptions[0]: nug for nug in draft.nugs}
    monday, friday = by_text["The dam burst on Monday."], by_text["The dam burst on Friday."]
    assert (monday.extra["contradicts"], friday.extra["contradicts"]) == ([friday.nug_id], [monday.nug_id])
    assert (monday.importance, friday.importance) == ("vital", "okay")
    assert {member.nugget_id for member in monday.members}.isdisjoint(member.nugget_id for member in friday.members)
    assert draft.notes[-1].startswith("2 pairs of nugs seem to contradict each other (q1: d")
    assert draft.notes[-1].endswith("): check them, and keep what is true")
    (row,) = [row for row in draft.rows() if row.extra.get("contradicts") == monday.nug_id]
    assert row.descriptions == ("The dam burst on Friday.",)


def test_few_pairs_are_named():
    draft = draft_key_collection(_collection(**{f"r{n}": f"The dam burst in {1990 + n}." for n in range(5)}))
    assert draft.notes[-1] == (
        "10 pairs of nugs seem to contradict each other (q1: d1 and d2, q1: d1 and d3, q1: d1 and d4, q1: d1 and d5, "
        "q1: d2 and d3, and 5 more): check them, and keep what is true"
    )


def test_a_query_has_a_vital_nug_and_is_named_where_none_is_clear():
    said = {f"r{n}": f"The dam burst in {1990 + n}." for n in range(3)}
    draft = draft_key_collection(_collection(**said))
    assert [nug.importance for nug in draft.nugs] == ["vital", "okay", "okay"]
    assert [nug.extra["suggested"] for nug in draft.nugs] == ["unsure", True, True]
    assert draft.notes[-2] == (
        "no nug is clearly vital for 1 query (q1): those that most runs say are contradicted or far from the question. "
        'One each is called vital all the same ("suggested": "unsure"), because without a vital nug strict_vital is '
        "undefined there: check these first"
    )
    assert [row.extra["suggested"] for row in draft.rows() if isinstance(row, Nug)] == ["unsure", "yes", "yes"]
    # What nothing contradicts comes first, although no more runs say it.
    clear = draft_key_collection(_collection(**said, r9="The lake behind the dam was empty in two hours."))
    assert [nug.descriptions[0] for nug in clear.nugs if nug.importance == "vital"] == [
        "The lake behind the dam was empty in two hours."
    ]


def test_a_wrong_year_is_a_nug_of_its_own_in_whatever_words():
    draft = draft_key_collection(
        _collection(
            a="The Harbour Board approved the dam in May 2019.",
            b="The dam won approval of the Harbour Board in May 2019.",
            c="The Harbour Board approved the dam in May 2016.",
        )
    )
    wrong = [nug for nug in draft.nugs if any("2016" in text for text in nug.descriptions)]
    assert [nug.descriptions for nug in wrong] == [("The Harbour Board approved the dam in May 2016.",)]
    assert wrong[0].extra["contradicts"]
    assert len(wrong[0].members) == 1
