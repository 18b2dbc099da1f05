from __future__ import annotations

import pytest

from karat.evaluate.cite.ledger import Finding, Ledger, verdict_shares
from karat.judges.citations.support import Verdict


def finding(verdict: Verdict, probability: float = 0.9, query_id: str = "q", run_id: str = "r") -> Finding:
    return Finding(
        query_id=query_id, run_id=run_id, snippet_id="1", doc_id="d", text="t", verdict=verdict, probability=probability
    )


def test_shares_count_the_citations_of_each_run() -> None:
    findings = [finding("partly"), finding("partly", query_id="q2"), finding("absent"), finding("absent", run_id="s")]
    shares = {(share.run_id, share.verdict): share for share in verdict_shares(findings)}
    assert len(shares) == 12
    assert (shares["r", "partly"].count, shares["r", "partly"].of) == (2, 3)
    assert shares["s", "absent"].share == 1
    assert all(share.low <= share.share <= share.high for share in shares.values())
    assert sum(share.share for share in shares.values()) == pytest.approx(2)


def test_the_worst_come_first_and_of_one_verdict_the_surest() -> None:
    findings = (
        finding("verbatim"), finding("paraphrased", 0.9), finding("paraphrased", 0.6), finding("absent", 0.6),
        finding("absent", 0.8), finding("misattributed", 0.7), finding("partly", 0.5), finding("missing", 1.0),
    )  # fmt: skip
    ledger = Ledger(findings=findings, shares=(), judge="lexical", signature="")
    assert [(one.verdict, one.probability) for one in ledger.worst_first()] == [
        ("misattributed", 0.7), ("absent", 0.8), ("absent", 0.6), ("missing", 1.0), ("partly", 0.5),
        ("paraphrased", 0.6), ("paraphrased", 0.9), ("verbatim", 0.9),
    ]  # fmt: skip
