"""The judge `semantic` against nothing but its encoder on the same sentences, in the same run, on one core.

    python benchmarks/speed/meaning.py [--answers N]

Answers of about 200 words (the mean of TREC RAG 2024), put together from the sentences of the demo with other numbers,
so that no sentence is encoded twice; 12 nugs each. Prints answers per second, the ratio of judging to encoding (with
typed checks, and with the reader), what 10^5 further pairs cost in units of encoding 1,000 answers, and the largest
resident size; exits with 1 where a limit is missed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import karat
from karat.judges.base import Task
from karat.judges.semantic.semantic import Semantic
from karat.language.encoder import Encoder, load_encoder
from karat.model import Nug, Response, Snippet
from karat.text.idf import TextPool
from karat.text.response_units import units_of

NUGS, WORDS, PAIRS = 12, 200, 100_000
MOST_TIMES_ENCODING, MOST_SHARE_OF_PAIRS, MOST_MEMORY = 2.0, 0.1, 600e6


def made_task(answers: int, nugs: int, seed: int) -> Task:
    draw = random.Random(seed)
    key, _, runs = karat.demo_files()
    collection = karat.load(key, runs, on_error="skip")
    sentences = [snippet.text for response in collection.responses for snippet in response.snippets]
    descriptions = [nug.descriptions[0] for nug in collection.nugs if nug.descriptions]
    responses = []
    for at in range(answers):
        snippets: list[Snippet] = []
        while sum(len(snippet.text.split()) for snippet in snippets) < WORDS:
            text = f"In case {draw.randrange(10**6)}, {draw.choice(sentences)}"
            snippets.append(Snippet(snippet_id=str(len(snippets)), text=text))
        responses.append(Response(query_id="q", run_id=str(at), snippets=tuple(snippets)))
    chosen = [draw.choice(descriptions) + (f" ({at})" if nugs > NUGS else "") for at in range(nugs)]
    pool = TextPool([" ".join(snippet.text for snippet in response.snippets) for response in responses])
    entries = [Nug(query_id="q", nug_id=str(at), descriptions=(text,)) for at, text in enumerate(chosen)]
    return Task("q", entries, responses, "How does it work?", pool=pool)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=60)
    given = parser.parse_args()
    task = made_task(given.answers, NUGS, seed=1)
    texts = units_of(task.responses, "sentence").texts
    load_encoder().encode(["warm up"])
    bare = Encoder(remembered=0)
    bare.encode(["warm up"])
    encoding = seconds(lambda: bare.encode(texts))
    # Another task of the same kind for each judge: nothing is remembered.
    checks = seconds(lambda: Semantic(objections="checks").match(made_task(given.answers, NUGS, seed=2)))
    everything = seconds(lambda: Semantic(objections="all").match(made_task(given.answers, NUGS, seed=3)))
    Semantic(objections="none").match(task)
    # Sentences and nugs are remembered after the first time: what is left is the cost of pairs.
    few = seconds(lambda: Semantic(objections="none").match(task))
    more = replace(task, nugs=made_task(1, NUGS + PAIRS // given.answers // 10, seed=4).nugs)
    Semantic(objections="none").match(more)
    further = max(0.0, seconds(lambda: Semantic(objections="none").match(more)) - few)
    pairs = (len(more.nugs) - NUGS) * given.answers
    share = further * PAIRS / pairs / (encoding * 1000 / given.answers)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"encoding alone: {given.answers / encoding:.1f} answers/s ({len(texts) / encoding:.0f} sentences/s)")
    print(f"with typed checks: {given.answers / checks:.1f} answers/s, {checks / encoding:.2f} times encoding")
    print(
        f"with the reader, too: {given.answers / everything:.1f} answers/s, {everything / encoding:.2f} times encoding"
    )
    print(f"10^5 further pairs: {share:.3f} of encoding 1,000 answers (at most {MOST_SHARE_OF_PAIRS})")
    print(f"largest resident size {memory / 1e6:.0f} MB (at most {MOST_MEMORY / 1e6:.0f})")
    missed = everything / encoding > MOST_TIMES_ENCODING or share > MOST_SHARE_OF_PAIRS or memory > MOST_MEMORY
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
