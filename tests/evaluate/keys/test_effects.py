from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import karat
from builders.records import judgement, nug
from karat.evaluate.keys.diff import KeyDiff
from karat.evaluate.keys.sides import CARRIED, carried
from karat.evaluate.score.score import Scoring
from karat.model import Collection, Judgement, Nug, Query, UsageError

QUERIES = tuple(f"q{at}" for at in range(8))
RUNS = ("atlas", "birch", "cedar")
TEXTS = (
    "The quick red fox jumped over the lazy dog.", "Engineers found cracks in two cables of the bridge.",
    "Rivers carry dissolved minerals from rocks into the ocean.", "Honey is stored in combs of wax.",
)  # fmt: skip
WORDED = "Engineers found cracks in two bridge cables."


def old_key() -> list[Nug]:
    return [
        nug(f"n{at}", text, query_id=query, importance="vital" if at % 2 else "okay")
        for query in QUERIES
        for at, text in enumerate(TEXTS)
    ]


def new_key() -> list[Nug]:
    """Other importance in q0, a nug less in q1, another id and other words in q2, a new nug in q3, q7 gone, q8 new."""
    made = []
    for each in old_key():
        if (each.query_id, each.nug_id) == ("q0", "n0"):
            each = replace(each, importance="vital")
        elif (each.query_id, each.nug_id) == ("q1", "n1") or each.query_id == "q7":
            continue
        elif (each.query_id, each.nug_id) == ("q2", "n1"):
            each = replace(each, nug_id="m1", descriptions=(WORDED,))
        made.append(each)
    return [*made, nug("n9", "Lava is molten rock.", query_id="q3", importance="vital")]


def judged(seed: int = 0) -> list[Judgement]:
    rng = np.random.default_rng(seed)
    level = dict(zip(RUNS, (0.9, 0.5, 0.45), strict=True))
    return [
        judgement(f"n{at}", float(rng.random() < level[run]), query_id=query, run_id=run)
        for query in QUERIES
        for run in RUNS
        for at in range(len(TEXTS))
    ]


def totals(scoring: Scoring) -> dict[tuple[str, str], tuple[Any, ...]]:
    return {
        (score.measure, score.run_id): (score.value, score.low, score.high, score.extra.get("tie"))
        for score in scoring.of_all()
    }


def assert_equals_scoring_twice(done: KeyDiff, old: Scoring, new: Scoring) -> None:
    assert done.effects is not None
    for mine, other in ((done.effects.old, old), (done.effects.new, new)):
        assert totals(mine) == totals(other)
        assert mine.by_query() == other.by_query()
    for effect in done.effects.runs:
        place = effect.measure, effect.run_id
        assert (effect.old, effect.old_tie) == (totals(old)[place][0], totals(old)[place][3] or "")
        assert (effect.new, effect.new_tie) == (totals(new)[place][0], totals(new)[place][3] or "")
        for scoring, rank in ((old, effect.old_rank), (new, effect.new_rank)):
            values = [value[0] for (measure, _), value in totals(scoring).items() if measure == effect.measure]
            assert rank == 1 + sum(value > totals(scoring)[place][0] for value in values)


@pytest.mark.parametrize("average", ["query", "pool"])
@pytest.mark.parametrize("unjudged", ["skip", "zero"])
def test_the_effect_equals_scoring_twice(average: Any, unjudged: Any, tmp_path: Path) -> None:
    files = {"old": old_key(), "new": new_key(), "judgements": judged()}
    paths = {name: tmp_path / f"{name}.jsonl" for name in files}
    for name, records in files.items():
        karat.write(records, paths[name])
    options: Any = {"measures": "strict_vital,lenient_all", "average": average, "unjudged": unjudged, "seed": 3}
    done = karat.key_diff(paths["old"], paths["new"], paths["judgements"], by="words", **options)
    # The judgements of nugs that are gone are the only problem in the files of the new key.
    twice = [
        karat.score(paths[key], paths["judgements"], on_error="skip", **options) for key in ("old", "new")
    ]  # fmt: skip
    assert_equals_scoring_twice(done, *twice)


def test_a_program_judges_by_both_keys() -> None:
    queries = [Query(query_id=query, text="What happened?") for query in QUERIES]
    rows = [
        {"query_id": query, "run_id": run, "answer": " ".join(TEXTS[: 1 + (at + number) % 4])}
        for at, query in enumerate(QUERIES)
        for number, run in enumerate(RUNS)
    ]
    runs = list(karat.load(rows).responses)
    options: Any = {"measures": "strict_vital", "judge": "lexical"}
    done = karat.key_diff([*queries, *old_key()], [*queries, *new_key()], runs, by="words", **options)
    twice = [karat.score([*queries, *key], runs, **options) for key in (old_key(), new_key())]
    assert_equals_scoring_twice(done, *twice)
    assert any(effect.difference for effect in done.effects.runs) if done.effects else False


def test_judgements_without_a_nug_and_nugs_without_a_judgement_are_reported() -> None:
    done = karat.key_diff(old_key(), new_key(), judged(), by="words", measures="strict_vital")
    notes = "\n".join(done.notes)
    assert (
        "6 judgements of 2 nugs that the new key does not have do not count with it (the first: nug n1 of query q1)"
        in notes
    )
    assert "nobody judged 2 nugs of the new key (the first: nug m1 of query q2): they are left out" in notes
    assert "query q7: not in the key, left out" in notes


def test_judgements_follow_what_a_nug_says() -> None:
    done = karat.key_diff(old_key(), new_key(), judged(), by="words", measures="strict_vital", carry=True)
    renamed = [
        replace(each, nug_id="m1") if (each.query_id, each.nug_id) == ("q2", "n1") else each for each in judged()
    ]
    expected = karat.score(new_key(), renamed, measures="strict_vital", on_error="skip")
    assert done.effects is not None
    assert totals(done.effects.new) == totals(expected)
    notes = "\n".join(done.notes)
    assert "3 judgements carried over to other ids of nugs that say the same" in notes
    assert "15 judgements not carried over: their nugs were removed, split, merged or corrected" in notes
    assert "|carry:yes|" in done.signature


def test_a_carried_judgement_is_marked_and_one_for_the_new_id_counts_first() -> None:
    changes = karat.key_diff(old_key(), new_key(), by="words").changes
    own = judgement("m1", 0.0, query_id="q2", run_id="atlas")
    runs, _ = carried(Collection([*judged(), own]), changes)
    found = [each for each in runs.judgements if (each.query_id, each.run_id, each.nug_id) == ("q2", "atlas", "m1")]
    assert [each.extra.get(CARRIED) for each in found] == [None, "n1"]


def test_renumbering_a_key_is_said_to_mix_up_judgements() -> None:
    old = old_key()
    gone = [replace(each, nug_id=f"n{int(each.nug_id[1:]) - 1}") for each in old if each.nug_id != "n0"]
    plain = karat.key_diff(old, gone, judged(), by="words", measures="strict_vital")
    assert any(
        "careful: 24 ids of the old key name another nug now (the first: n0 of query q0)" in note
        for note in plain.notes
    )
    carried_over = karat.key_diff(old, gone, judged(), by="words", measures="strict_vital", carry=True)
    assert not any("careful" in note for note in carried_over.notes)
    # What was removed is okay, and strict_vital does not count it.
    assert carried_over.effects is not None
    assert all(effect.difference == pytest.approx(0) for effect in carried_over.effects.runs)


def test_what_a_change_does_alone_is_what_scoring_with_it_alone_gives() -> None:
    old, new = old_key(), new_key()
    done = karat.key_diff(old, new, judged(), by="words", measures="strict_all")
    assert done.effects is not None
    effects = {(effect.query_id, effect.kinds): effect for effect in done.effects.single}
    before = totals(karat.score(old, judged(), measures="strict_all"))
    without = [each for each in old if (each.query_id, each.nug_id) != ("q1", "n1")]
    alone = {
        ("q1", ("removed",)): without,
        ("q7", ("query removed",)): [each for each in old if each.query_id != "q7"],
        ("q2", ("reworded",)): [each for each in old if (each.query_id, each.nug_id) != ("q2", "n1")],
    }
    for place, key in alone.items():
        after = totals(karat.score(key, judged(), measures="strict_all", on_error="skip"))
        differences = [after[run][0] - before[run][0] for run in before]
        assert effects[place].mean == pytest.approx(np.mean(differences))
        assert effects[place].size == pytest.approx(np.mean(np.abs(differences)))
        assert abs(effects[place].most) == pytest.approx(max(map(abs, differences)))
    assert effects["q0", ("importance",)].size == 0
    sizes = [effect.size for effect in done.effects.single]
    assert sizes == sorted(sizes, reverse=True)


def test_pairs_whose_verdict_changes_are_named() -> None:
    queries = [f"q{at}" for at in range(12)]
    good, bad = TEXTS[0], TEXTS[1]
    old = [nug("n0", good, query_id=query, importance="vital") for query in queries]
    old += [nug("n1", bad, query_id=query, importance="okay") for query in queries]
    new = [replace(each, importance="okay" if each.importance == "vital" else "vital") for each in old]
    runs = [judgement("n0", float(run == "a"), query_id=query, run_id=run) for query in queries for run in "ab"]
    runs += [judgement("n1", float(run == "b"), query_id=query, run_id=run) for query in queries for run in "ab"]
    done = karat.key_diff(old, new, runs, by="words", measures="strict_vital,strict_all")
    assert done.effects is not None
    (pair,) = done.effects.pairs
    assert (pair.measure, pair.run_id, pair.other, pair.old, pair.new) == ("strict_vital", "a", "b", "better", "worse")
    assert pair.turned
    assert done.effects.compared == 2


def test_too_many_changes_are_not_tried_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.evaluate.keys.single_effects.MOST_CELLS", 6)
    done = karat.key_diff(old_key(), new_key(), judged(), by="words", measures="strict_all")
    assert done.effects is not None
    assert done.effects.single == ()
    assert any("5 changes are too many to try each by itself" in note for note in done.notes)


def test_nugs_behind_the_keys_and_runs_in_a_key_do_not_count() -> None:
    plain = karat.key_diff(old_key(), new_key(), judged(), by="words", measures="strict_all")
    mixed = karat.key_diff(
        [*old_key(), *judged()], new_key(), [*old_key(), *judged()], by="words", measures="strict_all"
    )  # fmt: skip
    assert mixed.effects is not None
    assert plain.effects is not None
    assert mixed.effects.runs == plain.effects.runs
    notes = "\n".join(mixed.notes)
    assert "the file of the old key also has 96 other records" in notes
    assert "32 nugs and 0 votes in the files behind the keys left out" in notes


def test_scores_cannot_be_scored_again() -> None:
    scores = list(karat.score(old_key(), judged(), measures="strict_all").scores)
    with pytest.raises(UsageError, match="these are scores without judgements"):
        karat.key_diff(old_key(), new_key(), scores, by="words")


def test_without_judgements_and_without_a_program_there_is_no_score() -> None:
    runs = karat.load([{"query_id": "q0", "run_id": "r", "answer": "A red fox."}]).responses
    with pytest.raises(UsageError, match="there are no judgements"):
        karat.key_diff(old_key(), new_key(), list(runs), by="words", missing="skip")
