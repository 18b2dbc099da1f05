"""The folder of a job: what was asked (job.json), and the results of finished chunks by the hash of their content.

    job.json        the command, its folder, the version of Karat, when it began and when it ended
    chunks.sqlite   chunk: name (hash of the chunk, the settings and the code), checked (a checksum), value

The process that gives out the work writes the results as they arrive, each in one transaction: when it is killed, only
chunks under way are lost. A name is written once, whoever made the result, and a result counts only where its checksum
is right. Values are never pickles: a job from somebody else cannot run code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from karat import __version__
from karat.model import Unfinished, UnfitInput, UsageError
from karat.model.wording import number_of

ABOUT, CHUNKS = "job.json", "chunks.sqlite"
_AT_ONCE = 500
_MADE = (ABOUT, CHUNKS, f"{CHUNKS}-journal", f"{ABOUT}.part")


class JobAbout(msgspec.Struct, kw_only=True):
    """What job.json says."""

    kind: Literal["karat-job"]
    v: int = 1
    version: str = ""
    command: list[str] = []
    folder: str = ""
    """The folder in which the command was given."""
    begun: float = 0.0
    ended: float | None = None
    """When the command ended well; None while it works, and where it was stopped."""


@dataclass(frozen=True)
class JobState:
    """What `karat job status` shows."""

    folder: Path
    about: JobAbout
    chunks: int
    bytes: int
    is_running: bool
    """Whether a process works on it now."""


class JobFolder:
    """An open job; only one process at a time has it open."""

    def __init__(self, folder: Path, *, command: Sequence[str] = (), say: Callable[[str], None] | None = None) -> None:
        self.folder = folder
        self.command = list(command)
        self.say = say or (lambda text: None)
        self.made = self.found = 0
        """How many chunks were made here, and how many were there."""

    def __enter__(self) -> JobFolder:
        _check_place(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._db = _connected(self.folder / CHUNKS)
        try:
            self._prepare()
            about = _about(self.folder)
            if about is None or about.command != self.command or about.ended is not None:
                begun = time.time() if about is None else about.begun
                about = JobAbout(
                    kind="karat-job", command=self.command, folder=str(Path.cwd()), begun=begun, version=__version__
                )
            about.ended = None
            self.about = about
            _write_about(self.folder, about)
        except BaseException:
            self._db.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.about.ended = time.time()
            _write_about(self.folder, self.about)
        elif self.made or self.found:
            self.say(
                f"finished work is kept in {self.folder} ({number_of(self.made + self.found, 'chunk')}): give the same "
                f"command again, or `karat job resume {self.folder}`, to go on"
            )
        self._db.close()

    def _prepare(self) -> None:
        try:
            # Held until the end: it keeps a second process out, and reading needs no lock of its own.
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("BEGIN EXCLUSIVE")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS chunk (name BLOB PRIMARY KEY, checked BLOB NOT NULL, value BLOB NOT NULL)"
            )
            self._db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise UsageError(
                    f"another process works on the job {self.folder} now; wait for it, or name another folder"
                ) from None
            raise Unfinished(f"{self.folder / CHUNKS}: {error}") from None
        except sqlite3.DatabaseError as error:
            raise UnfitInput(
                f"{self.folder / CHUNKS} is damaged ({error}); remove it with `karat job clean {self.folder}`"
            ) from None

    def get(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        """The results that are kept, by name."""
        found: dict[bytes, bytes] = {}
        try:
            for begin in range(0, len(names), _AT_ONCE):
                part = names[begin : begin + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = self._db.execute(
                    f"SELECT name, checked, value FROM chunk WHERE name IN ({marks})",  # noqa: S608
                    tuple(part),
                )
                for name, checked, value in rows:
                    if checked == _check(name, value):
                        found[name] = value
                    else:
                        self.say(f"{self.folder / CHUNKS}: a damaged result is ignored and made again")
        except sqlite3.DatabaseError as error:
            raise UnfitInput(
                f"{self.folder / CHUNKS} is damaged ({error}); remove it with `karat job clean {self.folder}`"
            ) from None
        self.found += len(found)
        return found

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep some results; they are on the disk when this returns."""
        rows = [(name, _check(name, value), value) for name, value in values.items()]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise Unfinished(f"{self.folder / CHUNKS}: finished work could not be kept ({error})") from None
        self.made += len(rows)


def read_job(folder: Path) -> JobState:
    """What is in the folder of a job."""
    about = _about(folder)
    if about is None:
        raise UnfitInput(f"{folder} is not the folder of a job: it has no {ABOUT}")
    file = folder / CHUNKS
    if not file.exists():
        return JobState(folder, about, 0, 0, False)
    db = _connected(file)
    try:
        (chunks,) = db.execute("SELECT count(*) FROM chunk").fetchone()
        return JobState(folder, about, chunks, file.stat().st_size, False)
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return JobState(folder, about, 0, file.stat().st_size, True)
        if "no such table" in str(error):
            return JobState(folder, about, 0, file.stat().st_size, False)
        raise UnfitInput(f"{file}: {error}") from None
    except sqlite3.DatabaseError as error:
        raise UnfitInput(f"{file} is damaged ({error}); remove it with `karat job clean {folder}`") from None
    finally:
        db.close()


def clean(folder: Path) -> int:
    """Remove what a job has kept, and the folder if nothing else is in it; returns the bytes that became free."""
    state = None
    with contextlib.suppress(UnfitInput):
        state = read_job(folder)
    if state is None and _about(folder) is None:
        raise UnfitInput(f"{folder} is not the folder of a job: it has no {ABOUT}; nothing was removed")
    if state is not None and state.is_running:
        raise UsageError(f"a process works on the job {folder} now; stop it first")
    freed = 0
    # Last what says that this is a job, so that a clean that was stopped can be given again.
    for name in (*(name for name in _MADE if name != ABOUT), ABOUT):
        file = folder / name
        if file.is_file() and not file.is_symlink():
            freed += file.stat().st_size
            file.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
    return freed


def _check_place(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for the job")
    if folder.is_dir() and _about(folder) is None and any(folder.iterdir()):
        raise UsageError(f"{folder} has other files and is not the folder of a job; name a new or an empty folder")


def _about(folder: Path) -> JobAbout | None:
    file = folder / ABOUT
    try:
        about = msgspec.json.decode(file.read_bytes(), type=JobAbout)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise UnfitInput(f"{folder} is not a folder") from None
    except (OSError, msgspec.DecodeError) as error:
        raise UnfitInput(f"{file}: {error}") from None
    return about


def _write_about(folder: Path, about: JobAbout) -> None:
    part = folder / f"{ABOUT}.part"
    part.write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")
    os.replace(part, folder / ABOUT)


def _connected(file: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(file, timeout=1.0, isolation_level=None, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise UsageError(f"{file}: {error}") from None


def _check(name: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=8, key=name[:64]).digest()
