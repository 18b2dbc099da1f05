"""The answers of a review in two files: saved after every answer, and read at the next start.

NAME.jsonl holds the judgements. NAME.nugs.jsonl holds the nugs that were added and the nugs that got a further
description, each as a complete record. A record is appended and forced to the disk before the next question is asked.
If the machine crashes while a line is written, the incomplete line is left out at the next start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from karat.formats import Source, open_inputs
from karat.formats.inputs.reading import OnError
from karat.formats.io.overwriting import check_target
from karat.formats.io.sink import open_sink
from karat.model import AnyRecord, Collection, Judgement, Nug, Problem, Record, UsageError, encode_record
from karat.model.codec import decode_record
from karat.model.identity import identity

_START = b'{"kind":"'
"""The beginning of every line that a review writes."""


class ReviewFile:
    """The two files of a review."""

    def __init__(self, path: str | Path, *, on_error: OnError = "stop") -> None:
        """on_error="skip": bad lines of the files are left out (and stay in them); `problems` lists them."""
        self.path, self.on_error = Path(path), on_error
        self.problems: list[Problem] = []
        if str(path) in ("", "-") or self.path.suffix == ".gz" or (self.path.exists() and not self.path.is_file()):
            raise UsageError(f"answers cannot be saved in {str(path)!r}; name a file such as review.jsonl")
        if not self.path.absolute().parent.is_dir():
            raise UsageError(
                f"{path}: there is no folder {self.path.absolute().parent}; create it or name another file"
            )
        self.nugs_path = self.path.with_name(self.path.name.removesuffix(".jsonl") + ".nugs.jsonl")

    def is_own(self, file: str | Path) -> bool:
        """Whether this is one of the two files, and holds only what a review writes.

        A key or a run with the same name, given by mistake, is an input: answers must not be written into it.
        """
        for path, kind in ((self.path, Judgement), (self.nugs_path, Nug)):
            if Path(file).resolve() == path.resolve():
                kinds = _kinds(path)
                return not kinds or (kind in kinds and kinds <= {kind, None})
        return False

    def judgements(self) -> list[Judgement]:
        """The answers so far."""
        return self._read(self.path).judgements

    def nugs(self) -> list[Nug]:
        """The additions to the key so far."""
        return self._read(self.nugs_path).nugs

    def written(self) -> list[Path]:
        """Those of the two files that hold anything."""
        return [path for path in (self.path, self.nugs_path) if _lines(path)]

    def save(self, record: Judgement | Nug) -> None:
        """Write a record; it replaces an earlier record with the same identity."""
        path = self._of(record)
        lines = _lines(path)
        others = [line for line in lines if not _is_same(line, record)]
        if len(others) < len(lines):
            _rewrite(path, [*others, encode_record(record)])
        else:
            _append(path, encode_record(record))

    def remove(self, record: Judgement | Nug) -> None:
        """Delete a record."""
        path = self._of(record)
        _rewrite(path, [line for line in _lines(path) if not _is_same(line, record)])

    def _of(self, record: Judgement | Nug) -> Path:
        return self.nugs_path if isinstance(record, Nug) else self.path

    def _read(self, path: Path) -> Collection:
        if not path.exists():
            return Collection()
        content = path.read_bytes()
        last = content[content.rfind(b"\n") + 1 :]
        is_cut = bool(last) and _decoded(last) is None and last[: len(_START)] == _START[: len(last)]
        kept = content.removesuffix(last) if is_cut else content
        collection = self._loaded(path, kept) if kept else Collection()
        if is_cut:
            check_target(path)
            os.truncate(path, len(kept))
        elif last:
            _append(path, b"")
        return collection

    def _loaded(self, path: Path, content: bytes) -> Collection:
        # Passed as bytes, because a review may change its own file, while inputs may not be changed. Read before
        # anything is repaired: a file of another kind raises an error here and stays unchanged.
        inputs = open_inputs(Source(path, content), format="karat", on_error=self.on_error)
        collection = Collection(inputs)
        self.problems += [problem for problem in inputs.problems if problem not in self.problems]
        return collection


def revised(collection: Collection, nugs: Iterable[Nug]) -> Collection:
    """The collection with these descriptions and nugs added to its key; nugs of unknown queries are ignored."""
    records: list[Record] = list(collection)
    places = {identity(record): at for at, record in enumerate(records) if isinstance(record, Nug)}
    queries = {query_id for query_id, _ in places}
    for nug in nugs:
        at = places.get(identity(nug))
        if at is not None:
            known = records[at]
            assert isinstance(known, Nug)
            both = tuple(dict.fromkeys((*known.descriptions, *nug.descriptions)))
            records[at] = msgspec.structs.replace(known, descriptions=both)
        elif nug.query_id in queries:
            records.append(nug)
    return Collection(records)


def with_answers(collection: Collection, file: ReviewFile) -> Collection:
    """The collection of a review that goes on: with the answers so far, and what they added to the key."""
    return Collection([*revised(collection, file.nugs()), *file.judgements()])


def _append(path: Path, line: bytes) -> None:
    check_target(path)
    with path.open("ab", buffering=0) as file:
        size = file.tell()
        try:
            # Unbuffered: a full disk is noticed here and not when the file is closed.
            left = line + b"\n"
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(file.fileno(), size)
            error.filename = str(path)
            raise


def _rewrite(path: Path, lines: Iterable[bytes]) -> None:
    with open_sink(path) as sink:
        for line in lines:
            sink.write_bytes(line + b"\n")


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()] if path.exists() else []


def _kinds(path: Path) -> set[type | None]:
    """The types of the records in a file; None for lines that are not records. An incomplete last line is left out."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    decoded = [_decoded(line) for line in whole.split(b"\n") if line.strip()]
    return {None if record is None else type(record) for record in decoded}


def _is_same(line: bytes, record: Record) -> bool:
    other = _decoded(line)
    return other is not None and type(other) is type(record) and identity(other) == identity(record)


def _decoded(line: bytes) -> AnyRecord | None:
    try:
        return decode_record(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
