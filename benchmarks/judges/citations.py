"""How often the verdicts of `karat cite` are right: `KARAT_DATA=... python benchmarks/judges/citations.py [PART ...]`.

Parts: wice (people's three degrees for claims and cited pages), attributionbench (people's two labels for sentences and
cited references), made (misattributions and fabrications made from both), trec (the support judgements of TREC RAG
2024, for as many cited segments as have a text; `--documents FILE` gives texts). No curve was learned on these sets:
they come from train_citations.py; docs/citations.md says which rules were decided with these figures in view.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from karat.evaluate.cite.cite import cite_collection
from karat.evaluate.cite.ledger import SUPPORT, VERDICTS, Finding
from karat.formats import load
from karat.model import Citation, Collection, Document, Response, Snippet
from karat.stats.agreement.coefficients import cohen_kappa
from karat.stats.intervals.clustered_share import clustered_share_interval

DEGREES = {"full": 1.0, "partial": 0.5, "none": 0.0, "missing": 0.0}
SUPPORT_FILES = "final.citation_judgments_*.jsonl"
EACH = 25
"""How many fabrications of each kind are made."""
GROUP = 10
"""How many claims a made response has."""


def response(query_id: str, run_id: str, cited: Iterable[tuple[str, str]]) -> Response:
    """A response whose sentences cite one document each."""
    snippets = tuple(
        Snippet(snippet_id=str(at), text=text, citations=(Citation(doc_id=doc_id),))
        for at, (text, doc_id) in enumerate(cited, 1)
    )
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)


def wice_rows(data: Path) -> list[dict[str, Any]]:
    with open(data / "wice" / "entailment_retrieval" / "claim" / "dev.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def wice_documents(rows: Sequence[dict[str, Any]]) -> list[Document]:
    return [Document(doc_id=row["meta"]["id"], text="\n\n".join(row["evidence"])) for row in rows]


def bench_rows(data: Path) -> list[dict[str, Any]]:
    path = data / "nli" / "eval-only" / "nli-attributionbench" / "attributionbench.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def print_against_people(findings: Sequence[Finding], people: Sequence[float]) -> None:
    """Precision, recall and kappa of each verdict, and of full, partial and none."""
    ours = np.array([DEGREES[finding.support] for finding in findings])
    theirs = np.array(people)
    verdicts = np.array([finding.verdict for finding in findings])
    print(f"{'':24}{'n':>5}  precision            recall                kappa")
    rows = [(name, verdicts == name, theirs == DEGREES[SUPPORT[name]]) for name in ("verbatim", "paraphrased")]
    rows += [
        (f"{name} support", ours == degree, theirs == degree)
        for name, degree in (("full", 1.0), ("partial", 0.5), ("no", 0.0))
        if (theirs == degree).any()
    ]
    for name, said, true in rows:
        both = int((said & true).sum())
        kappa = cohen_kappa(np.column_stack([said, true]).astype(float))
        spread = "" if kappa.low is None else f"{kappa.value:.2f} [{kappa.low:.2f}, {kappa.high:.2f}]"
        print(f"{name:24}{int(said.sum()):5}  {share(both, said.sum())}  {share(both, true.sum())}  {spread}")
    if len(set(people)) > 2:
        for weights in ("none", "quadratic"):
            kappa = cohen_kappa(np.column_stack([ours, theirs]), weights=weights)
            print(f"kappa of three degrees, weights {weights}: {kappa.value:.2f} [{kappa.low:.2f}, {kappa.high:.2f}]")
    full = np.array([0.0 if finding.probabilities is None else finding.probabilities.full for finding in findings])
    any_ = np.array([0.0 if finding.probabilities is None else 1 - finding.probabilities.none for finding in findings])
    print(f"mean P(full) {full.mean():.2f}, full {np.mean(theirs == 1):.2f}; AUC {auc(full, theirs == 1):.3f}")
    if len(set(people)) > 2:
        print(f"mean P(any) {any_.mean():.2f}, any {np.mean(theirs > 0):.2f}; AUC {auc(any_, theirs > 0):.3f}")
    print("P(full)    n  share full")
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        inside = (full >= low) & (full < high)
        if inside.any():
            print(f"{low:.1f}-{min(high, 1):.1f}  {inside.sum():4}  {share((theirs[inside] == 1).sum(), inside.sum())}")
    table = Counter(zip(verdicts.tolist(), people, strict=True))
    print("verdict x people:", {f"{v}/{d:g}": table[v, d] for v in VERDICTS for d in (1.0, 0.5, 0.0) if table[v, d]})


def share(count: float, of: float) -> str:
    if not of:
        return f"{'-':20}"
    found = clustered_share_interval([int(count)], [int(of)])
    return f"{count / of:.2f} [{found.low:.2f}, {found.high:.2f}]".ljust(20)


def auc(scores: np.ndarray, positive: np.ndarray) -> float:
    high, low = scores[positive], scores[~positive]
    return float((high[:, None] > low).mean() + (high[:, None] == low).mean() / 2) if len(high) and len(low) else np.nan


def wice(data: Path, judge: str) -> None:
    """One response per claim, so that only its own page is cited there; other pages are other responses of the run."""
    rows = wice_rows(data)
    degree = {"supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0}
    responses = [response(row["meta"]["id"], "wice", [(row["claim"], row["meta"]["id"])]) for row in rows]
    ledger = cite_collection(Collection([*wice_documents(rows), *responses]), judge=judge)
    print(f"\n== WiCE, {len(rows)} claims ({judge}) ==")
    print_against_people(ledger.findings, [degree[row["label"]] for row in rows])


def attributionbench(data: Path, judge: str, most: int) -> None:
    rows = bench_rows(data)
    rows = sorted(random.Random(1).sample(rows, min(most, len(rows))), key=lambda row: row["id"])
    documents = [Document(doc_id=row["id"], text=row["premise"]) for row in rows]
    responses = [response(row["id"], row["id"], [(row["hypothesis"], row["id"])]) for row in rows]
    ledger = cite_collection(Collection([*documents, *responses]), judge=judge)
    labels = {row["id"]: float(row["label"] == "entailment") for row in rows}
    print(f"\n== AttributionBench, {len(ledger.findings)} sentences ({judge}) ==")
    print_against_people(ledger.findings, [labels[finding.doc_id] for finding in ledger.findings])


def other_number(claim: str, rng: random.Random) -> str | None:
    """The claim with one number changed: the last digit of a number (the last two of a year)."""
    found = list(re.finditer(r"(?<![\w.,])\d+(?:,\d{3})*(?![\w,]*\d)", claim))
    if not found:
        return None
    match = rng.choice(found)
    digits = match[0]
    last = str((int(digits[-1]) + rng.randint(1, 8)) % 10)
    changed = digits[:-1] + last if len(digits) > 1 else str(int(digits) + rng.randint(2, 6))
    return claim[: match.start()] + changed + claim[match.end() :]


def other_name(claim: str, rng: random.Random, names: Sequence[str]) -> str | None:
    """The claim with a name (capitalised words, not at the beginning) of another claim in place of one of its own."""
    found = names_of(claim)
    others = [name for name in names if name not in claim and name.count(" ") >= 1]
    if not found or not others:
        return None
    return claim.replace(rng.choice(found), rng.choice(others), 1)


def names_of(claim: str) -> list[str]:
    return re.findall(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*", claim)


def negated(claim: str, rng: random.Random) -> str | None:
    """The claim with "not" after its first auxiliary verb."""
    changed = re.sub(r"\b(is|are|was|were|has|had|have|will|can|could|would)\b", r"\1 not", claim, count=1)
    return changed if changed != claim else None


def supported(data: Path, name: str) -> tuple[dict[str, str], list[Document]]:
    """The statements of a set that people call supported, by document, and the documents."""
    if name == "wice":
        rows = [row for row in wice_rows(data) if row["label"] == "supported"]
        return {row["meta"]["id"]: row["claim"] for row in rows}, wice_documents(rows)
    rows = [row for row in bench_rows(data) if row["label"] == "entailment" and len(row["hypothesis"].split()) >= 6]
    statements: dict[str, tuple[str, str]] = {}
    for row in rows:
        # One statement of a question: two of one question may have the same reference.
        plain = re.sub(r"\s*\[\d+\]", "", row["hypothesis"])
        statements.setdefault(str(row["id"]).rsplit("/", 1)[0], (plain, row["premise"]))
    documents = [Document(doc_id=doc_id, text=text) for doc_id, (_, text) in statements.items()]
    return {doc_id: statement for doc_id, (statement, _) in statements.items()}, documents


def made(data: Path, name: str, judge: str, seed: int = 1) -> None:
    """Claims that people call supported: left as they are, cited to a wrong page, and changed."""
    rng = random.Random(seed)
    claims, documents = supported(data, name)
    ids = sorted(claims)
    rng.shuffle(ids)
    ids = ids[:100]
    claims = {doc_id: claims[doc_id] for doc_id in ids}
    documents = [document for document in documents if document.doc_id in claims]
    groups = [ids[at : at + GROUP] for at in range(0, len(ids), GROUP)]

    true = [response(str(at), "true", [(claims[i], i) for i in group]) for at, group in enumerate(groups)]
    swapped = [
        response(
            str(at), "swapped", [(claims[i], wrong) for i, wrong in zip(group, [*group[1:], group[0]], strict=True)]
        )
        for at, group in enumerate(groups)
    ]
    names = sorted({name for claim in claims.values() for name in names_of(claim)})
    changes = {
        "number": other_number, "name": lambda claim, rng: other_name(claim, rng, names), "negation": negated,
    }  # fmt: skip
    fabricated: dict[str, list[tuple[str, str]]] = {}
    for kind, change in changes.items():
        made_up = [(text, i) for i in rng.sample(ids, len(ids)) if (text := change(claims[i], rng)) is not None]
        fabricated[kind] = made_up[:EACH]
    # The page of a claim is absent from the run: the claim cites another page, and its own is nowhere.
    chosen = rng.sample(ids, 2 * EACH)
    fabricated["no page"] = [(claims[i], other) for i, other in zip(chosen[:EACH], chosen[EACH:], strict=True)]
    made_runs = [
        response(str(at), f"fabricated: {kind}", cited) for kind, pairs in fabricated.items() for at, cited in
        enumerate([pairs[start : start + GROUP] for start in range(0, len(pairs), GROUP)])
    ]  # fmt: skip
    ledger = cite_collection(Collection([*documents, *true, *swapped, *made_runs]), judge=judge)
    right = {claims[i]: i for i in ids}
    print(f"\n== made from {name}, seed {seed} ({judge}) ==")
    print(f"{'':24}{'n':>4}  misattributed  right page  absent  partly  full  typed reason")
    for run in dict.fromkeys(finding.run_id for finding in ledger.findings):
        own = [finding for finding in ledger.findings if finding.run_id == run]
        count = Counter(finding.verdict for finding in own)
        hit = sum(
            finding.verdict == "misattributed" and finding.evidence is not None
            and finding.evidence.doc_id == right.get(finding.text) for finding in own
        )  # fmt: skip
        full = count["verbatim"] + count["paraphrased"]
        reasons = sum(
            finding.verdict in ("partly", "absent")
            and finding.why.split(":")[0] in ("number", "name", "negation", "date")
            for finding in own
        )
        numbers = (
            f"{count['misattributed']:13}  {hit:10}  {count['absent']:6}  {count['partly']:6}  {full:4}  {reasons:12}"
        )
        print(f"{run:24}{len(own):4}  {numbers}")
        if run == "swapped":
            better = sum(
                finding.verdict == "partly" and finding.better is not None
                and finding.better.doc_id == right.get(finding.text) for finding in own
            )  # fmt: skip
            print(f"{'':24}of the partly ones, {better} name the right page as the better one")


def trec(data: Path, judge: str, documents: Sequence[str]) -> None:
    files = sorted((data / "trec-rag-2024").glob(SUPPORT_FILES))
    texts = {document.doc_id: document for document in (load(*documents).documents if documents else ())}
    print("\n== support judgements of TREC RAG 2024 ==")
    every: set[str] = set()
    for file in files:
        collection = load(str(file), on_error="skip")
        cited = {judgement.doc_id for judgement in collection.citation_judgements}
        every |= cited
        at_hand = cited & texts.keys()
        counts = f"{len(collection.citation_judgements):,} judgements of {len(cited):,} segments"
        print(f"{file.name}: {counts}, text at hand for {len(at_hand):,}")
        if at_hand:
            ledger = cite_collection(Collection([*collection, *texts.values()]), judge=judge)
            judged = [f for f in ledger.findings if f.people and f.verdict != "missing"]
            print_against_people(judged, [DEGREES[finding.people[0]] for finding in judged])
    print(f"together {len(every):,} segments, text at hand for {len(every & texts.keys()):,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["wice", "attributionbench", "made", "trec"])
    parser.add_argument("--judge", default="semantic,lexical")
    parser.add_argument("--most", type=int, default=1000, help="sentences of AttributionBench")
    parser.add_argument("--documents", nargs="*", default=[], help="texts of segments of TREC RAG 2024")
    options = parser.parse_args()
    data = Path(os.environ["KARAT_DATA"])
    for judge in options.judge.split(","):
        if "wice" in options.parts:
            wice(data, judge)
        if "made" in options.parts:
            for name in ("wice", "attributionbench"):
                made(data, name, judge)
        if "attributionbench" in options.parts:
            attributionbench(data, judge, options.most)
    if "trec" in options.parts:
        trec(data, options.judge.split(",")[0], options.documents)


if __name__ == "__main__":
    main()
