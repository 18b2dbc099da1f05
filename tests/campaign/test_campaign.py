from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from karat.campaign.campaign import Campaign, Place, shown
from karat.model import UsageError


def test_a_new_campaign_has_the_defaults(place: Place) -> None:
    with Campaign.create(place, "Facts 2026", language="de") as campaign:
        settings = campaign.settings
    assert (settings.title, settings.language, settings.words_in_scope) == ("Facts 2026", "de", 500)
    with Campaign.open(place) as again:
        assert again.settings == settings


def test_a_place_is_not_taken_twice(campaign: Campaign) -> None:
    with pytest.raises(UsageError, match="already; name"):
        Campaign.create(campaign.place, "Another")
    assert campaign.settings.title == "A test"


def test_a_campaign_that_cannot_be_made_leaves_nothing(places: Callable[[], Place]) -> None:
    place = places()
    with pytest.raises(UsageError, match="words_in_scope"):
        Campaign.create(place, "T", words_in_scope=-1)
    if isinstance(place, Path):
        assert list(place.parent.iterdir()) == []
    with Campaign.create(place, "T") as campaign:
        assert campaign.settings.words_in_scope == 500


def test_a_place_without_a_campaign_says_how_to_make_one(place: Place) -> None:
    with pytest.raises(UsageError, match=r"there is no campaign.*karat campaign create"):
        Campaign.open(place)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="there is something in it"):
        Campaign.create(tmp_path, "T")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://me:secret@db/x", "not a folder and not a postgresql:// URL"),
        ("postgresql://me:secret@127.0.0.1:1/x", "cannot be opened"),
        ("://", "the URL cannot be read"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        Campaign.open(url)
    assert "secret" not in str(raised.value)


def test_places_are_shown_without_passwords() -> None:
    assert shown("postgresql://me:secret@db/x") == "postgresql://me:***@db/x"
    assert shown("folder") == "folder"
