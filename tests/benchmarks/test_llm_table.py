"""The figures of benchmarks/judges/llm_table.py, on labels of our own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from karat.judges.lexical import lexical
from karat.model import Collection, Judgement, Nug, Query, Response, Snippet

FOLDER = Path(__file__).parents[2] / "benchmarks" / "judges"
DEGREES = (1.0, 0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 0.5)


@pytest.fixture(scope="module")
def benchmark() -> Iterator[SimpleNamespace]:
    """The modules of the benchmark, which are found only here."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        import llm_ratings
        import llm_table

        yield SimpleNamespace(ratings=llm_ratings, table=llm_table)
    finally:
        sys.path.remove(str(FOLDER))
        for name in set(sys.modules) - before:
            if name.startswith(("llm_", "lexical_", "train_lexical")):
                del sys.modules[name]


def judgements(judge: str, degrees: tuple[float, ...]) -> list[Judgement]:
    """Two queries with two runs and two nugs each."""
    places = [(query, run, nug) for query in ("q1", "q2") for run in ("r1", "r2") for nug in ("n1", "n2")]
    return [
        Judgement(query_id=query, run_id=run, nug_id=nug, degree=degree, judge=judge)
        for (query, run, nug), degree in zip(places, degrees, strict=True)
    ]


def test_an_llm_that_agrees_with_people_has_the_best_figures(benchmark) -> None:
    collection = Collection([*judgements("person", DEGREES), *judgements("llm", DEGREES)])
    figures = benchmark.ratings.by_llm(collection, "llm").figures()
    assert [figures[name] for name in ("auc", "kappa", "kappa_partial", "kappa_three", "f1")] == [1.0] * 5
    assert figures["pearson"] == pytest.approx(1)


def test_partial_counts_as_not_contained_in_the_first_kappa_only(benchmark) -> None:
    llm = tuple(0.5 if degree == 0 else degree for degree in DEGREES)
    figures = benchmark.ratings.by_llm(
        Collection([*judgements("person", DEGREES), *judgements("llm", llm)]), "llm"
    ).figures()
    assert figures["kappa"] == 1
    assert figures["kappa_partial"] == 0


def test_kappa_of_three_levels_is_that_of_scikit_learn(benchmark) -> None:
    rng = np.random.default_rng(1)
    people, rated = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    expected = cohen_kappa_score(people, rated, weights="linear")
    assert benchmark.ratings.kappa_of_levels(people / 2, rated / 2, np.zeros(60, int)) == pytest.approx(expected)


def test_queries_can_count_several_times(benchmark) -> None:
    llm = (*DEGREES[:4], *(1 - degree for degree in DEGREES[4:]))
    rated = benchmark.ratings.by_llm(Collection([*judgements("person", DEGREES), *judgements("llm", llm)]), "llm")
    assert rated.figures(np.array([3.0, 0.0]))["kappa"] == 1
    assert rated.figures(np.array([0.0, 2.0]))["kappa"] < 0


def test_a_judge_can_have_other_weights_for_a_while(benchmark, tmp_path: Path) -> None:
    shipped = lexical.load_weights()
    file = tmp_path / "weights.json"
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(shipped, intercept=7.0)))
    with benchmark.table.other_weights("lexical", file):
        assert lexical.load_weights().intercept == 7
    assert lexical.load_weights() == shipped


def test_a_judge_is_rated_on_the_pairs_that_people_labelled(benchmark) -> None:
    texts = {"n1": "The mill was built of oak.", "n2": "The bakery opened in spring."}
    labels = judgements("person", (1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0))
    said = {(one.query_id, one.run_id): texts[one.nug_id] for one in labels if one.degree == 1}
    records = [Query(query_id=query, text="What is new in town?") for query in ("q1", "q2")]
    nugs = [
        Nug(query_id=query, nug_id=nug, descriptions=(text,)) for query in ("q1", "q2") for nug, text in texts.items()
    ]
    responses = [Response(query_id=query, run_id=run, snippets=(Snippet(snippet_id="s1", text=text),))
                 for (query, run), text in said.items()]  # fmt: skip
    rated = benchmark.ratings.by_judge(Collection([*records, *nugs, *responses, *labels]), "lexical")
    assert rated.figures()["kappa"] == 1
    assert sorted(rated.query.tolist()) == [0, 0, 0, 0, 1, 1, 1, 1]
