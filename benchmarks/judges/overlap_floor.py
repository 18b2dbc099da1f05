"""The floor of plain word overlap on TREC RAG 2024, beside `lexical`, as a Markdown table.

KARAT_DATA=... python benchmarks/judges/overlap_floor.py [--judge NAME]

A pair is any nug, vital or okay, and any answer. Its score is the share of the words of the nug's description (stems,
each as often as it occurs there) that appear anywhere in the answer; with idf, every word weighs log((N + 1) / (n + 1))
if it occurs in n of the N answers. It is called contained from a threshold on: the one with the best kappa on the other
topics.
A run's score is the mean over topics of the share of vital nugs called contained; runs with fewer than 14 of the 15
topics are left out of the figures of runs. Tau within a topic uses all runs, and is averaged over topics.
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
from karat.judges.human.known_judgements import whole_text
from karat.judges.pairs import Pairs
from karat.judges.registry import parse_judge
from karat.model import Collection
from karat.text.stems import stemmer
from karat.text.words import words
from lexical_sets import decide_by_other_queries

SHOWN = ("kappa", "f1", "auc", "tau_runs", "tau_topic", "rmse")


def overlap(pairs: Pairs, *, idf: bool) -> np.ndarray:
    """The share of each nug's words that the answer has, in the order of the pairs."""
    stem = stemmer("porter")
    answers = [
        [set(map(stem, words(whole_text(response)))) for response in query.task.responses] for query in pairs.queries
    ]
    frequency = Counter(word for of_query in answers for said in of_query for word in said)
    total = sum(map(len, answers))

    def weight(word: str) -> float:
        return float(np.log((total + 1) / (frequency[word] + 1))) if idf else 1.0

    shares = []
    for query, of_query in zip(pairs.queries, answers, strict=True):
        nugs = [[stem(word) for word in words(nug.descriptions[0])] for nug in query.task.nugs]
        totals = [sum(map(weight, nug)) for nug in nugs]
        for said in of_query:
            for nug, most in zip(nugs, totals, strict=True):
                shares.append(sum(weight(word) for word in nug if word in said) / most if most else 0.0)
    return np.array(shares)


def floor_figures(pairs: Pairs, scores: np.ndarray, people: Collection) -> dict[str, float]:
    """The figures of hard decisions; the threshold for a topic comes from the other topics."""
    labels = np.where(np.isnan(pairs.degrees), np.nan, pairs.degrees >= 1)
    contained = decide_by_other_queries(scores, labels, pairs.question) >= 1
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
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{row[figure]:.3f}" for figure in SHOWN) + " |")


if __name__ == "__main__":
    main()
