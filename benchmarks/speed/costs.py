"""The processor time that each judge needs per million pairs (a snippet and a nug), and the nuggetizer per sentence.

    python benchmarks/speed/costs.py [--snippets 2000] [--sentences 1000]

Made-up snippets of 25 words, ten nugs per query, in one process; what it takes to start and to read the inputs is
measured with a tenth of the work, and subtracted. docs/scale.md shows the table.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable

import karat
from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.evaluate.nuggets.nuggetize import nuggetize_snippets
from karat.judges.streaming.judge_stream import judge_streamed
from karat.model import AnyRecord, Nug, Response, Snippet

JUDGES = ("lexical", "nuggeteer", "rouge", "pourpre", "qaviar", "neighbours", "semantic")
NUGS = 10


def words_of_the_demo() -> list[str]:
    """The words of the demo's answers, as often as they are there: made-up texts have common and rare words."""
    runs = karat.load(karat.demo_files().runs)
    return [word for response in runs.responses for each in response.snippets for word in re.findall(r"\w+", each.text)]


def made_up(snippets: int, words: list[str], seed: int) -> list[AnyRecord]:
    draw = random.Random(seed)
    records: list[AnyRecord] = []
    for query in range(max(1, snippets // 100)):
        name = f"q{query}"
        for nug in range(NUGS):
            text = " ".join(draw.choices(words, k=10))
            records.append(Nug(query_id=name, nug_id=str(nug), descriptions=(text,), importance="vital"))
        for run in range(100):
            text = " ".join(draw.choices(words, k=25)).capitalize() + "."
            records.append(Response(query_id=name, run_id=f"r{run}", snippets=(Snippet(snippet_id="1", text=text),)))
    return records


def judging(judge: str, words: list[str], seed: int) -> Callable[[int], None]:
    def work(snippets: int) -> None:
        with judge_streamed(made_up(snippets, words, seed), judge=judge) as (lines, _):
            for _ in lines:
                pass

    return work


def nuggetizing(words: list[str]) -> Callable[[int], None]:
    texts = [each.text for response in karat.load(karat.demo_files().runs).responses for each in response.snippets]

    def work(sentences: int) -> None:
        some = (InputSnippet(snippet_id=str(at), text=texts[at % len(texts)]) for at in range(sentences))
        for _ in nuggetize_snippets(some):
            pass

    return work


def seconds(work: Callable[[int], None], size: int) -> float:
    """Processor seconds for nine tenths of the size: start and small things fall out."""
    taken = []
    work(100)
    for count in (size // 10, size):
        begin = time.process_time()
        work(count)
        taken.append(time.process_time() - begin)
    return (taken[1] - taken[0]) / 0.9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--snippets", type=int, default=2000)
    parser.add_argument("--sentences", type=int, default=1000)
    options = parser.parse_args()
    words = words_of_the_demo()
    print("| work | processor seconds per million |\n|---|---|")
    for judge in JUDGES:
        per_million = seconds(judging(judge, words, 1), options.snippets) / (options.snippets * NUGS) * 1e6
        print(f"| pairs by `{judge}` | {per_million:,.0f} |", flush=True)
    per_million = seconds(nuggetizing(words), options.sentences) / options.sentences * 1e6
    print(f"| snippets of the demo nuggetized | {per_million:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
