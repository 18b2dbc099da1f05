"""Signature: the settings that produced a score, in one line that can be printed, parsed and compared."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, unquote

import msgspec


class Difference(msgspec.Struct, frozen=True):
    """A setting in which two signatures differ; None where one of them lacks it."""

    key: str
    left: str | None
    right: str | None


class Signature(msgspec.Struct, frozen=True, eq=False):
    """A measure's name and the settings behind a score, after sacrebleu's signatures.

    >>> str(Signature("F3", {"judge": "nuggeteer", "seed": "7"}))
    'F3|judge:nuggeteer|seed:7'
    """

    name: str
    settings: Mapping[str, str] = {}

    def __str__(self) -> str:
        pairs = (f"{_escape(key, ':')}:{_escape(value)}" for key, value in self.settings.items())
        return "|".join((_escape(self.name), *pairs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signature):
            return NotImplemented
        return self.name == other.name and dict(self.settings) == dict(other.settings)

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.settings.items())))

    @classmethod
    def parse(cls, printed: str) -> Signature:
        """The signature that prints as `printed`."""
        name, *parts = printed.split("|")
        settings: dict[str, str] = {}
        for part in parts:
            key, colon, value = part.partition(":")
            if not colon:
                raise ValueError(f"signature part {part!r} is not KEY:VALUE")
            if unquote(key) in settings:
                raise ValueError(f"the signature has the setting {unquote(key)!r} twice")
            settings[unquote(key)] = unquote(value)
        return cls(unquote(name), settings)

    def differences(self, other: Signature) -> list[Difference]:
        """The settings (and `name`) in which the two differ; an empty list means that the scores are comparable."""
        differences = [Difference("name", self.name, other.name)] if self.name != other.name else []
        for key in dict.fromkeys((*self.settings, *other.settings)):
            left, right = self.settings.get(key), other.settings.get(key)
            if left != right:
                differences.append(Difference(key, left, right))
        return differences


def _escape(part: str, also: str = "") -> str:
    """The text with special characters escaped, so that a signature stays on one line and can be parsed."""
    return "".join(c if c.isprintable() and c not in f"%|{also}" else quote(c, safe="") for c in part)
