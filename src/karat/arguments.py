"""What Python callers pass to the verbs: arguments of a wrong type or value are refused in plain words, in one place.

The command line checks its own options. Here the checks go by the name of an argument, which means the same in every
verb; choices such as `missing` or `average` are checked where they are used.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from karat.model.errors import UsageError

Check = Callable[[Any], bool]


def _is_whole(value: Any, least: int) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return int(value.__index__()) >= least
    except (AttributeError, TypeError):
        return False


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | str | bytes):
        return False
    try:
        return not math.isnan(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_list(value: Any, of: Check) -> bool:
    return not isinstance(value, str | bytes | dict) and isinstance(value, Iterable) and all(map(of, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_sizes(value: Any) -> bool:
    return _is_list(value, lambda number: _is_whole(number, 1))


TEXT = ("a text", _is_text)
NUMBER = ("a number", _is_number)
TEXTS = ("a list of texts", lambda value: not hasattr(value, "__next__") and _is_list(value, _is_text))
ARGUMENTS: dict[str, tuple[str, Check]] = {
    "seed": ("a whole number of at least 0", lambda value: _is_whole(value, 0)),
    **dict.fromkeys(("trials", "comparisons", "limit", "jobs", "min_runs"),
                    ("a whole number of at least 1", lambda value: _is_whole(value, 1))),
    **dict.fromkeys(("power", "alpha", "difference", "sd", "beta", "threshold"), NUMBER),
    **dict.fromkeys(("judge", "labels", "baseline", "relative_to", "assessor", "measure", "query", "by"), TEXT),
    **dict.fromkeys(("runs", "queries"), TEXTS),
    "measures": ("a text or a list of texts", lambda value: _is_text(value) or _is_list(value, _is_text)),
    **dict.fromkeys(("sizes", "panels"), ("a list of whole numbers of at least 1", _are_sizes)),
}  # fmt: skip
"""What each argument has to be, and how to tell. None stands for "not given" and is left to the verb."""


def checked(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb, which first looks at what it is given, and computes with one thread.

    >>> checked(sorted)([2, 1], seed=-1)
    Traceback (most recent call last):
    karat.model.errors.UsageError: seed=-1 is not a whole number of at least 0
    """

    @functools.wraps(verb)
    def careful(*inputs: Any, **options: Any) -> Any:
        for name, value in options.items():
            wanted, is_right = ARGUMENTS.get(name, ("", None))
            if is_right is not None and value is not None and not is_right(value):
                raise UsageError(f"{name}={_shown(value)} is not {wanted}")
        # Loaded at the first call: `import karat` costs nothing.
        from karat.engines.one_thread import one_thread

        with one_thread():
            return verb(*inputs, **options)

    return careful


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
