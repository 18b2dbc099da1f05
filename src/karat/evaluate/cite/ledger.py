"""The ledger: one finding per cited text, and how many of each verdict a run has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from karat.judges.citations.support import Verdict
from karat.judges.citations.weights import Probabilities
from karat.model import CitationJudgement, SpanSet
from karat.model import records as model_records
from karat.model.result import Result
from karat.stats.intervals.clustered_share import clustered_share_interval
from karat.stats.intervals.unit_resampling import Coefficient

VERDICTS: tuple[Verdict, ...] = ("verbatim", "paraphrased", "partly", "absent", "misattributed", "missing")
SUPPORT: dict[Verdict, model_records.Support] = {
    "verbatim": "full", "paraphrased": "full", "partly": "partial", "absent": "none", "misattributed": "none",
    "missing": "missing",
}  # fmt: skip
"""The degree of support that a verdict stands for in citation judgements."""
WORST: tuple[Verdict, ...] = ("misattributed", "absent", "missing", "partly", "paraphrased", "verbatim")
"""The order in which findings are listed."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text says it, or comes nearest to it."""

    doc_id: str
    spans: SpanSet
    text: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What a cited document says about the text that cites it."""

    query_id: str
    run_id: str
    snippet_id: str
    nugget_id: str | None = None
    doc_id: str
    citation_id: str | None = None
    text: str
    verdict: Verdict
    probability: float
    """That people would give the verdict's degree of support (see `Probabilities`); of a misattribution: that the other
    document supports it, at least in part. A missing document is certain."""
    probabilities: Probabilities | None = None
    evidence: Evidence | None = None
    better: Evidence | None = None
    """Another document that says all of it, where the cited one says only a part."""
    why: str = ""
    people: tuple[model_records.Support, ...] = ()
    """What people said about the same citation, where they did."""

    @property
    def support(self) -> model_records.Support:
        return SUPPORT[self.verdict]

    def record(self, assessor: str) -> CitationJudgement:
        """The finding as a citation judgement, with everything that is behind it."""
        extra: dict[str, Any] = {"verdict": self.verdict, "probability": self.probability}
        if self.probabilities is not None:
            extra["probabilities"] = msgspec.to_builtins(self.probabilities)
        for name, evidence in (("evidence", self.evidence), ("better", self.better)):
            if evidence is not None:
                spans = [list(pair) for pair in evidence.spans]
                extra[name] = {"doc_id": evidence.doc_id, "spans": spans, "text": evidence.text}
        if self.why:
            extra["why"] = self.why
        return CitationJudgement(
            query_id=self.query_id, run_id=self.run_id, snippet_id=self.snippet_id, nugget_id=self.nugget_id,
            doc_id=self.doc_id, citation_id=self.citation_id, support=self.support, assessor=assessor, extra=extra,
        )  # fmt: skip


class VerdictShare(msgspec.Struct, frozen=True, kw_only=True):
    """How many cited texts of a run have a verdict; the share has an interval over other queries."""

    run_id: str
    verdict: Verdict
    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.count / self.of


class Ledger(Result, msgspec.Struct, frozen=True, kw_only=True):
    """All findings, in the order of the runs; `worst_first` sorts them."""

    findings: tuple[Finding, ...]
    shares: tuple[VerdictShare, ...]
    """Of cited sentences; nuggets have findings of their own and are not counted here."""
    agreement: Coefficient | None = None
    """Cohen's kappa of full, partial and none with people, where they judged the same citations."""
    agreed: int = 0
    """In how many citations that people judged the degree is theirs."""
    compared: int = 0
    judge: str
    notes: tuple[str, ...] = ()
    signature: str

    def records(self) -> list[CitationJudgement]:
        """The findings as records, which `karat.write` saves and all citation measures read."""
        return [finding.record(self.judge) for finding in self.findings]

    def worst_first(self) -> list[Finding]:
        """By verdict, the worst first; of one verdict the surest first. Verdicts of support: the least sure first."""

        def key(finding: Finding) -> tuple[int, float]:
            place = WORST.index(finding.verdict)
            return place, finding.probability if SUPPORT[finding.verdict] == "full" else -finding.probability

        return sorted(self.findings, key=key)


def verdict_shares(findings: Iterable[Finding]) -> list[VerdictShare]:
    """The share of each verdict among the cited sentences of each run, with 95 % intervals.

    share = citations with the verdict / citations. The citations of one response go together: the interval is that of
    a share of grouped units (`clustered_share_interval`), one group per query.
    """
    runs: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.nugget_id is None:
            runs.setdefault(finding.run_id, []).append(finding)
    shares = []
    for run_id, own in runs.items():
        sizes = Counter(finding.query_id for finding in own)
        for verdict in VERDICTS:
            marked = Counter(finding.query_id for finding in own if finding.verdict == verdict)
            interval = clustered_share_interval([marked[query_id] for query_id in sizes], [*sizes.values()])
            shares.append(
                VerdictShare(
                    run_id=run_id, verdict=verdict, count=marked.total(), of=len(own), low=interval.low,
                    high=interval.high,
                )
            )  # fmt: skip
    return shares
