"""Writing records in any format that can be written."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from karat.formats.inputs.reading import Input, read
from karat.formats.io.sink import Losses, Sink, open_sink
from karat.formats.io.source import Source
from karat.formats.outputs.read_back import written_bytes
from karat.formats.outputs.sharding import is_folder, shard_size, write_shards
from karat.formats.registry import Format, all_formats, get_format
from karat.model import AnyRecord, KaratError, UnfitInput, UsageError
from karat.model.errors import require

LOSSLESS = frozenset({"karat", "parquet"})
"""Formats that hold everything, so that nothing need be read again after writing."""


class LossRefused(KaratError):
    """The target format cannot hold everything, and the caller asked for nothing to be lost."""

    def __init__(self, format_name: str, losses: Losses) -> None:
        self.losses = losses
        super().__init__("\n".join((f"{format_name} cannot hold:", *(f"  {line}" for line in losses.lines()))))


def writable_format(name: str) -> Format:
    """The format of this name, if it can be written."""
    chosen = get_format(name)
    if chosen.write is None:
        writable = ", ".join(sorted(format.name for format in all_formats() if format.write is not None))
        raise UsageError(f"{name} can be read but not written; these can: {writable}")
    return chosen


def format_by_name(target: str | Path) -> str:
    """The format that a file's name suggests: csv, tsv, xlsx, parquet, otherwise karat."""
    suffix = Path(str(target).removesuffix(".gz")).suffix.lower()
    if suffix == ".xlsx":
        # Said before the work starts, which may be long.
        require("openpyxl", extra="xlsx", purpose="Writing XLSX")
    if suffix == ".parquet":
        require("pyarrow", extra="parquet", purpose="Writing Parquet")
    return suffix[1:] if suffix in (".csv", ".tsv", ".xlsx", ".parquet") else "karat"


def write(
    records: Iterable[AnyRecord] | Input,
    target: str | Path,
    *,
    format: str | None = None,
    strict: bool = False,
    raw_cells: bool = False,
    shards: str | int | None = None,
) -> Losses:
    """Write records to a file (`-`: standard output), completely or not at all; returns what could not be written.

    A target that ends in a slash becomes a folder of shards with a manifest (JSONL.gz, or Parquet with
    format="parquet"); shards: how many records each has (100,000 by default), or its size, as "256MB".

    records: records or a result (such as that of `judge`), or what `load` takes: a path, dicts or a data frame.
    format: a name from `karat formats`; if it is not given, csv, tsv or xlsx by the name of the file, otherwise karat.
    A file of another format is read again first: what comes back different is lost, too, and a file that could not be
    read is not written (KaratError).
    strict: raise LossRefused and write nothing if anything would be lost (always raised if everything would be lost).
    raw_cells: in csv, write cells that a spreadsheet would take for formulas (`=1+1`) as they are.

    >>> import karat
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     losses = karat.write(karat.demo_files().key, f"{folder}/key.jsonl.gz")
    >>> losses.lines()
    []
    """
    chosen = writable_format(format or format_by_name(target))
    if chosen.name == "xlsx" and str(target) == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("a workbook is not text; name a file with -o")
    if chosen.name == "parquet" and str(target) == "-":
        raise UsageError("Parquet is not text, and what reads it must go back and forth in it; name a file with -o")
    records = _as_records(records)
    losses = Losses()
    if shards is not None or is_folder(target):
        size = None if shards is None else shard_size(shards)
        with _whole_texts():
            write_shards(records, target, losses, format=chosen.name, size=size)
        return losses
    with open_sink(target, losses) as sink:
        with _whole_texts():
            if chosen.name in LOSSLESS:
                _write(records, sink, chosen)
            else:
                name = str(target).removesuffix(".gz")
                sink.write_bytes(written_bytes(records, chosen, losses, name=name, raw_cells=raw_cells))
        if losses and (strict or not sink.written):
            raise LossRefused(chosen.name, losses)
    return losses


@contextmanager
def _whole_texts() -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise UnfitInput(
            "a text has half a character (a lone surrogate), which cannot be written: "
            f"{error.object[max(0, error.start - 20) : error.end]!r}"
        ) from None


def _as_records(items: Iterable[AnyRecord] | Input) -> Iterable[AnyRecord]:
    """Records as they are; anything else that can be read is read."""
    if isinstance(items, str | bytes | Path | Source) or hasattr(items, "to_dicts") or hasattr(items, "to_dict"):
        return read(items)
    rest: Iterator[Any] = iter(items)
    first = list(islice(rest, 1))
    if first and isinstance(first[0], Mapping):
        return read([*first, *rest])
    return chain(first, rest)


def write_bytes(records: Iterable[AnyRecord], *, format: str = "karat", losses: Losses | None = None) -> bytes:
    """The file's content in memory."""
    buffer = io.BytesIO()
    _write(records, Sink(buffer, losses), writable_format(format))
    return buffer.getvalue()


def _write(records: Iterable[AnyRecord], sink: Sink, chosen: Format) -> None:
    assert chosen.write is not None
    if chosen.name not in LOSSLESS:
        records = sink.losses.watch(records, chosen.carries)
    chosen.write(records, sink)
