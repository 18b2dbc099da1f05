"""`cascade`: the next level is asked only where the level before is not sure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

import karat
from builders.llm_stub import Call, llm_stub
from builders.planned import by_people, small_world
from builders.records import nug, response
from karat.judges.base import Judge, Matcher, Matches, Objection, Task
from karat.judges.calibration import calibrate, priors
from karat.judges.calibration.logistic import LogisticCurve
from karat.judges.calibration.priors import PRIORS, Prior, prior_calibration
from karat.judges.cascade.cascade import Cascade, parse_cascade
from karat.judges.cascade.merged import merged
from karat.judges.judge import judge_collection
from karat.judges.pairs import match_tasks, tasks_of
from karat.judges.registry import JUDGES, parse_judge
from karat.model import Collection, Evidence, Judgement, UsageError
from karat.text.response_units import units_of

WORLD, TRUTH = small_world(queries=4)
Name = tuple[str, str, str]
ASKED: list[Name] = []
"""What the oracle was asked since the test began."""
FAILS: set[str] = set()
"""Nugs on which it fails."""


class Oracle(Judge, frozen=True, kw_only=True):
    """A judge that costs something: it looks at whole responses, and says the truth only where it is asked."""

    unit: str = "response"  # type: ignore[assignment]

    @property
    def name(self) -> str:
        return "oracle"

    def calls(self, asked: NDArray[np.bool_]) -> int:
        return int(asked.sum())

    def matcher(self, task: Task) -> Matcher:
        return parse_judge("lexical").matcher(task)

    def match(self, task: Task) -> Matches:
        asked = np.ones((len(task.responses), len(task.nugs)), bool) if task.asked is None else task.asked
        scores = np.full(asked.shape, np.nan, np.float32)
        evidence, failures, objections = {}, {}, {}
        units = units_of(task.responses, "response")
        best = np.broadcast_to(units.starts[:-1, None], asked.shape).astype(np.int32)
        for row, column in zip(*np.nonzero(asked), strict=True):
            name = (task.query_id, task.responses[row].run_id, task.nugs[column].nug_id)
            ASKED.append(name)
            if task.nugs[column].nug_id in FAILS:
                failures[row, column] = "no answer"
                continue
            scores[row, column] = 1.0 if TRUTH.get(name) == 1.0 else -1.0
            evidence[row, column] = Evidence(words=("oracle", *name))
            objections[row, column] = (Objection(int(best[row, column]), "number", "1", "2"),)
        return Matches(scores, best, units, objections, evidence, failures, notes=("the oracle spoke",))


@pytest.fixture(autouse=True)
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge of this name, whose word is nearly certain."""
    module = ModuleType("karat.judges.oracle")
    module.Oracle = Oracle  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "karat.judges.oracle", module)
    monkeypatch.setitem(JUDGES, "oracle", ("oracle.Oracle", "for tests"))
    known: Mapping[str, Prior] = MappingProxyType(
        {**PRIORS, "oracle": Prior(LogisticCurve(0.0, (4.0,)), LogisticCurve(0.5, (4.0,)))}
    )
    for place in (priors, calibrate):
        monkeypatch.setattr(place, "PRIORS", known)
    ASKED.clear()
    FAILS.clear()


def unsure_of(world: Collection, judge: str = "lexical", sure: float = 0.85) -> set[Name]:
    """The pairs with text of which a judge is not sure, by its curve from other collections."""
    tasks = tasks_of(world)
    names = set()
    for task, matches in zip(tasks, match_tasks(tasks, parse_judge(judge)), strict=True):
        full = prior_calibration(judge).probabilities(matches.scores.astype(float).ravel())[:, 2]
        for (row, column), chance in zip(np.ndindex(matches.scores.shape), full, strict=True):
            if 1 - sure < chance < sure:
                names.add((task.query_id, task.responses[row].run_id, task.nugs[column].nug_id))
    return names


def by_name(judgements: tuple[Judgement, ...]) -> dict[Name, Judgement]:
    return {(one.query_id, one.run_id, one.nug_id): one for one in judgements}


@pytest.mark.parametrize(
    ("name", "levels", "people", "sure"),
    [
        ("cascade(lexical,nuggeteer)", ["lexical", "nuggeteer"], False, 0.85),
        ("cascade(lexical,nuggeteer(n=2,stem=none),rouge,human)", ["lexical", "nuggeteer", "rouge"], True, 0.85),
        (" cascade( lexical , human , sure=0.9 ) ", ["lexical"], True, 0.9),
        ("cascade(sure=0.7,lexical,oracle)", ["lexical", "oracle"], False, 0.7),
    ],
)
def test_names_are_read_and_printed(name: str, levels: list[str], people: bool, sure: float) -> None:
    cascade = parse_judge(name)
    assert isinstance(cascade, Cascade)
    assert (cascade.level_names(), cascade.asks_people, cascade.sure) == (levels, people, sure)
    assert parse_judge(str(cascade)) == cascade == parse_cascade(str(cascade))
    assert cascade.settings()["levels"].count(">") == len(levels) + people - 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cascade", "name its levels in brackets"),
        ("cascade()", "name its levels in brackets"),
        ("cascade(lexical,rouge", "name its levels in brackets"),
        ("cascade(lexical)", "name two levels or more"),
        ("cascade(human)", "name two levels or more"),
        ("cascade(human,lexical)", "human is the last level"),
        ("cascade(lexical,human,human)", "human is the last level"),
        ("cascade(lexical,lexicel)", r"no judge is called 'lexicel' \(did you mean lexical\?\)"),
        ("cascade(lexical,rouge,sure=1)", "sure=1 is not a probability between 0.5 and 1"),
        ("cascade(lexical,rouge,sure=0.5)", "sure=0.5 is not a probability between 0.5 and 1"),
        ("cascade(lexical,rouge,sure=nan)", "sure=nan is not a probability"),
        ("cascade(lexical,rouge,sure=very)", "sure=very is not a number"),
        ("cascade(lexical,rouge,sure=0.9,sure=0.8)", "sure is given twice"),
        ("cascade(lexical,cascade(rouge,human))", "cascade cannot be a level; choose from"),
        ("cascade(lexical,pourpre)", "pourpre cannot be a level"),
        ("cascade(neighbours,lexical)", "neighbours cannot be a level"),
    ],
)
def test_what_is_no_cascade(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_judge(name)


@pytest.mark.parametrize("sure", [0.85, 0.95])
def test_only_what_is_uncertain_moves_on_and_the_rest_stays_as_it_was(sure: float) -> None:
    unsure = unsure_of(WORLD, sure=sure)
    assert 0 < len(unsure) < len(TRUTH)
    judging = judge_collection(WORLD, judge=f"cascade(lexical,oracle,sure={sure})")
    assert sorted(ASKED) == sorted(unsure)
    alone, found = by_name(judge_collection(WORLD, judge="lexical").judgements), by_name(judging.judgements)
    assert found.keys() == alone.keys() == TRUTH.keys()
    for name, judgement in found.items():
        if name in unsure:
            # The oracle's curve: 1 / (1 + exp(-4)).
            expected = 0.982 if TRUTH[name] == 1.0 else 0.018
            assert judgement.probabilities["1"] == pytest.approx(expected, abs=0.001)
            assert judgement.evidence is not None
            assert judgement.evidence.words == ("oracle", *name)
        else:
            assert judgement.probabilities["1"] == pytest.approx(alone[name].probabilities["1"], abs=1e-4)
            assert judgement.evidence == alone[name].evidence


def test_notes_say_what_each_level_did_and_what_was_saved() -> None:
    count = len(unsure_of(WORLD))
    notes = judge_collection(WORLD, judge="cascade(lexical,oracle)").notes
    words = f"{count} judgement{'s' * (count != 1)}"
    assert f"oracle: {count} calls about {words}; about all of them it would have been 80" in notes
    assert any(
        note.startswith(f"level 1, lexical: asked about 80 judgements, sure of {80 - count}, ") for note in notes
    )
    assert any(
        note.startswith(f"level 2, oracle: asked about {words}, sure of {count}, 1.8% of these") for note in notes
    )
    assert "the oracle spoke" in notes
    assert not any("no level is sure of" in note for note in notes)


def test_what_no_level_is_sure_of_is_counted_for_a_person() -> None:
    count = len(unsure_of(WORLD))
    notes = judge_collection(WORLD, judge="cascade(lexical,human)").notes
    (note,) = [note for note in notes if note.startswith("no level is sure of")]
    assert note.startswith(f"no level is sure of {count} judgement")
    assert f"a person would need about {-(-count // 3)} minute" in note
    assert not any("calls" in note for note in notes)


def test_a_level_that_fails_leaves_the_word_of_the_level_before() -> None:
    FAILS.update({"n0", "n1"})
    judging = judge_collection(WORLD, judge="cascade(lexical,oracle,sure=0.95)")
    failed = {name for name in ASKED if name[2] in FAILS}
    assert failed
    assert failed != set(ASKED)
    words = f"{len(failed)} judgement{'s' * (len(failed) != 1)}"
    note = f"oracle gave no usable answer on {words}: they stay as the level before judged them"
    assert note in judging.notes
    alone, found = by_name(judge_collection(WORLD, judge="lexical").judgements), by_name(judging.judgements)
    for name in failed:
        assert found[name].status == "ok"
        assert found[name].probabilities["1"] == pytest.approx(alone[name].probabilities["1"], abs=1e-4)
        assert found[name].evidence == alone[name].evidence


def test_where_every_level_fails_the_judgement_failed() -> None:
    FAILS.add("n0")
    judging = judge_collection(WORLD, judge="cascade(oracle,oracle)")
    assert {one.nug_id for one in judging.judgements if one.status == "failed"} == {"n0"}
    assert sum(one.status == "failed" for one in judging.judgements) == 20


def test_nobody_is_asked_about_an_empty_response() -> None:
    world = Collection([*WORLD, response("zero", query_id="q0"), response("blank", " ", query_id="q0")])
    judging = judge_collection(world, judge="cascade(lexical,oracle)")
    assert not {"zero", "blank"} & {run_id for _, run_id, _ in ASKED}
    empty = [one for one in judging.judgements if one.run_id in ("zero", "blank")]
    assert [(one.degree, one.probabilities["1"]) for one in empty] == [(0.0, 0.0)] * 8
    assert any("about all of them it would have been 80" in note for note in judging.notes)
    assert any(note.startswith("level 1, lexical: asked about 80 judgements") for note in judging.notes)
    only = Collection([*WORLD.nugs, response("zero", query_id="q0")])
    assert all(one.degree == 0.0 for one in judge_collection(only, judge="cascade(lexical,oracle)").judgements)


def test_the_result_depends_neither_on_jobs_nor_on_the_order_of_responses() -> None:
    name = "cascade(lexical,nuggeteer,rouge,sure=0.95)"
    expected = judge_collection(WORLD, judge=name)
    assert judge_collection(WORLD, judge=name, jobs=2) == expected
    turned = judge_collection(Collection(reversed(list(WORLD))), judge=name)
    assert by_name(turned.judgements) == by_name(expected.judgements)


def test_units_evidence_and_objections_point_at_the_same_texts_after_merging() -> None:
    task = Task(
        "q",
        [nug("n0", "a red fox"), nug("n1", "the blue sea")],
        [
            response("r0", "A red fox. It ran.", "The sea is blue."),
            response("r1", "Nothing at all here. Not one word."),
            response("r2", "The blue sea. A fox."),
        ],
    )
    first = parse_judge("lexical").match(task)
    first = replace(first, objections={(0, 0): (Objection(int(first.best[0, 0]), "name", "a", "b"),)})
    rows = np.array([0, 2])
    asked = np.array([[False, True], [True, True]])
    second = Oracle().match(replace(task, responses=[task.responses[at] for at in rows], asked=asked))
    both = merged(first, second, rows=rows, asked=asked, level=1)
    assert both.levels is not None
    assert both.levels.tolist() == [[0, 1], [0, 0], [1, 1]]
    for row, column in np.ndindex(3, 2):
        of_second = bool(both.levels[row, column])
        at = rows.tolist().index(row) if of_second else row
        source = second if of_second else first
        assert both.scores[row, column] == source.scores[at, column]
        unit = both.best[row, column]
        if source.best[at, column] < 0:
            assert unit == -1
            continue
        assert both.units.texts[unit] == source.units.texts[source.best[at, column]]
        assert both.units.places[unit] == source.units.places[source.best[at, column]]
        # The unit is one of its own response.
        assert both.units.starts[row] <= unit < both.units.starts[row + 1]
    assert both.units.texts[both.objections[0, 0][0].unit] == first.units.texts[first.best[0, 0]]
    assert both.units.texts[both.objections[2, 1][0].unit] == "The blue sea. A fox."
    assert both.evidence[2, 0].words == ("oracle", "q", "r2", "n0")
    assert (0, 0) not in both.evidence


def test_a_later_level_takes_back_the_evidence_of_an_earlier_one() -> None:
    task = Task("q", [nug("n0", "a red fox")], [response("r0", "A red fox.")])
    said = Oracle().match(task)
    silent = replace(said, evidence={}, objections={})
    everything = np.ones((1, 1), bool)
    both = merged(said, silent, rows=np.array([0]), asked=everything, level=1)
    assert (dict(both.evidence), dict(both.objections)) == ({}, {})
    assert both.notes == ("the oracle spoke", "the oracle spoke")


@pytest.mark.parametrize("name", ["cascade(lexical,nuggeteer)", "cascade(nuggeteer,lexical,sure=0.95)"])
def test_every_verb_takes_a_cascade(name: str) -> None:
    judging = karat.judge(WORLD, judge=name)
    assert judging.signature.startswith("cascade|levels:")
    assert "|cal:prior-cascade|" in judging.signature
    scoring = karat.score(WORLD, judge=name, measures="strict_vital")
    for score in scoring.of_all():
        assert (score.judge_low or 0) < (score.value or 0) < (score.judge_high or 0)
    validation = karat.validate([*WORLD, *by_people(TRUTH)], judge=name)
    assert "AUC" in str(validation)
    explaining = karat.explain(WORLD, judge=name, query="q0", runs=["ember"])
    assert any(
        explanation.probability > 0.5 for explanation in explaining.explanations if explanation.probability is not None
    )
    assert "fox" in str(explaining)
    comparison = karat.compare(WORLD, judge=name, measures="strict_vital", baseline="atlas")
    assert len(comparison.measures[0].differences) == 4
    # With labels it learns like any other judge.
    calibrated = karat.judge([*WORLD, *by_people(TRUTH)], judge=name)
    assert "prior" not in calibrated.signature.partition("|cal:")[2].partition("|")[0]


def test_a_language_model_is_asked_only_what_is_uncertain(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    count = len(unsure_of(WORLD))

    def script(call: Call) -> None:
        call.reply(call.complete())

    with llm_stub(script) as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True):
        judging = karat.judge(WORLD, judge="cascade(lexical,llm)")
        calls = stub.calls
    statements = sum(
        line.startswith("n") and ": The " in line
        for body in stub.bodies
        for line in body["messages"][1]["content"].splitlines()
    )
    assert statements == count
    assert 0 < calls <= count
    (note,) = [note for note in judging.notes if note.startswith("llm: ")]
    assert note.startswith(f"llm: {calls} call")
    assert note.endswith("about all of them it would have been 20")
