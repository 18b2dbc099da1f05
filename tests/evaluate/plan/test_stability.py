from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.evaluate.plan.assessor_panels import VotedScores
from karat.evaluate.plan.stability import MeasureStability, quarters, stability
from karat.evaluate.tables.score_table import tabulate
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.measures.nugget_f import MacroF, NuggetF
from karat.measures.registry import parse_measure
from karat.model import UnfitInput, UsageError
from karat.reports.plan import stability_tables
from karat.stats.reliability.discriminative_power import discriminative_power
from karat.stats.reliability.rank_stability import swap_rates
from karat.stats.reliability.variance import generalizability, variance_components

Row = dict[str, Any]
QUERIES, RUNS, NUGS, ASSESSORS = "pqrs", "abc", "1234", ("x", "y", "z")


def scores(**runs: list[float]) -> list[Row]:
    return [
        {"kind": "score", "run_id": run_id, "query_id": f"q{at}", "measure": "F3", "value": value}
        for run_id, values in runs.items()
        for at, value in enumerate(values)
    ]


def voted_rows(seed: int = 0, *, weight: float | None = None, absent: tuple[tuple[str, str], ...] = ()) -> list[Row]:
    """Responses of 200 characters, finds and votes at random; `absent`: assessors who did not vote on a query."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for query in QUERIES:
        for nug_id in NUGS:
            nug: Row = {"kind": "nug", "query_id": query, "nug_id": nug_id, "descriptions": [nug_id]}
            rows.append(nug if weight is None else nug | {"weight": weight})
            for who in ASSESSORS:
                value = "vital" if rng.random() < 0.6 else "okay"
                if (who, query) not in absent:
                    rows.append({"kind": "vote", "query_id": query, "nug_id": nug_id, "assessor": who, "value": value})
        for run in RUNS:
            snippet = {"snippet_id": "1", "text": "w" * 200}
            rows.append({"kind": "response", "query_id": query, "run_id": run, "snippets": [snippet]})
            rows += [
                {"kind": "judgement", "query_id": query, "run_id": run, "nug_id": nug_id, "judge": "j",
                 "degree": float(rng.random() < 0.5)}
                for nug_id in NUGS
            ]  # fmt: skip
    return rows


def cases_of(rows: list[Row]) -> Cases:
    return Cases(load(rows))


def measure_of(name: str) -> NuggetF | MacroF:
    measure = parse_measure(name)
    assert isinstance(measure, NuggetF | MacroF)
    return measure


def only(*inputs: Any, **options: Any) -> MeasureStability:
    (measure,) = stability(*inputs, **options).measures
    return measure


@pytest.mark.parametrize("name", ["pyramid_F3", "pyramid_recall", "macro_F3", "macro_F1"])
def test_the_full_panel_scores_as_the_measure_does(name: str) -> None:
    cases = cases_of(voted_rows())
    found = VotedScores.of(cases, measure_of(name))
    assert found.raters == (("x", None), ("y", None), ("z", None))
    np.testing.assert_allclose(found.by_panel([0, 1, 2]), tabulate(cases, measure_of(name)).values)


@pytest.mark.parametrize("name", ["pyramid_F3", "macro_F3"])
@given(seed=st.integers(0, 10_000), panel=st.sets(st.sampled_from(range(3)), min_size=1))
@settings(max_examples=25, deadline=None)
def test_a_panel_scores_as_a_key_with_only_its_votes(name: str, seed: int, panel: set[int]) -> None:
    rows = voted_rows(seed)
    kept = [row for row in rows if row["kind"] != "vote" or ASSESSORS.index(row["assessor"]) in panel]
    alone = tabulate(cases_of(kept), measure_of(name)).values
    found = VotedScores.of(cases_of(rows), measure_of(name)).by_panel(sorted(panel))
    np.testing.assert_allclose(found, alone)


@pytest.mark.parametrize("name", ["pyramid_F3", "macro_F3"])
def test_weights_of_the_key_do_not_replace_votes_taken_away(name: str) -> None:
    rows = voted_rows(weight=1.0, absent=(("x", "p"),))
    found = VotedScores.of(cases_of(rows), measure_of(name)).by_panel([0])
    assert np.isnan(found[:, 0]).all()


def test_a_query_without_votes_keeps_the_weights_of_its_key() -> None:
    rows = voted_rows(weight=1.0, absent=tuple((who, "p") for who in ASSESSORS))
    found = VotedScores.of(cases_of(rows), measure_of("pyramid_F3")).by_panel([1])
    assert not np.isnan(found[:, 0]).any()


def test_someone_who_votes_on_two_occasions_is_two_raters() -> None:
    rows = voted_rows()
    rows += [row | {"occasion": "again"} for row in rows if row["kind"] == "vote" and row["assessor"] == "x"]
    found = VotedScores.of(cases_of(rows), measure_of("macro_F3"))
    assert len(found.raters) == 4
    np.testing.assert_array_equal(found.by_rater[..., 0], found.by_rater[..., found.raters.index(("x", "again"))])


def test_a_skipped_response_is_undefined_for_every_panel() -> None:
    rows = [row for row in voted_rows() if (row["query_id"], row.get("run_id")) != ("q", "b")]
    cases = Cases(load(rows), missing="skip")
    found = VotedScores.of(cases, measure_of("macro_F3")).by_panel([0, 1, 2])
    assert np.argwhere(np.isnan(found)).tolist() == [[RUNS.index("b"), QUERIES.index("q")]]


def test_numbers_by_queries_are_those_of_the_statistics() -> None:
    values = np.random.default_rng(5).random((4, 12))
    rows = scores(**dict(zip("abcd", values.tolist(), strict=True)))
    result = only(rows, sizes=[8, 4, 4], trials=20, seed=3)
    small, large = result.by_queries
    assert (small.size, large.size) == (4, 8)
    assert small.swaps == swap_rates(values, sizes=(4,), trials=20, seed=3)[0]
    assert large.swaps is None, "no two sets of 8 among 12"
    assert large.power == discriminative_power(values, sizes=(8,), trials=20, seed=3)[0]
    components = variance_components(values)
    assert result.components == components
    assert components is not None
    assert small.reliability == generalizability(components, queries=4).relative
    assert (result.runs, result.queries, result.assessors, result.by_assessors) == (4, 12, None, ())
    assert result.signature.startswith("F3|from:scores|sizes:4,8|trials:20|test:paired-t-holm|seed:3|")


def test_sizes_are_quarters_of_the_queries_by_default() -> None:
    assert quarters(15) == [3, 7, 11, 15]
    assert quarters(3) == [1, 2, 3]
    assert quarters(1) == [1]
    values = np.random.default_rng(1).random((2, 6)).tolist()
    assert [size.size for size in only(scores(a=values[0], b=values[1]), trials=2).by_queries] == [1, 3, 4, 6]


def test_the_same_seed_gives_the_same_numbers() -> None:
    rows = scores(**{run: np.random.default_rng(at).random(10).tolist() for at, run in enumerate("abcd")})
    assert stability(rows, seed=7, trials=10) == stability(rows, seed=7, trials=10)
    first, second = (only(rows, seed=seed, trials=10).by_queries[1].swaps for seed in (7, 8))
    assert first != second


def test_assessors_are_drawn_where_the_measure_depends_on_their_votes() -> None:
    result = only(voted_rows(), measures="macro_F3", trials=5)
    assert result.assessors == 3
    assert [(size.size, size.panels) for size in result.by_assessors] == [(1, 3), (2, 3), (3, 1)]
    assert result.by_assessors[-1].swapped == 0
    pyramid = only(voted_rows(), measures="pyramid_F3", trials=5, panels=[2])
    assert [size.size for size in pyramid.by_assessors] == [2]
    assert pyramid.assessor_components is None
    assert only(voted_rows(), measures="strict_all", trials=5).by_assessors == ()


def test_variance_with_assessors_is_that_of_their_own_scores() -> None:
    rows = voted_rows()
    result = only(rows, measures="macro_F3", trials=2)
    by_rater = VotedScores.of(cases_of(rows), measure_of("macro_F3")).by_rater
    assert by_rater.shape == (3, 4, 3)
    assert result.assessor_components == variance_components(by_rater)
    assert result.assessor_components is not None
    assert [part.name for part in result.assessor_components.components][2] == "assessor"


def test_assessors_who_did_not_vote_on_every_query_are_reported() -> None:
    notes = stability(voted_rows(absent=(("x", "p"),)), measures="macro_F3", trials=2).notes
    assert any(note.startswith("macro_F3: not every assessor voted on every query") for note in notes)
    # On another query an assessor calls nothing vital.
    assert "macro_F3: variance components with assessors by symmetric sums from 30 values" in " ".join(notes)


def test_pool_bias_knows_the_groups_of_the_runs() -> None:
    groups = {"a": "lab", "b": "lab", "c": "other lab"}
    rows = [*voted_rows(), *({"kind": "run", "run_id": run, "group": group} for run, group in groups.items())]
    result = only(rows, measures="strict_all", trials=2)
    assert result.pool_bias is not None
    assert {run.run_id: run.group for run in result.pool_bias.runs} == groups
    unique = {run.run_id: run.unique_nugs for run in result.pool_bias.runs}
    assert unique["a"] == unique["b"] > 0


def test_scores_without_judgements_have_no_pool_bias_and_that_is_said() -> None:
    result = stability(scores(a=[0.1, 0.4], b=[0.3, 0.2]), trials=2)
    assert result.measures[0].pool_bias is None
    assert result.notes == ("F3: no pool bias, which needs a key and judgements",)


def test_runs_that_never_differ_are_tied_and_not_distinguished() -> None:
    result = only(scores(a=[0.5] * 4, b=[0.5] * 4), trials=3)
    assert result.by_queries[0].swaps is not None
    assert (result.by_queries[0].swaps.swapped, result.by_queries[0].swaps.tied) == (0.0, 1.0)
    assert (result.by_queries[-1].power.share, result.by_queries[-1].reliability) == (0.0, None)


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (scores(a=[0.1, 0.2]), {}, "there is only one run, a"),
        (scores(a=[0.1], b=[0.2]), {}, "known for only one query"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.3]), {"sizes": [2, 5]}, "cannot draw 5 queries: sizes must be from 1 to 2"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.3]), {"sizes": [0]}, "cannot draw 0 queries"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.3]), {"trials": 0}, "trials 0 is not 1 or more"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.3]), {"panels": [1]}, "scores say nothing about assessors"),
        (voted_rows(), {"measures": "strict_all", "panels": [1]}, "choose from pyramid_F3, pyramid_"),
        (voted_rows(), {"measures": "macro_F3", "panels": [4]}, "cannot draw 4 assessors: sizes must be from 1 to 3"),
        ([row for row in voted_rows() if row.get("assessor", "x") == "x"],
         {"measures": "macro_F3", "panels": [1]}, "the votes of 1 assessor: too few"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.3]), {"average": "pool"}, "choose --average query"),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_said(rows: list[Row], options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        stability(rows, **options)


def test_runs_without_common_queries_have_no_ranking_to_study() -> None:
    rows = [
        {"kind": "score", "run_id": run, "query_id": f"{run}{at}", "measure": "F3", "value": at / 4}
        for run in "ab"
        for at in range(4)
    ]
    with pytest.raises(UsageError, match=r"no two of the \d runs have two queries in common"):
        stability(rows, missing="skip")
    with pytest.raises(UsageError, match="--missing zero"):
        stability(rows)


def test_the_head_counts_runs_that_have_values_and_says_one_pair() -> None:
    rng = np.random.default_rng(0)
    made = scores(a=rng.random(8).tolist(), b=rng.random(8).tolist()) + [
        {"kind": "score", "run_id": "silent", "query_id": f"q{at}", "measure": "F3", "value": None} for at in range(8)
    ]
    found = stability(made, trials=10)
    assert found.measures[0].runs == 2
    head = next(iter(stability_tables(found)))
    assert isinstance(head, str)
    assert head.startswith("F3: 1 pair of 2 runs on 8 queries")


def test_where_pairs_are_drawn_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.stats.reliability.discriminative_power.MOST_PAIRS", 100)
    draw = np.random.default_rng(0)
    rows = scores(**{f"r{at}": draw.random(6).tolist() for at in range(20)})
    notes = stability(rows, trials=3).notes
    assert (
        "the share of pairs that differ is that of 100 pairs drawn at random, because testing all 190 pairs in every "
        "trial would take too long; --runs chooses fewer runs"
    ) in notes


@pytest.mark.parametrize("turned", [False, True])
def test_two_runs_with_two_common_queries_are_enough(turned: bool) -> None:
    # Three runs of five queries, or five runs of three.
    known = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1]], bool)
    known = known.T if turned else known

    def rows() -> list[Row]:
        return [
            {"kind": "score", "run_id": f"r{run}", "query_id": f"q{query}", "measure": "F3", "value": 0.1 * run}
            for run, query in np.argwhere(known).tolist()
        ]

    with pytest.raises(UnfitInput, match=r"no two of the \d runs have two queries in common"):
        stability(rows(), trials=2, missing="skip")
    known[:2, :2] = True
    assert stability(rows(), trials=2, missing="skip").measures[0].runs == len(known)
