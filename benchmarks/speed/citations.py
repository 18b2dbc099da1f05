"""`karat cite` against nothing but the encoder on the same documents, in the same run, on one core.

    python benchmarks/speed/citations.py [--documents N]

Documents of about 1,400 words (as in WiCE), put together from the sentences of the demo with other numbers, so that no
sentence is encoded twice; each is cited by two sentences, one that it says and one that it does not. Prints cited
sentences per second, by words and by meaning, and the ratio to encoding all sentences of all documents, which reading
everything would cost; exits with 1 where the limit is missed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import random
import sys
import time
from collections.abc import Callable

import karat
from karat.evaluate.cite.cite import cite_collection
from karat.language.encoder import Encoder
from karat.model import Citation, Collection, Document, Response, Snippet
from karat.text.sentences import sentence_spans

WORDS = 1400
MOST_TIMES_ENCODING = 1.0


def made_collection(documents: int, seed: int) -> Collection:
    draw = random.Random(seed)
    key, _, runs = karat.demo_files()
    collection = karat.load(key, runs, on_error="skip")
    sentences = [snippet.text for response in collection.responses for snippet in response.snippets]
    texts, snippets = [], []
    for at in range(documents):
        said: list[str] = []
        while sum(len(sentence.split()) for sentence in said) < WORDS:
            said.append(f"In case {draw.randrange(10**6)}, {draw.choice(sentences)}")
        texts.append(Document(doc_id=f"d{at}", text=" ".join(said)))
        for text in (draw.choice(said), f"In case {draw.randrange(10**6)}, {draw.choice(sentences)}"):
            cited = (Citation(doc_id=f"d{at}"),)
            snippets.append(Snippet(snippet_id=str(len(snippets)), text=text, citations=cited))
    return Collection([*texts, Response(query_id="q", run_id="r", snippets=tuple(snippets))])


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=20)
    given = parser.parse_args()
    cite_collection(made_collection(1, seed=9), judge="semantic")
    bare = Encoder(remembered=0)
    bare.encode(["warm up"])
    first, second, third = (made_collection(given.documents, seed=seed) for seed in (1, 2, 3))
    texts = [
        document.text[start:end]
        for document in first.documents
        if document.text is not None
        for start, end in sentence_spans(document.text)
    ]
    encoding = seconds(lambda: bare.encode(texts))
    by_words = seconds(lambda: cite_collection(second, judge="lexical"))
    by_meaning = seconds(lambda: cite_collection(third, judge="semantic"))
    pairs = 2 * given.documents
    print(f"encoding alone: {len(texts):,} sentences of {given.documents} documents, {len(texts) / encoding:.0f} per s")
    print(f"lexical: {pairs / by_words:.0f} cited sentences per s, {by_words / encoding:.3f} times encoding")
    ratio = by_meaning / encoding
    print(f"semantic: {pairs / by_meaning:.1f} cited sentences per s, {ratio:.2f} times encoding", end=" ")
    print(f"(at most {MOST_TIMES_ENCODING})")
    return int(ratio > MOST_TIMES_ENCODING)


if __name__ == "__main__":
    sys.exit(main())
