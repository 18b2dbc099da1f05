"""The manifest of a folder of shards: `manifest.json`, which says what each shard holds.

    {"kind": "karat-shards", "v": 1, "karat": "0.1.0", "format": "karat", "records": 250000,
     "kinds": {"judgement": 250000},
     "shards": [{"file": "part-00000.jsonl.gz", "records": 100000, "bytes": 812345, "sha256": "...",
                 "kinds": {"judgement": 100000}}, ...]}

Whoever reads the folder checks that every shard is there, that no other is, and that their sizes are right; `karat
lint` also checks hashes and numbers of records. A folder of files `part-*` without a manifest is read in the natural
order of their names, if they hold Karat's records: other programs call their files so, too. What is in the folder and
is no shard is not read: `unread` names it.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from karat.model import InputError, Problem
from karat.model.wording import natural, number_of

MANIFEST = "manifest.json"
KIND = "karat-shards"
CODE = "bad-shard"
MOST_BYTES = 64 << 20
"""The largest manifest that is read (64 MiB)."""
ENDINGS = (".jsonl", ".json", ".jl", ".ndjson", ".csv", ".tsv", ".xlsx", ".parquet")
"""The endings of files that are read from a folder (also with .gz)."""
READ = f"those that end in {', '.join(ENDINGS)}, also with .gz"
FEW = 3
_DOCUMENTATION = re.compile(r"readme|licen[cs]e|notice|copying|changelog|citation", re.IGNORECASE)
_PART = re.compile(r"part-.+\.(jsonl|jsonl\.gz|parquet)", re.IGNORECASE)
_STEP = 1 << 20


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the folder."""

    file: str
    records: int
    bytes: int
    sha256: str
    kinds: dict[str, int] = {}


class Manifest(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=KIND):
    """What is in a folder of shards."""

    v: Literal[1] = 1
    karat: str
    """The version of Karat that wrote it."""
    format: str
    """The format of each shard: karat or parquet."""
    records: int
    kinds: dict[str, int]
    shards: tuple[Shard, ...]


def is_part(path: Path) -> bool:
    """Whether a file has the name of a shard."""
    return _PART.fullmatch(path.name) is not None


def has_manifest(folder: Path) -> bool:
    """Whether the folder has a manifest of shards; a broken one counts, because its reader says what is wrong.

    Beside files that are called `part-...` every file of its name is one, whatever is left of it.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            if KIND.encode() in file.read(_STEP):
                return True
    except OSError:
        pass
    return _are_parts(_files(folder))


def is_sharded(folder: Path) -> bool:
    """Whether the folder holds shards: there is a manifest, or its data files are `part-...` of Karat's records."""
    if has_manifest(folder):
        return True
    files = _files(folder)
    return _are_parts(files) and _may_have_records(next(filter(is_part, files)))


def _are_parts(files: Sequence[Path]) -> bool:
    """Whether some files are shards and the others are no data that Karat reads."""
    return any(map(is_part, files)) and all(is_part(path) or not is_data(path) for path in files)


def _may_have_records(path: Path) -> bool:
    """False where the first line of a shard is an object of another program: it has no `kind`."""
    if path.suffix.lower() == ".parquet":
        return True
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rb") as file:
            first = msgspec.json.decode(file.readline(_STEP), type=dict[str, msgspec.Raw])
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        # What is wrong with it is said when it is read.
        return True
    return "kind" in first


def is_data(path: Path) -> bool:
    """Whether a file has the name of one that is read from a folder."""
    return not path.name.startswith(".") and path.name.lower().removesuffix(".gz").endswith(ENDINGS)


def unread(folder: Path, read: Collection[Path]) -> list[Problem]:
    """A warning that names what else is in a folder of which some files are read."""
    left = [path for path in _entries(folder) if path not in read and not _DOCUMENTATION.match(path.name)]
    if not left:
        return []
    names = ", ".join(f"{path.name}/" if path.is_dir() else path.name for path in left[:FEW])
    more = f" and {len(left) - FEW:,} more" if len(left) > FEW else ""
    message = f"not read: {names}{more}; of a folder only files are read, and no folders ({READ})"
    return [Problem(file=_name(folder), line=0, path="", code="not-read", message=message)]


def shards_of(folder: Path) -> tuple[list[tuple[Path, Shard | None]], list[Problem]]:
    """The shards in their order, each with its entry in the manifest (None: there is none); and what is wrong.

    A shard that is missing, has another size or is not in the manifest is among the problems and not among the shards.

    Raises:
        InputError: the manifest cannot be read.
    """
    named = [path for path in _entries(folder) if path.name.startswith("part-")]
    no_files = [path for path in named if not path.is_file()]
    problems = [_wrong(path, f"is {_kind(path)}, and not a file: move it elsewhere") for path in no_files]
    problems += [
        _wrong(path, "is not a shard that is read (.jsonl, .jsonl.gz, .parquet): unpack it, rename it or move it")
        for path in named
        if path.is_file() and not is_part(path)
    ]
    if not has_manifest(folder):
        paths = sorted(filter(is_part, _files(folder)), key=lambda path: natural(path.name))
        # Files of these two kinds have a beginning and an end even where they hold nothing.
        empty = [path for path in paths if path.suffix.lower() in (".gz", ".parquet") and not path.stat().st_size]
        problems += [_wrong(path, "is empty: it was cut off") for path in empty]
        return [(path, None) for path in paths if path not in empty], problems
    manifest = read_manifest(folder)
    shards: list[tuple[Path, Shard | None]] = []
    for shard in manifest.shards:
        path = folder / shard.file
        if path in no_files:
            continue
        try:
            size = path.stat().st_size
        except (OSError, ValueError):
            problems.append(_wrong(path, f"is missing: {MANIFEST} names it"))
            continue
        if size != shard.bytes:
            more = "longer than it was" if size > shard.bytes else "cut off or changed"
            problems.append(_wrong(path, f"has {size:,} bytes, but {shard.bytes:,} by {MANIFEST}: it is {more}"))
            continue
        shards.append((path, shard))
    known = {shard.file for shard in manifest.shards}
    for path in _files(folder):
        if path.name not in known and is_data(path):
            problems.append(_wrong(path, f"is not in {MANIFEST}; move it out of the folder, or write the folder again"))
    return shards, problems


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; InputError where it is none."""
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES >> 20} MiB")
        manifest = msgspec.json.decode(data, type=Manifest)
    except OSError as error:
        raise InputError([_wrong(path, f"cannot be read: {error.strerror or error}")]) from None
    except (ValueError, RecursionError) as error:
        # msgspec's errors are ValueErrors, too.
        raise InputError(
            [
                _wrong(
                    path,
                    f"is not a manifest of shards: {error}; if it is another program's file, move it out of the folder",
                )
            ]
        ) from None
    names = [shard.file for shard in manifest.shards]
    for name in names:
        # A manifest is data: it may not point to files elsewhere.
        if Path(name).name != name or name in ("", ".", "..") or "\0" in name:
            raise InputError([_wrong(path, f"{name!r} is not the name of a file in the folder")])
    repeated = next((name for name, times in Counter(names).items() if times > 1), None)
    if repeated is not None:
        raise InputError([_wrong(path, f"{repeated!r} is named twice")])
    return manifest


def hash_problems(folder: Path) -> Iterator[Problem]:
    """What only reading the whole shards tells: hashes that differ from the manifest, and sums that are wrong in it."""
    if not has_manifest(folder):
        return
    manifest = read_manifest(folder)
    for shard in manifest.shards:
        path = folder / shard.file
        # One of another size is reported as such.
        if path.is_file() and path.stat().st_size == shard.bytes and file_hash(path) != shard.sha256:
            yield _wrong(path, f"was changed: its SHA-256 is not that of {MANIFEST}")
        if shard.kinds and sum(shard.kinds.values()) != shard.records:
            yield _wrong(folder / MANIFEST, f"{shard.file}: the numbers by kind do not add up to {shard.records:,}")
    kinds = sum((Counter(shard.kinds) for shard in manifest.shards), Counter[str]())
    if all(shard.kinds for shard in manifest.shards) and kinds != Counter(manifest.kinds):
        yield _wrong(folder / MANIFEST, "its numbers by kind are not those of its shards")
    held = sum(shard.records for shard in manifest.shards)
    if held != manifest.records:
        yield _wrong(folder / MANIFEST, f"names {manifest.records:,} records, but its shards {held:,}")


def count_problem(path: Path, shard: Shard, counted: int) -> Problem | None:
    """What is wrong where a shard has another number of records than its manifest says."""
    if counted == shard.records:
        return None
    return _wrong(path, f"has {number_of(counted, 'record')}, but {shard.records:,} by {MANIFEST}")


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, in hex digits."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_STEP):
            digest.update(block)
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    return [path for path in _entries(folder) if path.is_file()]


def _entries(folder: Path) -> list[Path]:
    """What is in the folder beside the manifest, and not hidden."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in paths if not _is_hidden(path) and path.name != MANIFEST]


def _is_hidden(path: Path) -> bool:
    """Names that begin with a dot, and what other programs leave beside shards (`_SUCCESS`, `_metadata`)."""
    return path.name.startswith(".") or (path.name.startswith("_") and not is_data(path))


def _kind(path: Path) -> str:
    return "a folder" if path.is_dir() else "a link to nothing" if path.is_symlink() else "a pipe or a device"


def _wrong(path: Path, message: str) -> Problem:
    return Problem(file=_name(path), line=0, path="", code=CODE, message=message)


def _name(path: Path) -> str:
    return str(path).encode("utf-8", "replace").decode("utf-8")
