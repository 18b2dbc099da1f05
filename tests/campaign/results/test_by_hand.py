"""A tiny campaign of two assessors and an adjudicator; its export gives the numbers that are computed here by hand.

One question, two runs; nuggets are marked with brackets, degrees and weights are the adjudicated ones.

    alpha   [The storm hit Faro].      relevant     nug storm, degree 1
            [The port was closed].     relevant     nug port, degree 1
            Cats like fish and bird.   irrelevant   20 characters without white space
    beta    [The storm hit Faro].      relevant     nug storm, degree 1
            [A storm hit Faro hard].   relevant     nug storm, degree 0.5

The nug storm has relevance 1, the nug port 0.5. A nug takes 40 characters. By the definitions of White et al. 2008:

    alpha   right   1 * 1 + 0.5 * 1 = 1.5      wrong  0.5 * 1 + 20 / 40 = 1     missing  0
            precision  1.5 / 2.5 = 3/5         recall 1.5 / 1.5 = 1
    beta    right   1                          wrong  0.5 (redundant)           missing  0.5
            precision  1 / 1.5 = 2/3           recall 1 / 1.5 = 2/3

Before adjudication ann and ben differ:

    relevance of 5 snippets: ben calls the port irrelevant. 4 of 5 labels are the same.
    nuggets in letters and digits, over snippets that both marked: the storm twice, ann 15, ben only "storm hit Faro"
    12; hard 17 each. Overlap 12 + 12 + 17 = 41, difference 3 + 3 = 6: 41 / (6 / 2 + 41) = 41/44.
    votes on the adjudicated nugs: storm vital and vital, port okay and vital: 1 of 2.
    the citation of the first snippet: full and partial: 0 of 1.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

import karat
from builders.campaigns import Material, Somebody, add_material, assign_all, cited, new, saved, set_settings, the_people
from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.results.agreement import agreement
from karat.campaign.results.export import export_collection
from karat.campaign.results.sheets import sheet, to_csv
from karat.campaign.store.database import open_database
from karat.campaign.store.tables import metadata
from karat.campaign.work.payloads import (
    CitationWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.query_key import query_key
from karat.campaign.work.steps import set_step, steps_of
from karat.formats import write
from karat.model import Collection, Snippet, SpanSet

STORM, PORT, CATS = "The storm hit Faro.", "The port was closed.", "Cats like fish and bird."
HARD = "A storm hit Faro hard."


class Written:
    """The exports, written to files and loaded again, and the campaign's own results."""

    def __init__(self, folder: Path) -> None:
        database = open_database(folder)
        metadata.create_all(database.engine)
        with database.write() as connection:
            people = the_people(connection)
            set_settings(connection, steps=["relevance", "nuggets", "nugs", "citations", "votes"])
            first = Snippet(snippet_id="a", text=STORM, citations=(cited("d1"),))
            material = add_material(connection, {"q": {"alpha": [first, PORT, CATS], "beta": [STORM, HARD]}})
            assign_all(connection, material, people["ann"], people["ben"])
            annotate(connection, people, material)
            before = export_collection(connection)
            adjudicate(connection, people, material)
            vote(connection, people, material)
            after = export_collection(connection)
            self.agreement = agreement(connection)
            self.sheet = sheet(connection, "beta", measures=["precision", "recall"])
            decided = export_collection(connection, adjudicated_only=True)
        database.close()
        self.before = loaded(before, folder / "before.jsonl")
        self.after = loaded(after, folder / "after.jsonl")
        self.decided = loaded(decided, folder / "decided.jsonl")


def loaded(collection: Collection, file: Path) -> Path:
    assert write(collection, file).lines() == []
    assert karat.load(file) == collection
    return file


def annotate(connection: Connection, people: dict[str, Somebody], material: Material) -> None:
    query = material.queries["q"]
    passage = {text: material.passages["q", text] for text in (STORM, PORT, CATS, HARD)}
    for name in ("ann", "ben"):
        person, is_ann = people[name], name == "ann"
        labels = {STORM: "relevant", PORT: "relevant" if is_ann else "irrelevant", CATS: "irrelevant", HARD: "relevant"}
        works = [
            new(RelevanceWork(passage=passage[text], label=label))  # type: ignore[arg-type]
            for text, label in labels.items()
        ]
        spans = SpanSet([(0 if is_ann else 4, 18)])
        works += [
            new(NuggetWork(passage=passage[STORM], spans=spans), f"n-{name}-storm"),
            new(NuggetWork(passage=passage[HARD], spans=SpanSet([(0, 21)])), f"n-{name}-hard"),
        ]
        members = (NugMember(nugget=f"n-{name}-storm"), NugMember(nugget=f"n-{name}-hard", degree=0.5))
        works.append(new(NugWork(description="A storm hit Faro", members=members), f"g-{name}-storm"))
        support = "full" if is_ann else "partial"
        citation = material.citations["q", "alpha", 0, 0]
        works.append(new(CitationWork(citation=citation, support=support)))  # type: ignore[arg-type]
        if is_ann:
            works.append(new(NuggetWork(passage=passage[PORT], spans=SpanSet([(0, 19)])), "n-port"))
            port = NugWork(description="The port was closed", members=(NugMember(nugget="n-port"),), relevance=0.5)
            works.append(new(port, "g-port"))
        works.append(new(ReviewedWork(step="nuggets", passage=passage[CATS])))
        saved(connection, person, query, *works)
        for step in ("relevance", "nuggets", "nugs", "citations"):
            set_step(connection, person, query, person.number, step, done=True)


def adjudicate(connection: Connection, people: dict[str, Somebody], material: Material) -> None:
    """Every difference is decided for ann."""
    eva, query = people["eva"], material.queries["q"]
    start(connection, eva, query)
    for kind in ("relevance", "nugget", "nug", "citation"):
        for item in differences(connection, eva, query).items:
            if item.kind == kind and not item.agreed:
                decide(connection, eva, query, f"decide {item.item}", item.item, take=people["ann"].number)
    for step in steps_of(connection, 0):
        set_step(connection, eva, query, 0, step, done=True)


def vote(connection: Connection, people: dict[str, Somebody], material: Material) -> None:
    query = material.queries["q"]
    for name in ("ann", "ben"):
        key = query_key(connection, query, people[name].number)
        values = {"A storm hit Faro": "vital", "The port was closed": "okay" if name == "ann" else "vital"}
        votes = [new(VoteWork(nug=nug.key, value=values[nug.descriptions[0]])) for nug in key.values()]  # type: ignore[arg-type]
        saved(connection, people[name], query, *votes)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("by_hand"))


def test_scores_of_the_adjudicated_export(written: Written) -> None:
    for file in (written.decided, written.after):
        scoring = karat.score(file, measures=["precision", "recall"])
        values = {(score.run_id, score.measure): score.value for score in scoring.by_query()}
        assert values[("alpha", "precision")] == pytest.approx(3 / 5)
        assert values[("alpha", "recall")] == pytest.approx(1)
        assert values[("beta", "precision")] == pytest.approx(2 / 3)
        assert values[("beta", "recall")] == pytest.approx(2 / 3)


def test_scores_before_adjudication_are_the_mean_over_assessors(written: Written) -> None:
    """ann's alpha as above; ben's key has only the storm: alpha right 1, wrong (20 + 17) / 40, missing 0."""
    scoring = karat.score(written.before, measures=["precision", "recall"])
    values = {(score.run_id, score.measure): score.value for score in scoring.by_query()}
    assert values[("alpha", "precision")] == pytest.approx((3 / 5 + 1 / (1 + 37 / 40)) / 2)
    assert values[("beta", "recall")] == pytest.approx((2 / 3 + 1) / 2)


def test_agreement_of_the_export(written: Written) -> None:
    found = {(row.what, row.coefficient): row.value for row in karat.agree(written.before).rows}
    assert found[("relevance", "relevance_agreement")] == pytest.approx(4 / 5)
    assert found[("nuggets", "nugget_overlap")] == pytest.approx(41 / 44)
    assert found[("citations", "percent_agreement")] == pytest.approx(0)


def test_agreement_of_the_campaign_leaves_the_adjudicator_out(written: Written) -> None:
    found = {(row.what, row.coefficient): row for row in written.agreement.rows}
    assert found[("relevance", "relevance_agreement")].value == pytest.approx(4 / 5)
    assert found[("nuggets", "nugget_overlap")].value == pytest.approx(41 / 44)
    assert found[("votes", "percent_agreement")].value == pytest.approx(1 / 2)
    assert {row.pair for row in written.agreement.rows} == {"ann ~ ben"}
    worst = [(item.step, item.what, item.score) for item in written.agreement.worst]
    assert worst[0] == ("citations", "ann: full, ben: partial", 0.0)
    assert ("relevance", "ann: relevant, ben: irrelevant", 0.0) in worst
    assert ("nuggets", "ann: 16 characters, ben: 0 characters", 0.0) in worst
    assert worst[-1] == ("nuggets", "ann: 15 characters, ben: 12 characters", pytest.approx(12 / 13.5, abs=1e-4))


def test_the_sheet_of_a_run(written: Written) -> None:
    rows = [row for row in written.sheet if row[0] == "q"]
    assert rows[0] == ("q", "precision", *(pytest.approx(value) for value in (2 / 3, 2 / 3, 19 / 30, 3 / 5, 2)))
    assert rows[1] == ("q", "recall", *(pytest.approx(value) for value in (2 / 3, 1, 5 / 6, 2 / 3, 2)))
    assert to_csv(written.sheet).splitlines()[:2] == [
        "query,measure,score,best,median,worst,runs", "q,precision,0.666667,0.666667,0.633333,0.6,2",
    ]  # fmt: skip
