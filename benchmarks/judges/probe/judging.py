"""The public road: a key and answers without labels, judged by `karat.judge`; what it says of each pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import karat
from karat.judges.registry import parse_judge
from karat.model import Collection, Judgement, Nug, Query, Response, Run, Snippet

Pair = tuple[str, str, str]
"""Query, run and nug."""
VETO_FIELDS = ("not_counted",)
"""Where a judge names what made it say no: in a judgement, or in its evidence."""


class Said(NamedTuple):
    """What a judge says about a pair."""

    full: float
    """The probability that the nug is contained in full."""
    score: float
    vetoes: tuple[str, ...]


class Answers:
    """Queries, nugs and answers, collected for one run of a judge."""

    def __init__(self) -> None:
        self.queries: dict[str, str] = {}
        self.nugs: dict[tuple[str, str], str] = {}
        self.responses: dict[tuple[str, str], Sequence[str]] = {}

    def add(self, query_id: str, run_id: str, answer: Sequence[str], nug_id: str, nug: str, *, query: str = "") -> Pair:
        self.queries[query_id] = query
        self.nugs[query_id, nug_id] = nug
        self.responses[query_id, run_id] = answer
        return query_id, run_id, nug_id

    def collection(self) -> Collection:
        runs = dict.fromkeys(run_id for _, run_id in self.responses)
        return Collection(
            [
                *(Query(query_id=query_id, text=text) for query_id, text in self.queries.items() if text),
                *(Run(run_id=run_id) for run_id in runs),
                *(Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,))
                  for (query_id, nug_id), text in self.nugs.items()),
                *(Response(query_id=query_id, run_id=run_id, snippets=tuple(_snippets(answer)))
                  for (query_id, run_id), answer in self.responses.items()),
            ]
        )  # fmt: skip

    def judged(self, judge: str) -> dict[Pair, Said]:
        """Every pair of a query, judged without labels."""
        parse_judge(judge)
        judging = karat.judge(self.collection(), judge=judge)
        return {(one.query_id, one.run_id, one.nug_id): said(one) for one in judging.judgements}


def said(judgement: Judgement) -> Said:
    probabilities = judgement.probabilities
    full = probabilities["1"] if probabilities else float(judgement.degree == 1)
    return Said(float(full), float(judgement.extra.get("score", full)), tuple(vetoes_of(judgement)))


def vetoes_of(judgement: Judgement) -> Iterable[str]:
    """The names of the vetoes that fired; nothing where the judge has none."""
    evidence = judgement.evidence.extra if judgement.evidence is not None else {}
    for fields in (judgement.extra, evidence):
        for name in VETO_FIELDS:
            value = fields.get(name)
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                yield from (str(word) for word in value)
            elif isinstance(value, list | tuple):
                yield from (str(word.get("kind", word)) if isinstance(word, dict) else str(word) for word in value)


def _snippets(answer: Sequence[str]) -> Iterable[Snippet]:
    return (Snippet(snippet_id=f"s{at}", text=sentence) for at, sentence in enumerate(answer, start=1))
