"""ArgKP (key point analysis 2021): which key points an argument matches. Three CSV files per split, in one folder.

arguments_dev.csv   arg_id,argument,topic,stance
key_points_dev.csv  key_point_id,key_point,topic,stance
labels_dev.csv      arg_id,key_point_id,label
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import Distinct, open_part
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "ArgKP arguments and key points (folder or labels CSV)"
_STANCES = {"1": "pro", "-1": "con"}
_DEGREES = {"1": 1.0, "0": 0.0}
_LABELS = re.compile(r"labels_(\w+)\.csv")


def sniff_argkp(head: Head) -> bool:
    if head.is_directory:
        return any((head.source.path / f"arguments_{split}.csv").exists() for split in _splits(head.source.path))
    return head.columns(",")[:3] == ["arg_id", "key_point_id", "label"]


def read_argkp(source: Source) -> Iterator[AnyRecord]:
    """One Query per topic and stance, one Run with one Response per argument, one Nug per key point, and one Judgement
    per label.

    The query's id is made from topic and stance (`we-should-x/con`); its split is in `extra`.
    """
    if source.is_directory:
        folder, splits = source.path, _splits(source.path)
    else:
        name = _LABELS.fullmatch(source.path.name)
        if name is None or not source.path.is_file():
            source.fail(
                "must be the folder, or a labels_SPLIT.csv with the arguments and key points beside it",
                code="missing-file",
                line=0,
            )
        folder, splits = source.path.parent, [name[1]]
    if not splits:
        source.fail("the folder has no file labels_SPLIT.csv", code="missing-file", line=0)
    once, distinct = Once(source), Distinct()
    for split in splits:
        yield from _read_split(source, folder, split, once, distinct)


def _splits(folder: Path) -> list[str]:
    return sorted(name[1] for path in folder.glob("labels_*.csv") if (name := _LABELS.fullmatch(path.name)))


def _read_split(source: Source, folder: Path, split: str, once: Once, distinct: Distinct) -> Iterator[AnyRecord]:
    query_of: dict[str, str] = {}
    for row in table_rows(open_part(source, folder / f"arguments_{split}.csv"), delimiter=","):
        with row.unit():
            run_id, text = row.id("arg_id"), row.text("argument")
            query = _query(row, split)
            response = Response(
                query_id=query.query_id,
                run_id=run_id,
                snippets=(Snippet(snippet_id="1", text=text),),
                extra=row.rest(),
            )
            yield from once(query)
            for run in distinct(row.source, "arg_id", Run(run_id=run_id)):
                query_of[run_id] = query.query_id
                yield run
                yield response
    topic_of: dict[str, str] = {}
    for row in table_rows(open_part(source, folder / f"key_points_{split}.csv"), delimiter=","):
        with row.unit():
            nug_id, text = row.id("key_point_id"), row.text("key_point")
            query = _query(row, split)
            nug = Nug(query_id=query.query_id, nug_id=nug_id, descriptions=(text,), extra=row.rest())
            yield from once(query)
            for record in distinct(row.source, "key_point_id", nug):
                topic_of[nug_id] = query.query_id
                yield record
    for row in table_rows(open_part(source, folder / f"labels_{split}.csv"), delimiter=","):
        with row.unit():
            yield from distinct(row.source, "", _read_label(row, query_of, topic_of))


def _query(row: Fields, split: str) -> Query:
    topic = row.text("topic")
    given = row.text("stance").strip()
    if given not in _STANCES:
        row.bad("stance", repr(given), code="impossible-label", choices=tuple(_STANCES))
    stance = _STANCES[given]
    query_id = row.source.query_id = f"{re.sub(r'[^a-z0-9]+', '-', topic.lower()).strip('-')}/{stance}"
    return Query(query_id=query_id, text=topic, conditions={"stance": stance}, extra={"split": split})


def _read_label(row: Fields, query_of: dict[str, str], topic_of: dict[str, str]) -> Judgement:
    run_id, nug_id = row.id("arg_id"), row.id("key_point_id")
    if run_id not in query_of:
        row.bad("arg_id", f"{run_id!r} is not among the arguments", code="dangling-reference")
    query_id = row.source.query_id = query_of[run_id]
    if topic_of.get(nug_id) != query_id:
        row.bad("key_point_id", f"{nug_id!r} is not a key point of {query_id!r}", code="dangling-reference")
    degree = row.label("label", _DEGREES)
    return Judgement(
        query_id=query_id,
        run_id=run_id,
        nug_id=nug_id,
        degree=degree,
        judge=PERSON,
        status="ok" if degree is not None else "failed",
        extra=row.rest(),
    )
