"""Checks for a test suite: does a change make answers worse?

from karat.testing import assert_not_worse

def test_the_new_prompt_is_not_worse():
    assert_not_worse(
        "key.jsonl", "judgements.jsonl", run="candidate", baseline="main", measures="strict_vital", max_loss=0.05
    )
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from karat.evaluate.compare.compare import compare
from karat.evaluate.compare.comparison import Comparison
from karat.evaluate.compare.losses import checked_losses
from karat.formats.inputs.reading import Input, OnError
from karat.measures.cases.rules import Rules

__all__ = ["assert_not_worse"]


def assert_not_worse(
    *inputs: Input,
    baseline: str,
    run: str | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    max_loss: float | None = None,
    less_is_better: str | Sequence[str] | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Comparison:
    """Fail if a run (every other run, where none is named) is worse than the baseline.

    max_loss: fail unless it is shown that the run loses less than this: the one-sided 95 % limit of the loss, for all
    runs together, must be below it (non-inferiority). So it also fails where there are too few queries to show it.

    Without max_loss, fail where the score is significantly below the baseline's (one-sided paired tests over queries,
    corrected for the number of runs, at 0.05), and where there are so few queries that no loss, however large, could
    be significant. That such a test finds nothing does not show that the run is not worse: set max_loss for that.

    The inputs are as in `karat.score`: paths, records, dicts or data frames, with a key and judgements or with scores
    by query. Returns the comparison, with the nugs that were gained and lost.
    """
    __tracebackhide__ = True
    comparison = compare(
        *inputs, baseline=baseline, runs=None if run is None else [run], measures=measures, beta=beta,
        alternative="less" if max_loss is None else "two-sided", max_loss=max_loss, less_is_better=less_is_better,
        on_error=on_error, seed=seed, **rules,
    )  # fmt: skip
    checked = checked_losses(comparison, significant=max_loss is None)
    if checked.failed:
        lost = [change for change in comparison.changes if not change.gained]
        complaints = [
            *checked.lines,
            *(
                f"  lost: {change.query_id} {change.nug_id} ({change.before:g} -> {change.after:g}) "
                f"{change.description}"
                for change in lost[:10]
            ),
        ]
        if len(lost) > 10:
            complaints.append(f"  ... and {len(lost) - 10} more nugs lost")
        raise AssertionError("\n".join(complaints))
    return comparison
