from __future__ import annotations

import pytest

from karat.campaign.campaign import Campaign
from karat.campaign.people.accounts import (
    account_named,
    account_of,
    accounts,
    create_account,
    has_password,
    set_active,
    set_languages,
    set_password,
    set_role,
)
from karat.campaign.people.passwords import hash_password, is_password
from karat.model import UsageError

PASSWORD = "four words that fit"


def test_an_account_is_found_by_number_and_by_name(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        made = create_account(connection, "  Ana   Ruiz ", "assessor", ["AR", "zh", "ar"], now=5.0)
    with campaign.database.read() as connection:
        assert accounts(connection) == [made]
        assert account_of(connection, made.number) == account_named(connection, "ana ruiz") == made
        assert account_of(connection, made.number + 1) is None
    assert made.number >= 1, "0 is the adjudicated layer"
    assert (made.name, made.role, made.languages, made.has_password) == ("Ana Ruiz", "assessor", ("ar", "zh"), False)


@pytest.mark.parametrize(
    ("name", "role", "languages", "message"),
    [
        ("", "assessor", (), "the name of the account is empty"),
        ("x" * 81, "assessor", (), "too long: 81 characters, at most 80"),
        ("a\0b", "assessor", (), "cannot be shown"),
        ("a\u202eb", "assessor", (), "cannot be shown"),
        ("ANA", "assessor", (), "there is an account 'ANA' already"),
        ("Bo", "boss", (), "role: 'boss' is not one of organiser, assessor, adjudicator"),
        ("Bo", "assessor", ["arabic!"], "'arabic!' is no name of a language"),
    ],
)
def test_what_is_no_account_is_refused(
    campaign: Campaign, name: str, role: str, languages: tuple[str, ...], message: str
) -> None:
    with campaign.database.write() as connection:
        create_account(connection, "Ana", "assessor")
    with campaign.database.write() as connection, pytest.raises(UsageError, match=message):
        create_account(connection, name, role, languages)


def test_the_last_organiser_stays(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        first = create_account(connection, "Ana", "organiser")
        for change in (
            lambda: set_active(connection, first.number, False),
            lambda: set_role(connection, first.number, "assessor"),
        ):
            with pytest.raises(UsageError, match="Ana is the only organiser"):
                change()
        create_account(connection, "Bo", "organiser")
        set_active(connection, first.number, False)
        changed = account_of(connection, first.number)
    assert changed is not None
    assert not changed.active


def test_languages_and_roles_can_be_changed(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana", "assessor").number
        set_languages(connection, number, ["fa"])
        set_role(connection, number, "adjudicator")
        changed = account_of(connection, number)
    assert changed is not None
    assert (changed.languages, changed.role) == (("fa",), "adjudicator")


def test_a_password_is_kept_as_a_hash(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana", "assessor").number
        assert not has_password(connection, number, PASSWORD)
        set_password(connection, number, PASSWORD)
        assert has_password(connection, number, PASSWORD)
        assert not has_password(connection, number, PASSWORD + "!")
        with pytest.raises(UsageError, match="no account with the number"):
            set_password(connection, number + 1, PASSWORD)


@pytest.mark.parametrize("password", ["", "short one", "x" * 201, "é" * 9])
def test_a_password_has_10_to_200_characters(password: str) -> None:
    with pytest.raises(UsageError, match=r"the password is too (short|long): take at"):
        hash_password(password)


def test_a_password_is_the_same_in_either_form_of_its_letters() -> None:
    stored = hash_password("caf\u00e9 et cr\u00e8me")
    assert stored.startswith("$argon2id$")
    assert is_password(stored, "cafe\u0301 et cre\u0300me")
    assert is_password(hash_password("\ud800 broken letter"), "\ud800 broken letter")


def test_a_login_never_hashes_more_than_the_longest_password() -> None:
    stored = hash_password("x" * 200)
    assert is_password(stored, "x" * 200)
    assert not is_password(stored, "x" * 1_000_000)
    assert not is_password(None, "nobody's password")
