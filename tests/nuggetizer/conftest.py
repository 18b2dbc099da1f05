"""One analyzer for all tests: it takes seconds to load."""

from __future__ import annotations

import pytest

from karat.language import load_analyzer


@pytest.fixture(scope="session")
def analyzer():
    return load_analyzer()
