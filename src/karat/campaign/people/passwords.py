"""Passwords: what is accepted, and how one is kept (argon2id) and checked."""

from __future__ import annotations

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from karat.model import UsageError

SHORTEST, LONGEST = 10, 200
"""In characters. The bound above keeps a login from hashing megabytes."""
_hasher = PasswordHasher()


def check_new_password(password: str) -> None:
    """Raise UsageError, with what to do, for a password that is too short or too long."""
    length = len(_normal(password)) if len(password) <= LONGEST else len(password)
    if length < SHORTEST:
        raise UsageError(
            f"the password is too short: take at least {SHORTEST} characters; three or four words that only you would "
            "put together are easy to remember"
        )
    if length > LONGEST:
        raise UsageError(f"the password is too long: take at most {LONGEST} characters")


def hash_password(password: str) -> str:
    """What is stored instead of a new password."""
    check_new_password(password)
    return _hasher.hash(_bytes(password))


def is_password(stored: str | None, password: str) -> bool:
    """Whether it is the password. Without a stored one it takes as long, so that nobody learns who has an account."""
    too_long = len(password) > LONGEST
    try:
        _hasher.verify(stored or _nobody(), _bytes(password[:LONGEST]))
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None and not too_long


@cache
def _nobody() -> str:
    """The hash of a password that nobody has."""
    return _hasher.hash("nobody's password")


def _bytes(password: str) -> bytes:
    return _normal(password).encode("utf-8", "surrogatepass")


def _normal(password: str) -> str:
    """Keyboards give the same letter in several forms (é as one character or as two)."""
    return unicodedata.normalize("NFKC", password)
