"""Suggestions: what programs found, offered to people: automatic nuggets of passages, judgements of responses.

A program's nuggets of the same text in several runs are one suggestion, because people judge a text once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, select

from karat.campaign.store import tables
from karat.campaign.work.payloads import JudgementWork, NuggetWork
from karat.model import Evidence, Judgement, Nugget, SpanSet

if TYPE_CHECKING:
    from karat.campaign.material.loading import Loader, QueryEntry

_encode = msgspec.json.Encoder().encode
KEPT_RESPONSES = 256
"""For how many responses the passages are remembered."""


class Suggestions:
    """Turns automatic nuggets and judgements into suggestions; those that come before their response wait for it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._waiting: list[Nugget | Judgement] = []
        self._nuggets: dict[int, set[str]] = {}
        """The suggested nuggets by query, as they are stored."""
        self._degrees: dict[tuple[int, str], float] = {}
        """The highest degree by response and nug."""
        self._judges: Counter[str] = Counter()
        self._judgements: dict[tuple[int, str], dict[str, Any]] = {}
        self._passages: dict[int, dict[str, int]] = {}
        self._left_out: Counter[str] = Counter()

    def add_nugget(self, nugget: Nugget) -> None:
        if self._loader.rows.is_stopped:
            return
        number = self._response(nugget)
        if number is None:
            self._waiting.append(nugget)
        else:
            self._suggest_nugget(nugget, number)

    def add_judgement(self, judgement: Judgement) -> None:
        if judgement.degree is None:
            self._left_out["judgements that failed or are unknown"] += 1
            return
        if self._loader.rows.is_stopped:
            return
        self._judges[judgement.judge] += 1
        number, nug = self._response(judgement), self._nug(judgement)
        if number is None or nug is None:
            self._waiting.append(judgement)
        else:
            self._suggest_judgement(judgement, number, nug)

    def finish(self) -> None:
        """Everything is known now: what waited, and the best judgement of each pair, is written."""
        for record in self._waiting:
            number = self._response(record)
            if number is None:
                self._loader.problem(
                    f"{type(record).__name__.lower()} of run {record.run_id} for query {record.query_id}: the response "
                    "is neither in the files nor in the campaign"
                )
            elif isinstance(record, Nugget):
                self._suggest_nugget(record, number)
            elif (nug := self._nug(record)) is None:
                self._loader.problem(
                    f"judgement of nug {record.nug_id} for query {record.query_id}: the nug is neither in the files "
                    "nor in the key of the campaign"
                )
            else:
                self._suggest_judgement(record, number, nug)
        self._waiting = []
        if len(self._judges) > 1:
            self._loader.problem(
                f"the files have the judgements of several programs ({', '.join(self._judges)}); give those of one"
            )
        self._write_judgements()
        self._loader.notes += [f"left out: {what} ({count:,})" for what, count in self._left_out.items()]

    # Nuggets ----------------------------------------------------------------------------------------------------------

    def _suggest_nugget(self, nugget: Nugget, response: int) -> None:
        passage = self._passages_of(response).get(nugget.snippet_id)
        if passage is None:
            self._loader.problem(
                f"nugget {nugget.nugget_id} of query {nugget.query_id}: run {nugget.run_id} has no snippet "
                f"{nugget.snippet_id} with text"
            )
            return
        self.suggest_nugget(self._entry(nugget), passage, nugget)

    def suggest_nugget(self, entry: QueryEntry, passage: int, nugget: Nugget) -> None:
        """Suggest a nugget of a passage, unless the same one is suggested already."""
        work = NuggetWork(
            passage=passage,
            spans=nugget.spans,
            type=nugget.type,
            category=nugget.category,
            secondary=nugget.secondary,
            anchor=nugget.anchor,
            world_knowledge=nugget.world_knowledge,
            paraphrase=nugget.paraphrase,
            source="auto",
        )
        record = _encode(work).decode()
        known = self._nuggets_of(entry)
        if record in known:
            self._loader.present["suggestion"] += 1
            return
        known.add(record)
        details = {"nugget_id": nugget.nugget_id, "rule": nugget.rule}
        self._write(entry, "nugget", record, details, passage=passage)

    def _nuggets_of(self, entry: QueryEntry) -> set[str]:
        if entry.number not in self._nuggets:
            table = tables.suggestion
            query = select(table.c.record).where(table.c.query == entry.number, table.c.kind == "nugget")
            rows = () if entry.is_new else self._loader.connection.execute(query).scalars()
            self._nuggets[entry.number] = set(rows)
        return self._nuggets[entry.number]

    # Judgements -------------------------------------------------------------------------------------------------------

    def _suggest_judgement(self, judgement: Judgement, response: int, nug: str) -> None:
        """The degree of a response is the highest of its snippets."""
        assert judgement.degree is not None
        place = (response, nug)
        if judgement.degree <= self._degrees.get(place, -1.0):
            return
        self._degrees[place] = judgement.degree
        passage, spans = self._evidence(judgement, response)
        work = JudgementWork(
            response=response, nug=nug, degree=judgement.degree, evidence=spans, evidence_passage=passage
        )
        details = {
            "judge": judgement.judge,
            "probabilities": dict(judgement.probabilities),
            "words": list(judgement.evidence.words) if judgement.evidence is not None else [],
        }
        self._judgements[place] = {
            "entry": self._entry(judgement), "record": _encode(work).decode(), "details": details,
        }  # fmt: skip

    def _evidence(self, judgement: Judgement, response: int) -> tuple[int | None, SpanSet | None]:
        evidence = judgement.evidence or Evidence()
        snippet_id = judgement.snippet_id or evidence.extra.get("snippet_id")
        passage = self._passages_of(response).get(str(snippet_id)) if snippet_id is not None else None
        spans = evidence.spans
        if spans is None and isinstance(span := evidence.extra.get("span"), list):
            spans = SpanSet([span])
        return passage, spans if passage is not None else None

    def _write_judgements(self) -> None:
        """One suggestion per response and nug; a program's new judgement takes the place of an older one."""
        table = tables.suggestion
        responses = sorted({response for response, _ in self._judgements})
        for start in range(0, len(responses), 500):
            some = responses[start : start + 500]
            rows = self._loader.connection.execute(
                select(table.c.number, table.c.record).where(table.c.response.in_(some), table.c.kind == "judgement")
            ).all()
            replaced = []
            for row in rows:
                work = msgspec.json.decode(row.record)
                new = self._judgements.get((work["response"], work["nug"]))
                if new is not None and new["record"] == row.record:
                    del self._judgements[work["response"], work["nug"]]
                    self._loader.present["suggestion"] += 1
                elif new is not None:
                    replaced.append(row.number)
            if replaced:
                self._loader.rows.afterwards(delete(table).where(table.c.number.in_(replaced)))
        for (response, _), made in self._judgements.items():
            self._write(made["entry"], "judgement", made["record"], made["details"], response=response)

    # Where things are -------------------------------------------------------------------------------------------------

    def _entry(self, record: Nugget | Judgement) -> QueryEntry:
        return self._loader.queries[record.query_id]

    def _response(self, record: Nugget | Judgement) -> int | None:
        entry = self._loader.queries.get(record.query_id)
        found = None if entry is None else self._loader.responses_of(entry).get(record.run_id)
        return None if found is None else found[0]

    def _nug(self, judgement: Judgement) -> str | None:
        entry = self._loader.queries.get(judgement.query_id)
        found = None if entry is None else self._loader.nugs_of(entry).get(judgement.nug_id)
        return None if found is None else f"key:{found[0]}"

    def _passages_of(self, response: int) -> dict[str, int]:
        """The passages of a response by snippet."""
        if (new := self._loader.new_passages.get(response)) is not None:
            return new
        if response not in self._passages:
            if len(self._passages) >= KEPT_RESPONSES:
                self._passages.clear()
            table = tables.occurrence
            rows = self._loader.connection.execute(select(table).where(table.c.response == response))
            self._passages[response] = {row.snippet_id: row.passage for row in rows}
        return self._passages[response]

    def _write(
        self, entry: QueryEntry, kind: str, record: str, details: dict[str, Any], *,
        passage: int | None = None, response: int | None = None,
    ) -> None:  # fmt: skip
        said = {name: value for name, value in details.items() if value}
        self._loader.added["suggestion"] += 1
        self._loader.rows.write(tables.suggestion, {
            "number": self._loader.rows.number(tables.suggestion), "query": entry.number, "kind": kind,
            "passage": passage, "response": response, "record": record, "details": _encode(said).decode(),
        })  # fmt: skip
