"""Analyzers by name: spaCy's pipelines, and those that an installed package offers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from karat.language.analysis import Analyzer
from karat.model import UsageError

GROUP = "karat.analyzers"
"""A package offers an analyzer by an entry point of this group: a function without arguments that returns an
Analyzer. The name of the entry point is the name of the analyzer."""


def analyzer_names() -> list[str]:
    """Every name that load_analyzer takes on this machine, the default first."""
    from karat.language.spacy.models import installed_pipelines

    offered = [point.name for point in entry_points(group=GROUP)]
    return list(dict.fromkeys([*installed_pipelines(), *offered]))


def load_analyzer(name: str | None = None) -> Analyzer:
    """The analyzer with a name: a spaCy pipeline, or one that a package offers; None: the best spaCy pipeline."""
    from karat.language.spacy.analyzer import load_spacy
    from karat.language.spacy.models import installed_pipelines

    if name is None or name in installed_pipelines():
        return load_spacy(name)
    for point in entry_points(group=GROUP):
        if point.name == name:
            loader: Callable[[], Analyzer] = point.load()
            return loader()
    known = analyzer_names()
    raise UsageError(
        f"no language model is called {name!r}; "
        + (
            f"choose from {', '.join(known)}"
            if known
            else "none is installed: pip install '.[language]' in Karat's folder"
        )
    )
