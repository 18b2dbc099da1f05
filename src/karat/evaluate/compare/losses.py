"""The verdict of a check against a baseline (`--fail-if-worse`, `--max-loss`), in words that say only what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

from karat.evaluate.compare.comparison import Comparison, PairDifference
from karat.evaluate.tables.ties import ALPHA


@dataclass(frozen=True)
class CheckedLosses:
    """One line per finding; where there is none, what the check showed."""

    lines: tuple[str, ...]
    failed: bool


def checked_losses(comparison: Comparison, *, significant: bool) -> CheckedLosses:
    """Fails where a run is worse, and where nothing could be decided: a check must not pass by default.

    significant: a significant loss of any size fails (`--fail-if-worse`). Where the comparison has `max_loss`, every
    run must also be shown to be not worse by as much.
    """
    failures, shown = [], []
    for compared in comparison.measures:
        for pair in compared.differences:
            if pair.value is None:
                failures.append(f"undecided: {_pair(pair, ' and ')} have no query with {pair.measure} in common")
            elif (significant and pair.worse) or pair.margin_verdict == "worse":
                failures.append(_worse(pair))
            elif pair.margin_verdict == "not shown":
                failures.append(_not_shown(pair, comparison.max_loss or 0.0))
            elif pair.margin_verdict == "not worse":
                shown.append(
                    f"not worse: {pair.run_id} loses less than {comparison.max_loss:g} against {pair.versus} in "
                    f"{pair.measure} (at most {_largest(pair)}, 95 % for all runs together)"
                )
        if significant and comparison.max_loss is None and compared.powerless:
            failures.append(f"undecided: {compared.powerless}")
    if failures:
        return CheckedLosses(tuple(failures), True)
    return CheckedLosses((*shown, *([_nothing_found(comparison)] if significant else [])), False)


def _worse(pair: PairDifference) -> str:
    largest = "" if pair.largest_loss is None else f", at most {_largest(pair)}"
    return (
        f"worse: {pair.run_id} is {pair.loss:.3f} worse than {pair.versus} in {pair.measure} "
        f"(p = {pair.p_adjusted:.4f} after correction{largest})"
    )


def _not_shown(pair: PairDifference, max_loss: float) -> str:
    start = (
        f"not shown: {pair.run_id} is not shown to lose less than {max_loss:g} against {pair.versus} in {pair.measure}"
    )
    if pair.largest_loss is None:
        return f"{start}: {pair.n} common queries give no limit (it takes 10 that vary, or a measure between 0 and 1)"
    equal = pair.effect is None and pair.value == 0 and max_loss < 1
    enough = f"; as many as {ceil(log(ALPHA) / log(1 - max_loss))} equal queries would show it" if equal else ""
    return f"{start}: it may lose {_largest(pair)} (seen: {-pair.loss:+.3f}, {pair.n} queries){enough}"


def _nothing_found(comparison: Comparison) -> str:
    """That no loss was found, and which would have been."""
    losses = [pair.detectable for compared in comparison.measures for pair in compared.differences if pair.detectable]
    power = ""
    if losses:
        power = f"; a true loss of {max(losses):.3f} would be found four times in five"
        if max(losses) > 1:
            power = "; with so few queries even a loss of 1 would not be found four times in five"
    return f"no loss was found against {comparison.baseline}{power}"


def _pair(pair: PairDifference, between: str) -> str:
    return f"{pair.run_id}{between}{pair.versus}"


def _largest(pair: PairDifference) -> str:
    # Rounded up, so that what is printed is not less than what is not ruled out.
    return f"{ceil(1000 * (pair.largest_loss or 0.0) - 1e-9) / 1000:.3f}"
