"""Why work is not accepted.

KaratError
├── NotAllowed      the person may not see or do this (or it does not exist: the answer does not say which)
├── RuleBroken      what was sent breaks rules of annotation; has all of them
├── NothingToUndo   there is no own change left to undo
└── Conflict        somebody (or another window) changed the same in the meantime; the refused version is in the history
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.campaign.store.database import KeepsWhatWasWritten
from karat.campaign.work.payloads import AnyWork
from karat.model import KaratError


class NotAllowed(KaratError):
    """The person may not see or do this."""

    def __init__(self, message: str = "There is nothing here that you may see or change.") -> None:
        super().__init__(message)


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """One rule that is broken: `where` is KIND KEY, or a step."""

    where: str
    what: str


class RuleBroken(KaratError):
    """Nothing was saved; `problems` lists everything that is wrong."""

    def __init__(self, problems: Sequence[Broken]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{problem.where}: {problem.what}" for problem in self.problems))


class NothingToUndo(KaratError):
    """There is no own change left to undo."""


class CurrentAnnotation(msgspec.Struct, frozen=True, kw_only=True):
    """An annotation as it is; `record` None: deleted, `version` 0: it was never there."""

    kind: str
    key: str
    version: int
    record: AnyWork | None = None


class Conflict(KaratError, KeepsWhatWasWritten):
    """Somebody changed the same in the meantime. `current` is what stands now; what was refused is in the history."""

    def __init__(self, current: Sequence[CurrentAnnotation]) -> None:
        self.current = tuple(current)
        named = ", ".join(f"{annotation.kind} {annotation.key}" for annotation in self.current)
        super().__init__(
            f"This was changed in the meantime: {named}. Nothing was overwritten; your version is kept in the history."
        )
