"""`report` and `plot` on damaged files, hostile collections and hostile options; what they write is looked at, too.

They have a part of their own because drawing costs a hundred times as much as another call.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from attacks.calls import Call, Finding
from attacks.damage import damaged
from attacks.hostile import NAMES, TEXTS, hostile_collection, option_calls
from attacks.mutations import KEY, RUNS, SKIP, placed, seeds

COMMANDS = ("report", "plot")
KINDS = (
    "leaderboard", "differences", "stability", "calibration", "judge-and-people", "bland-altman", "contingency",
    "citations", "pyramid",
)  # fmt: skip
MEASURES = ("F3", "strict_vital", "lenient_all", "pyramid_F3", "rightness(rules=2012)", "support_precision", "x")
WHOLE, DAMAGED, OPTIONS, SEEDS = 8, 8, 4, 2
"""Calls per round on a hostile collection, on damaged copies of it, with hostile options, and (twice) on files of any
format: most of those cannot be scored, and end before anything is drawn."""
CALLS_PER_ROUND = WHOLE + DAMAGED + OPTIONS + 2 * SEEDS


def pages(rng: random.Random, folder: Path) -> Iterator[Call]:
    """A hostile collection, damaged files and options, each reported and drawn."""
    path, query = hostile_collection(rng, folder)
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    for _ in range(WHOLE):
        yield from _checked(_call(rng, str(path), query, out), path, out)
    for _ in range(OPTIONS):
        yield from option_calls(rng, path, folder, COMMANDS, first=KINDS)
    data = path.read_bytes()
    for _ in range(DAMAGED):
        path.write_bytes(damaged(data, rng))
        yield from _checked(_call(rng, str(path), query, out), path, out)
    key, runs = out / "key.jsonl", out / "runs.jsonl"
    for seed in rng.sample(seeds(), SEEDS):
        key.write_text(KEY, "utf-8")
        runs.write_text(RUNS, "utf-8")
        file, paths = placed(seed, folder / "in", rng)
        inputs = rng.choice(([str(file), "--from", seed["format"]], [str(key), str(file)]))
        judged = ["--judge", "lexical"] if inputs[0] == str(key) else []
        lenient = ["--missing", "zero", "--unjudged", "zero", *SKIP, *judged]
        yield from _checked(["report", *inputs, *lenient, "-o", str(out / "report.html")], *paths, out)
        kind = rng.choice(KINDS)
        yield from _checked(["plot", kind, *inputs, *lenient, "-o", str(out / "chart.svg")], *paths, out)


def _call(rng: random.Random, file: str, query: str, out: Path) -> list[str]:
    """A call on a hostile collection."""
    words = [file, *SKIP]
    words += rng.choice((["--missing", "zero", "--unjudged", "zero"], ["--missing", "skip", "--unjudged", "skip"], []))
    words += rng.choice(([], [], ["--judge", "lexical"]))
    if rng.random() < 0.3:
        words += ["--measures", ",".join(rng.sample(MEASURES, rng.randint(1, 2)))]
    if rng.random() < 0.2:
        words += ["--baseline", _name(rng) + "0"]
    if rng.random() < 0.1:
        words += [rng.choice(("--runs", "--queries")), rng.choice((query, _name(rng), "*"))]
    if rng.random() < 0.5:
        end = rng.choice(("svg", "svg", "png", "json"))
        return ["plot", rng.choice(KINDS), *words, "-o", str(out / f"chart.{end}")]
    words += ["--title", rng.choice(TEXTS).replace("\0", "")] * (rng.random() < 0.5)
    words += ["--made", _name(rng)] * (rng.random() < 0.5)
    words += ["--per-run", str(out / "each")] * (rng.random() < 0.3)
    return ["report", *words, "-o", str(out / "report.html")]


def _name(rng: random.Random) -> str:
    return rng.choice(NAMES).replace("\0", "")


def _checked(arguments: list[str], *inputs: Path) -> Iterator[Call]:
    """The call, and then a look at all that it wrote. The last of `inputs` is the folder that it writes to."""
    *files, out = inputs
    yield arguments, list(files)
    for path in (path for path in out.rglob("*") if path.suffix in (".html", ".svg", ".png", ".json")):
        if what := wrong_in(path):
            raise Finding("half outputs", f"{path.name}: {what}")
        path.unlink()


def wrong_in(path: Path) -> str:
    """What is wrong in a page or chart: it is not whole, or texts of the data are markup in it. Empty if nothing is."""
    data = path.read_bytes()
    if path.suffix == ".png":
        return "" if data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82") else "no whole PNG"
    text = data.decode()
    if path.suffix == ".json":
        return "" if "$schema" in json.loads(text) else "no spec"
    end = "</html>" if path.suffix == ".html" else "</svg>"
    if not text.rstrip().endswith(end):
        return f"it does not end with {end}"
    reader = _Markup()
    reader.feed(text)
    return reader.wrong


class _Markup(HTMLParser):
    """Finds scripts, handlers and addresses that Karat did not write."""

    wrong = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        own = given.get("type") == "module" or (given.get("type") == "text/plain" and "id" in given)
        if (tag == "script" and not own) or tag in ("iframe", "object", "embed", "img", "foreignobject", "base"):
            self.wrong = f"<{tag} {given}>"
        for name, value in given.items():
            address = name in ("href", "src", "xlink:href") and not value.startswith(("#", "data:text/csv;"))
            if name.startswith("on") or address:
                self.wrong = f'<{tag} {name}="{value[:80]}">'
