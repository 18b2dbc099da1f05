"""The floor of plain word overlap on TREC RAG 2024, beside `lexical`, as a Markdown table.

KARAT_DATA=... python benchmarks/overlap_floor.py [--judge NAME]

A pair is any nug, vital or okay, and any answer. Its score is the share of the words of the nug's description (stems,
each as often as it stands there) that occur anywhere in the answer; with idf, every word weighs log((N + 1) / (n + 1))
if it occurs in n of the N answers. It is called contained from a threshold on: that of best kappa on the other topics.
A run's score is the mean over topics of the share of vital nugs called contained; runs with fewer than 14 of the 15
topics are left out of figures of runs, and tau within a topic is over all runs, averaged over topics.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

import karat
from karat.evaluate.validate.cross_validation import labelled_pairs
from karat.evaluate.validate.validate import validate_collection
from karat.evaluate.validate.views import decision_figures
from karat.judges.calibration.cross_validated import fit_cross_validated
from karat.judges.human.known import whole_text
from karat.judges.pairs import Pairs
from karat.judges.registry import parse_judge
from karat.model import Collection
from karat.text.stems import stemmer
from karat.text.words import words

SHOWN = ("kappa", "f1", "auc", "tau_runs", "tau_topic", "rmse")


def overlap(pairs: Pairs, *, idf: bool) -> np.ndarray:
    """The share of each nug's words that the answer has, in the order of the pairs."""
    stem = stemmer("porter")
    answers = [[set(map(stem, words(whole_text(one)))) for one in query.task.responses] for query in pairs.queries]
    frequency = Counter(word for own in answers for said in own for word in said)
    total = sum(map(len, answers))

    def weight(word: str) -> float:
        return float(np.log((total + 1) / (frequency[word] + 1))) if idf else 1.0

    found = []
    for query, own in zip(pairs.queries, answers, strict=True):
        asked = [[stem(word) for word in words(nug.descriptions[0])] for nug in query.task.nugs]
        whole = [sum(map(weight, one)) for one in asked]
        for said in own:
            for one, most in zip(asked, whole, strict=True):
                found.append(sum(weight(word) for word in one if word in said) / most if most else 0.0)
    return np.array(found)


def floor_figures(pairs: Pairs, scores: np.ndarray, people: Collection) -> dict[str, float]:
    """The figures of hard decisions, the threshold of a topic from the others."""
    labelled = replace(pairs, scores=scores).labelled()
    contained = fit_cross_validated(labelled, groups=pairs.question).decisions >= 1
    return decision_figures(replace(pairs, scores=scores), contained, people, parse_judge("qaviar"), "strict_vital")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judge", default="lexical")
    judge = parser.parse_args().judge
    file = Path(os.environ["KARAT_DATA"]) / "trec-rag-2024" / "nugget_assignment.20241108.jl"
    collection = karat.load(file, on_error="skip")
    pairs, people = labelled_pairs(collection, parse_judge("qaviar"))
    rows = {
        "stemmed unigram recall": floor_figures(pairs, overlap(pairs, idf=False), people),
        "the same, by idf": floor_figures(pairs, overlap(pairs, idf=True), people),
    }
    figures = validate_collection(collection, judge=judge).figures
    rows[f"`{judge}`"] = {name: figures[name].value or np.nan for name in SHOWN}
    print("| judge | " + " | ".join(SHOWN) + " |\n|---|" + "---|" * len(SHOWN))
    for name, own in rows.items():
        print(f"| {name} | " + " | ".join(f"{own[figure]:.3f}" for figure in SHOWN) + " |")


if __name__ == "__main__":
    main()
