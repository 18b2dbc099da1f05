"""A fixture: the small campaign of most tests, in a fresh store."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sqlalchemy import Connection

from builders.campaigns import STEPS, Material, Somebody, add_material, assign_all, cited, set_settings, the_people
from karat.campaign.campaign import Campaign
from karat.campaign.store.database import Database
from karat.model import Document, Snippet, SpanSet

STORM = "The storm hit Lisbon on Monday and closed the port."
EMOJI = "Two 🚢🚢 ships sank in the harbour."
PLAIN = "Nobody was hurt."
OTHER = "Storms have names."


@dataclass
class Small:
    """One question, answered by runs `alpha` and `beta`; ann and ben have it."""

    database: Database
    people: dict[str, Somebody]
    material: Material

    @property
    def query(self) -> int:
        return self.material.queries["q1"]

    def passage(self, text: str) -> int:
        return self.material.passages["q1", text]

    @property
    def citation(self) -> int:
        return self.material.citations["q1", "alpha", 0, 0]


def fill_small(connection: Connection) -> tuple[dict[str, Somebody], Material]:
    people = the_people(connection)
    set_settings(connection, steps=STEPS)
    storm = Snippet(
        snippet_id="alpha-0",
        text=STORM,
        origin="translation",
        citations=(
            cited("doc1", chunk=SpanSet([(0, 30)]), excerpt="ضربت العاصفة لشبونة", language="ar"),
            cited("doc2", excerpt="the port"),
        ),
    )
    material = add_material(
        connection,
        {
            "q1": {"alpha": [storm, EMOJI, PLAIN], "beta": [EMOJI, OTHER, EMOJI]},
            "q2": {"alpha": ["Cats sleep."], "beta": ["Dogs bark."]},
        },
        documents=(
            Document(doc_id="doc1", text="قالت الوكالة: ضربت العاصفة لشبونة يوم الاثنين", language="ar", title="News"),
        ),
        scopes={OTHER: 0},
    )
    assign_all(connection, material, people["ann"], people["ben"])
    return people, material


@pytest.fixture
def small(campaign: Campaign) -> Small:
    """The small campaign, filled and committed, on every kind of database."""
    with campaign.database.write() as connection:
        people, material = fill_small(connection)
    return Small(campaign.database, people, material)
