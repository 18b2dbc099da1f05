"""Train the entailment model: `python -m karat.language.train.entailment FOLDER --start model.safetensors`.

FOLDER holds nli/nli-NAME/NAME.jsonl.gz for each set of pairs/sets.py, and propbank-ewt. One group of rows in twelve is
kept for development. Everything in between (parses, pairs, weights of the first stage) is kept in --work, so that a run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.language.entailment.model import MOST_TOKENS, WEIGHTS, load_entailment
from karat.language.train.entailment.pairs.making import make_all
from karat.language.train.entailment.pairs.parsing import parse_sources, read_parses
from karat.language.train.entailment.pairs.sets import Pair
from karat.language.train.entailment.scoring import render_scores, score_kinds
from karat.language.train.entailment.stages import STAGES
from karat.language.wordpieces import load_tokenizer

_DEV = 150
"""Pairs of each kind and label that are scored at the end."""


def main() -> None:
    """Parse, make pairs, train in stages, export, score."""
    parser = argparse.ArgumentParser(prog="python -m karat.language.train.entailment", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--start", type=Path, required=True, help="all-MiniLM-L6-v2 as model.safetensors")
    parser.add_argument("--work", type=Path, default=Path("build/entailment"), help="where parses and pairs are kept")
    parser.add_argument("-o", "--output", type=Path, default=WEIGHTS)
    parser.add_argument("--scale", type=float, default=1.0, help="use only this share of the data, for a quick trial")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    parses, stored = options.work / "parses.spacy", options.work / "pairs.jsonl.gz"
    if not parses.exists():
        parse_sources(options.folder, parses, scale=options.scale, seed=options.seed)
    if not stored.exists():
        write_pairs(stored, make_all(options.folder, read_parses(parses), scale=options.scale, seed=options.seed))
    pairs = read_pairs(stored)
    _say(f"{len(pairs)} pairs, {sum(pair.dev for pair in pairs)} of them for development")
    train(pairs, options.start, options.output, scale=options.scale, seed=options.seed)
    model = load_entailment(options.output)
    _say(render_scores(score_kinds(dev_sample(pairs, seed=options.seed), model.probabilities, threshold=0.5)))


def train(pairs: Sequence[Pair], start: Path, output: Path, *, scale: float, seed: int) -> None:
    """Train all stages, one after the other, and write the file of ONNX."""
    from karat.language.train.entailment.export import export
    from karat.language.train.entailment.fitting import draw, fit
    from karat.language.train.entailment.network import start_weights

    tokenizer = cutting_tokenizer()
    weights = start_weights(start, seed=seed)
    for stage in STAGES:
        drawn = list(
            draw(pairs, stage.mixture, int(stage.pairs * scale), seed=stage.schedule.seed, longest=stage.longest)
        )
        began = time.monotonic()

        def report(step: int, loss: float, began: float = began, name: str = stage.name) -> None:
            _say(f"{name}: step {step}, loss {loss:.4f}, {time.monotonic() - began:.0f} s")

        weights = fit(weights, drawn, tokenizer=tokenizer, schedule=stage.schedule, report=report)
    output.parent.mkdir(parents=True, exist_ok=True)
    export(weights, output)


def cutting_tokenizer() -> Any:
    """The tokenizer, cutting premises as at run time."""
    tokenizer = load_tokenizer()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="only_first")
    return tokenizer


def dev_sample(pairs: Sequence[Pair], *, seed: int) -> list[Pair]:
    """Some development pairs of each kind and label."""
    rng = random.Random(seed)  # noqa: S311 - a sample
    groups: dict[tuple[str, bool], list[Pair]] = {}
    for pair in pairs:
        if pair.dev:
            groups.setdefault((pair.kind, pair.entailed), []).append(pair)
    return [pair for _, group in sorted(groups.items()) for pair in rng.sample(group, min(_DEV, len(group)))]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as JSON lines, whole or not at all."""
    encoder, part = msgspec.json.Encoder(), path.with_suffix(".part")
    with gzip.open(part, "wb", compresslevel=3) as file:
        for pair in pairs:
            file.write(encoder.encode(pair) + b"\n")
    part.rename(path)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file."""
    decoder = msgspec.json.Decoder(Pair)
    with gzip.open(path, "rb") as lines:
        return [decoder.decode(line) for line in lines]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
