"""TREC Temporal Summarization runs: sentences sent to the user, `topic team run docid sentence_id time confidence`.

11 some-team run1 1326500000-0123456789abcdef0123456789abcdef 7 1326503600 0.5
In the released files, columns are separated by blanks; Karat writes tabs. The topic is only a number: see
tempsumm_tables.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import are_words, number_text
from karat.model import AnyRecord, Citation, Collection, Response, Run, Snippet

TITLE = "TREC Temporal Summarization run"
CARRIES = carries(
    run="run_id group",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id snippets.citations.time",
)
COLUMNS = "topic team run docid sentence_id decision_time confidence"
NO_TEAM = "-"
_NUMBER = r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
_SURE_ROW = re.compile(rf"\S+\s+\S+\s+\S+\s+\d{{9,}}-\S+\s+\d+\s+\d{{9,}}(?:\.\d*)?\s+{_NUMBER}")


def sniff_tempsumm_run(head: Head) -> bool:
    return bool(head.lines) and all(_SURE_ROW.fullmatch(line.strip()) for line in head.lines[:20])


def run_names(entries: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A run_id for each (team, run): the run's name, or TEAM-RUN if several teams used the same name."""
    pairs = list(dict.fromkeys(entries))
    times = Counter(run for _, run in pairs)
    return {(team, run): run if times[run] == 1 else f"{team}-{run}" for team, run in pairs}


def read_tempsumm_run(source: Source) -> Iterator[AnyRecord]:
    """The Runs, and one Response per topic and run with one snippet per row, without text, which is not in the file.

    The id of a snippet is its update_id, `docid-sentence_id`. A run may send a sentence again, and the official
    scores count it every time: the second one is `docid-sentence_id#2`.
    """
    sent: dict[tuple[str, str, str], list[Snippet]] = {}
    times: Counter[tuple[str, str, str, str]] = Counter()
    for line in source.text_lines():
        values = line.split()
        if not values:
            continue
        if len(values) != 7:
            source.report("", f"the row has {len(values)} values for the 7 columns {COLUMNS}", code="bad-table")
            continue
        topic, team, run, doc_id, sentence_id, time, confidence = values
        source.query_id = topic
        update_id = f"{doc_id}-{sentence_id}"
        times[topic, team, run, update_id] += 1
        extra: dict[str, object] = {"sentence_id": sentence_id}
        if (number := _number(source, "confidence", confidence)) is not None:
            extra["confidence"] = number
        known_time = time if _number(source, "decision_time", time) is not None else None
        snippet = Snippet(
            snippet_id=_nth(update_id, times[topic, team, run, update_id]),
            text="",
            citations=(Citation(doc_id=doc_id, time=known_time),),
            extra=extra,
        )
        sent.setdefault((topic, team, run), []).append(snippet)
    names = run_names((team, run) for _, team, run in sent)
    for (team, _), run_id in names.items():
        yield Run(run_id=run_id, group=None if team == NO_TEAM else team)
    for (topic, team, run), snippets in sent.items():
        yield Response(query_id=topic, run_id=names[team, run], snippets=tuple(snippets))


def _number(source: Source, name: str, value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        source.report(name, f"must be a number, not {value!r}", code="wrong-type")
        return None
    return number


def _nth(update_id: str, number: int) -> str:
    return update_id if number == 1 else f"{update_id}#{number}"


def write_tempsumm_run(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    teams = {run.run_id: run.group or NO_TEAM for run in collection.runs}
    for _ in teams.keys() - {response.run_id for response in collection.responses if response.snippets}:
        sink.lose("run", "it has sent nothing, so it has no rows")
    for response in collection.responses:
        if not response.snippets:
            sink.lose("response", "an empty response has no rows")
        times: Counter[str] = Counter()
        start = (response.query_id, teams.get(response.run_id, NO_TEAM), response.run_id)
        for snippet in response.snippets:
            row = _row(snippet)
            if row is None or not are_words(*start, *row):
                sink.lose(
                    "response.snippets", "a row needs document, sentence, time and confidence, all without blanks"
                )
                continue
            update_id = f"{row[0]}-{row[1]}"
            times[update_id] += 1
            if snippet.snippet_id != _nth(update_id, times[update_id]):
                sink.lose(
                    "response.snippets.snippet_id", "the id is made from document and sentence when the file is read"
                )
            if snippet.text:
                sink.lose("response.snippets.text", "the file has the ids of sentences, not their text")
            if snippet.extra.keys() - {"sentence_id", "confidence"}:
                sink.lose("response.snippets.extra", "only sentence_id and confidence can be written")
            sink.write("\t".join((*start, *row)) + "\n")


def _row(snippet: Snippet) -> tuple[str, str, str, str] | None:
    """The last four columns of a snippet's row; None if one is not known."""
    citation = snippet.citations[0] if snippet.citations else None
    sentence_id, confidence = snippet.extra.get("sentence_id"), snippet.extra.get("confidence")
    if citation is None or citation.time is None or not isinstance(sentence_id, str):
        return None
    if not isinstance(confidence, int | float) or isinstance(confidence, bool):
        return None
    return citation.doc_id, sentence_id, citation.time, number_text(confidence)
