from __future__ import annotations

import pytest
from sqlalchemy import select

from karat.campaign.campaign import Campaign
from karat.campaign.people.accounts import create_account, has_password, set_active
from karat.campaign.people.invitations import VALID_SECONDS, InvitationRefused, accept, invite, invited_account
from karat.campaign.people.sessions import login, session_account
from karat.campaign.store.tables import invitation
from karat.model import UsageError

PASSWORD = "four words that fit"
NOW = 1_000_000.0


def test_an_invitation_lets_one_person_choose_a_password_once(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana", "assessor").number
        token = invite(connection, number, now=NOW)
        invited = invited_account(connection, token, now=NOW)
        assert invited is not None
        assert invited.name == "Ana"
        assert accept(connection, token, PASSWORD, now=NOW).has_password
        assert has_password(connection, number, PASSWORD)
        with pytest.raises(InvitationRefused, match="ask the organiser"):
            accept(connection, token, "another long password", now=NOW)
        assert has_password(connection, number, PASSWORD)


def test_only_the_hash_of_a_token_is_stored(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        token = invite(connection, create_account(connection, "Ana", "assessor").number)
        (stored,) = connection.execute(select(invitation.c.token_hash)).scalars()
    assert len(token) >= 43, "32 random bytes"
    assert token.encode() not in stored


def test_invitations_end(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana", "assessor").number
        first = invite(connection, number, now=NOW)
        assert invited_account(connection, first, now=NOW + VALID_SECONDS - 1) is not None
        assert invited_account(connection, first, now=NOW + VALID_SECONDS + 1) is None
        second = invite(connection, number, now=NOW)
        assert invited_account(connection, first, now=NOW) is None
        set_active(connection, number, False)
        assert invited_account(connection, second, now=NOW) is None
        with pytest.raises(UsageError, match="switched off"):
            invite(connection, number)
    for token in (first, second, "", "x" * 100_000, "\0", "\ud800"):
        with campaign.database.write() as connection, pytest.raises(InvitationRefused):
            accept(connection, token, PASSWORD, now=NOW)


def test_a_bad_password_does_not_use_the_invitation_up(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        token = invite(connection, create_account(connection, "Ana", "assessor").number)
        with pytest.raises(UsageError, match="too short"):
            accept(connection, token, "short")
        assert accept(connection, token, PASSWORD).name == "Ana"


def test_inviting_again_resets_the_password_and_ends_sessions(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana", "assessor", password=PASSWORD).number
    session = login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)
    with campaign.database.write() as connection:
        token = invite(connection, number, now=NOW)
        assert session_account(connection, session, NOW) is not None
        accept(connection, token, "another long password", now=NOW)
        assert session_account(connection, session, NOW) is None
        assert not has_password(connection, number, PASSWORD)
