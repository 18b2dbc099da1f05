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
    "agree": "karat.evaluate.agreement",
    "compare": "karat.evaluate.comparing",
    "compare_nuggets": "karat.evaluate.nuggets_compare",
    "correlate": "karat.evaluate.correlating",
    "draft_key": "karat.evaluate.drafting",
    "find_nuggets": "karat.evaluate.nuggetizing",
    "lint": "karat.evaluate.lint",
    "load": "karat.formats",
    "model": "karat.model",
    "plan": "karat.evaluate.planning",
    "pyramid": "karat.evaluate.pyramid",
    "read": "karat.formats",
    "score": "karat.evaluate.scoring",
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
    from karat.evaluate.agreement import agree
    from karat.evaluate.comparing import compare
    from karat.evaluate.correlating import correlate
    from karat.evaluate.drafting import draft_key
    from karat.evaluate.lint import lint
    from karat.evaluate.nuggetizing import find_nuggets
    from karat.evaluate.nuggets_compare import compare_nuggets
    from karat.evaluate.planning import plan
    from karat.evaluate.pyramid import pyramid
    from karat.evaluate.scoring import score
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
