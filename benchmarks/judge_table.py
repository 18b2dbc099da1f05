"""Every judge on every labelled set at hand, as a Markdown table for docs/judges.md.

KARAT_DATA=... python benchmarks/judge_table.py [JUDGE ...]

Thresholds and calibration always come from other queries than the one scored.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import karat
from karat.evaluate.validating import Figure, validate_collection
from karat.model import Collection, Judgement

JUDGES = (
    "lexical", "nuggeteer", "nuggeteer(unit=snippet,n=2,stem=none,stop=keep)", "pourpre", "qaviar", "rouge",
    "rouge(variant=2)", "rouge(variant=L)",
)  # fmt: skip
SETS = {
    "TREC RAG 2024": "trec-rag-2024/nugget_assignment.20241108.jl",
    "REALSumm": "realsumm-pyrxsum-labels/REALSumm",
    "SummHay": "summhay/eval_benchmark_data.json",
}
SHOWN = ("auc", "f1", "kappa", "brier", "tau_runs", "tau_topic", "rmse", "coverage", "width")


def main(judges: list[str]) -> int:
    data = Path(os.environ["KARAT_DATA"])
    print("| set | judge | " + " | ".join(SHOWN) + " |")
    print("|---|---|" + "---|" * len(SHOWN))
    for name, path in SETS.items():
        collection = karat.load(data / path, on_error="skip")
        if len({one.judge for one in collection.judgements}) > 1:
            # SummHay has the labels of LLMs beside people's.
            collection = Collection(
                one for one in collection if not isinstance(one, Judgement) or one.judge == "person"
            )
        for judge in judges:
            found = validate_collection(collection, judge=judge).figures
            print(f"| {name} | `{judge}` | " + " | ".join(_cell(found[figure]) for figure in SHOWN) + " |", flush=True)
    return 0


def _cell(figure: Figure) -> str:
    if figure.value is None:
        return ""
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.2f}-{figure.high:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(JUDGES)))
