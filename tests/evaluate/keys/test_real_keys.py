from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat

BANK = Path("nuggets") / "rag24_nuggets_mistral.jsonl"

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize(("name", "nugs"), [("other", 675), ("ciqa", 487)])
def test_two_versions_of_the_keys_of_2006(real_data: Path, name: str, nugs: int) -> None:
    folder = real_data / "trec-qa-nuggets"
    files = folder / f"trec15answers_{name}", folder / f"trec15answers_{name}_pyramid"
    assert karat.key_diff(*files, by="words").counts == {"importance": nugs, "weight": nugs}


def test_the_nugs_that_an_assignment_file_lost(real_data: Path) -> None:
    folder = real_data / "nuggetizer-rag24"
    lost = folder / "assignments" / "baseline_rag24.test_l31_70b_instruct_top20.jsonl.gz"
    done = karat.key_diff(folder / BANK, lost, by="words", on_error="skip")
    assert done.counts == {"removed": 2, "unchanged": 6143}


def test_the_effect_of_another_key_equals_scoring_twice(real_data: Path) -> None:
    nist = karat.load(real_data / "trec-rag-2024" / "nugget_assignment.20241108.jl")
    topics = {nug.query_id for nug in nist.nugs}
    bank = [
        nug for nug in karat.load(real_data / "nuggetizer-rag24" / BANK, on_error="skip").nugs if nug.query_id in topics
    ]
    keys = [*nist.queries, *nist.nugs], [*nist.queries, *bank]
    runs = [*nist.runs, *nist.responses]
    options: Any = {"judge": "lexical", "measures": "strict_vital", "missing": "skip"}
    done = karat.key_diff(*keys, runs, by="words", **options)
    assert sum(len(change.old) for change in done.changes) == len(nist.nugs)
    assert sum(len(change.new) for change in done.changes) == len(bank)
    assert done.effects is not None
    for mine, key in ((done.effects.old, keys[0]), (done.effects.new, keys[1])):
        twice = karat.score(key, runs, **options)
        assert [score.signature for score in mine.scores] == [score.signature for score in twice.scores]
        assert mine.scores == twice.scores
    assert len(done.effects.runs) == 45
