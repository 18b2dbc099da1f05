"""Mistakes in what people annotated besides judgements: judged citations, and templates with their categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from karat.evaluate.lint.findings import Finding
from karat.model import AnyRecord, CitationJudgement, Nugget, Query, Response, Snippet, Template
from karat.model.identity import identity
from karat.nuggetizer.templates import load_templates

Place = tuple[str, int]
SnippetRef = tuple[str, str, str]


class AnnotationRules:
    """Takes records one by one; `findings` are known after the last one."""

    def __init__(self) -> None:
        self._cited: dict[SnippetRef, set[str]] = {}
        self._citing: set[tuple[str, str]] = set()
        """The responses that cite anything: files without citations do not say what was cited."""
        self._judged: list[tuple[CitationJudgement, Place]] = []
        self._repeated: list[Finding] = []
        self._defined: dict[str, Template] = {}
        self._templates: dict[str, tuple[str, Place]] = {}
        """query -> the template that it names, and where"""
        self._nuggets: list[tuple[str, str, str, Place]] = []

    def add(self, record: AnyRecord, place: Place) -> None:
        """Take a record and its place."""
        if isinstance(record, Response):
            for snippet in record.snippets:
                if snippet.citations:
                    self._citing.add((record.query_id, record.run_id))
                cited = self._cited.setdefault((record.query_id, record.run_id, snippet.snippet_id), set())
                cited.update(citation.doc_id for citation in snippet.citations)
                self._repeated.extend(_repeated_ids(record, snippet, place))
        elif isinstance(record, CitationJudgement):
            self._judged.append((record, place))
        elif isinstance(record, Query) and record.template is not None:
            self._templates[record.query_id] = record.template, place
        elif isinstance(record, Template):
            self._defined[record.template_id] = record
        elif isinstance(record, Nugget):
            for category in (record.category, record.secondary):
                if category is not None:
                    self._nuggets.append((record.query_id, record.nugget_id, category, place))

    def findings(self) -> Iterator[Finding]:
        yield from self._repeated
        yield from self._contradictions()
        yield from self._uncited()
        yield from self._unknown_templates()
        yield from self._categories()

    def _contradictions(self) -> Iterator[Finding]:
        """The same citation, judged by the same assessor in two ways."""
        first: dict[tuple[object, ...], tuple[CitationJudgement, Place]] = {}
        for judgement, place in self._judged:
            before, where = first.setdefault(identity(judgement), (judgement, place))
            if before.support != judgement.support:
                yield _finding(
                    judgement,
                    place,
                    "contradictory-citation",
                    f"{_name(judgement)}: {judgement.assessor} says {judgement.support} here, but {before.support} in "
                    f"{where[0]}:{where[1]}",
                )

    def _uncited(self) -> Iterator[Finding]:
        """A judged document that its snippet does not cite."""
        for judgement, place in self._judged:
            cited = self._cited.get((judgement.query_id, judgement.run_id, judgement.snippet_id))
            if cited is None or (judgement.query_id, judgement.run_id) not in self._citing:
                continue
            if judgement.doc_id not in cited:
                message = f"{_name(judgement)}: judged, but the snippet does not cite it"
                yield _finding(judgement, place, "uncited-judgement", message)

    def _unknown_templates(self) -> Iterator[Finding]:
        """A template that nobody defines, where the files define templates at all."""
        for query_id, (name, (file, line)) in self._templates.items() if self._defined else ():
            if name not in self._categories_by_template:
                message = f"it names the template {name!r}, which is not one of {', '.join(self._defined)}"
                yield Finding(file=file, line=line, query_id=query_id, code="unknown-template", message=message)

    def _categories(self) -> Iterator[Finding]:
        """A category of a nugget that the template of its question does not have."""
        for query_id, nugget_id, category, (file, line) in self._nuggets:
            name, _ = self._templates.get(query_id, ("", None))
            categories = self._categories_by_template.get(name)
            if categories and category not in categories:
                message = (
                    f"nugget {nugget_id}: {category!r} is no category of the template {name}; "
                    f"choose from {', '.join(categories)}"
                )
                yield Finding(file=file, line=line, query_id=query_id, code="unknown-category", message=message)

    @cached_property
    def _categories_by_template(self) -> dict[str, list[str]]:
        """The categories of each template; those of the files go before Karat's own."""
        known = {
            name: [*dict.fromkeys((*template.categories, *template.category.values()))] if template.categories else []
            for name, template in load_templates().items()
        }
        return known | {name: list(template.categories) for name, template in self._defined.items()}


def _repeated_ids(response: Response, snippet: Snippet, place: Place) -> Iterator[Finding]:
    ids = Counter(citation.citation_id for citation in snippet.citations if citation.citation_id is not None)
    for citation_id, times in ids.items():
        if times > 1:
            yield Finding(
                file=place[0],
                line=place[1],
                query_id=response.query_id,
                code="repeated-citation",
                message=f"run {response.run_id}, snippet {snippet.snippet_id}: {times} citations have the citation_id "
                f"{citation_id!r}",
            )


def _name(judgement: CitationJudgement) -> str:
    nugget = f", nugget {judgement.nugget_id}" if judgement.nugget_id is not None else ""
    citation = f", citation {judgement.citation_id}" if judgement.citation_id is not None else ""
    return f"run {judgement.run_id}, snippet {judgement.snippet_id}{nugget}, document {judgement.doc_id}{citation}"


def _finding(judgement: CitationJudgement, place: Place, code: str, message: str) -> Finding:
    return Finding(file=place[0], line=place[1], query_id=judgement.query_id, code=code, message=message)
