"""The log of all calls, a SQLite file: the cache, the audit trail, and what keeps two processes from asking twice.

    request   one row per request: its hash, model, prompt
    attempt   one row per call: what was sent and received, tokens, cost, times, and how it ended
    result    one row per request that is decided: ok with the answer, or failed with the reason
    claim     one row per request that a process is working on, so that no other one sends it

An answer is committed as soon as it is received, before anything is done with it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from karat.judges.llm.request import Stopped
from karat.model import UnfitInput

Outcome = Literal["sent", "received", "ok", "invalid", "broken", "timeout", "connection", "http", "form"]
_APPLICATION = 0x4B41524C
"""Marks the file as a log of Karat (SQLite's application_id)."""
_VERSION = 1
_BUSY = 60.0
"""How many seconds to wait for another process that writes."""
_TABLES = """
CREATE TABLE request (hash TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL REFERENCES request (hash), endpoint TEXT NOT NULL,
    form TEXT NOT NULL, sent TEXT NOT NULL, started REAL NOT NULL, ended REAL, outcome TEXT NOT NULL,
    http_status INTEGER, received TEXT, answer TEXT, problem TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    cost REAL, closed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX attempt_request ON attempt (request);
CREATE TABLE result (
    request TEXT PRIMARY KEY REFERENCES request (hash), status TEXT NOT NULL, answer TEXT, reason TEXT,
    decided REAL NOT NULL
);
CREATE TABLE claim (request TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
    until REAL NOT NULL);
"""


@dataclass(frozen=True)
class Result:
    """How a request ended for good."""

    status: Literal["ok", "failed"]
    answer: str
    reason: str


@dataclass(frozen=True)
class Attempt:
    """A call that did not decide its request."""

    number: int
    outcome: Outcome
    answer: str
    problem: str


@dataclass(frozen=True)
class Received:
    """What came back: everything that is kept of it."""

    outcome: Outcome
    http_status: int | None = None
    text: str | None = None
    answer: str | None = None
    problem: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


class CallLog:
    """An open log; its methods may be called from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._host = socket.gethostname()
        try:
            # Only the owner may read it: it holds everything that was sent and received.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
            self._prepare()
        except OSError as error:
            raise UnfitInput(f"--llm-log {path}: {error.strerror or error}") from None
        except sqlite3.DatabaseError as error:
            raise UnfitInput(f"--llm-log {path}: this is not a log of calls ({error}); name another file") from None

    def _prepare(self) -> None:
        with self._writing():
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if application == 0 and tables == 0:
                for statement in _TABLES.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
            elif application != _APPLICATION or version != _VERSION:
                what = "another program's" if application != _APPLICATION else f"version {version}"
                raise sqlite3.DatabaseError(f"the file is {what}")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """All or nothing.

        Raises:
            Stopped: the file cannot be written, such as on a full disk: no call may be made that is not logged.
        """
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    # On a full disk SQLite has rolled back already.
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.OperationalError as error:
                raise Stopped(f"--llm-log {self.path} cannot be written: {error}") from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def results(self, requests: Sequence[str]) -> dict[str, Result]:
        """What is decided already, by the hash of the request."""
        found = {}
        with self._lock:
            for request in requests:
                row = self._db.execute(
                    "SELECT status, answer, reason FROM result WHERE request = ?", (request,)
                ).fetchone()
                if row is not None:
                    found[request] = Result(row[0], row[1] or "", row[2] or "")
        return found

    def reopen(self, requests: Sequence[str]) -> None:
        """Forget that these requests failed: they are asked again, from the first attempt on."""
        with self._writing():
            for request in requests:
                self._db.execute("DELETE FROM result WHERE request = ? AND status = 'failed'", (request,))
                self._db.execute("UPDATE attempt SET closed = 1 WHERE request = ?", (request,))

    def claim(self, request: str, owner: str, *, seconds: float) -> bool:
        """Whether this owner may work on a request now: nobody else does, or who did is dead or long silent."""
        now = time.time()
        with self._writing():
            row = self._db.execute("SELECT owner, host, pid, until FROM claim WHERE request = ?", (request,)).fetchone()
            if row is not None and row[0] != owner and row[3] > now and not self._is_dead(row[1], row[2]):
                return False
            self._db.execute(
                "INSERT OR REPLACE INTO claim VALUES (?, ?, ?, ?, ?)",
                (request, owner, self._host, os.getpid(), now + seconds),
            )
            return True

    def _is_dead(self, host: str, pid: int) -> bool:
        # On Windows signal 0 is not a question but Ctrl-C: there a claim ends with its time.
        if host != self._host or pid == os.getpid() or os.name == "nt":
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False

    def release(self, request: str, owner: str) -> None:
        with self._writing():
            self._db.execute("DELETE FROM claim WHERE request = ? AND owner = ?", (request, owner))

    def begin(self, request: str, *, model: str, prompt: str, endpoint: str, form: str, sent: str) -> int:
        """Write down that a call is made, before it is made; returns its number."""
        now = time.time()
        with self._writing():
            self._db.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?)", (request, model, prompt, now))
            row = self._db.execute(
                "INSERT INTO attempt (request, endpoint, form, sent, started, outcome) VALUES (?, ?, ?, ?, ?, 'sent')",
                (request, endpoint, form, sent, now),
            )
            return int(row.lastrowid or 0)

    def end(self, number: int, received: Received) -> None:
        """Write down what came back."""
        with self._writing():
            self._db.execute(
                "UPDATE attempt SET ended = ?, outcome = ?, http_status = ?, received = ?, answer = ?, problem = ?, "
                "prompt_tokens = ?, completion_tokens = ?, cost = ? WHERE id = ?",
                (
                    time.time(), received.outcome, received.http_status, received.text, received.answer,
                    received.problem, received.prompt_tokens, received.completion_tokens, received.cost, number,
                ),
            )  # fmt: skip

    def judge(self, number: int, outcome: Outcome, problem: str | None = None) -> None:
        """Write down whether a received answer can be used."""
        with self._writing():
            self._db.execute("UPDATE attempt SET outcome = ?, problem = ? WHERE id = ?", (outcome, problem, number))

    def decide(self, request: str, result: Result, *, number: int | None = None) -> None:
        """Write down how a request ended for good; number: the attempt whose answer is used."""
        with self._writing():
            if number is not None:
                self._db.execute("UPDATE attempt SET outcome = 'ok' WHERE id = ?", (number,))
            self._db.execute(
                "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)",
                (request, result.status, result.answer, result.reason, time.time()),
            )

    def open_attempts(self, request: str) -> list[Attempt]:
        """The calls that were made for a request that is not decided, in order."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id, outcome, answer, problem FROM attempt WHERE request = ? AND closed = 0 ORDER BY id",
                (request,),
            ).fetchall()
        return [Attempt(row[0], row[1], row[2] or "", row[3] or "") for row in rows]
