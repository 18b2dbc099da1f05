"""LLMs and Karat's judges on the same pairs, compared with people: Markdown rows for docs/judges.md.

KARAT_DATA=... python benchmarks/judges/llm_table.py --judge lexical --judge semantic --weights semantic=FILE

Two sets have LLM labels beside people's (the others at hand have LLM texts or key facts, but no LLM labels):

SummHay   892 pairs of a summary and an insight, labelled by people and by six LLM judges.
RAG24     44 answers of TREC RAG 2024 that the nuggetizer's LLM judged, too, but against a key that an LLM wrote. So
          pairs cannot be compared with people's, but scores can: the score of each answer by the LLM's key, with the
          LLM's labels or a judge's, against the score by people's key and labels.

Protocol, the same for all rows: a pair is contained where the label is "full"; partial counts as not contained (kappa,
F1, AUC), and in a second kappa as contained; a third kappa has three levels, and to be off by one counts half. An LLM's
label is its decision, and its three levels are its score for AUC. A judge of Karat decides by `karat validate`:
thresholds and calibration from the other queries, and weights that have not seen the set (those of `lexical` are
learned here without it; for others a file can be given). The score of a response is its mean degree (1, 1/2, 0; for a
judge the expected degree). Intervals are over queries, drawn with replacement.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import msgspec
import numpy as np

import karat
from karat.evaluate.validate.figures import compact, draw_figures
from karat.model import AnyRecord, Collection, Judgement, Nug, Query, Response
from lexical_sets import SETS, TEST, pairs_of
from llm_ratings import PERSON, Floats, Pair, Rated, by_judge, by_llm, pair_of, score_figures
from train_lexical import fit, record

LEARNED = ("lexical", "semantic")
"""Judges whose weights were learned from sets like these."""
DRAWS = 1000
RIDGE = 0.3
"""Of the weights that come with Karat."""
SHOWN = ("auc", "kappa", "kappa_partial", "kappa_three", "f1", "pearson", "pearson_within", "tau_within")
HEAD = (
    "AUC", "kappa, full", "kappa, partial too", "kappa, three levels", "F1", "Pearson of scores", "within a query",
    "tau within a query",
)  # fmt: skip


@dataclass(frozen=True)
class SharedAnswers:
    """Answers that people judged by their key, and the nuggetizer's LLM by its own."""

    llm: Collection
    """The answers, with the LLM's key and labels."""
    official: dict[tuple[str, str], float]
    """By people: strict_vital of each answer, under the names of the LLM's files."""


def shared_answers(data: Path) -> SharedAnswers:
    """The answers to topics of TREC RAG 2024 that are word for word the same in both collections."""
    people = karat.load(data / TEST / "nugget_assignment.20241108.jl")
    scores = strict_vital(people)
    run_of = {(response.query_id, _text(response)): response.run_id for response in people.responses}
    records: list[AnyRecord] = []
    official: dict[tuple[str, str], float] = {}
    for file in sorted((data / "nuggetizer-rag24" / "assignments").glob("*.gz")):
        # A few of its labels are not valid.
        collection = karat.load(file, on_error="skip")
        cells = {
            (response.query_id, response.run_id): scores[response.query_id, run]
            for response in collection.responses
            if (run := run_of.get((response.query_id, _text(response)))) is not None
        }
        official |= cells
        queries = {query_id for query_id, _ in cells}
        for one in collection:
            is_shared = isinstance(one, Response | Judgement) and (one.query_id, one.run_id) in cells
            if is_shared or (isinstance(one, Nug | Query) and one.query_id in queries and one not in records):
                records.append(one)
    return SharedAnswers(karat.load(records), official)


def strict_vital(collection: Collection, degrees: Mapping[Pair, float] | None = None) -> dict[tuple[str, str], float]:
    """The share of vital nugs that each response contains in full, by its labels or by other degrees (0 to 1)."""
    vital = {(nug.query_id, nug.nug_id) for nug in collection.nugs if nug.importance == "vital"}
    if degrees is None:
        degrees = {pair_of(one): float(one.degree == 1) for one in collection.judgements if one.status == "ok"}
    found: dict[tuple[str, str], list[float]] = {}
    for (query_id, run_id, nug_id), degree in degrees.items():
        if (query_id, nug_id) in vital:
            found.setdefault((query_id, run_id), []).append(degree)
    return {cell: float(np.mean(values)) for cell, values in found.items()}


def scores_by_judge(shared: SharedAnswers, judge: str) -> dict[tuple[str, str], float]:
    """By the LLM's key and a judge that has no labels: expected strict_vital."""
    unlabelled = [record for record in shared.llm if not isinstance(record, Judgement)]
    judging = karat.judge(unlabelled, judge=judge)
    full = {pair_of(one): (one.probabilities or {}).get("1", float(one.degree == 1)) for one in judging.judgements}
    return strict_vital(shared.llm, full)


def _text(response: Response) -> str:
    return " ".join(" ".join(snippet.text for snippet in response.snippets).split())


@contextmanager
def other_weights(judge: str, file: Path | None) -> Iterator[None]:
    """A judge with the weights of a file instead of those that come with Karat, as long as this lasts.

    The judge is in karat.judges.NAME.NAME and gets its weights by `load_weights()`, whose type says what is read.
    """
    if file is None:
        yield
        return
    name = judge.partition("(")[0]
    module = import_module(f"karat.judges.{name}.{name}")
    shipped: Callable[[], object] = module.load_weights
    weights = msgspec.json.decode(file.read_bytes(), type=type(shipped()))
    module.load_weights = lambda: weights
    try:
        yield
    finally:
        module.load_weights = shipped


def lexical_without(data: Path, name: str, work: Path) -> Path:
    """The weights of `lexical`, learned from all its sets but one; kept in `work`."""
    file = work / f"lexical-without-{name}.json"
    if not file.exists():
        sets = {other: pairs_of(data, other) for other in SETS if other != name}
        learned = fit(list(sets.values()), RIDGE)
        work.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(record(sets, RIDGE, learned)))
    return file


def interval(value: float, drawn: Sequence[float]) -> str:
    known = [one for one in drawn if not np.isnan(one)]
    if np.isnan(value) or not known:
        return ""
    low, high = np.quantile(known, [0.025, 0.975])
    return f"{value:.3f} ({low:.2f} to {high:.2f})"


def summhay_table(data: Path, judges: Sequence[str], weights: Mapping[str, Path], seed: int) -> None:
    collection = karat.load(data / "summhay" / "eval_benchmark_data.json")
    rated: dict[str, Rated] = {}
    for judge in judges:
        with other_weights(judge, weights.get(judge)):
            rated[f"`{judge}`"] = by_judge(collection, judge)
    for llm in sorted({one.judge for one in collection.judgements} - {PERSON}):
        rated[llm] = by_llm(collection, llm)
    # LLMs are compared with the judge that is named last.
    ours = f"`{judges[-1]}`"
    print("| set | judge | pairs | " + " | ".join(HEAD) + f" | kappa less that of {ours} |")
    print("|---|---|---|" + "---|" * (len(HEAD) + 1))
    queries = int(rated[ours].query.max()) + 1
    drawn = {name: draw_figures(one.figures, queries=queries, draws=DRAWS, seed=seed) for name, one in rated.items()}
    for name, one in rated.items():
        figures = one.figures()
        cells = [interval(figures[shown], drawn[name][shown]) for shown in SHOWN]
        # The same seed draws the same queries for all.
        differences = np.subtract(drawn[name]["kappa"], drawn[ours]["kappa"]).tolist()
        cells.append("" if name == ours else interval(figures["kappa"] - rated[ours].figures()["kappa"], differences))
        print(f"| SummHay | {name} | {len(one.people)} | " + " | ".join(cells) + " |", flush=True)


def rag24_table(data: Path, judges: Sequence[str], seed: int) -> None:
    shared = shared_answers(data)
    by_rater = {f"`{judge}`, no labels": scores_by_judge(shared, judge) for judge in judges}
    by_rater["the nuggetizer's LLM"] = strict_vital(shared.llm)
    cells = sorted(shared.official)
    people = np.array([shared.official[one] for one in cells])
    query = compact(np.array([query_id for query_id, _ in cells]))
    print("\n| set | labels | answers | Pearson of scores | within a query | tau within a query |")
    print("|---|---|---|---|---|---|")
    for name, scores in by_rater.items():
        rated = np.array([scores[one] for one in cells])

        def figures(times: Floats | None = None, rated: Floats = rated) -> dict[str, float]:
            return score_figures(people, rated, query, times)

        drawn = draw_figures(figures, queries=int(query.max()) + 1, draws=DRAWS, seed=seed)
        values = figures()
        shown = [interval(values[one], drawn[one]) for one in ("pearson", "pearson_within", "tau_within")]
        print(f"| RAG24, an LLM's key | {name} | {len(cells)} | " + " | ".join(shown) + " |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", action="append", metavar="NAME", help="may be repeated; default: lexical")
    parser.add_argument(
        "--weights", action="append", default=[], metavar="JUDGE=FILE", help="weights that have not seen SummHay"
    )
    parser.add_argument("--work", type=Path, default=Path("llm-table-work"), help="the folder for learned weights")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    data, judges = Path(os.environ["KARAT_DATA"]), given.judge or ["lexical"]
    weights = {name: Path(file) for name, _, file in (one.partition("=") for one in given.weights)}
    if "lexical" in judges and "lexical" not in weights:
        weights["lexical"] = lexical_without(data, "summhay", given.work)
    for judge in judges:
        if judge.partition("(")[0] in LEARNED and judge not in weights:
            print(f"{judge}: its own weights may have seen SummHay; give others with --weights", file=sys.stderr)
    summhay_table(data, judges, weights, given.seed)
    rag24_table(data, judges, given.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
