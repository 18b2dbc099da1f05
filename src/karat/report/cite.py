"""The citation ledger in the terminal: verdicts per run, and the single findings with their passages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from karat.evaluate.cite.ledger import Evidence, Finding, Ledger
from karat.report.tables import TextTable, printable, terminal_width, visible

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


def ledger_tsv(ledger: Ledger) -> str:
    """The same rows with a header."""
    lines = ["run_id\tverdict\tcitations\tof\tshare\tlow\thigh"]
    for share in ledger.shares:
        numbers = (f"{value:.4f}" for value in (share.share, share.low, share.high))
        cells = [visible(share.run_id), share.verdict, str(share.count), str(share.of), *numbers]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def findings_tsv(findings: Iterable[Finding]) -> str:
    """One row per finding, with a header; an absent value is empty."""
    lines = ["\t".join(_COLUMNS)]
    for finding in findings:
        cells = [
            finding.query_id, finding.run_id, finding.snippet_id, finding.nugget_id or "", finding.doc_id,
            finding.citation_id or "", finding.verdict, finding.support, f"{finding.probability:.4f}",
            ",".join(finding.people), finding.text, finding.evidence.doc_id if finding.evidence is not None else "",
            finding.evidence.text if finding.evidence is not None else "", finding.why,
            finding.better.doc_id if finding.better is not None else "",
        ]  # fmt: skip
        lines.append("\t".join(map(visible, cells)))
    return "\n".join(lines) + "\n"


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
