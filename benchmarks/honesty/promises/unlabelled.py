"""Promises about scores where nobody labelled: intervals hold people's scores, and claimed differences are right."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from promises import NotAtHand, Row, promise, trials
from unlabelled import QUERIES, Found, means, of_made_up, of_set


def _rows(found: Sequence[Found], setting: str, field: str, at_least: float) -> Row:
    values = np.array([getattr(each, field) for each in found])
    return Row(
        setting=setting, measured=float(values.mean()), trials=len(found), at_least=at_least,
        error=float(values.std(ddof=1) / np.sqrt(len(values))),
    )  # fmt: skip


@promise("Without labels: people's scores and differences in the judge's intervals (made-up collections)")
def made_up_collections(scale: float) -> Iterator[Row]:
    count = trials(scale, 300, least=60)
    for queries in QUERIES:
        found = of_made_up(queries, count)
        yield _rows(found, f"{queries} queries, score", "score", 0.93)
        yield _rows(found, f"{queries} queries, difference", "difference", 0.93)
        wrong = sum(each.wrong > 0 for each in found) / count
        yield Row(setting=f"{queries} queries, any wrong claim", measured=wrong, trials=count, at_most=0.05)


@promise("Without labels: people's scores in the judge's interval (each set by the prior of the others)")
def left_out_sets(scale: float) -> Iterator[Row]:
    folder = os.environ.get("KARAT_DATA")
    if not folder:
        raise NotAtHand("KARAT_DATA is not set")
    count, data = trials(scale, 20, least=6), Path(folder)
    if missing := [name for name in ("realsumm-pyrxsum-labels", "summhay", "wice") if not (data / name).exists()]:
        raise NotAtHand(f"{missing[0]} is not under KARAT_DATA")
    # They need the packages that `lexical` is learned with.
    from left_out_weights import left_out_weights
    from set_scores import NAMES, score_sets

    sets = score_sets(data, "lexical", weights=left_out_weights(data))
    shares, wrong, separated = [], 0.0, 0.0
    for name in NAMES:
        of_sizes = [
            means(of_set(sets, name, queries, count, judge="lexical"))
            for queries in QUERIES
            if len(np.unique(sets[name].query)) >= 0.6 * queries
        ]
        shares.append(float(np.mean([row["score"] for row in of_sizes])))
        wrong, separated = (
            wrong + sum(row["wrong"] for row in of_sizes),
            separated + sum(row["separated"] for row in of_sizes),
        )
    # The sets are what they are: the error is that of drawing collections from them.
    yield Row(
        setting="lexical, mean over sets", measured=float(np.mean(shares)), trials=count, at_least=0.90, error=0.01
    )
    share = wrong / max(1.0, separated)
    yield Row(setting="lexical, separated with the wrong sign", measured=share, trials=int(separated), at_most=0.05)
