"""Where a language model is, and what may be spent: `with karat.llm(url=..., model=...)`.

None of this changes an answer, so none of it is in a signature or in the hash of a request. There is no default server:
without one that the user named, nothing is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from karat.judges.llm.budget import Budget, Prices
from karat.judges.llm.client import Secret
from karat.model import UsageError

LOG = "karat-llm.sqlite"
"""The log where the user names none: in the current folder."""
NO_CONNECTION = (
    "no language model is named: give its server with --llm-url URL (such as http://127.0.0.1:8080/v1) and its name "
    "with --llm-model NAME; in Python: with karat.llm(url=..., model=...). Karat never chooses a server by itself"
)
NO_MODEL = "which model? Name it with --llm-model NAME or llm(model=NAME); in Python: karat.llm(model=...)"
Say = Callable[[str], None]
Ask = Callable[[str], bool]


@dataclass(frozen=True)
class Connection:
    """How to reach a model, and what may be spent on it."""

    url: str | None
    model: str | None
    key: Secret
    log: Path
    budget: Budget
    concurrency: int = 4
    timeout: float = 120.0
    retry_failed: bool = False
    yes: bool = False
    """Whether the user agreed to all calls beforehand."""
    say: Say = field(default=lambda text: None, repr=False)
    ask: Ask | None = field(default=None, repr=False)
    """Asks the user whether to go on; None where nobody can be asked."""
    sleep: Callable[[float], None] | None = field(default=None, repr=False)
    """Instead of waiting, in tests."""


_current: ContextVar[Connection | None] = ContextVar("llm", default=None)


def current() -> Connection | None:
    """The connection of the innermost `with karat.llm(...)`."""
    return _current.get()


def named_connection() -> Connection:
    """The same.

    Raises:
        UsageError: there is none, or neither a server nor a log that could have the answers.
    """
    connection = current()
    if connection is None or (connection.url is None and not connection.log.exists()):
        raise UsageError(NO_CONNECTION)
    return connection


@contextmanager
def llm(
    *,
    url: str | None = None,
    model: str | None = None,
    key: str | None = None,
    log: str | Path = LOG,
    max_calls: int | None = None,
    max_cost: float | None = None,
    price: tuple[float, float] | Prices | None = None,
    concurrency: int = 4,
    timeout: float = 120.0,
    retry_failed: bool = False,
    yes: bool = False,
    say: Say | None = None,
    ask: Ask | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Iterator[Connection]:
    """Name the language model that the judge `llm` asks, as long as the block lasts.

    url: an OpenAI-compatible server, such as "http://127.0.0.1:8080/v1"; without it only the log is read. model: its
    name there, where the judge's name has none. key: what the server asks for; it is written nowhere. log: the SQLite
    file with every call; what is in it is never asked again. max_calls, max_cost: limits for the whole block, with the
    prices per million tokens, (in, out). Without a limit that covers all calls, they are only made with yes=True.
    concurrency: calls at the same time. timeout: seconds per call. retry_failed: ask again what failed for good.
    say: gets the preview. ask: is asked whether to go on. sleep: waits between attempts, instead of the clock.

    >>> import karat
    >>> with karat.llm(url="http://127.0.0.1:8080/v1", model="qwen3", max_calls=200) as connection:
    ...     connection.model
    'qwen3'
    """
    if concurrency < 1:
        raise UsageError(f"concurrency={concurrency} must be at least 1")
    if not timeout > 0:
        raise UsageError(f"timeout={timeout:g} must be above 0")
    for name, limit in (("max_calls", max_calls), ("max_cost", max_cost)):
        if limit is not None and not limit >= 0:
            raise UsageError(f"{name}={limit:g} must be at least 0")
    prices = price if price is None or isinstance(price, Prices) else Prices(*price)
    budget = Budget(max_calls=max_calls, max_cost=max_cost, prices=prices)
    connection = Connection(
        url, model, Secret(key), Path(log), budget, concurrency, timeout, retry_failed, yes,
        say or (lambda text: None), ask, sleep,
    )  # fmt: skip
    token = _current.set(connection)
    try:
        yield connection
    finally:
        _current.reset(token)
