"""Votes: another occasion, and nugs that become the key later."""

from __future__ import annotations

from collections.abc import Callable

from builders.live import SCHOOLS, STORM
from builders.visitors import Visitor

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


def test_a_person_votes_again_without_seeing_the_votes_of_before(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
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


def test_after_the_adjudication_the_adjudicated_nugs_are_voted_on(visit: Callable[..., Visitor]) -> None:
    ann, ben = visit("ann"), visit("ben")
    for person in (ann, ben):
        with_nugs(person)
    ann.open("votes")
    ann.press("v", "o")
    assert set(votes(ann)) == {"g-annport", "g-annschools"}
    for person in (ann, ben):
        person.finish_steps(*BEFORE_VOTES, "votes")
    eva = visit("eva")
    page = eva.open("adjudication")
    eva.press("Control+Enter")
    page.get_by_text("The query is adjudicated.").wait_for()
    page = ann.open("votes")
    assert page.locator(".vote").count() == 2
    assert page.locator(".vote [aria-pressed=true]").count() == 0
    assert "Your 2 votes on your own nugs are kept. Reopen the step" in page.locator("#other-key").inner_text()
    page.get_by_role("button", name="Reopen it").click()
    page.get_by_text("The step is open again.").wait_for()
    ann.press("o", "o")
    later = votes(ann)
    assert len(later) == 4
    assert {later["g-annport"], later["g-annschools"]} == {"vital", "okay"}
    assert page.locator("#other-key").count() == 0
