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
    "agree": "karat.evaluate.agree.agree",
    "compare": "karat.evaluate.compare.compare",
    "compare_nuggets": "karat.evaluate.nuggets.compare",
    "correlate": "karat.evaluate.compare.correlate",
    "draft_key": "karat.evaluate.nuggets.draft_key",
    "find_nuggets": "karat.evaluate.nuggets.nuggetize",
    "lint": "karat.evaluate.lint",
    "load": "karat.formats",
    "model": "karat.model",
    "plan": "karat.evaluate.plan.plan",
    "pyramid": "karat.evaluate.pyramid",
    "read": "karat.formats",
    "score": "karat.evaluate.score.score",
    "score_labels": "karat.measures.rag",
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
    "agree",
    "compare",
    "compare_nuggets",
    "correlate",
    "draft_key",
    "find_nuggets",
    "lint",
    "load",
    "model",
    "plan",
    "pyramid",
    "read",
    "score",
    "score_labels",
    "write",
]

if TYPE_CHECKING:
    from karat import model
    from karat.evaluate.agree.agree import agree
    from karat.evaluate.compare.compare import compare
    from karat.evaluate.compare.correlate import correlate
    from karat.evaluate.lint import lint
    from karat.evaluate.nuggets.compare import compare_nuggets
    from karat.evaluate.nuggets.draft_key import draft_key
    from karat.evaluate.nuggets.nuggetize import find_nuggets
    from karat.evaluate.plan.plan import plan
    from karat.evaluate.pyramid import pyramid
    from karat.evaluate.score.score import score
    from karat.formats import load, read, write
    from karat.measures.rag import score_labels
    from karat.model import Collection, InputError, KaratError, Key, Signature, SpanSet


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    home = import_module(_HOMES[name])
    found = home if name == "model" else getattr(home, name)
    # Asked for once, it is an ordinary name.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
