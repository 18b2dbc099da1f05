from __future__ import annotations

from pathlib import Path

import pytest

from karat.evaluate.cite.cite import cite_collection
from karat.formats import load
from karat.model import Citation, Collection, Document, Response, Snippet

SUPPORT = {1.0: "full", 0.5: "partial", 0.0: "none"}


@pytest.mark.real_data
def test_wice_claims_by_words(real_data: Path) -> None:
    """People's degrees for 349 claims and pages, which no curve was learned from: docs/citations.md has the figures."""
    given = load(real_data / "wice" / "entailment_retrieval" / "claim" / "dev.jsonl")
    pages = [
        Document(doc_id=page.query_id, text="\n\n".join(snippet.text for snippet in page.snippets))
        for page in given.responses
    ]
    degrees = {judgement.query_id: judgement.degree for judgement in given.judgements}
    runs = []
    for nug in given.nugs:
        cited = Citation(doc_id=nug.query_id, support=SUPPORT[degrees[nug.query_id]])  # type: ignore[index,arg-type]
        snippet = Snippet(snippet_id="1", text=nug.descriptions[0], citations=(cited,))
        runs.append(Response(query_id=nug.query_id, run_id="wice", snippets=(snippet,)))
    ledger = cite_collection(Collection([*pages, *runs]), judge="lexical")
    assert (len(ledger.findings), ledger.compared) == (349, 349)
    assert ledger.agreement is not None
    assert ledger.agreement.value is not None
    assert ledger.agreement.value > 0.3
    full = [finding.people == ("full",) for finding in ledger.findings if finding.support == "full"]
    assert sum(full) / len(full) > 0.6
