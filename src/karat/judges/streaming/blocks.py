"""What a worker does with a block of responses to one query: all steps from their texts to lines of judgements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import msgspec

from karat.judges.base import Judge, Task
from karat.judges.calibration.calibrate import calibrate
from karat.judges.human.judging_notes import no_text_note
from karat.judges.judge import Judging
from karat.judges.judgements.made import REASON, judgements_of
from karat.judges.judgements.saved import to_save
from karat.judges.overlap.idf_file import idf_settings
from karat.judges.pairs import matching_notes, pairs_of
from karat.judges.streaming.spool import responses_of
from karat.measures.cases.saved_fields import IDF
from karat.model import Nug, decode_record, encode_record
from karat.text.idf import IdfTable, TextPool


class Block(msgspec.Struct, frozen=True):
    """Responses to one query, and its nugs, as lines of JSON: they are sent as they are, and read by the worker."""

    query_id: str
    question: str
    nugs: tuple[bytes, ...]
    responses: tuple[bytes, ...]


class JudgedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The judgements of a block as lines of JSON, and what is counted over all blocks."""

    lines: bytes
    judgements: int
    contained: int
    folded: int
    expected: float
    expected_partly: float
    notes: tuple[str, ...]
    failures: dict[str, int]
    settings: dict[str, str]
    """What the calibration adds to the signature."""


@dataclass(frozen=True)
class JudgeBlock:
    """Judges blocks; a worker gets it once, with the counts of words in it, and keeps it."""

    program: Judge
    pool: TextPool | None
    idf: IdfTable | None
    threshold: float | None
    floor: float | None

    def __call__(self, block: Block) -> JudgedBlock:
        program = self.program
        nugs = [nug for line in block.nugs if isinstance(nug := decode_record(line), Nug)]
        task = Task(block.query_id, nugs, responses_of(block.responses), block.question, {}, self.pool, self.idf)
        pairs = pairs_of([task], program)
        calibrated = calibrate(pairs, program, threshold=self.threshold)
        rates = calibrated.error_rates(pairs)
        judgements = tuple(judgements_of(pairs, calibrated.probabilities(pairs), program, error_rates=rates))
        failed = Counter(str(each.extra.get(REASON, "no reason given")) for each in judgements if each.status != "ok")
        sizes = {"sigma": f"{calibrated.sigma:.2f}", "run_sigma": f"{calibrated.run_sigma:.2f}"}
        named = idf_settings(program, [task]).get(IDF, "")
        judging = Judging(judgements, (), calibrated.sigma, calibrated.run_sigma, "", calibrated.common, named)
        saved = to_save(judging, floor=self.floor)
        return JudgedBlock(
            lines=b"\n".join(map(encode_record, saved.judgements)),
            judgements=len(judgements),
            contained=sum(judgement.degree == 1 for judgement in judgements),
            folded=saved.folded,
            expected=saved.expected,
            expected_partly=saved.expected_partly,
            notes=(*no_text_note([task], program), *matching_notes(pairs), *calibrated.notes),
            failures=dict(failed),
            settings=calibrated.calibration.settings() | sizes,
        )
