"""Which layers of INCEpTION and WebAnno hold what people marked, rather than the words themselves."""

from __future__ import annotations

_MACHINERY = ("uima.", "de.tudarmstadt.ukp.", "org.dkpro.")
_NAMED_ENTITY = "NamedEntity"


def is_marked(layer: str) -> bool:
    """Custom layers and named entities; not tokens, sentences, lemmas, metadata and other layers of the tools."""
    return short_name(layer) == _NAMED_ENTITY or not layer.startswith(_MACHINERY)


def short_name(layer: str) -> str:
    """`webanno.custom.Claim` -> `Claim`."""
    return layer.rpartition(".")[2]


def label_of(features: dict[str, str]) -> str | None:
    """What an annotation says it is: its value or label, or the only feature that says anything."""
    for name in ("value", "label"):
        if features.get(name):
            return features[name]
    filled = [value for value in features.values() if value]
    return filled[0] if len(filled) == 1 else None
