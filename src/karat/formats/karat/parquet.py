"""Karat's records in a Parquet file: one row per record, for pandas, polars, DuckDB, Ray Data and other tools.

    kind       v  query_id  run_id  nug_id  degree  judge   status  probability_full  extra
    judgement  1  q1        atlas   n1      1.0     person  ok
    judgement  1  q1        atlas   n2      0.5     llm     ok      0.4               {"minutes": 2}

Every field of every kind of record has a column, with these types: text and ids are strings, numbers doubles (counts
64-bit integers), flags booleans. Nested fields (snippets, descriptions, members, spans, evidence, ...) are JSON text,
and so are unknown fields, all in `extra`. An empty cell is an absent field. Two fields differ: the probabilities of a
judgement are `probability_none`, `probability_partial` and `probability_full` (`probabilities`, as JSON, only where
they stand in another order), and a vote that is a word is in `value_text`, one that is a number in `value`.

It holds every kind of record, and nothing is lost. In files of other tools, columns may be missing, and columns that
Karat does not know become unknown fields; only `kind` must be there. Needs the parquet extra (pyarrow).
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
ROWS = 32_768
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
    from karat.formats.karat.plain import Codes

    return read_plain(source, Codes())


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
    if "v" in columns and not (pa.types.is_integer(columns["v"].type) and columns["v"].unique().to_pylist() == [1]):
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
    # Checksums, because a bit that flipped would else become another record; JSONL.gz has them, too.
    written = pa.PythonFile(_Written(sink), mode="w")
    with pq.ParquetWriter(written, schema, compression="zstd", write_page_checksum=True) as writer:
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

    only: row groups in which all rows are of other kinds are left out.
    """
    # What the file says about its columns (statistics, sizes) is not looked at: in a damaged file that may end the
    # whole process inside pyarrow, with no error that could be caught.
    pa, _ = _pyarrow()
    try:
        with source.open() as file:
            parquet = _opened(source, file)
            first = 1
            for group in range(parquet.num_row_groups):
                if only is not None:
                    count, kinds = 0, set()
                    for batch in parquet.iter_batches(batch_size=ROWS, row_groups=[group], columns=["kind"]):
                        batch.validate(full=True)
                        kinds |= set(_values(batch.column(0)))
                        count += batch.num_rows
                    if only.isdisjoint(kinds):
                        first += count
                        continue
                for batch in parquet.iter_batches(batch_size=ROWS, row_groups=[group]):
                    # Texts that are not UTF-8, and numbers that point outside a dictionary.
                    batch.validate(full=True)
                    _check_expansion(source, batch, first)
                    filled = [at for at, column in enumerate(batch.columns) if column.null_count < batch.num_rows]
                    yield batch.select(filled), first
                    first += batch.num_rows
            if first - 1 != parquet.metadata.num_rows:
                raise ValueError(
                    f"it says that it has {parquet.metadata.num_rows:,} rows, and {first - 1:,} were found"
                )
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        said = str(error).splitlines()
        source.fail(f"cannot be read as Parquet: {said[0] if said else 'it is damaged'}", code="unreadable", line=1)


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
    parquet = pq.ParquetFile(file, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True)
    rows = parquet.metadata.num_rows
    if rows > max(FREE, RATIO * size):
        raise ValueError(f"it has {rows:,} rows in {size:,} bytes, more than any file that was not made to fill memory")
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
