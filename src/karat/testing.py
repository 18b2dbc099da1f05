"""Checks for a test suite: does a change make answers worse?

from karat.testing import assert_not_worse

def test_the_new_prompt_is_not_worse():
    assert_not_worse("key.jsonl", "judgements.jsonl", run="candidate", baseline="main", measures="strict_vital")
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.evaluate.cases import Missing
from karat.evaluate.comparing import compare
from karat.evaluate.comparison import Comparison
from karat.formats.reading import Input, OnError

__all__ = ["assert_not_worse"]


def assert_not_worse(
    *inputs: Input,
    baseline: str,
    run: str | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    margin: float | None = None,
    missing: Missing = "error",
    on_error: OnError = "stop",
    seed: int = 0,
) -> Comparison:
    """Fail if a run (every other run, where none is named) scores significantly below the baseline.

    One-sided paired permutation tests over queries, Holm-corrected, at 0.05. The inputs are as in `karat.score`:
    paths, records, dicts or data frames, with a key and judgements or with scores by query. margin: fail also where
    the score itself is lower by more than this, significant or not; for sets too small for a test to tell.

    Returns the comparison, with the nugs that were gained and lost.
    """
    __tracebackhide__ = True
    comparison = compare(
        *inputs, baseline=baseline, runs=None if run is None else [run], measures=measures, beta=beta,
        missing=missing, alternative="less", on_error=on_error, seed=seed,
    )  # fmt: skip
    complaints = []
    for compared in comparison.measures:
        for one in compared.differences:
            if one.worse or (margin is not None and one.loss > margin):
                p = "" if one.p_holm is None else f", p {one.p_holm:.4f}"
                complaints.append(
                    f"{one.run_id} is {one.loss:.3f} worse than {one.versus} in {one.measure} (n {one.n}{p})"
                )
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
