"""What commands cost with more and more runs: 12 queries, 6 nugs each; 100, 1,000, 3,000 and 10,000 runs.

    python benchmarks/speed/many_runs.py [--sizes 100,1000] [--only score,plan]

Prints seconds of processor time, peak memory, and the exponent of growth to the largest size: 1 is linear, 2 is that
of pairs of runs. Up to 120 runs all pairs are tested, which costs more than a thousand runs without that; so exponents
begin at the first size above it. What a command costs with two runs is its start, and is taken off before. Each command
runs once per size; a command that takes longer than --most seconds at one size is not run at the next. Exits with 1
where an exponent is above 1.2.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
from pathlib import Path

from measuring import Cost, cost_of

QUERIES, NUGS = 12, 6
SIZES = (100, 1000, 3000, 10000)
START = 2
"""Runs: what a command costs with so few is its start."""
PAIRS = 120
"""So many runs have all their pairs tested."""
MOST_EXPONENT = 1.2
LEAST = 0.1
"""Seconds: growth from less is noise."""
WORDS = 5
COMMANDS = {
    "score": ["score", "KEY", "JUDGED"],
    "judge": ["judge", "KEY", "RUNS", "--judge", "lexical", "--no-cache", "-o", "MADE"],
    "lint": ["lint", "KEY", "RUNS", "JUDGED"],
    "compare": ["compare", "KEY", "JUDGED"],
    "compare --baseline": ["compare", "KEY", "JUDGED", "--baseline", "run0"],
    "compare --tukey": ["compare", "KEY", "JUDGED", "--tukey"],
    "plan": ["plan", "KEY", "JUDGED", "--measures", "strict_vital"],
    "stability": ["stability", "KEY", "JUDGED", "--measures", "strict_vital", "--trials", "20"],
    "correlate": ["correlate", "JUDGED", "SECOND", "--with", "KEY", "--measures", "strict_vital"],
    "report": ["report", "KEY", "JUDGED", "RUNS", "-o", "PAGE"],
    "validate": ["validate", "KEY", "JUDGED", "RUNS", "--judge", "lexical", "--no-cache"],
    "agree": ["agree", "KEY", "JUDGED", "SECOND"],
}


def write_collection(folder: Path, *, runs: int, queries: int = QUERIES, nugs: int = NUGS) -> dict[str, str]:
    """A key, the judgements of two people, and short answers, as files."""
    draw = random.Random(runs)
    names = {name: str(folder / f"{name.lower()}.jsonl") for name in ("KEY", "JUDGED", "SECOND", "RUNS")}
    key, judged, second, answers = (open(name, "w", encoding="utf-8") for name in names.values())
    skills = [0.15 + 0.7 * draw.random() for _ in range(runs)]
    for q in range(queries):
        query = {"v": 1, "query_id": f"q{q}"}
        key.write(json.dumps({"kind": "query", **query, "text": f"question {q}"}) + "\n")
        words = [[f"w{draw.randrange(5000)}" for _ in range(WORDS)] for _ in range(nugs)]
        hard = [0.3 * draw.random() for _ in range(nugs)]
        for n in range(nugs):
            nug = {"nug_id": f"n{n}", "descriptions": [" ".join(words[n])], "importance": "vital" if n % 2 else "okay"}
            key.write(json.dumps({"kind": "nug", **query, **nug}) + "\n")
        for r, skill in enumerate(skills):
            ids = query | {"run_id": f"run{r}"}
            degrees = [float(draw.random() < skill - hard[n]) for n in range(nugs)]
            texts = [
                " ".join(words[n][: draw.randint(3, WORDS) if degree else draw.randint(0, 3)])
                for n, degree in enumerate(degrees)
            ]
            snippets = [{"snippet_id": "s", "text": ". ".join(filter(None, texts)) or "nothing"}]
            answers.write(json.dumps({"kind": "response", **ids, "snippets": snippets}) + "\n")
            for n, degree in enumerate(degrees):
                judgement = {"kind": "judgement", **ids, "nug_id": f"n{n}", "judge": "person", "status": "ok"}
                judged.write(json.dumps({**judgement, "degree": degree, "assessor": "ann"}) + "\n")
                other = degree if draw.random() < 0.9 else 1 - degree
                second.write(json.dumps({**judgement, "degree": other, "assessor": "bob"}) + "\n")
    for file in (key, judged, second, answers):
        file.close()
    return names | {"PAGE": str(folder / "report.html"), "MADE": str(folder / "made.jsonl")}


def exponent(costs: dict[int, Cost]) -> tuple[int, int, float] | None:
    """From how many runs to how many, and ln(ratio of costs) / ln(ratio of runs); None where the costs are noise."""
    sizes = sorted(size for size in costs if size > PAIRS)
    if len(sizes) < 2:
        return None
    small, large = (costs[size].processor - costs[START].processor for size in (sizes[0], sizes[-1]))
    return (sizes[0], sizes[-1], math.log(large / small) / math.log(sizes[-1] / sizes[0])) if small > LEAST else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of runs")
    parser.add_argument("--only", default=",".join(COMMANDS), help="commands")
    parser.add_argument("--most", type=float, default=120.0, help="seconds")
    asked = parser.parse_args()
    sizes, chosen = [int(size) for size in asked.sizes.split(",")], asked.only.split(",")
    worst = 0.0
    costs: dict[str, dict[int, Cost]] = {name: {} for name in chosen}
    for runs in (START, *sizes):
        with tempfile.TemporaryDirectory() as folder:
            files = write_collection(Path(folder), runs=runs)
            for name in chosen:
                if costs[name] and max(cost.processor for cost in costs[name].values()) > asked.most:
                    continue
                command = [files.get(word, word) for word in COMMANDS[name]]
                costs[name][runs] = cost_of([sys.executable, "-m", "karat", *command])
                cost = costs[name][runs]
                print(f"{name}, {runs} runs: {cost.processor:.1f} s, {cost.memory / 1e6:.0f} MB", flush=True)
    for name, of_sizes in costs.items():
        if (growth := exponent(of_sizes)) is None:
            print(f"{name}: no exponent; the costs are noise, or of too few sizes")
            continue
        fewer, more, grown = growth
        worst = max(worst, grown)
        print(f"{name}: exponent {grown:.2f} from {fewer} to {more} runs (at most {MOST_EXPONENT})")
    return int(worst > MOST_EXPONENT)


if __name__ == "__main__":
    sys.exit(main())
