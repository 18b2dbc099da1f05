"""The public collections that Karat can read: where each is published, its licence, and whether it is here."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import msgspec


class PublicCollection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published collection."""

    name: str
    folder: str
    holds: str
    published: str
    licence: str
    files: dict[str, str]
    """Patterns of file names inside the folder, each with the format of these files."""

    def paths(self, data: Path) -> list[tuple[Path, str]]:
        """The files (or folders that are read as a whole) in a data folder, each with its format."""
        folder = data / self.folder
        format_by_path: dict[Path, str] = {}
        for pattern, format in self.files.items():
            for path in [folder] if pattern == "." else sorted(folder.glob(pattern)):
                if path.exists():
                    format_by_path.setdefault(path, format)
        return list(format_by_path.items())


def public_collections() -> list[PublicCollection]:
    """All collections, in the order of the catalogue."""
    text = files(__package__).joinpath("catalog.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text)["collection"], list[PublicCollection])
