"""Learn the weights of the judge `neighbours` from TREC Temporal Summarization 2013, and say how good they are.

KARAT_DATA=... python benchmarks/judges/train_neighbours.py [-o WEIGHTS.json] [--test]

Updates that repeat another (`duplicate_id`) were not judged again in 2013 and are left out. Judged texts are hidden as
in `karat validate --cv snippet`. `--test` also judges 2014, from which nothing is learned.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import karat
from karat.evaluate.validate.snippets import snippet_tasks
from karat.judges.lexical.lexical import Lexical
from karat.judges.lexical.neighbours.features import FEATURES, Neighbours
from karat.judges.lexical.neighbours.neighbours import NeighbourWeights
from karat.model import AnyRecord, Collection, Response

Floats = NDArray[np.float64]
COLUMNS = ("lexical", *FEATURES, "seen")
FILES = {2013: "updates.tsv.gz", 2014: "updates_sampled.tsv.gz"}


@dataclass(frozen=True)
class Pairs:
    features: Floats
    contained: Floats
    query: NDArray[np.int64]

    def of(self, use: NDArray[np.bool_]) -> Pairs:
        return Pairs(self.features[use], self.contained[use], self.query[use])


@dataclass(frozen=True)
class Fit:
    """Log-odds: [intercept, lexical, vote, nearest, marked] for nugs that were seen, else [intercept, lexical]."""

    seen: Floats
    unseen: Floats

    def scores(self, features: Floats) -> Floats:
        seen = features[:, -1] > 0
        return np.where(
            seen,
            self.seen[0] + features[:, :-1] @ self.seen[1:],
            self.unseen[0] + features[:, 0] * self.unseen[1],
        )


def load(data: Path, year: int) -> Collection:
    folder = data / f"trec-tempsumm-{year}"
    collection = karat.load(folder / "nuggets.tsv.gz", folder / FILES[year], folder / "matches.tsv.gz", on_error="skip")
    return Collection(without_duplicates(record) for record in collection) if year == 2013 else collection


def without_duplicates(record: AnyRecord) -> AnyRecord:
    if not isinstance(record, Response):
        return record
    snippets = tuple(snippet for snippet in record.snippets if "duplicate_id" not in snippet.extra)
    return msgspec.structs.replace(record, snippets=snippets)


def pairs_in(collection: Collection) -> Pairs:
    """The features of all pairs; nearness is to the judged texts that are not hidden."""
    features, contained, query = [], [], []
    for number, snippets in enumerate(snippet_tasks(collection)):
        task, degrees = snippets.task, snippets.degrees
        texts = [response.snippets[0].text for response in task.responses]
        table = np.zeros((*degrees.shape, len(COLUMNS)), np.float32)
        table[..., 0] = Lexical().match(task).scores
        groups = np.asarray(task.groups)
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            of_group = [texts[row] for row in rows]
            assert task.known is not None
            neighbours = Neighbours(task, task.known.without(group, of_group))
            near = neighbours.near(of_group)
            for at, name in enumerate(FEATURES, 1):
                table[rows, :, at] = getattr(near, name)
            table[np.ix_(rows, neighbours.has, [len(COLUMNS) - 1])] = 1
        features.append(table.reshape(-1, len(COLUMNS)))
        contained.append((degrees >= 1).ravel())
        query.append(np.full(degrees.size, number))
    return Pairs(np.concatenate(features), np.concatenate(contained).astype(float), np.concatenate(query))


def fit(pairs: Pairs) -> Fit:
    seen = pairs.features[:, -1] > 0
    return Fit(
        logistic(pairs.features[seen, :-1], pairs.contained[seen]),
        logistic(pairs.features[~seen, :1], pairs.contained[~seen]),
    )


def logistic(features: Floats, contained: Floats) -> Floats:
    """Newton's method, with a small ridge that only keeps the weights finite."""
    design = np.hstack([np.ones((len(features), 1)), features.astype(float)])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = expit(design @ beta)
        gradient = design.T @ (p - contained) + 0.01 * beta
        step = np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design + 0.01 * np.eye(len(beta)), gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def left_out(pairs: Pairs) -> Floats:
    """Scores of each query, by what was learned on the other queries."""
    scores = np.zeros(len(pairs.contained))
    for query in np.unique(pairs.query):
        here = pairs.query == query
        scores[here] = fit(pairs.of(~here)).scores(pairs.features[here])
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    data = Path(os.environ["KARAT_DATA"])
    pairs = pairs_in(load(data, 2013))
    print(f"2013: {len(pairs.contained)} pairs, {int(pairs.contained.sum())} contained")
    print(f"each query by the others: AUC {roc_auc_score(pairs.contained, left_out(pairs)):.4f}")
    for at, name in enumerate(COLUMNS):
        print(f"  only {name}: AUC {roc_auc_score(pairs.contained, pairs.features[:, at]):.4f}")
    learned = fit(pairs)
    print(f"seen {learned.seen.round(3).tolist()}, unseen {learned.unseen.round(3).tolist()}")
    if options.output:
        options.output.write_bytes(msgspec.json.format(msgspec.json.encode(record(pairs, learned)), indent=1))
    if options.test:
        held = pairs_in(load(data, 2014))
        print(f"2014: AUC {roc_auc_score(held.contained, learned.scores(held.features)):.4f}")
    return 0


def record(pairs: Pairs, learned: Fit) -> NeighbourWeights:
    intercept, *weights = learned.seen.round(4).tolist()
    unseen_intercept, unseen_weight = learned.unseen.round(4).tolist()
    return NeighbourWeights(
        version="1",
        trained_on="TREC Temporal Summarization 2013: updates and nuggets, people's matches; repeated updates left out",
        licence="NIST release",
        pairs=len(pairs.contained),
        contained=int(pairs.contained.sum()),
        intercept=intercept,
        weights=dict(zip(("lexical", *FEATURES), weights, strict=True)),
        unseen_intercept=unseen_intercept,
        unseen_weight=unseen_weight,
    )


if __name__ == "__main__":
    sys.exit(main())
