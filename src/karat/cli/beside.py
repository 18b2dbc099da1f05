"""Files that belong to those named, and were not named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def unread_nugs(files: Sequence[str]) -> tuple[str, ...]:
    """A note on each file of nugs that `karat review` wrote beside one of the files and that is not among them."""
    named = {Path(file).resolve() for file in files}
    found = []
    for file in files:
        path = Path(file)
        beside = path.with_name(path.name.removesuffix(".jsonl") + ".nugs.jsonl") if path.name else path
        if beside.is_file() and beside.resolve() not in named:
            found.append(
                f"{beside} lies beside {file} with nugs and descriptions of a review, and was not read: name it among "
                "the files to judge with them"
            )
    return tuple(found)
