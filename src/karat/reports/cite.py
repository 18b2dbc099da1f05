"""The citation ledger in the terminal: verdicts per run, and the single findings with their passages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from karat.evaluate.cite.ledger import Evidence, Finding, Ledger
from karat.model import record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable, printable, terminal_width

LEGEND = (
    "verbatim: the same words; paraphrased: all of it in other words; partly: a part of it, or with a difference; "
    "absent: not in the document; misattributed: in another document of the run; missing: no text at hand"
)
SHARES = ("run", "verdict", "citations", "share", "95 % interval")
LONGEST = 400
"""How many characters of a text are shown in the list."""
WIDEST = 100
"""The list is not wider than this: long lines are hard to read."""
_COLUMNS = (
    "query_id", "run_id", "snippet_id", "nugget_id", "doc_id", "citation_id", "verdict", "support", "probability",
    "people", "text", "found_in", "passage", "why", "better",
)  # fmt: skip


def ledger_table(ledger: Ledger) -> TextTable:
    """One row per run and verdict."""
    rows, last = [], None
    for share in ledger.shares:
        first = share.run_id != last
        last = share.run_id
        interval = f"[{share.low:.1%}, {share.high:.1%}]"
        rows.append([share.run_id if first else "", share.verdict, f"{share.count:,}", f"{share.share:.1%}", interval])
    return TextTable(SHARES, rows, right=SHARES[2:])


def _shares(ledger: Ledger) -> DataTable:
    """One row per run and verdict, with the number of all citations of the run."""
    rows = [
        {
            "run_id": share.run_id, "verdict": share.verdict, "citations": share.count, "of": share.of,
            "share": share.share, "low": share.low, "high": share.high,
        }
        for share in ledger.shares
    ]  # fmt: skip
    return DataTable.of("shares", rows, ["run_id", "verdict", "citations", "of", "share", "low", "high"])


def _findings(findings: Iterable[Finding]) -> DataTable:
    rows = [
        {
            "query_id": finding.query_id, "run_id": finding.run_id, "snippet_id": finding.snippet_id,
            "nugget_id": finding.nugget_id, "doc_id": finding.doc_id, "citation_id": finding.citation_id,
            "verdict": finding.verdict, "support": finding.support, "probability": finding.probability,
            "people": list(finding.people), "text": finding.text,
            "found_in": None if finding.evidence is None else finding.evidence.doc_id,
            "passage": None if finding.evidence is None else finding.evidence.text, "why": finding.why,
            "better": None if finding.better is None else finding.better.doc_id,
        }
        for finding in findings
    ]  # fmt: skip
    return DataTable.of("findings", rows, _COLUMNS)


def ledger_result(ledger: Ledger, *, listed: Sequence[Finding] | None = None) -> ShownResult:
    """What `karat cite` prints; JSONL has the citation judgements. listed: the findings to list, too."""

    def parts(width: int | None) -> Iterator[TextTable | str]:
        if listed is not None:
            columns = ["verdict", "run", "query", "snippet", "cites", "says", "passage", "why"]
            rows = [_finding_row(finding) for finding in listed]
            yield TextTable(columns, rows)
        yield ledger_table(ledger)

    return ShownResult(
        parts=parts,
        tables=lambda: [*([] if listed is None else [_findings(listed)]), _shares(ledger)],
        lines=lambda: [record_to_dict(record) for record in ledger.records()],
        notes=ledger.notes,
        words=[LEGEND],
        signatures=[ledger.signature],
    )


def _finding_row(finding: Finding) -> list[str]:
    sure = "" if finding.verdict == "missing" else f" ({finding.probability:.2f})"
    passage = "" if finding.evidence is None else _passage(finding, finding.evidence)
    return [
        f"{finding.verdict}{sure}", finding.run_id, finding.query_id, finding.snippet_id, finding.doc_id,
        " ".join(finding.text.split()), " ".join(passage.split()), finding.why,
    ]  # fmt: skip


def finding_lines(findings: Sequence[Finding], *, width: int | None = None) -> Iterator[str]:
    """Each finding as a few lines: the verdict and the place, the cited text, the passage, and why."""
    width = min(width or terminal_width(), WIDEST)
    for finding in findings:
        nugget = f", nugget {finding.nugget_id}" if finding.nugget_id is not None else ""
        place = f"run {finding.run_id}, query {finding.query_id}, snippet {finding.snippet_id}{nugget}"
        sure = "" if finding.verdict == "missing" else f" ({finding.probability:.2f})"
        yield printable(f"{finding.verdict}{sure}  {place}")
        yield _labelled("says", finding.text, width)
        yield _labelled("cites", finding.doc_id, width)
        if finding.verdict != "missing":
            yield _labelled(_passage_label(finding), _passage(finding, finding.evidence), width)
        if finding.better is not None:
            yield _labelled("better", _passage(finding, finding.better), width)
        if finding.why:
            yield _labelled("why", finding.why, width)
        if finding.people:
            yield _labelled("people", ", ".join(finding.people), width)
        yield ""


def _passage_label(finding: Finding) -> str:
    return "is in" if finding.verdict == "misattributed" else "nearest" if finding.verdict == "absent" else "passage"


def _passage(finding: Finding, evidence: Evidence | None) -> str:
    if evidence is None:
        return "nothing in the document has a word of it"
    return evidence.text if evidence.doc_id == finding.doc_id else f"{evidence.doc_id}: {evidence.text}"


def _labelled(label: str, text: str, width: int) -> str:
    flat = " ".join(printable(text).split())
    if len(flat) > LONGEST:
        flat = f"{flat[: LONGEST - 3]}..."
    return textwrap.fill(
        flat, max(width, 40), initial_indent=f"  {label:<8}", subsequent_indent=" " * 10, break_on_hyphens=False
    )
