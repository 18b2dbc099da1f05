"""job.json: which command a job belongs to, and how far it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from karat.model import Unfinished, UnfitInput

ABOUT = "job.json"
Moment = Annotated[float, msgspec.Meta(ge=0, le=250_000_000_000)]
"""Seconds since 1970, up to a year that a calendar has."""


class JobAbout(msgspec.Struct, kw_only=True):
    """What job.json says."""

    kind: Literal["karat-job"]
    v: int = 1
    version: str = ""
    command: list[str] = []
    folder: str = ""
    """The folder in which the command was given."""
    engine: str | None = None
    workers: int | None = None
    begun: Moment = 0.0
    ended: Moment | None = None
    """When the command ended well; None while it works, and where it was stopped."""
    done: int = 0
    """How many chunks the command has, made or found, since it was given; some seconds old while it works."""
    expected: int = 0
    """How many it will have, as far as is known; 0: that is not known."""


def name_at(command: Sequence[str]) -> int:
    """Where the name of the command is among its words: behind the options of `karat` itself, which take no values."""
    return next((at for at, word in enumerate(command) if not word.startswith("-")), 0)


def read_about(folder: Path) -> JobAbout | None:
    """What job.json says; None where there is none, or an empty one, which a failure of the machine may leave."""
    file = folder / ABOUT
    if file.exists() and not file.is_file():
        # Reading a pipe would wait without end.
        raise UnfitInput(f"{file} is not a file")
    try:
        content = file.read_bytes()
        about = msgspec.json.decode(content, type=JobAbout) if content else None
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise UnfitInput(f"{folder} is not a folder") from None
    except (OSError, ValueError, RecursionError) as error:
        # msgspec's errors are ValueErrors, too.
        raise UnfitInput(
            f"{file}: {error}; `karat job clean {folder}` removes the job, and its command begins anew"
        ) from None
    return about


def write_about(folder: Path, about: JobAbout) -> None:
    """Write job.json, whole or not at all."""
    part = folder / f"{ABOUT}.part"
    try:
        with part.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")
            # On the disk before it has the name: a machine that fails must not leave an empty file.
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, folder / ABOUT)
    except OSError as error:
        raise Unfinished(f"{folder / ABOUT}: it could not be written ({error.strerror})") from None
