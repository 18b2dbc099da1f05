from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest
from sqlalchemy import func, select

from karat.campaign.campaign import Campaign
from karat.campaign.people import passwords, sessions
from karat.campaign.people.accounts import create_account, set_active, set_password
from karat.campaign.people.invitations import token_hash
from karat.campaign.people.sessions import (
    DAY,
    MOST_PER_NAME,
    LoginRefused,
    TooManyAttempts,
    extend_session,
    login,
    logout,
    session_account,
    session_of,
)
from karat.campaign.store.tables import failed_login, session

PASSWORD = "four words that fit"
NOW = 1_000_000.0


@pytest.fixture
def ana(campaign: Campaign) -> int:
    """The number of an account with a password."""
    with campaign.database.write() as connection:
        return create_account(connection, "Ana", "assessor", password=PASSWORD).number


def test_somebody_logs_in_and_out(campaign: Campaign, ana: int) -> None:
    token = login(campaign.database, " ana ", PASSWORD, "1.2.3.4", now=NOW)
    with campaign.database.write() as connection:
        person = session_account(connection, token, NOW)
        assert person is not None
        assert person.number == ana
        assert connection.execute(select(session.c.token_hash)).scalar() == token_hash(token) != token.encode()
        assert session_account(connection, token[:-1], NOW) is None
        logout(connection, token)
        assert session_account(connection, token, NOW) is None


def test_a_session_lasts_14_days_after_the_last_visit_and_30_in_all(campaign: Campaign, ana: int) -> None:
    token = login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)
    with campaign.database.write() as connection:
        assert session_account(connection, token, NOW + 14 * DAY - 1) is not None
        assert session_account(connection, token, NOW + 14 * DAY + 1) is None
        early, later = session_of(connection, token, NOW + 60), session_of(connection, token, NOW + 2 * DAY)
        assert early is not None
        assert later is not None
        assert (early.is_due, later.is_due) == (False, True)
        for day in (10, 20, 29):
            extend_session(connection, token, NOW + day * DAY)
        assert session_account(connection, token, NOW + 30 * DAY - 1) is not None
        assert session_account(connection, token, NOW + 30 * DAY + 1) is None
        last = session_of(connection, token, NOW + 29 * DAY)
        assert last is not None
        assert not last.is_due


def test_a_changed_password_ends_the_other_sessions(campaign: Campaign, ana: int) -> None:
    here, elsewhere = (login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW) for _ in range(2))
    with campaign.database.write() as connection:
        set_password(connection, ana, "another long password", keep_session=token_hash(here))
        assert session_account(connection, here, NOW) is not None
        assert session_account(connection, elsewhere, NOW) is None


def test_who_is_shut_out_is_out_at_once(campaign: Campaign, ana: int) -> None:
    token = login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)
    with campaign.database.write() as connection:
        set_active(connection, ana, False)
        assert session_account(connection, token, NOW) is None
    with pytest.raises(LoginRefused):
        login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("Ana", "wrong password"), ("Nobody", PASSWORD), ("", ""), ("Ana", "x" * 100_000), ("x" * 100_000, PASSWORD),
        ("Ana\0", PASSWORD), ("\ud800", "\ud800"),
    ],
)  # fmt: skip
def test_a_wrong_login_says_nothing_of_what_is_wrong(campaign: Campaign, ana: int, name: str, password: str) -> None:
    with pytest.raises(LoginRefused, match=r"^the name or the password is wrong$"):
        login(campaign.database, name, password, "1.2.3.4", now=NOW)


def test_an_account_without_a_password_cannot_log_in(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        create_account(connection, "Bo", "assessor")
    with pytest.raises(LoginRefused):
        login(campaign.database, "Bo", "nobody's password", "1.2.3.4", now=NOW)


def test_an_unknown_name_costs_the_same_check_as_a_wrong_password(campaign: Campaign, ana: int) -> None:
    for name in ("Ana", "Nobody"):
        with (
            patch.object(passwords, "_hasher", wraps=passwords._hasher) as hasher,
            pytest.raises(LoginRefused),
        ):
            login(campaign.database, name, "wrong password", "1.2.3.4", now=NOW)
        (call,) = hasher.verify.call_args_list
        parameters = call.args[0].split("$")[1:4]
        assert parameters == passwords.hash_password(PASSWORD).split("$")[1:4]


def test_a_name_is_locked_after_ten_failures_and_open_again_later(campaign: Campaign, ana: int) -> None:
    for number in range(10):
        with pytest.raises(LoginRefused):
            login(campaign.database, "Ana", "wrong password", f"1.2.3.{number}", now=NOW + number)
    with pytest.raises(TooManyAttempts, match="try again in 15 minutes") as raised:
        login(campaign.database, "ANA", PASSWORD, "9.9.9.9", now=NOW + 10)
    assert 880 < raised.value.retry_after <= 891
    assert login(campaign.database, "Ana", PASSWORD, "9.9.9.9", now=NOW + 10 + raised.value.retry_after)


def test_an_address_is_locked_after_fifty_failures(campaign: Campaign, ana: int) -> None:
    with patch.object(sessions, "is_password", return_value=False):
        for number in range(50):
            with pytest.raises(LoginRefused):
                login(campaign.database, f"name {number}", "wrong password", "1.2.3.4", now=NOW)
    with pytest.raises(TooManyAttempts):
        login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)
    assert login(campaign.database, "Ana", PASSWORD, "1.2.3.5", now=NOW)


def test_a_login_that_works_forgives_the_failures(campaign: Campaign, ana: int) -> None:
    for _ in range(9):
        with pytest.raises(LoginRefused):
            login(campaign.database, "Ana", "wrong password", "1.2.3.4", now=NOW)
    login(campaign.database, "Ana", PASSWORD, "1.2.3.4", now=NOW)
    with campaign.database.read() as connection:
        assert connection.execute(select(func.count()).select_from(failed_login)).scalar() == 0


def test_attempts_at_the_same_time_are_all_counted(campaign: Campaign, ana: int) -> None:
    def attempt(_: int) -> str:
        try:
            login(campaign.database, "Ana", "wrong password", "1.2.3.4", now=NOW)
        except (LoginRefused, TooManyAttempts) as error:
            return type(error).__name__
        return "in"

    with patch.object(sessions, "is_password", return_value=False), ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(24)))
    assert sorted(outcomes) == ["LoginRefused"] * 10 + ["TooManyAttempts"] * 14


def test_failed_logins_of_a_clock_that_was_wrong_keep_nobody_out(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        create_account(connection, "ann", "assessor", password="four words that fit")
    for _ in range(MOST_PER_NAME):
        with pytest.raises(LoginRefused):
            login(campaign.database, "ann", "wrong", "here", now=5_000_000.0)
    assert login(campaign.database, "ann", "four words that fit", "here", now=1_000_000.0)
