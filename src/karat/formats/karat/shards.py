"""A folder of shards: Karat's records in several files, read one after another as if they were one file.

    judgements/manifest.json             what each shard holds
    judgements/part-00000.jsonl.gz       Karat's JSONL, plain or compressed, or Parquet
    judgements/part-00001.jsonl.gz

`karat convert ... -o judgements/` (and `judge`, `nuggetize`, `karat.write` in Python) writes such a folder, whole or
not at all: 100,000 records per shard, or as --shards says, as JSONL.gz or with --to parquet as Parquet. A folder that
is not empty is replaced only if Karat wrote it. The manifest:

    {"kind": "karat-shards", "v": 1, "karat": "0.1.0", "format": "karat", "records": 250000,
     "kinds": {"judgement": 250000},
     "shards": [{"file": "part-00000.jsonl.gz", "records": 100000, "bytes": 812345, "sha256": "...",
                 "kinds": {"judgement": 100000}}, ...]}

A shard that is missing, has another size or is not in the manifest stops the work, with its name; with --on-error
skip it is left out, and the others are read. `karat lint` also checks hashes and numbers of records. A folder without a
manifest is read in the same way, in the natural order of names, if its files of data are called `part-...` and hold
Karat's records (answers in files of such names are read file by file, as in any folder). Messages name the shard and
its line (in Parquet, its row). What else is in the folder is not read, and named in a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from karat.formats.io.definitions import DefinedAt
from karat.formats.io.head import Head
from karat.formats.io.rows import Batch
from karat.formats.io.source import Source
from karat.formats.karat import jsonl, parquet
from karat.formats.karat.manifest import CODE, MANIFEST, Shard, count_problem, hash_problems, is_sharded, shards_of
from karat.formats.karat.plain import Codes, PlainBatch
from karat.model import AnyRecord, InputError, Problem, kind_of
from karat.model.identity import DEFINITIONS

TITLE = "a folder of Karat's records in several files, with a manifest"
_SHIFT = 40
"""Places of definitions in a folder are numbers: the shard, and the line in these last bits."""
_DEFINING = frozenset(kind_of(kind) for kind in DEFINITIONS)


def sniff_karat_shards(head: Head) -> bool:
    return head.is_directory and is_sharded(head.source.path)


def read_karat_shards(source: Source) -> Iterator[AnyRecord]:
    """The records of all shards, in order. What is wrong with one has been reported when the next one is read."""
    for part, _, is_parquet in _parts(source):
        with suppress(InputError):
            yield from parquet.read_parquet(part) if is_parquet else jsonl.read_karat(part)


def read_batches(source: Source) -> Iterator[Batch]:
    """The same records in batches; each says in which shard it is."""
    return _batches(source)


def read_plain(source: Source, codes: Codes) -> Iterator[Batch]:
    """The same, with plain judgements as columns."""
    return _batches(source, codes)


def _batches(source: Source, codes: Codes | None = None) -> Iterator[Batch]:
    for at, (part, shard, is_parquet) in enumerate(_parts(source)):
        reader = parquet if is_parquet else jsonl
        with suppress(InputError):
            for batch in reader.read_batches(part) if codes is None else reader.read_plain(part, codes):
                batch.file, batch.before = part.name, at << _SHIFT
                if shard is not None and not _defines(shard):
                    _check_kinds(part, batch)
                yield batch


def read_definitions(source: Source) -> Iterator[tuple[AnyRecord, DefinedAt]]:
    """Only the records that others refer to; shards without any, by the manifest, are not opened."""
    for at, (part, shard, is_parquet) in enumerate(_parts(source)):
        if shard is None or _defines(shard):
            definitions = parquet.read_definitions(part) if is_parquet else jsonl.read_definitions(part)
            with suppress(InputError):
                for record, place in definitions:
                    yield record, DefinedAt(place.line, part.name, at << _SHIFT)


def shard_problems(source: Source) -> Iterator[Problem]:
    """What differs from the manifest although sizes are right: hashes and numbers of records."""
    try:
        yield from hash_problems(source.path)
        for part, shard, is_parquet in _parts(Source(source.path)):
            if shard is None:
                continue
            with suppress(InputError):
                counted = (
                    parquet.row_count(part) if is_parquet else sum(not line.isspace() for line in part.lines() if line)
                )
                if (problem := count_problem(part.path, shard, counted)) is not None:
                    yield problem
    except InputError:
        # Reported when the records were read.
        return


def _defines(shard: Shard) -> bool:
    return not shard.kinds or not _DEFINING.isdisjoint(shard.kinds)


def _check_kinds(part: Source, batch: Batch) -> None:
    if isinstance(batch, PlainBatch):
        return
    for record, line in zip(batch.records, batch.lines, strict=True):
        if type(record) in DEFINITIONS:
            part.fail(f"has a {kind_of(record)}, and {MANIFEST} says that there is none in it", code=CODE, line=line)


def _parts(source: Source) -> Iterator[tuple[Source, Shard | None, bool]]:
    try:
        shards, problems = shards_of(source.path)
    except InputError as error:
        shards, problems = [], list(error.problems)
    # Reported as problems of the source, so that they stop the work or are listed like others.
    source.problems += problems
    entries: dict[Path, Shard | None] = dict(shards)
    for part in source.parts(entries):
        yield part, entries[part.path], parquet.sniff_parquet(Head(part))
