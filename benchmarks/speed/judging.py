"""Scores of many responses and nugs against a bare loop of tokenising and one scipy product, in turns in the same run.

    python benchmarks/speed/judging.py [--scale S]

At scale 1 there are 100,000 responses of about 100 words and 1,000 nugs of about 10, with words drawn from a
Zipf-Mandelbrot distribution; on one core, in CPU time. The bare loop finds the same features with the same regular
expression and a dict, with one set per response, and multiplies once per block. rouge-score, where it is installed, is
timed on a sample of such pairs. Prints ratios and the largest resident size; exits with 1 where a limit is missed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import importlib.util
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from karat.judges.base import Task
from karat.judges.overlap.nuggeteer import Nuggeteer
from karat.model import Nug

RESPONSES, NUGS, BLOCK = 100_000, 1_000, 2_000
TYPES = 50_000
MOST_TIMES_BARE, LEAST_TIMES_ROUGE, MOST_MEMORY = 1.2, 50.0, 1e9
TOKEN = re.compile(r"\w+(?:['’]\w+)*")
Score = Callable[[list[str]], Any]


class Writer:
    """Makes texts; the share of the k-th most common word is in proportion to 1 / (k + 2.7)."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        letters = np.array(list("etaoinshrdlcumwfgypbvk"))
        spelled: dict[str, None] = {}
        while len(spelled) < TYPES:
            length = 2 + int(np.log(len(spelled) + 2) / 2) + int(self.draw.integers(0, 4))
            spelled["".join(self.draw.choice(letters, length))] = None
        self.words = np.array(list(spelled), object)
        shares = np.cumsum(1 / (np.arange(TYPES) + 3.7))
        self.shares = shares / shares[-1]

    def texts(self, count: int, length: int) -> list[str]:
        """Sentences of 5 to 24 words, about `length` words in all."""
        texts = []
        for words in self.draw.poisson(length, count):
            drawn = self.words[np.searchsorted(self.shares, self.draw.random(max(1, words)))].tolist()
            for at in range(0, len(drawn), int(self.draw.integers(5, 25))):
                drawn[at] = drawn[at].capitalize() if at == 0 else f"{drawn[at]}."
            texts.append(" ".join(drawn))
        return texts


def bare_score(nugs: list[str], n: int) -> Score:
    """The same scores by the simplest code: plain counts, no informativeness."""
    key = [set(features(nug, n)) for nug in nugs]
    column_of = {feature: at for at, feature in enumerate(dict.fromkeys(feature for nug in key for feature in nug))}
    pairs = [(column_of[feature], row, 1 / len(nug)) for row, nug in enumerate(key) for feature in nug]
    columns, rows, values = (np.array(part) for part in zip(*pairs, strict=True))
    weights = csr_array((values.astype(np.float32), (columns, rows)), shape=(len(column_of), len(nugs)))
    find = column_of.get

    def score(texts: list[str]) -> Any:
        indices: list[int] = []
        ends = [0]
        for text in texts:
            present = set(map(find, features(text, n)))
            present.discard(None)
            indices.extend(present)  # type: ignore[arg-type]
            ends.append(len(indices))
        ones = np.ones(len(indices), np.float32)
        return (
            csr_array((ones, np.array(indices), np.array(ends)), shape=(len(texts), len(column_of))) @ weights
        ).toarray()

    return score


def features(text: str, n: int) -> list[Any]:
    tokens: list[Any] = TOKEN.findall(text.lower())
    return tokens if n == 1 else [*tokens, *pairwise(tokens)]


def karat_score(nugs: list[str], n: int) -> Score:
    made = [Nug(query_id="q", nug_id=str(at), descriptions=(nug,)) for at, nug in enumerate(nugs)]
    judge = Nuggeteer(n=n, weights="count", informativeness="none", stem="none", stop="keep")
    return judge.matcher(Task("q", made, [])).score


def blocks(writer: Writer, scale: float) -> Iterator[list[str]]:
    for _ in range(max(1, round(RESPONSES * scale / BLOCK))):
        yield writer.texts(BLOCK, 100)


def timed(score: Score, texts: list[str]) -> tuple[float, Any]:
    start = time.process_time()
    scores = score(texts)
    return time.process_time() - start, scores


def against_bare(n: int, scale: float) -> tuple[float, float]:
    """Karat's time divided by that of the bare loop, and Karat's pairs per second."""
    writer = Writer(n)
    nugs = writer.texts(NUGS, 10)
    scores = {"karat": karat_score(nugs, n), "bare": bare_score(nugs, n)}
    seconds = {"karat": 0.0, "bare": 0.0}
    pairs = 0
    for at, texts in enumerate(blocks(writer, scale)):
        order = ("karat", "bare") if at % 2 else ("bare", "karat")
        results = {name: timed(scores[name], texts) for name in order}
        assert np.allclose(results["karat"][1], results["bare"][1], atol=1e-5)
        for name in order:
            seconds[name] += results[name][0]
        pairs += BLOCK * NUGS
    return seconds["karat"] / seconds["bare"], pairs / seconds["karat"]


def rouge_rate() -> float:
    """Pairs per second of rouge-score: ROUGE-1 without stemming, on a sample of such responses and nugs."""
    from rouge_score.rouge_scorer import RougeScorer

    writer, scorer = Writer(1), RougeScorer(["rouge1"])
    nugs, texts = writer.texts(20, 10), writer.texts(100, 100)
    start = time.process_time()
    for text in texts:
        for nug in nugs:
            scorer.score(nug, text)
    return len(texts) * len(nugs) / (time.process_time() - start)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=0.1, help="share of the 100,000 responses")
    scale = parser.parse_args().scale
    missed = False
    rates = []
    for n, name in ((1, "words"), (2, "words and bigrams")):
        ratio, rate = against_bare(n, scale)
        rates.append(rate)
        print(f"{name}: {ratio:.2f} times the bare loop (at most {MOST_TIMES_BARE}), {rate:.2g} pairs per second")
        missed |= ratio > MOST_TIMES_BARE
    if importlib.util.find_spec("rouge_score") is None:
        print("rouge-score is not installed: not compared")
    else:
        faster = min(rates) / rouge_rate()
        print(f"{faster:,.0f} times as fast as rouge-score (at least {LEAST_TIMES_ROUGE:.0f})")
        missed |= faster < LEAST_TIMES_ROUGE
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"largest resident size {memory / 1e6:.0f} MB (at most {MOST_MEMORY / 1e6:.0f})")
    return int(missed or memory > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
