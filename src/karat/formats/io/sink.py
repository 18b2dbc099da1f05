"""Sink: one output, written completely or not at all; and Losses: what could not be written."""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

import msgspec

from karat.formats.io.overwriting import check_target
from karat.model import AnyRecord, Part, Record, Unfinished, UsageError, kind_of
from karat.model.wording import safe

Carries = Mapping[str, frozenset[str]]
"""The fields that a format can hold, per kind of record; inner fields have dots (`snippets.citations.doc_id`)."""


def carries(**kinds: str) -> Carries:
    """A Carries from names separated by blanks: `carries(nug="query_id nug_id descriptions")`."""
    return {kind: frozenset(fields.split()) for kind, fields in kinds.items()}


class Losses:
    """How many records or values are lost, by a name such as `vote` (whole records) or `nug.weight` (a field)."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}

    def add(self, what: str, reason: str = "") -> None:
        self.counts[what] += 1
        if reason:
            self.reasons.setdefault(what, reason)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def lines(self) -> list[str]:
        """The report, one line per kind of loss."""
        report = []
        for what, count in sorted(self.counts.items()):
            unit = "records" if "." not in what else "values"
            reason = f" ({self.reasons[what]})" if what in self.reasons else ""
            report.append(f"{what}: {count:,} {unit}{reason}")
        return report

    def watch(self, records: Iterable[AnyRecord], carried: Carries) -> Iterator[AnyRecord]:
        """The same records without the kinds that `carried` does not have; counts what is lost."""
        for record in records:
            kind = kind_of(record)
            if kind not in carried:
                self.counts[kind] += 1
                continue
            for field in _filled(record):
                if field not in carried[kind] and "*" not in carried[kind]:
                    self.counts[f"{kind}.{field}"] += 1
            yield record


def _filled(record: Record | Part, prefix: str = "") -> Iterator[str]:
    """The names of the fields whose value is not the default."""
    for name, default in _defaults(type(record)):
        value = getattr(record, name)
        if value is None or value == default or value in ((), {}):
            continue
        field = f"{prefix}{name}"
        yield field
        if isinstance(value, Part):
            yield from _filled(value, f"{field}.")
        elif isinstance(value, tuple):
            seen = {inner for part in value if isinstance(part, Part) for inner in _filled(part, f"{field}.")}
            yield from sorted(seen)


@cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    def default(field: msgspec.structs.FieldInfo) -> Any:
        if field.default_factory is not msgspec.NODEFAULT:
            return field.default_factory()
        return field.default

    return tuple((field.name, default(field)) for field in msgspec.structs.fields(kind) if field.name != "v")


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_encode_json = msgspec.json.Encoder().encode


class Sink:
    """Where a writer writes its bytes, and where it reports what the format cannot hold."""

    def __init__(self, file: IO[bytes], losses: Losses | None = None, *, raw_cells: bool = False) -> None:
        self._file = file
        self.raw_cells = raw_cells
        """Whether cells of a spreadsheet that look like formulas are written as they are."""
        self.write_bytes = file.write
        self.losses = Losses() if losses is None else losses

    def write(self, text: str) -> None:
        """Write text, as UTF-8."""
        self.write_bytes(text.encode("utf-8", "surrogatepass"))

    @property
    def written(self) -> bool:
        """Whether anything was written."""
        return self._file.tell() > 0

    def json_line(self, value: Any) -> None:
        """Write one JSON value on its own line."""
        self.write_bytes(_encode_json(value) + b"\n")

    def json_document(self, value: Any) -> None:
        """Write one JSON value as an indented document."""
        self.write_bytes(msgspec.json.format(_encode_json(value), indent=1) + b"\n")

    def lose(self, what: str, reason: str = "") -> None:
        """Report that something could not be written, such as `judgement.degree`, and why."""
        self.losses.add(what, reason)


@contextmanager
def open_sink(target: str | Path, losses: Losses | None = None, *, styled: bool = False) -> Iterator[Sink]:
    """A Sink that becomes the file `target` (`-`: standard output) only if everything went well.

    The bytes go to a temporary file beside the target, which is renamed at the end. A file whose name ends in .gz is
    compressed. A device or pipe, too, gets the bytes only at the end. A file that may not be written over (see
    overwriting) stays as it is, and a UsageError is raised. A terminal gets control characters made visible, unless the
    text is `styled`: then it has colours of its own, and its data is harmless already.
    """
    name = "-" if str(target) in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1") else str(target)
    if not name:
        raise UsageError("the name of the output is empty; name a file, or - for standard output")
    directly = name == "-" or _is_special(Path(name))
    if name != "-":
        check_target(name)
    folder = None if directly else Path(os.path.realpath(name)).parent
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".karat-", suffix=".part", dir=folder)
    except OSError as error:
        kind = UsageError if isinstance(error, FileNotFoundError) else Unfinished
        raise kind(f"{name}: cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            if name.endswith(".gz"):
                # The gzip header gets no name and no time, so that the same records give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                    yield Sink(packed, losses)  # type: ignore[arg-type]
            else:
                yield Sink(file, losses)
        if name != "-":
            # Checked again, because some inputs are opened only while their records are being written.
            check_target(name)
        if directly:
            _copy(temporary, name, styled=styled)
        else:
            _take_mode(temporary, name)
            os.replace(temporary, os.path.realpath(name))
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None and error.errno in _FULL:
            error.filename = "standard output" if name == "-" else name
        raise
    Path(temporary).unlink(missing_ok=True)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path}: is a folder; name a file")
    return not stat.S_ISREG(mode) or str(path).startswith(("/dev/", "/proc/"))


def _copy(temporary: str, name: str, *, styled: bool) -> None:
    with open(temporary, "rb") as file:
        if name == "-":
            if sys.stdout is None:
                raise Unfinished("standard output is closed; name a file")
            if sys.stdout.isatty() and not styled:
                # What a file says must not be a command to the terminal.
                for line in file:
                    sys.stdout.buffer.write(safe(line.decode("utf-8", "replace")).encode())
            else:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        # Append: an open descriptor may be a file that other programs write to.
        with open(name, "ab") as out:
            shutil.copyfileobj(file, out)


def _take_mode(temporary: str, name: str) -> None:
    """Set the permissions of the file that is replaced, or those that a new file gets."""
    try:
        mode = stat.S_IMODE(os.stat(name).st_mode)
    except OSError:
        mode = new_mode(0o666)
    os.chmod(temporary, mode)


def new_mode(most: int) -> int:
    """The permissions of a new file or folder: the most that it may have, without what the umask takes away."""
    try:
        found = re.search(r"^Umask:\s*(\d+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found is not None:
        return most & ~int(found[1], 8)
    # Elsewhere it can be read only by setting it, for a moment and for all threads.
    umask = os.umask(0o077)
    os.umask(umask)
    return most & ~umask
