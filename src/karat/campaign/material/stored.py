"""What can be stored in both databases, and how stored records are compared."""

from __future__ import annotations

from hashlib import sha256

LONGEST_ID = 500


def is_storable(text: str) -> bool:
    """PostgreSQL keeps no NUL, and neither database half a character."""
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_id(name: str) -> bool:
    """Whether a name can be looked up: PostgreSQL's index takes no long texts."""
    return 0 < len(name) <= LONGEST_ID and is_storable(name) and not name.isspace()


def digest(record: bytes) -> bytes:
    """Equal for equal records, and shorter."""
    return sha256(record).digest()


def language_of(condition: str | None) -> str | None:
    """The language of a query in the form in which accounts name theirs."""
    return None if condition is None or not condition.strip() else condition.strip().lower()[:40]
