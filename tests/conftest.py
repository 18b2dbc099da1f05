from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets; tests that use it are marked `real_data`."""
    folder = os.environ.get("KARAT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("KARAT_DATA does not name a folder with the public data sets")
    return Path(folder)


@pytest.fixture(autouse=True)
def lexical_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see Karat without the semantic extra where they name no judge: fast, and the same with and without it."""
    monkeypatch.setattr("karat.language.wordpieces.is_installed", lambda: False)
