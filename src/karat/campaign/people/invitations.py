"""Invitations: a link that lets one person choose a password, once.

An organiser invites; inviting somebody again is how a forgotten password is reset. Only the hash of the token is
stored: who reads the database, or a backup of it, cannot use the links.
"""

from __future__ import annotations

import secrets
import time
from hashlib import sha256

from sqlalchemy import Connection, delete, insert, select, update

from karat.campaign.people.accounts import Account, account_of, set_password
from karat.campaign.people.passwords import check_new_password
from karat.campaign.store.tables import invitation
from karat.model import UsageError

VALID_SECONDS = 14 * 24 * 3600.0
LONGEST_TOKEN = 200


class InvitationRefused(UsageError):
    """The link is unknown, was used, or is too old: it does not say which, and the cure is the same."""

    def __init__(self) -> None:
        super().__init__("this invitation is not valid (any more): ask the organiser of the campaign for a new one")


def token_hash(token: str) -> bytes:
    """What is stored of a token. It is random and long, so a plain hash cannot be guessed backwards."""
    return sha256(token[:LONGEST_TOKEN].encode("utf-8", "surrogatepass")).digest()


def invite(
    connection: Connection, account_number: int, *, now: float | None = None, valid_seconds: float = VALID_SECONDS
) -> str:
    """The token of a new invitation, which is shown once. Earlier invitations of the account end.

    Raises:
        UsageError: there is no such account, or it is switched off.
    """
    person = account_of(connection, account_number)
    if person is None:
        raise UsageError(f"there is no account with the number {account_number}")
    if not person.active:
        raise UsageError(f"the account {person.name} is switched off: switch it on first")
    now = time.time() if now is None else now
    connection.execute(delete(invitation).where(invitation.c.account == account_number, invitation.c.used.is_(None)))
    token = secrets.token_urlsafe(32)
    values = {"token_hash": token_hash(token), "account": account_number, "expires": now + valid_seconds}
    connection.execute(insert(invitation), values)
    return token


def has_invitation(connection: Connection, account_number: int, *, now: float | None = None) -> bool:
    """Whether a link of the account can be used: it is not used yet and not too old."""
    now = time.time() if now is None else now
    here = invitation.c.account == account_number, invitation.c.used.is_(None), invitation.c.expires > now
    return connection.execute(select(invitation.c.account).where(*here)).first() is not None


def invited_account(connection: Connection, token: str, *, now: float | None = None) -> Account | None:
    """Whom an invitation is for; None where it is not valid."""
    now = time.time() if now is None else now
    number = connection.execute(
        select(invitation.c.account).where(
            invitation.c.token_hash == token_hash(token), invitation.c.used.is_(None), invitation.c.expires > now
        )
    ).scalar()
    person = None if number is None else account_of(connection, number)
    return person if person is not None and person.active else None


def accept(connection: Connection, token: str, password: str, *, now: float | None = None) -> Account:
    """Set the password of the person who was invited, and end the invitation and all their sessions.

    Raises:
        InvitationRefused: the invitation is not valid.
        UsageError: the password is too short or too long; the invitation stays valid.
    """
    now = time.time() if now is None else now
    person = invited_account(connection, token, now=now)
    if person is None:
        raise InvitationRefused
    check_new_password(password)
    # Two tabs may send the same token at once: only one of them finds it unused.
    used = connection.execute(
        update(invitation)
        .where(invitation.c.token_hash == token_hash(token), invitation.c.used.is_(None))
        .values(used=now)
    )
    if not used.rowcount:
        raise InvitationRefused
    set_password(connection, person.number, password)
    done = account_of(connection, person.number)
    assert done is not None
    return done
