"""The report of 20 runs x 100 queries: time to make it beside scoring alone, its size, and the time until it is seen.

    python benchmarks/speed/reporting.py [--runs N] [--queries N] [--nugs N]

The answers are as long as those of TREC RAG (about 300 words), of random syllables: harder to compress than language.
The baseline is `karat score` on the same files in the same run, and importing the chart library with its first drawing
(an empty chart). Prints seconds of processor time (which a busy machine changes little), the best of three;
exits with 1 where the report takes more than twice the scoring plus the chart library, has more than 4 MB, or takes
more than 2 s in headless chromium until its first screen and its script are ready (left out where chromium or
playwright is not installed).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import cost_of

MOST_TIMES, MOST_BYTES, MOST_SECONDS = 2.0, 4e6, 2.0
TRIES = 3
DRAW = (
    "import altair, vl_convert; vl_convert.vegalite_to_svg({'data': {'values': [{'a': 1}]}, 'mark': 'point', "
    "'encoding': {'x': {'field': 'a', 'type': 'quantitative'}}})"
)


def write_collection(folder: Path, *, runs: int, queries: int, nugs: int) -> list[str]:
    """A key, judgements with the places that prove them, and answers."""
    draw = random.Random(1)
    syllables = [
        "".join(draw.choice("bcdfglmnprst") + draw.choice("aeiou") for _ in range(draw.randint(1, 4)))
        for _ in range(5000)
    ]

    def sentence(words: int) -> str:
        return " ".join(draw.choices(syllables, k=words)).capitalize() + "."

    names = [str(folder / name) for name in ("key.jsonl", "judgements.jsonl", "runs.jsonl")]
    key, judgements, answers = (open(name, "w", encoding="utf-8") for name in names)
    for q in range(queries):
        query = {"v": 1, "query_id": f"q{q}"}
        _line(key, kind="query", **query, text=sentence(8), conditions={"language": draw.choice(["en", "de", "ar"])})
        wordings = [sentence(12) for _ in range(nugs)]
        for n, wording in enumerate(wordings):
            importance = draw.choice(["vital", "okay"])
            _line(key, kind="nug", **query, nug_id=f"n{n}", descriptions=[wording], importance=importance)
        for r in range(runs):
            ids = query | {"run_id": f"run{r:02d}"}
            found = {n for n in range(nugs) if draw.random() < 0.2 + 0.6 * r / runs}
            texts: list[str] = []
            places = {}
            for n in range(nugs):
                if n in found:
                    places[n] = len(texts)
                    texts.append(wordings[n])
                if draw.random() < 0.6:
                    texts.append(sentence(18))
            snippets = [{"snippet_id": f"s{at}", "text": text} for at, text in enumerate(texts)]
            _line(answers, kind="response", **ids, snippets=snippets)
            for n, wording in enumerate(wordings):
                evidence = {"snippet_id": f"s{places[n]}", "span": [0, len(wording)]} if n in found else None
                _line(
                    judgements, kind="judgement", **ids, nug_id=f"n{n}", degree=float(n in found), judge="person",
                    assessor="ann", status="ok", **({"evidence": evidence} if evidence else {}),
                )  # fmt: skip
    for file in (key, judgements, answers):
        file.close()
    return names


def _line(file: Any, **fields: Any) -> None:
    file.write(json.dumps(fields) + "\n")


def first_view(page: Path) -> float | None:
    """Seconds from opening the file to a drawn first screen with a running script; None without a browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return None
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        best = float("inf")
        for _ in range(TRIES):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]", state="attached")
            tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            best = min(best, time.perf_counter() - start)
            tab.close()
        browser.close()
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--nugs", type=int, default=14)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = write_collection(Path(folder), runs=chosen.runs, queries=chosen.queries, nugs=chosen.nugs)
        page = Path(folder) / "report.html"
        karat = [sys.executable, "-m", "karat"]
        commands = {
            "score": [*karat, "score", *files],
            "chart library": [sys.executable, "-c", DRAW],
            "report": [*karat, "report", *files, "-o", str(page)],
        }
        seconds = {
            name: min(cost_of(command).processor for _ in range(TRIES)) for name, command in commands.items()
        }  # fmt: skip
        size, seen = page.stat().st_size, first_view(page)
    allowed = MOST_TIMES * seconds["score"] + seconds["chart library"]
    print(f"{chosen.runs} runs x {chosen.queries} queries x {chosen.nugs} nugs")
    for name, cost in seconds.items():
        print(f"{name:<16}{cost:6.2f} s")
    print(f"{'allowed':<16}{allowed:6.2f} s (twice the scoring, and the chart library)")
    print(f"{'size':<16}{size / 1e6:6.2f} MB (at most {MOST_BYTES / 1e6:.0f})")
    print(f"{'first view':<16}" + ("no browser" if seen is None else f"{seen:6.2f} s (at most {MOST_SECONDS:.0f})"))
    return int(seconds["report"] > allowed or size > MOST_BYTES or (seen or 0) > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
