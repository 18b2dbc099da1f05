"""Writing a folder of shards with its manifest, whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, cast

import msgspec

from karat.formats.io.overwriting import check_target
from karat.formats.io.sink import Losses, Sink, new_mode
from karat.formats.karat.manifest import MANIFEST, Manifest, Shard, file_hash, has_manifest, is_part
from karat.formats.registry import get_format
from karat.model import AnyRecord, Unfinished, UsageError, encode_record, kind_of

RECORDS = 100_000
"""Records of a shard, where nothing else is said."""
ENDINGS = {"karat": ".jsonl.gz", "parquet": ".parquet"}
_SIZE = re.compile(r"(\d+)\s*([KMG]i?B?)?", re.IGNORECASE)
_UNITS = {"k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}


class ShardSize(msgspec.Struct, frozen=True):
    """How large a shard is at most: a number of records, or bytes of JSON before compression."""

    records: int | None = RECORDS
    bytes: int | None = None


def shard_size(text: str | int) -> ShardSize:
    """From what the user says: a number of records, or a size.

    >>> shard_size("50000"), shard_size("256MB")
    (ShardSize(records=50000, bytes=None), ShardSize(records=None, bytes=256000000))
    """
    found = _SIZE.fullmatch(str(text).strip())
    if found is None or not int(found[1]):
        raise UsageError(f"--shards {text}: give records per shard (100000) or a size (256MB)")
    unit = (found[2] or "").lower().removesuffix("b")
    return ShardSize(None, int(found[1]) * _UNITS[unit]) if unit else ShardSize(int(found[1]))


def is_folder(target: str | Path) -> bool:
    """Whether an output is meant as a folder of shards: its name ends in a slash."""
    return str(target).endswith(("/", os.sep))


def check_folder(target: str | Path) -> None:
    """Raise UsageError where a folder of shards may not be written: there is something else, or an input."""
    folder = Path(target)
    if str(target) == "-" or (folder.suffix and not is_folder(target) and not folder.exists()):
        what = "standard output is not a folder" if str(target) == "-" else f"{target} is the name of a file"
        raise UsageError(f"{what}, and --shards writes several files: name a folder with -o, such as -o shards/")
    if not folder.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {folder.parent}; create it or name another one")
    if not folder.exists() and not folder.is_symlink():
        return
    if folder.resolve() == Path.cwd():
        raise UsageError(f"{target}: is the folder in which you are, and a folder of shards is made anew; name another")
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{target}: is not a folder, and shards are written into one; name another one")
    found = sorted(folder.iterdir())
    if not found:
        return
    foreign = [path for path in found if path.name != MANIFEST and not (is_part(path) and path.is_file())]
    if not has_manifest(folder) or foreign:
        named = f" (such as {foreign[0].name})" if foreign else ""
        raise UsageError(
            f"{target}: is a folder with files that Karat did not write{named}; name a new or an empty folder"
        )
    for path in found:
        check_target(path)


def write_shards(
    records: Iterable[AnyRecord], target: str | Path, losses: Losses, *, format: str = "karat",
    size: ShardSize | None = None,
) -> Manifest:  # fmt: skip
    """Write records as shards into a folder beside the target, which becomes the target at the end.

    A folder that Karat wrote is replaced; any other that is not empty is refused. Records are written as they come, so
    that memory stays flat.
    """
    if format not in ENDINGS:
        raise UsageError(f"a folder of shards holds {' or '.join(ENDINGS)}, not {format}; name a file instead")
    check_folder(target)
    folder = Path(target)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=".karat-", suffix=".part", dir=folder.parent))
    except OSError as error:
        raise Unfinished(f"{target}: cannot be written: {error.strerror or error}") from None
    try:
        shards = tuple(_written(iter(records), temporary, losses, format, size or ShardSize()))
        kinds: Counter[str] = Counter()
        for shard in shards:
            kinds.update(shard.kinds)
        from karat import __version__

        manifest = Manifest(
            karat=__version__, format=format, records=sum(kinds.values()), kinds=dict(kinds), shards=shards
        )
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        (temporary / MANIFEST).write_bytes(text + b"\n")
        _allow(temporary)
        check_folder(target)
        _replace(temporary, folder)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(target)
        raise
    return manifest


def _written(
    records: Iterator[AnyRecord], folder: Path, losses: Losses, format: str, size: ShardSize
) -> Iterator[Shard]:
    writer = get_format(format).write
    assert writer is not None
    for number, first in enumerate(records):
        path = folder / f"part-{number:05}{ENDINGS[format]}"
        kinds: Counter[str] = Counter()
        with path.open("wb") as file:
            some = _counted(_some(first, records, size), kinds)
            if format == "karat":
                # Without a name and a time in the header, so that the same records give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                    writer(some, Sink(cast(IO[bytes], packed), losses))
            else:
                writer(some, Sink(file, losses))
        yield Shard(
            file=path.name, records=sum(kinds.values()), bytes=path.stat().st_size, sha256=file_hash(path),
            kinds=dict(kinds),
        )  # fmt: skip


def _some(first: AnyRecord, rest: Iterator[AnyRecord], size: ShardSize) -> Iterator[AnyRecord]:
    """The records of one shard."""
    written = 0
    for number, record in enumerate(chain([first], rest), 1):
        yield record
        if size.bytes is not None:
            written += len(encode_record(record)) + 1
        if number == size.records or (size.bytes is not None and written >= size.bytes):
            return


def _counted(records: Iterable[AnyRecord], kinds: Counter[str]) -> Iterator[AnyRecord]:
    for record in records:
        kinds[kind_of(record)] += 1
        yield record


def _allow(folder: Path) -> None:
    """Give the folder the permissions that a new one gets: a temporary one is private."""
    folder.chmod(new_mode(0o777))


def _replace(temporary: Path, folder: Path) -> None:
    if not folder.exists():
        temporary.rename(folder)
        return
    if not any(folder.iterdir()):
        folder.rmdir()
        temporary.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=".karat-", suffix=".old", dir=folder.parent))
    kept = old / folder.name
    try:
        folder.rename(kept)
        temporary.rename(folder)
    except BaseException:
        if kept.exists():
            kept.rename(folder)
        old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)
