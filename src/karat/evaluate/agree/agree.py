"""How much raters agree: on votes, judgements, relevance, relevant text, nuggets, nugs and citations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import PurePath
from typing import Any

import msgspec

from karat import __version__
from karat.evaluate.agree.coefficients import (
    MarkedText,
    NamedCoefficient,
    class_rows,
    label_rows,
    mark_rows,
    rare_category,
    text_rows,
)
from karat.evaluate.agree.rating_sheets import KINDS, Kind, RatingSheets
from karat.evaluate.tables.slices import check_fields, crossed, field_names
from karat.formats import open_reading
from karat.formats.inputs.inputs import Inputs
from karat.formats.inputs.reading import Input, OnError
from karat.measures.agreement.agreement import Sheet, Unit, pairs_with_shared_units, shared_units
from karat.model import Collection, Score, Signature, UnfitInput, UsageError
from karat.model.identity import key_setting
from karat.model.result import Result
from karat.model.wording import number_of
from karat.stats.intervals.unit_resampling import RESAMPLES

ALL = "all"
WITHIN = "votes_within_assessor"
MARKED = ("nuggets", "relevant_text", "nugs")
"""What is rated by marks or groups and not by labels."""
FEW_UNITS = 10
"""With fewer units in the rarest category intervals hold too seldom, and a note says so."""
Belongs = Callable[[Unit], bool]


class AgreementRow(msgspec.Struct, frozen=True, kw_only=True):
    """One coefficient."""

    what: str
    """What was rated: votes, judgements, ..."""
    coefficient: str
    pair: str
    """The two raters, or "all"."""
    part: str
    """FIELD=value, or "all"."""
    value: float | None
    low: float | None
    high: float | None
    units: int
    """How many units were rated by at least two of the raters."""
    raters: int
    reason: str | None
    """Why there is no value."""


class Agreement(Result, msgspec.Struct, frozen=True, kw_only=True):
    """All coefficients, with notes."""

    rows: tuple[AgreementRow, ...]
    notes: tuple[str, ...]
    settings: dict[str, str]
    """The settings in the signature."""

    def scores(self) -> list[Score]:
        """The rows as score records: the pair as run, the part as query."""
        scores: list[Score] = []
        for row in self.rows:
            measure = f"{row.what}.{row.coefficient}"
            signature = str(Signature(measure, self.settings))
            scores.append(
                Score(
                    run_id=row.pair, query_id=row.part, measure=measure, value=row.value, low=row.low, high=row.high,
                    n=row.units, undefined=int(row.value is None), signature=signature,
                )
            )  # fmt: skip
        return scores


def agree(
    *inputs: Input,
    kind: Kind | None = None,
    by: str | None = None,
    pairs: bool = False,
    assessor: str | None = None,
    with_programs: bool = False,
    on_error: OnError = "stop",
    seed: int = 0,
) -> Agreement:
    """How much the raters of the inputs agree.

    Raters are the assessors, judges and occasions named in the inputs; if two inputs have the same rater for the same
    unit, each input is a rater. kind: what to compare; by default everything that at least two raters rated.
    by: also compute agreement for each value of this field of the queries' conditions, or for each
    combination of several (`language,medium`). pairs: also for every pair of
    raters. assessor: only this rater with each of the others. with_programs: automatic nuggets (source auto, no
    assessor) count as a rater, too.

    >>> import karat
    >>> [row.coefficient for row in karat.agree(karat.demo_files().key).rows]
    ['percent_agreement', 'fleiss_kappa', 'krippendorff_alpha(level=nominal)', 'gwet_ac1']
    """
    readings = [open_reading(source) for source in inputs]
    names = input_names([reading.name for reading in readings])
    files = {
        name: Collection(Inputs([reading], on_error=on_error)) for name, reading in zip(names, readings, strict=True)
    }
    return agree_files(files, kind=kind, by=by, pairs=pairs, assessor=assessor, with_programs=with_programs, seed=seed)


def input_names(paths: Sequence[str]) -> list[str]:
    """A short name for each input: the name of the file, or its path if several files have the same name.

    >>> input_names(["one/a.jsonl", "two/a.jsonl", "b.jsonl"])
    ['one/a.jsonl', 'two/a.jsonl', 'b.jsonl']
    """
    short = [PurePath(path).name or path for path in paths]
    chosen = [name if short.count(name) == 1 else path for name, path in zip(short, paths, strict=True)]
    return [
        name if chosen.count(name) == 1 else f"{name}#{chosen[:position].count(name) + 1}"
        for position, name in enumerate(chosen)
    ]


def agree_files(
    files: Mapping[str, Collection],
    *,
    kind: Kind | None = None,
    by: str | None = None,
    pairs: bool = False,
    assessor: str | None = None,
    with_programs: bool = False,
    seed: int = 0,
) -> Agreement:
    """The same for collections, by the name of their file."""
    if kind is not None and kind not in KINDS:
        raise UsageError(f"kind={kind!r} is not one of {', '.join(KINDS)}")
    sheets = RatingSheets(files, with_programs=with_programs)
    key = Collection(record for file in files.values() for record in (*file.nugs, *file.votes))
    settings = key_setting(key.nugs, key.votes)
    return _Comparison(sheets, pairs=pairs, assessor=assessor, seed=seed, settings=settings).run(kind, by)


class _Comparison:
    def __init__(
        self, sheets: RatingSheets, *, pairs: bool, assessor: str | None, seed: int, settings: dict[str, str]
    ) -> None:  # fmt: skip
        self.sheets, self.pairs, self.assessor, self.seed = sheets, pairs, assessor, seed
        self.settings = settings
        self.notes = sheets.notes
        self.rows: list[AgreementRow] = []

    def run(self, kind: Kind | None, by: str | None) -> Agreement:
        parts = self._parts(by)
        few: list[str] = []
        raters: dict[str, None] = {}
        for what in KINDS if kind is None else (kind,):
            sheet = self.sheets.sheet(what)
            if not _is_shared(sheet):
                few.append(f"{what}: {_who_rated(sheet)}")
                continue
            raters |= dict.fromkeys(sheet)
            self._compare(what, sheet, parts)
            if what == "votes" and _is_shared(repeated := self.sheets.repeated_votes()):
                self._compare(WITHIN, repeated, parts)
        if self.assessor is not None and raters and not any(self._is_named(rater) for rater in raters):
            raise UsageError(f"no rater is called {self.assessor!r}; choose from {', '.join(raters)}")
        if not self.rows:
            raise UnfitInput(
                f"nothing was rated by two raters ({'; '.join(few)}); give the files of at least two raters"
                + "".join(f"\n{note}" for note in self.notes)
            )
        for row in self.rows:
            if row.value is None:
                where = ", ".join(name for name in (row.pair, row.part) if name != ALL)
                self.notes.append(f"{row.what}.{row.coefficient}{where and f' ({where})'} is undefined: {row.reason}")
        settings = self.settings | {"ci": "jackknife", "over": "queries", "b": str(RESAMPLES), "seed": str(self.seed)}
        settings |= {"by": by} if by is not None else {}
        settings |= {"assessor": self.assessor} if self.assessor is not None else {}
        return Agreement(rows=tuple(self.rows), notes=tuple(self.notes), settings=settings | {"v": __version__})

    def _parts(self, by: str | None) -> dict[str, Belongs]:
        """The parts to report on, each with whether a unit belongs to it."""
        if by is None:
            return {ALL: lambda unit: True}
        check_fields(by, sorted({name for fields in self.sheets.conditions.values() for name in fields}))
        slices: dict[str, set[str]] = {}
        for query_id, fields in self.sheets.conditions.items():
            slices.setdefault(crossed(by, fields), set()).add(query_id)
        parts: dict[str, Belongs] = {ALL: lambda unit: True}
        for name, queries in sorted(slices.items()):
            if any(field in self.sheets.conditions[query_id] for query_id in queries for field in field_names(by)):
                parts[name] = lambda unit, queries=queries: unit[0] in queries  # type: ignore[misc]
        return parts

    def _compare(self, what: str, sheet: Sheet[Any], parts: Mapping[str, Belongs]) -> None:
        two = len(sheet) == 2
        everyone = " ~ ".join(sheet) if two and what != WITHIN else ALL
        # Partitions are compared in pairs; for three raters there is little else.
        with_pairs = not two and what != WITHIN and (self.pairs or what == "nugs")
        rows_of = self._rows_of(what, sheet)
        for part, belongs in parts.items():
            chosen = {rater: {u: v for u, v in rated.items() if belongs(u)} for rater, rated in sheet.items()}
            if not _is_shared(chosen):
                self.notes.append(f"{what} ({part}): nothing was rated by two raters")
                continue
            if what not in MARKED and (rarest := rare_category(chosen)) is not None and rarest < FEW_UNITS:
                where = "" if part == ALL else f" ({part})"
                self.notes.append(
                    f"{what}{where}: the rarest label has only {number_of(rarest, 'unit')}; below {FEW_UNITS}, "
                    "95 % intervals of kappa and alpha may hold the true value in as few as 83 %"
                )
            if self.assessor is None:
                self._add(what, everyone, part, rows_of(chosen))
            if not with_pairs and self.assessor is None:
                continue
            met = pairs_with_shared_units(chosen)
            for left, right in combinations(sheet, 2):
                if (left, right) not in met:
                    continue
                if self.assessor is not None and not (self._is_named(left) or self._is_named(right)):
                    continue
                self._add(what, f"{left} ~ {right}", part, rows_of({left: chosen[left], right: chosen[right]}))

    def _is_named(self, rater: str) -> bool:
        """Whether a rater is the named assessor: `ann`, or `JUDGE/ann` and `ann/OCCASION`."""
        return rater == self.assessor or self.assessor in rater.split("/")

    def _rows_of(self, what: str, sheet: Sheet[Any]) -> Callable[[Sheet[Any]], Iterator[NamedCoefficient]]:
        """The function that computes the coefficients of a part of this sheet."""
        if what == "nuggets":
            text = MarkedText(sheet, self.sheets.texts)
            return lambda chosen: mark_rows(text, chosen, seed=self.seed)
        if what == "relevant_text":
            text = MarkedText(sheet, self.sheets.texts)
            return lambda chosen: text_rows(text, chosen, seed=self.seed)
        if what == "nugs":
            return lambda chosen: class_rows(chosen, seed=self.seed)
        categories = max(2, len({value for rated in sheet.values() for value in rated.values()}))
        return lambda chosen: label_rows(what, chosen, categories=categories, seed=self.seed)

    def _add(self, what: str, pair: str, part: str, named: Iterator[NamedCoefficient]) -> None:
        for row in named:
            result = row.coefficient
            self.rows.append(
                AgreementRow(
                    what=what, coefficient=row.name, pair=pair, part=part, value=result.value, low=result.low,
                    high=result.high, units=result.units, raters=result.raters, reason=result.reason,
                )
            )  # fmt: skip


def _is_shared(sheet: Mapping[str, Mapping[Unit, object]]) -> bool:
    return next(shared_units(sheet), None) is not None


def _who_rated(sheet: Sheet[Any]) -> str:
    if not sheet:
        return "none"
    if len(sheet) == 1:
        return f"only by {next(iter(sheet))}"
    return f"{len(sheet)} raters without a unit in common"
