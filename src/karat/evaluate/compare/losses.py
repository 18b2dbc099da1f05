"""The verdict of a check against a baseline (`--fail-if-worse`, `--max-loss`), in words that say only what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

from karat.evaluate.compare.comparison import Comparison, PairDifference
from karat.evaluate.tables.corrected_tests import ALPHA
from karat.model.wording import number_of

NOT_SEEN = "a rare gain or loss that these queries do not show is in no test"


@dataclass(frozen=True)
class CheckedLosses:
    """One line per finding; where there is none, what the check showed."""

    lines: tuple[str, ...]
    worse: bool = False
    """A loss is shown."""
    undecided: bool = False
    """No loss is shown, but of a run it could not be decided: too few queries, or the limit is not ruled out."""

    @property
    def failed(self) -> bool:
        return self.worse or self.undecided


def checked_losses(comparison: Comparison, *, significant: bool) -> CheckedLosses:
    """Fails where a run is worse, and where nothing could be decided: a check must not pass by default.

    significant: a significant loss of any size fails (`--fail-if-worse`). Where the comparison has `max_loss`, every
    run must also be shown to be not worse by as much.
    """
    failures, shown = [], []
    is_worse = False
    for compared in comparison.measures:
        blind = compared.powerless if significant and comparison.max_loss is None else None
        for pair in compared.differences:
            if pair.value is None:
                failures.append(f"undecided: {_pair(pair)} have no query with {pair.measure} in common")
            elif (significant and pair.worse) or pair.margin_verdict == "worse":
                is_worse = True
                failures.append(_worse(pair, comparison.max_loss))
            elif pair.margin_verdict == "not shown":
                failures.append(_not_shown(pair, comparison))
            elif significant and not blind and (pair.p_adjusted is None or not pair.testable):
                failures.append(_untested(pair))
            elif pair.margin_verdict == "not worse":
                shown.append(
                    f"not worse: {pair.run_id} loses less than {comparison.max_loss:g} against {pair.versus} in "
                    f"{pair.measure} (at most {_largest(pair)}, 95 % for all runs together)"
                )
        if blind:
            failures.append(f"undecided: {blind}")
    if failures:
        return CheckedLosses(tuple(failures), worse=is_worse, undecided=not is_worse)
    return CheckedLosses((*shown, *([_nothing_found(comparison)] if significant else [])))


def _worse(pair: PairDifference, max_loss: float | None) -> str:
    largest = "" if pair.largest_loss is None else f"; the loss is at most {_largest(pair)}, 95 % for all runs together"
    # Both questions have an answer of their own, and a loss of any size fails where both are asked.
    small = f"; that is less than {max_loss:g}, but it is a loss" if pair.margin_verdict == "not worse" else ""
    return (
        f"worse: {pair.run_id} is {pair.loss:.3f} worse than {pair.versus} in {pair.measure} "
        f"({p_words(pair.p_adjusted)} after correction{largest}{small})"
    )


def _untested(pair: PairDifference) -> str:
    queries = number_of(pair.n, "common query")
    return (
        f"undecided: {_pair(pair)} were not tested in {pair.measure}: with {queries} no difference, however large, is "
        f"significant after the correction (seen: {-pair.loss:+.3f})"
    )


def p_words(p: float | None) -> str:
    """A p-value as in the table: no figure is printed that is larger than it."""
    return "p unknown" if p is None else "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _not_shown(pair: PairDifference, comparison: Comparison) -> str:
    max_loss = comparison.max_loss or 0.0
    pooled = any(compared.table.average == "pool" for compared in comparison.measures)
    start = (
        f"not shown: {pair.run_id} is not shown to lose less than {max_loss:g} against {pair.versus} in {pair.measure}"
    )
    if pair.largest_loss is None and pooled:
        reason = "pooled scores need 10 or more that vary"
        return f"{start}: {number_of(pair.n, 'common query')} give no limit ({reason})"
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
    return f"no significant loss was found against {comparison.baseline}{power}; {NOT_SEEN}"


def _pair(pair: PairDifference) -> str:
    return f"{pair.run_id} and {pair.versus}"


def _largest(pair: PairDifference) -> str:
    # Rounded up, so that what is printed is not less than what is not ruled out.
    return f"{ceil(1000 * (pair.largest_loss or 0.0) - 1e-9) / 1000:.3f}"
