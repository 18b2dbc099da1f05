"""Extra fields in a program's saved judgements, and how they are read.

The first judgement saved for each response has more fields:

- `error_sigma`, [of a response, of a run]: how strongly the judge's errors are correlated, so that a score of saved
  judgements has the same interval as a score of fresh ones;
- `common_error`, {nug, query, calibration, freedom}: the same of errors that all runs share (`CommonErrors`);
- `idf`: where the rarity of words comes from, for the signature of the scores;
- `below_floor`, {nug_id: [P(at least partial), P(full)]}: the judgements of the response whose probabilities are too
  small for a line each. Scores count them like the others (`unfolded`), so that a floor changes no score.

A judgement whose probabilities do not say how often the judge is wrong has the field `error_rates`: a hard decision,
with the probabilities of none, partial and full that people's labels give such decisions; {} where nobody measured
them, as for credits that are no probabilities. `below_floor_rates` is the same of the folded judgements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

import msgspec

from karat.model import AnyRecord, Judgement, Nug, UnfitInput

Level = Literal["0", "0.5", "1"]
SIGMAS = "error_sigma"
COMMON = "common_error"
_NOT_COMMON = (
    f"{COMMON} of a judgement is not {{nug, query, calibration, freedom}}: nug and query are shares from 0 to 1, "
    "calibration is a matrix of 3 x 3 numbers, freedom is above 2"
)
IDF = "idf"
FOLDED = "below_floor"
ERROR_RATES = "error_rates"
FOLDED_RATES = "below_floor_rates"
NOT_SCORED = frozenset({"score", "level", "not_counted"})
"""What a program says about a judgement and no score reads: the raw score, the level of a cascade, and what was not
counted. Millions of judgements are held without it where only scores are wanted."""


@dataclass(frozen=True)
class Decided:
    """A degree with its probabilities."""

    degree: float
    probabilities: dict[Level, float]


def decided(at_least: float, full: float) -> Decided:
    """From P(at least partial) and P(full), rounded as they are saved: what is more probable than not."""
    # -0.0 is 0.0.
    return _decided(round(at_least, 4) + 0.0, round(full, 4) + 0.0)


@lru_cache(maxsize=1 << 15)
def _decided(at_least: float, full: float) -> Decided:
    """Of a million judgements many have the same probabilities: they share one object."""
    probabilities: dict[Level, float] = {"0": round(1 - at_least, 4), "0.5": round(at_least - full, 4), "1": full}
    return Decided(1.0 if full >= 0.5 else 0.5 if at_least >= 0.5 else 0.0, probabilities)


def nug_places(nugs: Iterable[Nug]) -> dict[tuple[str, str], int]:
    """The place of each nug in the key, by query and nug."""
    return {(nug.query_id, nug.nug_id): at for at, nug in enumerate(nugs)}


def unfolded(
    judgements: Sequence[Judgement], *, nugs: Iterable[Nug] = (), place: Mapping[tuple[str, str], int] | None = None
) -> list[Judgement]:
    """The judgements with those that were folded below a floor. place: `nug_places` of the nugs, where it is at hand.

    Those of a response are in the order of the nugs, as before saving: random draws follow this order.
    """
    carriers = [judgement for judgement in judgements if FOLDED in judgement.extra]
    if not carriers:
        return list(judgements)
    cells: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in judgements:
        cells.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
    place = nug_places(nugs) if place is None else place
    for carrier in carriers:
        judged = cells[carrier.query_id, carrier.run_id]
        judged += _folded_in(carrier)
        judged.sort(key=lambda judgement: place.get((judgement.query_id, judgement.nug_id), len(place)))
    return [judgement for judged in cells.values() for judgement in judged]


def each_unfolded(records: Iterable[AnyRecord]) -> Iterator[AnyRecord]:
    """The records as they come; every judgement that was folded below a floor becomes a record again."""
    for record in records:
        if isinstance(record, Judgement) and FOLDED in record.extra:
            extra = {name: value for name, value in record.extra.items() if name not in (FOLDED, FOLDED_RATES)}
            yield msgspec.structs.replace(record, extra=extra)
            yield from _folded_in(record)
        else:
            yield record


def _folded_in(carrier: Judgement) -> list[Judgement]:
    try:
        pairs = {
            str(nug_id): (float(at_least), float(full)) for nug_id, (at_least, full) in carrier.extra[FOLDED].items()
        }
    except (AttributeError, TypeError, ValueError):
        pairs = {"": (-1.0, -1.0)}
    if not all(0.0 <= full <= at_least <= 1.0 for at_least, full in pairs.values()):
        raise UnfitInput(
            f"query {carrier.query_id}, run {carrier.run_id}: {FOLDED} is not "
            "{nug_id: [P(at least partial), P(full)]}"
        )
    extra = {ERROR_RATES: carrier.extra[FOLDED_RATES]} if FOLDED_RATES in carrier.extra else {}
    judgements = []
    for nug_id, (at_least, full) in pairs.items():
        said = decided(at_least, full)
        judgements.append(
            msgspec.structs.replace(
                carrier, nug_id=nug_id, snippet_id=None, degree=said.degree, probabilities=said.probabilities,
                evidence=None, extra=extra,
            )
        )  # fmt: skip
    return judgements


def saved_rates(rates: Sequence[float], *, is_empty: bool) -> dict[Level, float]:
    """The rates of none, partial and full as they are saved; {} where they are unknown (NaN)."""
    if any(math.isnan(rate) for rate in rates):
        return {}
    none, partial, full = (1.0, 0.0, 0.0) if is_empty else (round(rate, 4) for rate in rates)
    return {"0": none, "0.5": partial, "1": full}


def error_shares(judgement: Judgement) -> Mapping[Level, float]:
    """How probable none, partial and full are where the judge may be wrong; empty where it is not known."""
    if ERROR_RATES not in judgement.extra:
        return judgement.probabilities if any(judgement.probabilities.values()) else {}
    given = judgement.extra[ERROR_RATES]
    shares: dict[Level, float]
    try:
        shares = {level: float(given.get(level, 0.0)) for level in get_args(Level)} if given else {}
    except (AttributeError, TypeError, ValueError):
        shares = {"0": -1.0}
    if any(not 0.0 <= share <= 1.0 for share in shares.values()):
        raise UnfitInput(
            f"query {judgement.query_id}, run {judgement.run_id}, nug {judgement.nug_id}: {ERROR_RATES} is not "
            '{"0": P(none), "0.5": P(partial), "1": P(full)}'
        )
    return shares if any(shares.values()) else {}


def is_unmeasured(judgement: Judgement) -> bool:
    """Whether a program decided (or gave a credit), and nobody knows how often it is wrong."""
    return judgement.status == "ok" and ERROR_RATES in judgement.extra and not error_shares(judgement)


def with_idf(judgements: Iterable[Judgement], name: str) -> Iterator[Judgement]:
    """The judgements, the first one of each response with the name of where idf comes from, if there is one."""
    marked: set[tuple[str, str]] = set()
    for judgement in judgements:
        cell = (judgement.query_id, judgement.run_id)
        if name and cell not in marked:
            marked.add(cell)
            judgement = msgspec.structs.replace(judgement, extra=judgement.extra | {IDF: name})
        yield judgement


def saved_idf(judgements: Iterable[Judgement]) -> str:
    """Where idf comes from, as the judgements say; several sources with `+` between them."""
    return "+".join(sorted({str(judgement.extra[IDF]) for judgement in judgements if IDF in judgement.extra}))


@dataclass(frozen=True)
class CommonErrors:
    """A judge's errors that all runs share: they are in every score, and cancel in part in a difference of two runs."""

    nug: float = 0.0
    """The share of an error's variance that all judgements of a nug have: its description is misread in every run."""
    query: float = 0.0
    """The share that all judgements of a query have: it is a part of what the judgements of a response share."""
    calibration: tuple[tuple[float, ...], ...] = ()
    """The covariance of the calibration's error (see karat.judges.errors.calibration_error); empty: no error."""
    freedom: float = math.inf
    """The degrees of freedom of that covariance."""

    def saved(self) -> dict[str, object]:
        """As it is written into a file."""
        said: dict[str, object] = {"nug": round(self.nug, 4), "query": round(self.query, 4)}
        if self.calibration:
            said["calibration"] = [[float(f"{value:.6g}") for value in row] for row in self.calibration]
            said["freedom"] = round(self.freedom, 2)
        return said

    @staticmethod
    def read(said: object) -> CommonErrors:
        """From what `saved` wrote."""
        if not isinstance(said, dict):
            raise UnfitInput(_NOT_COMMON)
        try:
            rows = tuple(tuple(float(value) for value in row) for row in said.get("calibration", ()))
            freedom = float(said["freedom"]) if rows else math.inf
            common = CommonErrors(float(said["nug"]), float(said["query"]), rows, freedom)
        except (KeyError, TypeError, ValueError):
            raise UnfitInput(_NOT_COMMON) from None
        fits = [len(row) for row in rows] in ([], [3, 3, 3]) and freedom > 2
        if not (fits and 0 <= common.nug <= 1 and 0 <= common.query <= 1):
            raise UnfitInput(_NOT_COMMON)
        return common


@dataclass(frozen=True)
class Sigmas:
    """How strongly a judge's errors are correlated within a response, and within a run over all queries."""

    sigma: float
    run_sigma: float
    common: CommonErrors = field(default_factory=CommonErrors)
    """Errors that all runs share."""


def saved_sigmas(judgements: Iterable[Judgement]) -> Sigmas | None:
    """The sigmas that were saved with the judgements; of several the largest, which gives the widest interval."""
    extras = [judgement.extra for judgement in judgements if SIGMAS in judgement.extra or COMMON in judgement.extra]
    try:
        pairs = [
            (float(sigma), float(run_sigma)) for extra in extras for sigma, run_sigma in [extra.get(SIGMAS, (0, 0))]
        ]
    except (TypeError, ValueError):
        raise UnfitInput(f"{SIGMAS} of a judgement is not [sigma of a response, sigma of a run]") from None
    if not pairs:
        return None
    # Nearly all responses of a file say the same.
    different = {str(extra.get(COMMON, {})): extra.get(COMMON) for extra in extras}
    common = _widest([CommonErrors() if said is None else CommonErrors.read(said) for said in different.values()])
    return Sigmas(max(pair[0] for pair in pairs), max(pair[1] for pair in pairs), common)


def _widest(common: Sequence[CommonErrors]) -> CommonErrors:
    """What gives the widest intervals: the least is shared by all runs, and the calibration is the least certain."""
    unsure = max(common, key=lambda each: sum(each.calibration[at][at] for at in range(len(each.calibration))))
    return CommonErrors(
        min(each.nug for each in common), min(each.query for each in common), unsure.calibration, unsure.freedom
    )
