"""A folder given as an input: the files of a data set that Karat knows, all or a part of it, or a folder of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.formats.datasets.catalog import public_collections
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.karat.manifest import READ, is_data, is_sharded, unread
from karat.formats.registry import all_formats
from karat.model import Problem, UnfitInput
from karat.model.wording import natural

MOST_FILES = 1_000
"""How many files of a folder are read: more were hardly meant."""


def files_of(folder: Path) -> list[tuple[Path, str | None]]:
    """What to read for a folder: each path with its format (None: recognised from its content).

    A folder of shards, or one that is a data set by itself, is one path. Of a collection that `karat data` names, these
    are the files of its catalogue entry that are in the folder; of any other folder, its JSON, CSV and TSV files.
    """
    head = Head(Source(folder))
    if is_sharded(folder):
        return [(folder, "karat-shards")]
    if any(format.sniff(head) for format in all_formats()):
        return [(folder, None)]
    place = folder.resolve()
    for collection in public_collections():
        for base in (place, *place.parents):
            if base.name == collection.folder:
                known = [(path, format) for path, format in collection.paths(base.parent) if place in path.parents]
                if known:
                    return [(path, format) for path, format in known]
    named = [path for path in sorted(folder.iterdir(), key=lambda path: natural(path.name)) if is_data(path)]
    if missing := [path for path in named if not path.exists()]:
        raise UnfitInput(f"{missing[0]}: is a link to a file that is not there; bring the file, or remove the link")
    found = [path for path in named if path.is_file()]
    if not found:
        raise UnfitInput(
            f"{folder}: is a folder without files that Karat reads ({READ}), and no data set that it reads as a "
            "folder; name the files"
        )
    if len(found) > MOST_FILES:
        raise UnfitInput(f"{folder}: has {len(found):,} files, more than {MOST_FILES:,}; name those that you mean")
    return [(path, None) for path in found]


def unread_beside(folder: Path, files: Sequence[tuple[Path, str | None]]) -> list[Problem]:
    """A warning where a folder of shards or of runs has something else in it, which is not read."""
    if any(format == "karat-shards" for _, format in files):
        # What is called like a shard, or like other data, is read or a problem.
        return unread(folder, {path for path in folder.iterdir() if path.name.startswith("part-") or is_data(path)})
    if any(format is not None or path == folder for path, format in files):
        # A data set: its catalogue says what is read.
        return []
    return unread(folder, {path for path, _ in files})
