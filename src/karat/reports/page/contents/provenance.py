"""Where a report comes from: enough to make it again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from karat import __version__

BLOCK = 1 << 20
LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")


@dataclass(frozen=True)
class InputFile:
    """A file that was read: as it was named, with its size and SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """What was run, on which files, when."""

    command: str
    inputs: tuple[InputFile, ...]
    time: str
    """When it was made, as text; empty where the user does not want it."""
    versions: tuple[tuple[str, str], ...]


def provenance_of(command: str, files: Sequence[str], *, time: str) -> Provenance:
    """files: what the user named; NAME=FILE and folders are followed to the files themselves."""
    inputs = []
    for file in files:
        path = Path(file)
        members = sorted(member for member in path.rglob("*") if member.is_file()) if path.is_dir() else [path]
        inputs += [_hashed(str(member), member) for member in members if member.is_file()]
    return Provenance(command=command, inputs=tuple(inputs), time=time, versions=tuple(_versions()))


def _hashed(name: str, path: Path) -> InputFile:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            size += len(block)
    return InputFile(name=name, size=size, sha256=digest.hexdigest())


def _versions() -> list[tuple[str, str]]:
    found = [("karat", __version__), ("Python", platform.python_version())]
    for library in LIBRARIES:
        try:
            found.append((library, version(library)))
        except PackageNotFoundError:
            continue
    return found
