"""What a command costs."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple


class Cost(NamedTuple):
    seconds: float
    """Wall time."""
    memory: float
    """Largest resident size in bytes."""
    processor: float = 0.0
    """Seconds of processor time: what a busy machine does not change."""


def cost_of(command: Sequence[str], *, accept: tuple[int, ...] = (0, 1)) -> Cost:
    """Run a command once, its output thrown away; an exit code that is not accepted is an error."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accept:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Cost(seconds, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)
