"""What a review has decided so far, in two files: saved after every answer, read again at the next start.

NAME.jsonl holds the judgements, NAME.nugs.jsonl the nugs that were added and those that got a further description, each
a complete record. A record is appended and forced to the disk before the next question is asked; a line that was cut
off when the machine died is left out at the next start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from karat.formats import load
from karat.formats.io.sink import open_sink
from karat.model import Collection, Judgement, Nug, Record, UsageError, encode_record
from karat.model.codec import decode_record
from karat.model.identity import identity


class ReviewFile:
    """The two files of a review."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if str(path) in ("", "-") or self.path.suffix == ".gz" or (self.path.exists() and not self.path.is_file()):
            raise UsageError(f"answers cannot be saved in {str(path)!r}; name a file such as review.jsonl")
        if not self.path.absolute().parent.is_dir():
            raise UsageError(f"{path}: the folder {self.path.absolute().parent} is not there")
        self.nugs_path = self.path.with_name(self.path.name.removesuffix(".jsonl") + ".nugs.jsonl")

    def judgements(self) -> list[Judgement]:
        """What was answered so far."""
        return _read(self.path).judgements

    def nugs(self) -> list[Nug]:
        """What was added to the key so far."""
        return _read(self.nugs_path).nugs

    def save(self, record: Judgement | Nug) -> None:
        """Write a record; one that speaks of the same thing gives way to it."""
        path = self._of(record)
        lines = _lines(path)
        others = [line for line in lines if not _is_same(line, record)]
        if len(others) < len(lines):
            _rewrite(path, [*others, encode_record(record)])
        else:
            _append(path, encode_record(record))

    def remove(self, record: Judgement | Nug) -> None:
        """Take a record back."""
        path = self._of(record)
        _rewrite(path, [line for line in _lines(path) if not _is_same(line, record)])

    def _of(self, record: Judgement | Nug) -> Path:
        return self.nugs_path if isinstance(record, Nug) else self.path


def revised(collection: Collection, nugs: Iterable[Nug]) -> Collection:
    """A collection whose key has further descriptions and nugs; nugs of queries it does not know are passed over."""
    records: list[Record] = list(collection)
    places = {identity(one): at for at, one in enumerate(records) if isinstance(one, Nug)}
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


def _read(path: Path) -> Collection:
    if not path.exists():
        return Collection()
    _mend_end(path)
    return load(path, format="karat") if path.stat().st_size else Collection()


def _mend_end(path: Path) -> None:
    """A last line without its end is cut off, unless all of the record is there."""
    content = path.read_bytes()
    if not content or content.endswith(b"\n"):
        return
    last = content[content.rfind(b"\n") + 1 :]
    try:
        decode_record(last)
    except (msgspec.DecodeError, UnicodeDecodeError):
        os.truncate(path, len(content) - len(last))
    else:
        _append(path, b"")


def _append(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _rewrite(path: Path, lines: Iterable[bytes]) -> None:
    with open_sink(path) as sink:
        for line in lines:
            sink.write_bytes(line + b"\n")


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()] if path.exists() else []


def _is_same(line: bytes, record: Record) -> bool:
    try:
        other = decode_record(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return type(other) is type(record) and identity(other) == identity(record)
