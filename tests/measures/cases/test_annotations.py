"""Whose annotation counts: adjudicated, else each assessor's on its own and the mean, else one who is named."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from msgspec.structs import replace

from karat.evaluate.score.score import score_collection
from karat.measures.cases.adjudicated import adjudicated_first
from karat.measures.cases.annotations import Annotations
from karat.model import (
    CitationJudgement,
    Collection,
    Judgement,
    Member,
    Nug,
    Nugget,
    Record,
    Relevance,
    Response,
    Reviewed,
    Snippet,
    SpanSet,
    UsageError,
    Vote,
)

TEXT = "Ada left Rome."
ANSWER = Response(
    query_id="q",
    run_id="r",
    snippets=(Snippet(snippet_id="1", text=TEXT), Snippet(snippet_id="2", text="Bob ate fish.")),
)


def nugget(name: str, assessor: str | None, start: int = 0, *, snippet: str = "1", **fields: Any) -> Nugget:
    fields = {"source": "corrected", "run_id": "r", "type": "PER"} | fields
    return Nugget(
        nugget_id=name,
        query_id="q",
        snippet_id=snippet,
        spans=SpanSet([(start, start + 3)]),
        assessor=assessor,
        **fields,
    )


def label(snippet: str, said: Any, assessor: str = "ann", **fields: Any) -> Relevance:
    fields = {"run_id": "r"} | fields
    return Relevance(query_id="q", snippet_id=snippet, assessor=assessor, label=said, **fields)


def scores(*records: Record, measures: str = "precision(rules=2012)", **rules: Any) -> dict[str, float | None]:
    scoring = score_collection(Collection(records), measures=measures, **rules)
    return {score.measure: score.value for score in scoring.of_all()}


def sheet(name: str) -> list[Nugget]:
    return [nugget(f"{name}1", name), nugget(f"{name}2", name, 4)]


BASE = [ANSWER, label("1", "relevant"), label("2", "irrelevant"), nugget("auto", None, snippet="2", source="auto")]


def test_a_second_assessors_identical_nuggets_change_no_score() -> None:
    alone = scores(*BASE, *sheet("ann"))
    assert alone == scores(*BASE, *sheet("ann"), *sheet("ben")) == {"precision(rules=2012)": pytest.approx(2 / 3)}


def test_the_score_is_the_mean_of_the_scores_by_each_assessor() -> None:
    ben = [nugget("ben1", "ben")]
    of_ann, of_ben = (scores(*BASE, *own)["precision(rules=2012)"] for own in (sheet("ann"), ben))
    both = scores(*BASE, *sheet("ann"), *ben)["precision(rules=2012)"]
    assert both == pytest.approx((of_ann + of_ben) / 2)
    assert (of_ann, of_ben) == (pytest.approx(2 / 3), 0.5)


def test_a_note_says_so_and_one_assessor_can_be_named() -> None:
    collection = Collection([*BASE, *sheet("ann"), nugget("ben1", "ben")])
    scoring = score_collection(collection, measures="recall(rules=2012)")
    assert any("(ann, ben): each one's annotation is scored on its own" in note for note in scoring.notes)
    assert "|assessors:mean|" in str(scoring.scores[0].signature)
    named = score_collection(collection, measures="precision(rules=2012)", assessor="ben")
    assert named.of_all()[0].value == 0.5
    assert "|assessor:ben|" in str(named.scores[0].signature)
    with pytest.raises(UsageError, match="no record is by this assessor; choose from ann, ben"):
        score_collection(collection, assessor="cid")


def test_adjudicated_records_count_where_a_query_has_any() -> None:
    agreed = nugget("agreed", "cid", adjudicated=True)
    assert scores(*BASE, *sheet("ann"), *sheet("ben"), agreed) == {"precision(rules=2012)": 1.0}  # no automatic one
    notes: list[str] = []
    assert adjudicated_first([*sheet("ann"), agreed], notes) == [agreed]
    assert notes == ["adjudicated nugget records count in 1 query: 2 others left out (2 by assessors on their own)"]
    adjudicated_first([*sheet("ann"), replace(agreed, adjudicated=None, assessor=None, source="auto"), agreed], notes)
    assert notes[1].endswith("3 others left out (2 by assessors on their own, 1 by programs)")


def test_labels_of_two_assessors_are_scored_one_by_one() -> None:
    labels = [label("1", "relevant", "ben"), label("2", "relevant", "ben")]
    nuggets = [nugget("a", None, source="auto"), nugget("b", None, snippet="2", source="auto", type="LOC")]
    records = [ANSWER, *BASE[1:3], *nuggets, *labels]
    # By ann's labels 1 right, 1 wrong (F .667); by ben's 2 right (F 1).
    assert scores(*records, measures="F_value(rules=2012)") == {"F_value(rules=2012)": pytest.approx((2 / 3 + 1) / 2)}


def test_assessors_who_divide_the_work_are_one_annotation() -> None:
    divided = [label("1", "relevant", "ann"), label("2", "irrelevant", "ben")]
    annotations = Annotations(divided)
    assert [view.relevances for view in annotations.of("q")] == [divided]
    assert annotations.notes == []


def test_what_an_assessor_did_not_annotate_comes_from_the_others_in_turn() -> None:
    shared = [label("1", "relevant", "ann"), label("1", "irrelevant", "ben")]
    alone = label("2", "irrelevant", "cid")
    views = Annotations([*shared, alone]).of("q")
    assert [[one.assessor for one in view.relevances] for view in views] == [["ann", "cid"], ["ben", "cid"]]


@pytest.mark.parametrize("measure", ["precision(rules=2012)", "F_value(rules=2012)"])
def test_the_names_of_assessors_change_no_score(measure: str) -> None:
    """Different pairs of assessors labelled each snippet: whose label a view borrows must not follow the alphabet."""
    found = [nugget(name, None, snippet=at, source="auto", type=kind)
             for name, at, kind in (("a", "1", "PER"), ("b", "2", "LOC"), ("c", "3", "PER"))]  # fmt: skip
    third = replace(ANSWER, snippets=(*ANSWER.snippets, Snippet(snippet_id="3", text="Cid saw Oslo.")))
    values = set()
    for a, b, c, d in permutations(("ann", "ben", "cid", "dan")):
        labels = [
            label("1", "relevant", a), label("1", "irrelevant", b), label("2", "relevant", c),
            label("2", "irrelevant", d), label("3", "relevant", a),
        ]  # fmt: skip
        value = scores(third, *labels, *found, measures=measure)[measure]
        assert value is not None
        values.add(round(value, 12))
    assert len(values) == 1


def test_the_names_of_many_assessors_change_no_score() -> None:
    pairs = [(0, 1), (2, 3), (4, 5), (1, 2), (3, 4)]
    texts = tuple(Snippet(snippet_id=str(at), text="Ada left.") for at in range(len(pairs)))
    found = [nugget(f"n{at}", None, snippet=str(at), source="auto", type=f"T{at}") for at in range(len(pairs))]
    values = set()
    for shift in range(6):
        names = [f"p{(shift + at) % 6}" for at in range(6)]
        labels = [
            label(str(at), said, names[who])
            for at, pair in enumerate(pairs)
            for who, said in zip(pair, ("relevant", "irrelevant"), strict=True)
        ]
        value = scores(replace(ANSWER, snippets=texts), *labels, *found)["precision(rules=2012)"]
        assert value is not None
        values.add(round(value, 12))
    assert len(values) == 1
    # Of each snippet, half of the views call it relevant.
    assert values == {0.5}


def nug(name: str, assessor: str | None, *members: str) -> Nug:
    return Nug(
        query_id="q", nug_id=name, descriptions=(name,), assessor=assessor,
        members=tuple(Member(nugget_id=member) for member in members),
    )  # fmt: skip


@pytest.mark.parametrize("own", [[], sheet("ben"), [nugget("ben9", "ben", 9)]], ids=["none", "same places", "another"])
def test_the_members_of_an_assessors_nug_stay_whoever_marked_them(own: list[Nugget]) -> None:
    key = [nug("A1", "ann", "ann1"), nug("A2", "ann", "ann2"), nug("B1", "ben", "ann1", "ann2")]
    records = [ANSWER, *sheet("ann"), *own, *key]
    views = Annotations([record for record in records if isinstance(record, Nug | Nugget)]).of("q")
    assert [[each.nug_id for each in view.nugs] for view in views] == [["A1", "A2"], ["B1"]]
    ben = views[1]
    assert {member.nugget_id for member in ben.nugs[0].members} <= {each.nugget_id for each in ben.nuggets}
    spans = [each.spans for each in ben.nuggets]
    assert len(spans) == len(set(spans)), "no text is counted twice"
    # Ann's two nuggets are in two nugs (precision 1), and in Ben's eyes one of them repeats the other.
    assert scores(*records, measures="recall(charge=none)") == {"recall(charge=none)": 1.0}
    assert scores(*records, measures="recall(charge=none)", assessor="ben") == {"recall(charge=none)": 1.0}
    if own != [nugget("ben9", "ben", 9)]:
        assert scores(*records, measures="precision(charge=none)") == {"precision(charge=none)": 0.75}


def test_a_note_names_the_assessor_whose_annotation_has_no_nug() -> None:
    records = [*sheet("ann"), nugget("ben9", "ben", 9), nug("A1", "ann", "ann1")]
    (_, said) = Annotations(records).notes
    assert said.startswith("ben marked none of the nuggets that the nugs of 1 query are made of")


def test_a_nug_has_the_members_of_its_own_assessor() -> None:
    members = tuple(Member(nugget_id=name) for name in ("ann1", "ben1"))
    key = [
        Nug(query_id="q", nug_id="n", descriptions=("Ada",), members=members),
        Nug(query_id="q", nug_id="m", descriptions=("Rome",), members=(Member(nugget_id="ann2"),)),
    ]
    records = [ANSWER, *key, *sheet("ann"), nugget("ben1", "ben")]
    views = Annotations([record for record in records if isinstance(record, Nug | Nugget)]).of("q")
    assert [[nug.nug_id for nug in view.nugs] for view in views] == [["n", "m"], ["n"]]
    # Added up, the second assessor's nugget would be redundant: wrong.
    assert scores(*records, measures="precision(charge=none)") == {"precision(charge=none)": 1.0}


def test_keys_of_two_assessors_are_scored_one_by_one() -> None:
    nugs = [
        Nug(query_id="q", nug_id="a", descriptions=("Ada",), importance="vital", assessor="ann"),
        Nug(query_id="q", nug_id="b", descriptions=("Bob",), importance="vital", assessor="ben"),
        Nug(query_id="q", nug_id="c", descriptions=("fish",), importance="vital", assessor="ben"),
    ]
    judged = [
        Judgement(query_id="q", run_id="r", nug_id=name, degree=degree, judge="j")
        for name, degree in (("a", 1.0), ("b", 0.0), ("c", 1.0))
    ]
    assert scores(*nugs, *judged, measures="strict_all") == {"strict_all": 0.75}
    assert scores(*nugs, *judged, measures="strict_all", assessor="ben") == {"strict_all": 0.5}


def test_adjudicated_judgements_and_votes_replace_the_others() -> None:
    nug = Nug(query_id="q", nug_id="a", descriptions=("Ada",))
    said = [
        Judgement(query_id="q", run_id="r", nug_id="a", degree=degree, judge="j", assessor=name, adjudicated=agreed)
        for degree, name, agreed in ((0.0, "ann", None), (0.0, "ben", None), (1.0, "ann", True))
    ]
    votes = [
        Vote(query_id="q", nug_id="a", assessor=name, value=value, adjudicated=agreed)
        for name, value, agreed in (("ann", "okay", None), ("ann", "vital", True))
    ]
    assert scores(nug, *said, *votes, measures="strict_all") == {"strict_all": 1.0}
    assert scores(nug, *said, measures="strict_all", assessor="ann") == {"strict_all": 0.0}


def judged(run: str, nug_id: str, degree: float, assessor: str, **fields: Any) -> Judgement:
    fields = {"query_id": "q"} | fields
    return Judgement(run_id=run, nug_id=nug_id, degree=degree, judge="person", assessor=assessor, **fields)


def test_an_adjudicated_judgement_takes_no_other_judgement_away() -> None:
    key = [Nug(query_id=q, nug_id=n, descriptions=(n,), importance="vital") for q in ("q", "q2") for n in ("n1", "n2")]
    said = [
        judged(run, nug_id, degree, assessor, query_id=query_id)
        for query_id in ("q", "q2")
        for run, degrees in (("A", (1.0, 1.0)), ("B", (1.0, 0.0)))
        for nug_id, degree in zip(("n1", "n2"), degrees, strict=True)
        for assessor in ("ann", "ben")
    ]
    decided = judged("A", "n1", 0.0, "cid", adjudicated=True)
    scoring = score_collection(Collection([*key, *said, decided]), measures="strict_vital")
    by_cell = {(score.run_id, score.query_id): score.value for score in scoring.scores if score.query_id != "all"}
    assert by_cell == {("A", "q"): 0.5, ("A", "q2"): 1.0, ("B", "q"): 0.5, ("B", "q2"): 0.5}
    assert (
        "adjudicated judgement records count in 1 query: 2 others left out (2 by assessors on their own)"
        in scoring.notes
    )


def test_adjudicated_marks_in_a_response_replace_all_marks_in_it() -> None:
    key = [Nug(query_id="q", nug_id=name, descriptions=(name,), importance="vital") for name in ("n1", "n2")]
    said = [judged(run, name, 1.0, "ann", snippet_id="1") for run in ("A", "B") for name in ("n1", "n2")]
    decided = judged("A", "n1", 1.0, "cid", snippet_id="1", adjudicated=True)
    scoring = score_collection(Collection([*key, *said, decided]), measures="strict_vital")
    assert {score.run_id: score.value for score in scoring.of_all()} == {"A": 0.5, "B": 1.0}


def test_adjudicated_nuggets_and_labels_of_one_response_leave_other_responses_as_they_are() -> None:
    other = replace(ANSWER, run_id="s")
    of_other = [nugget("s1", "ann", run_id="s"), nugget("s2", "ben", run_id="s")]
    agreed = nugget("agreed", "cid", adjudicated=True)
    kept = adjudicated_first([*sheet("ann"), *of_other, agreed], [])
    assert kept == [*of_other, agreed]
    labels = [label("1", "relevant"), label("2", "relevant"), label("1", "irrelevant", "cid", adjudicated=True)]
    assert adjudicated_first(labels, []) == labels[1:]
    scoring = score_collection(
        Collection([ANSWER, other, *sheet("ann"), *of_other, agreed, label("1", "relevant", run_id="s"), labels[0]]),
        measures="precision(rules=2012)",
    )
    assert {score.run_id for score in scoring.of_all()} == {"r", "s"}


def test_citation_judgements_of_two_assessors_are_scored_one_by_one() -> None:
    judged = [
        CitationJudgement(query_id="q", run_id="r", snippet_id="1", doc_id=doc, support=support, assessor=name)
        for name, doc, support in (("ann", "d", "full"), ("ben", "d", "none"))
    ]
    # By ann's P = 1, R = 1/2, F = 2/3; by ben's 0. Averaged credits would give F = 1/3 (P = 1/2, R = 1/4): the same.
    values = scores(ANSWER, *judged, measures="support_precision,support_recall,support_F")
    assert values == {"support_precision": 0.5, "support_recall": 0.25, "support_F": pytest.approx(1 / 3)}


def test_automatic_nuggets_do_not_count_where_a_person_looked() -> None:
    looked = Reviewed(query_id="q", run_id="r", step="nuggets", assessor="ann")
    assert scores(*BASE, *sheet("ann"), looked) == {"precision(rules=2012)": 1.0}
    # ben looked nowhere else, so that the automatic nugget counts for ben.
    assert scores(*BASE, *sheet("ann"), *sheet("ben"), looked)["precision(rules=2012)"] == pytest.approx(
        (1 + 2 / 3) / 2
    )


def test_an_automatic_nugget_does_not_count_beside_its_correction() -> None:
    """One nug of the automatic nugget and its correction: added up, one of the two would be redundant."""
    auto = nugget("auto1", None, source="auto")
    own = nugget("own", "ann", source="person", revises=("auto1",), revision="extended")
    key = Nug(
        query_id="q",
        nug_id="n",
        descriptions=("Ada",),
        members=(Member(nugget_id="auto1"), Member(nugget_id="own")),
    )
    (view,) = Annotations([auto, own, key]).of("q")
    assert view.nuggets == [own]
    assert [member.nugget_id for nug in view.nugs for member in nug.members] == ["own"]
    assert scores(ANSWER, key, auto, own, measures="precision(charge=none)") == {"precision(charge=none)": 1.0}


def test_an_automatic_nugget_that_a_person_neither_kept_nor_revised_was_rejected() -> None:
    kept, rejected = nugget("auto1", None, source="auto"), nugget("auto2", None, 4, source="auto")
    elsewhere = nugget("auto3", None, snippet="2", source="auto")
    own = nugget("own", "ann", source="person", revises=("auto1",))
    (view,) = Annotations([kept, rejected, elsewhere, own]).of("q")
    assert view.nuggets == [elsewhere, own]
    looked = [Reviewed(query_id="q", run_id="r", snippet_id="2", step="nuggets", assessor="ann")]
    (view,) = Annotations([kept, rejected, elsewhere, own], reviewed=looked).of("q")
    assert view.nuggets == [own]


def test_of_a_nugget_and_its_parts_only_the_parts_count() -> None:
    whole = nugget("whole", "ann", source="person")
    parts = [nugget(f"part{at}", "ann", at, source="person", revises=("whole",), revision="split") for at in (0, 4)]
    of_ben = nugget("ben1", "ben", source="person", revises=("whole",))
    ann, ben = Annotations([whole, *parts, of_ben]).of("q")
    assert (ann.nuggets, ben.nuggets) == (parts, [of_ben])


def test_what_another_assessor_revised_is_still_ones_own() -> None:
    """Nobody's annotation changes by what somebody else says of it."""
    own, other = nugget("ann1", "ann", source="person"), nugget("ben1", "ben", source="person", revises=("ann1",))
    assert [view.nuggets for view in Annotations([own, other]).of("q")] == [[own], [other]]


def test_an_adjudicated_revision_counts_alone() -> None:
    agreed = nugget("agreed", "cid", source="person", revises=("ann1", "auto1"), revision="joined", adjudicated=True)
    (view,) = Annotations([nugget("auto1", None, source="auto"), *sheet("ann"), agreed]).of("q")
    assert view.nuggets == [agreed]


def test_who_looked_and_found_no_nugget_has_a_view_too() -> None:
    looked = Reviewed(query_id="q", run_id="r", step="nuggets", assessor="ben")
    ann, ben = Annotations(sheet("ann"), reviewed=[looked]).of("q")
    assert (ann.assessor, list(ann.nuggets)) == ("ann", sheet("ann"))
    assert (ben.assessor, list(ben.nuggets)) == ("ben", [])
    (only,) = Annotations(sheet("ann"), "ben", [looked]).of("q")
    assert list(only.nuggets) == []
    elsewhere = Reviewed(query_id="q", run_id="r", snippet_id="2", step="nuggets", assessor="ben")
    (one,) = Annotations(sheet("ann"), reviewed=[elsewhere]).of("q")
    assert list(one.nuggets) == sheet("ann"), "ben did not look where ann marked"
    unnamed = [nugget("x", None)]
    (one,) = Annotations(unnamed, reviewed=[looked]).of("q")
    assert one.nuggets == unnamed, "they may be ben's"


def test_judgements_of_two_citations_of_one_document_are_not_two_opinions() -> None:
    divided = [
        CitationJudgement(
            query_id="q", run_id="r", snippet_id="1", doc_id="d", citation_id=name, support="full", assessor=assessor
        )
        for name, assessor in (("c1", "ann"), ("c2", "ben"))
    ]
    assert [view.citation_judgements for view in Annotations(divided).of("q")] == [divided]
    whole = CitationJudgement(query_id="q", run_id="r", snippet_id="1", doc_id="d", support="none", assessor="ben")
    assert len(Annotations([divided[0], whole]).of("q")) == 2


def test_people_may_agree_that_there_is_no_nugget() -> None:
    agreed = Reviewed(query_id="q", step="nuggets", assessor="cid", adjudicated=True)
    assert list(Annotations(sheet("ann"), reviewed=[agreed]).of("q")[0].nuggets) == []
    assert list(Annotations(sheet("ann"), "ann", [agreed]).of("q")[0].nuggets) == sheet("ann")
    other_step = Reviewed(query_id="q", step="votes", assessor="cid", adjudicated=True)
    assert list(Annotations(sheet("ann"), reviewed=[other_step]).of("q")[0].nuggets) == sheet("ann")
    scoring = score_collection(
        Collection([*BASE, *sheet("ann"), agreed]), measures="precision(rules=2012),recall(rules=2012)"
    )
    assert [score.value for score in scoring.of_all()] == [None, None], "as an annotation without nuggets"
    assert any("undefined" in note for note in scoring.notes)
