from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest

from karat.language import Analysis, analyzer_names, analyzers, load_analyzer
from karat.language.spacy import models as spacy_models
from karat.language.spacy.models import BUNDLED, load_pipeline
from karat.model import MissingExtra, UsageError


class Nothing:
    """A backend that finds nothing."""

    def analyze(self, text: str) -> Analysis:
        return Analysis(text, ())

    def analyze_many(self, texts: Iterable[str], *, batch: int = 64) -> Iterator[Analysis]:
        return map(self.analyze, texts)

    def signature(self) -> dict[str, str]:
        return {"parser": "nothing"}


class EntryPoint:
    """What an installed package would offer."""

    name = "nothing"

    def load(self) -> Callable[[], Nothing]:
        return Nothing


@pytest.fixture(autouse=True)
def package_with_an_analyzer(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(*, group: str) -> list[EntryPoint]:
        assert group == "karat.analyzers"
        return [EntryPoint()]

    monkeypatch.setattr(analyzers, "entry_points", entry_points)


def test_an_analyzer_of_a_package_is_found_by_name() -> None:
    assert load_analyzer("nothing").signature() == {"parser": "nothing"}
    assert "nothing" in analyzer_names()


def test_an_unknown_name_is_answered_with_the_choices() -> None:
    with pytest.raises(UsageError, match=r"no language model is called 'spaCy'; choose from .*nothing"):
        load_analyzer("spaCy")


def test_an_official_model_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"en_core_web_sm": "3.8.0", "en_core_web_lg": "3.8.0", BUNDLED: "3.7.1"}
    monkeypatch.setattr(spacy_models, "_version", versions.get)
    assert spacy_models.installed_pipelines() == ["en_core_web_lg", "en_core_web_sm", BUNDLED]


def test_a_pipeline_that_is_not_installed_is_refused() -> None:
    with pytest.raises(UsageError, match="no English pipeline called 'en_core_web_xxl' is installed"):
        load_pipeline("en_core_web_xxl")


def test_without_spacy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str, purpose: str) -> None:
        raise MissingExtra(purpose, extra)

    monkeypatch.setattr(spacy_models, "require", missing)
    with pytest.raises(MissingExtra, match=r"\.\[language\]"):
        load_analyzer()
