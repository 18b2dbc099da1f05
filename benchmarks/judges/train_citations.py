"""Learn what the features of a citation mean: `python benchmarks/judges/train_citations.py FOLDER -o weights.json`.

FOLDER holds nli/nli-NAME/NAME.jsonl.gz. The sets are statements with texts that people read, and may be trained on.
Only groups that the entailment model was not trained on are used (one in twelve, `is_dev`): on its own training pairs
it is better than on new ones. The documents are made longer with up to eight other texts of the same set. So that there
are statements with several facts, half of the statements are joined in pairs; a pair is full if both are, none if none
is, and otherwise partial. Labels:

    full       entailed (Factcheck-GPT: completely supported)
    partial    Factcheck-GPT: partially supported; DeFacto and SummEdits: a summary with a wrong detail; a joined pair
    none       irrelevant, refuted, not entailed; and statements whose text is not in the document

Rows are weighed so that full, partial and none have the shares that people gave in TREC RAG 2024 (without predictions:
597, 469 and 456 of 1,522), and that every set has the same weight in each. Nothing of WiCE or AttributionBench is used.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from karat.judges.citations.claims import read_claim
from karat.judges.citations.documents import Source, Sources
from karat.judges.citations.features import MEANING, WORDS, Reader, look_up
from karat.language.encoder import load_encoder
from karat.language.entailment import load_entailment
from karat.language.train.entailment.pairs.sets import is_dev, tidy

SETS = ("factcheckgpt", "defacto", "fm2", "fever-nli", "begin", "summedits")
LICENCES = {
    "factcheckgpt": "Apache-2.0", "defacto": "MIT", "fm2": "Apache-2.0", "fever-nli": "BSD-3-Clause; CC BY-SA 3.0",
    "begin": "CC BY 4.0, CDLA-Sharing-1.0", "summedits": "Apache-2.0",
}  # fmt: skip
SHARES = {1.0: 597 / 1522, 0.5: 469 / 1522, 0.0: 456 / 1522}
OTHERS = 8
RIDGE = 3.0
AGAINST = frozenset({"numbers", "names", "numbers_document", "names_document", "negation", "conflict"})
"""Features that can only speak against support."""


@dataclass(frozen=True)
class Row:
    """A statement, the text that it was judged by, and the degree to which the text says it."""

    group: str
    text: str
    statement: str
    degree: float


def rows_of(folder: Path, name: str) -> Iterator[Row]:
    """The rows of a set that the entailment model has not seen."""
    with gzip.open(folder / "nli" / f"nli-{name}" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            group = row["id"].rsplit("/", 1)[0]
            if not is_dev(group):
                continue
            degree = 1.0 if row["label"] == "entailment" else 0.0
            wrong_detail = name in ("defacto", "summedits") and row["label"] == "not_entailment"
            if wrong_detail or row.get("phenomenon") == "partially-support":
                degree = 0.5
            yield Row(group, tidy(row["premise"]), tidy(row["hypothesis"]), degree)


def cases_of(rows: list[Row], most: int, rng: random.Random) -> Iterator[tuple[str, str, float]]:
    """Statements, documents and degrees: alone or joined in pairs, with other texts around, or with them only."""
    rng.shuffle(rows)
    texts = sorted({row.text for row in rows})
    for at in range(min(most, len(rows))):
        row = rows[at]
        statement, degree, own = row.statement, row.degree, [row.text]
        if rng.random() < 0.5:
            other = next((each for each in rows[at + 1 :] if each.group == row.group), rng.choice(rows))
            statement = f"{statement.rstrip('. ')}, and {other.statement}"
            degree = degree if degree == other.degree else 0.5
            own = list(dict.fromkeys([*own, other.text]))
        elif rng.random() < 0.12:
            degree, own = 0.0, []
        count = rng.randint(0 if own else 1, OTHERS)
        others = [text for text in rng.sample(texts, min(count, len(texts))) if text not in own]
        document = [*own, *others] or texts[:1]
        rng.shuffle(document)
        yield statement, "\n\n".join(document), degree


def features(folder: Path, *, most: int, seed: int) -> list[dict[str, Any]]:
    """The features of all cases: one dict per case."""
    reader = Reader(load_encoder(), load_entailment())
    table: list[dict[str, Any]] = []
    for name in SETS:
        rng = random.Random(f"{seed}/{name}")
        cases = list(cases_of(list(rows_of(folder, name)), most, rng))
        sources = Sources(Source(str(at), document) for at, (_, document, _) in enumerate(cases))
        for at, (statement, _, degree) in enumerate(cases):
            look = look_up(read_claim(statement, sources), sources.by_id[str(at)], reader)
            # What is verbatim is judged by words.
            table.append({"set": name, "degree": degree, **dict.fromkeys(MEANING, np.nan), **look.values})
        print(f"{name}: {len(cases)} cases", flush=True)
    return table


def fit(table: list[dict[str, Any]], names: tuple[str, ...], least: float) -> dict[str, float]:
    """The curve of P(degree >= least): minimises weighted -log likelihood + RIDGE / 2 |w|^2, w of standard features.

    What is covered can only speak for support, and what is missing only against it: slopes of the other sign are held
    at 0. Without that, features that say nearly the same got large slopes of different signs, other ones in each set.
    """
    table = [row for row in table if not any(np.isnan(row[name]) for name in names)]
    values = np.array([[row[name] for name in names] for row in table], float)
    reached = np.array([row["degree"] >= least for row in table], float)
    weights = _weights(table)
    mean = weights @ values / weights.sum()
    sd = np.sqrt(weights @ (values - mean) ** 2 / weights.sum()) + 1e-9
    design = (values - mean) / sd

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        along = at[0] + design @ at[1:]
        off = weights * (expit(along) - reached)
        said = -(weights * log_expit(np.where(reached > 0, along, -along))).sum()
        return said + RIDGE / 2 * (at[1:] ** 2).sum(), np.concatenate([[off.sum()], design.T @ off + RIDGE * at[1:]])

    limits = [(None, None), *((None, 0) if name in AGAINST else (0, None) for name in names)]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, bounds=limits, method="L-BFGS-B").x
    slopes = found[1:] / sd
    return {"intercept": round(float(found[0] - slopes @ mean), 3)} | {
        name: round(float(slope), 3) + 0.0 for name, slope in zip(names, slopes, strict=True)
    }


def _weights(table: list[dict[str, Any]]) -> np.ndarray:
    """Rows of a degree have its share in all; every set with at least 20 rows of the degree has the same part of it."""
    cells: dict[float, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, row in enumerate(table):
        cells[row["degree"]][row["set"]].append(at)
    weights = np.zeros(len(table))
    for degree, share in SHARES.items():
        enough = [rows for rows in cells[degree].values() if len(rows) >= 20]
        for rows in enough:
            weights[rows] = share / len(enough) / len(rows)
    return weights * len(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--most", type=int, default=400, help="cases per set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--features", type=Path, default=Path("build/citation_features.json"))
    options = parser.parse_args()
    if not options.features.exists():
        options.features.parent.mkdir(parents=True, exist_ok=True)
        options.features.write_text(json.dumps(features(options.folder, most=options.most, seed=options.seed)), "utf-8")
    table = json.loads(options.features.read_text("utf-8"))
    judges = {}
    for judge, names in (("lexical", WORDS), ("semantic", (*WORDS, *MEANING))):
        judges[judge] = {kind: fit(table, names, least) for kind, least in (("full", 1.0), ("partial", 0.5))}
    counts = {name: sum(row["set"] == name for row in table) for name in SETS}
    learned = {
        "version": "1",
        "trained_on": [{"name": name, "licence": LICENCES[name], "cases": counts[name]} for name in SETS],
        "judges": judges,
    }
    options.output.write_bytes(msgspec.json.format(msgspec.json.encode(learned), indent=1) + b"\n")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
