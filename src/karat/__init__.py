"""Karat measures how much of what matters is in an answer.

>>> import karat
>>> collection = karat.load([{"qid": "q1", "query": "why?", "nuggets": [{"text": "because", "importance": "vital"}]}])
>>> collection.nugs[0].importance
'vital'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The public names, loaded at first use so that `import karat` costs nothing.
_HOMES = {
    "Collection": "karat.model",
    "InputError": "karat.model",
    "KaratError": "karat.model",
    "Key": "karat.model",
    "SpanSet": "karat.model",
    "Signature": "karat.model",
    "lint": "karat.evaluate.lint",
    "load": "karat.formats",
    "model": "karat.model",
    "read": "karat.formats",
    "score": "karat.evaluate.scoring",
    "write": "karat.formats",
}
__all__ = [
    "Collection",
    "InputError",
    "KaratError",
    "Key",
    "Signature",
    "SpanSet",
    "__version__",
    "lint",
    "load",
    "model",
    "read",
    "score",
    "write",
]

if TYPE_CHECKING:
    from karat import model
    from karat.evaluate.lint import lint
    from karat.evaluate.scoring import score
    from karat.formats import load, read, write
    from karat.model import Collection, InputError, KaratError, Key, Signature, SpanSet


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    home = import_module(_HOMES[name])
    return home if name == "model" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
