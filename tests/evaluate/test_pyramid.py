from __future__ import annotations

from typing import Any

import pytest

from karat.evaluate.pyramid import pyramid
from karat.model import UsageError

Row = dict[str, Any]


def nug(nug_id: str, query_id: str = "q") -> Row:
    return {"kind": "nug", "query_id": query_id, "nug_id": nug_id, "descriptions": [f"fox {nug_id}"]}


def vote(nug_id: str, assessor: str, value: Any = "vital", query_id: str = "q", **more: Any) -> Row:
    return {"kind": "vote", "query_id": query_id, "nug_id": nug_id, "assessor": assessor, "value": value, **more}


def test_a_weight_is_votes_over_the_most_votes_of_the_query() -> None:
    rows = [nug("1"), nug("2"), nug("3")]
    rows += [vote("1", who) for who in "abc"] + [vote("2", "a"), vote("2", "b", "okay"), vote("2", "c", "okay")]
    rows += [vote("3", who, "okay") for who in "abc"]
    found = pyramid(rows)
    assert [(one.votes, one.raters, one.weight) for one in found.weights] == [
        (3.0, 3, 1.0),
        (1.0, 3, pytest.approx(1 / 3)),
        (0.0, 3, 0.0),
    ]
    assert found.notes == ()
    assert found.weights[0].record().weight == 1.0


def test_graded_votes_and_second_occasions_count() -> None:
    rows = [nug("1"), nug("2"), vote("1", "a", 0.5), vote("1", "a", 1.0, occasion="later"), vote("2", "a", 0.25)]
    first, second = pyramid(rows).weights
    assert (first.votes, first.raters, first.weight) == (1.5, 2, 1.0)
    assert second.weight == pytest.approx(0.25 / 0.75)


def test_what_has_no_votes_has_no_weight_and_is_told() -> None:
    rows = [nug("1"), nug("2"), vote("1", "a"), nug("1", "p"), nug("1", "o"), vote("1", "a", "okay", "o")]
    found = pyramid(rows)
    assert [(one.nug.query_id, one.nug.nug_id, one.weight) for one in found.weights] == [
        ("q", "1", 1.0),
        ("q", "2", None),
        ("o", "1", 0.0),
    ]
    assert found.notes == (
        "1 nug without a vote: no weight",
        "nobody called anything vital in 1 query: all weights 0 (o)",
        "1 query without votes left out (p)",
    )


def test_without_any_vote_there_is_nothing_to_do() -> None:
    with pytest.raises(UsageError, match="there are no votes"):
        pyramid([nug("1")])
