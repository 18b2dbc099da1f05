"""Throughput of the whole nuggetizer compared with raw spaCy on the same text; the two take turns.

    python benchmarks/speed/nuggetizing.py [--sentences N] [--jobs]

One core, processor time. The sentences are put together from small lists, so that nothing needs to be downloaded. Karat
must reach at least 0.45 of spaCy's rate; otherwise the exit code is 1. --jobs: measure also how much faster two
processes are than one, by the clock.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import random
import sys
import time
from statistics import median

from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.evaluate.nuggets.nuggetize import nuggetize_snippets
from karat.language import load_analyzer
from karat.nuggetizer.nuggetizer import Nuggetizer

LEAST = 0.45
LEAST_OF_TWO_JOBS = 1.7
ROUNDS = 5
WHO = ["The mayor of Porto", "Finance Minister Ines Duarte", "A spokesman for the union", "The Kestrel Group", "Canada",
       "Two nurses from the clinic", "Her brother, Tomas Reyes, 41,", "The court"]  # fmt: skip
DID = ["said on Tuesday that the bridge would reopen", "sold its stake in the port for $310 million",
       "flew to Nairobi for talks with farmers", "was arrested in Lisbon after a long chase",
       "rejected the plan because it cost too much", "visited Malta and praised the rescue crews",
       "cut prices by 12 percent to attract customers", "asked whether the tests had been repeated"]  # fmt: skip
REST = ["in the spring of 2019", "while thousands protested outside", "despite warnings from several experts",
        "at the headquarters in Geneva, Switzerland", "without giving a reason", "three weeks after the vote",
        "although nobody had been hurt", "to the surprise of many residents"]  # fmt: skip


def sentences(count: int) -> list[str]:
    draw = random.Random(7)
    return [f"{draw.choice(WHO)} {draw.choice(DID)} {draw.choice(REST)}." for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--jobs", action="store_true")
    options = parser.parse_args()
    texts = sentences(options.sentences)
    analyzer = load_analyzer()
    nuggetizer = Nuggetizer(analyzer)
    list(nuggetizer.nuggetize_many(texts[:64]))
    raw, whole = [], []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _doc in analyzer.pipeline.nlp.pipe(texts, batch_size=64):
            pass
        middle = time.process_time()
        for _nuggetized in nuggetizer.nuggetize_many(texts):
            pass
        raw.append(middle - begin)
        whole.append(time.process_time() - middle)
    share = median(spacy_seconds / karat_seconds for spacy_seconds, karat_seconds in zip(raw, whole, strict=True))
    rates = [len(texts) / median(took) for took in (raw, whole)]
    print(f"raw spaCy {rates[0]:.0f} sentences/s, Karat {rates[1]:.0f}: {share:.2f} of it")
    failed = share < LEAST
    if options.jobs:
        snippets = [InputSnippet(snippet_id=str(at), text=text) for at, text in enumerate(texts * 10)]
        took = []
        for jobs in (1, 2):
            begin = time.perf_counter()
            count = sum(1 for _ in nuggetize_snippets(snippets, jobs=jobs))
            took.append(time.perf_counter() - begin)
            print(f"--jobs {jobs}: {count:,} snippets in {took[-1]:.0f} s")
        print(f"two jobs are {took[0] / took[1]:.2f} times as fast as one")
        failed |= took[0] / took[1] < LEAST_OF_TWO_JOBS
    sys.exit(failed)


if __name__ == "__main__":
    main()
