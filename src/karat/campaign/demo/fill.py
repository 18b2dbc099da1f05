"""The demo campaign: the state that a real one is in after some days.

Two assessors (ann, ben), an adjudicator (eva) and an organiser (olga). The storm is adjudicated, the bridge is done by
both assessors and waits for the adjudicator, the visit is half done, the concert begun by one, the strike untouched.
Everything is saved the way the pages save it, so that rules and history hold.
"""

from __future__ import annotations

import secrets
from time import time

import msgspec
from sqlalchemy import Connection

from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.campaign import Campaign
from karat.campaign.demo.desk import Desk
from karat.campaign.demo.material import (
    BRIDGE,
    CHAT,
    COST,
    CRITICS,
    FERRY,
    MAYOR,
    NAMES,
    OLD_FERRY,
    ROOFS,
    ROOFS_AGAIN,
    STORM,
    TALKS,
    TOLL,
    VISIT,
    demo_records,
    pieces_of,
)
from karat.campaign.material.importing import import_records
from karat.campaign.material.settings import change_settings
from karat.campaign.people.accounts import Account, create_account
from karat.campaign.work.assignments import assign
from karat.campaign.work.payloads import (
    RejectionWork,
)
from karat.campaign.work.steps import steps_of

PEOPLE = (("olga", "organiser", ()), ("ann", "assessor", ("ar", "pt")), ("ben", "assessor", ("ar", "zh")),
          ("eva", "adjudicator", ()))  # fmt: skip
STEPS = ("relevance", "nuggets", "nugs", "citations", "votes")
DAY = 24 * 3600.0


class DemoLogin(msgspec.Struct, frozen=True):
    """A name and the password that was made for it; it is told once."""

    name: str
    role: str
    password: str


def fill_demo(campaign: Campaign, *, now: float | None = None) -> list[DemoLogin]:
    """Fill an empty campaign, and give the logins to print."""
    with campaign.database.write() as connection:
        return fill_demo_store(connection, now=now)


def fill_demo_store(connection: Connection, *, now: float | None = None) -> list[DemoLogin]:
    """The same inside the caller's transaction. Passwords are drawn at random."""
    change_settings(connection, {"title": "Demo: the news", "steps": list(STEPS)})
    import_records(connection, demo_records())
    change_settings(connection, {"steps": list(STEPS)})
    people, logins = make_people(connection)
    assign(connection)
    began = (time() if now is None else now) - 3 * DAY
    _Demo(connection, people, began).fill()
    return logins


def make_people(connection: Connection) -> tuple[dict[str, Account], list[DemoLogin]]:
    """The accounts of a demo by name, and their logins."""
    logins, people = [], {}
    for name, role, languages in PEOPLE:
        password = secrets.token_urlsafe(9)
        people[name] = create_account(connection, name, role, languages, password)
        logins.append(DemoLogin(name, role, password))
    return people, logins


class _Demo(Desk):
    def fill(self) -> None:
        self._storm()
        self._bridge()
        self._visit()
        self._concert()

    def _storm(self) -> None:
        """Done by both, adjudicated, and voted on."""
        again = f"passage:{self.passages[ROOFS]}"
        for name in ("ann", "ben"):
            is_ann = name == "ann"
            tag = name[0]
            self.save(
                name, "storm", self.label(STORM, "relevant"), self.label(FERRY, "relevant"),
                self.label(ROOFS, "relevant"), self.label(ROOFS_AGAIN, "redundant", redundant_with=again),
                self.label(NAMES, "irrelevant", reason="off_question"),
                self.label(MAYOR, "relevant") if is_ann else self.label(
                    MAYOR, "irrelevant", reason="off_question", note="a promise is no fact about the storm"
                ),
            )  # fmt: skip
            first = f"suggestion:{self.suggestions['auto2']}"
            ferries = f"suggestion:{self.suggestions['auto3']}"
            self.save(
                name, "storm",
                self.nugget(f"n-{tag}struck", STORM, "The storm Ines struck Porto Azul", type="EVT",
                            category="subevent/execution/manner"),
                self.nugget(f"n-{tag}when", STORM, "on Monday night", type="TMP", category="time", source="corrected",
                            revises=(first,), revision="extended"),
                self.nugget(f"n-{tag}closed", STORM, "The storm Ines", "closed the harbour", type="EVT",
                            category="consequence/reaction/significance"),
                self.nugget(f"n-{tag}days", STORM, "for two days" if is_ann else "two days", type="TMP"),
                self.nugget(f"n-{tag}sank", FERRY, "Two ferries", "sank", type="EVT", source="corrected",
                            revises=(ferries,), revision="shrunk"),
                self.nugget(f"n-{tag}roofs", ROOFS, "The wind tore the roofs off", "houses", type="EVT"),
                self.nugget(f"n-{tag}forty", ROOFS, "40", type="NUM"),
                self.nugget(f"n-{tag}again", ROOFS_AGAIN, "houses lost their roofs", type="EVT"),
                self.reviewed("nuggets", NAMES),
                *([self.nugget("n-amayor", MAYOR, "the harbour would be repaired by May", type="STM")]
                  if is_ann else []),
                RejectionWork(suggestion=self.suggestions["auto1"], reason="granularity"),
            )  # fmt: skip
            self.save(
                name, "storm",
                self.nug(f"g-{tag}struck", "A storm struck Porto Azul", f"n-{tag}struck"),
                self.nug(f"g-{tag}when", "It came on Monday night", f"n-{tag}when"),
                self.nug(f"g-{tag}closed", "The harbour was closed", f"n-{tag}closed"),
                self.nug(f"g-{tag}days", "The harbour was closed for two days", f"n-{tag}days", relevance=0.8),
                self.nug(f"g-{tag}sank", "Two ferries sank", f"n-{tag}sank"),
                self.nug(f"g-{tag}roofs", "Houses lost their roofs", f"n-{tag}roofs", f"n-{tag}again@0.8"),
                self.nug(f"g-{tag}forty", "40 houses were hit", f"n-{tag}forty", relevance=0.6 if is_ann else 0.9),
                *([self.nug("g-amayor", "The harbour will be repaired by May", "n-amayor", relevance=0.4)]
                  if is_ann else []),
            )  # fmt: skip
            self.check_all(name, "storm", **({} if is_ann else {"bwhen": "partial"}))
            self.done(name, "storm", "relevance", "nuggets", "nugs", "citations", seconds=410.0 if is_ann else 380.0)
        self._adjudicate("storm")
        self.vote_all("ann", "storm", ("vital", "vital", "okay"))
        self.vote_all("ben", "storm", ("vital", "okay", "okay"))
        self.done("ann", "storm", "votes", seconds=35.0)
        self.done("ben", "storm", "votes", seconds=28.0)

    def _adjudicate(self, query_id: str) -> None:
        """Agreements are taken over; of each difference the first version of an assessor who has one is taken."""
        eva, number = self.people["eva"], self.queries[query_id]
        start(self.connection, eva, number, now=self.moment())
        for kind in ("relevance", "nugget", "nug", "degree", "citation"):
            for item in differences(self.connection, eva, number).items:
                if item.kind != kind or item.agreed or item.decision is not None:
                    continue
                have = [version.account for version in item.versions if not version.absent]
                moment = self.moment()
                decide(
                    self.connection, eva, number, f"demo-{moment:.0f}", item.item, take=have[0],
                    reason="the fuller extent" if kind == "nugget" else "after looking at both", now=moment,
                )  # fmt: skip
        self.done("eva", query_id, *steps_of(self.connection, 0), seconds=300.0)

    def _bridge(self) -> None:
        """Done by both, with differences for the adjudicator."""
        for name in ("ann", "ben"):
            is_ann, tag = name == "ann", name[0]
            self.save(
                name, "bridge", self.label(BRIDGE, "relevant"), self.label(COST, "relevant"),
                self.label(TOLL, "relevant") if is_ann else self.label(TOLL, "irrelevant", reason="off_question"),
                self.label(OLD_FERRY, "irrelevant", reason="off_question"),
                self.label(CRITICS, "irrelevant" if is_ann else "relevant", **({"reason": "other"} if is_ann else {})),
            )  # fmt: skip
            self.save(
                name, "bridge",
                self.nugget(f"n-{tag}open", BRIDGE, "The Harbin bridge was opened", type="EVT"),
                self.nugget(f"n-{tag}date", BRIDGE, "on 3 March" if is_ann else "3 March", type="TMP"),
                self.nugget(f"n-{tag}title", BRIDGE, "Governor Li Wen", type="TITLE" if is_ann else "PER"),
                self.nugget(f"n-{tag}cost", COST, "It cost 90 million euros", type="EVT"),
                *([self.nugget("n-atwice", COST, "twice as much as planned", type="MOD"),
                   self.nugget("n-atoll", TOLL, "Drivers pay a toll of 2 euros", type="EVT")] if is_ann else
                  [self.nugget("n-bcritics", CRITICS, "Critics say that the bridge was not needed", type="STM")]),
            )  # fmt: skip
            opened = [self.nug(f"g-{tag}open", "The bridge was opened", f"n-{tag}open")]
            if is_ann:
                opened += [self.nug("g-adate", "It was opened on 3 March", "n-adate"),
                           self.nug("g-atitle", "Li Wen is governor", "n-atitle", relevance=0.5)]  # fmt: skip
            else:
                opened += [self.nug("g-bdate", "Li Wen opened it on 3 March", "n-bdate@0.5", "n-btitle@0.5")]
            rest = [self.nug(f"g-{tag}cost", "It cost 90 million euros", f"n-{tag}cost",
                             *(["n-atwice@0.7"] if is_ann else []))]  # fmt: skip
            rest += [self.nug("g-atoll", "There is a toll", "n-atoll")] if is_ann else [
                self.nug("g-bcritics", "Some say it was not needed", "n-bcritics", relevance=0.3)]  # fmt: skip
            self.save(name, "bridge", *opened, *rest)
            self.check_all(name, "bridge", **({} if is_ann else {"bcost": "partial"}))
            self.done(name, "bridge", "relevance", "nuggets", "nugs", "citations", seconds=330.0)
            self.vote_all(name, "bridge", ("vital", "okay") if is_ann else ("vital", "okay", "vital"))
            self.done(name, "bridge", "votes", seconds=30.0)

    def _visit(self) -> None:
        """Ann is at the nugs, ben at the nuggets."""
        for name in ("ann", "ben"):
            tag = name[0]
            self.save(name, "visit", self.label(VISIT, "relevant"), self.label(TALKS, "relevant"))
            self.done(name, "visit", "relevance", seconds=95.0)
            self.save(
                name, "visit",
                self.nugget(
                    f"n-{tag}visit", VISIT, "Foreign Minister Amal Nasser (أمل ناصر) visited Tunis", type="EVT"
                ),
                self.nugget(f"n-{tag}name", VISIT, "أمل ناصر", type="PER"),
            )  # fmt: skip
        self.save("ann", "visit", self.nugget("n-aagreed", TALKS, "They", "agreed to meet again", type="EVT"))
        self.done("ann", "visit", "nuggets", seconds=180.0)
        self.save("ann", "visit", self.nug("g-avisit", "Nasser visited Tunis", "n-avisit"))

    def _concert(self) -> None:
        """Begun by ben."""
        self.save("ben", "concert", self.label(CHAT, "relevant", text_spans=pieces_of(CHAT, "the concert", "2am")))
