"""The errors that Karat raises, and the messages that a user sees.

KaratError
├── InputError      a file contains something impossible; has the list of all problems
├── UsageError      the request cannot be carried out (for example: no such format)
│   └── UnfitInput  a file is missing or cannot be read, or the files do not hold what the request needs
├── MissingExtra    an optional part is not installed; says how to install it
└── Unfinished      something outside stopped the work (a full disk, a server that does not answer)
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong at one place in one file."""

    file: str
    line: int
    path: str
    code: str
    message: str
    query_id: str | None = None
    sheet: str = ""
    """In a spreadsheet: the sheet, whose rows are the lines."""

    def __str__(self) -> str:
        row = f"{self.sheet}!{self.line}" if self.sheet else f"{self.line}"
        where = f"{self.file}:{row}" if self.line else self.file
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class KaratError(Exception):
    """The base of every error that Karat raises on purpose."""


class UsageError(KaratError):
    """The request cannot be carried out."""


class UnfitInput(UsageError):
    """A file is missing or cannot be read, or the files do not hold what the request needs."""


class Unfinished(KaratError):
    """Something outside stopped the work: a full disk, a closed output, a server that does not answer."""


class InputError(KaratError):
    """A file cannot be read as it is; `problems` lists everything that is wrong."""

    def __init__(self, problems: Sequence[Problem], *, unlisted: int = 0) -> None:
        self.problems = tuple(problems)
        self.unlisted = unlisted
        """How many more problems there are than `problems` lists."""
        lines = [str(problem) for problem in self.problems]
        if unlisted:
            lines.append(f"... and {unlisted:,} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        return _input_error, (self.problems, self.unlisted)


class MissingExtra(KaratError):
    """A part of Karat that needs an optional install was used without it."""

    def __init__(self, purpose: str, extra: str) -> None:
        self.purpose, self.extra = purpose, extra
        super().__init__(
            f"{purpose} needs an optional part of Karat; install it, in Karat's folder, with: pip install '.[{extra}]'"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtra, (self.purpose, self.extra)


def _input_error(problems: Sequence[Problem], unlisted: int) -> InputError:
    # Needed so that the error arrives unchanged from a worker process.
    return InputError(problems, unlisted=unlisted)


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a module of an optional part; MissingExtra says how to install it where it is missing.

    >>> require("json", extra="web", purpose="The workbench").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] == error.name.split(".")[0]:
            raise MissingExtra(purpose, extra) from None
        raise
    except ImportError as error:
        raise UsageError(
            f"{purpose} needs {module}, which is installed but cannot be loaded ({error}); install it again with: "
            f"pip install --force-reinstall {module.split('.')[0]}"
        ) from None
