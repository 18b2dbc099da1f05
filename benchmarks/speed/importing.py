"""Import a large campaign, against loading the same files, in the same run.

    python benchmarks/speed/importing.py [--queries N] [--postgres URL]

200 queries x 40 runs x 20 snippets (160,000 occurrences, a fifth of the texts repeated in another run, a citation per
snippet), one file of queries and one per run, by `karat campaign import` into a new folder. The baseline is
`karat.load` of the same files, which checks them and keeps them in memory. Prints the times, their ratio and the
largest resident sizes, and how long somebody who saves something every 20 ms had to wait while the import ran; exits
with 1 where the import takes more than a minute or more than the memory allowed.
--postgres: the URL of an empty database, to import there instead.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

from karat.campaign.campaign import Campaign
from karat.campaign.people.accounts import log_event
from karat.model import Citation, Query, Response, Run, Snippet, encode_record
from measuring import cost_of

RUNS, SNIPPETS, WORDS = 40, 20, 25
MOST_SECONDS, MOST_MEMORY = 60.0, 700e6
LOAD = "import sys, karat; karat.load(*sys.argv[1:])"


def write_files(folder: Path, queries: int) -> list[str]:
    """The files of a campaign: one of queries, and one per run."""
    draw = random.Random(7)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(5_000)]
    files = [folder / "queries.jsonl", *(folder / f"run{run:02}.jsonl" for run in range(RUNS))]
    texts: dict[int, list[str]] = {}
    with files[0].open("wb") as file:
        for query in range(queries):
            record = Query(query_id=f"q{query}", text=f"What is known of {words[query]}?")
            file.write(encode_record(record) + b"\n")
    for run, path in enumerate(files[1:]):
        with path.open("wb") as file:
            file.write(encode_record(Run(run_id=f"run{run:02}")) + b"\n")
            for query in range(queries):
                said = texts.setdefault(query, [])
                snippets = []
                for number in range(SNIPPETS):
                    text = draw.choice(said) if said and draw.random() < 0.2 else " ".join(draw.choices(words, k=WORDS))
                    said.append(text)
                    cited = Citation(doc_id=f"d{draw.randrange(10_000)}")
                    snippets.append(Snippet(snippet_id=f"run{run:02}-{query}-{number}", text=text, citations=(cited,)))
                record = Response(query_id=f"q{query}", run_id=f"run{run:02}", snippets=tuple(snippets))
                file.write(encode_record(record) + b"\n")
    return list(map(str, files))


class Waits:
    """Somebody who saves a little, again and again."""

    def __init__(self, place: str) -> None:
        self.seconds: list[float] = []
        self._campaign = Campaign.open(place)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._save)
        self._thread.start()

    def _save(self) -> None:
        while not self._is_over.wait(0.02):
            started = time.monotonic()
            with self._campaign.database.write() as connection:
                log_event(connection, "saved")
            self.seconds.append(time.monotonic() - started)

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()
        self._campaign.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--postgres", metavar="URL")
    arguments = parser.parse_args()
    karat = [sys.executable, "-m", "karat", "campaign"]
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), arguments.queries)
        place = arguments.postgres or f"{folder}/campaign"
        cost_of([*karat, "create", place, "--title", "Speed", "--organiser", "Ana"], accept=(0,))
        waits = Waits(place)
        imported = cost_of([*karat, "import", place, *files], accept=(0,))
        waits.stop()
        loaded = cost_of([sys.executable, "-c", LOAD, *files], accept=(0,))
        again = cost_of([*karat, "import", place, *files], accept=(0,))
    print(f"{arguments.queries} queries x {RUNS} runs x {SNIPPETS} snippets")
    for name, cost in (("loading:", loaded), ("importing:", imported), ("importing again:", again)):
        ratio = cost.processor / loaded.processor
        print(
            f"{name:<16} {cost.processor:5.1f} s of processor time ({ratio:.1f} times loading), {cost.seconds:5.1f} s "
            f"by the clock, {cost.memory / 1e6:,.0f} MB"
        )
    print(
        f"{len(waits.seconds)} saves meanwhile: median {1000 * median(waits.seconds):.0f} ms, "
        f"longest {max(waits.seconds):.1f} s"
    )
    missed = max(imported.seconds, again.seconds) > MOST_SECONDS or imported.memory > MOST_MEMORY
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
