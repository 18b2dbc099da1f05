from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from karat.model import Citation, Nug, Query, Record, Response, Run, Snippet
from karat.model.merging import merged
from strategies import moderately, pairs_of_a_kind, records

EMPTY: tuple[Any, ...] = (None, "", (), {})


def said(record: Record) -> list[str]:
    """The fields that may be absent and are not."""
    return [
        field.name
        for field in msgspec.structs.fields(type(record))
        if (field.default is None or field.default == () or field.name == "extra")
        and getattr(record, field.name) not in EMPTY
    ]


def without(record: Record, fields: list[str]) -> Record:
    kind = type(record)
    kept = {name: getattr(record, name) for name in record.__struct_fields__ if name not in fields}
    return kind(**kept)


@moderately
@given(records)
def test_a_record_agrees_with_itself(record: Record) -> None:
    assert merged(record, record) == (record, [])


@moderately
@given(records, st.data())
def test_two_halves_of_one_account_make_the_whole(record: Record, data: st.DataObject) -> None:
    fields = said(record)
    left = data.draw(st.lists(st.sampled_from(fields), unique=True)) if fields else []
    right = [field for field in fields if field not in left]
    assert merged(without(record, left), without(record, right)) == (record, [])


@moderately
@given(pairs_of_a_kind)
def test_a_contradiction_is_one_from_either_side_and_changes_nothing(pair: tuple[Record, Record]) -> None:
    one, other = pair
    result, differing = merged(one, other)
    assert merged(other, one)[1] == differing
    if differing:
        assert result is one


def test_what_the_first_leaves_open_the_second_fills() -> None:
    first = Query(query_id="q", text="", slots={"X": "bees"})
    second = Query(query_id="q", text="why?", template="why X?", conditions={"language": "en"})
    assert merged(first, second) == (
        Query(query_id="q", text="why?", template="why X?", slots={"X": "bees"}, conditions={"language": "en"}),
        [],
    )


def test_what_the_second_leaves_open_stays() -> None:
    full, bare = Query(query_id="q", text="why?", template="why X?"), Query(query_id="q", text="")
    assert merged(full, bare) == (full, [])


def test_every_contradiction_is_named_and_the_first_account_is_kept() -> None:
    first = Nug(query_id="q", nug_id="n", descriptions=("a",), importance="vital", weight=1.0)
    second = Nug(query_id="q", nug_id="n", descriptions=("b",), importance="okay", parent="p")
    assert merged(first, second) == (first, ["descriptions", "importance"])


def test_zero_and_false_are_said_not_left_open() -> None:
    zero = Nug(query_id="q", nug_id="n", descriptions=("a",), weight=0.0, world_knowledge=False)
    nug = Nug(query_id="q", nug_id="n", descriptions=("a",), weight=1.0, world_knowledge=True)
    assert merged(zero, nug) == (zero, ["weight", "world_knowledge"])
    assert merged(nug, zero) == (nug, ["weight", "world_knowledge"])


def test_case_and_white_space_do_not_contradict_and_the_first_spelling_is_kept() -> None:
    first = Nug(query_id="q", nug_id="n", descriptions=("Born in  Köln",))
    second = Nug(query_id="q", nug_id="n", descriptions=(" born in\nKÖLN ",))
    assert merged(first, second) == (first, [])
    assert merged(Query(query_id="q", text="WHY?"), Query(query_id="q", text="why? ")) == (
        Query(query_id="q", text="WHY?"),
        [],
    )


def test_one_account_is_enough_to_make_a_run_human() -> None:
    person, silent = Run(run_id="r", human=True), Run(run_id="r")
    assert merged(person, silent) == (person, [])
    assert merged(silent, person) == (person, [])


def test_unknown_fields_are_put_together_and_never_contradict() -> None:
    first = Run(run_id="r", extra={"note": 1, "left": [1]})
    second = Run(run_id="r", extra={"note": 2, "right": None})
    assert merged(first, second) == (Run(run_id="r", extra={"note": 1, "left": [1], "right": None}), [])


def test_a_contradiction_keeps_the_unknown_fields_of_the_second_out() -> None:
    first, second = Run(run_id="r", group="x"), Run(run_id="r", group="y", extra={"note": 2})
    assert merged(first, second) == (first, ["group"])


def test_other_snippets_contradict() -> None:
    def response(doc_id: str) -> Response:
        snippet = Snippet(snippet_id="s", text="t", citations=(Citation(doc_id=doc_id),))
        return Response(query_id="q", run_id="r", snippets=(snippet,))

    assert merged(response("d"), response("d")) == (response("d"), [])
    assert merged(response("d"), response("e")) == (response("d"), ["snippets"])


def test_further_descriptions_contradict_nothing() -> None:
    short = Nug(query_id="q", nug_id="1", descriptions=("a red fox",))
    long = Nug(query_id="q", nug_id="1", descriptions=("A red  fox", "the fox is red"))
    for one, other in ((short, long), (long, short)):
        found, differing = merged(one, other)
        assert differing == []
        assert found.descriptions == ("A red  fox", "the fox is red")
    assert merged(short, Nug(query_id="q", nug_id="1", descriptions=("blue", "a red fox")))[1] == ["descriptions"]
