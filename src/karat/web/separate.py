"""Long work in a process of its own: figures over a whole campaign must not slow down the saves of those who annotate.

The server's threads share one processor; what computes for seconds in one of them makes all others wait. The other
process reads the database by itself, gives way to the server, and ends with the work, so that its memory is free again.
A small campaign is computed here: starting a process would take longer.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, func, select

from karat.campaign.store import tables
from karat.campaign.store.database import Database, open_database

P = ParamSpec("P")
T = TypeVar("T")
SMALL = 2_000
"""So many annotations or responses are quickly read."""
LESS_URGENT = 10


def compute_apart(
    database: Database, function: Callable[Concatenate[Connection, P], T], *args: P.args, **options: P.kwargs
) -> T:
    """`function(connection, ...)`: a function of a module, with a result and options that can be pickled."""
    if _is_small(database):
        with database.read() as connection:
            return function(connection, *args, **options)
    # The address may have a password, which a command line would show to everybody on the machine.
    task = pickle.dumps((database.place, function, args, options))
    command = [sys.executable, "-m", __name__]
    done = subprocess.run(command, input=task, stdout=subprocess.PIPE, check=False)  # noqa: S603 - nothing of users
    if done.returncode:
        raise RuntimeError(f"the process that computes {function.__name__} ended with code {done.returncode}")
    result: T
    failure, result = pickle.loads(done.stdout)  # noqa: S301 - written by our own process
    if failure is not None:
        raise failure
    return result


def _is_small(database: Database) -> bool:
    with database.read() as connection:
        return all(
            connection.execute(select(func.count()).select_from(table)).scalar_one() <= SMALL
            for table in (tables.annotation, tables.response)
        )


def _main() -> None:
    """Read the task from standard input, and write what came of it: an error or a result."""
    with suppress(AttributeError, OSError):
        os.nice(LESS_URGENT)
    answer, sys.stdout = sys.stdout.buffer, sys.stderr
    place, function, args, options = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own server
    database = open_database(place)
    result: Any = None
    failure: Exception | None = None
    try:
        with database.read() as connection:
            result = function(connection, *args, **options)
    except Exception as error:  # noqa: BLE001 - raised again by the server
        failure = error
    finally:
        database.close()
    answer.write(pickle.dumps((failure, result)))


if __name__ == "__main__":
    _main()
