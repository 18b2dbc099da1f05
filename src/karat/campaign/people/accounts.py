"""Accounts: who takes part, in which role, and which languages they read."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal, get_args

import msgspec
from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from karat.campaign.people.passwords import hash_password, is_password
from karat.campaign.store.tables import account, event, invitation, session
from karat.model import UsageError

Role = Literal["organiser", "assessor", "adjudicator"]
ROLES: tuple[str, ...] = get_args(Role)
LONGEST_NAME = 80
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,39}")


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A person of the campaign. The number is also the owner of what they annotate."""

    number: int
    name: str
    role: Role
    languages: tuple[str, ...] = ()
    """Languages besides the campaign's own that the person reads."""
    active: bool = True
    has_password: bool = False
    """False: invited, but no password was chosen yet."""
    created: float = 0.0


def create_account(
    connection: Connection,
    name: str,
    role: str,
    languages: Iterable[str] = (),
    password: str | None = None,
    *,
    now: float | None = None,
) -> Account:
    """A new account. Without a password it needs an invitation (invitations.py).

    Raises:
        UsageError: the name is taken or no name, there is no such role, or a language is none.
    """
    name = checked_name(name)
    if account_named(connection, name) is not None:
        raise UsageError(f"there is an account {name!r} already; choose another name")
    values = {
        "name": name,
        "role": _checked_role(role),
        "languages": " ".join(checked_languages(languages)),
        "password": None if password is None else hash_password(password),
        "active": True,
        "created": time.time() if now is None else now,
    }
    number = connection.execute(insert(account).returning(account.c.number), values).scalar_one()
    made = account_of(connection, number)
    assert made is not None
    return made


def accounts(connection: Connection) -> list[Account]:
    """All accounts, in the order in which they were made."""
    rows = connection.execute(select(account).order_by(account.c.number)).mappings()
    return [_account(row) for row in rows]


def account_of(connection: Connection, number: int) -> Account | None:
    """The account with a number."""
    return _first(connection, account.c.number == number)


def account_named(connection: Connection, name: str) -> Account | None:
    """The account with a name; capital and small letters are the same."""
    if not _is_storable(name):
        return None
    # lower() of SQLite knows only the letters of English, so a name is found by comparing here.
    wanted = tidy_name(name).casefold()
    rows = connection.execute(select(account.c.number, account.c.name)).all()
    found = [row.number for row in rows if row.name.casefold() == wanted]
    return account_of(connection, found[0]) if found else None


def set_password(connection: Connection, number: int, password: str, *, keep_session: bytes | None = None) -> None:
    """A new password. Ends all sessions of the account except the one with this token hash, and its invitations."""
    _update(connection, number, password=hash_password(password))
    others = session.c.account == number
    connection.execute(
        delete(session).where(others & (session.c.token_hash != keep_session) if keep_session else others)
    )
    connection.execute(delete(invitation).where(invitation.c.account == number, invitation.c.used.is_(None)))


def has_password(connection: Connection, number: int, password: str) -> bool:
    """Whether it is the account's password: asked again before somebody changes it. Call it outside `write()`."""
    stored = connection.execute(select(account.c.password).where(account.c.number == number)).scalar()
    return is_password(stored, password)


def set_active(connection: Connection, number: int, active: bool) -> None:
    """Let an account in, or shut it out: its sessions and invitations end, its work stays.

    Raises:
        UsageError: it is the last organiser who can log in.
    """
    if not active:
        _keep_an_organiser(connection, number)
        connection.execute(delete(session).where(session.c.account == number))
        connection.execute(delete(invitation).where(invitation.c.account == number, invitation.c.used.is_(None)))
    _update(connection, number, active=active)


def set_role(connection: Connection, number: int, role: str) -> None:
    """Another role. The sessions of the account end, so that no page of the old role stays open."""
    if _checked_role(role) != "organiser":
        _keep_an_organiser(connection, number)
    _update(connection, number, role=role)
    connection.execute(delete(session).where(session.c.account == number))


def set_languages(connection: Connection, number: int, languages: Iterable[str]) -> None:
    """The languages that the person reads besides the campaign's own."""
    _update(connection, number, languages=" ".join(checked_languages(languages)))


def log_event(connection: Connection, what: str, *, by: int | None = None, now: float | None = None) -> None:
    """Write down what an account, or nobody in particular, did besides annotating."""
    values = {"time": time.time() if now is None else now, "account": by, "what": what}
    connection.execute(insert(event), values)


def tidy_name(name: str) -> str:
    """A name as it is stored: composed letters, single blanks."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def checked_name(name: str) -> str:
    """The name, tidied; UsageError where it is none."""
    tidy = tidy_name(name)
    if not tidy:
        raise UsageError("the name of the account is empty; give one")
    if len(tidy) > LONGEST_NAME:
        raise UsageError(f"the name of the account is too long: {len(tidy)} characters, at most {LONGEST_NAME}")
    if not _is_storable(tidy):
        raise UsageError(f"the name {tidy!r} has a character that cannot be shown; leave it out")
    return tidy


def checked_languages(languages: Iterable[str]) -> list[str]:
    """Languages in small letters, each once."""
    codes = [language.strip() for language in languages if language.strip()]
    for code in codes:
        if not _LANGUAGE.fullmatch(code):
            raise UsageError(f"{code!r} is no name of a language; name it as the queries do, such as ar, zh or pt-br")
    return list(dict.fromkeys(code.lower() for code in codes))


def _is_storable(name: str) -> bool:
    return name.isprintable()


def _checked_role(role: str) -> str:
    if role not in ROLES:
        raise UsageError(f"role: {role!r} is not one of {', '.join(ROLES)}")
    return role


def _keep_an_organiser(connection: Connection, number: int) -> None:
    others = select(func.count()).where(account.c.role == "organiser", account.c.active, account.c.number != number)
    this = account_of(connection, number)
    if this is not None and this.role == "organiser" and not connection.execute(others).scalar():
        raise UsageError(f"{this.name} is the only organiser: make another account an organiser first")


def _update(connection: Connection, number: int, **values: Any) -> None:
    if not connection.execute(update(account).where(account.c.number == number).values(**values)).rowcount:
        raise UsageError(f"there is no account with the number {number}")


def _first(connection: Connection, condition: Any) -> Account | None:
    row = connection.execute(select(account).where(condition)).mappings().first()
    return None if row is None else _account(row)


def _account(row: RowMapping) -> Account:
    return Account(
        number=row["number"],
        name=row["name"],
        role=row["role"],
        languages=tuple(row["languages"].split()),
        active=row["active"],
        has_password=row["password"] is not None,
        created=row["created"],
    )
