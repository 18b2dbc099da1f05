from __future__ import annotations

import pytest

from builders.rows import Row, nug, vote
from karat.evaluate.keys.pyramid import pyramid
from karat.model import UsageError


def bare_nug(nug_id: str, query_id: str = "q") -> Row:
    return nug(query_id, nug_id, None)


def test_a_weight_is_votes_over_the_most_votes_of_the_query() -> None:
    rows = [bare_nug("1"), bare_nug("2"), bare_nug("3")]
    rows += [vote("1", assessor=who) for who in "abc"] + [
        vote("2", assessor="a"),
        vote("2", "okay", "b"),
        vote("2", "okay", "c"),
    ]
    rows += [vote("3", "okay", who) for who in "abc"]
    built = pyramid(rows)
    assert [(weight.votes, weight.raters, weight.weight) for weight in built.weights] == [
        (3.0, 3, 1.0),
        (1.0, 3, pytest.approx(1 / 3)),
        (0.0, 3, 0.0),
    ]
    assert built.notes == ()
    assert built.weights[0].record().weight == 1.0


def test_graded_votes_and_second_occasions_count() -> None:
    rows = [
        bare_nug("1"),
        bare_nug("2"),
        vote("1", 0.5, "a"),
        vote("1", 1.0, "a", occasion="later"),
        vote("2", 0.25, "a"),
    ]
    first, second = pyramid(rows).weights
    assert (first.votes, first.raters, first.weight) == (1.5, 2, 1.0)
    assert second.weight == pytest.approx(0.25 / 0.75)


def test_what_has_no_votes_has_no_weight_and_is_reported() -> None:
    rows = [
        bare_nug("1"),
        bare_nug("2"),
        vote("1", assessor="a"),
        bare_nug("1", "p"),
        bare_nug("1", "o"),
        vote("1", "okay", "a", query_id="o"),
    ]
    built = pyramid(rows)
    assert [(weight.nug.query_id, weight.nug.nug_id, weight.weight) for weight in built.weights] == [
        ("q", "1", 1.0),
        ("q", "2", None),
        ("o", "1", 0.0),
    ]
    assert built.notes == (
        "1 nug without a vote: no weight",
        "nobody called anything vital in 1 query: all weights 0 (o)",
        "1 query without votes left out (p)",
    )


def test_without_any_vote_there_is_nothing_to_do() -> None:
    with pytest.raises(UsageError, match="there are no votes"):
        pyramid([bare_nug("1")])
