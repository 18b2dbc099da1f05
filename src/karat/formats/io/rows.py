"""The rows of a file: the objects of JSON lines, a JSON array or a single object; the lines of CSV and TSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

import msgspec

from karat.formats.io.fields import Fields, type_name
from karat.formats.io.json_path import OUT_OF_RANGE, TooManyValues, check_size, decode_json, loosely_decoded
from karat.formats.io.source import Source
from karat.model import AnyRecord, Judgement


class Batch:
    """Many records of one file, in order. Working on many at once is much faster than one by one."""

    is_plain = False
    """Whether these are plain judgements, as columns (`karat.plain`)."""
    __slots__ = ("_columns", "before", "file", "files", "lines", "records", "repaired")

    def __init__(
        self, records: Sequence[AnyRecord], lines: Sequence[int] = (), repaired: frozenset[int] = frozenset(), *,
        file: str = "", before: int = 0, files: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.records = records
        self.lines = lines
        """The line of each record; empty where it is not needed."""
        self.repaired = repaired
        """The positions of records that had a problem (which was reported) and were kept without the bad part."""
        self.file = file
        """The shard that they are in, where the input is a folder of shards."""
        self.files = files
        """The shard of each record, where they are from several."""
        self.before = before
        """How many lines the shards before this one have."""
        self._columns: dict[str, list[Any]] = {}

    def column(self, field: str) -> list[Any]:
        """One field of every record; all records must be of kinds that have it."""
        values = self._columns.get(field)
        if values is None:
            values = self._columns[field] = list(map(attrgetter(field), self.records))
        return values

    def distinct(self, field: str) -> set[str]:
        """The values of a field."""
        return set(self.column(field))

    def pairs(self, sound: set[int]) -> set[tuple[str, str]]:
        """The queries and nugs that occur together; those that are known to be sound may be left out."""
        return set(zip(self.column("query_id"), self.column("nug_id"), strict=True))

    def are_sound(self, sound: set[int]) -> None:
        """Note that the pairs given out last are sound."""

    def holds_only(self, kind: type[AnyRecord]) -> bool:
        """Whether there are records and all of them are of this kind."""
        return set(map(type, self.records)) == {kind}


def judgements_apart(batch: Batch) -> Iterator[tuple[int, Batch]]:
    """The batch in two parts, each with the position of its first record: the judgements at its end are on their own.

    Judgements without other records among them are checked together, which is much faster.
    """
    records, lines, end = batch.records, batch.lines, len(batch.records)
    first = next((at for at in range(end, 0, -1) if type(records[at - 1]) is not Judgement), 0)
    for start, stop in ((0, first), (first, end)):
        if start < stop:
            repaired = frozenset(at - start for at in batch.repaired if start <= at < stop)
            files = batch.files[start:stop]
            yield start, Batch(records[start:stop], lines[start:stop], repaired, files=files)


def in_pieces(records: Iterable[AnyRecord], source: Source, *, size: int | None) -> Iterator[Batch]:
    """The records of a source that is being read, with their lines, so many at a time; None: all, even if none."""
    before = 0
    rest = iter(records)
    while True:
        piece: list[AnyRecord] = []
        lines: list[int] = []
        repaired: list[int] = []
        files: list[str] = []
        for record in islice(rest, size):
            # Problems of a row are reported before its records are given out; the judgement is the last of them.
            now = len(source.problems)
            if now > before and type(record) is Judgement:
                repaired.append(len(piece))
                before = now
            piece.append(record)
            lines.append(source.line)
            if source.shard:
                files.append(source.shard)
        if piece or size is None:
            yield Batch(piece, lines, frozenset(repaired), files=files)
        if size is None or not piece:
            return


csv.field_size_limit(64 << 20)


def json_rows(source: Source) -> Iterator[Fields]:
    """Every object of a file of JSON lines, every object of a JSON array, or the single object of a JSON document."""
    if is_json_lines(source):
        for value in source.json_lines():
            if isinstance(value, dict):
                yield Fields(source, value)
            else:
                source.report("", f"a row must be an object, not {type_name(value)}", code="wrong-type")
        return
    value = source.document()
    if isinstance(value, dict):
        yield Fields(source, value)
        return
    if not isinstance(value, list):
        source.fail(f"the file must contain objects, not {type_name(value)}", code="wrong-type", line=1)
    for index, member in enumerate(value):
        source.query_id = None
        if isinstance(member, dict):
            yield Fields(source, member, f"[{index}]")
        else:
            source.report(f"[{index}]", f"a row must be an object, not {type_name(member)}", code="wrong-type")


def is_json_lines(source: Source) -> bool:
    """Whether the file has one JSON value per line, rather than one document over several lines."""
    first, second = (*islice((line for line in source.lines() if line and not line.isspace()), 2), b"", b"")[:2]
    if _is_whole(first):
        # One array on one line is a document; several arrays on several lines are rows.
        return not first.lstrip().startswith(b"[") or (second.lstrip().startswith(b"[") and _is_whole(second))
    # A broken line before a complete one is a broken row, unless the whole file is one document.
    return second.startswith(b"{") and _is_whole(second) and not _is_whole(source.read_bytes())


def _is_whole(line: bytes) -> bool:
    try:
        check_size(line)
        decode_json(line)
    except TooManyValues:
        # The reader says so.
        return True
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # Such a number is a mistake in a whole value.
        return OUT_OF_RANGE in str(error) and loosely_decoded(line) is not None
    except RecursionError:
        return True
    return True


def table_rows(source: Source, *, delimiter: str, columns: Sequence[str] | None = None) -> Iterator[Fields]:
    """The rows of a CSV or TSV file as Fields by column name; the first row names them unless `columns` does.

    Too few or too many values in a row are reported. Quotes have a meaning only in CSV.
    """
    return rows_by_column(source, _table_lines(source, delimiter), columns=columns)


def rows_by_column(
    source: Source, lines: Iterable[list[str]], *, columns: Sequence[str] | None = None
) -> Iterator[Fields]:
    """The same from the values of each line; whoever gives them sets `source.line`."""
    names = list(columns) if columns is not None else None
    for values in lines:
        source.query_id = None
        if not any(value.strip() for value in values):
            continue
        if names is None:
            names = [name.strip() for name in values]
            repeated = [name for name, times in Counter(names).items() if name and times > 1]
            if repeated:
                source.fail(f"the column {min(repeated)!r} appears twice in the header", code="bad-table")
            continue
        while len(values) > len(names) and not values[-1]:
            values.pop()
        if len(values) > len(names):
            source.report("", f"the row has {len(values)} values for {len(names)} columns", code="bad-table")
            continue
        if len(values) < len(names):
            source.report(
                names[len(values)], f"the row has {len(values)} values for {len(names)} columns", code="bad-table"
            )
            continue
        yield Fields(source, dict(zip(names, values, strict=True)))


def _table_lines(source: Source, delimiter: str) -> Iterator[list[str]]:
    if delimiter == "\t":
        for text in source.text_lines():
            yield text.split("\t")
        return
    reader = csv.reader(io.StringIO(source.read_text(), newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.fail(f"cannot be read as a table: {error}", code="bad-table", line=reader.line_num)
        source.line = line
        yield values
        line = reader.line_num + 1


def blank_separated(source: Source, *, columns: Sequence[str], last_takes_rest: bool = False) -> Iterator[Fields]:
    """The rows of a table without a header, whose columns are separated by tabs or blanks."""
    for text in source.text_lines():
        values = text.split(None, len(columns) - 1) if last_takes_rest else text.split()
        if not values:
            continue
        if len(values) != len(columns):
            source.report(
                "",
                f"the row has {len(values)} values for the {len(columns)} columns {' '.join(columns)}",
                code="bad-table",
            )
            continue
        yield Fields(source, dict(zip(columns, values, strict=True)))
