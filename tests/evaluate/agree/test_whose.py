"""Whose annotation counts in `karat agree`: adjudicated records, named nugs, revised nuggets, judged citations."""

from __future__ import annotations

from typing import Any

import pytest

from karat.evaluate.agree.agree import agree_files
from karat.model import (
    CitationJudgement,
    Collection,
    Member,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Snippet,
    SpanSet,
    UsageError,
)


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


TEXT = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text="aaaa bbbb cccc"),))


def values(records: list[Record], kind: Any) -> dict[str, float | None]:
    agreement = agree_files({"file": Collection(records)}, kind=kind)
    return {row.coefficient: row.value for row in agreement.rows}


def test_agreement_on_the_relevant_text_of_a_snippet() -> None:
    """Both mark the first word, ben also the second: overlap 4, difference 4; 4 / (4 + 4 / 2)."""
    said = [label("ann", "1", "relevant", text_spans=SpanSet([(0, 4)]))]
    said += [label("ben", "1", "relevant", text_spans=SpanSet([(0, 9)]))]
    assert values([TEXT, *said], "relevant_text")["text_overlap"] == pytest.approx(4 / 6)
    whole = [label("ann", "1", "relevant"), label("ben", "1", "relevant", text_spans=SpanSet([(0, 14)]))]
    assert values([TEXT, *whole], "relevant_text")["text_overlap"] == 1.0
    with pytest.raises(UsageError, match="relevant_text: none"):
        values([TEXT, *(label(name, "1", "relevant") for name in ("ann", "ben"))], "relevant_text")


def test_two_citations_of_one_document_are_two_things_to_agree_on() -> None:
    def judged(assessor: str, citation_id: str | None, support: Any) -> Record:
        return CitationJudgement(
            query_id="q", run_id="r", snippet_id="1", doc_id="d", citation_id=citation_id, support=support,
            assessor=assessor,
        )  # fmt: skip

    said = [judged("ann", "c1", "full"), judged("ann", "c2", "none"), judged("ben", "c1", "full")]
    assert values([*said, judged("ben", "c2", "full")], "citations")["percent_agreement"] == 0.5
    assert values([said[0], judged("ben", None, "full")], "citations")["percent_agreement"] == 1.0


def own_nugget(name: str, assessor: str | None, start: int, **fields: Any) -> Nugget:
    fields = {"source": "person"} | fields
    return Nugget(
        nugget_id=name, query_id="q", run_id="r", snippet_id="1", spans=SpanSet([(start, start + 4)]),
        assessor=assessor, **fields,
    )  # fmt: skip


def test_nuggets_that_their_own_assessor_revised_are_no_longer_the_assessors() -> None:
    """ann moved the nugget to where ben has one; both revised the automatic one, which is still the program's."""
    records = [
        TEXT,
        own_nugget("auto", None, 0, source="auto"),
        own_nugget("ann1", "ann", 5, revises=("auto",)),
        own_nugget("ann2", "ann", 10, revises=("ann1",)),
        own_nugget("ben1", "ben", 10, revises=("auto",)),
    ]
    files = {"file": Collection(records)}
    pairs = agree_files(files, kind="nuggets", pairs=True, with_programs=True).rows
    exact = {row.pair: row.value for row in pairs if row.coefficient == "span_f1(match=exact)"}
    assert exact["ann ~ ben"] == 1.0
    assert exact["auto ~ ann"] == 0.0


def test_programs_are_no_raters_unless_asked() -> None:
    """ann and ben agree; a program that marked another word does not lower that."""
    records = [
        TEXT, own_nugget("auto", None, 0, source="auto"), own_nugget("ann1", "ann", 5, source="auto"),
        own_nugget("ben1", "ben", 5),
    ]  # fmt: skip
    files = {"file": Collection(records)}
    people, everybody = (agree_files(files, kind="nuggets", with_programs=with_) for with_ in (False, True))
    assert {(row.pair, row.raters) for row in people.rows} == {("ann ~ ben", 2)}
    assert {row.value for row in people.rows if row.coefficient == "span_f1(match=exact)"} == {1.0}
    assert people.notes[0] == (
        "1 nugget of programs left out: agreement is between people; --with-programs counts programs as raters"
    )
    assert {row.raters for row in everybody.rows} == {3}
    assert not any("programs" in note for note in everybody.notes)
    with pytest.raises(UsageError, match=r"only by ann(.|\n)*--with-programs counts programs as raters"):
        agree_files({"file": Collection(records[:3])}, kind="nuggets")


def test_classes_of_each_assessors_own_nuggets_are_compared_by_their_places() -> None:
    """ann puts the first two words together, ben the last two."""
    nuggets = [own_nugget(f"{name}{at}", name, 5 * at) for name in ("ann", "ben") for at in range(3)]
    groups = {"ann": [("ann0", "ann1"), ("ann2",)], "ben": [("ben0",), ("ben1", "ben2")]}
    nugs = [
        Nug(
            query_id="q",
            nug_id=f"{name}-{at}",
            descriptions=("x",),
            members=tuple(Member(nugget_id=member) for member in members),
            assessor=name,
        )
        for name, of_name in groups.items()
        for at, members in enumerate(of_name)
    ]
    agreement = agree_files({"file": Collection([TEXT, *nuggets, *nugs])}, kind="nugs")
    found = {row.coefficient: (row.value, row.units) for row in agreement.rows}
    # Precision is (1/2 + 1/2 + 1) / 3, recall (1 + 1/2 + 1/2) / 3.
    assert found["b_cubed_f"] == (pytest.approx(2 / 3), 3)
