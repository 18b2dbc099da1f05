"""A small collection for the report: four runs, of which each has more of the nugs than the next."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]
RUNS = ("best", "good", "fair", "poor")
NUGS = {"n1": "vital", "n2": "vital", "n3": "okay"}


def record(kind: str, **fields: Any) -> Record:
    return {"kind": kind, "v": 1, **fields}


def has(run: int, query: int, nug: int) -> bool:
    """Which run has which nug: the first all, the last nearly none."""
    return (nug + query) % 4 >= run


def fact(query: int, nug: int) -> str:
    return f"Fact {'abcdefghijklmnopqrstuvwxyz'[query % 26]}{nug} says that number {query * 10 + nug} counts."


def collection(
    queries: int = 6, *, runs: Sequence[str] = RUNS, texts: bool = True, judged: bool = True, filler: str = ""
) -> list[Record]:
    """Records with the conditions, texts, judgements with spans of evidence; filler: said in every answer."""
    records: list[Record] = [record("run", run_id=run_id) for run_id in runs]
    for q in range(1, queries + 1):
        query_id = f"q{q}"
        language = ("en", "de")[q % 2]
        records.append(
            record("query", query_id=query_id, text=f"What is number {q}?", conditions={"language": language})
        )
        records += [
            record("nug", query_id=query_id, nug_id=nug_id, descriptions=[fact(q, at)], importance=importance)
            for at, (nug_id, importance) in enumerate(NUGS.items())
        ]
        for r, run_id in enumerate(runs):
            sentences = [fact(q, at) for at in range(len(NUGS)) if has(r, q, at)]
            if texts:
                snippets = [
                    {"snippet_id": f"s{at}", "text": text} for at, text in enumerate([*sentences, filler or "No more."])
                ]
                records.append(record("response", query_id=query_id, run_id=run_id, snippets=snippets))
            for at, nug_id in enumerate(NUGS):
                if judged:
                    records.append(_judgement(query_id, run_id, nug_id, fact(q, at), sentences, texts=texts))
    return records


def _judgement(query_id: str, run_id: str, nug_id: str, wording: str, sentences: list[str], *, texts: bool) -> Record:
    found = wording in sentences
    made = record(
        "judgement", query_id=query_id, run_id=run_id, nug_id=nug_id, degree=float(found), judge="person",
        assessor="ann", status="ok",
    )  # fmt: skip
    if found and texts:
        made["evidence"] = {"snippet_id": f"s{sentences.index(wording)}", "span": [0, len(wording)]}
    return made


def save(path: Path, records: Iterable[Record]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def without(records: Iterable[Record], *kinds: str) -> list[Record]:
    return [each for each in records if each["kind"] not in kinds]
