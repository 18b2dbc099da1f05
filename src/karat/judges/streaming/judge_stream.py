"""Judge any number of responses, a block of one query at a time: the judgements are those of `judge_collection`.

    1. read      all records once: the key is held, responses go to the disk, sorted by query (`Spool`)
    2. count     how many texts have each word, where the judge weighs words by their rarity; in chunks
    3. judge     a block of responses per chunk: scores, probabilities, judgements, as lines; in chunks

It is for programs that learn nothing from labels here: where people's judgements are among the inputs, or several
levels judge together, everything has to be held (`judge_collection`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.engines import Track, map_chunks
from karat.engines.cache import code_name, name_of
from karat.engines.job.kept_records import KeepRecords
from karat.formats.inputs.query_matching import ids_that_do_not_meet, nothing_to_judge
from karat.judges.base import Judge, Task
from karat.judges.cached_scores import CODE, LIBRARIES
from karat.judges.human.known_judgements import whole_text
from karat.judges.overlap.idf_file import check_idf, idf_settings
from karat.judges.pairs import judgeable_nugs
from karat.judges.registry import parse_judge
from karat.judges.streaming.blocks import Block, JudgeBlock, JudgedBlock
from karat.judges.streaming.spool import Spool
from karat.model import (
    AnyRecord,
    Collection,
    Judgement,
    Nug,
    Query,
    Response,
    Run,
    Signature,
    UnfitInput,
    Vote,
    encode_record,
)
from karat.model.codec import JudgementLine
from karat.model.identity import key_setting
from karat.model.wording import number_of
from karat.text.idf import CountedTexts, IdfTable, TextPool, text_counts
from karat.text.vocabulary import Spelling, Vocabulary

BLOCK = 256
"""Responses of a chunk at most. The borders are the same for every engine."""
TEXTS = 2000
"""Texts whose words are counted in a chunk."""


_CODE_OF_LINES = ("measures", "stats")
"""What the line of a judgement depends on besides its score: places in Karat."""


class HasLabels(Exception):
    """There are judgements among the records: the judge has to learn from them, or to reuse them."""


@dataclass
class StreamedJudging:
    """What to know about the judgements, when all of them were given out."""

    judgements: int = 0
    contained: int = 0
    folded: int = 0
    expected: float = 0.0
    expected_partly: float = 0.0
    notes: list[str] = field(default_factory=list)
    signature: str = ""


def can_stream(judge: str) -> bool:
    """Whether a program judges each response by itself: one that works in levels or costs something does not."""
    return not parse_judge(judge).works_together


@contextmanager
def judge_streamed(
    records: Iterable[AnyRecord],
    *,
    judge: str,
    threshold: float | None = None,
    idf: Callable[[Collection], IdfTable | None] = lambda key: None,
    floor: float | None = None,
    track: Track | None = None,
    jobs: int = 1,
    folder: str | Path | None = None,
) -> Iterator[tuple[Iterator[JudgementLine], StreamedJudging]]:
    """The judgements of all responses, one after the other, as the lines in which they are saved (`to_save`).

    records: the key and the responses, in any order (`StreamedInputs` gives them without holding responses). idf: makes
    the table of idf from the key, where one is wanted.
    folder: where the responses are put while this lasts; a temporary folder of the system where it is not given.

    Raises:
        HasLabels: there is a judgement among the records.
    """
    program, about = parse_judge(judge), StreamedJudging()
    with tempfile.TemporaryDirectory(prefix="karat-", dir=folder) as place, Spool(Path(place)) as spool:
        key = _key_of(records, spool)
        table = idf(key)
        check_idf(program, table)
        spool.arrange({nug.query_id for nug in key.nugs})
        if not spool.responses:
            if not key.nugs or not spool.unkeyed:
                raise nothing_to_judge(key)
            raise UnfitInput(ids_that_do_not_meet(key.key.query_ids, spool.unkeyed))
        about.notes += [f"query {query_id}: not in the key, left out" for query_id in spool.unkeyed]
        pool = None if table is not None else _pool(program, key, spool, jobs)
        yield _judged(program, key, spool, pool, table, threshold, floor, track, jobs, about), about


def _key_of(records: Iterable[AnyRecord], spool: Spool) -> Collection:
    """The key, which is held; the responses go to the disk."""
    held: list[AnyRecord] = []
    for record in records:
        if isinstance(record, Judgement):
            raise HasLabels
        if isinstance(record, Response):
            spool.add(record, whole_text(record))
        elif isinstance(record, Nug | Query | Vote | Run):
            held.append(record)
    return Collection(held)


class _Asked(TextPool):
    """Stands for a pool that is not counted yet, and remembers which spellings were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.spellings: set[Spelling] = set()

    def __bool__(self) -> bool:
        return True

    def idf(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        self.spellings.add(vocabulary.spelling)
        return np.ones(len(vocabulary.forms))


def _pool(program: Judge, key: Collection, spool: Spool, jobs: int) -> CountedTexts:
    """How many texts have each word, in the spellings that the judge uses."""
    asked = _Asked()
    if program.reads_idf:
        query_id = key.key.query_ids[0]
        program.matcher(Task(query_id, judgeable_nugs(key.key.of(query_id)), [], pool=asked))
    counts: dict[Spelling, Counter[str]] = {}
    for spelling in asked.spellings:
        counts[spelling] = Counter()
        chunks = ([whole_text(response) for response in some] for some in spool.new_texts(TEXTS))
        for counted in map_chunks(_Count(spelling), chunks, jobs=jobs):
            counts[spelling].update(counted)
    return CountedTexts(spool.texts, counts, spool.digest)


@dataclass(frozen=True)
class _Count:
    spelling: Spelling

    def __call__(self, texts: list[str]) -> Counter[str]:
        return text_counts(texts, self.spelling)


def _judged(
    program: Judge,
    key: Collection,
    spool: Spool,
    pool: CountedTexts | None,
    table: IdfTable | None,
    threshold: float | None,
    floor: float | None,
    track: Track | None,
    jobs: int,
    about: StreamedJudging,
) -> Iterator[JudgementLine]:
    nugs, texts = key.key, key.query_texts()
    queries = {query_id: judgeable_nugs(nugs.of(query_id)) for query_id in nugs.query_ids}
    blocks = (
        Block(query_id, texts.get(query_id, ""), tuple(map(encode_record, queries[query_id])), tuple(lines))
        for query_id, lines in spool.blocks(BLOCK)
    )
    work = JudgeBlock(program, pool, table, threshold, floor)
    notes: dict[str, None] = {}
    failures: Counter[str] = Counter()
    settings: dict[str, str] = {}
    kept = map_chunks(work, blocks, jobs=jobs, names=spool.names(BLOCK), track=track, keep=_kept(work))
    for judged in kept:
        about.judgements += judged.judgements
        about.contained += judged.contained
        about.folded += judged.folded
        about.expected += judged.expected
        about.expected_partly += judged.expected_partly
        notes |= dict.fromkeys(judged.notes)
        failures.update(judged.failures)
        settings = judged.settings
        for line in judged.lines.split(b"\n") if judged.lines else ():
            yield JudgementLine(line)
    if failed := sum(failures.values()):
        listed = "; ".join(f"{reason} ({count:,})" for reason, count in failures.most_common(3))
        counted = number_of(about.judgements, "judgement")
        notes[f"{failed:,} of {counted} failed, and scores leave them out: {listed}"] = None
    about.notes += notes
    first = Task("", (), (), pool=pool, idf=table)
    settings = program.settings() | idf_settings(program, [first]) | settings
    about.signature = str(Signature(program.name, settings | {"v": __version__} | key_setting(key.nugs, key.votes)))


def _kept(work: JudgeBlock) -> KeepRecords[Block, JudgedBlock]:
    def maker() -> bytes:
        source = work.idf if work.idf is not None else work.pool
        # Of a judge that does not read how rare words are, what is done stays valid where other texts change.
        said = source.content() if source is not None and work.program.reads_idf else []
        return name_of(
            code_name((*CODE, *_CODE_OF_LINES), LIBRARIES), str(work.program), repr((work.threshold, work.floor)), *said
        )

    def content(block: Block) -> list[str | bytes]:
        return [block.query_id, block.question, msgspec.msgpack.encode([block.nugs, block.responses])]

    return KeepRecords(JudgedBlock, maker=maker, content=content)
