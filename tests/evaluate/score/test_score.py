from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from builders.rows import Row, judgement, nug, response, run, vote
from karat import __version__
from karat.evaluate.score.score import Scoring, score, score_collection
from karat.evaluate.tables.score_table import Average
from karat.formats import Source, open_inputs
from karat.model import Collection, InputError, Signature, UsageError


def entry(nug_id: str, importance: str | None = "vital", **fields: Any) -> Row:
    return nug(nug_id=nug_id, importance=importance, **fields)


def labelled(nug_id: str, degree: float | None = 1.0, **fields: Any) -> Row:
    return judgement(nug_id=nug_id, degree=degree, **fields)


def answer(text: str = "A fox.", **fields: Any) -> Row:
    return response("q", "r", text) | fields


def values(scoring: Scoring, query_id: str = "all", run_id: str = "r") -> list[float | None]:
    """strict_vital, lenient_vital, strict_all, lenient_all"""
    return [score.value for score in scoring.scores if (score.query_id, score.run_id) == (query_id, run_id)]


KEY = [entry("1"), entry("2"), entry("3", "okay")]


def test_a_perfect_answer_scores_exactly_one_on_all_four() -> None:
    key = [entry(str(number), "vital" if number % 3 else "okay") for number in range(7)]
    scoring = score([*key, *(labelled(str(number), assessor=who) for number in range(7) for who in ("a", "b", "c"))])
    assert values(scoring) == [1.0, 1.0, 1.0, 1.0]
    assert scoring.notes == ()


def test_strict_asks_for_full_support_and_vital_for_vital_nugs() -> None:
    scoring = score([*KEY, labelled("1", 1.0), labelled("2", 0.5), labelled("3", 0.0)])
    assert values(scoring) == values(scoring, "q") == [0.5, 0.75, 1 / 3, 0.5]


def test_the_mean_is_over_queries_and_carries_its_interval() -> None:
    scoring = score([
        entry("1"), entry("1", query_id="p"), entry("1", query_id="o"),
        labelled("1", 1.0), labelled("1", 0.0, query_id="p"), labelled("1", 0.5, query_id="o"),
    ], measures=["lenient_all"])  # fmt: skip
    (mean,) = scoring.of_all()
    assert (mean.value, mean.n, mean.undefined) == (0.5, 3, 0)
    assert mean.low is not None
    assert mean.high is not None
    assert 0 <= mean.low < 0.5 < mean.high <= 1
    assert [(score.query_id, score.value, score.low) for score in scoring.by_query()] == [
        ("o", 0.5, None),
        ("p", 0.0, None),
        ("q", 1.0, None),
    ]


def test_one_query_gives_no_interval() -> None:
    assert [(one.low, one.high) for one in score([*KEY, labelled("1")]).of_all()] == [(None, None)] * 4


def test_silence_scores_zero() -> None:
    rows = [*KEY, labelled("1"), answer("  ", run_id="s"), answer(run_id="t", snippets=[])]
    scoring = score(rows)
    assert values(scoring, run_id="s") == values(scoring, run_id="t") == [0.0, 0.0, 0.0, 0.0]


def test_a_response_with_words_that_nobody_judged_is_undefined_and_noted() -> None:
    scoring = score([*KEY, labelled("1"), labelled("2"), labelled("3"), answer(run_id="s")], measures=["strict_all"])
    assert values(scoring, run_id="s") == [None]
    assert scoring.notes == (
        "run s: strict_all is undefined for 1 query (no nug was judged), left out of the mean",
        "run s, query q: 3 nugs not judged, scored on the rest",
    )


def test_without_vital_nugs_the_vital_scores_are_undefined_and_left_out_of_the_mean() -> None:
    scoring = score(
        [entry("1", "okay"), labelled("1"), entry("1", query_id="p"), labelled("1", 0.5, query_id="p")],
    )
    assert values(scoring, "q") == [None, None, 1.0, 1.0]
    assert values(scoring, "all") == [0.0, 0.5, 0.5, 0.75]
    assert [(score.n, score.undefined) for score in scoring.of_all()] == [(1, 1), (1, 1), (2, 0), (2, 0)]
    reason = "is undefined for 1 query (the key has no vital nug that was judged), left out of the mean"
    assert scoring.notes == (f"run r: strict_vital {reason}", f"run r: lenient_vital {reason}")


def test_even_silence_is_undefined_where_there_is_nothing_to_say() -> None:
    scoring = score([entry("1", "okay"), labelled("1"), answer("", run_id="s")])
    assert values(scoring, run_id="s") == [None, None, 0.0, 0.0]


def test_a_failed_judgement_is_left_out_and_noted() -> None:
    scoring = score([*KEY, labelled("1"), labelled("2", None), labelled("3", 0.0)])
    assert values(scoring) == [1.0, 1.0, 0.5, 0.5]
    assert scoring.notes == ("run r, query q: 1 failed judgement, scored on the rest",)


def test_a_label_that_cannot_be_read_stops_the_work_or_fails_only_that_judgement() -> None:
    rows = [*KEY, labelled("1"), labelled("2", 7.0), labelled("3", 0.0)]
    with pytest.raises(InputError, match=r"<list>:5: degree: 7\.0 is not a number from 0 to 1"):
        score(rows)
    assert values(score(rows, on_error="skip")) == [1.0, 1.0, 0.5, 0.5]


def test_a_nug_nobody_judged_is_left_out_and_noted() -> None:
    scoring = score([*KEY, labelled("1"), labelled("3", 0.0)])
    assert values(scoring) == [1.0, 1.0, 0.5, 0.5]
    assert scoring.notes == ("run r, query q: 1 nug not judged, scored on the rest",)


MISSING = [
    *KEY,
    entry("1", query_id="p"),
    *map(labelled, "123"),
    labelled("1", run_id="s"),
    labelled("1", query_id="p"),
]


def test_a_missing_response_is_an_error() -> None:
    with pytest.raises(UsageError) as raised:
        score(MISSING)
    assert str(raised.value) == (
        "run s has no response to query p; count missing responses as zero or leave them out with --missing zero|skip"
    )


def test_of_many_missing_responses_one_is_named() -> None:
    with pytest.raises(UsageError, match=r"run r has no response to query p \(2 are missing: r 1, s 1\); "):
        score([*KEY, entry("1", query_id="p"), labelled("1"), labelled("1", run_id="s")])


def test_missing_responses_may_count_as_zero() -> None:
    scoring = score(MISSING, missing="zero", measures=["lenient_all"])
    assert values(scoring, "p", "s") == [0.0]
    assert values(scoring, "all", "s") == [0.5]
    assert scoring.notes[0] == "1 missing response, counted as zero: s 1"


def test_missing_responses_may_be_left_out() -> None:
    scoring = score(MISSING, missing="skip", measures=["lenient_all"])
    assert values(scoring, "p", "s") == []
    assert values(scoring, "all", "s") == [1.0]
    assert [score.n for score in scoring.of_all()] == [2, 1]
    assert scoring.notes[0] == "1 missing response, left out: s 1"


def test_counting_missing_responses_as_zero_does_not_touch_responses_that_nobody_judged() -> None:
    rows = [*KEY, labelled("1"), labelled("2"), labelled("3"), answer(run_id="s")]
    assert values(score(rows, missing="zero"), run_id="s") == [None] * 4


def test_a_run_without_any_answer_is_missing_everywhere() -> None:
    rows = [run("r"), run("s"), *KEY, *map(labelled, "123")]
    assert values(score(rows, missing="zero"), run_id="s") == [0.0] * 4
    skipped = score(rows, missing="skip")
    assert values(skipped, run_id="s") == [None] * 4
    assert [score.n for score in skipped.of_all()] == [1] * 4 + [0] * 4


@pytest.mark.parametrize(("aggregator", "expected"), [("and", [0.5, 0.75]), ("or", [1.0, 1.0])])
def test_a_question_is_scored_through_its_answers(aggregator: str, expected: list[float]) -> None:
    key = [entry("1"), entry("2", aggregator=aggregator), entry("a", None, parent="2"), entry("b", None, parent="2")]
    scoring = score([*key, labelled("1"), labelled("a", 1.0), labelled("b", 0.5)])
    assert values(scoring) == expected * 2
    assert scoring.notes == ()


def test_a_silent_response_to_questions_scores_zero() -> None:
    key = [entry("2", aggregator="or"), entry("a", None, parent="2")]
    assert values(score([*key, labelled("a"), answer("", run_id="s")]), run_id="s") == [0.0] * 4


def test_assessors_are_averaged() -> None:
    rows = [
        entry("1"),
        entry("2"),
        labelled("1", 1.0, assessor="ann"),
        labelled("1", 0.5, assessor="bob"),
        labelled("2", 0.0),
    ]
    assert values(score(rows)) == [0.25, 0.375, 0.25, 0.375]


def test_where_snippets_were_judged_silence_means_zero() -> None:
    rows = [*KEY, labelled("1", 0.5, snippet_id="1"), labelled("1", 1.0, snippet_id="2")]
    scoring = score(rows)
    assert values(scoring) == [0.5, 0.5, 1 / 3, 1 / 3]
    assert scoring.notes == ()


def test_a_query_that_is_not_in_the_key_is_left_out_and_noted() -> None:
    scoring = score([*KEY, *map(labelled, "123"), labelled("1", query_id="z")])
    assert values(scoring) == [1.0] * 4
    assert values(scoring, "z") == []
    assert scoring.notes == ("query z: not in the key, left out",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([labelled("1")], "there is no key: give a file with nugs"),
        (KEY, "there are no judgements, and no program was named"),
    ],
)
def test_what_is_not_there_is_asked_for(rows: list[Row], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score(rows)


def test_an_unknown_measure_is_answered_with_the_choices() -> None:
    with pytest.raises(UsageError) as raised:
        score([*KEY, labelled("1")], measures=["strict_vital", "strikt"])
    assert str(raised.value).startswith("no measure is called 'strikt'")
    assert all(name in str(raised.value) for name in ("lenient_all", "pyramid_F", "rubric"))


def test_measures_come_in_the_order_asked_for() -> None:
    scoring = score([*KEY, *map(labelled, "123")], measures=["lenient_all", "strict_vital"])
    assert [score.measure for score in scoring.of_all()] == ["lenient_all", "strict_vital"]


def test_every_score_carries_the_state_that_made_it() -> None:
    rows = [*KEY, *map(labelled, "123"), labelled("1", judge="person")]
    scoring = score(rows, missing="skip", seed=7, measures=["strict_all"], judge="all")
    assert {score.signature for score in scoring.scores} == {
        f"strict_all|judge:j+person|missing:skip|unjudged:skip|assessors:mean|key:{karat.key_hash(KEY)}|average:query|ci:none|b:2000|"
        f"ties:none|seed:7|v:{__version__}"
    }
    assert Signature.parse(scoring.scores[0].signature or "").name == "strict_all"


def test_the_seed_decides_the_interval() -> None:
    rows = [row for number in range(6) for row in (entry("1", query_id=str(number)),
                                                   labelled("1", number**2 / 25, query_id=str(number)))]  # fmt: skip
    ends = [[(one.low, one.high) for one in score(rows, seed=seed).of_all()] for seed in (1, 1, 2)]
    assert ends[0] == ends[1] != ends[2]


def demo(name: str) -> Source:
    return Source(name, (files("karat.demo") / name).read_bytes())


DEMO = ("key.jsonl", "judgements.jsonl", "runs.jsonl")


def test_the_demo_is_scored_without_its_broken_judgement() -> None:
    inputs = open_inputs(*map(demo, DEMO), on_error="skip")
    scoring = score_collection(Collection(inputs))
    assert [(problem.file, problem.code) for problem in inputs.problems] == [("judgements.jsonl", "impossible-label")]
    means = {score.run_id: score.value for score in scoring.of_all() if score.measure == "strict_vital"}
    assert means == pytest.approx(
        {"librarian": 0.930556, "birch": 0.784722, "atlas": 0.736111, "cedar": 0.451389, "delta": 0.145833}, abs=1e-6
    )
    assert all(score.low <= score.value <= score.high for score in scoring.of_all())  # type: ignore[operator]
    assert len([note for note in scoring.notes if "failed" in note]) == 1


def test_the_demo_stops_at_its_broken_judgement() -> None:
    with pytest.raises(InputError) as raised:
        score(*map(demo, DEMO))
    assert len(raised.value.problems) == 1


def test_the_demo_means_are_those_of_a_count_by_hand() -> None:
    lines = (files("karat.demo") / "key.jsonl").read_text().splitlines()
    key = [row for row in map(json.loads, lines) if row["kind"] == "nug"]
    vital = {(row["query_id"], row["nug_id"]) for row in key if row.get("importance") == "vital"}
    found: dict[tuple[str, str], list[bool]] = {}
    for line in (files("karat.demo") / "judgements.jsonl").read_text().splitlines():
        row = json.loads(line)
        good = isinstance(row.get("degree"), float) and 0 <= row["degree"] <= 1
        if good and (row["query_id"], row["nug_id"]) in vital:
            found.setdefault((row["run_id"], row["query_id"]), []).append(row["degree"] == 1)
    scoring = score(*map(demo, DEMO), on_error="skip", measures=["strict_vital"])
    counted = {pair: sum(hits) / len(hits) for pair, hits in found.items()}
    scored = {(score.run_id, score.query_id): score.value for score in scoring.by_query()}
    assert {pair: value for pair, value in scored.items() if pair in counted} == pytest.approx(counted)
    assert {pair: value for pair, value in scored.items() if pair not in counted and value != 0} == {}


PEER_NAMES = {
    "strict_vital": "strict_vital_score", "lenient_vital": "vital_score",
    "strict_all": "strict_all_score", "lenient_all": "all_score",
    "strict_weighted": "strict_weighted_score", "lenient_weighted": "weighted_score",
}  # fmt: skip
CREDIT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def counted(nuggets: list[dict[str, str]], measure: str, *, impossible_is_zero: bool) -> float:
    """A score straight from the row of an assignments file."""
    strict, over = measure.split("_")
    weights = {"vital": 1.0, "okay": {"vital": 0.0, "all": 1.0, "weighted": 0.5}[over]}
    total = weight = 0.0
    for nugget in nuggets:
        if impossible_is_zero or nugget["assignment"] in CREDIT:
            own = weights.get(nugget["importance"], float(over == "all"))
            credit = CREDIT.get(nugget["assignment"], 0.0)
            total += own * (int(credit) if strict == "strict" else credit)
            weight += own
    return total / weight


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("assignments", "metrics", "clean"),
    [
        ("command-r-plus", "command-r-plus", 287),
        ("gpt4o", "gpt_4o", 287),
        ("l31_70b_instruct", "l31_70b_instruct", 286),
    ],
)
def test_parity_with_the_nuggetizer(real_data: Path, assignments: str, metrics: str, clean: int) -> None:
    folder = real_data / "nuggetizer-rag24"
    path = folder / "assignments" / f"baseline_rag24.test_{assignments}_top20.jsonl.gz"
    rows = {row["qid"]: row["nuggets"] for row in map(json.loads, gzip.open(path, "rt"))}
    metrics_path = folder / "metrics" / f"baseline_rag24.test_{metrics}_top20.jsonl"
    peer = {row["qid"]: row for row in map(json.loads, metrics_path.read_text().splitlines())}
    ours: dict[str, dict[str, float | None]] = {}
    for one in score(path, on_error="skip", measures=list(PEER_NAMES)).by_query():
        ours.setdefault(one.query_id, {})[one.measure] = one.value
    theirs = {
        query_id: {name: peer[query_id][peer_name] for name, peer_name in PEER_NAMES.items()} for query_id in rows
    }
    assert set(ours) == set(rows) == set(peer) - {"all"}
    assert len(rows) == 301
    assert all(any(nugget["importance"] == "vital" for nugget in nuggets) for nuggets in rows.values())

    judged_well = {
        query_id for query_id, nuggets in rows.items() if all(nugget["assignment"] in CREDIT for nugget in nuggets)
    }
    spotless = {
        query_id for query_id in judged_well if all(one["importance"] in ("vital", "okay") for one in rows[query_id])
    }
    assert len(spotless) == clean
    # A nug without a usable importance counts among all nugs in both programs: parity holds there, too.
    assert len(judged_well) == 293
    for query_id in judged_well:
        assert ours[query_id] == pytest.approx(theirs[query_id], abs=1e-12)

    # The nuggetizer counts a label nobody knows as no support; Karat leaves that judgement out.
    differing = set(rows) - judged_well
    assert len(differing) == 8
    for query_id in differing:
        nuggets = rows[query_id]
        left_out = {name: counted(nuggets, name, impossible_is_zero=False) for name in PEER_NAMES}
        as_zero = {name: counted(nuggets, name, impossible_is_zero=True) for name in PEER_NAMES}
        assert ours[query_id] == pytest.approx(left_out, abs=1e-12)
        assert theirs[query_id] == pytest.approx(as_zero, abs=1e-12)
        assert ours[query_id] != pytest.approx(theirs[query_id], abs=1e-12)
        assert all(ours[query_id][name] >= theirs[query_id][name] for name in PEER_NAMES)  # type: ignore[operator]


def test_a_response_in_which_nothing_was_marked_holds_nothing() -> None:
    """As in TREC QA: only finds are marked, so a run with marks elsewhere was judged here, too."""
    rows = [nug("p"), nug("q"), response("p", "r"), response("q", "r"), judgement("p", "r", 1.0, snippet_id="1")]
    (total,) = score(rows, measures="strict_vital").of_all()
    assert (total.value, total.n, total.undefined) == (0.5, 2, 0)


def test_a_judgement_made_twice_counts_once_and_is_noted() -> None:
    scoring = score([entry("1"), labelled("1", 0.0), labelled("1", 1.0)], measures=["strict_vital"])
    assert scoring.of_all()[0].value == 0.0
    assert scoring.notes == (
        "1 repeated judgement left out, 1 that contradicts it: the first counts (see `karat lint`)",
    )


def test_options_that_do_not_exist_are_refused() -> None:
    rows = [{"query_id": "q", "run_id": "r", "nugget": "red fox", "label": 1}]
    with pytest.raises(UsageError, match="missing='zer' is not one of error, zero, skip"):
        score(rows, missing="zer")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="on_error='skipp' is not one of stop, skip"):
        score(rows, on_error="skipp")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a query is called 'all'"):
        score([rows[0] | {"query_id": "all"}])


def scored_rows(run_id: str, degrees: list[float]) -> list[Row]:
    """One vital nug a query q0, q1, ...: lenient_vital is the degrees."""
    return [labelled("1", degree, query_id=f"q{at}", run_id=run_id) for at, degree in enumerate(degrees)]


def keyed(count: int) -> list[Row]:
    return [entry("1", query_id=f"q{at}") for at in range(count)]


@pytest.mark.parametrize(("average", "by_hand"), [("query", np.mean), ("median", np.median), ("pool", np.mean)])
def test_averages_are_those_of_numpy_and_lie_in_their_intervals(
    average: str, by_hand: Callable[[list[float]], float]
) -> None:
    degrees = [0.0, 0.25, 1.0, 0.5, 0.75, 0.0, 0.125]
    (one,) = score([*keyed(7), *scored_rows("r", degrees)], average=average, measures="lenient_vital").of_all()  # type: ignore[arg-type]
    assert one.value == pytest.approx(by_hand(degrees))
    assert one.low is not None
    assert one.high is not None
    assert one.low <= by_hand(degrees) <= one.high
    kind = {"query": "bounded-gaffke", "median": "bootstrap-percentile", "pool": "bootstrap-bca"}[average]
    assert f"|average:{average}|ci:{kind}|" in (one.signature or "")


def test_a_pooled_score_weighs_queries_by_their_nugs() -> None:
    rows = [entry("1", query_id="p"), labelled("1", 1.0, query_id="p"), *KEY, *(labelled(one, 0.0) for one in "123")]
    pooled, mean = (score(rows, measures="strict_all", average=one).of_all()[0] for one in ("pool", "query"))
    assert (pooled.value, mean.value) == (0.25, 0.5)


def test_a_pooled_score_is_undefined_only_where_nothing_at_all_was_counted() -> None:
    rows = [entry("1", "okay"), labelled("1"), entry("1", query_id="p"), labelled("1", 0.5, query_id="p")]
    some = score(rows, average="pool", measures="lenient_vital")
    assert [(score.value, score.n, score.undefined) for score in some.of_all()] == [(0.5, 2, 1)]
    told = (
        "run r: lenient_vital is undefined for 1 query (the key has no vital nug that was judged), pooled as they are"
    )
    assert some.notes == (told,)
    none = score(rows[:2], average="pool", measures="lenient_vital")
    assert [(score.value, score.low, score.n, score.undefined) for score in none.of_all()] == [(None, None, 1, 1)]
    assert none.notes == (told,)


def test_what_is_undefined_is_left_out_of_the_median() -> None:
    rows = [entry("1", "okay"), labelled("1"), *keyed(3), *scored_rows("r", [0.0, 0.25, 1.0])]
    scoring = score(rows, average="median", measures="lenient_vital")
    assert [(score.value, score.n, score.undefined) for score in scoring.of_all()] == [(0.25, 3, 1)]
    assert scoring.notes[-1].endswith(
        "is undefined for 1 query (the key has no vital nug that was judged), left out of the median"
    )


def test_runs_that_are_all_equal_are_one_group_with_the_interval_that_equal_values_leave() -> None:
    scoring = score(
        [*keyed(8), *(row for one in "rst" for row in scored_rows(one, [0.5] * 8))], measures="lenient_vital"
    )
    reach = 0.5 * (1 - 0.025 ** (1 / 8))
    for one in scoring.of_all():
        assert (one.value, one.extra) == (0.5, {"tie": "a"})
        assert (one.low, one.high) == pytest.approx((0.5 - reach, 0.5 + reach))
        assert "|ci:equal-values|" in (one.signature or "")
    assert scoring.notes == ()
    assert scoring.interval_notes[0] == (
        "lenient_vital: all 8 values of r, s, t are equal; the interval is what as many equal values leave open about "
        "other queries, by the bounds of the values (Clopper & Pearson)"
    )


def test_twenty_zeros_do_not_show_that_the_score_is_zero() -> None:
    scoring = score([*keyed(20), *scored_rows("r", [0.0] * 20)], measures="strict_vital")
    (total,) = scoring.of_all()
    assert total.low == 0.0
    assert total.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert f"{total.high:.3f}" == "0.168"


@pytest.mark.parametrize(
    ("average", "note"),
    [
        ("query", "lenient_vital: intervals from fewer than 10 queries (here 5) use the bounds 0 and 1 of the values "
                  "and are wide, because resampling so few queries gives intervals that are too narrow"),
        ("pool", "lenient_vital: with fewer than 10 queries (here 5) the intervals are too narrow: they are resampled, "
                 "because there is no other kind for pooled scores"),
        ("median", "lenient_vital: with fewer than 10 queries (here 5) the intervals are too narrow: they are "
                   "resampled, because there is no other kind for medians"),
    ],
)  # fmt: skip
def test_few_queries_have_an_interval_that_says_what_it_is(average: Average, note: str) -> None:
    rows = [*keyed(5), *scored_rows("r", [0.0, 0.25, 1.0, 0.5, 0.75])]
    assert score(rows, measures="lenient_vital", average=average).interval_notes == (note,)


def test_few_scores_without_known_bounds_say_how_far_to_trust_their_interval() -> None:
    rows = [{"kind": "score", "run_id": "r", "query_id": f"q{at}", "measure": "ndcg", "value": at / 5}
            for at in range(5)]  # fmt: skip
    scoring = score(rows)
    assert scoring.of_all()[0].low is not None
    assert scoring.interval_notes == (
        "ndcg: with fewer than 10 queries (here 5) the intervals are too narrow: the measure has no known bounds, so "
        "queries are resampled (BCa), and in the worst of eight kinds of scores 85% of such intervals held the mean "
        "instead of 95 %",
    )
    shares = [row | {"measure": "strict_vital"} for row in rows]
    assert "|ci:bounded-gaffke|" in (score(shares).of_all()[0].signature or "")
    beyond = [row | {"value": 2.0 * float(str(row["value"]))} for row in shares]
    assert "|ci:bootstrap-bca|" in (score(beyond).of_all()[0].signature or "")


def test_pooled_scores_that_never_vary_say_that_their_interval_says_little() -> None:
    scoring = score([*keyed(12), *scored_rows("r", [1.0] * 12)], measures="strict_vital", average="pool")
    assert scoring.interval_notes == (
        "strict_vital: the interval of r has no width, because every resampled score is the same; this does not say "
        "that other queries would give the same score",
    )


def test_one_run_on_one_query_has_a_score_and_nothing_more() -> None:
    scoring = score([entry("1"), labelled("1", 0.5)], measures="lenient_vital")
    assert [(score.value, score.low, score.high, score.n, score.extra) for score in scoring.of_all()] == [
        (0.5, None, None, 1, {})
    ]
    assert scoring.notes == ()


def test_trouble_in_many_queries_is_summed_up() -> None:
    rows = [*keyed(5), *(entry("2", query_id=f"q{at}") for at in range(5)), *scored_rows("r", [1.0] * 5)]
    rows += [labelled("2", None, query_id=f"q{at}") for at in range(5)]
    assert score(rows).notes == ("run r: 5 failed judgements in 5 queries, scored on the rest",)


def test_a_length_asks_for_the_texts() -> None:
    with pytest.raises(UsageError) as raised:
        score([*KEY, labelled("1")], measures="F3")
    assert str(raised.value) == (
        "F3 needs the texts of the responses (it counts their length): run r has none for query q; "
        "give the run files, too"
    )
    assert score([*KEY, *map(labelled, "123"), answer("x" * 600)], measures="F").of_all()[0].value == pytest.approx(
        10 * 0.5 * 1.0 / (9 * 0.5 + 1.0)
    )


def test_it_is_reported_how_often_the_pyramid_sees_what_the_binary_score_does_not() -> None:
    mark = labelled("3", 1.0, snippet_id="1")
    scoring = score([*KEY, vote("3"), mark, answer()])
    assert [(score.measure, score.value == 0) for score in scoring.of_all()] == [("F3", True), ("pyramid_F3", False)]
    assert scoring.notes == (
        "pyramid_F3 is above zero where F3 is zero for 1 of 1 responses (100.0%)",
        "2 nugs without votes or weight left out of the pyramids",
    )


def given_scores(query_ids: list[str]) -> list[Row]:
    return [
        {"kind": "score", "run_id": run_id, "query_id": query_id, "measure": "ndcg", "value": 0.25}
        for run_id in "rs"
        for query_id in query_ids
    ]


def test_scores_that_were_given_are_averaged_with_intervals_and_tie_groups() -> None:
    scoring = score(given_scores([f"q{at}" for at in range(8)]))
    assert [(score.value, score.low, score.n, score.extra) for score in scoring.of_all()] == [
        (0.25, None, 8, {"tie": "a"})  # all equal, and nobody knows the bounds of an ndcg from elsewhere
    ] * 2
    assert (scoring.scores[0].signature or "").startswith("ndcg|from:scores|")


def test_scores_given_over_all_queries_need_no_scores_per_query() -> None:
    scoring = score(given_scores(["all"]))
    assert [(score.run_id, score.query_id, score.value) for score in scoring.scores] == [
        ("r", "all", 0.25),
        ("s", "all", 0.25),
    ]


def test_scores_without_judgements_cannot_be_broken_down() -> None:
    with pytest.raises(UsageError, match="scores without judgements do not say what queries and runs are"):
        score(given_scores(["q"]), by="language")


def said(kind: str, degrees: list[float], *, run_id: str, silent: set[int]) -> list[Row]:
    """A run's responses to q0, q1, ... and what was judged of them; nothing of those that are empty."""
    rows = []
    for at, degree in enumerate(degrees):
        cell = {"query_id": f"q{at}", "run_id": run_id}
        rows.append(answer("" if at in silent else "A red fox lives in the wood.", **cell))
        if at not in silent and (kind != "finds" or degree == 1.0):
            rows.append(labelled("1", degree, **cell, **({"snippet_id": "1"} if kind == "finds" else {})))
            rows += [labelled("fault", 1.0 - degree, **cell)] if kind == "rubric" else []
    return rows


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["whole", "rubric", "finds"]),
    st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), max_size=6),
)
def test_an_empty_response_never_beats_one_that_says_something(kind: str, cells: list[tuple[float, bool]]) -> None:
    """Two runs that say the same, but for the queries where one says nothing."""
    degrees = [1.0, *(degree for degree, _ in cells)]
    silent = {at for at, (_, quiet) in enumerate(cells, 1) if quiet}
    rows = keyed(len(degrees))
    if kind == "rubric":
        rows += [entry("fault", None, query_id=f"q{at}", weight=-3.0) for at in range(len(degrees))]
    rows += [*said(kind, degrees, run_id="loud", silent=set()), *said(kind, degrees, run_id="quiet", silent=silent)]
    means = {(one.measure, one.run_id): one.value for one in score(rows).of_all()}
    expected = {"whole": "strict_vital", "rubric": "rubric", "finds": "F3"}[kind]
    assert (expected, "loud") in means
    for (measure, run_id), value in means.items():
        if run_id == "quiet":
            assert value is not None
            assert value <= means[measure, "loud"]  # type: ignore[operator]


def test_an_empty_response_does_not_help_a_distiller_but_for_a_precision_that_is_reported_as_undefined() -> None:
    """White et al. (2008) leave the precision of silence undefined; recall, F-value and proficiency do not."""
    rows = []
    for at in "01":
        held = [f"loud{at}", *(["quiet0"] if at == "0" else [])]
        members = [{"nugget_id": nugget_id, "degree": 1.0} for nugget_id in held]
        rows += [entry("1", query_id=f"q{at}", relevance=1.0 - 0.5 * int(at), members=members)]
        for run_id in ("loud", "quiet"):
            nugget_id = f"{run_id}{at}"
            cell = {"query_id": f"q{at}", "run_id": run_id}
            rows += [answer("A red fox." if nugget_id in held else "", **cell)]
            where = {"nugget_id": nugget_id, "snippet_id": "1", "spans": [[0, 5]], "source": "person"}
            rows += [{"kind": "nugget", **cell, **where}] if nugget_id in held else []
    scoring = score(rows)
    means = {
        run_id: {score.measure: score for score in scoring.of_all() if score.run_id == run_id}
        for run_id in ("loud", "quiet")
    }
    for measure in ("recall", "rightness", "F_value", "proficiency"):
        assert means["quiet"][measure].value < means["loud"][measure].value  # type: ignore[operator]
        assert means["quiet"][measure].n == 2
    precision = means["quiet"]["precision"]
    assert (precision.value, precision.n, precision.undefined) == (1.0, 1, 1)
    assert any(
        note.startswith("run quiet: precision is undefined for 1 query (the response says") for note in scoring.notes
    )


@pytest.mark.real_data
def test_the_three_runs_of_the_nuggetizer_cannot_be_distinguished(real_data: Path) -> None:
    folder = real_data / "nuggetizer-rag24"
    paths = sorted((folder / "assignments").glob("*.jsonl.gz"))
    scoring = score(*paths, on_error="skip", measures="strict_vital")
    scores = scoring.of_all()
    assert sorted(round(one.value or 0.0, 3) for one in scores) == [0.403, 0.409, 0.412]
    assert [one.extra["tie"] for one in scores] == ["a", "a", "a"]
    assert all(one.low <= one.value <= one.high for one in scores)  # type: ignore[operator]
    # The peer counts labels it does not know as no support, and so comes out a little lower.
    peers = []
    for path in sorted((folder / "metrics").glob("*.jsonl")):
        rows = map(json.loads, path.read_text().splitlines())
        peers += [row["strict_vital_score"] for row in rows if row["qid"] == "all"]
    assert sorted(round(one, 3) for one in peers) == [0.403, 0.408, 0.411]


def test_runs_that_no_common_query_joins_are_not_said_to_be_ordered() -> None:
    def rows(run_ids: str, queries: range) -> list[Row]:
        return [
            {"kind": "score", "v": 1, "run_id": run_id, "query_id": f"q{at}", "measure": "strict_all", "value": at / 40}
            for run_id in run_ids
            for at in queries
        ]

    apart = score([*rows("a", range(12)), *rows("b", range(12, 24))], missing="skip")
    assert any(
        note.startswith("no common query, not even by way of other runs, joins these: a / b") for note in apart.notes
    )
    assert not any("adjusted means" in note for note in apart.notes)
    assert not any("adjusted" in one.extra for one in apart.of_all())
    assert "no tie groups: no two runs have a query in common" in apart.notes
    chain = score([*rows("ac", range(12)), *rows("b", range(12, 24)), *rows("d", range(6, 18))], missing="skip")
    assert not any(note.startswith("no common query") for note in chain.notes)
    assert any("rows and letters follow adjusted means" in note for note in chain.notes)
    assert all("adjusted" in one.extra for one in chain.of_all())
