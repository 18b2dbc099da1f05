"""Scores, comparisons and studies of stability are the same for every engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import karat

KEY, JUDGEMENTS, RUNS = karat.demo_files()
VERBS: dict[str, Callable[[], object]] = {
    "score": lambda: karat.score(KEY, JUDGEMENTS, on_error="skip", by="language").scores,
    "score by a judge": lambda: karat.score(KEY, RUNS, judge="lexical").scores,
    "compare": lambda: karat.compare(KEY, JUDGEMENTS, on_error="skip").measures,
    "compare by a judge": lambda: karat.compare(KEY, RUNS, judge="lexical", baseline="atlas").measures,
    "plan by a judge": lambda: karat.plan(KEY, RUNS, judge="lexical", runs=["atlas", "birch"]).plans,
    "stability": lambda: karat.stability(KEY, JUDGEMENTS, on_error="skip", trials=10).measures,
    "validate": lambda: str(karat.validate(KEY, RUNS, JUDGEMENTS, judge="nuggeteer", on_error="skip")),
}


@pytest.mark.parametrize("verb", VERBS)
def test_processes_give_what_one_process_gives(verb: str) -> None:
    wanted = VERBS[verb]()
    with karat.engine("processes", workers=2):
        assert repr(VERBS[verb]()) == repr(wanted)
