"""What can go wrong, and what a user is told.

KaratError
├── InputError      a file says something impossible; carries every Problem found
├── UsageError      the request itself cannot be carried out (no such format, no such file)
└── MissingExtra    an optional part is not installed; says the install line
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing wrong at one place of one file."""

    file: str
    line: int
    path: str
    code: str
    message: str
    query_id: str | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class KaratError(Exception):
    """The base of every error that Karat raises on purpose."""


class UsageError(KaratError):
    """The request cannot be carried out as it was put."""


class InputError(KaratError):
    """A file could not be read as it should; `problems` holds everything that was found."""

    def __init__(self, problems: Sequence[Problem], *, unlisted: int = 0) -> None:
        self.problems = tuple(problems)
        self.unlisted = unlisted
        """How many further problems were counted but not kept."""
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
    # What comes back from a worker process is the same error.
    return InputError(problems, unlisted=unlisted)
