"""Marton & Radul 2006, Nuggeteer: what follows from the paper itself, without the runs of TREC."""

from __future__ import annotations

from itertools import product

from karat.evaluate.reproduce.figures import PaperFigure, Reproduction, bundled
from karat.evaluate.score.score import score_collection
from karat.formats import load
from karat.judges.base import Task
from karat.judges.overlap.nuggeteer import Nuggeteer
from karat.judges.registry import parse_judge
from karat.model import Collection, Nug, UnfitInput
from karat.text.words import words

FILE = "marton2006.jsonl"
KEYS = {"87.8": "Figure 1", "7": "Figure 2"}
"""The questions whose keys are printed; both have three vital and four okay nugs."""
BY_HAND: dict[str, dict[str, str]] = {
    # Finds a vital and an okay nug with 250 characters: R 1/3, allowance 200, P 1 - 50/250, F 10 P R / (9 P + R).
    "long": {"nugget_recall": "0.333", "nugget_precision": "0.800", "F3": "0.354"},
    # Finds the three vital nugs with 90 characters, which is below the allowance.
    "short": {"nugget_recall": "1.000", "nugget_precision": "1.000", "F3": "1.000"},
    # Finds two okay nugs: they allow length, and are no recall.
    "okay": {"nugget_recall": "0.000", "nugget_precision": "1.000", "F3": "0.000"},
}
"""Figure 3's formula, worked by hand on three made-up answers to the question of Figure 1."""
SYSTEMS = {"definition 2003": 54, "other 2004": 63, "other 2005": 72, "relationship 2005": 10}
"""Legend of Figure 4."""
OUTSIDE = 6
"""Systems whose official score is outside Nuggeteer's interval (Figure 5)."""
TABLE_4 = {
    "optimally biased coin": -2780, "global threshold": -2239, "per-question thresholds": -1977,
    "per-nug thresholds": -1546, "per-nug errors and thresholds": -1595,
}  # fmt: skip
MEAN_OF_QUESTIONS = (
    "printed with a spread (± 0.065), so it is taken for a mean over questions, and that is not the F of two means"
)
# Figure 7: a fragment, the description of the nug it was given, and some of the bigrams behind it.
FRAGMENT = (
    'best american classical music bears its stamp: witness aaron copland, whose "american-sounding" music was '
    "composed by a"
)
DESCRIPTION = "born brooklyn ny 1900"
BIGRAMS = (
    "american classical", "american-sounding music", "best american", "whose american-sounding", "witness aaron",
    "copland whose", "stamp witness",
)  # fmt: skip


def reproduce(data: str | None) -> Reproduction:
    """Figures 1 to 3 and 7, the settings of section 2.4, and what follows from other printed numbers.

    data: a public answer key of TREC 2005 (trec14answers_other or trec14answers_relationship), to compare the keys of
    Figures 1 and 2 with it.
    """
    example = bundled(FILE)
    figures = [
        *_key_figures(example),
        *_formula(example),
        PaperFigure(
            table="Section 2.4", row="stemming, n-grams, weights, stop words", column="combinations", printed="24",
            value=float(len(_settings())),
        ),
        PaperFigure(
            table="Figures 4 and 5", row=f"{OUTSIDE} of {sum(SYSTEMS.values())} systems",
            column="% outside the interval", printed="3", value=100 * OUTSIDE / sum(SYSTEMS.values()),
        ),
        PaperFigure(
            table="Table 4", row="the model that is selected", column="log10 evidence", printed="-1546",
            value=float(max(TABLE_4.values())),
        ),
        PaperFigure(
            table="Section 4.7", row="precision 0.78, recall 0.90", column="F", printed="0.803",
            value=2 * 0.78 * 0.90 / (0.78 + 0.90), remark=MEAN_OF_QUESTIONS,
        ),
        *_figure_7(),
    ]  # fmt: skip
    if data is not None:
        figures += _key_figures(load(data), path=data)
    return Reproduction(
        paper="marton2006",
        figures=tuple(figures),
        commands=(f"karat score {FILE} --measures nugget_recall,nugget_precision,F3",),
        notes=(
            *(() if data else ("give a key of TREC 2005 (trec14answers_other) with --data to check Figure 1 with it",)),
            "Figure 3 is a formula: its rows were worked out by hand, on made-up answers to the question of Figure 1",
            "Tables 1 to 3 and 5, Figures 4 to 6 and the tau of section 4.4 need the runs of TREC 2003 to 2005 with "
            "their judgements, which are not public; `karat validate` makes the same tables from your data (--view "
            "statistics, systems, thresholds, swaps, models)",
            "the five likelihoods of Table 4 need them, too: only which model they select is checked",
            "the score of Figure 7 (0.14) needs the idf table of AQUAINT, which is not public (see --idf)",
        ),
    )


def _key_figures(collection: Collection, *, path: str = "") -> list[PaperFigure]:
    """The number of vital and okay nugs of each printed key that a collection has."""
    figures = []
    for query_id, figure in KEYS.items():
        nugs = [nug for nug in collection.nugs if nug.query_id == query_id]
        figures += [
            PaperFigure(
                table=f"{figure}{', published key' if path else ''}", row=f"question {query_id}", column=importance,
                printed=printed, value=float(sum(nug.importance == importance for nug in nugs)),
            )
            for importance, printed in (("vital", "3"), ("okay", "4"))
            if nugs
        ]  # fmt: skip
    if not figures:
        raise UnfitInput(f"{path} has neither question 87.8 nor question 7 of TREC 2005; give trec14answers_other")
    return figures


def _formula(example: Collection) -> list[PaperFigure]:
    scores = score_collection(example, measures=",".join(BY_HAND["long"])).of_all()
    by_run = {(score.run_id, score.measure): score.value for score in scores}
    return [
        PaperFigure(
            table="Figure 3, by hand", row=run_id, column=measure, printed=printed, value=by_run[run_id, measure]
        )
        for run_id, by_hand in BY_HAND.items()
        for measure, printed in by_hand.items()
    ]


def _settings() -> set[str]:
    """The settings that the paper tried, as Karat's judges."""
    tried = product(("none", "porter"), (1, 2, 3), ("idf", "count"), ("keep", "drop"))
    return {
        str(parse_judge(f"nuggeteer(unit=snippet,stem={stem},n={n},weights={weights},stop={stop})"))
        for stem, n, weights, stop in tried
    }


def _figure_7() -> list[PaperFigure]:
    """A fragment has no word of the nug's description, and many bigrams of a response that was judged to contain it.

    The judged response goes on after the fragment, here in other words than the newspaper's. A printed bigram is found
    where all neighbouring words of it match: Karat reads "american-sounding" as two words.
    """
    judged = f"Even the {FRAGMENT} man from Brooklyn who knew jazz and folk tunes"
    nug = Nug(query_id="1901", nug_id="born", descriptions=(DESCRIPTION,))
    task = Task("1901", [nug], [], examples={"born": [judged]})
    matcher = Nuggeteer(
        unit="snippet", n=2, stem="none", stop="keep", weights="count", references="both"
    ).matcher(task)  # fmt: skip
    matched = set(matcher.words(FRAGMENT, 0))
    found = sum(
        all(" ".join(pair) in matched for pair in zip(words(bigram), words(bigram)[1:], strict=False))
        for bigram in BIGRAMS
    )
    common = set(words(FRAGMENT)) & set(words(DESCRIPTION))
    return [
        PaperFigure(table="Figure 7", row="words of the description", column="in the response", printed="0",
                    value=float(len(common))),
        PaperFigure(table="Figure 7", row="printed bigrams", column="that match", printed="7", value=float(found)),
    ]  # fmt: skip
