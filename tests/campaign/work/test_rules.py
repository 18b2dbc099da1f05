"""Every rule, where it fires and where it must not."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert

from builders.campaign_place import EMOJI, OTHER, PLAIN, STORM, Small
from builders.campaigns import gone, new
from karat.campaign.store import tables
from karat.campaign.work.annotations import at_places, encode_work
from karat.campaign.work.changes import save
from karat.campaign.work.payloads import (
    CitationWork,
    DecisionWork,
    JudgementWork,
    NuggetWork,
    NugMember,
    NugWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.rules import RULES, Change, ChangeBatch, broken_rules
from karat.campaign.work.rules.annotation_rules import (
    Rule,
    citations_belong,
    decisions_are_adjudicated,
    degrees_sum_to_one,
    judgements_belong,
    keys_match,
    lone_member_is_whole,
    members_exist,
    nuggets_in_scope,
    nugs_say_something,
    passages_belong,
    redundant_keeps_pointing,
    redundant_points,
    rejections_are_of_suggestions,
    revisions_are_known,
    spans_fit,
    votes_belong,
)
from karat.campaign.work.rules.kept_rules import KEPT_RULES
from karat.model import SpanSet

ELSEWHERE = 1
"""A number that no passage, citation, answer or suggestion of the query has."""


def nugget(small: Small, *pairs: tuple[int, int], text: str = STORM, **more: object) -> NuggetWork:
    return NuggetWork(passage=small.passage(text), spans=SpanSet(pairs), **more)  # type: ignore[arg-type]


def label(small: Small, value: str, text: str = PLAIN, **more: object) -> RelevanceWork:
    return RelevanceWork(passage=small.passage(text), label=value, **more)  # type: ignore[arg-type]


def nug(*members: str, degree: float = 1.0, **more: object) -> NugWork:
    made = tuple(NugMember(nugget=member, degree=degree) for member in members)
    return NugWork(description="storm", members=made, **more)  # type: ignore[arg-type]


def prepare(connection: Connection, small: Small) -> None:
    """ann has nuggets n-1 and n-2 (members of g-1 to 0.5 each) and others, g-2 without members, a label that points."""
    ann = small.people["ann"]
    for number, kind in ((501, "nugget"), (502, "judgement")):
        record = nugget(small, (0, 9), source="auto")
        connection.execute(
            insert(tables.suggestion).values(
                number=number, query=small.query, kind=kind, passage=small.passage(STORM), record=encode_work(record)
            )
        )
    changes = [
        new(nugget(small, (0, 9)), "n-1"), new(nugget(small, (10, 20)), "n-2"), new(nugget(small, (21, 30)), "n-3"),
        new(nugget(small, (0, 3), text=PLAIN), "n-plain"), new(nug("n-1", "n-2", degree=0.5), "g-1"),
        new(nug(), "g-2"), new(label(small, "redundant", EMOJI, redundant_with="nug:g-2")),
    ]  # fmt: skip
    save(connection, ann, small.query, ann.number, "prepared", changes)


def problems(small: Small, rule: Rule, *changes: Change, owner: int = 1) -> list[str]:
    """What one rule says; the layer is ann's as prepared."""
    with small.database.write() as connection:
        if not at_places(connection, small.query, 1, [("nugget", "n-1")]):
            prepare(connection, small)
        current = at_places(connection, small.query, owner, [change.place for change in changes])
        return [problem.what for problem in rule(ChangeBatch(connection, small.query, owner, changes, current))]


def test_every_rule_is_used_and_tested() -> None:
    """Those that keep what others rely on are tested in test_kept_rules.py."""
    assert {rule.__name__ for rule in RULES if rule not in KEPT_RULES} == {
        "citations_belong", "decisions_are_adjudicated", "degrees_sum_to_one", "judgements_belong", "keys_match",
        "lone_member_is_whole", "members_exist", "nuggets_in_scope", "nugs_say_something", "passages_belong",
        "redundant_keeps_pointing", "redundant_points", "rejections_are_of_suggestions", "revisions_are_known",
        "spans_fit", "votes_belong",
    }  # fmt: skip


def test_sound_work_breaks_no_rule(small: Small) -> None:
    changes = [
        new(label(small, "relevant")), new(nugget(small, (31, 51)), "n-9"), new(nug("n-3"), "g-3"),
        new(CitationWork(citation=small.citation, nugget="n-9", support="full", spans=SpanSet([(31, 35)]))),
        new(VoteWork(nug="g-3", value="okay")), new(ReviewedWork(step="nuggets")),
    ]  # fmt: skip
    assert problems(small, lambda batch: iter(broken_rules(batch)), *changes) == []


def test_keys_match(small: Small) -> None:
    passage = small.passage(PLAIN)
    assert problems(small, keys_match, new(label(small, "relevant"))) == []
    assert problems(small, keys_match, new(label(small, "relevant"), "77")) == [f"the key of this record is {passage}"]
    twice = [new(nugget(small, (0, 3)), "n-8")] * 2
    assert problems(small, keys_match, *twice) == ["is changed more than once in the same save"]
    wrong = Change(kind="nug", key="g-8", record=nugget(small, (0, 3)))
    assert problems(small, keys_match, wrong) == ["the record is a nugget"]
    assert problems(small, keys_match, gone("nug", "g-77", 0)) == ["there is nothing to delete"]
    assert problems(small, keys_match, gone("nugget", "n-1", 1)) == []


def test_passages_belong(small: Small) -> None:
    other = small.material.passages["q2", "Cats sleep."]
    assert problems(small, passages_belong, new(label(small, "relevant"))) == []
    for record in (
        RelevanceWork(passage=other, label="relevant"),
        NuggetWork(passage=ELSEWHERE, spans=SpanSet([(0, 1)])),
        ReviewedWork(step="nuggets", passage=other),
    ):
        assert problems(small, passages_belong, new(record, "x")) == ["the passage is not one of this query"]


def test_spans_fit(small: Small) -> None:
    end = len(EMOJI)
    assert problems(small, spans_fit, new(nugget(small, (0, end), text=EMOJI), "n-9")) == []
    assert problems(small, spans_fit, new(nugget(small, (0, end + 1), text=EMOJI), "n-9")) == [
        f"the nugget ends at {end + 1}, but the passage has {end} characters"
    ]
    assert problems(small, spans_fit, new(nugget(small, text=EMOJI), "n-9")) == [
        "the nugget is empty; mark at least one character"
    ]
    anchored = nugget(small, (0, 4), anchor=SpanSet([(0, 99)]))
    assert problems(small, spans_fit, new(anchored, "n-9")) == [
        f"the anchor ends at 99, but the passage has {len(STORM)} characters"
    ]
    text = label(small, "relevant", text_spans=SpanSet([(0, 99)]))
    assert problems(small, spans_fit, new(text))[0].startswith("the relevant text ends at 99")
    check = CitationWork(citation=small.citation, support="full", spans=SpanSet([(0, 99)]))
    assert problems(small, spans_fit, new(check))[0].startswith("the supported text ends at 99")
    judged = JudgementWork(response=small.material.responses["q1", "beta"], nug="g-1", degree=1.0,
                           evidence=SpanSet([(0, 2)]))  # fmt: skip
    assert problems(small, spans_fit, new(judged)) == ["the evidence needs the passage that it is in"]


def test_nuggets_in_scope(small: Small) -> None:
    assert problems(small, nuggets_in_scope, new(nugget(small, (0, 4)), "n-9")) == []
    assert len(problems(small, nuggets_in_scope, new(nugget(small, (0, 4), text=OTHER), "n-9"))) == 1


def test_redundant_points(small: Small) -> None:
    storm, plain = small.passage(STORM), small.passage(PLAIN)
    for target in (f"passage:{storm}", "nug:g-1"):
        assert problems(small, redundant_points, new(label(small, "redundant", redundant_with=target))) == []
    assert problems(small, redundant_points, new(label(small, "relevant"))) == []
    for target, what in {
        None: "redundant with what? Point at the passage or nug that it repeats",
        f"passage:{plain}": "a passage cannot repeat itself; point at another one",
        f"passage:{ELSEWHERE}": f"passage {ELSEWHERE} is not one of this query",
        "passage:" + "9" * 40: f"redundant_with is passage:NUMBER or nug:KEY, not passage:{'9' * 40}",
        "nug:g-77": "there is no nug g-77",
        "storm": "redundant_with is passage:NUMBER or nug:KEY, not storm",
    }.items():
        assert problems(small, redundant_points, new(label(small, "redundant", redundant_with=target))) == [what]
    assert problems(small, redundant_points, new(label(small, "relevant", redundant_with="nug:g-1"))) == [
        "only a redundant passage points at what it repeats"
    ]


def test_redundant_keeps_pointing(small: Small) -> None:
    assert problems(small, redundant_keeps_pointing, gone("nug", "g-1", 1)) == []
    emoji = small.passage(EMOJI)
    assert problems(small, redundant_keeps_pointing, gone("nug", "g-2", 1)) == [
        f"passage {emoji} is called redundant with it; change that first"
    ]
    moved = new(label(small, "redundant", EMOJI, redundant_with="nug:g-1"), version=1)
    assert problems(small, redundant_keeps_pointing, gone("nug", "g-2", 1), moved) == []


def test_members_exist(small: Small) -> None:
    assert problems(small, members_exist, new(nug("n-3", best="n-3"), "g-3")) == []
    assert problems(small, members_exist, new(nug("n-77"), "g-3")) == [
        "member n-77 is not one of your nuggets of this query"
    ]
    assert problems(small, members_exist, new(nug("n-3", "n-3", degree=0.5), "g-3")) == [
        "nugget n-3 is a member 2 times"
    ]
    assert problems(small, members_exist, new(nug("n-3", best="n-1"), "g-3")) == [
        "the best nugget n-1 is not a member of the nug"
    ]
    assert problems(small, members_exist, gone("nugget", "n-1", 1)) == [
        "is a member of nug g-1; take it out of the nug in the same save"
    ]
    assert problems(small, members_exist, gone("nugget", "n-1", 1), new(nug("n-2"), "g-1", 1)) == []
    assert problems(small, members_exist, gone("nugget", "n-1", 1), gone("nug", "g-1", 1)) == []
    still = new(nug("n-1"), "g-1", 1)
    assert problems(small, members_exist, gone("nugget", "n-1", 1), still) == [
        "member n-1 is not one of your nuggets of this query"
    ]
    assert problems(small, members_exist, gone("nugget", "n-3", 1)) == []


def test_degrees_sum_to_one(small: Small) -> None:
    assert problems(small, degrees_sum_to_one, new(nug("n-1", "n-3", degree=0.5), "g-3")) == []
    assert problems(small, degrees_sum_to_one, new(nug("n-1", "n-3", degree=0.6), "g-3")) == [
        "its degrees sum to 1.1; at most 1 is possible"
    ]
    tenths = [new(nug("n-3", "n-plain", degree=0.1), f"g-{number}") for number in range(10, 20)]
    assert problems(small, degrees_sum_to_one, *tenths) == []


def test_lone_member_is_whole(small: Small) -> None:
    assert problems(small, lone_member_is_whole, new(nug("n-3"), "g-3"), new(nug(), "g-4")) == []
    assert problems(small, lone_member_is_whole, new(nug("n-3", degree=0.5), "g-3")) == [
        "its only member has degree 0.5; it must be 1"
    ]


def test_nugs_say_something(small: Small) -> None:
    empty = NugWork(description=" ", members=(NugMember(nugget="n-3"),))
    with_best = NugWork(description="", best="n-3", members=(NugMember(nugget="n-3"),))
    assert problems(small, nugs_say_something, new(with_best, "g-3")) == []
    assert problems(small, nugs_say_something, new(empty, "g-3")) == ["needs a description or a best nugget"]


def test_revisions_are_known(small: Small) -> None:
    for revised in ("n-1", "suggestion:501"):
        assert problems(small, revisions_are_known, new(nugget(small, (0, 4), revises=(revised,)), "n-9")) == []
    for revised, what in {
        "n-77": "it takes the place of n-77, but there was no such nugget",
        "n-9": "a nugget cannot take the place of itself",
        "suggestion:502": "there is no suggested nugget 502 for this query",
        "suggestion:x": "there is no suggested nugget x for this query",
    }.items():
        assert problems(small, revisions_are_known, new(nugget(small, (0, 4), revises=(revised,)), "n-9")) == [what]
    assert problems(small, revisions_are_known, new(nugget(small, (0, 4), source="corrected"), "n-9")) == [
        "a corrected nugget names the suggestion that it corrects"
    ]
    mine = new(nugget(small, (0, 4), revises=("n-1",)), "n-9")
    assert problems(small, revisions_are_known, mine, owner=2) == [
        "it takes the place of n-1, but there was no such nugget"
    ]
    assert problems(small, revisions_are_known, mine, owner=0) == []


def test_rejections_are_of_suggestions(small: Small) -> None:
    assert problems(small, rejections_are_of_suggestions, new(RejectionWork(suggestion=501))) == []
    for number in (502, ELSEWHERE):
        assert problems(small, rejections_are_of_suggestions, new(RejectionWork(suggestion=number))) == [
            "there is no such suggested nugget for this query"
        ]


def test_citations_belong(small: Small) -> None:
    assert problems(small, citations_belong, new(CitationWork(citation=small.citation, support="none"))) == []
    for work, what in (
        (CitationWork(citation=ELSEWHERE, support="full"), "the citation is not one of this query"),
        (CitationWork(citation=small.citation, nugget="n-77", support="full"), "there is no nugget n-77"),
        (
            CitationWork(citation=small.citation, nugget="n-plain", support="full"),
            "nugget n-plain is in another passage than the citation",
        ),
    ):
        assert problems(small, citations_belong, new(work)) == [what]


def test_votes_belong(small: Small) -> None:
    assert problems(small, votes_belong, new(VoteWork(nug="g-1", value="vital"))) == []
    assert problems(small, votes_belong, new(VoteWork(nug="g-77", value="vital"))) == [
        "there is no nug g-77 in the key of this query"
    ]
    assert problems(small, votes_belong, new(VoteWork(nug="g-1", value=0.5))) == [
        "a vote is vital or okay in this campaign"
    ]
    with small.database.write() as connection:
        connection.execute(insert(tables.setting).values(name="vote_scale", value='"graded"'))
    assert problems(small, votes_belong, new(VoteWork(nug="g-1", value=0.5))) == []
    assert problems(small, votes_belong, new(VoteWork(nug="g-1", value="okay"))) == [
        "a vote is a number from 0 to 1 in this campaign"
    ]


def test_judgements_belong(small: Small) -> None:
    beta = small.material.responses["q1", "beta"]
    sound = JudgementWork(
        response=beta, nug="g-1", degree=1.0, evidence=SpanSet([(0, 2)]), evidence_passage=small.passage(EMOJI)
    )
    assert problems(small, judgements_belong, new(sound)) == []
    elsewhere = JudgementWork(response=beta, nug="g-1", degree=1.0, evidence_passage=small.passage(STORM))
    assert problems(small, judgements_belong, new(elsewhere)) == [
        "the evidence is in a passage that the answer does not have"
    ]
    other = small.material.responses["q2", "beta"]
    assert problems(small, judgements_belong, new(JudgementWork(response=other, nug="g-77", degree=1.0))) == [
        "the answer is not one of this query", "there is no nug g-77 in the key of this query",
    ]  # fmt: skip


def test_decisions_are_adjudicated(small: Small) -> None:
    taken = DecisionWork(item="relevance:1", choice="taken", taken_from=2)
    assert problems(small, decisions_are_adjudicated, new(taken), owner=0) == []
    assert problems(small, decisions_are_adjudicated, new(taken), owner=1) == ["only adjudicators decide"]
    nobody = DecisionWork(item="relevance:1", choice="taken", taken_from=3)
    assert problems(small, decisions_are_adjudicated, new(nobody), owner=0) == [
        "taken from whom? Name an assessor of this query"
    ]


@pytest.mark.parametrize("imported", [False, True])
def test_the_key_of_a_query(small: Small, imported: bool) -> None:
    """Imported nugs go before the assessor's own."""
    if imported:
        with small.database.write() as connection:
            connection.execute(
                insert(tables.key_nug).values(
                    number=900, query=small.query, nug_id="k1", position=0,
                    record='{"kind":"nug","v":1,"query_id":"q1","nug_id":"k1","descriptions":["a storm"]}',
                )
            )  # fmt: skip
    own, of_key = (problems(small, votes_belong, new(VoteWork(nug=key, value="okay"))) for key in ("g-1", "key:900"))
    assert (bool(own), bool(of_key)) == (imported, not imported)
