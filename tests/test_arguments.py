"""Python arguments of a wrong type or value are refused in plain words, before any work."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import karat
from karat.arguments import ARGUMENTS, checked
from karat.model import UsageError

KEY, JUDGEMENTS, RUNS = karat.demo_files()


@pytest.mark.parametrize(
    ("verb", "options", "said"),
    [
        ("score", {"seed": -1}, "seed=-1 is not a whole number of at least 0"),
        ("score", {"seed": "x"}, "seed='x' is not a whole number"),
        ("score", {"seed": True}, "seed=True is not a whole number"),
        ("score", {"seed": 0.5}, "seed=0.5 is not a whole number"),
        ("score", {"judge": ["lexical"]}, r"judge=\['lexical'\] is not a text"),
        ("score", {"measures": 3}, "measures=3 is not a text or a list of texts"),
        ("score", {"measures": ["F3", 3]}, "is not a text or a list of texts"),
        ("score", {"beta": "x"}, "beta='x' is not a number"),
        ("plan", {"difference": "x", "sd": 1}, "difference='x' is not a number"),
        ("plan", {"power": "x"}, "power='x' is not a number"),
        ("plan", {"runs": "ab"}, "runs='ab' is not a list of texts"),
        ("plan", {"comparisons": 0}, "comparisons=0 is not a whole number of at least 1"),
        ("stability", {"trials": "x"}, "trials='x' is not a whole number of at least 1"),
        ("stability", {"sizes": [3, "x"]}, "is not a list of whole numbers"),
        ("judge", {"jobs": -1}, "jobs=-1 is not a whole number of at least 1"),
        ("compare", {"baseline": 3}, "baseline=3 is not a text"),
        ("correlate", {"seed": -3}, "seed=-3 is not a whole number"),
        ("explain", {"query": 7}, "query=7 is not a text"),
        ("review", {"limit": "x"}, "limit='x' is not a whole number"),
        ("validate", {"judge": 3}, "judge=3 is not a text"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(verb: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        getattr(karat, verb)(KEY, RUNS, **options)


def test_what_is_right_is_taken_as_it_is() -> None:
    plain = karat.plan(difference=0.3, sd=0.3, power=np.float64(0.8), comparisons=np.int64(2))
    assert plain.plans[0].queries_needed == karat.plan(difference=0.3, sd=0.3, comparisons=2).plans[0].queries_needed
    assert karat.score(
        KEY, JUDGEMENTS, measures=("strict_vital",), judge=None, seed=np.int64(1), on_error="skip"
    ).scores


def test_names_mean_the_same_in_every_verb() -> None:
    kinds = {"seed": "int", "judge": "str", "labels": "str", "measures": "Sequence[str]", "runs": "Sequence[str]"}
    for name in karat.__all__:
        verb = getattr(karat, name)
        if inspect.isfunction(verb):
            for parameter in inspect.signature(verb).parameters.values():
                if parameter.name in ARGUMENTS and parameter.name in kinds:
                    assert kinds[parameter.name] in str(parameter.annotation)


def test_verbs_take_only_some_runs_and_queries() -> None:
    key, judgements, runs = karat.demo_files()
    few: dict[str, Any] = {"runs": ["atlas", "b*"], "queries": ["q1", "q2", "q4"], "on_error": "skip"}
    part = karat.load(key, judgements, runs, **few)
    assert {response.run_id for response in part.responses} == {"atlas", "birch"}
    assert {nug.query_id for nug in part.nugs} == {"q1", "q2", "q4"}
    assert (
        karat.score(key, judgements, **few).to_dicts() == karat.score(part.nugs, part.votes, part.judgements).to_dicts()
    )
    assert (
        karat.judge(key, runs, judge="lexical", **few).judgements
        == karat.judge(karat.load(key, runs, **few), judge="lexical").judgements
    )
    eight = [f"q{number}" for number in range(1, 9)]
    stability = karat.stability(
        key, judgements, queries=eight, runs=["[a-d]*"], trials=2, measures="strict_vital", on_error="skip"
    )
    assert [number.size for number in stability.measures[0].by_queries] == [2, 4, 6, 8]
    comparison = karat.compare(key, judgements, queries=["q1", "q2", "q4"], on_error="skip", measures="strict_vital")
    assert {difference.n for difference in comparison.measures[0].differences} == {3}
    with pytest.raises(karat.KaratError, match=r"runs: there is no run 'atlsa' \(did you mean atlas\?\); choose from"):
        karat.score(key, judgements, runs=["atlsa"], on_error="skip")
    with pytest.raises(karat.KaratError, match="is not a list of texts"):
        karat.score(key, judgements, runs="atlas")
    with pytest.raises(karat.KaratError, match="queries names nothing"):
        karat.load(key, queries=[])
    with pytest.raises(karat.KaratError, match="is not a list of texts"):
        karat.load(key, queries="q1")


def test_verbs_compute_with_one_thread() -> None:
    """The last digits of matrix products depend on the number of threads."""
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        assert set(checked(threads)()) == {1}
        assert threads() == before
