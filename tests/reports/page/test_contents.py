"""What the report gathers: kinds of nugs, places of proof, and where it comes from."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from builders.records import judgement, response
from builders.reported import collection
from karat.model import Evidence, SpanSet
from karat.reports.page.contents.nug_lines import _kind, least_correlation
from karat.reports.page.contents.places import best_judgements, places_of, reason_of
from karat.reports.page.contents.provenance import provenance_of
from karat.reports.page.report import report

pytest.importorskip("altair")


def test_kinds_of_nugs_by_mean_and_by_correlation_with_the_scores() -> None:
    limit = least_correlation(5)
    assert _kind(0.96, None, 5) == "too easy"
    assert _kind(0.04, None, 5) == "too hard"
    assert _kind(0.5, limit + 0.01, 5) == "telling"
    assert _kind(0.5, -limit - 0.01, 5) == "contrary"
    assert _kind(0.5, limit - 0.01, 5) == ""
    assert _kind(None, None, 0) == ""


def test_chance_calls_about_one_nug_in_twenty_telling() -> None:
    random = np.random.default_rng(7)
    for runs in (6, 20):
        totals, nugs = random.normal(size=runs), random.normal(size=(4000, runs))
        correlations = np.array([np.corrcoef(totals, nug)[0, 1] for nug in nugs])
        assert 0.04 < float((correlations >= least_correlation(runs)).mean()) < 0.06


def test_the_lines_of_nugs_have_what_each_run_has() -> None:
    lines = report(collection(), made="").contents.nug_lines
    assert len(lines) == 18
    first = lines[0]
    assert (first.query_id, first.nug_id, first.importance) == ("q1", "n1", "vital")
    assert {run_id: cell.degree for run_id, cell in first.cells.items()} == {
        "best": 1.0, "good": 1.0, "fair": 0.0, "poor": 0.0,
    }  # fmt: skip
    assert first.mean == 0.5
    assert first.discrimination is not None
    assert first.discrimination > 0.8


ANSWER = response("r", "One fact. Another fact is here.", "And a third.")


def test_places_are_the_spans_that_a_judge_named() -> None:
    spans = judgement(snippet_id="s1", evidence=Evidence(spans=SpanSet([(0, 9), (10, 31)])))
    assert [(place.snippet, place.start, place.end) for place in places_of(spans, ANSWER)] == [(0, 0, 9), (0, 10, 31)]


def test_places_may_be_a_piece_of_a_snippet() -> None:
    piece = judgement(evidence=Evidence(extra={"snippet_id": "s2", "span": [4, 11]}))
    assert [(place.snippet, place.start, place.end) for place in places_of(piece, ANSWER)] == [(1, 4, 11)]


def test_places_by_words_are_the_sentence_that_has_most_of_them() -> None:
    words = judgement(evidence=Evidence(words=("another", "fact")))
    (place,) = places_of(words, ANSWER)
    assert ANSWER.snippets[place.snippet].text[place.start : place.end].strip() == "Another fact is here."
    assert place.by_words
    assert places_of(judgement(evidence=Evidence(words=("nothing", "of", "this"))), ANSWER) == ()


@pytest.mark.parametrize(
    "extra",
    [
        {"snippet_id": "s1", "span": [5, 900]}, {"snippet_id": "s1", "span": [-3, 4]},
        {"snippet_id": "s1", "span": "x"}, {"snippet_id": "s1", "span": [4, 4]},
        {"snippet_id": ["s1"]}, {"snippet_id": 7}, {"span": [0, 3]},
    ],
)  # fmt: skip
def test_a_place_that_is_none_is_not_shown(extra: dict[str, object]) -> None:
    assert places_of(judgement(evidence=Evidence(extra=extra)), ANSWER) == ()


def test_the_reason_says_who_how_sure_and_by_which_words() -> None:
    sure = judgement(
        judge="lexical", probabilities={"0": 0.2, "1": 0.8}, evidence=Evidence(words=("a", "b")),
        extra={"reason": " it says so ", "not_counted": "no list"},
    )  # fmt: skip
    assert reason_of(sure) == (
        "judged by lexical; contained in full with probability 0.80; words: a, b; reason: it says so"
    )


def test_of_several_judgements_the_highest_counts_and_failed_ones_do_not() -> None:
    low, high, failed = judgement(degree=0.0), judgement(degree=1.0), judgement(degree=None)
    assert best_judgements([low, high, failed]) == {"n": high}


def test_inputs_are_listed_with_their_hashes_and_folders_with_their_files(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.jsonl").write_bytes(b"one")
    (tmp_path / "key.jsonl").write_bytes(b"two!")
    found = provenance_of("karat report", [str(tmp_path / "key.jsonl"), str(tmp_path / "runs"), "-"], time="")
    assert [(Path(file.name).name, file.size, file.sha256) for file in found.inputs] == [
        ("key.jsonl", 4, hashlib.sha256(b"two!").hexdigest()), ("a.jsonl", 3, hashlib.sha256(b"one").hexdigest()),
    ]  # fmt: skip
    assert dict(found.versions).keys() >= {"karat", "Python", "numpy", "altair"}
