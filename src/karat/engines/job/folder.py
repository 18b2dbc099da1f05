"""The folder of a job: what was asked (job.json), and the results of finished chunks by the hash of their content.

    job.json        the command, its folder, the version of Karat, when it began and ended, and how far it is
    chunks.sqlite   chunk: name (hash of the chunk, the settings and the code), checked (a checksum), value

The process that gives out the work writes the results as they arrive, each in one transaction: when it is killed, only
chunks under way are lost. A name is written once, whoever made the result, and a result counts only where its checksum
is right. Values are never pickles: a job from somebody else cannot run code.
"""

from __future__ import annotations

import contextlib
import hashlib
import shlex
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from karat import __version__
from karat.engines.job.about import ABOUT, JobAbout, name_at, read_about, write_about
from karat.model import Unfinished, UnfitInput, UsageError
from karat.model.wording import number_of

CHUNKS = "chunks.sqlite"
_AT_ONCE = 500
_OFTEN = 2.0
"""Seconds after which it is written down again how far the work is, for `karat job status`."""
_MADE = (ABOUT, CHUNKS, f"{CHUNKS}-journal", f"{ABOUT}.part")


@dataclass(frozen=True)
class JobState:
    """What `karat job status` shows."""

    folder: Path
    about: JobAbout
    kept: int
    """How many chunks are kept, those of earlier commands and settings, too."""
    bytes: int
    is_running: bool
    """Whether a process works on it now."""


class JobFolder:
    """An open job; only one process at a time has it open.

    command: what `karat job resume` gives again, with this engine and number of workers where it names no others.
    """

    def __init__(
        self,
        folder: Path,
        *,
        command: Sequence[str] = (),
        engine: str | None = None,
        workers: int | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = folder
        self.command, self.engine, self.workers = list(command), engine, workers
        self.say = say or (lambda text: None)
        self.made = self.found = 0
        """How many chunks were made here, and how many were there."""
        self._written = 0.0
        self._before: JobAbout | None = None
        """What job.json said before this command."""

    def __enter__(self) -> JobFolder:
        try:
            _check_place(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder}: the folder of the job cannot be made ({error.strerror})") from None
        self._db = _connected(self.folder / CHUNKS)
        try:
            self._prepare()
            about = self._before = read_about(self.folder)
            self._check_command(about)
            self.about = JobAbout(
                kind="karat-job", command=self.command, folder=str(Path.cwd()), version=__version__,
                engine=self.engine, workers=self.workers, begun=time.time() if about is None else about.begun,
            )  # fmt: skip
            write_about(self.folder, self.about)
        except BaseException:
            self._db.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.closing(self._db):
            if kind is None:
                self.about.ended = time.time()
                write_about(self.folder, self.about)
                return
            began = self.made or self.found
            # What stopped the work is told, and not that this could not be written. A command that was refused before
            # it began, such as a mistyped one, leaves the job to the one before it.
            with contextlib.suppress(Unfinished):
                write_about(self.folder, self.about if began or self._before is None else self._before)
            if began:
                self.say(
                    f"finished work is kept in {self.folder} ({number_of(self.made + self.found, 'chunk')}): give the "
                    f"same command again, or `karat job resume {self.folder}`, to go on"
                )

    def _check_command(self, about: JobAbout | None) -> None:
        if about is None or not about.command or not self.command:
            return
        if (about.command, about.folder) == (self.command, str(Path.cwd())):
            return
        before = shlex.join(["karat", *about.command])
        name = self.command[name_at(self.command)]
        if about.command[name_at(about.command)] != name:
            raise UsageError(
                f"{self.folder} is the job of `{before}`; name another folder for karat {name}, or remove "
                f"what it keeps with `karat job clean {self.folder}`"
            )
        self.say(
            f"{self.folder}: until now this was the job of `{before}`, given in {about.folder}; what this command can "
            "use of it is used"
        )

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
                    # Somebody may have written something else than bytes into it.
                    if isinstance(value, bytes) and checked == _check(name, value):
                        found[name] = value
                    else:
                        self.say(f"{self.folder / CHUNKS}: a damaged result is ignored and made again")
        except sqlite3.DatabaseError as error:
            raise UnfitInput(
                f"{self.folder / CHUNKS} is damaged ({error}); remove it with `karat job clean {self.folder}`"
            ) from None
        self.found += len(found)
        self._note_progress()
        return found

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep some results; they are on the disk when this returns."""
        rows = [(name, _check(name, value), value) for name, value in values.items()]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            with contextlib.suppress(sqlite3.DatabaseError):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            raise Unfinished(f"{self.folder / CHUNKS}: finished work could not be kept ({error})") from None
        self.made += len(rows)
        self._note_progress()

    def expect(self, chunks: int) -> None:
        """So many more chunks there are to do."""
        self.about.expected += chunks

    def _note_progress(self) -> None:
        self.about.done = self.made + self.found
        if time.monotonic() - self._written > _OFTEN:
            self._written = time.monotonic()
            write_about(self.folder, self.about)


def read_job(folder: Path) -> JobState:
    """What is in the folder of a job."""
    about = read_about(folder)
    if about is None and _is_only_begun(folder):
        raise UnfitInput(f"{folder} does not say whose job it is ({ABOUT} is missing or empty): give its command again")
    if about is None:
        raise UnfitInput(f"{folder} is not the folder of a job: it has no {ABOUT}")
    file = folder / CHUNKS
    if not file.exists():
        return JobState(folder, about, 0, 0, is_running=False)
    chunks = _count(file)
    return JobState(folder, about, chunks or 0, file.stat().st_size, is_running=chunks is None)


def _count(file: Path) -> int | None:
    """How many chunks are in it; None where a process works on the job now."""
    if not file.is_file():
        raise UnfitInput(f"{file} is not a file")
    if not file.stat().st_size:
        # A job that was killed before it could make its table.
        return 0
    with contextlib.closing(_connected(file)) as db:
        try:
            db.execute("SELECT name, checked, value FROM chunk LIMIT 0")
            (chunks,) = db.execute("SELECT count(*) FROM chunk").fetchone()
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                return None
            if "no such" in str(error):
                raise UnfitInput(f"{file} is not the file of a job, but another program's") from None
            raise UnfitInput(f"{file} is damaged ({error}); remove it with `karat job clean {file.parent}`") from None
    return int(chunks)


def clean(folder: Path) -> int:
    """Remove what a job has kept, and the folder if nothing else is in it; returns the bytes that became free."""
    is_running = False
    with contextlib.suppress(UnfitInput, FileNotFoundError):
        is_running = _count(folder / CHUNKS) is None
    if is_running:
        raise UsageError(f"a process works on the job {folder} now; stop it first")
    if not _is_only_begun(folder) and read_about(folder) is None:
        raise UnfitInput(f"{folder} is not the folder of a job: it has no {ABOUT}; nothing was removed")
    for name in _MADE:
        if (folder / name).exists() and not (folder / name).is_file():
            raise UnfitInput(f"{folder / name} is not a file; remove it; nothing was removed here")
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
    if folder.is_dir() and read_about(folder) is None and any(folder.iterdir()) and not _is_only_begun(folder):
        raise UsageError(f"{folder} has other files and is not the folder of a job; name a new or an empty folder")
    for name in _MADE:
        # A job from somebody else must not make Karat write anywhere else.
        if (folder / name).is_symlink():
            raise UsageError(f"{folder / name} is a link to another place; remove it, or name another folder")
        if (folder / name).exists() and not (folder / name).is_file():
            raise UsageError(f"{folder / name} is not a file; remove it, or name another folder")


def _is_only_begun(folder: Path) -> bool:
    """Whether it has only the files of a job, but job.json is missing (killed at once) or may be damaged."""
    file = folder / CHUNKS
    if not file.is_file() or file.is_symlink() or any(file.name not in _MADE for file in folder.iterdir()):
        return False
    try:
        _count(file)
    except UnfitInput:
        # It may be the database of another program.
        return False
    return True


def _connected(file: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(file, timeout=1.0, isolation_level=None, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise UsageError(f"{file}: {error}") from None


def _check(name: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=8, key=name[:64]).digest()
