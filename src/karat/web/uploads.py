"""Files that organisers send: bounded in size, number and in what they unpack to, before anything reads them."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from litestar.datastructures import UploadFile

from karat.model import UsageError

MAX_UPLOAD = 50_000_000
MAX_UNPACKED = 400_000_000
"""What all files of one upload may unpack to: a few kilobytes can hold gigabytes of zeros."""
MAX_FILES = 50
BLOCK = 1 << 20


def save_uploads(files: Sequence[UploadFile], folder: Path) -> list[Path]:
    """Write the files into the folder, unpacked; the names are those of the person, made harmless. It takes long."""
    if len(files) > MAX_FILES:
        raise UsageError(f"{len(files)} files were sent; at most {MAX_FILES} are read at once.")
    budget = Budget(MAX_UNPACKED)
    saved: list[Path] = []
    for file in files:
        if not file.filename:
            continue
        for name, blocks in unpacked(file.filename, file.file, budget):
            path = folder / free_name(name, {other.name for other in saved})
            with path.open("wb") as target:
                for block in blocks:
                    target.write(block)
            saved.append(path)
            if len(saved) > MAX_FILES:
                raise UsageError(f"More than {MAX_FILES} files were sent; split the archive.")
    return saved


class Budget:
    """How many bytes may still be unpacked."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.left -= len(block)
            if self.left < 0:
                raise UsageError(
                    f"The files unpack to more than {MAX_UNPACKED // 1_000_000} MB; import them with "
                    "`karat campaign import` on the server."
                )
            yield block


def unpacked(name: str, file: IO[bytes], budget: Budget) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The file itself, or what is in it: gzip and zip are recognised by their first bytes."""
    start = file.read(4)
    file.seek(0)
    if start[:2] == b"\x1f\x8b":
        yield re.sub(r"\.gz$", "", name), budget.spend(_gunzip(name, file))
    elif start == b"PK\x03\x04":
        yield from _unzip(name, file, budget)
    else:
        yield name, budget.spend(iter(lambda: file.read(BLOCK), b""))


def _gunzip(name: str, file: IO[bytes]) -> Iterator[bytes]:
    decoder = zlib.decompressobj(wbits=31)
    try:
        data = file.read(BLOCK)
        while data:
            yield decoder.decompress(data, BLOCK)
            data = decoder.unconsumed_tail
            if decoder.eof:
                # A second member may follow the first.
                data, decoder = decoder.unused_data, zlib.decompressobj(wbits=31)
            data = data or file.read(BLOCK)
    except zlib.error as error:
        raise UsageError(f"{name}: cannot be unpacked: {error}") from None


def _unzip(name: str, file: IO[bytes], budget: Budget) -> Iterator[tuple[str, Iterator[bytes]]]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MAX_FILES:
                raise UsageError(f"{name}: holds {len(members)} files; at most {MAX_FILES} are read at once.")
            for member in members:
                with archive.open(member) as opened:
                    yield member.filename, budget.spend(iter(lambda: opened.read(BLOCK), b""))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        raise UsageError(f"{name}: cannot be unpacked: {error}") from None


def free_name(name: str, taken: set[str]) -> str:
    """A file name without folders or strange characters that no other file has.

    >>> free_name("../../etc/passwd", set()), free_name("a.jsonl", {"a.jsonl"})
    ('passwd', '2-a.jsonl')
    """
    plain = re.sub(r"[^\w.\- ]", "_", PurePosixPath(name.replace("\\", "/")).name).lstrip(".")[-80:] or "file"
    number, free = 1, plain
    while free in taken:
        number += 1
        free = f"{number}-{plain}"
    return free
