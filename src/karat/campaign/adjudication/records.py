"""What an adjudicator's page gets: the assessors' versions of everything, side by side."""

from __future__ import annotations

import msgspec

from karat.campaign.work.payloads import DecisionWork
from karat.campaign.work.rules import Change
from karat.campaign.work.task_data import TaskPassage


class Assessor(msgspec.Struct, frozen=True, kw_only=True):
    account: int
    name: str


class Behind(msgspec.Struct, frozen=True, kw_only=True):
    """An assessor of the query who has not finished some of the steps that are adjudicated."""

    account: int
    name: str
    steps: tuple[str, ...]


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One assessor's version. `changes`: what to save into the adjudicated layer to take it, with the versions there.

    An assessor who has nothing there has changes only where something taken before must go.
    """

    account: int
    changes: tuple[Change, ...]
    absent: bool = False


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the assessors agree on, or do not."""

    item: str
    kind: str
    """relevance, nugget, nug, degree, citation or judgement"""
    passage: int | None = None
    label: str
    versions: tuple[Version, ...]
    agreed: bool
    outdated: bool = False
    """They agree, but the adjudicated layer has something else that no decision explains: open."""
    decision: DecisionWork | None = None


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """Everything, agreements included, in the order of the passages."""

    assessors: tuple[Assessor, ...]
    """Those who have worked on the query."""
    behind: tuple[Behind, ...]
    passages: tuple[TaskPassage, ...]
    items: tuple[Item, ...]
