"""Votes: another occasion, and nugs that become the key later."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import delete

from builders.live import SCHOOLS, STORM, Live
from builders.visitors import Visitor
from karat.campaign.store import tables

BEFORE_VOTES = ("relevance", "nuggets", "nugs", "citations", "judging")


def with_nugs(visitor: Visitor) -> None:
    name = visitor.name
    visitor.change(
        visitor.mark(f"n-{name}port", STORM, "closed the port"),
        visitor.mark(f"n-{name}schools", SCHOOLS, "Schools stayed closed in Lisbon"),
    )
    visitor.change(
        *(
            (f"g-{name}{each}", {"kind": "nug", "description": each, "members": [{"nugget": f"n-{name}{each}"}]})
            for each in ("port", "schools")
        )
    )


def votes(visitor: Visitor) -> dict[str, str]:
    visitor.settled()
    return {each["key"]: each["record"]["value"] for each in visitor.saved("vote", "votes")}


def test_a_person_votes_again_without_seeing_the_votes_of_before(visit: Callable[..., Visitor], live: Live) -> None:
    ann = visit("ann")
    with live.workbench.campaign.database.write() as connection:
        # Who has a query alone votes on the own nugs.
        ben = live.workbench.accounts["ben"]
        connection.execute(delete(tables.assignment).where(tables.assignment.c.account == ben))
    with_nugs(ann)
    page = ann.open("votes")
    assert page.locator("#vote-again").is_disabled()
    ann.press("v", "v")
    page.locator("#vote-again").click()
    assert page.locator(".vote [aria-pressed=true]").count() == 0
    ann.press("o", "v")
    assert votes(ann) == {
        "g-annport": "vital", "g-annschools": "vital", "g-annport:2": "okay", "g-annschools:2": "vital",
    }  # fmt: skip
    ann.open("votes")
    assert page.get_by_role("button", name="Occasion 2").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="First").click()
    assert page.locator("#vote-0-vital").get_attribute("aria-pressed") == "true"


def test_votes_open_with_the_adjudicated_nugs(visit: Callable[..., Visitor]) -> None:
    ann, ben = visit("ann"), visit("ben")
    for person in (ann, ben):
        with_nugs(person)
        person.finish_steps(*BEFORE_VOTES)
    page = ann.open("votes")
    assert page.locator("#read-only").inner_text() == "Votes open when eva has adjudicated this query."
    assert page.locator(".vote").count() == 0
    page.goto("/")
    page.get_by_text("waits for adjudication, then votes").wait_for()
    eva = visit("eva")
    page = eva.open("adjudication")
    eva.press("Control+Enter")
    page.locator(".finish .success").wait_for()
    page = ann.page
    page.goto("/")
    page.get_by_text("adjudicated since: votes to do").wait_for()
    page = ann.open("votes")
    assert page.locator(".vote").count() == 2
    ann.press("o", "v")
    assert sorted(votes(ann).values()) == ["okay", "vital"]
    page.locator("#finish.primary").wait_for()
