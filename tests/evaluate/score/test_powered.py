"""People label a random part, a program judges everything: the scores are people's."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import karat
from builders.simulated import simulated, unlabelled, with_judgements
from karat.cli import cli
from karat.evaluate.plan.random_part import DRAWN, RandomPart, draw_part, keyed_queries, queries_digest
from karat.model import Collection, Judgement, Response, UsageError, encode_record

WORLD = simulated(queries=40, runs=3, nugs=3, noise=0.25, seed=3)


def answers(world: Collection, part: RandomPart | set[str], *, marked: bool = True) -> list[Judgement]:
    """What people say about some queries."""
    queries = part if isinstance(part, set) else set(part.queries)
    extra = {DRAWN: queries_digest(keyed_queries(world))} if marked else {}
    return [
        msgspec.structs.replace(judgement, judge="person", extra=extra)
        for judgement in world.judgements
        if judgement.query_id in queries
    ]


def test_marked_answers_are_used_by_themselves_and_others_only_if_the_user_says_so() -> None:
    part = draw_part(WORLD, 15)
    options = {"judge": "nuggeteer", "labels": "person", "measures": "strict_all"}
    marked = karat.score(with_judgements(WORLD, answers(WORLD, part)), **options)
    plain = karat.score(with_judgements(WORLD, answers(WORLD, part, marked=False)), **options)
    said = karat.score(with_judgements(WORLD, answers(WORLD, part, marked=False)), labelled_at_random=True, **options)
    assert marked.scores == said.scores
    for score in marked.of_all():
        assert score.signature is not None
        assert "|ci:ppi|labelled:15|ties:ppi-bonferroni|" in score.signature
        assert score.n == 40
        assert score.low is not None
        assert score.low < (score.judge_low or 0) <= (score.value or 0) <= (score.judge_high or 0) < (score.high or 0)
        assert score.extra["labelled"] == 15
        assert score.extra["tie"]
    assert all("ci:ppi" not in (score.signature or "") for score in plain.scores)
    assert any("judge minus people where both judged" in note for note in marked.notes)
    assert any("times as wide as from the labels alone" in note for note in marked.notes)


def test_the_value_is_that_of_people_where_they_labelled_and_of_the_program_elsewhere() -> None:
    part = draw_part(WORLD, 10)
    scoring = karat.score(with_judgements(WORLD, answers(WORLD, part)), judge="nuggeteer", measures="strict_all")
    people = karat.score(WORLD, measures="strict_all")
    program = karat.score(unlabelled(WORLD), judge="nuggeteer", measures="strict_all")
    expected = {(score.run_id, score.query_id): score.value for score in people.by_query()}
    of_program = {(score.run_id, score.query_id): score.value for score in program.by_query()}
    for score in scoring.by_query():
        cell = score.run_id, score.query_id
        source = expected if score.query_id in part.queries else of_program
        assert score.value == pytest.approx(source[cell], abs=1e-9)


def test_where_all_queries_are_labelled_the_scores_are_people_s() -> None:
    everything = draw_part(WORLD, 40)
    scoring = karat.score(with_judgements(WORLD, answers(WORLD, everything)), judge="nuggeteer", measures="strict_all")
    people = {score.run_id: score.value for score in karat.score(WORLD, measures="strict_all").of_all()}
    assert {score.run_id: score.value for score in scoring.of_all()} == pytest.approx(people)


def test_a_biased_judge_leaves_people_s_scores_inside() -> None:
    """Small; the large one is benchmarks/honesty/labels.py. Runs say more words of the nugs than they contain."""
    held = same = times = inside = 0
    for seed in range(12):
        world = simulated(queries=30, runs=3, nugs=3, noise=0.3, seed=100 + seed)
        part = draw_part(world, 12, seed=seed)
        people = {score.run_id: score.value or 0.0 for score in karat.score(world, measures="strict_all").of_all()}
        scoring = karat.score(with_judgements(world, answers(world, part)), judge="nuggeteer", measures="strict_all")
        for at, score in enumerate(scoring.of_all()):
            # A run r of 3 contains a nug in (r + .5) / 3 of the queries.
            times += 1
            assert score.low is not None
            held += score.low <= (at + 0.5) / 3 <= (score.high or 0)
            same += (score.judge_low or 0) <= people[score.run_id] <= (score.judge_high or 0)
            inside += score.low <= float(str(score.extra["judge_value"])) <= (score.high or 0)
    assert times == 36
    assert held >= 32
    assert same >= 32
    assert inside <= 24  # the judge alone is wrong


def test_an_unfinished_response_is_not_used() -> None:
    part = draw_part(WORLD, 12)
    labels = answers(WORLD, part)
    last = part.queries[-1]
    cut = [one for one in labels if not (one.query_id == last and one.run_id == "r1" and one.nug_id == "n2")]
    scoring = karat.score(with_judgements(WORLD, cut), judge="nuggeteer", measures="strict_all")
    assert [score.extra["labelled"] for score in scoring.of_all()] == [12, 11, 12]


def test_what_a_person_could_not_decide_does_not_take_the_query_out() -> None:
    part = draw_part(WORLD, 12)
    labels = answers(WORLD, part)
    labels[0] = msgspec.structs.replace(labels[0], degree=None, status="unknown")
    scoring = karat.score(with_judgements(WORLD, labels), judge="nuggeteer", measures="strict_all")
    assert [score.extra["labelled"] for score in scoring.of_all()] == [12, 12, 12]


def half_silent(world: Collection) -> Collection:
    """No run answers every second query."""
    quiet = set(keyed_queries(world)[::2])
    return Collection(
        msgspec.structs.replace(record, snippets=())
        if isinstance(record, Response) and record.query_id in quiet
        else msgspec.structs.replace(record, degree=0.0)
        if isinstance(record, Judgement) and record.query_id in quiet
        else record
        for record in world
    )


@pytest.mark.parametrize("asked_about_silence", [True, False])
def test_empty_responses_to_queries_that_nobody_labelled_are_not_labelled(asked_about_silence: bool) -> None:
    world = half_silent(WORLD)
    quiet = set(keyed_queries(world)[::2])
    drawn = set(draw_part(world, 16).queries)
    labels = answers(world, drawn if asked_about_silence else drawn - quiet, marked=False)
    scoring = karat.score(
        with_judgements(world, labels), judge="nuggeteer", labels="person", labelled_at_random=True,
        measures="strict_all",
    )  # fmt: skip
    count = len({label.query_id for label in labels})
    assert any(f"people labelled a random part ({count} of 40 queries)" in note for note in scoring.notes)
    people = {score.run_id: score.value for score in karat.score(world, measures="strict_all").of_all()}
    for score in scoring.of_all():
        assert score.extra["labelled"] == len(drawn - quiet)
        assert score.n == 40
        assert (score.judge_low or 0) <= (people[score.run_id] or 0) <= (score.judge_high or 0)


def test_labels_that_are_all_equal_give_no_interval_without_width() -> None:
    part = draw_part(WORLD, 12)
    labels = [msgspec.structs.replace(one, degree=1.0) for one in answers(WORLD, part)]
    scoring = karat.score(with_judgements(WORLD, labels), judge="nuggeteer", measures="strict_all")
    for score in scoring.of_all():
        reach = 1 - 0.025 ** (1 / 12)
        assert (score.value, score.low, score.high) == (1.0, pytest.approx(1 - reach), 1.0)
        assert (score.judge_low, score.judge_high) == (score.low, 1.0)
        assert score.extra["tie"] == "a"


def test_few_labels_are_said() -> None:
    scoring = karat.score(
        with_judgements(WORLD, answers(WORLD, draw_part(WORLD, 4))), judge="nuggeteer", measures="strict_all"
    )
    assert any("only 4 labelled queries: below 10" in note for note in scoring.notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"average": "pool"}, "not with average=pool"),
        ({"relative_to": "r0"}, "not with relative_to=r0"),
    ],
)
def test_what_has_no_such_scores_is_scored_as_usual_and_said(options: dict[str, str], said: str) -> None:
    marked = with_judgements(WORLD, answers(WORLD, draw_part(WORLD, 10)))
    scoring = karat.score(marked, judge="nuggeteer", measures="strict_all", **options)  # type: ignore[arg-type]
    assert f"people labelled a random part, which is not used as such: {said}" in scoring.notes
    with pytest.raises(UsageError, match=f"--labelled-at-random: {said}"):
        karat.score(marked, judge="nuggeteer", measures="strict_all", labelled_at_random=True, **options)  # type: ignore[arg-type]


def test_a_part_of_other_queries_or_of_too_few_is_not_used() -> None:
    other = [msgspec.structs.replace(one, extra={DRAWN: "other"}) for one in answers(WORLD, draw_part(WORLD, 10))]
    notes = karat.score(with_judgements(WORLD, other), judge="nuggeteer", measures="strict_all").notes
    assert any("10 labelled queries were drawn from other queries than these" in note for note in notes)
    few = with_judgements(WORLD, answers(WORLD, {"q0", "q1"}))
    notes = karat.score(few, judge="nuggeteer", measures="strict_all").notes
    assert any("2 queries of it labelled in full, and 3 are needed" in note for note in notes)
    with pytest.raises(UsageError, match="no program judges here"):
        karat.score(WORLD, measures="strict_all", labelled_at_random=True)


def test_drawn_labelled_and_scored_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = simulated(queries=8, runs=2, nugs=3, noise=0.2, seed=5)
    Path("all.jsonl").write_bytes(b"".join(encode_record(record) + b"\n" for record in unlabelled(world)))
    drawn = CliRunner().invoke(cli, ["plan", "all.jsonl", "--review", "4", "--seed", "2", "-o", "part.json"])
    assert drawn.exit_code == 0, drawn.stderr
    assert "4 of 8 queries drawn" in drawn.stderr
    assert "intervals from fewer than 10 labelled queries will be wide" in drawn.stderr
    order = json.loads(Path("part.json").read_text())["queries"]
    truth = {(one.query_id, one.run_id, one.nug_id): one.degree for one in world.judgements}
    asked = [(query, run, nug) for query in order for run in ("r0", "r1") for nug in ("n0", "n1", "n2")]
    keys = "".join("y" if truth[pair] else "n" for pair in asked)
    review = ["review", "all.jsonl", "--plan", "part.json", "-o", "mine.jsonl", "--measure", "strict_all"]
    done = CliRunner().invoke(cli, review, input=keys + "q")
    assert done.exit_code == 0, done.output
    # What the judge thinks must not lead the answer that corrects it.
    assert "probability" not in done.output
    # It does not send people to the command that they are in.
    assert "`karat review`" not in done.output
    assert "; 23 questions left" in done.output
    assert "; 0 questions left" in done.output
    saved = [json.loads(line) for line in Path("mine.jsonl").read_text().splitlines()]
    assert [(row["query_id"], row["run_id"], row["nug_id"]) for row in saved] == asked
    assert {row["degree"] == truth[pair] for row, pair in zip(saved, asked, strict=True)} == {True}
    assert "karat score all.jsonl mine.jsonl --judge lexical" in done.stdout
    scored = CliRunner().invoke(
        cli,
        ["score", "all.jsonl", "mine.jsonl", "--judge", "lexical", "--labels", "person", "--measures", "strict_all"],
    )
    assert scored.exit_code == 0, scored.stderr
    assert "people labelled a random part (4 of 8 queries)" in scored.stderr
    assert "ci:ppi" in scored.stderr
    assert "label about 60 judgements" not in scored.stderr
    assert "calibrated on labels" not in scored.stderr
    added = CliRunner().invoke(cli, [*review[:-4], "-o", "two.jsonl", "--measure", "strict_all"], input="aq")
    assert "nothing is added to the key" in added.stdout
    wrong = CliRunner().invoke(cli, [*review, "--limit", "3"])
    assert "without --threshold, --query and --limit" in str(wrong.exception)
    over = CliRunner().invoke(cli, [*review[:-4], "-o", "part.json", "--measure", "strict_all"], input="q")
    assert over.exit_code != 0
    assert json.loads(Path("part.json").read_text())["queries"] == order
    both = CliRunner().invoke(cli, ["plan", "all.jsonl", "--review", "4", "--difference", "0.1"])
    assert "without --difference" in both.stderr
