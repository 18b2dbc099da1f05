"""Lightweight pyramids: one line per document with its SCUs between tabs; labels may be in files beside it.

SCUs.txt            Bees dance.<TAB>Bees hum.
ids.txt             the documents' ids, one per line (without it: their numbers from 1)
labels/run.label    1<TAB>0, or run.label beside SCUs.txt: which of them are in the run's summary
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug, Run
from karat.model.default_names import GIVEN

TITLE = "lightweight pyramid (tab-separated SCUs)"
SCU_FILES = ("SCUs.txt", "scus.txt", "SCUs.tsv")
_DEGREES: dict[str, float] = {"0": 0.0, "1": 1.0}


def sniff_pyramid_lite(head: Head) -> bool:
    """Recognised by its name, because any tab-separated table looks the same. A folder with documents is a data set."""
    path = head.source.path
    if head.is_directory:
        return _scu_file(path) is not None and not (path / "documents.txt").exists()
    return path.name.removesuffix(".gz").lower() in {name.lower() for name in SCU_FILES} and "\t" in head.text


def read_pyramid_lite(source: Source) -> Iterator[AnyRecord]:
    """One Nug per SCU; in a folder also one Run per label file and one Judgement per label."""
    units, labels = source, list[Path]()
    if source.is_directory:
        path = _scu_file(source.path)
        if path is None:
            source.fail(f"the folder has none of the files {', '.join(SCU_FILES)}", code="missing-file", line=0)
        units = Source(path)
        labels = sorted([*source.path.glob("*.label"), *source.path.glob("labels/*.label")])
    ids = _ids(source, units)
    nugs: list[tuple[str, list[str]]] = []
    for line in units.text_lines():
        query_id = ids[len(nugs)] if len(nugs) < len(ids) else str(len(nugs) + 1)
        units.query_id = query_id
        if ids and len(nugs) >= len(ids):
            units.report(
                "", f"ids.txt has only {len(ids)} ids, so this line gets the id {query_id}", code="dangling-reference"
            )
        content_ids = ContentIds()
        nugs.append((query_id, []))
        for text in line.split("\t"):
            if not text.strip():
                continue
            nug = Nug(query_id=query_id, nug_id=content_ids.next(text.strip()), descriptions=(text.strip(),))
            nugs[-1][1].append(nug.nug_id)
            yield nug
    if units is not source:
        _take_over(source, units)
    for path in labels:
        label_file = Source(path)
        yield from _read_labels(label_file, nugs)
        _take_over(source, label_file)


def _scu_file(folder: Path) -> Path | None:
    return next((folder / name for name in SCU_FILES if (folder / name).is_file()), None)


def _ids(source: Source, units: Source) -> list[str]:
    """The ids in ids.txt beside the file; an empty list if there is no such file."""
    path = units.path.parent / "ids.txt"
    if not units.path.is_file() or not path.is_file():
        return []
    id_file = Source(path)
    ids = [line.strip() for line in id_file.text_lines()]
    while ids and not ids[-1]:
        ids.pop()
    if repeated := [name for name in ids if ids.count(name) > 1]:
        id_file.report("", f"{repeated[0]!r} appears twice", code="duplicate-id", line=ids.index(repeated[0]) + 1)
    _take_over(source, id_file)
    return [] if repeated else ids


def _take_over(source: Source, other: Source) -> None:
    """Add the problems of one of several files to those of the whole."""
    source.problems.extend(other.problems)
    source.warnings.extend(other.warnings)


def _read_labels(labels: Source, nugs: list[tuple[str, list[str]]]) -> Iterator[AnyRecord]:
    run_id = labels.path.stem
    yield Run(run_id=run_id)
    count = 0
    for line in labels.text_lines():
        if count >= len(nugs):
            labels.report("", f"there are SCUs for only {len(nugs)} lines", code="dangling-reference")
            break
        query_id, nug_ids = nugs[count]
        labels.query_id = query_id
        count += 1
        values = line.split("\t") if line.strip() else []
        if len(values) != len(nug_ids):
            labels.report("", f"the line has {len(values)} labels for {len(nug_ids)} SCUs", code="bad-table")
        for number, (nug_id, value) in enumerate(zip(nug_ids, values, strict=False)):
            column = f"[{number}]"
            degree = Fields(labels, {column: value}).label(column, _DEGREES)
            yield Judgement(
                query_id=query_id,
                run_id=run_id,
                nug_id=nug_id,
                degree=degree,
                judge=GIVEN,
                status="ok" if degree is not None else "failed",
            )
    if count < len(nugs):
        labels.report("", f"there are labels for only {count} of {len(nugs)} lines", code="bad-table")
