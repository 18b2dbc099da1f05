"""Inputs of which no response is held, however many there are; they can be gone through again and again.

    1. hashes        of all responses and documents, and of the responses that other records name: 8 bytes each
    2. definitions   as for all inputs, but of a response or document only if it is there twice or is named
    3. records       checked, one file after the other
    4. ...           the same once more, whenever somebody asks

What a response that occurs once and that nothing names is like, no check needs to know. So the records, and what is
said to be wrong with them, are the same as those of `Inputs`. Files of other formats are not held either, but read
again; how much of such a file its reader holds depends on the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.inputs.inputs import Inputs
from karat.formats.inputs.query_matching import plain_question
from karat.formats.inputs.reading import BATCH, Reading
from karat.formats.inputs.repeats import Hashes
from karat.formats.io.definitions import Definitions
from karat.formats.io.rows import Batch, in_pieces
from karat.model import (
    AnyRecord,
    CitationJudgement,
    Document,
    Judgement,
    Nug,
    Nugget,
    Query,
    Relevance,
    Response,
    Reviewed,
)
from karat.model.identity import identity

_Namers = CitationJudgement | Judgement | Nugget | Relevance | Reviewed
"""Records about a snippet, which the response must have."""


class StreamedInputs(Inputs):
    """Iterate to get the records, as from `Inputs`; afterwards, `again` gives the same records."""

    def again(self) -> Iterator[AnyRecord]:
        """The records once more. What is wrong with them is not listed twice."""
        said = self.problems, self.warnings, self.unlisted
        # Empty at first, so that a file that has changed since and is wrong now stops the work.
        self.problems, self.warnings = [], []
        self._reference_problems.clear()
        try:
            for batch in self._gathered():
                yield from batch.records
        finally:
            self.problems, self.warnings, self.unlisted = said

    def _no_definitions(self) -> Definitions:
        meeting = _meeting(batch for number in range(len(self.readings)) for batch in self._read(number))
        names = [reading.name for reading in self.readings]
        return Definitions(names, matters=None if meeting is None else meeting.__contains__)

    def _take_whole(self, reading: Reading, number: int) -> None:
        first = 0
        for batch in in_pieces(reading, reading.source, size=BATCH):
            self._note(batch, number, first=first)
            first += len(batch.records)

    def _whole(self, number: int) -> Iterable[tuple[int, Batch]]:
        reading, first = self.readings[number], 0
        for batch in in_pieces(reading, reading.source, size=BATCH):
            yield first, batch
            first += len(batch.records)


class _Meeting:
    """The definitions that can meet another record: all but responses and documents that are there once, unnamed."""

    def __init__(self, hashes: frozenset[int]) -> None:
        self._hashes = hashes

    def __contains__(self, record: AnyRecord) -> bool:
        if not isinstance(record, Response | Document):
            return True
        return hash((type(record), *identity(record))) in self._hashes


def _meeting(batches: Iterable[Batch]) -> _Meeting | None:
    """None: all of them, because a query has another id than the query of the key that asks the same."""
    defined, named = Hashes(), Hashes()
    keyed: set[str] = set()
    questions: dict[str, str] = {}
    for batch in batches:
        # Plain judgements name no snippets.
        for record in () if batch.is_plain else batch.records:
            if isinstance(record, Response):
                defined.add((Response, *identity(record)))
            elif isinstance(record, Document):
                defined.add((Document, *identity(record)))
            elif isinstance(record, Nug):
                keyed.add(record.query_id)
            elif isinstance(record, Query):
                questions[record.query_id] = plain_question(record.text)
            elif isinstance(record, _Namers) and record.snippet_id is not None:
                named.add((Response, record.query_id, record.run_id or ""))
    of_key = {question for query_id, question in questions.items() if query_id in keyed and question}
    if any(question in of_key for query_id, question in questions.items() if query_id not in keyed):
        return None
    return _Meeting(defined.repeated() | defined.among(named))
