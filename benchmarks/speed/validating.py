"""What `validate` costs beside judging alone: 100 queries x 10 runs x 10 nugs, in the same run.

python benchmarks/speed/validating.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import karat
from karat.evaluate.validate.validate import validate_collection
from karat.judges.judge import judge_collection
from karat.model import Collection

MOST = 5.0
"""validate judges once, calibrates 100 times, scores both sides and draws 200 times."""
ROUNDS = 3


def made(queries: int, runs: int, nugs: int, seed: int = 0) -> Collection:
    """Responses that have some words of each nug, more of those that they contain."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for query in range(queries):
        words = [[f"q{query}n{nug}w{word}" for word in range(6)] for nug in range(nugs)]
        rows += [
            {"kind": "nug", "v": 1, "query_id": f"q{query}", "nug_id": f"n{nug}", "importance": "vital",
             "descriptions": [" ".join(words[nug])]}
            for nug in range(nugs)
        ]  # fmt: skip
        for run in range(runs):
            contained = rng.random(nugs) < (run + 0.5) / runs
            said = [rng.binomial(6, 0.7 if is_contained else 0.3) for is_contained in contained]
            text = ". ".join(" ".join(words[nug][:number]) for nug, number in enumerate(said) if number)
            snippets = [{"snippet_id": "1", "text": text or "nothing"}]
            rows.append(
                {"kind": "response", "v": 1, "query_id": f"q{query}", "run_id": f"r{run}", "snippets": snippets}
            )
            rows += [
                {"kind": "judgement", "v": 1, "query_id": f"q{query}", "run_id": f"r{run}", "nug_id": f"n{nug}",
                 "degree": float(is_contained), "judge": "person", "status": "ok"}
                for nug, is_contained in enumerate(contained)
            ]  # fmt: skip
    return karat.load(rows)


def seconds(work: Callable[[], object]) -> float:
    """Processor time, the best of some rounds."""
    best = np.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def main() -> int:
    collection = made(100, 10, 10)
    judging = seconds(lambda: judge_collection(collection, judge="lexical"))
    validating = seconds(lambda: validate_collection(collection, judge="lexical"))
    ratio = validating / judging
    print(f"validate takes {ratio:.2f} times as long as judging (at most {MOST:g})")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
