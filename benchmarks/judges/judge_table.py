"""Every judge on every labelled set at hand, as a Markdown table for docs/judges.md.

KARAT_DATA=... python benchmarks/judges/judge_table.py [JUDGE ...]

Thresholds and calibration never come from the query that is scored.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import karat
from karat.evaluate.validate.label_checks import CrossValidation
from karat.evaluate.validate.validate import Figure, validate_collection
from karat.model import Collection, Judgement

JUDGES = (
    "lexical", "nuggeteer", "nuggeteer(unit=snippet,n=2,stem=none,stop=keep)", "pourpre",
    "pourpre(credit=probability)", "qaviar", "rouge",
    "rouge(variant=2)", "rouge(variant=L)", "neighbours",
)  # fmt: skip
SETS: dict[str, tuple[tuple[str, ...], CrossValidation]] = {
    "TREC RAG 2024": (("trec-rag-2024/nugget_assignment.20241108.jl",), "query"),
    "REALSumm": (("realsumm-pyrxsum-labels/REALSumm",), "query"),
    "SummHay": (("summhay/eval_benchmark_data.json",), "query"),
    "ArgKP": (("argkp-kpa2021/kpm_data",), "query"),
    "Temporal Summarization 2014": (
        tuple(f"trec-tempsumm-2014/{name}.tsv.gz" for name in ("nuggets", "updates_sampled", "matches")), "snippet",
    ),
}  # fmt: skip
"""The files of each set, and what is left out when it is scored; for updates, the other updates are known."""
SHOWN = ("auc", "f1", "kappa", "brier", "tau_runs", "tau_topic", "rmse", "coverage", "width")


def main(judges: list[str]) -> int:
    data = Path(os.environ["KARAT_DATA"])
    print("| set | judge | " + " | ".join(SHOWN) + " |")
    print("|---|---|" + "---|" * len(SHOWN))
    for title, (paths, cv) in SETS.items():
        collection = karat.load(*(data / path for path in paths), on_error="skip")
        if len({judgement.judge for judgement in collection.judgements}) > 1:
            # SummHay has the labels of LLMs beside people's.
            collection = Collection(
                record for record in collection if not isinstance(record, Judgement) or record.judge == "person"
            )
        for judge in judges:
            figures = validate_collection(collection, judge=judge, cv=cv).figures
            print(f"| {title} | `{judge}` | " + " | ".join(_cell(figures[name]) for name in SHOWN) + " |", flush=True)
    return 0


def _cell(figure: Figure) -> str:
    if figure.value is None:
        return ""
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.2f}-{figure.high:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(JUDGES)))
