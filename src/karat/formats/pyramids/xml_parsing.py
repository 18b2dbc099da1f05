"""Reading the <pyramid> element, which pyramids (.pyr) and peer annotations (.pan) share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from karat.formats.annotation.annotated_text import moved, pieces_of, spans_in
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.io.xml import Element
from karat.model import AnyRecord, Member, Nug, Nugget, Response, Run, Snippet, SpanSet

GAP = "..."
"""The text between the parts of a contributor in its label."""
MAX_EXPRESSION = 200
MAX_REPEATS = 12
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")


def root_tag(head: Head) -> str:
    """The name of the first element; declarations and instructions begin with <! and <?."""
    root = _ROOT.search(head.text) if head.text.lstrip().startswith("<") else None
    return root[1] if root else ""


@dataclass(frozen=True, slots=True)
class SummaryText:
    """One summary of the joined text: its region, and its own text without the blank lines around it."""

    run_id: str
    region: tuple[int, int]
    start: int
    text: str

    @classmethod
    def cut(cls, run_id: str, whole: str, start: int, end: int) -> SummaryText:
        text = whole[start:end]
        body = text.lstrip("\n")
        return cls(run_id, (start, end), start + len(text) - len(body), body.rstrip("\n"))

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a span of the joined text is inside this summary."""
        return self.region[0] <= span[0] and span[1] <= self.region[1]

    def response(self, query_id: str) -> Response:
        snippets = (Snippet(snippet_id="1", text=self.text),) if self.text else ()
        return Response(query_id=query_id, run_id=self.run_id, snippets=snippets)


def text_of(element: Element) -> str:
    """The lines of the <text> joined by newlines: offsets are positions in it."""
    text = element.first("text")
    return "\n".join(line.text for line in text.all("line")) if text is not None else ""


def split_summaries(source: Source, element: Element) -> tuple[str, list[SummaryText]]:
    """The whole text, and its summaries: each begins where <startDocumentRegEx> matches (it may match several lines).

    The run's name is the heading without its lines of dashes; summaries without a name are numbered.
    """
    whole = text_of(element)
    headings = _headings(source, element, whole)
    if not headings:
        return whole, [SummaryText.cut("1", whole, 0, len(whole))] if whole.strip() else []
    if whole[: headings[0].start()].strip():
        source.warn("text", "the text before the first summary is left out", code="outside-summaries")
    summaries: list[SummaryText] = []
    ends = [heading.start() for heading in headings[1:]] + [len(whole)]
    for number, (heading, end) in enumerate(zip(headings, ends, strict=True), start=1):
        name = " ".join(line.strip() for line in heading[0].split("\n") if re.search(r"\w", line)) or str(number)
        if any(summary.run_id == name for summary in summaries):
            source.warn(
                "text", f"two summaries have the name {name!r}; a number is added to the second", code="duplicate-id"
            )
            name = f"{name}-{number}"
        summaries.append(SummaryText.cut(name, whole, heading.end(), end))
    return whole, summaries


def _repeats(expression: str) -> int:
    return sum(expression.count(sign) for sign in "*+{")


def _headings(source: Source, element: Element, whole: str) -> list[re.Match[str]]:
    expression = element.first("startDocumentRegEx")
    if expression is None or not expression.text.strip():
        return []
    if (
        len(expression.text) > MAX_EXPRESSION
        or _REPEATED_GROUP.search(expression.text)
        or _repeats(expression.text) > MAX_REPEATS
    ):
        # Such an expression from an unknown file could take forever.
        message = "the regular expression is too long, repeats a group, or has too many repetitions, so it is not used"
        source.report("startDocumentRegEx", message, code="bad-value", line=expression.line)
        return []
    try:
        pattern = re.compile(expression.text, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"is not a regular expression: {error}"
        source.report("startDocumentRegEx", message, code="bad-value", line=expression.line)
        return []
    return [match for match in pattern.finditer(whole) if match[0]]


def read_contributor(
    source: Source, element: Element, path: str, whole: str, summaries: Sequence[SummaryText]
) -> tuple[SummaryText, SpanSet, dict[str, Any]]:
    """The summary of a contributor, its spans in it, and its other attributes; BadUnit if it is broken."""
    parts_by_run: dict[str, tuple[SummaryText, list[tuple[int, int]]]] = {}
    parts = list(element.all("part")) or [element]
    for index, part in enumerate(parts):
        source.line = part.line
        place = Fields(source, dict(part.attributes), path if part is element else f"{path}.part[{index}]")
        pair = [place.integer("start"), place.integer("end")]
        # DUCView is a Java program, so it counts UTF-16 units.
        (span,) = spans_in(place, "", [pair], whole, stated=place.optional_text("label") or None, utf16=True)
        summary = next((summary for summary in summaries if summary.holds(span)), None)
        if summary is None:
            place.bad("", f"{pair[0]}-{pair[1]} is not inside one summary", code="span-outside")
        parts_by_run.setdefault(summary.run_id, (summary, []))[1].append(span)
    source.line = element.line
    fields = Fields(source, dict(element.attributes), path)
    if len(parts_by_run) > 1:
        fields.bad("", f"has parts in several summaries: {', '.join(parts_by_run)}", code="span-outside")
    summary, pairs = next(iter(parts_by_run.values()))
    kept = SpanSet(pairs).intersection(SpanSet([(summary.start, summary.start + len(summary.text))]))
    if not kept:
        fields.bad("", "covers only blank lines", code="span-outside")
    spans = moved(kept, -summary.start)
    extra = fields.rest("start", "end", "label")
    label = element.attributes.get("label")
    if label and _bare(label) != _bare("".join(pieces_of(spans, summary.text))):
        extra["label"] = label
    return summary, spans, extra


def _bare(label: str) -> str:
    """A label without blanks and without the dots between parts, which differ between programs."""
    return "".join(label.replace(GAP, "").split())


def read_pyramid_element(source: Source, element: Element, query_id: str) -> Iterator[AnyRecord]:
    """One human Run and Response per summary, one Nugget per contributor and one Nug per SCU."""
    whole, summaries = split_summaries(source, element)
    for summary in summaries:
        yield Run(run_id=summary.run_id, human=True)
        yield summary.response(query_id)
    seen: set[str] = set()
    for index, scu in enumerate(element.all("scu")):
        source.line = scu.line
        path = f"scu[{index}]"
        fields = Fields(source, dict(scu.attributes), path)
        with fields.unit():
            uid = fields.id("uid")
            label = fields.text("label")
            if uid in seen:
                fields.bad("uid", f"an earlier SCU has the uid {uid!r}, too", code="duplicate-id")
            seen.add(uid)
            for child in scu.children:
                if child.tag != "contributor":
                    source.warn(path, f"<{child.tag}> is not read", code="unknown-element", line=child.line)
            nuggets: list[Nugget] = []
            for number, contributor in enumerate(scu.all("contributor"), start=1):
                with Fields(source, {}, path).unit():
                    place = f"{path}.contributor[{number - 1}]"
                    summary, spans, extra = read_contributor(source, contributor, place, whole, summaries)
                    nuggets.append(
                        Nugget(
                            nugget_id=f"{uid}.{number}",
                            query_id=query_id,
                            run_id=summary.run_id,
                            snippet_id="1",
                            spans=spans,
                            source="person",
                            extra=extra,
                        )
                    )
            yield from nuggets
            yield Nug(
                query_id=query_id,
                nug_id=uid,
                descriptions=(label,),
                weight=float(len({nugget.run_id for nugget in nuggets})) if nuggets else None,
                members=tuple(Member(nugget_id=nugget.nugget_id) for nugget in nuggets),
                extra=fields.rest(),
            )
