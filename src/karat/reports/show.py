"""What is in a file -> tables: how many records of each kind, and the first records, one per line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from karat.engines.cache import CacheState
from karat.engines.job import JobState
from karat.evaluate.lint.show import FileSummary
from karat.model import (
    RECORD_TYPES,
    CitationJudgement,
    Document,
    Judgement,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Reviewed,
    Run,
    Score,
    Template,
    Vote,
    kind_of,
    record_to_dict,
)
from karat.model.identity import IDENTITY_FIELDS
from karat.model.wording import number_of
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

ID_WIDTH = 22
TEXT_WIDTH = 90
_NOT_SHOWN = ("adjudicated", "assessor", "judge", "occasion", "step", "measure", "signature")


KEPT = {
    "scores": "raw scores of a judge, one entry per query",
    "vectors": "sentences and nugs as vectors",
    "readings": "whether a sentence says a nug",
}


def cache_result(state: CacheState) -> ShownResult:
    """What a cache holds."""
    rows = [
        [kind, KEPT.get(kind, ""), f"{entries:,}", size_text(size)] for kind, (entries, size) in state.kinds.items()
    ]
    data = [
        {"kind": kind, "entries": entries, "bytes": size, "file": str(state.file)}
        for kind, (entries, size) in state.kinds.items()
    ]
    full = f"{size_text(state.file_bytes)} of at most {size_text(state.limit)}"
    return ShownResult(
        parts=lambda _: [TextTable(["kind", "what is kept", "entries", "size"], rows, right=["entries", "size"])],
        tables=lambda: [DataTable.of("cache", data, ("kind", "entries", "bytes", "file"))],
        notes=(f"file: {state.file}", f"{full}; `karat cache clear` empties it"),
    )


def job_result(state: JobState) -> ShownResult:
    """What a job has done so far."""
    about = state.about
    said = "works now" if state.is_running else "finished" if about.ended is not None else "stopped"
    command = shlex.join(["karat", *about.command]) if about.command else "(begun from Python)"
    data = {
        "folder": str(state.folder),
        "state": said,
        "chunks": about.done,
        "expected": about.expected or None,
        "kept": None if state.is_running else state.kept,
        "bytes": state.bytes,
        "begun": _time(about.begun),
        "ended": None if about.ended is None else _time(about.ended),
        "command": command,
        "engine": about.engine,
        "workers": about.workers,
        "in": about.folder,
        "karat": about.version,
    }
    rows = [[name, "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)]
            for name, value in (data | {"bytes": size_text(state.bytes)}).items() if value is not None]  # fmt: skip
    note = {
        "stopped": f"`karat job resume {state.folder}` goes on, `karat job clean {state.folder}` removes what it keeps",
        "finished": f"`karat job clean {state.folder}` removes what it keeps",
    }
    return ShownResult(
        parts=lambda _: [TextTable(["job", ""], rows)],
        tables=lambda: [DataTable.of("job", [data], tuple(data))],
        notes=(note[said],) if said in note else (),
    )


def _time(seconds: float) -> str:
    """`2026-05-01T12:30:00+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def size_text(size: int) -> str:
    """`12.3 MB`."""
    for unit, power in (("GB", 3), ("MB", 2), ("kB", 1)):
        if size >= 1000**power:
            return f"{size / 1000**power:.1f} {unit}"
    return f"{size} bytes"


def summary_tables(summary: FileSummary) -> Iterator[TextTable | str]:
    """What is in a file: its format, the number of records of each kind, and the first records; remarks are text."""
    yield f"{summary.file}: {summary.title} ({summary.format})"
    yield f"{number_of(summary.queries, 'query')}, {number_of(summary.runs, 'run')}"
    if summary.key_hash is not None:
        yield f"key:{summary.key_hash} (the hash of its nugs and votes, as in signatures)"
    if not summary.counts:
        yield "no records"
        return
    rows = [[kind_of(kind), f"{summary.counts[kind]:,}"] for kind in RECORD_TYPES if kind in summary.counts]
    yield TextTable(["kind", "records"], rows, right=["records"])
    if summary.samples:
        order = {kind: index for index, kind in enumerate(RECORD_TYPES)}
        samples = sorted(summary.samples, key=lambda record: order[type(record)])
        yield TextTable(["first of each kind", "ids", "content"], [record_row(record) for record in samples])


def summaries_result(summaries: Sequence[FileSummary]) -> ShownResult:
    """What `karat show` prints: JSON has one object per file; CSV and TSV one row per file and kind of records."""

    def files() -> list[dict[str, Any]]:
        return [
            {
                "file": summary.file, "format": summary.format, "title": summary.title, "queries": summary.queries,
                "runs": summary.runs, "key": summary.key_hash,
                "records": {kind_of(kind): summary.counts[kind] for kind in RECORD_TYPES if kind in summary.counts},
                "first": [record_to_dict(record) for record in summary.samples],
            }
            for summary in summaries
        ]  # fmt: skip

    def counts() -> DataTable:
        rows = [
            {"file": each["file"], "format": each["format"], "kind": kind, "records": number}
            for each in files()
            for kind, number in each["records"].items()
        ]
        return DataTable.of("files", rows, ["file", "format", "kind", "records"])

    return ShownResult(
        parts=lambda width: (part for summary in summaries for part in summary_tables(summary)),
        tables=lambda: [counts()],
        fields=lambda: {"files": files()},
    )


def record_row(record: Record) -> list[str]:
    """Kind, ids and content of a record."""
    names = [name for name in IDENTITY_FIELDS[type(record)] if name not in _NOT_SHOWN]
    ids = [value for name in names if (value := getattr(record, name)) is not None]
    return [kind_of(record), "  ".join(_middle(value) for value in ids), _cut(_content(record))]


def _content(record: Record) -> str:
    match record:
        case Template():
            return "; ".join(filter(None, (record.description, ", ".join(record.categories))))
        case Query():
            return record.text
        case Document():
            return "; ".join(filter(None, (record.title, record.language, record.medium, record.time, record.text)))
        case Run():
            return "; ".join(filter(None, (record.group, "a person" if record.human else "a system")))
        case Response():
            text = " ".join(snippet.text for snippet in record.snippets)
            count = len(record.snippets)
            return f"{count} snippet{'s' * (count != 1)}: {text}"
        case Nug():
            worth = record.importance or (f"weight {record.weight:g}" if record.weight is not None else "")
            return f"{worth}: {' / '.join(record.descriptions)}" if worth else " / ".join(record.descriptions)
        case Nugget():
            places = ", ".join(f"{start}-{end}" for start, end in record.spans)
            revised = f"{record.revision or 'revises'} {', '.join(record.revises)}" if record.revises else ""
            return "; ".join(filter(None, (record.type, places, revised, record.paraphrase)))
        case Vote():
            return f"{record.assessor}: {record.value}"
        case Judgement():
            degree = f"degree {record.degree:g}" if record.degree is not None else record.status
            by = f"{record.judge}, {record.assessor}" if record.assessor is not None else record.judge
            return f"{degree} ({by})"
        case Relevance():
            repeated = f" with {record.redundant_with}" if record.redundant_with is not None else ""
            return f"{record.label}{repeated} ({record.assessor})"
        case CitationJudgement():
            return f"support {record.support} ({record.assessor})"
        case Reviewed():
            return f"{record.step} ({record.assessor})"
        case Score():
            return f"{record.measure} = {'undefined' if record.value is None else format(record.value, '.6g')}"
    return ""


def _middle(text: str) -> str:
    """A long id, shortened in the middle."""
    return text if len(text) <= ID_WIDTH else f"{text[: ID_WIDTH // 2 - 1]}..{text[-ID_WIDTH // 2 + 1 :]}"


def _cut(text: str) -> str:
    flat = " ".join(text[: 4 * TEXT_WIDTH].split())
    return flat if len(flat) <= TEXT_WIDTH else f"{flat[: TEXT_WIDTH - 3]}..."
