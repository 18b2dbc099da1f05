from __future__ import annotations

import pytest

import karat
from builders.rows import Row, judgement, nug, score_rows
from karat.model import Signature, UsageError

VALUES = {"r": [0.9, 0.8, 0.3, 0.6], "s": [0.5, 0.7, 0.4, 0.2]}


def key(*descriptions: str) -> list[Row]:
    return [
        nug(query_id=query, nug_id=str(at), descriptions=[text], importance="vital")
        for query in "pqr"
        for at, text in enumerate(descriptions, 1)
    ]


def judged(nugs: int, *runs: str) -> list[Row]:
    return [
        judgement(query_id=query, run_id=run, nug_id=str(at), degree=float(run < query or at == 2))
        for query in "pqr"
        for run in runs
        for at in range(1, nugs + 1)
    ]


OLD, NEW = key("red fox", "blue sky"), key("red fox", "grey sky")


def signed(rows: list[Row], hashed: str | None) -> list[Row]:
    signature = "F3" if hashed is None else str(Signature("F3", {"key": hashed, "v": "0"}))
    return [row | {"signature": signature} for row in rows]


def test_the_key_is_in_the_signature_of_everything_that_uses_it() -> None:
    hashed = f"key:{karat.key_hash(OLD)}"
    rows = [*OLD, *judged(2, "q", "r")]
    assert hashed in (karat.score(rows).scores[0].signature or "")
    assert hashed in karat.compare(rows).measures[0].signature
    assert hashed in karat.stability(rows, trials=2).measures[0].signature
    assert hashed in karat.plan(rows, difference=0.2).plans[0].signature
    assert hashed in karat.correlate(rows, rows, measures="strict_vital").signature
    doubled = [*rows, *(row | {"judge": "k"} for row in judged(2, "q", "r"))]
    assert hashed in (karat.agree(doubled).scores()[0].signature or "")
    texts = [{"query_id": query, "run_id": run, "answer": f"A red fox, {run}."} for query in "pqr" for run in "qr"]
    answers = karat.load(texts)
    assert hashed in karat.judge(OLD, answers.responses, judge="lexical").signature


def test_another_key_has_another_signature() -> None:
    old, new = (karat.score([*nugs, *judged(2, "q", "r")]).scores[0].signature for nugs in (OLD, NEW))
    (difference,) = Signature.parse(old or "").differences(Signature.parse(new or ""))
    assert (difference.key, difference.left, difference.right) == ("key", karat.key_hash(OLD), karat.key_hash(NEW))


def test_scores_of_two_keys_are_compared_with_a_note() -> None:
    rows = score_rows(VALUES)
    of_r, of_s = ([row for row in rows if row["run_id"] == run] for run in "rs")
    mixed = karat.compare([*signed(of_r, "aa"), *signed(of_s, "bb")])
    (note,) = [note for note in mixed.notes if "different keys" in note]
    assert "(key:aa for r; key:bb for s)" in note
    assert "|from:scores|key:aa+bb|" in mixed.measures[0].signature
    for same in ([*signed(of_r, "aa"), *signed(of_s, "aa")], [*signed(of_r, None), *signed(of_s, "aa")], rows):
        assert not [note for note in karat.compare(same).notes if "different keys" in note]


def test_two_sides_of_two_keys_are_correlated_with_a_note() -> None:
    rows = score_rows(VALUES)
    mixed = karat.correlate(signed(rows, "aa"), signed(rows, "bb"))
    (note,) = [note for note in mixed.notes if "different keys" in note]
    assert "(key:aa and key:bb)" in note
    assert "|key:aa/bb|" in mixed.signature
    same = karat.correlate(signed(rows, "aa"), signed(rows, "aa"))
    assert "|key:aa|" in same.signature
    for unknown in (same, karat.correlate(signed(rows, "aa"), rows)):
        assert not [note for note in unknown.notes if "different keys" in note]


def test_without_nugs_there_is_no_hash() -> None:
    with pytest.raises(UsageError, match="there is no key"):
        karat.key_hash([{"kind": "query", "query_id": "q", "text": "why?"}])
