from __future__ import annotations

import pytest

from karat.language.spacy.analyzer import SpacyAnalyzer, load_spacy
from karat.language.spacy.models import BUNDLED


@pytest.fixture(scope="session")
def analyzer() -> SpacyAnalyzer:
    """The pipeline of the language extra, even if others are installed."""
    return load_spacy(BUNDLED)
