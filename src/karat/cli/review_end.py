"""What `karat review` says when it ends: what was saved, and how to score with it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from karat.evaluate.review.file import ReviewFile
    from karat.evaluate.review.review import Review


def say_end(review: Review, saved: ReviewFile, command: str) -> None:
    """How far it came, where the answers are, and the command that scores with all of them."""
    click.echo()
    if review.next() is None:
        click.echo("nothing is left to ask" if review.answered else "there is nothing to ask")
    if review.answered:
        click.echo(f"{review.answered:,} answer{'s' * (review.answered != 1)} saved in {saved.path}")
    if review.answered and saved.nugs_path.exists():
        click.echo(f"further descriptions and nugs: {saved.nugs_path}")
    if saved.path.exists():
        click.echo(f"to score with all answers: {command}")


def labels_with_answers(labels: str | None, *, others_judged: bool, answered: bool) -> str | None:
    """Whose judgements a score counts as the review did: of those named, and its own answers."""
    from karat.evaluate.review.review import PERSON

    if labels is None:
        return "all" if others_judged else None
    return f"{labels},{PERSON}" if answered and labels not in ("all", PERSON) else labels


def score_command(
    files: Sequence[str], saved: ReviewFile, *, judge: str, measure: str, missing: str, labels: str | None
) -> str:
    """The `karat score` that counts as the review did: with its answers, and the nugs it added where there are any."""
    own = [path for path in (saved.path, saved.nugs_path) if path.exists()]
    named = {path.resolve() for path in own}
    rest = [file for file in files if Path(file).resolve() not in named]
    words = ["karat", "score", *rest, *map(str, own), "--judge", judge, "--measures", measure]
    if labels is not None:
        words += ["--labels", labels]
    if missing != "error":
        words += ["--missing", missing]
    return shlex.join(words)
