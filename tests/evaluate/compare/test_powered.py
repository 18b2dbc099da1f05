"""People label a random part, a program judges everything: the differences are people's."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import karat
from builders.simulated import simulated, with_judgements
from karat.cli import cli
from karat.evaluate.plan.random_part import DRAWN, draw_part, keyed_queries, queries_digest
from karat.model import Collection, Judgement, UsageError, encode_record
from karat.stats.intervals.prediction_powered import ppi_difference

WORLD = simulated(queries=40, runs=3, nugs=3, noise=0.25, seed=3)


def labelled(world: Collection, count: int, *, marked: bool = True, seed: int = 0) -> Collection:
    """The world with people's judgements of so many random queries."""
    part = draw_part(world, count, seed=seed)
    extra = {DRAWN: queries_digest(keyed_queries(world))} if marked else {}
    return with_judgements(world, [
        msgspec.structs.replace(judgement, judge="person", extra=extra)
        for judgement in world.judgements
        if isinstance(judgement, Judgement) and judgement.query_id in set(part.queries)
    ])  # fmt: skip


def test_the_letters_of_score_and_the_verdicts_of_compare_agree() -> None:
    records = labelled(WORLD, 15)
    options = {"judge": "nuggeteer", "labels": "person", "measures": "strict_all"}
    scores = {score.run_id: score for score in karat.score(records, **options).of_all()}
    (measure,) = karat.compare(records, **options).measures
    assert "|test:ppi-bonferroni|" in measure.signature
    assert "|ci:ppi|labelled:15|" in measure.signature
    assert len(measure.differences) == 3
    for pair in measure.differences:
        first, second = scores[pair.run_id], scores[pair.versus]
        apart = not set(str(first.extra["tie"])) & set(str(second.extra["tie"]))
        assert pair.significant == apart
        assert (pair.value or 0) >= 0  # the better run first
        assert pair.all_low is not None
        assert pair.low is not None
        assert pair.all_low < pair.low < (pair.judge_low or 0) <= (pair.value or 0) <= (pair.judge_high or 0)
        assert pair.significant == (pair.all_low > 0)
    said = karat.compare(labelled(WORLD, 15, marked=False), labelled_at_random=True, **options)
    assert said.measures[0].differences == measure.differences
    assert any("differences are prediction-powered" in note for note in said.notes)


def test_a_judge_that_favours_a_run_raises_no_false_alarm() -> None:
    """The judge is .15 too kind to one of two equal runs: by itself it sees a difference nearly always."""
    random, alarms, deceived = np.random.default_rng(1), 0, 0
    for _ in range(150):
        people = random.beta(2, 3, (2, 120))
        judge = np.clip(0.2 + 0.7 * people + random.normal(0, 0.1, people.shape) + [[0.15], [0.0]], 0, 1)
        some = np.where(random.permutation(120) < 20, people, np.nan)
        found = ppi_difference((judge[0], judge[1]), (some[0], some[1]))
        assert found is not None
        alarms += found.p() <= 0.05
        assert (found.p() <= 0.05) == (not found.low <= 0 <= found.high)
        assert found.p("less") + found.p("greater") == pytest.approx(1)
        by_judge = judge[0] - judge[1]
        deceived += bool(by_judge.mean() > 2 * by_judge.std() / np.sqrt(120))
    assert alarms <= 15
    assert deceived >= 120


def test_gates_and_margins_use_the_labels() -> None:
    options = {"judge": "nuggeteer", "labels": "person", "measures": "strict_all", "baseline": "r0"}
    records = labelled(WORLD, 20)
    (better,) = karat.compare(records, max_loss=0.3, **options).measures
    assert {pair.margin_verdict for pair in better.differences} == {"not worse"}
    (one_sided,) = karat.compare(records, alternative="less", **options).measures
    assert {(pair.all_low, pair.worse) for pair in one_sided.differences} == {(None, False)}
    assert all(pair.detectable for pair in one_sided.differences)
    (equal,) = karat.compare(records, equivalent=0.05, **options).measures
    assert {pair.margin_verdict for pair in equal.differences} == {"different"}
    some = karat.compare(records, runs=["r1"], **options)
    assert [(pair.run_id, pair.versus) for pair in some.measures[0].differences] == [("r1", "r0")]
    assert {change.run_id for change in some.changes} == {"r1"}
    with pytest.raises(UsageError, match="there is only one run, r0"):
        karat.compare(records, runs=["r0"], **options)
    with pytest.raises(UsageError, match="there is no run 'nobody'"):
        karat.compare(records, **{**options, "baseline": "nobody"})


def test_what_cannot_use_the_part_says_so() -> None:
    records = labelled(WORLD, 10)
    options = {"judge": "nuggeteer", "measures": "strict_all"}
    note = "people labelled a random part, which is not used as such: not with average=pool"
    assert note in karat.compare(records, average="pool", **options).notes
    with pytest.raises(UsageError, match="--labelled-at-random: not with average=pool"):
        karat.compare(records, average="pool", labelled_at_random=True, **options)
    with pytest.raises(UsageError, match="no program judges here"):
        karat.compare(WORLD, measures="strict_all", labelled_at_random=True)


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("all.jsonl").write_bytes(b"".join(encode_record(record) + b"\n" for record in labelled(WORLD, 15)))
    given = ["compare", "all.jsonl", "--judge", "nuggeteer", "--labels", "person", "--measures", "strict_all"]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.stderr
    assert "no analysis of variance: it knows nothing of labels on a random part" in done.stderr
    assert "people labelled a random part (15 of 40 queries)" in done.stderr
    gate = CliRunner().invoke(cli, [*given, "--baseline", "r2", "--fail-if-worse"])
    assert gate.exit_code == 1
    assert "worse: r0 is" in gate.stderr


@pytest.mark.parametrize("seed", range(3))
def test_with_few_labels_nothing_leaves_the_range_of_the_measure(seed: int) -> None:
    options = {"judge": "nuggeteer", "labels": "person", "measures": "strict_all"}
    records = labelled(simulated(queries=12, runs=3, nugs=2, noise=0.4, seed=seed), 3, seed=seed)
    compared = karat.compare(records, baseline="r0", max_loss=0.1, **options)
    for pair in compared.measures[0].differences:
        ends = (pair.low, pair.high, pair.all_low, pair.all_high, pair.judge_low, pair.judge_high, pair.largest_loss)
        assert all(-1 <= end <= 1 for end in (pair.value, *ends) if end is not None)
        assert (pair.high or 0) - (pair.low or 0) > 0.01
    for score in karat.score(records, **options).of_all():
        assert 0 <= (score.low or 0) <= (score.value or 0) <= (score.high or 0) <= 1
        assert (score.high or 0) - (score.low or 0) > 0.01


def test_a_judge_of_no_help_is_said_with_what_to_do() -> None:
    records = labelled(simulated(queries=12, runs=2, nugs=2, noise=0.5, seed=1), 4)
    notes = karat.score(records, judge="nuggeteer", labels="person", measures="strict_all").notes
    (said,) = [note for note in notes if "times as wide as from the labels alone" in note]
    ratio = float(said.split("intervals are ")[1].split()[0])
    assert ratio >= 1
    assert any("leave out --judge, which scores the labels alone, or label more queries" in note for note in notes)
