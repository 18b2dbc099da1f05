from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.evaluate.review import effects
from karat.evaluate.review.effects import effects_of
from karat.measures.base import Measure
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement, Nug, Response, Snippet
from strategies import moderately

ANSWER = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text="A red fox crossed the road."),))


def said(nug_id: str, full: float, partial: float = 0.0) -> Judgement:
    shares = {"0": 1 - full - partial, "0.5": partial, "1": full}
    return Judgement(query_id="q", run_id="r", nug_id=nug_id, degree=1.0, probabilities=shares, judge="lexical")


def cases_of(nugs: Sequence[Nug], judgements: Sequence[Judgement], **rules: object) -> Cases:
    return Cases(Collection([*nugs, *judgements, ANSWER]), judge="all", **rules)  # type: ignore[arg-type]


def one_by_one(cases: Cases, measure: Measure) -> dict[tuple[str, str], float]:
    """Every nug tried out: the query scored with it and without it."""
    case = cases.case("r", "q")
    assert case is not None
    found = {}
    for judgement in case.judgements:
        if judgement.probabilities:
            scores = []
            for degree in (0.0, 1.0):
                sure = msgspec.structs.replace(judgement, degree=degree, probabilities={})
                guess = [sure if other is judgement else other for other in case.judgements]
                counts = measure.counts(replace(case, judgements=guess))
                scores.append(float(measure.values(np.array([counts], dtype=float))[0]))
            found["q", judgement.nug_id] = float(np.nan_to_num(abs(scores[1] - scores[0])))
    return found


@st.composite
def judged_keys(draw: st.DrawFn) -> tuple[list[Nug], list[Judgement]]:
    """Nugs with and without parts, judged, failed, certain or not judged at all."""
    nugs: list[Nug] = []
    judgements: list[Judgement] = []
    for number in range(draw(st.integers(1, 6))):
        parents = [nug.nug_id for nug in nugs if nug.aggregator is not None]
        nug = Nug(
            query_id="q", nug_id=f"n{number}", descriptions=(f"fact {number}",),
            importance=draw(st.sampled_from(["vital", "okay"])), weight=draw(st.sampled_from([None, 1.0, 3.0, -2.0])),
            aggregator=draw(st.sampled_from([None, None, "and", "or"])),
            parent=draw(st.sampled_from([None, *parents])),
        )  # fmt: skip
        nugs.append(nug)
        kind = draw(st.sampled_from(["sure", "failed", "none", "drawn", "drawn", "drawn"]))
        if kind == "drawn":
            judgements.append(said(nug.nug_id, draw(st.floats(0, 0.6)), draw(st.floats(0, 0.4))))
        elif kind != "none":
            status, degree = ("ok", 1.0) if kind == "sure" else ("failed", None)
            judgement = said(nug.nug_id, 0.0)
            judgements.append(msgspec.structs.replace(judgement, degree=degree, probabilities={}, status=status))
    judgements.append(said("not in the key", 0.5))
    return nugs, judgements


@moderately
@given(
    judged_keys(),
    st.sampled_from(["strict_vital", "lenient_weighted", "F3", "recall", "rubric", "pyramid_F3"]),
    st.sampled_from(["skip", "zero"]),
)
def test_the_effects_are_those_of_trying_out_every_nug(
    judged: tuple[list[Nug], list[Judgement]], name: str, unjudged: str
) -> None:
    cases, (measure,) = cases_of(*judged, unjudged=unjudged), parse_measures(name)
    expected = one_by_one(cases, measure)
    assert effects_of(cases, measure, set(expected)) == pytest.approx(expected, abs=1e-11)


def test_only_the_nugs_asked_for() -> None:
    nugs = [Nug(query_id="q", nug_id=name, descriptions=(name,), importance="vital") for name in "ab"]
    cases, (measure,) = cases_of(nugs, [said("a", 0.5), said("b", 0.5)]), parse_measures("strict_vital")
    assert effects_of(cases, measure, {("q", "b"), ("p", "a")}) == {("q", "b"): 0.5}


def test_the_work_grows_with_the_nugs_and_not_with_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counted(nugs: Sequence[Nug], judgements: list[Judgement], credit: object) -> object:
        nonlocal looked_at
        looked_at += len(nugs) + len(judgements)
        return nug_credits(nugs, judgements, credit)  # type: ignore[arg-type]

    nug_credits = effects.nug_credits
    monkeypatch.setattr(effects, "nug_credits", counted)
    names = [f"n{number}" for number in range(300)]
    nugs = [Nug(query_id="q", nug_id=name, descriptions=(name,), importance="vital") for name in names]
    cases, (measure,) = cases_of(nugs, [said(name, 0.5) for name in names]), parse_measures("F3")
    assert len(effects_of(cases, measure, {("q", name) for name in names})) == 300
    assert looked_at == 300 * 6
