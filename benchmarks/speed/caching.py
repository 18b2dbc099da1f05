"""What the cache saves: the same answers judged again with a warm cache and without one, in the same run, on one core.

    python benchmarks/speed/caching.py [--answers N] [--queries N]

Answers of about 200 words, 12 nugs per query (see meaning.py). `semantic` is judged cold (no cache), filling the cache,
warm (all scores kept), with another run added (vectors kept, scores not), and warm without scores (vectors and readings
kept). `lexical` is judged cold, and the way it would be with a cache: its scores kept in the same way. Times are of the
processor; the ratio is to cold. Exits with 1 where `semantic` gains less than it should, or to fill costs too much.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import karat
from karat.engines.cache import FILE, code_name
from karat.judges.base import Judge, Task
from karat.judges.lexical.lexical import Lexical
from karat.judges.pairs import match_tasks
from karat.judges.semantic.semantic import Semantic
from karat.language import encoder, entailment
from karat.model import Response
from karat.text.idf import TextPool
from meaning import NUGS, made_task

MOST_WARM, MOST_FILLING = 0.1, 1.2


class KeptLexical(Lexical, frozen=True):
    """`lexical` as it would be with a cache."""

    def cached_as(self) -> bytes:
        return code_name(("judges/lexical", "judges/base.py", "text"), ("numpy", "scipy", "PyStemmer"))


def with_pool(tasks: list[Task]) -> list[Task]:
    texts = [" ".join(snippet.text for snippet in each.snippets) for task in tasks for each in task.responses]
    pool = TextPool(texts)
    return [replace(task, pool=pool) for task in tasks]


def seconds(tasks: list[Task], judge: Judge, folder: Path | None) -> float:
    """One judging, as in a process that has the models in memory and remembers no text."""
    encoder.load_encoder()._seen.clear()
    # Texts are counted once per pool, whatever comes from the cache.
    tasks = with_pool(tasks)
    start = time.process_time()
    with nullcontext() if folder is None else karat.cache(folder):
        list(match_tasks(tasks, judge))
    return time.process_time() - start


def without_scores(folder: Path) -> None:
    db = sqlite3.connect(folder / FILE)
    with db:
        db.execute("DELETE FROM entry WHERE kind = 'scores'")
    db.close()


def show(name: str, taken: float, cold: float) -> float:
    print(f"  {name:<44} {taken:8.2f} s  {taken / cold:6.3f} of cold")
    return taken / cold


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=20, help="per query")
    parser.add_argument("--queries", type=int, default=5)
    given = parser.parse_args()
    tasks = [replace(made_task(given.answers, NUGS, seed=at), query_id=f"q{at}") for at in range(given.queries)]
    more = [
        replace(task, responses=[*task.responses, renamed(made_task(1, NUGS, seed=1000 + at).responses[0])])
        for at, task in enumerate(tasks)
    ]
    print(f"{given.queries} queries, {given.answers} answers each")
    encoder.load_encoder().encode(["warm up"])
    entailment.load_entailment()
    missed = False
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print("semantic")
        cold = min(seconds(tasks, Semantic(), None) for _ in range(2))
        show("cold, no cache", cold, cold)
        missed |= show("the cache is filled", seconds(tasks, Semantic(), folder), cold) > MOST_FILLING
        missed |= show("warm", seconds(tasks, Semantic(), folder), cold) > MOST_WARM
        added = seconds(more, Semantic(), None)
        show(f"a run is added: {1 / (given.answers + 1):.3f} is new", seconds(more, Semantic(), folder), added)
        without_scores(folder)
        show("vectors and readings only", seconds(tasks, Semantic(), folder), cold)
        print(f"  {(folder / FILE).stat().st_size / given.queries / given.answers / 1000:.0f} kB per answer")
    with tempfile.TemporaryDirectory() as place:
        print("lexical")
        repeat: Callable[[Judge, Path | None], float] = lambda judge, folder: min(  # noqa: E731
            seconds(tasks, judge, folder) for _ in range(5)
        )
        cold = repeat(Lexical(), None)
        show("cold, no cache", cold, cold)
        seconds(tasks, KeptLexical(), Path(place))
        show("warm, if its scores were kept", repeat(KeptLexical(), Path(place)), cold)
    return int(missed)


def renamed(response: Response) -> Response:
    return Response(query_id=response.query_id, run_id="added", snippets=response.snippets)


if __name__ == "__main__":
    sys.exit(main())
