from __future__ import annotations

import re
from typing import Any

import pytest
from sklearn.metrics import brier_score_loss

from builders.rows import Row, judgement, nug, query, response
from builders.simulated import by_pair, simulated, unlabelled, with_judgements
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import score, score_collection
from karat.formats import load, write_bytes
from karat.judges import judge as judging
from karat.judges.calibration.calibrate import UNCALIBRATED
from karat.judges.calibration.priors import PRIORS, prior_calibration
from karat.judges.judge import Judging
from karat.model import Collection, Judgement, UsageError

KEY = [nug("q", name, descriptions=[text]) for name, text in (("a", "a red fox"), ("b", "the blue sea"), ("c", "tea"))]
JUDGE = "nuggeteer(n=2,stem=none,stop=keep,unit=snippet)"
PRIOR = f"no labels here: {UNCALIBRATED}"


def judge_collection(found: Collection, *, judge: str = JUDGE, **more: Any) -> Judging:
    return judging.judge_collection(found, judge=judge, **more)


def strict_all(found: Collection) -> dict[str, float | None]:
    return {score.run_id: score.value for score in score_collection(found, measures="strict_all", judge="all").of_all()}


@pytest.mark.parametrize("text", ["A red fox.", "  a RED\n fox. "])
def test_what_people_said_of_a_text_is_reused_exactly_for_the_same_text_of_another_run(text: str) -> None:
    marks = [judgement("q", "old", degree, name) for name, degree in (("a", 0.0), ("b", 0.5), ("c", 1.0))]
    judged = judge_collection(load([*KEY, response("q", "old", "A red fox."), response("q", "new", text), *marks]))
    own = {judgement.nug_id: judgement for judgement in judged.judgements if judgement.run_id == "new"}
    assert {name: one.degree for name, one in own.items()} == {"a": 0.0, "b": 0.5, "c": 1.0}
    assert all(one.probabilities == {} and one.extra == {"known": True} for one in own.values())
    assert "6 known judgements reused" in judged.notes


def test_another_text_is_judged() -> None:
    rows = [
        *KEY,
        response("q", "old", "A red fox."),
        response("q", "new", "A red fox!"),
        judgement("q", "old", 0.0, "a"),
    ]
    by_ids = by_pair(judge_collection(load(rows)).judgements)
    assert by_ids["q", "new", "a"].probabilities["1"] > 0.5


def test_one_known_judgement_changes_the_score_as_the_arithmetic_says() -> None:
    texts = [*KEY, response("q", "x", "The red sea."), response("q", "y", "Some tea.")]
    before = judge_collection(load(texts))
    after = judge_collection(load([*texts, judgement("q", "x", 1.0, "b")]))
    chances = by_pair(before.judgements)
    gain = (1 - chances["q", "x", "b"].probabilities["1"]) / len(KEY)
    old, new = (strict_all(with_judgements(load(texts), one.judgements)) for one in (before, after))
    assert old["x"] is not None
    assert new["x"] == pytest.approx(old["x"] + gain, abs=1e-12)
    assert new["y"] == pytest.approx(old["y"], abs=1e-12)
    changed = [pair for pair, one in by_pair(after.judgements).items() if one != chances[pair]]
    assert changed == [("q", "x", "b")]


def test_without_labels_the_prior_speaks_and_says_so() -> None:
    judged = judge_collection(unlabelled(simulated()))
    assert judged.notes == (PRIOR,)
    assert "cal:prior-nuggeteer" in judged.signature
    assert judged.sigma == PRIORS["nuggeteer"].sigma
    full = {judgement.probabilities["1"] for judgement in judged.judgements if judgement.extra["score"] == 1}
    assert full == {round(float(prior_calibration("nuggeteer").probabilities([1.0])[0, 2]), 4)}


def test_with_labels_the_judge_learns_to_read_its_scores() -> None:
    truth = simulated(queries=6, runs=8, noise=0.2, seed=1)
    labels = by_pair(truth.judgements)
    others = Collection(
        record for record in truth if not (isinstance(record, Judgement) and record.run_id in ("r3", "r6"))
    )
    new = [pair for pair in labels if pair[1] in ("r3", "r6")]
    y = [float(labels[pair].degree or 0) for pair in new]
    learned, prior = judge_collection(others), judge_collection(unlabelled(truth))
    errors = []
    for one in (learned, prior):
        by_ids = by_pair(one.judgements)
        errors.append(brier_score_loss(y, [by_ids[pair].probabilities["1"] for pair in new]))
    assert errors[0] < 0.8 * errors[1]
    assert "cal:logistic" in learned.signature
    assert PRIOR not in learned.notes


def test_judgements_in_a_collection_of_their_own_are_learned_from_and_reused() -> None:
    truth = simulated(queries=6, runs=8, noise=0.2, seed=1)
    new = Collection(one for one in unlabelled(truth) if getattr(one, "run_id", "r3") == "r3")
    beside = Collection(record for record in truth if getattr(record, "run_id", "") != "r3")
    apart = judge_collection(new, known=beside)
    assert PRIOR not in apart.notes
    assert "cal:logistic" in apart.signature
    assert {judgement.run_id for judgement in apart.judgements} == {"r3"}
    # All that is known of r3 is its own text, which nobody judged; with its labels there all is known.
    assert not any("known" in judgement.extra for judgement in apart.judgements)
    reused = judge_collection(new, known=truth)
    assert all("known" in judgement.extra for judgement in reused.judgements)


def test_a_key_of_the_collection_serves_judgements_that_come_without_one() -> None:
    here = load([*KEY, response("q", "new", "Red tea.")])
    marked = Collection(
        record for record in load([*KEY, response("q", "old", "Red tea."), judgement("q", "old", 0.5, "a")])
        if record not in here.nugs
    )  # fmt: skip
    assert by_pair(judge_collection(here, known=marked).judgements)["q", "new", "a"].degree == 0.5


def test_what_another_program_judged_is_not_known() -> None:
    texts = [*KEY, response("q", "x", "A red fox.")]
    others = [judgement("q", "x", 0.0, "a", judge="rouge")]
    assert judge_collection(load([*texts, *others])) == judge_collection(load(texts))


@pytest.mark.parametrize(
    "judge", ["lexical", "nuggeteer", "rouge(variant=L)", "pourpre", "pourpre(credit=probability)", "qaviar"]
)
@pytest.mark.parametrize("labels", [True, False])
def test_probabilities_sum_to_one_and_the_degree_follows_them(judge: str, labels: bool) -> None:
    truth = simulated(noise=0.25, seed=2)
    some = [judgement for judgement in truth.judgements if judgement.run_id != "r2"] if labels else []
    # People say partial as well.
    some = [one if at % 5 else with_degree(one, 0.5) for at, one in enumerate(some)]
    for one in judge_collection(with_judgements(truth, some), judge=judge).judgements:
        if "known" in one.extra:
            continue
        none, partial, full = (one.probabilities[level] for level in ("0", "0.5", "1"))
        assert none + partial + full == pytest.approx(1, abs=1e-9)
        assert min(none, partial, full) >= 0
        assert one.degree == (1 if full >= 0.5 else 0.5 if full + partial >= 0.5 else 0)


def with_degree(one: Judgement, degree: float) -> Judgement:
    return Judgement(query_id=one.query_id, run_id=one.run_id, nug_id=one.nug_id, degree=degree, judge=one.judge)


EXPLAINED = [
    "nuggeteer(unit=snippet,n=2,stem=none,stop=keep)",
    "nuggeteer(unit=sentence,n=3,stem=none,stop=keep)",
    "rouge(unit=response,stem=none)",
    "qaviar(unit=snippet)",
]


@pytest.mark.parametrize("judge", EXPLAINED)
def test_the_words_that_decided_occur_in_the_piece_they_are_of(judge: str) -> None:
    text = "Nobody swims. The red fox swims in the blue sea! Tea is served."
    found = judge_collection(load([*KEY, response("q", "x", text)]), judge=judge).judgements
    for one in found:
        assert one.evidence is not None
        assert one.evidence.words
        start, end = one.evidence.extra.get("span", (0, len(text)))
        piece = " ".join(re.findall(r"\w+", text[start:end].lower()))
        for words in one.evidence.words:
            assert f" {words} " in f" {piece} "
    if "sentence" in judge:
        assert [text[slice(*one.evidence.extra["span"])] for one in found if one.evidence] == [
            "The red fox swims in the blue sea!",
            "The red fox swims in the blue sea!",
            "Tea is served.",
        ]


def test_a_threshold_decides() -> None:
    rows = [*KEY, response("q", "x", "The red sea.")]
    judged = judge_collection(load(rows), judge="rouge(stem=none)", threshold=0.5)
    assert [judgement.extra["score"] for judgement in judged.judgements] == [0.3333, 0.6667, 0.0]
    assert [judgement.degree for judgement in judged.judgements] == [0.0, 1.0, 0.0]
    assert [judgement.probabilities["1"] for judgement in judged.judgements] == [0.0, 1.0, 0.0]
    assert (judged.notes, judged.sigma) == ((), 0.0)
    assert "thr:0.5" in judged.signature


def test_a_threshold_of_no_number_is_refused() -> None:
    with pytest.raises(UsageError, match="threshold=nan is not a number"):
        judge_collection(load([*KEY, response("q", "x")]), threshold=float("nan"))


@pytest.mark.parametrize("snippets", [[], [{"snippet_id": "1", "text": " \n"}]])
@pytest.mark.parametrize("threshold", [None, 0.0])
def test_an_empty_response_contains_nothing(snippets: list[Row], threshold: float | None) -> None:
    rows = [*KEY, response("q", "x") | {"snippets": snippets}, response("q", "y")]
    judged = judge_collection(load(rows), threshold=threshold)
    own = [judgement for judgement in judged.judgements if judgement.run_id == "x"]
    assert [(one.degree, one.probabilities, one.evidence) for one in own] == [
        (0.0, {"0": 1.0, "0.5": 0.0, "1": 0.0}, None)
    ] * 3
    assert strict_all(with_judgements(load(rows), judged.judgements))["x"] == 0


@pytest.mark.parametrize("said", [[], [0.0]])
def test_empty_responses_teach_nothing(said: list[float]) -> None:
    truth = simulated(noise=0.3, seed=3)
    empty = [response(f"q{at}", "silent", "") for at in range(4)]
    marks = [
        judgement(f"q{at}", "silent", degree, f"n{each}") for at in range(4) for each in range(6) for degree in said
    ]
    # Other judges weigh words by how rare they are among all responses, empty ones as well.
    alone, beside = (
        judge_collection(found, judge="rouge", reuse=False) for found in (truth, load(truth, load([*empty, *marks])))
    )
    assert (beside.sigma, beside.run_sigma) == (alone.sigma, alone.run_sigma)
    others = {pair: one for pair, one in by_pair(beside.judgements).items() if pair[1] != "silent"}
    assert others == by_pair(alone.judgements)


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ([], "no labels here"),
        ([1.0], "only 1 label of responses with text (60 are needed to calibrate)"),
        ([0.0] * 60, "labels of no use: no labelled response contains a nug in full"),
        ([1.0] * 60, "labels of no use: every labelled response contains every nug in full"),
    ],
)
def test_why_nothing_is_learned_is_reported(marks: list[float], why: str) -> None:
    rows: list[Row] = [nug("q", str(at)) for at in range(60)]
    rows += [response("q", "x"), *(judgement("q", "x", degree, str(at)) for at, degree in enumerate(marks))]
    assert f"{why}: {UNCALIBRATED}" in judge_collection(load(rows)).notes


def test_neighbours_without_judged_texts_say_that_they_are_lexical() -> None:
    rows = [*KEY, response("q", "x", "Red tea.")]
    alone = judge_collection(load(rows), judge="neighbours")
    told = "neighbours: people judged no text of these queries, so it uses only the descriptions of the nugs"
    assert told in alone.notes
    beside = judge_collection(load([*rows, judgement("q", "x", 1.0, "a")]), judge="neighbours")
    assert told not in beside.notes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (KEY, "there are no answers to judge: the files have only nug records"),
        ([response("q", "x")], "there is no key: no file has nugs"),
        ([*KEY, response("z", "x")], "do not meet: the key has 'q', the runs have 'z'"),
    ],
)
def test_a_key_without_responses_and_runs_without_a_key_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        judge_collection(load(rows))


def test_responses_to_queries_that_the_key_lacks_are_named() -> None:
    judged = judge_collection(load([*KEY, response("q", "x"), response("z", "x"), response("z", "y")]))
    assert judged.notes == ("query z: not in the key, left out", PRIOR)


def test_an_unknown_judge_is_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match=r"no judge is called 'nugeteer' \(did you mean nuggeteer\?\); choose from"):
        judge_collection(load([*KEY, response("q", "x")]), judge="nugeteer")


def test_contradictions_are_reported() -> None:
    texts = [response("q", "x", "Tea."), response("q", "y", "tea.")]
    marks = [judgement("q", "x", 1.0, "a"), judgement("q", "y", 0.0, "a")]
    judged = judge_collection(load([*KEY, *texts, *marks]))
    told = "query q, nug a: the same text was judged differently in runs x, y; the largest degree counts in all of them"
    assert told in judged.notes


AND = [
    nug("q", "w", aggregator="and", descriptions=["both"]),
    nug("q", "a", parent="w", descriptions=["a red fox"]),
    nug("q", "b", parent="w", descriptions=["the blue sea"]),
]


def test_the_parts_of_an_and_nug_are_judged_and_the_whole_through_them() -> None:
    rows = load([*AND, response("q", "x", "A red fox in the blue sea."), response("q", "y", "A red fox.")])
    judged = judge_collection(rows, threshold=0.6)
    assert {judgement.nug_id for judgement in judged.judgements} == {"a", "b"}
    assert strict_all(with_judgements(rows, judged.judgements)) == {"x": 1.0, "y": 0.0}


@pytest.mark.parametrize(("aggregator", "of_known_one"), [("and", "the other"), ("or", "certain")])
def test_a_part_that_is_known_and_one_that_is_judged_make_one_whole(aggregator: str, of_known_one: str) -> None:
    keyed = [AND[0] | {"aggregator": aggregator}, *AND[1:]]
    rows = load([*keyed, response("q", "x", "A red fox and a sea."), judgement("q", "x", 1.0, "a")])
    judged = judge_collection(rows)
    other = by_pair(judged.judgements)["q", "x", "b"].probabilities["1"]
    assert 0 < other < 1
    expected = {"the other": other, "certain": 1.0}[of_known_one]
    assert strict_all(with_judgements(rows, judged.judgements))["x"] == pytest.approx(expected, abs=1e-9)


def test_what_people_said_of_the_whole_is_reused() -> None:
    texts = [response("q", "x", "A red fox."), response("q", "y", "a red fox.")]
    rows = load([*AND, *texts, judgement("q", "x", 1.0, "w")])
    judged = judge_collection(rows)
    assert {pair: one.degree for pair, one in by_pair(judged.judgements).items() if "known" in one.extra} == {
        ("q", "x", "w"): 1.0,
        ("q", "y", "w"): 1.0,
    }
    assert strict_all(with_judgements(rows, judged.judgements)) == {"x": 1.0, "y": 1.0}


def test_a_whole_that_nobody_marked_is_no_find_that_is_lacking() -> None:
    keyed = [AND[0] | {"aggregator": "or"}, *AND[1:]]
    rows = load([*keyed, response("q", "x", "A red fox."), judgement("q", "x", 1.0, "a", snippet_id="1")])
    judged = judge_collection(rows)
    assert ("q", "x", "w") not in by_pair(judged.judgements)
    assert strict_all(with_judgements(rows, judged.judgements)) == {"x": 1.0}


def test_saved_judgements_are_scored_as_they_were_at_once() -> None:
    truth = simulated(queries=5, noise=0.2, seed=3)
    some = with_judgements(truth, [judgement for judgement in truth.judgements if judgement.run_id in ("r0", "r5")])
    judged = judge_collection(some)
    assert {"known" in judgement.extra for judgement in judged.judgements} == {True, False}
    everything = with_judgements(truth, judged.judgements)
    at_once = score_collection(everything, measures="strict_all", sigma=judged.sigma, run_sigma=judged.run_sigma)
    saved = load(unlabelled(truth), load(write_bytes(judged.judgements, format="karat")))
    later = score_collection(saved, measures="strict_all")
    assert [score.value for score in later.of_all()] == pytest.approx(
        [score.value for score in at_once.of_all()], abs=1e-12
    )


def test_known_judgements_of_several_assessors_score_as_those_of_people_do() -> None:
    texts = [*KEY, response("q", "x", "The red sea."), response("q", "y", "Some tea.")]
    marks = [
        judgement("q", "x", degree, name, assessor=who)
        for who, degrees in (("1", (1.0, 0.0, 0.5)), ("2", (0.0, 0.5, 0.5)), ("3", (0.0, 1.0, 1.0)))
        for name, degree in zip("abc", degrees, strict=True)
    ]
    rows = load([*texts, *marks])
    names = "strict_all,lenient_all"
    people = score_collection(rows, measures=names, missing="skip").of_all()
    judged = judge_collection(rows)
    program = score_collection(with_judgements(rows, judged.judgements), measures=names).of_all()
    expected = {one.measure: one.value for one in people if one.run_id == "x"}
    assert {one.measure: one.value for one in program if one.run_id == "x"} == pytest.approx(expected)
    # People who differ are no error of the judge.
    own = next(one for one in program if one.run_id == "x")
    assert own.judge_low == own.judge_high


def test_people_teach_a_judge_that_judges_again_what_they_judged() -> None:
    truth = simulated(queries=3, runs=5, noise=0.2, seed=1)
    again = judge_collection(truth, reuse=False)
    assert "cal:logistic" in again.signature
    assert all(judgement.probabilities and "known" not in judgement.extra for judgement in again.judgements)


def test_the_signature_has_all_settings() -> None:
    judged = judge_collection(load([query("q"), *KEY, response("q", "x")]), judge="nuggeteer(n=3,stem=porter)")
    for part in ("nuggeteer|", "n:3", "stem:porter", "unit:", "stop:", "weights:", "sigma:", "v:"):
        assert part in judged.signature


def test_a_program_named_as_judge_judges_first() -> None:
    rows = [nug("q"), response("q", "x", "The 1 of q."), response("q", "y", "Tea.")]
    scoring = score(rows, judge="lexical", measures="strict_all")
    values = {score.run_id: score.value or 0.0 for score in scoring.of_all()}
    assert values["x"] > 0.5 > values["y"]
    assert any(note.startswith("no labels here") for note in scoring.notes)
    marks = [judgement("q", "y", 1.0), judgement("q", "y", 0.0, judge="k")]
    told = score([*rows, *marks], judge="lexical", labels="j")
    assert {score.run_id: score.value for score in told.of_all() if score.measure == "strict_vital"}["y"] == 1
    with pytest.raises(UsageError, match="labels are only used when a program judges"):
        score([*rows, judgement("q", "y", 1.0)], labels="j")


def test_runs_are_compared_by_what_a_program_judges() -> None:
    rows = [nug(name) for name in "pq"]
    rows += [
        response(name, run_id, text) for name in "pq" for run_id, text in (("x", f"The 1 of {name}."), ("y", "Tea."))
    ]
    comparison = compare(rows, judge="lexical", measures="strict_all", baseline="y")
    (difference,) = comparison.measures[0].differences
    assert (difference.value or 0.0) > 0.3
    assert any(note.startswith("no labels here") for note in comparison.notes)
    with pytest.raises(UsageError, match="labels are only used when a program judges"):
        compare([*rows, judgement("q", "y", 1.0), judgement("q", "x", 1.0)], labels="j")


@pytest.mark.parametrize("queries", ["q0", "q0 q1 q2 q3 q4 q5 q6 q7"])
@pytest.mark.parametrize("program", [JUDGE, "lexical"])
def test_labels_say_the_same_through_a_known_file_and_among_the_inputs(program: str, queries: str) -> None:
    """Before, errors had the size of judgements by thresholds of nugs that nobody had to judge any more."""
    truth = simulated(noise=0.2, runs=14, queries=8, seed=5)
    labels = [one for one in truth.judgements if one.query_id in queries.split() or one.run_id < "r3"]
    among = judge_collection(with_judgements(truth, labels), judge=program)
    for known in (Collection(labels), with_judgements(truth, labels)):
        apart = judge_collection(with_judgements(truth, []), judge=program, known=known)
        assert apart.judgements == among.judgements
        assert (apart.sigma, apart.run_sigma, apart.common) == (among.sigma, among.run_sigma, among.common)
        assert apart.signature == among.signature
