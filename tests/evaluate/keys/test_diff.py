from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import karat
from builders.records import nug, vote
from karat.evaluate.keys.changes import MEANINGS, Change
from karat.evaluate.keys.diff import KeyDiff, name_changes
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness
from karat.model import Collection, Member, Nug, UsageError
from karat.reports.keys.diff import diff_data, diff_dicts, diff_tables, marked_words
from karat.reports.results.markdown import markdown_parts

FOX = nug("1", "The quick red fox jumped over the lazy dog.", importance="vital")
BRIDGE = nug("2", "Engineers found cracks in two cables of the bridge.", importance="okay")
SALT = nug("3", "Rivers carry dissolved minerals from rocks into the ocean.", importance="okay")
BOTH = nug("4", "The museum opened in 1950 and the old library burned down in 1987.", importance="vital")
OPENED = nug("5", "The museum opened in 1950.", importance="vital")
BURNED = nug("6", "The old library burned down in 1987.", importance="okay")
KEY = [FOX, BRIDGE, SALT]


def diff(old: list[Any], new: list[Any]) -> KeyDiff:
    return karat.key_diff(old, new, by="words")


def changed(old: list[Any], new: list[Any]) -> list[tuple[tuple[str, ...], list[str], list[str]]]:
    return [
        (change.kinds, [nug.nug_id for nug in change.old], [nug.nug_id for nug in change.new])
        for change in diff(old, new).changed()
    ]


def test_the_same_key_has_no_changes() -> None:
    done = diff(KEY, [*reversed(KEY)])
    assert done.counts == {"unchanged": 3}
    assert done.changed() == []
    assert done.signature.startswith(f"key-diff|old:{karat.key_hash(KEY)}|new:{karat.key_hash(KEY)}|by:lexical|")


def test_added_and_removed() -> None:
    assert changed(KEY, [FOX, BRIDGE]) == [(("removed",), ["3"], [])]
    assert changed([FOX, BRIDGE], KEY) == [(("added",), [], ["3"])]


@pytest.mark.parametrize("new_id", ["2", "20"])
@pytest.mark.parametrize(
    "text",
    ["Engineers found cracks in two bridge cables.", "In two cables of the bridge, cracks were found by engineers.",
     "engineers found cracks in two cables of the bridge"],
)  # fmt: skip
def test_reworded_under_the_same_or_another_id(new_id: str, text: str) -> None:
    new = replace(BRIDGE, nug_id=new_id, descriptions=(text,))
    assert changed(KEY, [FOX, new, SALT]) == [(("reworded",), ["2"], [new_id])]


def test_the_same_id_with_a_longer_text_is_reworded() -> None:
    longer = "Engineers found cracks in two cables of the bridge during a night inspection with ultrasound last winter."
    (change,) = diff(KEY, [FOX, replace(BRIDGE, descriptions=(longer,)), SALT]).changed()
    assert (change.kinds, change.by_id) == (("reworded",), True)
    assert change.sure < 0.9


@pytest.mark.parametrize("new_id", ["4", "40"])
@pytest.mark.parametrize(
    "text",
    ["The museum opened in 1950 and the old library burned down in 1988.",
     "The museum opened in 1950 and the old library never burned down in 1987."],
)  # fmt: skip
def test_another_number_or_a_negation_is_a_correction(new_id: str, text: str) -> None:
    new = replace(BOTH, nug_id=new_id, descriptions=(text,))
    assert changed([*KEY, BOTH], [*KEY, new]) == [(("corrected",), ["4"], [new_id])]


def test_the_same_id_for_something_else_is_removed_and_added() -> None:
    other = nug("2", "Honey never spoils.")
    assert changed(KEY, [FOX, other, SALT]) == [(("removed",), ["2"], []), (("added",), [], ["2"])]


def test_split_and_merged() -> None:
    assert changed([*KEY, BOTH], [*KEY, OPENED, BURNED]) == [(("split",), ["4"], ["5", "6"])]
    assert changed([*KEY, OPENED, BURNED], [*KEY, BOTH]) == [(("merged",), ["5", "6"], ["4"])]


def test_a_part_may_keep_the_id() -> None:
    kept = replace(OPENED, nug_id="4")
    assert changed([*KEY, BOTH], [*KEY, kept, BURNED]) == [(("split",), ["4"], ["4", "6"])]


def test_a_nug_that_is_contained_in_another_is_no_part_of_a_split() -> None:
    assert changed([*KEY, BOTH], [*KEY, BOTH, BURNED]) == [(("added",), [], ["6"])]


@pytest.mark.parametrize(
    ("kind", "change"),
    [("importance", {"importance": "vital"}), ("weight", {"weight": 2.0}), ("relevance", {"relevance": 0.5}),
     ("structure", {"parent": "1"}), ("structure", {"aggregator": "and"}), ("other", {"world_knowledge": True}),
     ("other", {"members": (Member(nugget_id="n"),)}), ("other", {"extra": {"timestamp": 3}})],
)  # fmt: skip
def test_every_field_that_counts_is_compared(kind: str, change: dict[str, Any]) -> None:
    assert changed(KEY, [FOX, replace(BRIDGE, **change), SALT]) == [((kind,), ["2"], ["2"])]


def test_one_nug_may_change_in_several_ways() -> None:
    new = replace(BRIDGE, descriptions=("Engineers found cracks in two bridge cables.",), importance="vital")
    (change,) = diff([*KEY, vote("2", "okay")], [FOX, new, SALT, vote("2", "vital")]).changed()
    assert change.kinds == ("reworded", "importance", "votes")
    assert [(field.field, field.old, field.new) for field in change.fields] == [
        ("importance", "okay", "vital"), ("votes", "ann: okay", "ann: vital"),
    ]  # fmt: skip


def test_new_ids_alone_are_no_new_structure() -> None:
    parts = [nug("w", "Both things happened.", aggregator="and"), replace(FOX, parent="w"), replace(SALT, parent="w")]
    new = [replace(each, nug_id=f"x{each.nug_id}", parent="xw" if each.parent else None) for each in parts]
    assert {kinds for kinds, _, _ in changed(parts, new)} == {("renamed",)}


def test_renumbered_nugs_are_found_by_their_texts() -> None:
    new = [replace(BRIDGE, nug_id="1"), replace(SALT, nug_id="2")]
    assert changed(KEY, new) == [(("removed",), ["1"], []), (("renamed",), ["2"], ["1"]), (("renamed",), ["3"], ["2"])]


def test_queries_and_what_moves_between_them() -> None:
    moved = replace(SALT, query_id="r", nug_id="9")
    other = nug("1", "Lava is molten rock.", query_id="r")
    assert changed([*KEY, other], [FOX, BRIDGE, moved, other]) == [(("moved",), ["3"], ["9"])]
    assert changed(KEY, [*KEY, other]) == [(("query added",), [], ["1"])]
    assert changed([*KEY, other], KEY) == [(("query removed",), ["1"], [])]
    assert [kinds for kinds, _, _ in changed(KEY, [replace(each, query_id="z") for each in KEY])] == [("moved",)] * 3


def test_of_two_nugs_with_the_same_text_each_has_one_counterpart() -> None:
    twice = [FOX, replace(FOX, nug_id="1b")]
    assert changed(twice, [FOX]) == [(("removed",), ["1b"], [])]
    assert changed([FOX], twice) == [(("added",), [], ["1b"])]


WORDS = ("fox", "bridge", "crack", "1950", "1987", "museum", "river", "not", "Tambora", "honey", "engine", "salt")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
keys = st.lists(
    st.builds(
        lambda query_id, nug_id, said, worth: nug(nug_id, *said, query_id=query_id, importance=worth),
        st.sampled_from("pq"), st.sampled_from("12345678"), st.lists(texts, min_size=1, max_size=2),
        st.sampled_from(["vital", "okay", None]),
    ),
    min_size=1, max_size=10, unique_by=lambda each: (each.query_id, each.nug_id),
)  # fmt: skip


def places(nugs: tuple[Nug, ...]) -> list[tuple[str, str]]:
    return [(each.query_id, each.nug_id) for each in nugs]


@settings(max_examples=60, deadline=None)
@given(keys, keys, st.randoms(use_true_random=False))
def test_every_nug_is_in_exactly_one_change_whatever_the_order(old: list[Nug], new: list[Nug], random: Any) -> None:
    changes, _ = name_changes(Collection(old), Collection(new), LexicalSameness())
    for side, nugs in (("old", old), ("new", new)):
        counted = Counter(itertools.chain.from_iterable(places(getattr(change, side)) for change in changes))
        assert counted == Counter(places(tuple(nugs)))
    for change in changes:
        check_shape(change)
    shuffled = [random.sample(nugs, len(nugs)) for nugs in (old, new)]
    again, _ = name_changes(Collection(shuffled[0]), Collection(shuffled[1]), LexicalSameness())
    assert again == changes
    unchanged = [change for change in changes if change.kind == "unchanged"]
    assert (karat.key_hash(old) == karat.key_hash(new)) == (len(unchanged) == len(changes))


def check_shape(change: Change) -> None:
    assert 0 <= change.sure <= 1
    assert set(change.kinds) <= set(MEANINGS)
    sizes = len(change.old), len(change.new)
    if change.kind in ("query added", "added"):
        assert sizes[0] == 0 < sizes[1]
    elif change.kind in ("query removed", "removed"):
        assert sizes[1] == 0 < sizes[0]
    elif change.kind == "split":
        assert sizes[0] == 1 < sizes[1]
    elif change.kind == "merged":
        assert sizes[1] == 1 < sizes[0]
    else:
        assert sizes == (1, 1)


def test_a_key_without_nugs_and_a_wrong_choice_are_refused() -> None:
    with pytest.raises(UsageError, match="the new key has no nugs"):
        karat.key_diff(KEY, [{"kind": "query", "query_id": "q", "text": "why?"}])
    with pytest.raises(UsageError, match="by='letters' is not one of words, meaning"):
        karat.key_diff(KEY, KEY, by="letters")
    with pytest.raises(UsageError, match="--carry: there are no judgements"):
        karat.key_diff(KEY, KEY, carry=True)


def test_the_words_that_changed_are_marked() -> None:
    assert marked_words("a red fox jumps", "a grey fox jumps high") == "a [-red-] {+grey+} fox jumps {+high+}"
    assert marked_words("same", "same") == "same"


def test_every_form_names_every_change() -> None:
    done = diff([*KEY, BOTH], [replace(FOX, importance="okay"), BRIDGE, OPENED, BURNED, nug("7", "a | b\x1b[31m")])
    tables = list(diff_tables(done))
    text = "".join(map(str, tables))
    for shown in (
        "importance vital -> okay",
        "- 4: The museum",
        "+ 5: The museum",
        "+ 6: The old",
        "- 3: Rivers",
        "+ 7: a",
    ):
        assert shown in text
    assert "\x1b" not in text + markdown_parts(tables) + diff_data(done).tsv()
    assert "a \\| b" in markdown_parts(tables)
    assert len(diff_data(done).tsv().splitlines()) == 1 + len(done.changed())
    assert len(diff_dicts(done)) == len(done.changes) == len(done.to_dicts())
