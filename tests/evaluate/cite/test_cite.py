from __future__ import annotations

from typing import Any

import pytest

import karat
from karat.evaluate.cite.cite import cite_collection
from karat.evaluate.cite.ledger import Ledger
from karat.model import (
    Citation,
    CitationJudgement,
    Collection,
    Document,
    Nugget,
    Response,
    Snippet,
    SpanSet,
    UsageError,
)

D1 = "Engineers found cracks in two cables on Monday. The bridge, built in 1968, was closed the same day."
D2 = "The city has 40,000 people. A ferry carries 300 cars per hour across the river since Tuesday."
D3 = "Farmers sold 900 sheep at the autumn market in Leeds."
CRACKS = "Engineers found cracks in two cables on Monday."
FERRY = "A ferry carries 300 cars per hour across the river."
SHEEP = "At the autumn market in Leeds, farmers sold 900 sheep."
JAPAN = "Fish prices doubled in Japan."


def documents(*names: str) -> list[Document]:
    texts = {"d1": D1, "d2": D2, "d3": D3}
    return [Document(doc_id=name, text=texts[name]) for name in names or texts]


def answer(*cited: tuple[str, str], query_id: str = "q", run_id: str = "r", **fields: Any) -> Response:
    snippets = tuple(
        Snippet(snippet_id=str(at), text=text, citations=(Citation(doc_id=doc_id),))
        for at, (text, doc_id) in enumerate(cited, 1)
    )
    return Response(query_id=query_id, run_id=run_id, snippets=snippets, **fields)


def ledger(*records: Any) -> Ledger:
    return cite_collection(Collection(records), judge="lexical")


def verdicts(*records: Any) -> list[str]:
    return [finding.verdict for finding in ledger(*records).findings]


def test_every_verdict() -> None:
    found = ledger(
        *documents("d1", "d2"),
        answer(
            (CRACKS, "d1"), ("On Monday, engineers found two cables with cracks.", "d1"),
            ("Engineers found cracks in five cables on Monday.", "d1"), (JAPAN, "d1"), (FERRY, "d1"), (JAPAN, "d9"),
            (FERRY, "d2"),
        ),
    )  # fmt: skip
    assert [finding.verdict for finding in found.findings] == [
        "verbatim", "paraphrased", "partly", "absent", "misattributed", "missing", "verbatim",
    ]  # fmt: skip
    assert [record.support for record in found.records()] == [
        "full", "full", "partial", "none", "none", "missing", "full",
    ]  # fmt: skip
    assert all(0 <= finding.probability <= 1 for finding in found.findings)


def test_a_misattribution_names_the_document_and_its_passage() -> None:
    wrong = ledger(*documents(), answer((FERRY, "d1"), (CRACKS, "d2"))).findings[0]
    assert wrong.evidence is not None
    assert (wrong.evidence.doc_id, wrong.evidence.spans.text(D2)) == ("d2", wrong.evidence.text)
    assert wrong.evidence.text.startswith("A ferry carries")
    assert wrong.why == "d2 says it, the cited document does not"


def test_the_response_is_searched_first_then_its_list_then_the_run() -> None:
    copies = [Document(doc_id=name, text=D2) for name in ("other", "listed", "own")]
    rest = answer((CRACKS, "other"), query_id="q2")

    def found_in(*cited: tuple[str, str], **fields: Any) -> str:
        finding = ledger(*documents("d1"), *copies, answer(*cited, **fields), rest).findings[0]
        assert finding.evidence is not None
        assert finding.verdict == "misattributed"
        return finding.evidence.doc_id

    assert found_in((FERRY, "d1"), (FERRY, "own"), extra={"references": ["d1", "own", "listed"]}) == "own"
    assert found_in((FERRY, "d1"), extra={"references": ["d1", "listed"]}) == "listed"
    assert found_in((FERRY, "d1")) == "other"


def test_documents_that_only_other_runs_cite_are_not_searched() -> None:
    assert verdicts(*documents(), answer((FERRY, "d1")), answer((FERRY, "d2"), run_id="s")) == ["absent", "verbatim"]


def test_a_better_document_is_named_where_the_cited_one_has_a_part() -> None:
    half = Document(doc_id="half", text="A ferry carries cars across the river. It is blue.")
    found = ledger(*documents("d2"), half, answer((FERRY, "half"), (CRACKS, "d2")))
    assert found.findings[0].verdict == "partly"
    assert found.findings[0].better is not None
    assert found.findings[0].better.doc_id == "d2"
    assert any("another document of the run says all of it" in note for note in found.notes)


def test_a_chunk_is_checked_instead_of_the_snippet() -> None:
    text = f"{CRACKS} {JAPAN}"
    chunk = SpanSet([(0, len(CRACKS))])
    whole, part = Citation(doc_id="d1"), Citation(doc_id="d1", citation_id="c", chunk=chunk)
    cited = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text=text, citations=(whole, part)),))
    found = ledger(*documents("d1"), cited).findings
    assert [(finding.citation_id, finding.verdict) for finding in found] == [(None, "partly"), ("c", "verbatim")]


def test_nuggets_have_findings_of_their_own() -> None:
    text = f"{CRACKS} {JAPAN}"
    spans = {"n1": SpanSet([(0, len(CRACKS))]), "n2": SpanSet([(len(CRACKS) + 1, len(text))])}
    nuggets = [
        Nugget(nugget_id=name, query_id="q", run_id="r", snippet_id="1", spans=spans[name], source="person")
        for name in spans
    ]
    found = ledger(*documents("d1"), answer((text, "d1")), *nuggets)
    assert [(finding.nugget_id, finding.verdict) for finding in found.findings] == [
        (None, "partly"), ("n1", "verbatim"), ("n2", "absent"),
    ]  # fmt: skip
    assert sum(share.count for share in found.shares) == 1


def test_what_people_said_is_beside_it_and_compared() -> None:
    def said(snippet_id: str, support: Any, assessor: str = "ann") -> CitationJudgement:
        return CitationJudgement(
            query_id="q", run_id="r", snippet_id=snippet_id, doc_id="d1", support=support, assessor=assessor
        )

    found = ledger(
        *documents("d1"), answer((CRACKS, "d1"), (JAPAN, "d1"), (FERRY, "d1")),
        said("1", "full"), said("2", "none"), said("3", "partial"), said("3", "full", "lexical"),
    )  # fmt: skip
    assert [finding.people for finding in found.findings] == [("full",), ("none",), ("partial",)]
    assert (found.agreed, found.compared) == (2, 3)
    assert found.agreement is not None
    assert found.agreement.value == pytest.approx(0.5)
    assert any(note.startswith("people judged 3 citations of these: 2 agree (67%), kappa 0.50") for note in found.notes)


def test_support_inside_a_citation_counts_as_people() -> None:
    snippet = Snippet(snippet_id="1", text=CRACKS, citations=(Citation(doc_id="d1", support="partial"),))
    found = ledger(*documents("d1"), Response(query_id="q", run_id="r", snippets=(snippet,)))
    assert found.findings[0].people == ("partial",)
    assert (found.agreed, found.compared) == (0, 1)


def test_runs_without_citations_are_told_so() -> None:
    plain = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text=CRACKS),))
    with pytest.raises(UsageError, match="no snippet of these runs cites a document"):
        ledger(*documents(), plain)
    with pytest.raises(UsageError, match="there are no responses: give the runs"):
        ledger(*documents())


def test_a_nearly_right_id_gets_a_hint() -> None:
    found = ledger(*documents("d1"), answer((CRACKS, "D1.txt"), (CRACKS, "zzz"), (CRACKS, "d1#2_7")))
    assert [finding.verdict for finding in found.findings] == ["missing"] * 3
    assert "document 'D1.txt' is not at hand; did you mean 'd1'?" in found.notes
    assert "document 'd1#2_7' is not at hand; did you mean 'd1'?" in found.notes
    assert not any("zzz is not" in note for note in found.notes)


def test_texts_without_content_are_counted_in_a_note() -> None:
    found = ledger(*documents("d1"), answer((CRACKS, "d1"), ("[1]", "d1")))
    assert len(found.findings) == 1
    assert "1 cited text without a word of content left out" in found.notes


def test_intervals_from_one_query_are_explained() -> None:
    one, two = answer((CRACKS, "d1")), answer((CRACKS, "d1"), query_id="q2")
    assert any("runs with one query" in note for note in ledger(*documents("d1"), one).notes)
    assert not any("runs with one query" in note for note in ledger(*documents("d1"), one, two).notes)


def test_an_empty_document_is_missing() -> None:
    assert verdicts(Document(doc_id="d1", text=" "), answer((CRACKS, "d1"))) == ["missing"]


def test_the_verb_takes_dicts_and_its_records_can_be_scored() -> None:
    run = {
        "run_id": "a", "topic_id": "q", "topic": "why?", "references": ["d1"],
        "answer": [{"text": CRACKS, "citations": [0]}, {"text": JAPAN, "citations": [0]}],
    }  # fmt: skip
    found = karat.cite([run], [{"id": "d1", "contents": D1}], judge="lexical")
    assert str(found).splitlines()[0].split() == ["run", "verdict", "citations", "share", "95", "%", "interval"]
    assert found.to_dicts()[0]["verdict"] == "verbatim"
    scoring = karat.score([run], found.records(), measures="support_precision,support_recall,support_F")
    assert [score.value for score in scoring.of_all()] == [0.5, 0.5, 0.5]


def test_the_same_input_gives_the_same_ledger() -> None:
    records = [*documents(), answer((CRACKS, "d1"), (SHEEP, "d2"), (FERRY, "d3")), answer((SHEEP, "d3"), query_id="q2")]
    assert ledger(*records) == ledger(*records)
