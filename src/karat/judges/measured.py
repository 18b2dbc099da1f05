"""Which judge to use when, and how good each was on which set: for `karat judges`.

The figures are those of the table of docs/judges.md: `docs/generate.py` copies them into measured.tsv beside this
module, because the pages are not installed with the program, and a test fails where the two differ.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

USES: dict[str, str] = {
    "semantic": "by default: the best one offline; needs `pip install '.[semantic]'`",
    "lexical": "by default without that extra: offline and fast",
    "llm": "when you have a model at hand and may pay for it (docs/llm.md)",
    "cascade": "to ask an LLM or people only what the others do not know",
    "neighbours": "when many texts of the same queries were judged by people",
    "nuggeteer": "to compare with the paper; shows its n-grams",
    "pourpre": "to compare with the paper; partial credit by words",
    "qaviar": "to compare with the paper",
    "rouge": "as a baseline",
}
"""When to use each judge."""
SEEN = {"lexical": ("REALSumm", "SummHay", "ArgKP")}
"""Sets that the weights of a judge were learned on: its figures there are too good."""
FILE = Path(__file__).with_name("measured.tsv")
_DEFAULT_SETTINGS = {"unit=snippet", "credit=probability"}
"""Settings without which a judge cannot be measured on some set."""
_NUMBER = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class Measured:
    """How well a judge agrees with people on one set; None where the set cannot tell."""

    collection: str
    judge: str
    figures: dict[str, float | None]


def measured() -> list[Measured]:
    """The figures of every judge as it is by default, on every set."""
    rows = csv.DictReader(FILE.read_text("utf-8").splitlines(), delimiter="\t")
    return [
        Measured(
            row.pop("set"), row.pop("judge"), {name: float(value) if value else None for name, value in row.items()}
        )
        for row in rows
    ]


def figures_of_page(page: str) -> str:
    """The table of docs/judges.md as the content of measured.tsv: without intervals, and without other settings."""
    lines = page.split("## How good they are\n")[1].split("\n### ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    kept = ["\t".join(rows[0])]
    for collection, judge, *figures in rows[1:]:
        base, _, settings = judge.strip("`").rstrip(")").partition("(")
        # A second row of a judge is the same one, measured in another way.
        if set(filter(None, settings.split(","))) <= _DEFAULT_SETTINGS and not _has(kept, collection, base):
            numbers = (_NUMBER.match(figure) for figure in figures)
            kept.append("\t".join([collection, base, *(found[0] if found else "" for found in numbers)]))
    return "\n".join(kept) + "\n"


def _has(lines: Iterable[str], collection: str, judge: str) -> bool:
    return any(line.startswith(f"{collection}\t{judge}\t") for line in lines)
