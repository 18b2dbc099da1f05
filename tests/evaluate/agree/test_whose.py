"""Adjudicated records, named nugs and one named assessor in `karat agree`."""

from __future__ import annotations

from typing import Any

import pytest

from karat.evaluate.agree.agree import agree_files
from karat.model import Collection, Member, Nug, Query, Relevance, UsageError


def label(assessor: str, snippet: str, said: Any, **fields: Any) -> Relevance:
    return Relevance(query_id="q", run_id="r", snippet_id=snippet, assessor=assessor, label=said, **fields)


SAID = {"ann": "rrii", "ben": "rrri", "cid": "iiii"}
WORDS: dict[str, Any] = {"r": "relevant", "i": "irrelevant"}
LABELS = [label(name, str(at), WORDS[one]) for name, said in SAID.items() for at, one in enumerate(said)]


def test_adjudicated_records_are_nobodys_own() -> None:
    agreed = [label("ann", str(at), "relevant", adjudicated=True) for at in range(4)]
    files = {"file": Collection([*LABELS, *agreed])}
    agreement = agree_files(files)
    assert agreement.rows == agree_files({"file": Collection(LABELS)}).rows
    assert agreement.notes[0].startswith("4 adjudicated records left out")


def test_one_assessor_with_each_of_the_others() -> None:
    agreement = agree_files({"file": Collection(LABELS)}, assessor="ann")
    assert {row.pair for row in agreement.rows} == {"ann ~ ben", "ann ~ cid"}
    assert agreement.settings["assessor"] == "ann"
    with pytest.raises(UsageError, match="no rater is called 'dan'; choose from ann, ben, cid"):
        agree_files({"file": Collection(LABELS)}, assessor="dan")


def test_nugs_that_name_their_assessor_may_be_in_one_file() -> None:
    def nug(name: str, assessor: str, *members: str) -> Nug:
        return Nug(
            query_id="q",
            nug_id=name,
            descriptions=(name,),
            members=tuple(Member(nugget_id=member) for member in members),
            assessor=assessor,
        )

    nugs = [nug("1", "ann", "a", "b"), nug("2", "ann", "c"), nug("3", "ben", "a"), nug("4", "ben", "b", "c")]
    agreement = agree_files({"file": Collection(nugs)}, kind="nugs")
    assert {row.pair for row in agreement.rows} == {"ann ~ ben"}


def test_agreement_by_crossed_fields() -> None:
    queries = [
        Query(query_id=f"q{at}", text="?", conditions={"language": "ar" if at % 2 else "en", "medium": "text"})
        for at in range(4)
    ]
    labels = [
        Relevance(query_id=f"q{at}", run_id="r", snippet_id=snippet, assessor=name, label=WORDS["ri"[snippet == "2"]])
        for at in range(4)
        for name in ("ann", "ben")
        for snippet in "12"
    ]
    agreement = agree_files({"file": Collection([*queries, *labels])}, by="language,medium")
    assert list(dict.fromkeys(row.part for row in agreement.rows)) == [
        "all", "language=ar,medium=text", "language=en,medium=text",
    ]  # fmt: skip
