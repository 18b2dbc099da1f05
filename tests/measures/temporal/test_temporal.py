from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import judgement, nug
from karat.measures.base import Measure
from karat.measures.cases.case import Case, Pool
from karat.measures.registry import parse_measure
from karat.measures.temporal.temporal import Comprehensiveness, Gain, PerUpdate, TemporalHM
from karat.measures.temporal.updates import account
from karat.model import Citation, Evidence, Judgement, Nug, Response, Snippet, SpanSet

HOURS = 3600
E1, E2 = math.exp(-1), math.exp(-2)
TEXT = "one two three four five"


def news(nug_id: str, weight: float | None, words: int, time: int | None = 100_000) -> Nug:
    extra = {} if time is None else {"timestamp": time}
    return nug(nug_id, " ".join("w" * words), weight=weight, extra=extra)


KEY = [news("a", 3, 2), news("b", 2, 4), news("c", 1, 3), news("d", -1, 9)]
"""R is 1, 1/e, 1/e^2; d does not count. A nug has 3 words on average."""


def update(snippet_id: str, time: str | int | None = 100_000, text: str = TEXT) -> Snippet:
    said = None if time is None else str(time)
    return Snippet(snippet_id=snippet_id, text=text, citations=(Citation(doc_id="doc", time=said),))


def find(snippet_id: str | None, nug_id: str, *spans: tuple[int, int], **fields: object) -> Judgement:
    evidence = Evidence(spans=SpanSet(spans)) if spans else None
    known = {"snippet_id": snippet_id, "judge": "given", "evidence": evidence, "status": "ok"}
    return judgement(nug_id, **known | fields)


def case(
    updates: Sequence[Snippet] | None, finds: Sequence[Judgement] = (), nugs: Sequence[Nug] = KEY, silent: bool = False
) -> Case:
    response = None if updates is None else Response(query_id="q", run_id="r", snippets=tuple(updates))
    return Case(Pool("q", nugs=nugs), "r", judgements=finds, response=response, silent=silent)


def value(measure: Measure, *cases: Case) -> float:
    """The score of the cases together."""
    counts = np.sum([measure.counts(one) for one in cases], axis=0)
    assert len(counts) == len(measure.COUNTS)
    return float(measure.values(counts[None])[0])


ALL: list[Measure] = [
    *(
        Gain(normalized=normalized, latency=latency, importance=importance, per=per)
        for normalized in (False, True)
        for latency in (False, True)
        for importance in ("graded", "binary")
        for per in ("verbosity", "update")
    ),
    *(Comprehensiveness(latency, importance) for latency in (False, True) for importance in ("graded", "binary")),
    *(TemporalHM(importance, per) for importance in ("graded", "binary") for per in ("verbosity", "update")),
    PerUpdate("verbosity"),
    PerUpdate("timeliness"),
]  # fmt: skip


def test_worked_by_hand() -> None:
    # "two three" says a: of five words three are left. The second says a again, and b in its first two words, of which
    # the first never counts as matched. The third was not judged: one word.
    one = case(
        [update("u1"), update("u2", 100_000 + 6 * HOURS), update("u3", text="")],
        [find("u1", "a", (4, 13)), find("u2", "a", (4, 13)), find("u2", "b", (0, 7))],
    )
    verbosity = (1 + 3 / 3) + (1 + 4 / 3) + (1 + 1 / 3)
    total = 1 + E1 + E2
    late = 1 - 2 / math.pi * math.atan(1)
    assert late == 0.5
    gain, latency_gain = 1 + E1, 1 + 0.5 * E1
    assert value(PerUpdate("verbosity"), one) == pytest.approx(verbosity / 3)
    assert value(PerUpdate("timeliness"), one) == pytest.approx(1.5 / 3)
    assert value(Gain(), one) == pytest.approx(gain / verbosity)
    assert value(Gain(per="update"), one) == pytest.approx(gain / 3)
    assert value(Gain(normalized=True), one) == pytest.approx(gain / verbosity / (total / 3))
    assert value(Gain(latency=True), one) == pytest.approx(latency_gain / verbosity)
    assert value(Comprehensiveness(), one) == pytest.approx(gain / total)
    assert value(Comprehensiveness(latency=True), one) == pytest.approx(latency_gain / total)
    precision, recall = latency_gain / verbosity / (total / 3), latency_gain / total
    assert value(TemporalHM(), one) == pytest.approx(2 * precision * recall / (precision + recall))


def test_binary_importance() -> None:
    one = case([update("u1")], [find("u1", "c")])
    assert value(Comprehensiveness(importance="binary"), one) == pytest.approx(1 / 3)
    assert value(Gain(importance="binary", per="update"), one) == 1


def test_the_ideal_has_as_many_nugs_as_the_run_has_updates() -> None:
    one = case([update("u1")], [find("u1", "b")])
    assert value(Gain(normalized=True, per="update"), one) == pytest.approx(E1)
    two = case([update("u1"), update("u2")], [find("u1", "b")])
    assert value(Gain(normalized=True, per="update"), two) == pytest.approx((E1 / 2) / ((1 + E1) / 2))
    many = case([update(f"u{number}") for number in range(9)], [find("u1", "b")])
    assert value(Gain(normalized=True, per="update"), many) == pytest.approx((E1 / 9) / ((1 + E1 + E2) / 3))


def test_the_earliest_update_finds_wherever_it_is_listed() -> None:
    late_first = [update("u1", 100_000 + 6 * HOURS), update("u2", 100_000), update("u3", None)]
    finds = [find("u1", "a"), find("u2", "a"), find("u3", "a")]
    assert value(PerUpdate("timeliness"), case(late_first, finds)) == pytest.approx(1 / 3)


def test_early_updates_gain_more() -> None:
    early = case([update("u1", 100_000 - 6 * HOURS)], [find("u1", one) for one in "abc"])
    assert value(Comprehensiveness(latency=True), early) == pytest.approx(1.5)


def test_perfect_response() -> None:
    perfect = case([update("u1")], [find("u1", one, (0, 99)) for one in "abc"])
    assert value(Comprehensiveness(), perfect) == 1
    assert value(Comprehensiveness(latency=True), perfect) == 1


@pytest.mark.parametrize("empty", [case([]), case(None, silent=True)], ids=["empty", "missing counted as zero"])
def test_saying_nothing_is_zero_and_its_precision_undefined(empty: Case) -> None:
    assert value(Comprehensiveness(), empty) == 0
    assert value(Comprehensiveness(latency=True), empty) == 0
    assert value(TemporalHM(), empty) == 0
    assert math.isnan(value(Gain(), empty))
    assert math.isnan(value(PerUpdate("verbosity"), empty))


def test_updates_that_find_nothing() -> None:
    idle = case([update("u1")])
    assert value(Comprehensiveness(), idle) == 0
    assert value(Gain(), idle) == 0
    assert value(TemporalHM(), idle) == 0
    assert value(PerUpdate("verbosity"), idle) == pytest.approx(1 + 5 / 3)


@pytest.mark.parametrize("measure", ALL, ids=str)
@pytest.mark.parametrize("nugs", [[], [news("d", -1, 9), news("e", 0, 2)]], ids=["no nugs", "none that counts"])
def test_a_key_without_importance_is_undefined(measure: Measure, nugs: list[Nug]) -> None:
    assert math.isnan(value(measure, case([update("u1")], nugs=nugs)))


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_what_nobody_judged_is_undefined(measure: Measure) -> None:
    assert math.isnan(value(measure, case(None)))


def test_an_undefined_query_takes_no_part_in_the_sum() -> None:
    good = case([update("u1")], [find("u1", "a")])
    for measure in ALL:
        assert value(measure, good, case([update("u1")], nugs=[])) == value(measure, good)


@pytest.mark.parametrize(
    "untimed",
    [
        case([update("u1", None)], [find("u1", "a")]),
        case([update("u1", "soon")], [find("u1", "a")]),
        case([update("u1", "nan")], [find("u1", "a")]),
        case([update("u1")], [find("u1", "e")], [*KEY, news("e", 3, 2, None)]),
        case([update("u1")], [find(None, "a")]),
    ],
    ids=["no time", "no number", "nan", "nug without time", "whole response"],
)
def test_without_times_only_latency_is_undefined(untimed: Case) -> None:
    assert value(Comprehensiveness(), untimed) > 0
    assert value(Gain(), untimed) > 0
    for measure in (Gain(latency=True), Comprehensiveness(latency=True), TemporalHM(), PerUpdate("timeliness")):
        assert math.isnan(value(measure, untimed))


def test_without_the_text_of_a_find_verbosity_is_undefined() -> None:
    untold = case([update("u1", text="")], [find("u1", "a")], silent=True)
    for measure in (Gain(), TemporalHM(), PerUpdate("verbosity")):
        assert math.isnan(value(measure, untold))
    assert value(Gain(per="update"), untold) == 1
    assert value(TemporalHM(per="update"), untold) == pytest.approx(2 / (1 + (1 + E1 + E2)))


def test_judgements_without_a_response() -> None:
    unseen = case(None, [find("u1", "a")])
    assert value(Comprehensiveness(), unseen) == pytest.approx(1 / (1 + E1 + E2))
    for measure in (Gain(), Gain(per="update"), TemporalHM(), PerUpdate("verbosity"), PerUpdate("timeliness")):
        assert math.isnan(value(measure, unseen))


def test_failed_judgements_leave_the_nug_out() -> None:
    failed = [find("u1", "a"), find("u1", "b", degree=None, status="failed")]
    assert value(Comprehensiveness(), case([update("u1")], failed)) == pytest.approx(1 / (1 + E2))
    again = [*failed, find("u1", "b", degree=0.0)]
    assert value(Comprehensiveness(), case([update("u1")], again)) == pytest.approx(1 / (1 + E1 + E2))


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"degree": 0.5}, 0),
        ({"degree": 0.0}, 0),
        ({"degree": None, "probabilities": {"1": 0.6, "0": 0.4}}, 1),
        ({"degree": None, "probabilities": {"0.5": 0.6, "1": 0.4}}, 0),
    ],
)
def test_only_full_support_is_a_find(fields: dict[str, object], found: int) -> None:
    one = case([update("u1")], [find("u1", "a", **fields)])
    assert value(Comprehensiveness(), one) == pytest.approx(found / (1 + E1 + E2))


def test_a_nug_that_is_not_graded_is_worth_one() -> None:
    one = case([update("u1")], [find("u1", "e")], [news("e", None, 2), news("a", 3, 2)])
    assert value(Comprehensiveness(), one) == 0.5


def test_a_nug_without_description_counts() -> None:
    bare = Nug(query_id="q", nug_id="e", descriptions=(), weight=3, extra={"timestamp": 100_000})
    assert value(Comprehensiveness(), case([update("u1")], [find("u1", "e")], [bare])) == 1


def test_several_queries_are_added_up() -> None:
    first = case([update("u1")], [find("u1", "a")])
    second = case([update("u1"), update("u2")])
    assert value(Comprehensiveness(), first, second) == pytest.approx(1 / (2 * (1 + E1 + E2)))
    assert value(Gain(per="update"), first, second) == pytest.approx(1 / 3)


finds_strategy = st.lists(st.tuples(st.sampled_from(["u0", "u1", "u2"]), st.sampled_from("abcd")), unique=True)


@given(finds_strategy, st.integers(1, 3), st.integers(0, 2))
def test_sending_an_update_again(pairs: list[tuple[str, str]], size: int, again: int) -> None:
    updates = [update(f"u{number}", 100_000 + number) for number in range(size)]
    finds = [find(*pair) for pair in pairs if int(pair[0][1]) < size]
    repeated = update(f"u{again % size}#2", 200_000)
    finds_again = finds + [
        find(repeated.snippet_id, one.nug_id) for one in finds if one.snippet_id == f"u{again % size}"
    ]
    before, after = case(updates, finds), case([*updates, repeated], finds_again)
    for latency in (False, True):
        assert value(Comprehensiveness(latency), after) == pytest.approx(value(Comprehensiveness(latency), before))
    for per in ("verbosity", "update"):
        once, twice = value(Gain(per=per), before), value(Gain(per=per), after)
        assert twice < once or once == twice == 0


@given(finds_strategy, st.integers(1, 3))
def test_saying_nothing_never_beats_saying_something(pairs: list[tuple[str, str]], size: int) -> None:
    one = case(
        [update(f"u{number}") for number in range(size)], [find(*pair) for pair in pairs if int(pair[0][1]) < size]
    )
    for measure in (Comprehensiveness(), Comprehensiveness(latency=True), TemporalHM()):
        assert value(measure, one) >= value(measure, case([]))
    assert 0 <= value(Comprehensiveness(), one) <= 1


def test_account_of_nothing() -> None:
    assert account(case(None)) is None
    found = account(case([]))
    assert found is not None
    assert (found.gain, found.updates, found.verbosity, found.ideal) == (0, 0, 0, None)


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_names_parse_back(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure


def test_names() -> None:
    assert str(Gain()) == "gain"
    assert str(Gain(normalized=True, latency=True, per="update")) == "normalized_latency_gain(per=update)"
    assert str(Comprehensiveness(latency=True, importance="binary")) == "latency_comprehensiveness(importance=binary)"
    assert str(TemporalHM()) == "temporal_HM"
    assert str(PerUpdate("timeliness")) == "timeliness"


def test_needs() -> None:
    assert Comprehensiveness().needs() == ("nugs", "judgements")
    assert Gain().needs() == ("nugs", "judgements", "lengths")
    assert TemporalHM().needs() == ("nugs", "judgements", "lengths", "times")
    assert Gain(latency=True, per="update").needs() == ("nugs", "judgements", "times")


def family(aggregator: str | None, **parts: str | None) -> list[Nug]:
    """p and the parts named, each with what it is a part of; and c, which stands on its own."""
    key = {"p": news("p", 3, 3), "c": news("c", 3, 3)} | {one: news(one, 3, 3) for one in parts}
    parents = {"p": None, "c": None} | parts
    how = {"p": aggregator, "x": "or"}
    return [
        msgspec.structs.replace(key[nug], parent=parents[nug], aggregator=how.get(nug))  # type: ignore[arg-type]
        for nug in key
    ]


LATE = 100_000 + 6 * HOURS
TWO_UPDATES = [update("u1"), update("u2", LATE)]
SHARE, SHARE_IN_TIME = Comprehensiveness(), Comprehensiveness(latency=True)


@pytest.mark.parametrize(
    ("aggregator", "finds", "share", "in_time"),
    [
        ("or", ["u2 a", "u1 b"], 0.5, 0.5),
        ("or", ["u2 a"], 0.5, 0.25),
        (None, ["u1 a"], 0.5, 0.5),
        ("and", ["u2 a", "u1 b"], 0.5, 0.25),
        ("and", ["u1 a", "u1 b", "u2 a"], 0.5, 0.5),
        ("and", ["u1 a", "u2 a"], 0.0, 0.0),
        ("and", ["u1 a", "u2 c"], 0.5, 0.25),
        ("and", ["u1 p"], 0.5, 0.5),
    ],
)
def test_a_nug_is_said_through_its_parts(
    aggregator: str | None, finds: list[str], share: float, in_time: float
) -> None:
    marks = [find(*one.split()) for one in finds]
    one = case(TWO_UPDATES, marks, family(aggregator, a="p", b="p"))
    assert value(SHARE, one) == share
    assert value(SHARE_IN_TIME, one) == pytest.approx(in_time)


@pytest.mark.parametrize(("finds", "share"), [(["u1 d", "u2 b"], 0.25), (["u1 d", "u2 e"], 0), (["u1 b"], 0)])
def test_parts_of_parts_are_said(finds: list[str], share: float) -> None:
    key = family("and", x="p", b="p", d="x", e="x")
    assert value(SHARE_IN_TIME, case(TWO_UPDATES, [find(*one.split()) for one in finds], key)) == pytest.approx(share)


def test_a_nug_judged_itself_does_not_ask_its_parts() -> None:
    marks = [find("u1", "p", degree=0.0), find("u1", "a", (4, 13))]
    one = case(TWO_UPDATES, marks, family("or", a="p"))
    assert value(SHARE, one) == 0
    assert value(PerUpdate("verbosity"), one) == value(PerUpdate("verbosity"), case(TWO_UPDATES, nugs=family("or")))


def test_parts_of_nothing_and_circles_are_passed_over() -> None:
    key = [*family("or"), *(one for one in family("or", x="y", y="x", z="nowhere") if one.nug_id in "xyz")]
    assert value(SHARE, case(TWO_UPDATES, [find("u1", one) for one in ("x", "y", "z", "none")], key)) == 0


@pytest.mark.parametrize(
    ("aggregator", "finds", "matched"),
    [
        ("or", ["u1 a", "u2 b"], 2),  # the second brings nothing new
        ("or", ["u1 a", "u1 b"], 2),  # in the same words
        ("and", ["u1 a", "u2 b"], 4),
        ("and", ["u1 a", "u2 a"], 2),
    ],
)
def test_the_words_of_parts_count_as_matched_until_their_nug_is_said(
    aggregator: str, finds: list[str], matched: int
) -> None:
    marks = [find(*one.split(), (4, 13)) for one in finds]
    one = case(TWO_UPDATES, marks, family(aggregator, a="p", b="p"))
    assert value(PerUpdate("verbosity"), one) == pytest.approx(1 + (10 - matched) / 3 / 2)


@pytest.mark.parametrize(
    ("aggregator", "finds", "share"),
    [("or", [], 1), ("or", ["b"], 1), ("and", [], 0.5), ("and", ["b"], 1), ("and", ["p"], 1)],
)
def test_a_nug_that_depends_on_a_failed_judgement_is_left_out(aggregator: str, finds: list[str], share: float) -> None:
    marks = [find("u1", "a", degree=None, status="failed"), *(find("u1", one) for one in [*finds, "c"])]
    assert value(SHARE, case(TWO_UPDATES, marks, family(aggregator, a="p", b="p"))) == share


def test_a_part_found_at_a_time_nobody_knows() -> None:
    marks = [find("u1", "a"), find(None, "b")]
    assert value(SHARE_IN_TIME, case(TWO_UPDATES, marks, family("or", a="p", b="p"))) == 0.5
    assert math.isnan(value(SHARE_IN_TIME, case(TWO_UPDATES, marks, family("and", a="p", b="p"))))


@pytest.mark.parametrize("weight", [1e4, 1.7e308])
@pytest.mark.parametrize("measure", ALL, ids=str)
def test_however_important_a_nug_is_scores_are_numbers(measure: Measure, weight: float) -> None:
    key = [news("a", weight, 2), news("b", weight, 4), news("c", 2, 3)]
    assert math.isfinite(value(measure, case([update("u1")], [find("u1", one) for one in "abc"], key)))
    assert value(Comprehensiveness(), case([update("u1")], [find("u1", "a")], key)) == pytest.approx(0.5)


def test_a_time_too_long_for_a_number_is_none() -> None:
    one = case([update("u1")], [find("u1", "e")], [news("e", 3, 2, 10**400)])
    assert value(SHARE, one) == 1
    assert math.isnan(value(SHARE_IN_TIME, one))
