"""How much faster two workers are than one process, what the engine itself costs, and how much memory the driver needs.

    python benchmarks/scaling.py                                    a few minutes
    python benchmarks/scaling.py --snippets 1000000 --sentences 100000

Snippets of 25 words are judged by `lexical` against ten nugs each, and sentences are nuggetized: in this process, in
two processes, and by Ray with two workers. Each runs in a process of its own. The ratio is that of wall times in the
same run, on a machine with two free processors. The results of all engines are compared by a hash.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import karat
from karat.engines import map_chunks

ENGINES = {"local": None, "processes": 2, "ray": 2}
SENTENCES = (
    "President Ana Ruiz flew to Lima on Monday.", "Two men died in Rome after a fire in {n} houses.",
    "The bank said it had sold {n} shares to a firm in Kyoto for 30 million dollars.",
    "Talks between the two parties began in March and ended without a result.",
    "Wei Lin, a doctor from Oslo, told reporters that {n} people were ill.",
)  # fmt: skip


def make_runs(folder: Path, snippets: int) -> None:
    """A key with ten nugs per query, and a hundred runs with one snippet per query."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(20_000)]
    queries = max(1, snippets // 100)
    with (folder / "key.jsonl").open("w") as file:
        for query in range(queries):
            for nug in range(10):
                row = {"kind": "nug", "v": 1, "query_id": f"q{query}", "nug_id": f"n{nug}", "importance": "vital"}
                file.write(json.dumps(row | {"descriptions": [" ".join(draw.choices(words, k=10))]}) + "\n")
    with (folder / "runs.jsonl").open("w") as file:
        for run in range(min(100, snippets)):
            for query in range(queries):
                snippet = {"snippet_id": "1", "text": " ".join(draw.choices(words, k=25))}
                row = {"kind": "response", "v": 1, "query_id": f"q{query}", "run_id": f"r{run}"}
                file.write(json.dumps(row | {"snippets": [snippet]}) + "\n")


def judged(folder: Path) -> Iterator[bytes]:
    from karat.formats import open_inputs
    from karat.formats.inputs.streamed_inputs import StreamedInputs
    from karat.judges.streaming.judge_stream import judge_streamed

    inputs = StreamedInputs(open_inputs(folder / "key.jsonl", folder / "runs.jsonl").readings)
    with judge_streamed(inputs, judge="lexical") as (lines, _):
        for each in lines:
            yield each.line


def nuggetized(sentences: int) -> Iterator[bytes]:
    from karat.evaluate.nuggets.input_snippets import InputSnippet
    from karat.evaluate.nuggets.nuggetize import nuggetize_snippets

    texts = (
        InputSnippet(snippet_id=str(at), text=SENTENCES[at % len(SENTENCES)].format(n=at)) for at in range(sentences)
    )
    for snippet in nuggetize_snippets(texts):
        yield repr([(nugget.type, nugget.spans) for nugget in snippet.result.nuggets]).encode()


def nothing(chunk: int) -> int:
    return chunk


def child(what: str, engine: str, size: int, folder: Path) -> None:
    """Do one piece of work in one engine, and print what it took."""
    digest = hashlib.sha256()
    begin = time.perf_counter()
    with karat.engine(engine, workers=ENGINES[engine]):
        if what == "overhead":
            # Workers start before the time is taken.
            results = map_chunks(nothing, range(size + 1))
            next(results)
            begin = time.perf_counter()
            for _ in results:
                pass
        else:
            for line in judged(folder) if what == "judge" else nuggetized(size):
                digest.update(line)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "hash": digest.hexdigest()[:12]}))


def measured(what: str, engine: str, size: int, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", what, engine, str(size), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--snippets", type=int, default=20_000)
    parser.add_argument("--sentences", type=int, default=4_000)
    parser.add_argument("--chunks", type=int, default=20_000, help="empty chunks, for the cost of the engine")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, engine, size, folder = options.child
        child(what, engine, int(size), Path(folder))
        return
    with tempfile.TemporaryDirectory() as place:
        make_runs(Path(place), options.snippets)
        print("| work | engine | seconds | ratio to one process | driver, MB | same result |")
        print("|---|---|---|---|---|---|")
        for what, size, name in (
            ("judge", options.snippets, f"{options.snippets:,} snippets by lexical"),
            ("nuggetize", options.sentences, f"{options.sentences:,} sentences nuggetized"),
        ):
            base = measured(what, "local", size, Path(place))
            for engine in ENGINES:
                found = base if engine == "local" else measured(what, engine, size, Path(place))
                ratio, same = base["seconds"] / found["seconds"], found["hash"] == base["hash"]
                print(
                    f"| {name} | {engine} | {found['seconds']:.1f} | {ratio:.2f} | {found['megabytes']:.0f} | "
                    f"{'yes' if same else 'NO'} |",
                    flush=True,
                )
        print("\n| engine | overhead per chunk, ms |\n|---|---|")
        for engine in ENGINES:
            seconds = measured("overhead", engine, options.chunks, Path(place))["seconds"]
            print(f"| {engine} | {1000 * seconds / options.chunks:.3f} |", flush=True)


if __name__ == "__main__":
    main()
