"""One cited text after the other: what its document says, and whether another document of the run says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from karat.evaluate.cite.cited import Cited
from karat.evaluate.cite.ledger import Evidence, Finding
from karat.evaluate.cite.people import Place, people_on
from karat.evaluate.cite.texts import cited_documents, listed_documents
from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.judges.citations.claims import split_claims
from karat.judges.citations.documents import Source
from karat.judges.citations.support import CitationJudge, Support
from karat.judges.lexical.key_terms import SPELLING
from karat.model import Collection
from karat.model import records as model_records

NEAR = 8
"""How many other documents are looked at for each level: those that have most of the words."""
TRIED = 2
"""How many of these are read: those whose passages have most of the words."""
HAS = 0.4
"""The least share of the words (by weight) that passages of another document must have to be read."""
WORDS_SHOWN = 5
"""How many of the words that a passage does not have are named."""
CREDIT = 0.5
"""The credit that is expected of another document (1 for full, 1/2 for partial support) to be called the right one."""


@dataclass
class Checker:
    """Checks cited texts, and looks in other documents of the run where the cited one does not say it."""

    collection: Collection
    texts: dict[str, Source]
    judge: CitationJudge
    _levels: dict[tuple[str, str], tuple[Sequence[str], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        of_runs: dict[str, dict[str, None]] = {}
        responses = [response for response in self.collection.responses if response.run_id != CANDIDATES]
        for response in responses:
            of_runs.setdefault(response.run_id, {}).update(dict.fromkeys(self._at_hand(cited_documents(response))))
        for response in responses:
            own = self._at_hand(cited_documents(response))
            listed = [doc_id for doc_id in self._at_hand(listed_documents(response)) if doc_id not in own]
            known = {*own, *listed}
            others = [doc_id for doc_id in of_runs[response.run_id] if doc_id not in known]
            self._levels[response.query_id, response.run_id] = own, listed, others

    def _at_hand(self, doc_ids: Sequence[str]) -> list[str]:
        return [doc_id for doc_id in doc_ids if doc_id in self.texts]

    def finding(self, cited: Cited, said: Mapping[Place, tuple[model_records.Support, ...]]) -> Finding:
        """The verdict on one cited text."""
        doc_id = cited.citation.doc_id
        found = Finding(
            query_id=cited.query_id, run_id=cited.run_id, snippet_id=cited.snippet_id, nugget_id=cited.nugget_id,
            doc_id=doc_id, citation_id=cited.citation.citation_id, text=cited.text, verdict="missing", probability=1.0,
            people=people_on(cited, said),
        )  # fmt: skip
        if doc_id not in self.texts:
            other = self._elsewhere(cited)
            nearest = None if other is None else _evidence(other)
            return replace(found, better=nearest, why="no text of the document is at hand")
        support = self.judge.support(cited.text, doc_id)
        other = None if support.is_full else self._elsewhere(cited)
        if other is not None and support.verdict == "absent":
            part = "" if other.is_full else "at least a part of "
            return replace(
                found, verdict="misattributed", probability=other.probabilities.full + other.probabilities.partial,
                probabilities=support.probabilities, evidence=_evidence(other),
                why=f"{other.doc_id} says {part}it, the cited document does not",
            )  # fmt: skip
        better = _evidence(other) if other is not None and other.is_full else None
        return replace(
            found, verdict=support.verdict, probability=support.probability, probabilities=support.probabilities,
            evidence=_evidence(support) if support.spans else None,
            better=better, why=_why(support),
        )  # fmt: skip

    def _elsewhere(self, cited: Cited) -> Support | None:
        """The document of the run that says a text: of the response, then of its list, then of the whole run."""
        forms = [form for sentence in split_claims(cited.text) for form in SPELLING.forms(sentence)]
        for level in self._levels[cited.query_id, cited.run_id]:
            others = [doc_id for doc_id in level if doc_id != cited.citation.doc_id]
            near = self.judge.sources.nearest(forms, others, most=NEAR, least=HAS)
            covered = {doc_id: self.judge.coverage(cited.text, doc_id) for doc_id in near}
            best = sorted((doc_id for doc_id in near if covered[doc_id] >= HAS), key=lambda doc_id: -covered[doc_id])
            supports = [self.judge.support(cited.text, doc_id) for doc_id in best[:TRIED]]
            enough = [support for support in supports if support.is_full or support.probabilities.credit > CREDIT]
            if enough:
                return max(enough, key=lambda support: support.probabilities.credit)
        return None


def _evidence(support: Support) -> Evidence:
    return Evidence(doc_id=support.doc_id, spans=support.spans, text=support.passage)


def _why(support: Support) -> str:
    if support.verdict == "verbatim":
        return "the same words in the same order"
    reasons = [support.objection] if support.objection is not None else []
    if not support.is_full and support.unfound:
        more = ", ..." if len(support.unfound) > WORDS_SHOWN else ""
        reasons.append(f"not in the passage: {', '.join(support.unfound[:WORDS_SHOWN])}{more}")
    return "; ".join(reasons)
