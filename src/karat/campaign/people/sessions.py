"""Logging in, staying logged in, and what stops somebody from trying passwords.

A session lasts 14 days after the last visit and 30 days in all. Failed logins are counted in the database, per name
and per address, so that a restart of the server or a second server process does not forget them.
"""

from __future__ import annotations

import secrets
import time

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from karat.campaign.people.accounts import LONGEST_NAME, Account, account_named, account_of, tidy_name
from karat.campaign.people.invitations import token_hash
from karat.campaign.people.passwords import is_password
from karat.campaign.store.database import Database
from karat.campaign.store.tables import account, failed_login, session
from karat.model import KaratError

DAY = 24 * 3600.0
VALID_SECONDS, LONGEST_SECONDS = 14 * DAY, 30 * DAY
WINDOW_SECONDS = 15 * 60.0
MOST_PER_NAME, MOST_PER_ADDRESS = 10, 50
"""Failed logins within the window. Many people may share the address of their office."""
CLOCKS_DIFFER = 60.0
"""So far may the clocks of two server processes be apart."""
LOCK = 0x6C6F67696E


class LoginRefused(KaratError):
    """The name or the password is wrong: it does not say which."""

    def __init__(self) -> None:
        super().__init__("the name or the password is wrong")


class TooManyAttempts(KaratError):
    """Too many failed logins with this name or from this address."""

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        """In seconds."""
        minutes = -(-retry_after // 60)
        super().__init__(
            f"too many failed logins: try again in {minutes} minute{'s' * (minutes != 1)}, or ask the organiser for a "
            "new password"
        )


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who is logged in."""

    account: Account
    expires: float
    is_due: bool
    """Whether `extend_session` would let it last longer by a day or more."""


def login(database: Database, name: str, password: str, address: str, *, now: float | None = None) -> str:
    """The token of a new session.

    It takes the database and not a connection: the attempt is written down before the password is checked (so that
    attempts at the same time are counted, too) and stays when the login is refused; and the check, which is slow on
    purpose, must not keep others from writing.

    Raises:
        LoginRefused: the name or password is wrong, or the account is switched off.
        TooManyAttempts: there were too many failed logins; nothing was checked.
    """
    now = time.time() if now is None else now
    name = "".join(letter if letter.isprintable() else "?" for letter in tidy_name(name[: 4 * LONGEST_NAME]))
    name, address = name[:LONGEST_NAME], address[:64]
    with database.write() as connection:
        attempt = _attempt(connection, name.casefold()[:LONGEST_NAME], address, now)
        person = account_named(connection, name)
        query = select(account.c.password).where(account.c.number == person.number) if person is not None else None
        stored = None if query is None else connection.execute(query).scalar()
    if not is_password(stored, password) or person is None or not person.active:
        raise LoginRefused
    with database.write() as connection:
        # The account may have been switched off, or its password changed, in the meantime.
        unchanged = select(account.c.number).where(
            account.c.number == person.number, account.c.active, account.c.password == stored
        )
        if connection.execute(unchanged).first() is None:
            raise LoginRefused
        connection.execute(delete(failed_login).where(failed_login.c.number == attempt))
        return new_session(connection, person, now=now)


def new_session(connection: Connection, person: Account, *, now: float | None = None) -> str:
    """The token of a new session of somebody who proved to be the person; failed logins with the name are forgiven."""
    now, token = time.time() if now is None else now, secrets.token_urlsafe(32)
    name = tidy_name(person.name).casefold()[:LONGEST_NAME]
    connection.execute(delete(failed_login).where(failed_login.c.name == name))
    connection.execute(delete(session).where(session.c.expires <= now))
    values = {
        "token_hash": token_hash(token), "account": person.number, "created": now, "expires": now + VALID_SECONDS,
    }  # fmt: skip
    connection.execute(insert(session), values)
    return token


def _attempt(connection: Connection, name: str, address: str, now: float) -> int:
    """Count an attempt, unless there were too many; returns its number."""
    if connection.dialect.name == "postgresql":
        # Attempts at the same time must see each other; SQLite lets one writer in at a time in any case.
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
    # What lies in the future was written before the clock was set back: it would keep people out for as long.
    past = (failed_login.c.time <= now - WINDOW_SECONDS) | (failed_login.c.time > now + CLOCKS_DIFFER)
    connection.execute(delete(failed_login).where(past))
    waits = [0.0]
    limits = ((failed_login.c.name == name, MOST_PER_NAME), (failed_login.c.address == address, MOST_PER_ADDRESS))
    for condition, most in limits:
        newest = select(failed_login.c.time).where(condition).order_by(failed_login.c.time.desc())
        times = connection.execute(newest.limit(most)).scalars().all()
        if len(times) == most:
            waits.append(min(times[-1] + WINDOW_SECONDS - now, WINDOW_SECONDS))
    if max(waits) > 0:
        raise TooManyAttempts(int(max(waits)) + 1)
    values = {"name": name, "address": address, "time": now}
    return int(connection.execute(insert(failed_login).returning(failed_login.c.number), values).scalar_one())


def session_of(connection: Connection, token: str, now: float | None = None) -> Session | None:
    """The session of a token, if it is valid and its account is switched on. Writes nothing."""
    now = time.time() if now is None else now
    row = connection.execute(
        select(session).where(session.c.token_hash == token_hash(token), session.c.expires > now)
    ).first()
    person = None if row is None else account_of(connection, row.account)
    if row is None or person is None or not person.active:
        return None
    later = min(now + VALID_SECONDS, row.created + LONGEST_SECONDS)
    return Session(account=person, expires=row.expires, is_due=later - row.expires >= DAY)


def session_account(connection: Connection, token: str, now: float | None = None) -> Account | None:
    """Who is logged in with this token."""
    found = session_of(connection, token, now)
    return None if found is None else found.account


def extend_session(connection: Connection, token: str, now: float | None = None) -> None:
    """Let a session last 14 days from now, but never more than 30 days in all. Once a day is enough (`is_due`)."""
    now = time.time() if now is None else now
    row = connection.execute(
        select(session).where(session.c.token_hash == token_hash(token), session.c.expires > now)
    ).first()
    if row is not None:
        later = min(now + VALID_SECONDS, row.created + LONGEST_SECONDS)
        connection.execute(
            update(session).where(session.c.token_hash == row.token_hash).values(expires=max(row.expires, later))
        )


def logout(connection: Connection, token: str) -> None:
    """End a session."""
    connection.execute(delete(session).where(session.c.token_hash == token_hash(token)))


def still_has_role(connection: Connection, token: str, role: str, now: float | None = None) -> bool:
    """Whether the session is valid, and its account switched on and of this role, in the transaction that writes."""
    now = time.time() if now is None else now
    chosen = (
        select(account.c.role)
        .join(session, session.c.account == account.c.number)
        .where(session.c.token_hash == token_hash(token), session.c.expires > now, account.c.active)
    )
    return connection.execute(chosen).scalar() == role
