"""What asking costs: a preview before the first call, and limits that no call can pass, also with several at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from karat.judges.llm.request import Request, estimated_tokens
from karat.model import Unfinished, UsageError
from karat.model.wording import number_of

MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, in and out, in any currency."""

    tokens_in: float
    tokens_out: float

    def __post_init__(self) -> None:
        if not all(0 <= price < float("inf") for price in (self.tokens_in, self.tokens_out)):
            raise UsageError(f"prices ({self.tokens_in:g}, {self.tokens_out:g}): each must be 0 or more")

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION

    @staticmethod
    def parse(text: str) -> Prices:
        """From `0.15,0.60`: per million tokens in, and out."""
        try:
            first, second = (float(part) for part in text.split(","))
            return Prices(first, second)
        except (ValueError, UsageError):
            raise UsageError(
                f"--llm-price {text}: give two prices per million tokens, such as 0.15,0.60 (in, out)"
            ) from None


class BudgetUsedUp(Unfinished):
    """The next call could pass a limit."""


class Budget:
    """Counts calls and cost. What a call may cost is set aside before it is made."""

    def __init__(self, *, max_calls: int | None, max_cost: float | None, prices: Prices | None) -> None:
        if max_cost is not None and prices is None:
            raise UsageError("--max-cost needs the prices: add --llm-price IN,OUT (per million tokens)")
        self.max_calls, self.max_cost, self.prices = max_calls, max_cost, prices
        self.calls = 0
        self.spent = 0.0
        self._aside = 0.0
        self._lock = threading.Lock()

    def reserve(self, tokens_in: int, tokens_out: int) -> float:
        """Count a call, and set aside the most that it may cost; returns that.

        Raises:
            BudgetUsedUp: the call could pass a limit.
        """
        most = self.prices.cost(tokens_in, tokens_out) if self.prices is not None else 0.0
        with self._lock:
            if self.max_calls is not None and self.calls >= self.max_calls:
                raise BudgetUsedUp(f"the {number_of(self.max_calls, 'call')} of --max-calls are used up")
            if self.max_cost is not None and self.spent + self._aside + most > self.max_cost:
                raise BudgetUsedUp(
                    f"--max-cost {self.max_cost:g}: {self.spent:.4f} is spent, and the next call could cost {most:.4f}"
                )
            self.calls += 1
            self._aside += most
        return most

    def settle(self, most: float, spent: float | None) -> None:
        """Replace what was set aside by what was spent; where that is unknown, all of it counts as spent."""
        with self._lock:
            self._aside -= most
            self.spent += most if spent is None else spent


@dataclass(frozen=True)
class Preview:
    """What is about to be asked."""

    calls: int
    in_log: int
    model: str
    endpoint: str
    log: str
    tokens_in: int
    tokens_out: int
    """At most."""
    cost: float | None = None
    """With the most tokens out; None without prices."""

    def text(self) -> str:
        logged = f"; {number_of(self.in_log, 'answer')} of {self.log} reused" if self.in_log else f"; log: {self.log}"
        lines = [
            f"llm: {number_of(self.calls, 'call')} to {self.endpoint}, model {self.model}{logged}",
            f"llm: about {self.tokens_in:,} tokens in and at most {self.tokens_out:,} out (estimate: 4 characters "
            "per token; repeated calls come on top)",
        ]
        if self.cost is not None:
            lines.append(f"llm: about {self.cost:.4f} at most, by the prices given")
        return "\n".join(lines)


def preview_of(requests: Sequence[Request], *, in_log: int, endpoint: str, log: str, prices: Prices | None) -> Preview:
    tokens_in = sum(estimated_tokens(request.messages) for request in requests)
    tokens_out = sum(request.most_tokens for request in requests)
    return Preview(
        len(requests), in_log, ", ".join(dict.fromkeys(request.model for request in requests)), endpoint, log,
        tokens_in, tokens_out, None if prices is None else prices.cost(tokens_in, tokens_out),
    )  # fmt: skip
