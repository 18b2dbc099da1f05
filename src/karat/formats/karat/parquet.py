"""Karat's records in a Parquet file: one row per record, for pandas, polars, DuckDB, Ray Data and other tools.

    kind       query_id  run_id   nug_id  degree  judge   status  ...  extra
    judgement  q1        atlas    n1      1.0     person  ok
    judgement  q1        atlas    n2      0.0     person  ok           {"minutes": 2}

Scalar fields are plain columns, nested ones (snippets, descriptions, spans, ...) and unknown fields (extra) JSON text.
It holds every kind of record, and nothing is lost. Columns that Karat does not know are unknown fields.
It needs the extra `parquet`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from karat.formats.io.byte_source import FREE, RATIO
from karat.formats.io.definitions import DefinedAt
from karat.formats.io.head import Head
from karat.formats.io.rows import Batch
from karat.formats.io.sink import Carries, Sink
from karat.formats.io.source import MAX_DOCUMENT, Source
from karat.formats.karat.jsonl import CARRIES as ALL
from karat.formats.karat.parquet_layout import BadText, columns, columns_of, data_of
from karat.formats.karat.repair import read_carefully
from karat.model import AnyRecord, KaratError, record_from_dict
from karat.model.errors import require
from karat.model.identity import DEFINITIONS
from karat.model.records import kind_of

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from karat.formats.karat.plain import Codes, TextCodes

TITLE = "Karat's own records as Parquet, one per row"
CARRIES: Carries = ALL
ROWS = 8_192
"""Rows that are read at once."""
GROUP = 65_536
"""Rows of a row group that is written."""
MAGIC = b"PAR1"
_DEFINING = frozenset(kind_of(kind) for kind in DEFINITIONS)


def sniff_parquet(head: Head) -> bool:
    if head.is_directory:
        return False
    try:
        with head.source.open() as file:
            return file.read(len(MAGIC)) == MAGIC
    except (KaratError, OSError, EOFError, zlib.error):
        return False


def read_parquet(source: Source) -> Iterator[AnyRecord]:
    """The records in the order of the rows."""
    for batch in read_batches(source):
        for record, line in zip(batch.records, batch.lines, strict=True):
            source.line = line
            yield record


def read_batches(source: Source) -> Iterator[Batch]:
    """The same records, some thousands at a time."""
    for table, first in _tables(source):
        yield _records(source, table, first)


def read_plain(source: Source, codes: Codes) -> Iterator[Batch]:
    """The same records; pieces of plain judgements come as columns (`karat.plain`)."""
    for table, first in _tables(source):
        batch = _plain(table, first, codes)
        yield _records(source, table, first) if batch is None else batch


def _plain(table: pa.RecordBatch, first: int, codes: Codes) -> Batch | None:
    """The plain judgements of a piece; None where some of its rows are something else."""
    import numpy as np

    from karat.formats.karat.plain import PlainBatch

    pa, _ = _pyarrow()
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    texts = ("kind", "query_id", "run_id", "nug_id", "judge", "status")
    if columns.keys() - {"v"} != {*texts, "degree"} or any(column.null_count for column in columns.values()):
        return None
    if not all(pa.types.is_dictionary(columns[name].type) for name in texts) or not table.num_rows:
        return None
    if not pa.types.is_float64(columns["degree"].type):
        return None
    for name, wanted in (("kind", "judgement"), ("status", "ok")):
        if set(columns[name].dictionary.to_pylist()) != {wanted}:
            return None
    if "v" in columns and set(columns["v"].unique().to_pylist()) != {1}:
        return None
    degrees = columns["degree"].to_numpy()
    if not ((degrees >= 0) & (degrees <= 1)).all() or "" in columns["run_id"].dictionary.to_pylist():
        return None

    def coded(name: str, table_of: TextCodes) -> Any:
        texts = columns[name].dictionary.to_pylist()
        return table_of.of(texts, len(texts))[columns[name].indices.to_numpy()]

    return PlainBatch(
        codes, coded("query_id", codes.queries), coded("run_id", codes.runs), coded("nug_id", codes.nugs),
        coded("judge", codes.judges), np.array(degrees), first,
    )  # fmt: skip


def read_definitions(source: Source) -> Iterator[tuple[AnyRecord, DefinedAt]]:
    """Only the records that others refer to, each with its row."""
    for table, first in _tables(source, only=_DEFINING):
        batch = _records(source, table, first, only=_DEFINING)
        for record, line in zip(batch.records, batch.lines, strict=True):
            yield record, DefinedAt(line)


def row_count(source: Source) -> int:
    """The number of rows, from the end of the file."""
    pa, pq = _pyarrow()
    try:
        with source.open() as file:
            return int(pq.ParquetFile(file).metadata.num_rows)
    except (pa.ArrowException, OSError, ValueError):
        return 0


def write_parquet(records: Iterable[AnyRecord], sink: Sink) -> None:
    pa, pq = _pyarrow("Writing Parquet")
    schema = _schema()
    rest = iter(records)
    with pq.ParquetWriter(pa.PythonFile(_Written(sink), mode="w"), schema, compression="zstd") as writer:
        while some := list(islice(rest, GROUP)):
            filled = columns_of(some)
            arrays = [
                pa.array(filled[field.name], field.type) if field.name in filled else pa.nulls(len(some), field.type)
                for field in schema
            ]
            writer.write_table(pa.table(arrays, schema=schema))


class _Written:
    """A sink as a file that pyarrow writes to."""

    closed = False

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._at = 0

    def write(self, data: Any) -> int:
        data = bytes(data)
        self._sink.write_bytes(data)
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None: ...

    def close(self) -> None: ...


def _pyarrow(purpose: str = "Reading Parquet") -> tuple[Any, Any]:
    require("pyarrow", extra="parquet", purpose=purpose)
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pa, pq


@cache
def _schema() -> pa.Schema:
    pa, _ = _pyarrow()
    types = {"text": pa.string(), "json": pa.string(), "double": pa.float64(), "bigint": pa.int64(),
             "boolean": pa.bool_()}  # fmt: skip
    return pa.schema([(name, types[kind]) for name, kind in columns().items()])


def _tables(source: Source, only: frozenset[str] | None = None) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Pieces of the file, each with the number of its first row, from 1; without columns that are empty in them.

    only: pieces in which all rows are of other kinds may be left out.
    """
    pa, _ = _pyarrow()
    try:
        with source.open() as file:
            parquet = _opened(source, file)
            first = 1
            for group in range(parquet.num_row_groups):
                rows = parquet.metadata.row_group(group)
                if only is None or _may_hold(rows, only):
                    names = _filled(rows)
                    at = first
                    for batch in parquet.iter_batches(batch_size=ROWS, row_groups=[group], columns=names):
                        _check_expansion(source, batch, at)
                        yield batch, at
                        at += batch.num_rows
                first += rows.num_rows
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, UnicodeDecodeError) as error:
        if isinstance(error, BadText):
            raise
        source.fail(f"cannot be read as Parquet: {str(error).splitlines()[0] if str(error) else 'damaged'}",
                    code="unreadable", line=1)  # fmt: skip


def _opened(source: Source, file: Any) -> pq.ParquetFile:
    pa, pq = _pyarrow()
    file.seek(0, 2)
    size = file.tell()
    file.seek(0)
    schema = pq.read_schema(file)
    if "kind" not in schema.names:
        names = ", ".join(schema.names[:12])
        source.fail(f"has no column 'kind', so these are not Karat's records; its columns: {names}", code="wrong-type",
                    line=1)  # fmt: skip
    if len(set(schema.names)) < len(schema.names):
        source.fail("has two columns of the same name", code="wrong-type", line=1)
    for field in schema:
        if not _is_readable(pa, field.type):
            source.fail(f"the column {field.name!r} is of the type {field.type}, which JSON does not have",
                        code="wrong-type", line=1)  # fmt: skip
    file.seek(0)
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    parquet = pq.ParquetFile(file, read_dictionary=texts, pre_buffer=False)
    about = parquet.metadata
    expanded = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    if max(expanded, about.num_rows) > max(FREE, RATIO * size):
        raise ValueError(
            f"it expands to more than {RATIO} times its size ({expanded >> 20} MiB, {about.num_rows:,} rows)"
        )
    return parquet


def _is_readable(pa: Any, kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _is_readable(pa, kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_readable(pa, kind.value_type)
    if types.is_struct(kind):
        return all(_is_readable(pa, field.type) for field in kind)
    return any(
        check(kind)
        for check in (
            types.is_string, types.is_large_string, types.is_boolean, types.is_integer, types.is_floating,
            types.is_null,
        )
    )  # fmt: skip


def _filled(rows: pq.RowGroupMetaData) -> list[str]:
    """The columns that are not empty in all rows of a group."""
    names: dict[str, None] = {}
    for at in range(rows.num_columns):
        column = rows.column(at)
        known = column.statistics if column.is_stats_set else None
        empty = known is not None and known.has_null_count and known.null_count == rows.num_rows
        if not empty or "." in column.path_in_schema:
            # The first part of the name of a nested column is that of the whole.
            names[column.path_in_schema.split(".", 1)[0]] = None
    return list(names)


def _may_hold(rows: pq.RowGroupMetaData, kinds: frozenset[str]) -> bool:
    """Whether rows of these kinds may be in a group, by what the file says about it."""
    for at in range(rows.num_columns):
        column = rows.column(at)
        if column.path_in_schema == "kind" and column.is_stats_set and column.statistics.has_min_max:
            low, high = column.statistics.min, column.statistics.max
            return low != high or low in kinds
    return True


def _check_expansion(source: Source, batch: pa.RecordBatch, first: int) -> None:
    """Stop where the rows of a piece are larger than any file should be: one long text may stand in a million rows."""
    pa, _ = _pyarrow()
    import pyarrow.compute as pc

    total = 0
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            total += pc.sum(lengths).as_py() or 0
        else:
            total += column.nbytes
    if total > MAX_DOCUMENT:
        source.fail(f"{batch.num_rows:,} rows hold more than {MAX_DOCUMENT >> 20} MiB", code="too-long", line=first)


def _values(column: pa.Array) -> list[Any]:
    """The values of a column; texts that are equal are one object."""
    pa, _ = _pyarrow()
    if pa.types.is_dictionary(column.type):
        texts = [*column.dictionary.to_pylist(), None]
        return [texts[-1 if at is None else at] for at in column.indices.to_pylist()]
    return column.to_pylist()  # type: ignore[no-any-return]


def _records(source: Source, table: pa.RecordBatch, first: int, only: frozenset[str] | None = None) -> Batch:
    names = table.schema.names
    values = [_values(column) for column in table.columns]
    records: list[AnyRecord] = []
    lines: list[int] = []
    repaired: list[int] = []
    kinds = names.index("kind") if "kind" in names else None
    for at, row in enumerate(zip(*values, strict=True)):
        if only is not None and kinds is not None and row[kinds] not in only:
            continue
        source.line = first + at
        before = len(source.problems)
        record = _record(source, dict(zip(names, row, strict=True)))
        if record is None:
            continue
        if len(source.problems) > before:
            repaired.append(len(records))
        records.append(record)
        lines.append(first + at)
    return Batch(records, lines, frozenset(repaired))


def _record(source: Source, row: dict[str, Any]) -> AnyRecord | None:
    try:
        data = data_of(row)
    except BadText as error:
        source.report("", str(error), code="bad-json")
        return None
    try:
        return record_from_dict(data)
    except (msgspec.ValidationError, RecursionError):
        # The same repairs and messages as for a line of JSON.
        return read_carefully(source, msgspec.json.encode(data))
