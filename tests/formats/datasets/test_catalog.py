from __future__ import annotations

from pathlib import Path

import pytest

from karat.formats import FORMAT_NAMES, open_reading
from karat.formats.datasets.catalog import PublicCollection, public_collections

EVERY = {one.folder: one for one in public_collections()}


def test_every_collection_says_what_a_user_needs() -> None:
    for published in EVERY.values():
        assert published.holds
        assert published.licence
        assert published.published.startswith("https://")
        assert set(published.files.values()) <= set(FORMAT_NAMES)


def test_folders_are_unique() -> None:
    assert len(EVERY) == len(public_collections())


def test_files_are_found_by_pattern(tmp_path: Path) -> None:
    published = PublicCollection(
        name="n", folder="f", holds="h", published="https://x", licence="l", files={"*.json": "a", "sub": "b"}
    )
    assert published.paths(tmp_path) == []
    (tmp_path / "f" / "sub").mkdir(parents=True)
    (tmp_path / "f" / "x.json").write_text("{}")
    assert published.paths(tmp_path) == [(tmp_path / "f" / "x.json", "a"), (tmp_path / "f" / "sub", "b")]


@pytest.mark.real_data
@pytest.mark.parametrize("folder", EVERY)
def test_every_real_file_is_recognised_and_read(real_data: Path, folder: str) -> None:
    paths = EVERY[folder].paths(real_data)
    assert paths, f"{folder} is not there"
    for path, format in paths:
        reading = open_reading(path, on_error="skip")
        assert reading.format.name == format, path.name
        assert any(True for _ in reading), path.name
