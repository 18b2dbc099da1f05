"""Damaged files of every format that Karat reads, given to every command that takes files."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attacks.calls import Call
from attacks.damage import damaged

HERE = Path(__file__).parent
SKIP = ["--on-error", "skip"]
OFTEN, SOMETIMES, SELDOM = 6, 3, 1
"""How often a command is drawn: those that read English or draw many samples cost ten times as much as others."""
ENGLISH = ("nuggetize", "draft-key")
ENGLISH_SHARE = 0.2
"""In how many rounds English is analysed: the models take seconds to load, and a worker that has them is replaced."""
KEY = """\
{"kind":"query","v":1,"query_id":"q1","text":"Why do bees dance?"}
{"kind":"nug","v":1,"query_id":"q1","nug_id":"n1","descriptions":["Bees dance to tell the way."],"importance":"vital"}
{"kind":"nug","v":1,"query_id":"q1","nug_id":"n2","descriptions":["The dance tells how far it is."],"importance":"okay"}
"""
RUNS = """\
{"kind":"response","v":1,"query_id":"q1","run_id":"r1","snippets":[{"snippet_id":"1","text":"Bees dance and tell it."}]}
{"kind":"response","v":1,"query_id":"q1","run_id":"r2","snippets":[{"snippet_id":"1","text":"Nobody knows."}]}
"""


@cache
def seeds() -> list[dict[str, Any]]:
    """Small files that are read without a problem, at least one for every format: `format`, `name`, `files`."""
    return [json.loads(line) for line in (HERE / "seeds.jsonl").read_text("utf-8").splitlines()]


def placed(seed: dict[str, Any], folder: Path, rng: random.Random | None = None) -> tuple[Path, list[Path]]:
    """Write a seed into a folder, one of its files damaged; returns what to name on the command line, and all files."""
    shutil.rmtree(folder, ignore_errors=True)
    base = folder / seed["name"] if seed.get("folder") else folder
    hit = rng.choice(sorted(seed["files"])) if rng else None
    paths = []
    for name, text in seed["files"].items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        if name.endswith((".xlsx", ".parquet")):
            # The seed is the text of its cells or records. Damage hits them, or the bytes of the packed file.
            inside = rng is not None and rng.random() < 0.7
            pack = workbook if name.endswith(".xlsx") else rows
            packed = pack(damaged(data, rng) if rng and inside else data)
            path.write_bytes(damaged(packed, rng) if rng and not inside else packed)
        else:
            path.write_bytes(damaged(data, rng) if rng and name == hit else data)
        paths.append(path)
    return (base if seed.get("folder") else folder / seed["name"]), paths


def workbook(data: bytes) -> bytes:
    """A workbook with the cells of a table that is separated by tabs."""
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook()
    sheet = book.active
    for line in data.decode("utf-8", "replace").split("\n")[:1_000]:
        sheet.append([ILLEGAL_CHARACTERS_RE.sub("", cell)[:30_000] for cell in line.split("\t")[:1_000]])
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def rows(data: bytes) -> bytes:
    """A Parquet file with a row for each line of JSON; a line that is none has only its text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells: list[dict[str, Any]] = []
    for line in data.decode("utf-8", "replace").split("\n")[:1_000]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = {"kind": line}
        # Names and nested values as text, so that any damage makes a table.
        cells.append({"kind": str(row)} if not isinstance(row, dict) else {k: v for k, v in row.items() if k})
    names = list(dict.fromkeys(name for row in cells for name in row))[:200]
    columns = {}
    for name in names:
        values = [row.get(name) for row in cells]
        same = {type(value) for value in values if value is not None}
        if len(same) != 1 or not same <= {str, float, bool}:
            values = [None if value is None else json.dumps(value) for value in values]
        columns[name.encode("utf-8", "replace").decode()] = [
            value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values
        ]
    packed = io.BytesIO()
    pq.write_table(pa.table(columns), packed)
    return packed.getvalue()


def commands(file: str, format: str, out: Path, rng: random.Random) -> list[tuple[int, list[str]]]:
    """Calls on a damaged file, each with how often it is drawn."""
    from karat.formats.registry import FORMAT_NAMES, get_format

    key, runs = str(out / "key.jsonl"), str(out / "runs.jsonl")
    said = ["--from", format] if rng.random() < 0.7 else []
    skip = [*said, *SKIP]
    writable = [name for name in FORMAT_NAMES if get_format(name).write is not None]
    target = ["-o", str(out / rng.choice(("out.jsonl", "out.csv", "out.tsv", "out.md"))) if rng.random() < 0.5 else "-"]
    other = rng.choice(FORMAT_NAMES)
    return [
        (OFTEN, ["show", file, *said]),
        (SOMETIMES, ["show", file, "--from", other, "--format", "jsonl"]),
        (OFTEN, ["lint", file, *said]),
        (SOMETIMES, ["lint", file, key, "--format", "jsonl"]),
        (OFTEN, ["convert", file, *said, "--to", "karat", *target]),
        (OFTEN, ["convert", file, *skip, "--to", rng.choice(writable), *target]),
        (SOMETIMES, ["convert", file, "--from", other, *SKIP, "--to", "karat", "--strict", "-o", "-"]),
        (SELDOM, ["convert", file, *skip, "--to", "karat", "-o", file]),
        (SOMETIMES, ["score", file, *skip]),
        (SOMETIMES, ["score", key, file, *SKIP, "--judge", "lexical", "--missing", "zero"]),
        (SOMETIMES, ["compare", file, *skip, "--missing", "zero"]),
        (SOMETIMES, ["agree", file, *skip, "--of", rng.choice(("votes", "judgements", "relevance", "nuggets"))]),
        (SOMETIMES, ["pyramid", file, *skip]),
        (SELDOM, ["stability", file, *skip, "--trials", "20"]),
        (SELDOM, ["plan", file, *skip]),
        (SOMETIMES, ["key", "hash", file, *skip]),
        (SOMETIMES, ["key", "diff", file, key, *SKIP]),
        (SELDOM, ["key", "diff", key, file, runs, *SKIP, "--judge", "lexical"]),
        (SOMETIMES, ["judge", key, file, *SKIP, "--judge", "lexical", "-o", "-"]),
        (SOMETIMES, ["judge", file, runs, *SKIP, "--judge", "lexical", "-o", "-"]),
        (SELDOM, ["judge", key, runs, "--known", file, *SKIP, "--judge", "lexical", "-o", "-"]),
        (SOMETIMES, ["explain", key, file, *SKIP, "--judge", "lexical", "--query", "q1"]),
        (SOMETIMES, ["review", key, file, *SKIP, "--judge", "lexical", "-o", str(out / "review.jsonl")]),
        (SELDOM, ["review", key, runs, "--plan", file, "--judge", "lexical", "-o", str(out / "review.jsonl")]),
        (SELDOM, ["validate", file, *skip, "--judge", "lexical"]),
        (SOMETIMES, ["correlate", file, file, *skip]),
        (SOMETIMES, ["cite", file, file, *skip, "--judge", "lexical"]),
        (SOMETIMES, ["density", file, *skip]),
        (SOMETIMES, ["nuggets-compare", file, file, *skip]),
        (SELDOM, ["draft-key", file, *skip, "-o", "-"]),
        (SELDOM, ["nuggetize", file, *skip, "--format", rng.choice(("pretty", "jsonl", "karat"))]),
    ]


def mutations(rng: random.Random, folder: Path) -> Iterator[Call]:
    """Every seed damaged once, and some calls on each."""
    out = folder / "out"
    english = rng.random() < ENGLISH_SHARE
    for seed in rng.sample(seeds(), len(seeds())):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        good = [out / "key.jsonl", out / "runs.jsonl"]
        for path, text in zip(good, (KEY, RUNS), strict=True):
            path.write_text(text, "utf-8")
        file, paths = placed(seed, folder / "in", rng)
        choices = commands(str(file), seed["format"], out, rng)
        if not english:
            choices = [choice for choice in choices if choice[1][0] not in ENGLISH]
        for arguments in rng.choices([each for _, each in choices], [weight for weight, _ in choices], k=6):
            yield arguments, [*paths, *good]
