from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders.records import task
from builders.rows import judgement, nug, query, response
from builders.simulated import simulated
from karat.formats import load
from karat.judges.base import Task
from karat.judges.human.labels import by_people
from karat.judges.lexical.lexical import Lexical
from karat.judges.pairs import Pairs, judgeable_nugs, match_tasks, pairs_of, tasks_of
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.model import Collection, Judgement
from karat.text.idf import TextPool

ROUGE = parse_judge("rouge(stem=none)")
KEY = [
    nug("q1", "a", "vital", descriptions=["red fox"]),
    nug("q1", "b", "okay", descriptions=["blue sea and sky"]),
    nug("q2", "a", None, descriptions=["green tea"]),
]


def paired(rows: list[dict[str, object]]) -> Pairs:
    collection = load(rows)
    return pairs_of(tasks_of(collection), ROUGE, Cases(collection, missing="skip", judge="all"))


def test_pairs_are_arrays_with_a_query_and_a_response_together() -> None:
    texts = [response("q1", "x", "A red dog."), response("q1", "y", "The blue sky."), response("q2", "x", "Green tea")]
    pairs = paired([*KEY, *texts, judgement("q1", "y", 0.5, "b")])
    assert pairs.scores.tolist() == [0.5, 0.0, 0.0, 0.5, 1.0]
    assert pairs.question.tolist() == [0, 0, 0, 0, 1]
    assert pairs.nug.tolist() == [0, 1, 0, 1, 2]
    assert pairs.cell.tolist() == [0, 0, 1, 1, 2]
    assert pairs.vital.tolist() == [1, 0, 1, 0, 0.5]
    np.testing.assert_array_equal(pairs.degrees, [np.nan, np.nan, np.nan, 0.5, np.nan])


def test_covariates_are_importance_and_its_product_with_the_score() -> None:
    pairs = paired([*KEY, response("q1", "x", "A red dog."), response("q2", "x", "Tea.")])
    assert pairs.covariates().tolist() == [[1, 0.5], [0, 0], [0.5, 0.25]]
    assert pairs.labelled().known.tolist() == [False] * 3


def test_without_tasks_there_are_no_pairs() -> None:
    pairs = pairs_of([], ROUGE)
    assert len(pairs.scores) == len(pairs.cell) == 0


def test_tasks_are_the_queries_with_nugs_and_responses_in_natural_order() -> None:
    keyed = [nug(name, "a") for name in ("q10", "q2", "q3")]
    texts = [response(name, run) for name in ("q10", "q2", "q4") for run in ("r10", "r9")]
    tasks = tasks_of(load([*map(query, ("q2", "q3", "q4", "q10")), *keyed, *texts]))
    assert [(task.query_id, task.question) for task in tasks] == [("q2", "What of q2?"), ("q10", "What of q10?")]
    assert [response.run_id for response in tasks[0].responses] == ["r9", "r10"]


def test_rarity_comes_from_all_responses_or_from_those_given() -> None:
    collection = load([*KEY, response("q1", "x", "one"), response("q9", "x", "two")])
    assert list(tasks_of(collection)[0].texts().texts) == ["one", "two"]
    assert list(tasks_of(collection, pool=collection.responses[1:])[0].texts().texts) == ["two"]


def test_the_whole_of_an_and_or_nug_is_judged_through_its_parts() -> None:
    nugs = load([nug("q", "w", aggregator="and"), nug("q", "a", parent="w"), nug("q", "b")]).nugs
    assert [one.nug_id for one in judgeable_nugs(nugs)] == ["a", "b"]


def test_labels_of_parts_are_the_parts_own() -> None:
    keyed = [nug("q1", "w", aggregator="and"), nug("q1", "a", parent="w"), nug("q1", "b", parent="w")]
    pairs = paired([*keyed, response("q1", "x"), judgement("q1", "x", 1.0, "a"), judgement("q1", "x", 0.0, "b")])
    assert pairs.degrees.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("parts", [[], [nug("q1", "w", aggregator="or"), nug("q1", "p", parent="w")]])
def test_of_several_snippets_the_best_label_counts(parts: list[dict[str, object]]) -> None:
    two = response("q1", "x") | {"snippets": [{"snippet_id": "1", "text": "one"}, {"snippet_id": "2", "text": "two"}]}
    marks = [judgement("q1", "x", degree, "a", snippet_id=at) for at, degree in (("1", 1.0), ("2", 0.0))]
    degrees = paired([*KEY[:2], *parts, two, *marks]).degrees.tolist()
    # Where only finds are marked, silence means 0.
    assert degrees == [1.0, 0.0, *([0.0] if parts else [])]


def test_assessors_are_averaged_and_the_mean_is_taken_to_the_nearest_of_three_degrees() -> None:
    def of(*degrees: float) -> float:
        marks = [judgement("q1", "x", degree, "a", assessor=str(at)) for at, degree in enumerate(degrees)]
        return float(paired([KEY[0], response("q1", "x"), *marks]).degrees[0])

    assert [of(1, 0), of(0.5, 1, 1), of(0, 0, 0.5), of(1, 0.5, 0.5)] == [0.5, 1.0, 0.0, 0.5]


def test_a_failed_judgement_is_no_label_and_an_empty_response_contains_nothing() -> None:
    empty = response("q1", "y") | {"snippets": []}
    pairs = paired([KEY[0], response("q1", "x"), judgement("q1", "x", None, "a"), empty])
    np.testing.assert_array_equal(pairs.degrees, [np.nan, 0.0])


def test_by_people_leaves_out_what_programs_judged_but_not_what_they_took_over() -> None:
    marks = [
        judgement("q1", "x", 1.0, "a", judge="ann"),
        judgement("q1", "x", 0.0, "a", judge="nuggeteer"),
        judgement("q1", "y", 1.0, "a", judge="rouge", known=True),
    ]
    found = by_people(load([*KEY, response("q1", "x"), response("q1", "y"), *marks]))
    assert [(judgement.judge, judgement.degree) for judgement in found.judgements] == [("ann", 1.0), ("rouge", 1.0)]
    assert len(found.nugs) == 3


def test_progress_goes_through_the_queries() -> None:
    seen: list[str] = []

    def track(names: object) -> list[str]:
        seen.extend(names)  # type: ignore[call-overload]
        return list(names)  # type: ignore[call-overload]

    pairs_of(tasks_of(simulated(queries=3)), ROUGE, track=track)
    assert seen == ["q0", "q1", "q2"]


def test_a_collection_of_no_judgements_stays_as_it_is() -> None:
    bare = Collection(record for record in simulated(queries=2) if not isinstance(record, Judgement))
    assert by_people(bare) == bare


def three_tasks(*, shared: bool) -> list[Task]:
    texts = ["Red foxes hide. They run at dusk.", "", "Owls eat mice, and 20 foxes hunt them.", "東京の狐"]
    pool = TextPool(texts)
    made = [task(["red foxes hide", "owls hunt mice"], texts[at:]) for at in range(3)]
    return [
        replace(one, query_id=f"q{at}", pool=pool if shared else TextPool(texts[at:])) for at, one in enumerate(made)
    ]


@pytest.mark.parametrize("shared", [True, False])
def test_scores_are_the_same_with_any_number_of_jobs(shared: bool) -> None:
    alone = list(match_tasks(three_tasks(shared=shared), Lexical()))
    spread = list(match_tasks(three_tasks(shared=shared), Lexical(), jobs=2))
    assert len(alone) == len(spread) == 3
    for one, other in zip(alone, spread, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.best, other.best)
        assert (one.units.texts, one.units.places) == (other.units.texts, other.units.places)
        assert one.units.starts.tolist() == other.units.starts.tolist()


def test_one_task_needs_no_process() -> None:
    (found,) = match_tasks(three_tasks(shared=True)[:1], Lexical(), jobs=8)
    assert found.scores.shape == (4, 2)


def test_the_queries_are_tracked() -> None:
    seen: list[str] = []
    list(match_tasks(three_tasks(shared=True), Lexical(), track=lambda names: seen.extend(names) or names))
    assert seen == ["q0", "q1", "q2"]
