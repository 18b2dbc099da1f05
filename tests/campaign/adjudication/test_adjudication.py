"""Two assessors' work side by side, agreements taken over, differences decided."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from builders.campaign_place import EMOJI, PLAIN, STORM, Small
from builders.campaigns import alone, gone, new, saved
from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.adjudication.records import Item
from karat.campaign.work.annotations import layer, of_type
from karat.campaign.work.changes import undo
from karat.campaign.work.errors import CurrentAnnotation, NotAllowed, RuleBroken
from karat.campaign.work.payloads import (
    CitationWork,
    DecisionWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
    Work,
)
from karat.model import SpanSet


def items(connection: Connection, small: Small) -> dict[str, Item]:
    found = differences(connection, small.people["eva"], small.query).items
    assert len({item.item for item in found}) == len(found)
    return {item.item: item for item in found}


def of_kind(connection: Connection, small: Small, kind: str) -> list[Item]:
    return [item for item in items(connection, small).values() if item.kind == kind]


def adjudicated(connection: Connection, small: Small) -> list[CurrentAnnotation]:
    return layer(connection, small.query, 0)


def nugget(small: Small, *pairs: tuple[int, int], text: str = STORM, **more: object) -> NuggetWork:
    return NuggetWork(passage=small.passage(text), spans=SpanSet(pairs), **more)  # type: ignore[arg-type]


def both(connection: Connection, small: Small, ann: dict[str, Work], ben: dict[str, Work]) -> None:
    """Save what each assessor has: by key; keys that a record makes itself are replaced."""
    for name, works in (("ann", ann), ("ben", ben)):
        changes = [
            new(record, key if isinstance(record, NuggetWork | NugWork) else None) for key, record in works.items()
        ]
        saved(connection, small.people[name], small.query, *changes)


def nug(description: str, *members: str, degree: float = 1.0, **more: object) -> NugWork:
    return NugWork(
        description=description,
        members=tuple(NugMember(nugget=member, degree=degree) for member in members),
        **more,  # type: ignore[arg-type]
    )


def test_equal_labels_agree_and_others_are_named(small: Small) -> None:
    storm, plain, emoji = (small.passage(text) for text in (STORM, PLAIN, EMOJI))
    with small.database.write() as connection:
        both(
            connection,
            small,
            {"1": RelevanceWork(passage=storm, label="relevant"), "2": RelevanceWork(passage=plain, label="relevant")},
            {
                "1": RelevanceWork(passage=storm, label="relevant", text_spans=SpanSet([(0, 9)])),
                "2": RelevanceWork(passage=plain, label="relevant"),
                "3": RelevanceWork(passage=emoji, label="irrelevant", reason="off_question"),
            },
        )
        found = items(connection, small)
    assert [found[f"relevance:{number}"].agreed for number in (storm, plain, emoji)] == [False, True, False]
    assert found[f"relevance:{storm}"].label == "ann: relevant; ben: relevant, in part"
    assert found[f"relevance:{emoji}"].label == "ann: nothing; ben: irrelevant, off question"
    assert [version.absent for version in found[f"relevance:{emoji}"].versions] == [True, False]


def test_nuggets_are_aligned_by_their_best_overlap(small: Small) -> None:
    with small.database.write() as connection:
        both(
            connection,
            small,
            {
                "n-same": nugget(small, (0, 20), type="EVT"),
                "n-type": nugget(small, (21, 30), type="TMP"),
                "n-wide": nugget(small, (31, 51)),
                "n-far": nugget(small, (0, 3), text=PLAIN),
            },
            {
                "n-1": nugget(small, (0, 20), type="EVT", category="subevent"),
                "n-2": nugget(small, (21, 30), type="LOC"),
                "n-3": nugget(small, (35, 51)),
                "n-4": nugget(small, (3, 15), text=PLAIN),
            },
        )
        found = {item.label: item for item in of_kind(connection, small, "nugget")}
    assert found["the same"].agreed
    assert not found["other type"].agreed
    assert not found["other extent"].agreed
    assert {"only ann", "only ben"} <= set(found)
    assert len(found) == 5


def test_starting_takes_agreements_over_with_keys_of_their_own(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        both(
            connection,
            small,
            {
                "n-a": nugget(small, (0, 20)),
                "n-b": nugget(small, (4, 20)),
                "g-a": nug("hit", "n-a", "n-b", degree=0.5, best="n-a"),
                "r": ReviewedWork(step="nuggets", passage=small.passage(PLAIN)),
            },
            {
                "n-1": nugget(small, (0, 20), category="event"),
                "n-2": nugget(small, (4, 20)),
                "g-1": nug("struck", "n-1", "n-2", degree=0.5),
                "r": ReviewedWork(step="nuggets", passage=small.passage(PLAIN)),
            },
        )
        start(connection, eva, small.query)
        taken = adjudicated(connection, small)
        nuggets, nugs = of_type(taken, NuggetWork), of_type(taken, NugWork)
        assert {record.spans for record in nuggets.values()} == {SpanSet([(0, 20)]), SpanSet([(4, 20)])}
        assert not set(nuggets) & {"n-a", "n-b", "n-1", "n-2"}
        assert "event" in {record.category for record in nuggets.values()}
        (record,) = nugs.values()
        assert record.description == "hit"
        assert {member.nugget for member in record.members} == set(nuggets)
        assert [member.degree for member in record.members] == [0.5, 0.5]
        assert record.best in nuggets
        assert len(of_type(taken, ReviewedWork)) == 1
        assert {record.choice for record in of_type(taken, DecisionWork).values()} == {"agreed"}
        assert start(connection, eva, small.query) is None
        assert len(layer(connection, small.query, 1)) == 4
        assert len(layer(connection, small.query, 2)) == 4


def test_one_decision_after_the_other(small: Small) -> None:
    """A nugget whose extents differ: taken from ben, then from ann, then left out; its nug and citation follow."""
    eva = small.people["eva"]
    with small.database.write() as connection:
        both(
            connection,
            small,
            {
                "n-a": nugget(small, (0, 20)),
                "g-a": nug("hit", "n-a", best="n-a"),
                "c": CitationWork(citation=small.citation, nugget="n-a", support="full"),
            },
            {
                "n-1": nugget(small, (4, 30)),
                "g-1": nug("struck", "n-1"),
                "c": CitationWork(citation=small.citation, nugget="n-1", support="full"),
            },
        )
        start(connection, eva, small.query)
        assert of_type(adjudicated(connection, small), NuggetWork) == {}
        (item,) = of_kind(connection, small, "nugget")
        decide(connection, eva, small.query, "d1", item.item, take=2, reason="maximal extent")
        taken = adjudicated(connection, small)
        (key,) = of_type(taken, NuggetWork)
        assert of_type(taken, NuggetWork)[key].spans == SpanSet([(4, 30)])
        (of_nug,) = of_type(taken, NugWork).values()
        assert [(member.nugget, member.degree) for member in of_nug.members] == [(key, 1.0)]
        assert [record.nugget for record in of_type(taken, CitationWork).values()] == [key]
        decision = items(connection, small)[item.item].decision
        assert decision is not None
        assert (decision.choice, decision.taken_from, decision.reason) == ("taken", 2, "maximal extent")

        decide(connection, eva, small.query, "d2", item.item, take=1)
        assert of_type(adjudicated(connection, small), NuggetWork)[key].spans == SpanSet([(0, 20)])
        assert len(of_type(adjudicated(connection, small), NugWork)) == 1

        decide(connection, eva, small.query, "d3", item.item, reason="no fact")
        taken = adjudicated(connection, small)
        assert of_type(taken, NuggetWork) == {}
        assert of_type(taken, CitationWork) == {}
        assert [record.members for record in of_type(taken, NugWork).values()] == [()]
        undo(connection, eva, small.query, 0, "u1")
        assert of_type(adjudicated(connection, small), NuggetWork)[key].spans == SpanSet([(0, 20)])


def test_merged_and_split_nugs_are_one_item_and_exclude_each_other(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        nuggets_of_ann = {"n-a": nugget(small, (0, 20)), "n-b": nugget(small, (31, 51))}
        nuggets_of_ben = {"n-1": nugget(small, (0, 20)), "n-2": nugget(small, (31, 51))}
        both(
            connection,
            small,
            {**nuggets_of_ann, "g-a": nug("all", "n-a", "n-b", degree=0.5)},
            {**nuggets_of_ben, "g-1": nug("hit", "n-1"), "g-2": nug("closed", "n-2")},
        )
        start(connection, eva, small.query)
        (item,) = of_kind(connection, small, "nug")
        assert item.label == "merged or split (ann: 1, ben: 2)"
        decide(connection, eva, small.query, "d1", item.item, take=1)
        assert [record.description for record in of_type(adjudicated(connection, small), NugWork).values()] == ["all"]
        decide(connection, eva, small.query, "d2", item.item, take=2)
        nugs = of_type(adjudicated(connection, small), NugWork)
        assert {record.description for record in nugs.values()} == {"hit", "closed"}
        assert all(len(record.members) == 1 for record in nugs.values())


def test_degrees_and_weights_that_differ(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        nuggets_of_ann = {"n-a": nugget(small, (0, 20)), "n-b": nugget(small, (31, 51))}
        nuggets_of_ben = {"n-1": nugget(small, (0, 20)), "n-2": nugget(small, (31, 51))}
        both(
            connection,
            small,
            {**nuggets_of_ann, "g-a": nug("hit", "n-a", relevance=0.5), "g-b": nug("closed", "n-b")},
            {**nuggets_of_ben, "g-1": nug("hit", "n-1", relevance=0.9), "g-2": nug("closed", "n-2", relevance=1.0)},
        )
        start(connection, eva, small.query)
        found = {item.agreed: item for item in of_kind(connection, small, "degree")}
        assert found[False].label == "the same members; ann: weight 0.5, ben: weight 0.9"
        decide(connection, eva, small.query, "d1", found[False].item, take=2)
        weights = {record.relevance for record in of_type(adjudicated(connection, small), NugWork).values()}
        assert weights == {0.9, None}


def test_a_nugget_of_one_assessor_joins_the_nug_that_both_have(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        both(
            connection,
            small,
            {
                "n-a": nugget(small, (0, 20)),
                "n-b": nugget(small, (31, 51)),
                "g-a": nug("hit", "n-a", "n-b", degree=0.5),
            },
            {"n-1": nugget(small, (0, 20)), "g-1": nug("hit", "n-1", relevance=1.0)},
        )
        start(connection, eva, small.query)
        (only,) = [item for item in of_kind(connection, small, "nugget") if not item.agreed]
        assert only.label == "only ann"
        decide(connection, eva, small.query, "d1", only.item, take=1)
        (of_nug,) = of_type(adjudicated(connection, small), NugWork).values()
        assert len(of_nug.members) == 2


def test_citations_are_compared_per_aligned_nugget(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        both(
            connection,
            small,
            {"n-a": nugget(small, (0, 20)), "c": CitationWork(citation=small.citation, nugget="n-a", support="full")},
            {"n-1": nugget(small, (0, 20)), "c": CitationWork(citation=small.citation, nugget="n-1", support="none")},
        )
        start(connection, eva, small.query)
        (item,) = of_kind(connection, small, "citation")
        assert item.label == "ann: full; ben: none"
        assert item.passage == small.passage(STORM)
        decide(connection, eva, small.query, "d1", item.item, take=2)
        (check,) = of_type(adjudicated(connection, small), CitationWork).values()
        assert check.support == "none"


def test_a_rewritten_version_is_saved_with_its_decision(small: Small) -> None:
    eva, plain = small.people["eva"], small.passage(PLAIN)
    with small.database.write() as connection:
        both(
            connection,
            small,
            {"r": RelevanceWork(passage=plain, label="relevant")},
            {"r": RelevanceWork(passage=plain, label="irrelevant")},
        )
        own = new(RelevanceWork(passage=plain, label="redundant", redundant_with=f"passage:{small.passage(STORM)}"))
        decide(connection, eva, small.query, "d1", f"relevance:{plain}", rewrite=[own])
        found = items(connection, small)[f"relevance:{plain}"]
        assert found.decision is not None
        assert found.decision.choice == "rewritten"
        assert of_type(adjudicated(connection, small), RelevanceWork)[str(plain)].label == "redundant"


def test_votes_are_no_items_and_single_work_cannot_be_started(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        saved(connection, small.people["ann"], small.query, new(nug("storm"), "g-1"))
        with alone(connection, small.people["ann"], small.query):
            saved(connection, small.people["ann"], small.query, new(VoteWork(nug="g-1", value="vital")))
        assert {item.kind for item in items(connection, small).values()} == {"nug"}
        with pytest.raises(RuleBroken, match="two assessors are needed, but only ann worked on it"):
            start(connection, eva, small.query)
        with pytest.raises(RuleBroken, match="votes are not adjudicated"):
            saved(connection, eva, small.query, new(nug("storm"), "g-1"), new(VoteWork(nug="g-1", value="vital")))


def test_only_adjudicators_decide(small: Small) -> None:
    with small.database.write() as connection:
        for name in ("ann", "olga"):
            with pytest.raises(NotAllowed):
                start(connection, small.people[name], small.query)
        with pytest.raises(NotAllowed):
            differences(connection, small.people["ann"], small.query)
        with pytest.raises(NotAllowed):
            differences(connection, small.people["eva"], 12)
        assert differences(connection, small.people["olga"], small.query).items == ()


def test_work_of_three_assessors_is_aligned_in_groups(small: Small) -> None:
    from sqlalchemy import insert

    from builders.campaigns import Somebody
    from karat.campaign.store import tables

    with small.database.write() as connection:
        dan = Somebody(9, "dan", "assessor")
        connection.execute(insert(tables.account).values(number=9, name="dan", role="assessor", created=0.0))
        connection.execute(insert(tables.assignment).values(query=small.query, account=9, assigned=0.0))
        both(connection, small, {"n-a": nugget(small, (0, 20))}, {"n-1": nugget(small, (0, 20))})
        saved(connection, dan, small.query, new(nugget(small, (0, 20)), "n-x"))
        (item,) = of_kind(connection, small, "nugget")
        assert item.agreed
        saved(connection, dan, small.query, gone("nugget", "n-x", 1))
        saved(connection, dan, small.query, new(ReviewedWork(step="nuggets", passage=small.passage(STORM))))
        (item,) = of_kind(connection, small, "nugget")
        assert (item.agreed, item.label) == (False, "only ann, ben")
