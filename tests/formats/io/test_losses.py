from __future__ import annotations

from karat.formats import Losses
from karat.formats.io.sink import carries
from karat.model import (
    AnyRecord,
    Citation,
    Document,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Query,
    Response,
    Run,
    Snippet,
    SpanSet,
    Vote,
)

NUG = Nug(query_id="q", nug_id="n", descriptions=("red fox",))


def losses_of(*records: AnyRecord, **kinds: str) -> dict[str, int]:
    """What a format that carries these kinds and fields loses."""
    losses = Losses()
    list(losses.watch(records, carries(**kinds)))
    return dict(losses.counts)


def test_carries_takes_names_separated_by_blanks() -> None:
    assert carries(nug="query_id nug_id", run="run_id") == {
        "nug": frozenset({"query_id", "nug_id"}),
        "run": frozenset({"run_id"}),
    }


def test_a_record_of_a_kind_that_is_not_written_is_counted_and_left_out() -> None:
    losses = Losses()
    vote = Vote(query_id="q", nug_id="n", assessor="ann", value="vital")
    kept = list(losses.watch([NUG, vote, vote], carries(nug="query_id nug_id descriptions")))
    assert kept == [NUG]
    assert dict(losses.counts) == {"vote": 2}


def test_a_field_that_is_not_written_is_counted_only_where_it_is_filled() -> None:
    heavy = Nug(query_id="q", nug_id="m", descriptions=("blue sky",), weight=0.0, world_knowledge=False)
    fields = "query_id nug_id descriptions"
    assert losses_of(NUG, heavy, nug=fields) == {"nug.weight": 1, "nug.world_knowledge": 1}


def test_a_default_that_is_always_written_is_no_loss() -> None:
    assert losses_of(Run(run_id="r"), run="run_id") == {}
    assert losses_of(Run(run_id="r", human=True), run="run_id") == {"run.human": 1}


def test_unknown_fields_are_written_only_where_extra_is() -> None:
    query = Query(query_id="q", text="why?", extra={"note": 1})
    assert losses_of(query, query="query_id text") == {"query.extra": 1}
    assert losses_of(query, query="query_id text extra") == {}


def test_parts_are_looked_into_and_counted_once_a_record() -> None:
    cited = Snippet(snippet_id="1", text="a", citations=(Citation(doc_id="d", time="2020"), Citation(doc_id="e")))
    response = Response(query_id="q", run_id="r", snippets=(cited, cited))
    whole = "query_id run_id snippets snippets.snippet_id snippets.text"
    assert losses_of(response, response=whole) == {
        "response.snippets.citations": 1,
        "response.snippets.citations.doc_id": 1,
        "response.snippets.citations.time": 1,
    }
    assert (
        losses_of(response, response=f"{whole} snippets.citations snippets.citations.doc_id snippets.citations.time")
        == {}
    )


def test_a_part_by_itself_is_looked_into_too() -> None:
    judgement = Judgement(
        query_id="q", run_id="r", nug_id="n", degree=0.0, judge="j", evidence=Evidence(spans=SpanSet([(0, 1)]))
    )
    assert losses_of(judgement, judgement="query_id run_id nug_id judge evidence") == {
        "judgement.degree": 1,
        "judgement.evidence.spans": 1,
    }


def test_a_member_of_full_degree_needs_no_degree() -> None:
    fields = "query_id nug_id descriptions members members.nugget_id"
    whole, half = (
        Nug(query_id="q", nug_id="n", descriptions=("a",), members=(Member(nugget_id="g", degree=degree),))
        for degree in (1.0, 0.5)
    )
    assert losses_of(whole, nug=fields) == {}
    assert losses_of(half, nug=fields) == {"nug.members.degree": 1}


def test_a_star_carries_everything() -> None:
    assert losses_of(Query(query_id="q", text="why?", template="t", extra={"a": 1}), query="*") == {}


def test_the_report_names_what_is_lost_how_often_and_why() -> None:
    losses = Losses()
    assert not losses
    assert losses.lines() == []
    for _ in range(1200):
        losses.add("vote")
    losses.add("nug.weight", "only signs can be written")
    losses.add("nug.weight", "another reason")
    assert losses
    assert losses.lines() == ["nug.weight: 2 values (only signs can be written)", "vote: 1,200 records"]


def test_what_people_say_about_their_choices_is_counted_where_a_format_cannot_hold_it() -> None:
    nugget = Nugget(
        nugget_id="b", query_id="q", run_id="r", snippet_id="1", spans=SpanSet([(0, 3)]), source="person",
        revises=("a",), revision="split", reason="too_fine", note="two facts",
    )  # fmt: skip
    document = Document(doc_id="d")
    fields = "nugget_id query_id run_id snippet_id spans source"
    assert losses_of(nugget, document, nugget=fields) == {
        "document": 1, "nugget.revises": 1, "nugget.revision": 1, "nugget.reason": 1, "nugget.note": 1,
    }  # fmt: skip
