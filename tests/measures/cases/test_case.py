from __future__ import annotations

import pytest

from builders.records import judgement, nug, response, vote
from karat.measures.cases.case import Case, Pool
from karat.measures.cases.credits import NugCredits
from karat.model import Nugget, Response, SpanSet


def said(*texts: str) -> Response:
    return response("r", *texts)


def test_parts_are_not_counted_by_themselves() -> None:
    pool = Pool("q", nugs=[nug("a", aggregator="and"), nug("b", parent="a"), nug("c")])
    assert [one.nug_id for one in pool.whole_nugs] == ["a", "c"]
    assert pool.importance == {"a": None, "c": None}


def test_the_primary_vote_replaces_a_missing_importance() -> None:
    votes = {
        "a": [vote("a", "okay"), vote("a", "vital", assessor="bob", primary=True)],
        "b": [vote("b", "okay", primary=True)],
        "c": [vote("c", "vital", primary=False), vote("c", "vital")],
    }
    pool = Pool("q", nugs=[nug("a"), nug("b"), nug("c"), nug("d")], votes=votes)
    assert pool.importance == {"a": "vital", "b": "okay", "c": None, "d": None}


def test_what_the_key_says_goes_before_the_primary_vote() -> None:
    pool = Pool("q", nugs=[nug("a", importance="okay")], votes={"a": [vote("a", "vital", primary=True)]})
    assert pool.importance == {"a": "okay"}


def test_a_grade_between_is_no_importance() -> None:
    pool = Pool("q", nugs=[nug("a")], votes={"a": [vote("a", 0.4, primary=True)]})
    assert pool.importance == {"a": None}


def test_nuggets_by_id() -> None:
    fields = {"query_id": "q", "snippet_id": "s", "spans": SpanSet([(0, 1)]), "source": "person"}
    nuggets = [Nugget(nugget_id=name, run_id="r", **fields) for name in ("x", "y")]
    assert Pool("q", nuggets=nuggets).nugget_by_id == {"x": nuggets[0], "y": nuggets[1]}


def test_strict_and_lenient_credits() -> None:
    case = Case(Pool("q", nugs=[nug("a"), nug("b")]), "r", judgements=[judgement("a", 1.0), judgement("b", 0.5)])
    assert case.strict == NugCredits({"a": 1.0, "b": 0.0})
    assert case.lenient == NugCredits({"a": 1.0, "b": 0.5})
    assert case.query_id == "q"


def test_a_case_may_be_given_other_degrees() -> None:
    nugs = [nug("a"), nug("b"), nug("c")]
    case = Case(Pool("q", nugs=nugs), "r", judgements=[judgement("a", 1.0), judgement("b", 0.5), judgement("c", None)])
    drawn = case.with_degrees({"a": 0.5, "c": 1.0, "unknown": 1.0})
    assert drawn.strict == NugCredits({"a": 0.0, "b": 0.0}, failed=1)
    assert drawn.lenient == NugCredits({"a": 0.5, "b": 0.5}, failed=1)
    assert case.lenient == NugCredits({"a": 1.0, "b": 0.5}, failed=1)


@pytest.mark.parametrize(
    ("response", "length"),
    [
        (None, 0),
        (said(), 0),
        (said("", " \n\t"), 0),
        (said("abc"), 3),
        (said(" a b\tc\n\r\n"), 3),
        (said("a\u00a0b\u3000c\u2003d"), 4),
        (said("ab c", "d"), 4),
        (said("né 🐝 中"), 4),
    ],
)
def test_the_length_counts_characters_that_are_no_white_space(response: Response | None, length: int) -> None:
    assert Case(Pool("q"), "r", response=response).length == length


def test_silence_is_not_undefined() -> None:
    pool = Pool("q", nugs=[nug("a", aggregator="and"), nug("b", parent="a"), nug("c")])
    silent = Case(pool, "r", response=said(), silent=True)
    assert silent.strict == silent.lenient == NugCredits({"a": 0.0, "c": 0.0})


def test_what_nobody_judged_is_not_silence() -> None:
    assert Case(Pool("q", nugs=[nug("a")]), "r", response=said("text")).strict == NugCredits({}, unjudged=1)


@pytest.mark.parametrize(
    ("degree", "expected"), [(1.0, NugCredits({"a": 1.0}, unjudged=1)), (None, NugCredits({}, failed=1, unjudged=1))]
)
def test_judgements_go_before_silence(degree: float | None, expected: NugCredits) -> None:
    silent = Case(Pool("q", nugs=[nug("a"), nug("b")]), "r", judgements=[judgement("a", degree)], silent=True)
    assert silent.strict == expected
