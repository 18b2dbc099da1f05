from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, insert

import karat
from builders.campaign_place import EMOJI, OTHER, PLAIN, STORM, Small
from builders.campaigns import add_material, alone, assign_all, cited, new, saved
from karat.campaign.results.export import export_collection, export_records
from karat.campaign.store import tables
from karat.campaign.work.annotations import encode_work
from karat.campaign.work.payloads import (
    CitationWork,
    JudgementWork,
    NuggetWork,
    NugMember,
    NugWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.steps import set_step, steps_of
from karat.campaign.work.task_data import task_data
from karat.formats import write
from karat.model import Collection, Snippet, SpanSet, UsageError


def nugget(small: Small, *pairs: tuple[int, int], text: str = STORM, **more: object) -> NuggetWork:
    return NuggetWork(passage=small.passage(text), spans=SpanSet(pairs), **more)  # type: ignore[arg-type]


def label(small: Small, text: str, value: str, **more: object) -> RelevanceWork:
    return RelevanceWork(passage=small.passage(text), label=value, **more)  # type: ignore[arg-type]


def checked(collection: Collection, folder: Path) -> Collection:
    """The collection, after it was written, read again and linted."""
    file = folder / "export.jsonl"
    assert write(collection, file).lines() == []
    assert karat.load(file) == collection
    assert [finding for finding in karat.lint(file) if finding.code in HARD] == []
    return collection


HARD = {
    "duplicate-id", "dangling-reference", "span-outside", "degree-sum", "lone-degree", "conflicting-definition",
    "contradictory-citation", "uncited-judgement", "repeated-judgement", "wrong-type", "missing-field",
}  # fmt: skip


def test_one_record_per_occurrence_in_scope(small: Small, tmp_path: Path) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(
            connection, ann, small.query,
            new(label(small, EMOJI, "relevant")), new(label(small, OTHER, "irrelevant", reason="off_question")),
            new(nugget(small, (0, 12), text=EMOJI, type="EVT"), "n-e"),
            new(NugWork(description="ships sank", members=(NugMember(nugget="n-e"),), relevance=0.5), "g-1"),
            new(ReviewedWork(step="nuggets", passage=small.passage(PLAIN))),
        )  # fmt: skip
        found = checked(export_collection(connection), tmp_path)
    assert [(each.run_id, each.snippet_id, each.label, each.redundant_with) for each in found.relevances] == [
        ("alpha", "alpha-1", "relevant", None), ("beta", "beta-0", "relevant", None),
        ("beta", "beta-2", "redundant", "beta-0"),
    ]  # fmt: skip
    assert [(each.nugget_id, each.run_id, each.snippet_id) for each in found.nuggets] == [
        ("n-e", "alpha", "alpha-1"), ("n-e.2", "beta", "beta-0"), ("n-e.3", "beta", "beta-2"),
    ]  # fmt: skip
    (nug,) = found.nugs
    assert [member.nugget_id for member in nug.members] == ["n-e", "n-e.2", "n-e.3"]
    assert (nug.assessor, nug.relevance, nug.descriptions) == ("ann", 0.5, ("ships sank",))
    assert [(each.run_id, each.snippet_id, each.step) for each in found.reviewed] == [("alpha", "alpha-2", "nuggets")]
    assert {run.run_id for run in found.runs} == {"alpha", "beta"}
    assert [document.doc_id for document in found.documents] == ["doc1"]


def test_redundant_is_about_one_run(small: Small) -> None:
    """EMOJI repeats STORM, which only alpha has: in beta it is new."""
    target = f"passage:{small.passage(STORM)}"
    with small.database.write() as connection:
        saved(
            connection, small.people["ann"], small.query, new(label(small, EMOJI, "redundant", redundant_with=target))
        )
        found = export_collection(connection)
    assert [(each.run_id, each.label, each.redundant_with) for each in found.relevances] == [
        ("alpha", "redundant", "alpha-0"), ("beta", "relevant", None), ("beta", "redundant", "beta-0"),
    ]  # fmt: skip


def test_redundant_with_a_nug_needs_another_nugget_of_it_in_the_run(small: Small) -> None:
    with small.database.write() as connection:
        saved(
            connection, small.people["ann"], small.query, new(nugget(small, (0, 9)), "n-1"),
            new(NugWork(description="storm", members=(NugMember(nugget="n-1"),)), "g-1"),
            new(label(small, EMOJI, "redundant", redundant_with="nug:g-1")),
        )  # fmt: skip
        found = export_collection(connection)
    assert [(each.run_id, each.label, each.redundant_with) for each in found.relevances] == [
        ("alpha", "redundant", "g-1"), ("beta", "relevant", None), ("beta", "redundant", "beta-0"),
    ]  # fmt: skip


def test_citations_name_the_nugget_of_their_own_response(small: Small, tmp_path: Path) -> None:
    with small.database.write() as connection:
        works = [
            new(nugget(small, (0, 20)), "n-1"),
            new(CitationWork(citation=small.citation, nugget="n-1", support="full", spans=SpanSet([(0, 9)]))),
            new(CitationWork(citation=small.citation, support="partial", note="half")),
        ]
        saved(connection, small.people["ann"], small.query, *works)
        found = checked(export_collection(connection), tmp_path)
    assert [(each.run_id, each.snippet_id, each.nugget_id, each.doc_id, each.support) for each in
            found.citation_judgements] == [
        ("alpha", "alpha-0", "n-1", "doc1", "full"), ("alpha", "alpha-0", None, "doc1", "partial"),
    ]  # fmt: skip


def test_automatic_nuggets_that_were_corrected_are_kept_beside(small: Small, tmp_path: Path) -> None:
    with small.database.write() as connection:
        for number, spans in ((71, (0, 9)), (72, (21, 30))):
            connection.execute(
                insert(tables.suggestion).values(
                    number=number, query=small.query, kind="nugget", passage=small.passage(STORM),
                    record=encode_work(nugget(small, spans, source="auto", type="EVT")), details='{"rule": "event"}',
                )
            )  # fmt: skip
        corrected = nugget(small, (0, 20), source="corrected", revises=("suggestion:71",), revision="extended")
        saved(
            connection, small.people["ann"], small.query, new(corrected, "n-1"), new(nugget(small, (31, 51)), "n-2"),
            new(RejectionWork(suggestion=72, reason="too_fine")),
        )  # fmt: skip
        found = checked(export_collection(connection), tmp_path)
    by_id = {each.nugget_id: each for each in found.nuggets}
    assert (by_id["auto-71"].source, by_id["auto-71"].assessor, by_id["auto-71"].rule) == ("auto", None, "event")
    assert (by_id["n-1"].source, by_id["n-1"].revises, by_id["n-1"].revision) == ("person", ("auto-71",), "extended")
    assert set(by_id) == {"auto-71", "n-1", "n-2"}
    assert [(each.snippet_id, each.step) for each in found.reviewed] == [("alpha-0", "nuggets")]


def test_the_same_citation_of_several_runs_is_one_question(small: Small, tmp_path: Path) -> None:
    """Both runs cite d1 for the same sentence, each under its own name; one of them cites another part of d1, too."""
    ann, part = small.people["ann"], SpanSet([(0, 4)])
    with small.database.write() as connection:
        made = add_material(
            connection,
            {
                "q3": {
                    run: [Snippet(snippet_id="1", text="Cats purr.", citations=citations)]
                    for run, citations in {
                        "gamma": (cited("d1", citation_id="g1"), cited("d1", chunk=part)),
                        "delta": (cited("d1", citation_id="x"),),
                    }.items()
                }
            },
            first=7000,
        )
        assign_all(connection, made, ann)
        data = task_data(connection, ann, made.queries["q3"], "citations")
        first = next(citation for citation in data.passages[0].citations if citation.chunk is None)
        saved(connection, ann, made.queries["q3"], new(CitationWork(citation=first.number, support="full")))
        found = checked(export_collection(connection, queries=["q3"]), tmp_path)
    assert sorted((each.run_id, each.doc_id, each.support) for each in found.citation_judgements) == [
        ("delta", "d1", "full"), ("gamma", "d1", "full"),
    ]  # fmt: skip


def two_assessors(connection: Connection, small: Small) -> None:
    for name in ("ann", "ben"):
        person = small.people[name]
        with alone(connection, person, small.query):
            saved(
                connection, person, small.query, new(nugget(small, (0, 20)), "n-1"),
                new(NugWork(description=f"storm of {name}", members=(NugMember(nugget="n-1"),)), "g-1"),
                new(VoteWork(nug="g-1", value="vital")),
            )  # fmt: skip


def test_the_same_key_of_two_assessors_gets_two_ids(small: Small, tmp_path: Path) -> None:
    with small.database.write() as connection:
        two_assessors(connection, small)
        found = checked(export_collection(connection), tmp_path)
    assert [(each.nugget_id, each.assessor) for each in found.nuggets] == [("n-1", "ann"), ("n-1-2", "ben")]
    assert [(each.nug_id, each.members[0].nugget_id) for each in found.nugs] == [("g-1", "n-1"), ("g-1-2", "n-1-2")]
    assert [(each.nug_id, each.assessor) for each in found.votes] == [("g-1", "ann"), ("g-1-2", "ben")]


def test_one_assessor_or_some_queries(small: Small) -> None:
    with small.database.write() as connection:
        two_assessors(connection, small)
        of_ben = export_collection(connection, assessor="ben")
        assert {each.assessor for each in (*of_ben.nuggets, *of_ben.nugs, *of_ben.votes)} == {"ben"}
        assert [query.query_id for query in export_collection(connection, queries=["q2"]).queries] == ["q2"]
        with pytest.raises(UsageError, match="there is no assessor 'zoe'; choose from ann, ben"):
            export_records(connection, assessor="zoe")
        with pytest.raises(UsageError, match="there is no query 'q7'"):
            export_records(connection, queries=["q7"])


def test_a_half_adjudicated_query_is_not_exported_as_adjudicated(small: Small, tmp_path: Path) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        two_assessors(connection, small)
        saved(connection, eva, small.query, new(nugget(small, (0, 9)), "n-1"))
        assert not any(each.adjudicated for each in export_collection(connection).nuggets)
        assert len(export_collection(connection, adjudicated_only=True)) == 0
        for step in steps_of(connection, 0):
            set_step(connection, eva, small.query, 0, step, done=True)
        whole = checked(export_collection(connection), tmp_path)
        decided = checked(export_collection(connection, adjudicated_only=True), tmp_path)
    assert [(each.assessor, each.adjudicated) for each in whole.nuggets] == [
        ("ann", None), ("ben", None), ("eva", True),
    ]  # fmt: skip
    assert [(each.assessor, each.adjudicated) for each in decided.nuggets] == [("eva", True)]
    assert [query.query_id for query in decided.queries] == ["q1"]
    assert {each.step for each in decided.reviewed} == {"relevance", "nuggets", "nugs", "citations", "judging"}


def test_judgements_have_their_evidence(small: Small, tmp_path: Path) -> None:
    beta = small.material.responses["q1", "beta"]
    with small.database.write() as connection:
        work = JudgementWork(
            response=beta, nug="g-1", degree=0.5, evidence=SpanSet([(0, 3)]), evidence_passage=small.passage(EMOJI)
        )
        saved(connection, small.people["ann"], small.query, new(NugWork(description="ships"), "g-1"), new(work))
        (judgement,) = checked(export_collection(connection), tmp_path).judgements
    assert (judgement.run_id, judgement.nug_id, judgement.degree, judgement.judge) == ("beta", "g-1", 0.5, "human")
    assert judgement.evidence is not None
    assert (judgement.evidence.spans, judgement.evidence.extra) == (SpanSet([(0, 3)]), {"snippet_id": "beta-0"})


@pytest.mark.parametrize("name", ["brat", "nuggetizer-bank", "csv"])
def test_other_formats_say_what_they_lose(small: Small, tmp_path: Path, name: str) -> None:
    with small.database.write() as connection:
        two_assessors(connection, small)
        of_ann = export_collection(connection, assessor="ann")
    losses = write(of_ann, tmp_path / f"export.{name}", format=name)
    assert losses.lines()
