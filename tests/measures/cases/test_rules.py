from __future__ import annotations

import pytest

from builders import records
from builders.rows import Row, judgement, nug
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import Scoring, score
from karat.measures.cases.rules import Ruled, majority
from karat.model import Judgement, UsageError


def mark(degree: float | None, nug_id: str = "1", **fields: str) -> Judgement:
    return records.judgement(nug_id, degree, **fields)


def scored(rows: list[Row], measures: str = "strict_vital,lenient_vital", **rules: object) -> list[float | None]:
    return [one.value for one in score(rows, measures=measures, **rules).of_all()]  # type: ignore[arg-type]


def settings(scoring: Scoring) -> list[str]:
    return (scoring.of_all()[0].signature or "").split("|")[1:5]


def refused(rows: list[Row], **rules: object) -> str:
    with pytest.raises(UsageError) as raised:
        score(rows, **rules)  # type: ignore[arg-type]
    return str(raised.value)


def test_rules_have_defaults_and_are_in_the_signature() -> None:
    assert Ruled.of({}) == Ruled(missing="error", unjudged="skip", assessors="mean", judge=None)
    given = Ruled.of({"missing": "zero", "unjudged": "error", "assessors": "majority", "judge": "ann"})
    assert given.settings() == {"missing": "zero", "unjudged": "error", "assessors": "majority"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"missing": "drop"}, "missing='drop' is not one of error, zero, skip"),
        ({"unjudged": "mean"}, "unjudged='mean' is not one of skip, zero, error"),
        ({"assessors": "median"}, "assessors='median' is not one of mean, majority"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(rules: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        Ruled.of(rules)
    assert str(raised.value) == message


def test_a_misspelt_rule_is_no_rule() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'mising'"):
        score([nug("q"), judgement("q", "r", 1.0)], mising="zero")  # type: ignore[call-arg]


def test_one_judge_needs_no_choice_and_several_do() -> None:
    ann, bob = mark(1.0, judge="ann"), mark(0.0, judge="bob")
    assert Ruled().chosen([ann]) == [ann]
    assert Ruled(judge="bob").chosen([ann, bob]) == [bob]
    assert Ruled(judge="all").chosen([ann, bob]) == [ann, bob]
    with pytest.raises(UsageError) as raised:
        Ruled().chosen([bob, ann])
    assert str(raised.value) == (
        "the judgements are by 2 judges (ann, bob); choose one with --judge NAME, "
        "or take them together with --judge all"
    )
    with pytest.raises(UsageError) as raised:
        Ruled(judge="eve").chosen([ann, bob])
    assert str(raised.value) == "no judgement is by 'eve'; choose from ann, bob or all"


@pytest.mark.parametrize("judge", [None, "all", "ann"])
def test_where_there_are_no_judgements_none_is_chosen(judge: str | None) -> None:
    assert Ruled(judge=judge).chosen([]) == []


@pytest.mark.parametrize(
    ("degrees", "degree"),
    [
        ([1.0, 0.0, 1.0], 1.0),
        ([1.0, 0.0], 0.0),
        ([1.0, 0.5, 0.5, 1.0, 0.0], 0.5),
        ([None, 1.0], 1.0),
        ([0.5], 0.5),
        ([None, None], None),
    ],
)
def test_most_assessors_decide_and_the_lowest_of_equals(degrees: list[float | None], degree: float | None) -> None:
    (one,) = majority([mark(value, assessor=str(at)) for at, value in enumerate(degrees)])
    assert one.degree == degree
    assert (one.status, one.assessor) == (("ok", "majority") if degree is not None else ("failed", "0"))


def test_a_majority_is_of_one_nug_in_one_snippet() -> None:
    cast = [
        mark(1.0, "1", assessor="a"), mark(0.0, "2", assessor="a"), mark(1.0, "1", assessor="b"),
        mark(0.0, "1", assessor="a", snippet_id="s"),
    ]  # fmt: skip
    assert [(one.nug_id, one.snippet_id, one.degree) for one in majority(cast)] == [
        ("1", None, 1.0), ("2", None, 0.0), ("1", "s", 0.0),
    ]  # fmt: skip
    assert majority([]) == []


THREE = [
    nug("q", "1"), nug("q", "2"), *(judgement("q", "r", degree, "1", assessor=who) for who, degree in
                                    (("a", 1.0), ("b", 1.0), ("c", 0.0))),
    *(judgement("q", "r", degree, "2", assessor=who) for who, degree in (("a", 1.0), ("b", 0.5))),
]  # fmt: skip
"""Of three assessors two find nug 1; of two, one finds nug 2 and one half of it."""


def test_assessors_are_averaged_or_outvote_each_other() -> None:
    """Mean: strict (2/3 + 1/2) / 2, lenient (2/3 + 3/4) / 2. Majority: nug 1 has 1, nug 2 the lower, 1/2."""
    assert scored(THREE) == [pytest.approx(7 / 12), pytest.approx(17 / 24)]
    assert scored(THREE, assessors="majority") == [0.5, 0.75]
    assert "assessors:majority" in settings(score(THREE, assessors="majority"))
    assert "assessors:mean" in settings(score(THREE))


HALF = [nug("q", "1"), nug("q", "2"), nug("q", "3"), judgement("q", "r", 1.0, "1"), judgement("q", "r", None, "2")]
"""Nug 1 is found, the judgement of nug 2 failed, and nobody judged nug 3."""


def test_what_nobody_judged_is_left_out_zero_or_an_error() -> None:
    assert scored(HALF) == [1.0, 1.0]
    assert scored(HALF, unjudged="zero") == [pytest.approx(1 / 3)] * 2
    for unjudged, done in (("skip", "scored on the rest"), ("zero", "counted as zero")):
        scoring = score(HALF, unjudged=unjudged)  # type: ignore[arg-type]
        assert scoring.notes == (
            f"run r, query q: 1 failed judgement, {done}", f"run r, query q: 1 nug not judged, {done}",
        )  # fmt: skip
        assert f"unjudged:{unjudged}" in settings(scoring)
    rest = "leave such nugs out or count them as zero with --unjudged skip|zero"
    assert refused(HALF, unjudged="error") == f"run r, query q: 1 failed judgement, not to be scored; {rest}"
    assert refused([*HALF[:3], HALF[3], judgement("q", "r", 0.0, "2")], unjudged="error") == (
        f"run r, query q: 1 nug not judged, not to be scored; {rest}"
    )


def test_where_everything_was_judged_no_rule_is_needed() -> None:
    whole = [nug("q"), judgement("q", "r", 0.5)]
    for unjudged in ("skip", "zero", "error"):
        assert scored(whole, unjudged=unjudged) == [0.0, 0.5]


JUDGES = [nug("q"), *(judgement("q", "r", degree, judge=who) for who, degree in (("ann", 1.0), ("bob", 0.0)))]


def test_several_judges_are_not_mixed_unless_they_are_asked_for_together() -> None:
    assert refused(JUDGES).startswith("the judgements are by 2 judges (ann, bob); choose one with --judge NAME")
    assert refused(JUDGES, judge="eve").endswith(
        "rouge, or from the judges in the files: ann, bob, all; `karat judges` says which to use when"
    )
    for judge, value, told in (("ann", 1.0, "ann"), ("bob", 0.0, "bob"), ("all", 0.5, "ann+bob")):
        assert scored(JUDGES, "strict_vital", judge=judge) == [value]
        assert settings(score(JUDGES, judge=judge))[0] == f"judge:{told}"
    assert scored(JUDGES, "strict_vital", judge="all", assessors="majority") == [0.0]
    assert settings(score(JUDGES, judge="all", assessors="majority"))[0] == "judge:ann+bob"


def test_a_comparison_takes_the_same_rules() -> None:
    rows = [*JUDGES, *(judgement("q", "s", 0.0, judge=who) for who in ("ann", "bob"))]
    values = {}
    for judge in ("ann", "bob", "all"):
        (measure,) = compare(rows, judge=judge, baseline="s").measures
        values[judge] = measure.differences[0].value
        assert "|missing:error|unjudged:skip|assessors:mean|" in measure.signature
    assert values == {"ann": 1.0, "bob": 0.0, "all": 0.5}
    with pytest.raises(UsageError, match="the judgements are by 2 judges"):
        compare(rows)


def test_a_missing_response_is_reported_by_run() -> None:
    rows = [*(nug(f"q{at}") for at in range(13)), *(judgement(f"q{at}", "y", 1.0) for at in range(12))]
    scoring = score([*rows, judgement("q12", "x", 1.0)], missing="zero", measures="strict_vital")
    assert scoring.notes[0] == "13 missing responses, counted as zero: x 12, y 1"
    assert {score.run_id: score.value for score in scoring.of_all()} == {"x": pytest.approx(1 / 13), "y": 12 / 13}
    assert settings(scoring)[1] == "missing:zero"
