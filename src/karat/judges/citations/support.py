"""Does a document support a claim? Probabilities, a verdict, and the passage.

    verbatim         a passage has the words of the claim in order (`verbatim`)
    paraphrased      P(full) > 1/2, and nothing speaks against it
    partly           P(at least partial) > 1/2; or P(full) > 1/2, but something speaks against it
    absent           otherwise: the claim is not in the document

What speaks against full support: typed checks object to the best sentence (another number, name or date, a negation,
...), a number of the claim is nowhere in the document, or the claim denies something and the passage denies nothing. A
claim of several sentences is judged sentence by sentence: it is verbatim (paraphrased) if all are; absent if all are;
and otherwise partly. Its P(full) is the smallest and its P(at least partial) the greatest of its sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from karat.judges.citations.claims import Claim, read_claim, split_claims
from karat.judges.citations.documents import Source, Sources
from karat.judges.citations.features import Look, Reader, look_up
from karat.judges.citations.passages import find_passages
from karat.judges.citations.weights import Probabilities, load_weights
from karat.judges.registry import AUTO, default_judge
from karat.judges.semantic.checks import read_text
from karat.model import SpanSet, UsageError

Verdict = Literal["verbatim", "paraphrased", "partly", "absent", "misattributed", "missing"]
JUDGES = ("semantic", "lexical")
"""The judges that can check citations: both read words, `semantic` also their meaning."""
MIDDLE = 0.5


@dataclass(frozen=True)
class Support:
    """How well one document supports a claim."""

    doc_id: str
    verdict: Verdict
    probabilities: Probabilities
    spans: SpanSet
    """The passage in the document."""
    passage: str
    objection: str | None = None
    """What speaks against it, in words."""
    unfound: tuple[str, ...] = ()
    """The words that the passage does not have, the rarest first."""

    @property
    def is_full(self) -> bool:
        return self.verdict in ("verbatim", "paraphrased")

    @property
    def probability(self) -> float:
        """How probable the verdict's degree of support is: full, partial or none."""
        given = self.probabilities
        return given.full if self.is_full else given.partial if self.verdict == "partly" else given.none


class CitationJudge:
    """Looks claims up in documents; the same claim and document are looked up once."""

    def __init__(self, sources: Sources, judge: str = AUTO) -> None:
        name = default_judge() if judge == AUTO else judge
        if name not in JUDGES:
            raise UsageError(f"the judge {judge!r} cannot check citations; choose from {', '.join(JUDGES)}, {AUTO}")
        self.name, self.sources = name, sources
        self.curves, self.by_words = load_weights().judges[name], load_weights().judges["lexical"]
        self._reader = _load_reader() if name == "semantic" else None
        self._known: dict[tuple[str, str], Support] = {}

    def settings(self) -> dict[str, str]:
        """What its verdicts depend on, for a signature."""
        reader = {} if self._reader is None else {"reader": self._reader.entailment.version}
        return {"weights": load_weights().version, **reader}

    def support(self, text: str, doc_id: str) -> Support:
        """How well a document at hand supports a text."""
        key = text, doc_id
        if key not in self._known:
            self._known[key] = self._judged(text, self.sources.by_id[doc_id])
        return self._known[key]

    def coverage(self, text: str, doc_id: str) -> float:
        """The share of a text's words, by weight, that a few sentences of a document have: quick, without meaning."""
        source = self.sources.by_id[doc_id]
        shares = []
        for claim in self._claims(text):
            passages = find_passages(claim, source)
            has = passages.has[:, list(passages.union)].any(axis=1) | passages.title
            shares.append(float(claim.weights @ has))
        return sum(shares) / len(shares)

    def _claims(self, text: str) -> list[Claim]:
        return [read_claim(sentence, self.sources) for sentence in split_claims(text) or [text]]

    def _judged(self, text: str, source: Source) -> Support:
        parts = [(claim, look_up(claim, source, self._reader)) for claim in self._claims(text)]
        every = [self._probabilities(look) for _, look in parts]
        full, reached = min(part.full for part in every), max(part.partial + part.full for part in every)
        verdicts = [self._verdict(look, part, source, claim) for (claim, look), part in zip(parts, every, strict=True)]
        sentences = sorted({at for _, look in parts for at in look.sentences})
        return Support(
            source.doc_id,
            _together([verdict for verdict, _ in verdicts]),
            Probabilities(round(1 - reached, 4), round(reached - full, 4), full),
            SpanSet(source.spans[at] for at in sentences),
            " ... ".join(_runs(sentences, source)),
            next((objection for _, objection in verdicts if objection is not None), None),
            tuple(dict.fromkeys(word for _, look in parts for word in look.unfound)),
        )

    def _probabilities(self, look: Look) -> Probabilities:
        # What is verbatim is not read for its meaning: the curves by words are enough.
        return (self.by_words if look.verbatim else self.curves).probabilities(look.values)

    def _verdict(self, look: Look, chances: Probabilities, source: Source, claim: Claim) -> tuple[Verdict, str | None]:
        if look.verbatim:
            return "verbatim", None
        objection = _objection(look, source, claim)
        if chances.full > MIDDLE:
            return ("paraphrased", None) if objection is None else ("partly", objection)
        return ("partly" if chances.partial + chances.full > MIDDLE else "absent"), objection


def _objection(look: Look, source: Source, claim: Claim) -> str | None:
    """What speaks against full support; None where nothing does."""
    if look.conflict is not None:
        conflict = look.conflict
        return f'{conflict.kind}: "{conflict.nug_words}" here, "{conflict.evidence_words}" in the document'
    if look.values["negation"] > 0:
        denied = read_text(claim.text).negations[0]
        return f'negation: "{read_text(claim.text).words.lower[denied.place]}" here, nothing like it in the passage'
    if look.values["numbers_document"] > 0:
        gone = [claim.forms[at] for at in sorted(claim.numbers) if claim.forms[at] not in source.places]
        return f"number: {', '.join(gone)} {'is' if len(gone) == 1 else 'are'} nowhere in the document"
    return None


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of a claim from those of its sentences."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "paraphrased" if set(verdicts) <= {"verbatim", "paraphrased"} else "partly"


def _runs(sentences: Sequence[int], source: Source) -> list[str]:
    """The text of the passage; sentences that follow each other as they stand in the document."""
    runs: list[list[int]] = []
    for at in sentences:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return [source.text[source.spans[run[0]][0] : source.spans[run[-1]][1]] for run in runs]


@lru_cache
def _load_reader() -> Reader:
    from karat.language.encoder import load_encoder
    from karat.language.entailment import load_entailment

    return Reader(load_encoder(), load_entailment())
