"""REALSumm's crowd votes: is a statement in a summary? One CSV file per system, one row per worker with 16 statements.

Input.eventId,Input.summaryId,Input.qIdList,Input.summary_text,Input.statement_1,...,Answer.S10Answer,...,Answer.S9Answer
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import open_part
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "REALSumm crowd votes (folder or CSV)"
_DEGREES = {"p": 1.0, "n": 0.0}
_PADDING = "BLANK"
_STATEMENT = re.compile(r"Input\.statement_(\d+)")
_ANSWER = re.compile(r"Answer\.S\d+Answer")
_IN_QUOTES_OR_NOT = re.compile(r"[^\s\[\],'\"]+")
_KIND_FOLDER = re.compile(r"(abs|ext)_systems$")
# These two systems copy sentences, although their files are among those of the abstractive ones.
_EXTRACTIVE = frozenset({"banditsumm_out", "neusumm_out"})


def sniff_realsumm_crowd(head: Head) -> bool:
    if head.is_directory:
        return any(True for _ in _folders(head.source.path))
    names = head.columns(",")
    return {"Input.eventId", "Input.summaryId", "Input.statement_1", "Answer.S1Answer"} <= set(names)


def read_realsumm_crowd(source: Source) -> Iterator[AnyRecord]:
    """Run, Response and Nugs as they first appear, and one Judgement per vote; the assessor is the row's number.

    Workers have no ids: assessor "2" is the person of the second row of this event and system, and may be
    a different person elsewhere. Answers to the padding (`BLANK`) are not votes. Runs and nugs have the ids that the
    realsumm format gives them (`abs_bart_out` by the folder; nugs from their text), so that both can be joined.
    """
    once = Once(source)
    if not source.is_directory:
        yield from _read_votes(source, once)
        return
    paths = [path for folder in _folders(source.path) for path in sorted(folder.glob("*.csv"))]
    if not paths:
        source.fail("there is no folder ..._abs_systems or ..._ext_systems with CSV files", code="missing-file", line=0)
    for path in paths:
        yield from _read_votes(open_part(source, path), once)


def _folders(root: Path) -> Iterator[Path]:
    """The folders with votes: the given one, or those one or two levels inside it."""
    for path in (root, *sorted(root.glob("*_systems")), *sorted(root.glob("*/*_systems"))):
        if _KIND_FOLDER.search(path.resolve().name) and path.is_dir():
            yield path


def _read_votes(source: Source, once: Once) -> Iterator[AnyRecord]:
    kind = _KIND_FOLDER.search(source.path.resolve().parent.name)
    workers: Counter[tuple[str, str]] = Counter()
    texts: dict[tuple[str, str], str] = {}
    for row in table_rows(source, delimiter=","):
        with row.unit():
            query_id = source.query_id = row.id("Input.eventId")
            run_id = system = row.id("Input.summaryId")
            if kind is not None:
                run_id = f"ext_{system}" if system in _EXTRACTIVE else f"{kind[1]}_{system}"
            text = row.text("Input.summary_text")
            pair = query_id, run_id
            if pair not in texts:
                texts[pair] = text
                yield from once(Run(run_id=run_id))
                snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
                yield Response(query_id=query_id, run_id=run_id, snippets=snippets)
            elif texts[pair] != text:
                row.bad("Input.summary_text", "differs from that in an earlier row", code="conflicting-definition")
            workers[pair] += 1
            yield from _read_row(row, query_id, run_id, str(workers[pair]), once)


def _read_row(row: Fields, query_id: str, run_id: str, assessor: str, once: Once) -> Iterator[AnyRecord]:
    questions = _IN_QUOTES_OR_NOT.findall(row.optional_text("Input.qIdList") or "")
    numbers = [int(match[1]) for name in row.data if (match := _STATEMENT.fullmatch(name))]
    # A comma at the end of the header gives a column without a name.
    extra = {k: v for k, v in row.rest("").items() if not _STATEMENT.fullmatch(k) and not _ANSWER.fullmatch(k)}
    ids = ContentIds()
    for number in numbers:
        statement, answer = row.text(f"Input.statement_{number}"), f"Answer.S{number}Answer"
        if statement.strip() in ("", _PADDING):
            continue
        nug_id = ids.next(statement)
        question = {"question_id": questions[number - 1]} if number <= len(questions) else {}
        yield from once(Nug(query_id=query_id, nug_id=nug_id, descriptions=(statement,), extra=question))
        degree = row.label(answer, _DEGREES)
        yield Judgement(
            query_id=query_id,
            run_id=run_id,
            nug_id=nug_id,
            degree=degree,
            judge=PERSON,
            assessor=assessor,
            status="ok" if degree is not None else "failed",
            extra=extra,
        )
