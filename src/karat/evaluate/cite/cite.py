"""`karat.cite`: check every citation of some runs against the documents.

collection -> texts at hand             sources_of (texts.py)
responses -> cited texts                cited_texts (cited.py): snippets or chunks, and the nuggets in them
cited text, document -> support         CitationJudge (judges/citations): passage, probabilities, verdict
not (all) in the document -> elsewhere? documents of the same response, then of its list, then of the whole run
findings -> Ledger                      shares of verdicts per run, agreement with people, records
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat import __version__
from karat.engines import Track
from karat.evaluate.cite.checking import Checker
from karat.evaluate.cite.cited import Cited, cited_texts
from karat.evaluate.cite.ledger import Finding, Ledger, verdict_shares
from karat.evaluate.cite.people import compare_with_people, said_by_people
from karat.evaluate.cite.texts import Hints, named_documents, sources_of
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.judges.citations.documents import Source, Sources
from karat.judges.citations.support import CitationJudge
from karat.judges.registry import AUTO
from karat.model import Collection, Signature, UnfitInput
from karat.model.wording import number_of


def cite(
    *inputs: Input,
    judge: str = AUTO,
    on_error: OnError = "stop",
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
) -> Ledger:
    """Say for every citation whether the cited document says what the sentence says.

    inputs: runs with citations, and documents (paths, records, dicts, data frames), in any order; responses that carry
    their passages need no documents. judge: "semantic", "lexical", or "auto", the better one that is installed.
    runs, queries: only these, as if the inputs held no others; patterns work.

    The result prints as a table of verdicts per run. Its findings have the passage and why; `records()` are
    citation judgements for `karat.write` and `karat.score`.

    >>> import karat
    >>> documents = [{"doc_id": "d1", "text": "Engineers found cracks in two cables on Monday."}]
    >>> sentence = {"text": "On Monday engineers found cracks in two cables.", "citations": [0]}
    >>> answers = [{"run_id": "a", "topic_id": "q", "references": ["d1"], "answer": [sentence]}]
    >>> karat.cite(answers, documents, judge="lexical").findings[0].verdict
    'paraphrased'
    """
    return cite_collection(load(*inputs, on_error=on_error, runs=runs, queries=queries), judge=judge)


def cite_collection(collection: Collection, *, judge: str = AUTO, track: Track | None = None) -> Ledger:
    """Check every citation of a collection; see `cite`."""
    every = cited_texts(collection)
    if not every:
        raise UnfitInput(_nothing_cited(collection))
    cited = [each for each in every if not each.is_empty]
    texts = sources_of(collection)
    # A folder may hold a whole corpus: only what a run cites or lists is indexed.
    used = named_documents(collection)
    indexed = {doc_id: source for doc_id, source in texts.items() if doc_id in used}
    checker = Checker(collection, indexed, CitationJudge(Sources(indexed.values()), judge))
    said = said_by_people(collection)
    findings: list[Finding] = []
    parts: dict[tuple[str, str], list[Cited]] = {}
    for each in cited:
        parts.setdefault((each.run_id, each.query_id), []).append(each)
    names = [f"{run_id} {query_id}" for run_id, query_id in parts]
    for _, part in zip(track(names) if track is not None else names, parts.values(), strict=True):
        findings += [checker.finding(each, said) for each in part]
    compared = compare_with_people(findings)
    program = checker.judge
    signature = Signature("cite", {"judge": program.name, **program.settings(), "v": __version__})
    return Ledger(
        findings=tuple(findings),
        shares=tuple(verdict_shares(findings)),
        agreement=compared.kappa,
        agreed=compared.agreed,
        compared=compared.compared,
        judge=program.name,
        notes=(*_notes(findings, len(every) - len(cited), texts), *compared.notes, *_hints(findings, texts)),
        signature=str(signature),
    )


def _nothing_cited(collection: Collection) -> str:
    if not [response for response in collection.responses if response.run_id != CANDIDATES]:
        return "there are no responses: give the runs"
    return (
        "no snippet of these runs cites a document, so there is nothing to check; `karat show FILE` shows what was "
        "read, and `karat formats` which formats have citations"
    )


def _notes(findings: Sequence[Finding], empty: int, texts: dict[str, Source]) -> Iterator[str]:
    if empty:
        yield f"{number_of(empty, 'cited text')} without a word of content left out"
    cited = {finding.doc_id for finding in findings}
    gone = len(cited - texts.keys())
    if gone:
        yield (
            f"no text at hand for {gone:,} of {number_of(len(cited), 'cited document')}: give the documents as further "
            "files (`karat formats` has the formats)"
        )
    better = sum(finding.better is not None and finding.verdict == "partly" for finding in findings)
    if better:
        yield (
            f"{number_of(better, 'citation')} of the verdict partly: another document of the run says all of it "
            "(`better` in the records)"
        )
    queries: dict[str, set[str]] = {}
    for finding in findings:
        queries.setdefault(finding.run_id, set()).add(finding.query_id)
    if any(len(of_run) == 1 for of_run in queries.values()):
        yield "intervals of runs with one query are about its own citations, not about other queries"
    nuggets = sum(finding.nugget_id is not None for finding in findings)
    if nuggets:
        yield f"{number_of(nuggets, 'finding')} on nuggets are in the records and in --list; the table counts sentences"


def _hints(findings: Sequence[Finding], texts: dict[str, Source]) -> Iterator[str]:
    hints = Hints(texts)
    for doc_id in dict.fromkeys(finding.doc_id for finding in findings if finding.verdict == "missing"):
        near = hints.near(doc_id)
        if near is not None:
            # In quotation marks: two ids may differ in a blank.
            yield f"document {doc_id!r} is not at hand; did you mean {near!r}?"
