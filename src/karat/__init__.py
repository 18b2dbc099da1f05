"""Karat measures how much of what matters is in an answer.

Every verb takes paths, records, lists of dicts or data frames, and returns a result that prints as a short table.

>>> import karat
>>> key, judgements, runs = karat.demo_files()
>>> scoring = karat.score(key, judgements, measures="strict_vital", on_error="skip")
>>> scoring.of_all()[0].run_id
'atlas'
>>> collection = karat.load([{"qid": "q1", "query": "why?", "nuggets": [{"text": "because", "importance": "vital"}]}])
>>> collection.nugs[0].importance
'vital'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The public names and where they live. They are loaded at first use, so that `import karat` costs nothing.
_HOMES = {
    "Collection": "karat.model",
    "InputError": "karat.model",
    "KaratError": "karat.model",
    "Key": "karat.model",
    "Signature": "karat.model",
    "SpanSet": "karat.model",
    "agree": "karat.evaluate.agree.agree",
    "best_questions": "karat.evaluate.plan.best_questions",
    "cache": "karat.engines.cache",
    "cite": "karat.evaluate.cite.cite",
    "compare": "karat.evaluate.compare.compare",
    "compare_nuggets": "karat.evaluate.nuggets.compare",
    "correlate": "karat.evaluate.compare.correlate",
    "demo_files": "karat.demo",
    "draft_key": "karat.evaluate.nuggets.draft_key",
    "engine": "karat.engines.current",
    "explain": "karat.evaluate.review.explain",
    "judge": "karat.judges.judge",
    "key_diff": "karat.evaluate.keys.diff",
    "key_hash": "karat.evaluate.keys.hashing",
    "lint": "karat.evaluate.lint",
    "llm": "karat.judges.llm.connection",
    "load": "karat.formats",
    "model": "karat.model",
    "nuggetize": "karat.evaluate.nuggets.nuggetize",
    "plan": "karat.evaluate.plan.plan",
    "plot": "karat.reports.page.plot",
    "pyramid": "karat.evaluate.keys.pyramid",
    "read": "karat.formats",
    "report": "karat.reports.page.report",
    "review": "karat.evaluate.review.session",
    "score": "karat.evaluate.score.score",
    "score_labels": "karat.measures.rag",
    "stability": "karat.evaluate.plan.stability",
    "validate": "karat.evaluate.validate.validate",
    "write": "karat.formats",
}
# Verbs with options that a caller may get wrong.
_CHECKED = {
    "agree", "best_questions", "cite", "compare", "compare_nuggets", "correlate", "draft_key", "explain", "judge",
    "key_diff", "nuggetize", "plan", "plot", "report", "review", "score", "stability", "validate",
}  # fmt: skip
__all__ = [
    "Collection",
    "InputError",
    "KaratError",
    "Key",
    "Signature",
    "SpanSet",
    "__version__",
    "agree",
    "best_questions",
    "cache",
    "cite",
    "compare",
    "compare_nuggets",
    "correlate",
    "demo_files",
    "draft_key",
    "engine",
    "explain",
    "judge",
    "key_diff",
    "key_hash",
    "lint",
    "llm",
    "load",
    "model",
    "nuggetize",
    "plan",
    "plot",
    "pyramid",
    "read",
    "report",
    "review",
    "score",
    "score_labels",
    "stability",
    "validate",
    "write",
]

if TYPE_CHECKING:
    from karat import model
    from karat.demo import demo_files
    from karat.engines.cache import cache
    from karat.engines.current import engine
    from karat.evaluate.agree.agree import agree
    from karat.evaluate.cite.cite import cite
    from karat.evaluate.compare.compare import compare
    from karat.evaluate.compare.correlate import correlate
    from karat.evaluate.keys.diff import key_diff
    from karat.evaluate.keys.hashing import key_hash
    from karat.evaluate.keys.pyramid import pyramid
    from karat.evaluate.lint import lint
    from karat.evaluate.nuggets.compare import compare_nuggets
    from karat.evaluate.nuggets.draft_key import draft_key
    from karat.evaluate.nuggets.nuggetize import nuggetize
    from karat.evaluate.plan.best_questions import best_questions
    from karat.evaluate.plan.plan import plan
    from karat.evaluate.plan.stability import stability
    from karat.evaluate.review.explain import explain
    from karat.evaluate.review.session import review
    from karat.evaluate.score.score import score
    from karat.evaluate.validate.validate import validate
    from karat.formats import load, read, write
    from karat.judges.judge import judge
    from karat.judges.llm.connection import llm
    from karat.measures.rag import score_labels
    from karat.model import Collection, InputError, KaratError, Key, Signature, SpanSet
    from karat.model.result import Result, Shown
    from karat.reports.page.plot import plot
    from karat.reports.page.report import report


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    home = import_module(_HOMES[name])
    value: Any = home if name == "model" else getattr(home, name)
    if name in _CHECKED:
        from karat.arguments import checked

        value = checked(value)
    # From the second time on it is an ordinary name.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _shown(result: Result) -> Shown:
    """A result as the reports show it. Results are below the reports and cannot ask them directly."""
    from karat.reports.results import show

    return show(result)
