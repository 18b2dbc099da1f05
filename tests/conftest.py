from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Some tests load onnxruntime before Karat does, which turns off its telemetry.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# Tests never assert seconds: on a busy machine a single example may take long.
settings.register_profile("karat", deadline=None)
settings.load_profile("karat")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets; tests that use it are marked `real_data`."""
    folder = os.environ.get("KARAT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("KARAT_DATA does not name a folder with the public data sets")
    return Path(folder)


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the cache of who runs it; tests of the cache name a folder of their own."""
    monkeypatch.setenv("KARAT_CACHE", "off")


@pytest.fixture(autouse=True)
def no_defaults_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test obeys a karat.toml above the folder it runs in; tests of it take this back."""
    monkeypatch.setenv("KARAT_CONFIG", "off")


@pytest.fixture(autouse=True)
def lexical_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see Karat without the semantic extra where they name no judge: fast, and the same with and without it."""
    monkeypatch.setattr("karat.language.wordpieces.is_installed", lambda: False)
