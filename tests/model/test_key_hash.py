from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import Member, Nug, Query, Vote
from karat.model.identity import key_hash, key_setting

FOX = Nug(query_id="q", nug_id="1", descriptions=("a red fox", "Vulpes vulpes"), importance="vital", weight=1.0)
SKY = Nug(query_id="q", nug_id="2", descriptions=("a blue sky",), importance="okay")
VOTE = Vote(query_id="q", nug_id="1", assessor="Ana", value="vital")


@given(st.permutations([FOX, SKY, VOTE, msgspec.structs.replace(VOTE, assessor="Bo")]), st.integers(0, 3))
def test_the_order_of_records_and_repeats_make_no_difference(records: list[Nug | Vote], repeats: int) -> None:
    hashed = key_hash([FOX, SKY, VOTE, msgspec.structs.replace(VOTE, assessor="Bo")])
    assert key_hash([*records, *records[:repeats]]) == hashed
    assert hashed is not None
    assert re.fullmatch("[0-9a-f]{16}", hashed)


@pytest.mark.parametrize(
    "change",
    [
        {"query_id": "r"}, {"nug_id": "3"}, {"descriptions": ("a red fox",)}, {"descriptions": ("a red Fox", "x")},
        {"descriptions": ("Vulpes vulpes", "a red fox")}, {"importance": "okay"}, {"importance": None}, {"weight": 2.0},
        {"weight": None}, {"relevance": 0.5}, {"relevance": 0.0}, {"members": (Member(nugget_id="n"),)},
        {"aggregator": "and"}, {"parent": "2"}, {"parent": ""}, {"world_knowledge": True}, {"assessor": "Ana"},
        {"adjudicated": True}, {"extra": {"timestamp": 3}},
    ],
)  # fmt: skip
def test_every_field_of_a_nug_that_is_read_changes_the_hash(change: dict[str, Any]) -> None:
    assert key_hash([msgspec.structs.replace(FOX, **change), SKY]) != key_hash([FOX, SKY])


@pytest.mark.parametrize(
    "change",
    [
        {"query_id": "r"}, {"nug_id": "2"}, {"assessor": "Bo"}, {"occasion": "2"}, {"value": "okay"}, {"value": 1.0},
        {"primary": True}, {"adjudicated": True},
    ],
)  # fmt: skip
def test_every_field_of_a_vote_changes_the_hash(change: dict[str, Any]) -> None:
    assert key_hash([FOX, msgspec.structs.replace(VOTE, **change)]) != key_hash([FOX, VOTE])


def test_what_nobody_reads_makes_no_difference() -> None:
    noted = msgspec.structs.replace(FOX, extra={"note": "checked", "creator": "Ana"}, weight=1, adjudicated=False)
    assert key_hash([noted, SKY, Query(query_id="q", text="why?")]) == key_hash([FOX, SKY])


def test_members_have_no_order() -> None:
    one, two = Member(nugget_id="a"), Member(nugget_id="b", degree=0.5)
    hashed = [key_hash([msgspec.structs.replace(FOX, members=members)]) for members in ((one, two), (two, one))]
    assert hashed[0] == hashed[1]


def test_without_a_key_there_is_no_hash() -> None:
    assert key_hash([]) is None
    assert key_setting([], [VOTE]) == {}
    assert key_setting([FOX], []) == {"key": key_hash([FOX])}
    assert key_hash([FOX]) != key_hash([FOX, VOTE])
