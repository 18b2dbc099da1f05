"""What happened so far: calls by command and exit code, and failures with examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

FAILURES = ("tracebacks", "hangs", "memory", "inputs changed", "half outputs", "files left", "exit codes")
"""What counts as a failure:

tracebacks      a Python traceback, an exception, a numpy warning, or "This is a bug in Karat"
hangs           a call that takes longer than the time limit
memory          a process that grows beyond the memory limit
inputs changed  a file that a call reads has other bytes afterwards
half outputs    an output that is neither what was there before nor whole
files left      a temporary file that stays behind
exit codes      one that Karat does not document (0 to 5; 128 and the number of the signal; 141 for a closed pipe)
"""
DOCUMENTED = frozenset((None, 0, 1, 2, 3, 4, 5, 129, 130, 141, 143))
SIGNS = ("Traceback (most recent", "This is a bug in Karat", "Warning: ")
EXAMPLES = 5
"""How many failures of a kind are printed."""


@dataclass
class Tally:
    """Counts of one part of the attack."""

    calls: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    peak: int = 0
    """The largest memory of a process, in MiB."""

    def add(self, arguments: list[str], code: object, said: str, *, allowed: tuple[int, ...] = ()) -> None:
        """Count a call that ended."""
        self.calls[arguments[0]] += 1
        self.codes[str(code)] += 1
        if any(sign in said for sign in SIGNS) or code == "raised":
            self.fail("tracebacks", arguments, said)
        elif code not in DOCUMENTED and code not in allowed:
            self.fail("exit codes", arguments, f"{code}: {said}")

    def fail(self, what: str, arguments: list[str], said: str = "") -> None:
        self.failures[what] += 1
        if self.failures[what] <= EXAMPLES:
            self.examples.append(f"{what}: karat {' '.join(map(repr, arguments))}\n        {said.strip()[-600:]}")

    def merge(self, other: Tally) -> None:
        self.calls += other.calls
        self.codes += other.codes
        self.failures += other.failures
        self.examples += other.examples
        self.peak = max(self.peak, other.peak)

    def lines(self) -> list[str]:
        """The counts as text."""
        failures = ", ".join(f"{what} {self.failures[what]}" for what in FAILURES)
        return [
            f"{self.calls.total():,} calls; {failures}; peak memory {self.peak} MiB",
            "  commands: " + ", ".join(f"{name} {count:,}" for name, count in self.calls.most_common()),
            "  exit codes: " + ", ".join(f"{code} {count:,}" for code, count in sorted(self.codes.items())),
            *(f"  {example}" for example in self.examples),
        ]
