"""karat key diff"""

from __future__ import annotations

from typing import Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.options import from_format, labels_name, less_is_better, on_error, scoring_options
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selected_together, selection


@click.command("diff")
@click.argument("old", metavar="OLD", type=click.Path())
@click.argument("new", metavar="NEW", type=click.Path())
@click.argument("files", metavar="[RUNS|JUDGEMENTS]...", nargs=-1, type=click.Path())
@from_format
@selection
@click.option(
    "--by", type=click.Choice(["meaning", "words"]), show_default="meaning, where the semantic extra is installed",
    help="How to decide which nugs say the same.",
)  # fmt: skip
@click.option(
    "--carry", is_flag=True,
    help="Let people's judgements follow what a nug says instead of its id: a reworded nug keeps them under a new id.",
)  # fmt: skip
@click.option("--unchanged", is_flag=True, help="Also list the nugs that did not change.")
@click.option(
    "--single", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
    help="How many changes to show in the list of what each does alone.",
)  # fmt: skip
@scoring_options
@less_is_better
@labels_name
@no_cache
@on_error
@output_format()
@prints_result
def diff_command(
    old: str, new: str, files: tuple[str, ...], from_format: str | None, by: str | None, carry: bool, unchanged: bool,
    single: int, measures: str | None, beta: float | None, average: str, seed: int, rules: Any,
    less_is_better: str | None, labels: str | None, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Name what changed in a key, and show what that does to scores.

    Every nug of both keys is in exactly one change: added, removed, split, merged, reworded, corrected (nearly the same
    words, another statement), moved, renamed, another importance, weight, relevance, parent or votes. `sure` says how
    surely the nugs belong together. [-words-] went, {+words+} came. With runs and judgements (or --judge for a program)
    the runs are scored by both keys, exactly as `karat score` does: score, rank and tie group of each run, the pairs of
    runs whose verdict changes, and which single changes move scores most. Nothing is saved.

    \b
    Example:
      karat key diff old.jsonl new.jsonl
      karat key diff old.jsonl new.jsonl judgements.jsonl --measures strict_vital
      karat key diff old.jsonl new.jsonl runs.jsonl --judge semantic
    """
    from karat.cli.inputs import read_collection
    from karat.evaluate.keys.diff import diff_sides
    from karat.evaluate.keys.sides import Sides
    from karat.model import Collection

    keys = [read_collection((file,), from_format, on_error, select=False) for file in (old, new)]
    runs = read_collection(files, from_format, on_error, select=False) if files else Collection()
    *keys, runs = selected_together([*keys, runs])
    done = diff_sides(
        Sides.of(keys[0], keys[1], runs), by=by, carry=carry, effects=bool(files), measures=measures, beta=beta,
        average=average, less_is_better=less_is_better, labels=labels, seed=seed, **rules,  # type: ignore[arg-type]
    )  # fmt: skip
    print_result(done, output_format, unchanged=unchanged, single=single)
