"""Checks for a test suite: does a change make answers worse?

from karat.testing import assert_not_worse

def test_the_new_prompt_is_not_worse():
    assert_not_worse("key.jsonl", "judgements.jsonl", run="candidate", baseline="main", measures="strict_vital")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from karat.evaluate.compare.compare import compare
from karat.evaluate.compare.comparison import Comparison
from karat.formats.reading import Input, OnError
from karat.measures.cases.rules import Rules

__all__ = ["assert_not_worse"]


def assert_not_worse(
    *inputs: Input,
    baseline: str,
    run: str | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    max_loss: float | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Comparison:
    """Fail if a run (every other run, where none is named) scores significantly below the baseline.

    One-sided paired tests over queries, corrected for the number of runs, at 0.05. The inputs are as in `karat.score`:
    paths, records, dicts or data frames, with a key and judgements or with scores by query. max_loss: fail also
    where the score itself is lower by more than this, significant or not. Where there are so few queries that no loss,
    however large, could be significant, the check fails unless max_loss is given: it could never have failed.

    Returns the comparison, with the nugs that were gained and lost.
    """
    __tracebackhide__ = True
    comparison = compare(
        *inputs, baseline=baseline, runs=None if run is None else [run], measures=measures, beta=beta,
        alternative="less", on_error=on_error, seed=seed, **rules,
    )  # fmt: skip
    complaints = []
    for compared in comparison.measures:
        for pair in compared.differences:
            if pair.value is None:
                complaints.append(f"{pair.run_id} and {pair.versus} have no query with {pair.measure} in common")
            elif pair.worse or (max_loss is not None and pair.loss > max_loss):
                p = "" if pair.p_adjusted is None else f", p {pair.p_adjusted:.4f}"
                complaints.append(
                    f"{pair.run_id} is {pair.loss:.3f} worse than {pair.versus} in {pair.measure} (n {pair.n}{p})"
                )
    blind = [compared.powerless for compared in comparison.measures if compared.powerless]
    if blind and not complaints and max_loss is None:
        complaints.append(f"nothing can be decided: {blind[0]}; set max_loss to fail at a difference of this size")
    if complaints:
        lost = [change for change in comparison.changes if not change.gained]
        complaints += [
            f"  lost: {change.query_id} {change.nug_id} ({change.before:g} -> {change.after:g}) {change.description}"
            for change in lost[:10]
        ]
        if len(lost) > 10:
            complaints.append(f"  ... and {len(lost) - 10} more nugs lost")
        raise AssertionError("\n".join(complaints))
    return comparison
