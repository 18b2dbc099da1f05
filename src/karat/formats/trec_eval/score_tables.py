"""What the score tables without a header share: columns, numbers, and names of measures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import Score

SCORE_CARRIES = carries(score="run_id query_id measure value extra")
"""What a table without a header can hold of a score; of `extra`, only the value of a measure that has no numbers."""
ALL = "all"
"""The topic that means all topics."""
VALUE_TEXT = "value"
"""The field of a score's `extra` for a value that is not a number, such as trec_eval's relstring."""

_TEXT_MEASURES = re.compile(r"relstring", re.IGNORECASE)
_MEASURE_WORD = re.compile(
    "acc|accuracy|ap|bertscore|bleu|bpref|comprehensiveness|coverage|dcg|err|f[1235]?|gain|gm|infap|infndcg|iprec|judged"
    "|lenient|macro|map|micro|mrr|ndcg|nerr|num|numq|numrel|numret|prec|precision|pyramid|rbp|recall|recip|relstring"
    "|rouge|rprec|rr|runid|score|setap|setf|setp|setr|strict|success|utility|vital|weighted"
)
_SHORT_MEASURE = re.compile(r"(p|r|f|alpha|compat|bpm|11pt)([_@(.].*)?", re.IGNORECASE)


def split_columns(line: str) -> list[str]:
    """The values of a line: separated by tabs if there are any, otherwise by blanks."""
    return [value.strip() for value in line.split("\t")] if "\t" in line.strip() else line.split()


def table_lines(head: Head) -> list[list[str]]:
    """The first lines as columns."""
    return [split_columns(line) for line in head.lines[:20]] if not head.shape else []


def all_numeric(rows: list[list[str]], column: int) -> bool:
    return all(is_number(row[column]) for row in rows)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def all_measures(rows: list[list[str]], column: int) -> bool:
    """Whether a column has names such as map, P_10, nDCG@10, F3 or strict_vital in every row."""
    return all(is_measure(row[column]) for row in rows)


def is_measure(name: str) -> bool:
    if _SHORT_MEASURE.fullmatch(name):
        return True
    words = [word for word in re.split(r"[^a-z0-9]+", re.split(r"[@(]", name.lower())[0]) if not word.isdigit()]
    return not is_number(name) and any(_MEASURE_WORD.fullmatch(word) for word in words)


class ScoreRows:
    """The scores of one file; two scores of the same run, topic and measure are a problem."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: set[tuple[str, str, str]] = set()

    def __call__(self, run_id: str, query_id: str, measure: str, value: str) -> Iterator[Score]:
        """The score in a line; `nan` is an undefined score."""
        self._source.query_id = query_id
        row = Fields(self._source, {"run": run_id, "topic": query_id, "measure": measure, "value": value})
        with row.unit():
            ids = row.id("run"), row.id("topic"), row.id("measure")
            extra = {}
            number: float | None = None
            if _TEXT_MEASURES.match(measure):
                extra[VALUE_TEXT] = value
            elif value.lower().lstrip("-+") != "nan":
                number = row.number("value")
            if ids in self._seen:
                row.bad("", f"run {run_id!r} has {measure!r} for topic {query_id!r} twice", code="duplicate-id")
            self._seen.add(ids)
            yield Score(run_id=run_id, query_id=query_id, measure=measure, value=number, extra=extra)


def value_text(score: Score, sink: Sink) -> str:
    """A score's value as text from which the same number is read; `nan` for an undefined score."""
    text = score.extra.get(VALUE_TEXT) if score.value is None else None
    is_text = isinstance(text, str) and _TEXT_MEASURES.match(score.measure) is not None
    if score.extra.keys() - ({VALUE_TEXT} if is_text else set()):
        sink.lose("score.extra")
    if is_text:
        return cell(str(text), "score.extra", sink)
    if score.value is None:
        return "nan"
    return repr(score.value).removesuffix(".0") if score.measure.startswith("num_") else repr(score.value)


def cell(text: str, what: str, sink: Sink) -> str:
    """A value as one cell of a tab-separated table."""
    flat = " ".join(text.split())
    if flat != text:
        sink.lose(what, "tabs, line breaks and repeated blanks become one blank")
    return flat or "-"
