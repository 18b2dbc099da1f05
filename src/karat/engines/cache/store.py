"""The file of a cache: SQLite, one row per result, safe for several processes and when a process is killed.

    entry   id (half of the result's name), kind, used (when), size, check (a checksum), value
    total   bytes and entries per kind, kept by triggers

The other half of a name is the key with which the value is covered (exclusive or with SHAKE-256): what is in the file
can only be read by who has the texts it was made from. A value counts only where its checksum is right; a damaged file
is dropped and begun anew. Nothing here ever stops the work: a cache that cannot be used is left alone, with one line.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = "karat-cache.sqlite"
LIMIT = 10**9
"""How many bytes a cache holds at most, where the user says nothing."""
KINDS = {"vectors": 0.75, "readings": 0.125, "scores": 0.125}
"""What is kept, and the share of the limit that each may take: vectors are large, and must not push out the rest."""
ROOM = 0.9
"""Where a kind is above its share, it is cut down to this part of it, so that it is not cut at every write."""
_APPLICATION = 0x4B415243
"""Marks the file as a cache of Karat (SQLite's application_id)."""
_VERSION = 1
_BUSY = 5.0
"""How many seconds to wait for another process that writes."""
_EVERY = 1.0
"""Results are written together, about once per so many seconds: as much is lost when the process is killed."""
_PENDING = 8 << 20
"""The most bytes that wait to be written."""
_STALE = 3600
"""After how many seconds it is noted again that an entry was used."""
_AT_ONCE = 500
_ROW = 120
"""About how many bytes a row takes besides its value."""
_TABLES = """
CREATE TABLE entry (id BLOB PRIMARY KEY, kind TEXT NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL,
    checked BLOB NOT NULL, value BLOB NOT NULL);
CREATE INDEX entry_used ON entry (kind, used, size);
CREATE TABLE total (kind TEXT PRIMARY KEY, bytes INTEGER NOT NULL, entries INTEGER NOT NULL);
CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
    INSERT INTO total VALUES (new.kind, new.size, 1)
    ON CONFLICT (kind) DO UPDATE SET bytes = bytes + excluded.bytes, entries = entries + 1; END;
CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
    UPDATE total SET bytes = bytes - old.size, entries = entries - 1 WHERE kind = old.kind; END;
"""


@dataclass(frozen=True)
class CacheState:
    """What a cache holds."""

    file: Path
    file_bytes: int
    """The size of the file; 0 where there is none."""
    limit: int
    kinds: Mapping[str, tuple[int, int]]
    """Entries and bytes of each kind."""

    @property
    def entries(self) -> int:
        return sum(entries for entries, _ in self.kinds.values())


class Cache:
    """An open cache; its methods may be called from several threads. The file is opened when it is first needed."""

    def __init__(self, folder: Path, *, limit: int = LIMIT, say: Callable[[str], None] | None = None) -> None:
        self.folder, self.limit = folder, limit
        self.file = folder / FILE
        self.stored = 0
        """How many results this process has kept."""
        self.say = say or (lambda text: None)
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._is_off = self._is_read_only = False
        self._new: dict[bytes, tuple[str, int, int, bytes, bytes]] = {}
        self._used: set[bytes] = set()
        self._bytes, self._written = 0, time.monotonic()

    def get(self, kind: str, names: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is kept, by name; names that are not kept are missing."""
        found: dict[bytes, bytes] = {}
        with self._lock, self._careful():
            by_id = {name[: len(name) // 2]: name for name in names}
            for name in [by_id.pop(at) for at in list(by_id) if at in self._new]:
                found[name] = _covered(self._new[name[: len(name) // 2]][4], name)
            wanted = list(by_id)
            now, damaged = time.time(), []
            db = self._opened()
            for begin in range(0, len(wanted), _AT_ONCE):
                if db is None:
                    break
                part = wanted[begin : begin + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = db.execute(
                    f"SELECT id, used, checked, value FROM entry WHERE kind = ? AND id IN ({marks})",  # noqa: S608
                    (kind, *part),
                )
                for at, used, checked, covered in rows:
                    if checked != _check(kind, at, covered):
                        damaged.append(at)
                        continue
                    found[by_id[at]] = _covered(covered, by_id[at])
                    if abs(now - used) > _STALE:
                        self._used.add(at)
            if damaged:
                self._drop(damaged)
        return found

    def put(self, kind: str, values: Mapping[bytes, bytes]) -> None:
        """Keep some results; they are in the file about a second later, and at the latest when it is closed."""
        with self._lock:
            if self._is_off or self._is_read_only:
                return
            now = int(time.time())
            for name, value in values.items():
                at, covered = name[: len(name) // 2], _covered(value, name)
                self._new[at] = kind, now, len(covered) + _ROW, _check(kind, at, covered), covered
                self._bytes += len(covered)
            self.stored += len(values)
            if self._bytes > _PENDING or time.monotonic() - self._written > _EVERY:
                self.flush()

    def flush(self) -> None:
        """Write what waits."""
        with self._lock, self._careful():
            self._written = time.monotonic()
            if not (self._new or self._used) or self._is_read_only or (db := self._opened()) is None:
                return
            with _transaction(db):
                rows = [(at, *entry) for at, entry in self._new.items()]
                db.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?)", rows)
                used = [(int(time.time()), at) for at in self._used]
                db.executemany("UPDATE entry SET used = ? WHERE id = ?", used)
                was_cut = self._cut(db)
            self._new.clear()
            self._used.clear()
            self._bytes = 0
            if was_cut:
                # It frees one page per step, and `execute` makes only one.
                db.executescript("PRAGMA incremental_vacuum")

    def state(self) -> CacheState:
        """What is in the file."""
        kinds = dict.fromkeys(KINDS, (0, 0))
        with self._lock:
            self.flush()
            with self._careful():
                if self.file.exists() and (db := self._opened()) is not None:
                    rows = db.execute("SELECT kind, entries, bytes FROM total").fetchall()
                    kinds |= {kind: (entries, size) for kind, entries, size in rows}
        return CacheState(self.file, self.file.stat().st_size if self.file.exists() else 0, self.limit, kinds)

    def clear(self) -> bool:
        """Empty the cache; False where it cannot be done now, such as when another process writes for long."""
        with self._lock:
            self._new.clear()
            self._used.clear()
            self._bytes = 0
            if not self.file.exists():
                return True
            is_done = False
            with self._careful():
                if (db := self._opened()) is not None:
                    with _transaction(db):
                        db.execute("DELETE FROM entry")
                    db.execute("VACUUM")
                    is_done = True
            # A damaged file was removed.
            return is_done or not self.file.exists()

    def close(self) -> None:
        """Write what waits, and close the file."""
        with self._lock:
            self.flush()
            self._shut()
            self._is_off = True

    def _opened(self) -> sqlite3.Connection | None:
        if self._db is None and not self._is_off:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Only the owner may read it. SQLite gives the files that it makes beside it the same mode.
            os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
            self._db = sqlite3.connect(self.file, timeout=_BUSY, isolation_level=None, check_same_thread=False)
            self._prepare(self._db)
        return self._db

    def _prepare(self, db: sqlite3.Connection) -> None:
        # No write-ahead log: it does not work on network disks, where many home folders are. Nothing waits for the disk
        # either: what a power cut damages is noticed by its checksum.
        db.execute("PRAGMA synchronous = OFF")
        # Has an effect on a new file only, and only before anything is read from it.
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        with _transaction(db):
            (application,) = db.execute("PRAGMA application_id").fetchone()
            (version,) = db.execute("PRAGMA user_version").fetchone()
            (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application == 0 and tables == 0:
                for statement in _TABLES.split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {_VERSION}")
            elif application != _APPLICATION or version != _VERSION:
                whose = "another program's" if application != _APPLICATION else "of another version of Karat"
                raise sqlite3.OperationalError(f"the file is {whose}")

    def _cut(self, db: sqlite3.Connection) -> bool:
        """Remove what was not used for longest, where a kind has more than its share."""
        was_cut = False
        for kind, size in db.execute("SELECT kind, bytes FROM total").fetchall():
            share = self.limit * KINDS.get(kind, 0)
            if size <= share:
                continue
            too_much, removed = size - ROOM * share, []
            oldest = db.execute("SELECT id, size FROM entry WHERE kind = ? ORDER BY used", (kind,))
            while too_much > 0 and (row := oldest.fetchone()) is not None:
                removed.append((row[0],))
                too_much -= row[1]
            oldest.close()
            db.executemany("DELETE FROM entry WHERE id = ?", removed)
            was_cut = True
        return was_cut

    def _drop(self, ids: Sequence[bytes]) -> None:
        """Forget damaged entries."""
        db = self._opened()
        if db is not None and not self._is_read_only:
            with _transaction(db):
                db.executemany("DELETE FROM entry WHERE id = ?", [(at,) for at in ids])
        self.say(f"the cache {self.file} has {len(ids):,} damaged entries; they are ignored and made again")

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """Whatever is wrong with the file ends in one line, and the work goes on without what is in it."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        text = str(error)
        if isinstance(error, sqlite3.OperationalError) and ("locked" in text or "busy" in text):
            # Another process writes for long. What waits is written later, unless it becomes too much.
            if self._bytes > _PENDING:
                self._new.clear()
                self._bytes = 0
            return
        if isinstance(error, sqlite3.OperationalError) and ("full" in text or "readonly" in text):
            self._is_read_only = True
            self._new.clear()
            why = "the disk is full" if "full" in text else "the file cannot be written"
            self.say(f"the cache {self.file}: {why}; nothing more is kept")
            return
        self._shut()
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            # Once: a file that is damaged again at once is not worth another try.
            self._new.clear()
            try:
                self.file.unlink(missing_ok=True)
                Path(f"{self.file}-journal").unlink(missing_ok=True)
            except OSError:
                self._is_off = True
            self.say(f"the cache {self.file} was damaged ({text}); it is ignored and begun anew")
            return
        self._is_off = True
        self._new.clear()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else text
        self.say(f"the cache {self.file} cannot be used ({reason}); going on without it")

    def _shut(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite has rolled back already.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _covered(value: bytes, name: bytes) -> bytes:
    """Exclusive or with numbers that only the name gives; the same again takes it off."""
    cover = hashlib.shake_256(name[len(name) // 2 :]).digest(len(value))
    both = int.from_bytes(value, "little") ^ int.from_bytes(cover, "little")
    return both.to_bytes(len(value), "little")


def _check(kind: str, at: bytes, covered: bytes) -> bytes:
    return hashlib.blake2b(covered, digest_size=8, key=at, person=kind.encode()).digest()
