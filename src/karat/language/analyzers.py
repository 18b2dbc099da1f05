"""Names of analyzers <-> analyzers: spaCy's pipelines, and whatever an installed package offers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from karat.language.analysis import Analyzer
from karat.model import UsageError

GROUP = "karat.analyzers"
"""Entry points of this group are functions that take nothing and return an Analyzer; their names are its names."""

_REGISTERED: dict[str, Callable[[], Analyzer]] = {}


def register_analyzer(name: str, loader: Callable[[], Analyzer]) -> None:
    """Offer an analyzer under a name; the loader is called when the name is asked for."""
    _REGISTERED[name] = loader


def analyzer_names() -> list[str]:
    """Every name that load_analyzer takes on this machine, the default first."""
    from karat.language.spacy.models import installed_pipelines

    offered = [point.name for point in entry_points(group=GROUP)]
    return list(dict.fromkeys([*installed_pipelines(), *_REGISTERED, *offered]))


def load_analyzer(name: str | None = None) -> Analyzer:
    """The analyzer of a name: a spaCy pipeline (None: the best), a registered one, or one that a package offers."""
    from karat.language.spacy.analyzer import load_spacy
    from karat.language.spacy.models import installed_pipelines

    if name is None or name in installed_pipelines():
        return load_spacy(name)
    if name in _REGISTERED:
        return _REGISTERED[name]()
    for point in entry_points(group=GROUP):
        if point.name == name:
            loader: Callable[[], Analyzer] = point.load()
            return loader()
    raise UsageError(
        f"no analyzer is called {name!r}; choose from {', '.join(analyzer_names()) or 'none (none installed)'}"
    )
