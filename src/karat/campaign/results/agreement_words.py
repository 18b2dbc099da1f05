"""Agreement in plain words: per kind of work one sentence, its main coefficient, and where people differ most."""

from __future__ import annotations

import msgspec

from karat.campaign.results.agreement import CampaignAgreement, WorstItem
from karat.evaluate.agree.agree import AgreementRow

ALL = "all"


class Work(msgspec.Struct, frozen=True):
    """How a kind of work is spoken of. `whats`: its names in the rows; `main`: the coefficient put into words."""

    title: str
    step: str
    whats: tuple[str, ...]
    main: str
    words: str


WORKS = (
    Work("Relevance", "relevance", ("relevance", "relevant_text"), "relevance_agreement",
         "{Who} agree on {count} passages whether they are relevant."),
    Work("Nuggets", "nuggets", ("nuggets",), "nugget_overlap",
         "What {who} marked as nuggets overlaps by {percent} (in {units} passages)."),
    Work("Nugs", "nugs", ("nugs",), "b_cubed_f",
         "{Who} put the nuggets that they both marked into the same nugs to {percent} ({units} nuggets)."),
    Work("Citations", "citations", ("citations",), "percent_agreement",
         "{Who} see the same support in {count} citations."),
    Work("Votes", "votes", ("votes", "votes_within_assessor"), "percent_agreement",
         "{Who} vote the same on {count} nugs."),
    Work("Judging", "judging", ("judgements",), "percent_agreement",
         "{Who} give the same answer for {count} pairs of an answer and a nug."),
)  # fmt: skip
NAMES = {
    "percent_agreement": "Same answer",
    "relevance_agreement": "Same answer to: relevant or not",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "krippendorff_alpha_u": "Krippendorff's alpha of extents",
    "gwet_ac1": "Gwet's AC1",
    "nugget_overlap": "Overlap of nuggets",
    "text_overlap": "Overlap of the relevant text",
    "span_f1": "F1 of extents",
    "b_cubed_f": "B-cubed F",
    "ceaf_f": "CEAF F",
    "adjusted_rand": "Adjusted Rand index",
    "masi_alpha": "Alpha with MASI distance",
}


class WorkAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of work. `parts`: the main coefficient of each part, where parts were asked for."""

    title: str
    sentence: str
    main: AgreementRow
    parts: tuple[AgreementRow, ...]
    rows: tuple[AgreementRow, ...]
    worst: tuple[WorstItem, ...]


def by_work(agreement: CampaignAgreement) -> list[WorkAgreement]:
    """The agreement, kind by kind in the order of work; kinds that nobody has done are left out."""
    made = []
    for work in WORKS:
        rows = [row for row in agreement.rows if row.what in work.whats]
        of_main = [row for row in rows if row.what == work.whats[0] and row.coefficient == work.main]
        main = next((row for row in of_main if row.part == ALL), next(iter(rows), None))
        if main is None:
            continue
        made.append(
            WorkAgreement(
                title=work.title, sentence=sentence(work, main), main=main, rows=tuple(rows),
                parts=tuple(row for row in of_main if row.part != ALL),
                worst=tuple(item for item in agreement.worst if item.step == work.step),
            )
        )  # fmt: skip
    return made


def sentence(work: Work, row: AgreementRow) -> str:
    """What the main coefficient says.

    >>> row = AgreementRow(what="votes", coefficient="percent_agreement", pair="ann ~ ben", part="all", value=0.625,
    ...     low=None, high=None, units=8, raters=2, reason=None)
    >>> sentence(WORKS[4], row)
    'ann and ben vote the same on 5 of 8 nugs.'
    """
    if row.value is None or row.coefficient != work.main:
        return f"There is nothing to count yet{f': {row.reason}' if row.reason else ''}."
    names = [name.removeprefix("human/") for name in row.pair.split(" ~ ")]
    named = " and ".join(names) if len(names) == 2 else None
    percent, agreed = f"{100 * row.value:.0f} %", row.value * row.units
    countable = named is not None and abs(agreed - round(agreed)) < 1e-6
    return work.words.format(
        who=named or "two assessors",
        Who=named or "Two assessors",
        percent=percent,
        units=row.units,
        count=f"{round(agreed)} of {row.units}" if countable else f"{percent} of {row.units}",
    )


def coefficient_name(coefficient: str) -> str:
    """
    >>> coefficient_name("span_f1(match=exact)"), coefficient_name("b_cubed_f")
    ('F1 of extents (match=exact)', 'B-cubed F')
    """
    name, bracket, more = coefficient.partition("(")
    return NAMES.get(name, name) + (f" ({more}" if bracket else "")
