"""Scoring from labels against the nuggetizer's own function, on the same rows in the same run.

python benchmarks/speed/scoring.py

The nuggetizer is installed into an environment of its own (.benchmarks/peer), without its dependencies: only the
file with its metrics is loaded.
"""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import karat

PEER = Path(__file__).parent.parent.parent / ".benchmarks" / "peer"
TOPICS, RUNS, NUGGETS = 300, 3, 20
ROUNDS = 15
LIMIT = 1.0
Rows = list[dict[str, Any]]


def peer_metrics() -> ModuleType:
    """The nuggetizer's module of metrics, installed on first use."""
    modules = list(PEER.glob("lib/python*/site-packages/nuggetizer/core/metrics.py"))
    if not modules:
        venv.create(PEER, with_pip=True, clear=True)
        install = [PEER / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "nuggetizer"]
        subprocess.run(install, check=True)
        modules = list(PEER.glob("lib/python*/site-packages/nuggetizer/core/metrics.py"))
    spec = importlib.util.spec_from_file_location("peer_metrics", modules[0])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["peer_metrics"] = module
    spec.loader.exec_module(module)
    return module


def made_rows() -> list[Rows]:
    """For each run, a row a topic with its nuggets' labels; the same key for all runs."""
    draw = random.Random(7)
    key = [
        [(f"topic {topic} nugget {number}", draw.choice(("vital", "okay"))) for number in range(NUGGETS)]
        for topic in range(TOPICS)
    ]
    labels = ("support", "partial_support", "not_support")
    return [
        [
            {
                "qid": str(topic),
                "query": f"what of topic {topic}?",
                "nuggets": [
                    {"text": text, "importance": importance, "assignment": draw.choice(labels)}
                    for text, importance in key[topic]
                ],
            }
            for topic in range(TOPICS)
        ]
        for _ in range(RUNS)
    ]


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> int:
    peer = peer_metrics()
    runs = made_rows()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, rows in enumerate(runs):
            path = Path(folder) / f"run{number}.jsonl"
            path.write_text("".join(json.dumps(row | {"run_id": f"run{number}"}) + "\n" for row in rows))
            paths.append(path)
        collection = karat.load(*paths)

        def peer_labels() -> list[Any]:
            return [peer.calculate_nugget_scores(row["qid"], row["nuggets"]) for rows in runs for row in rows]

        def karat_labels() -> list[Any]:
            return [karat.score_labels(row["nuggets"]) for rows in runs for row in rows]

        def karat_tables() -> object:
            from karat.evaluate.tables.tabulating import tabulated

            return tabulated(collection)

        def peer_files() -> list[Any]:
            return [
                peer.calculate_global_metrics([json.loads(line) for line in path.read_text().splitlines()])
                for path in paths
            ]

        def karat_files() -> object:
            return karat.score(*paths)

        for peer_scores, scores in zip(peer_labels(), karat_labels(), strict=True):
            theirs = (
                peer_scores.strict_vital_score,
                peer_scores.vital_score,
                peer_scores.strict_all_score,
                peer_scores.all_score,
            )
            assert theirs == (scores.strict_vital, scores.lenient_vital, scores.strict_all, scores.lenient_all)
        functions = (peer_labels, karat_labels, karat_tables, peer_files, karat_files)
        times: dict[str, list[float]] = {function.__name__: [] for function in functions}
        # In turns, and the best of each: whatever else the machine does then hits all alike.
        for _ in range(ROUNDS):
            for function in functions:
                times[function.__name__].append(seconds(function))
    taken = {name: min(rounds) for name, rounds in times.items()}
    labels = taken["peer_labels"] / taken["karat_labels"]
    print(f"{RUNS * TOPICS} responses of {NUGGETS} labels; how many times as fast as the nuggetizer's function:")
    print(f"  score_labels on the same rows            {labels:.2f} (at least {LIMIT})")
    print(f"  records in memory, four measures         {taken['peer_labels'] / taken['karat_tables']:.2f}")
    print(f"  files, with checks, intervals, tie groups {taken['peer_files'] / taken['karat_files']:.2f}")
    return int(labels < LIMIT)


if __name__ == "__main__":
    sys.exit(main())
