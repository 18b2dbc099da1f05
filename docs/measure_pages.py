"""The pages on measures: one that lists them, and the formulas in the page of each family; called by generate.py.

A family's page is written by people, apart from its blocks of formulas, which are the docstrings of the program. The
worked examples are run by tests/test_docs.py.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karat.measures.base import Measure
from karat.measures.entries import ENTRIES

DOCS = Path(__file__).parent
FORMULA = re.compile(r"[A-Za-z_ ]+ = ")
FAMILIES = {
    "rag": ("RAG scores", "the nugget scores of RAG evaluation (AutoNuggetizer)", {"": ["rag.RagMeasure"]}),
    "rubric": ("Rubric scores", "items with points, also for faults (HealthBench)", {"": ["rag.Rubric"]}),
    "trec": (
        "TREC F and pyramids",
        "recall of vital nugs and length; weights from votes",
        {"": ["nugget_f", "pyramid_weights.pyramid_weights"]},
    ),
    "distillation": (
        "Distillation scores",
        "right, wrong and missing; proficiency (GALE)",
        {
            "": [
                "distillation.distillation",
                "distillation.contingency",
                "cases.response_text.charged_chars",
                "distillation.rules2012",
                "distillation.density",
            ]
        },
    ),
    "citations": (
        "Citations and support",
        "whether cited documents say it: of sentences, chunks and nugs",
        {
            "citation_support": ["citation_support"],
            "chunk_citations": ["distillation.chunk_citations"],
            "nug_citations": ["distillation.nug_citations"],
        },
    ),
    "temporal": (
        "Temporal summarization",
        "what updates add, how late, and what they cost to read",
        {"": ["temporal.temporal", "temporal.updates"]},
    ),
    "agreement": (
        "Agreement of annotators",
        "whether another person would have said the same: kappa, alpha, AC1, overlap",
        {
            "labels": ["stats.agreement.coefficients"],
            "partitions": ["stats.agreement.partitions"],
            "places": ["agreement.span_agreement", "stats.agreement.unitizing"],
        },
    ),
}
"""Per page on measures: its title, what it is about, and whose docstrings its blocks of formulas show."""
HEADINGS = {
    "pyramid_weights.pyramid_weights": "Weights of a pyramid",
    "distillation.contingency": "How tables are counted (contingency.py)",
    "cases.response_text.charged_chars": "Text that nobody nuggetized (response_text.py)",
    "distillation.rules2012": "The rules of 2012 (rules2012.py)",
    "distillation.density": "Density",
    "temporal.updates": "What the sums are made of (updates.py)",
    "stats.agreement.unitizing": "alpha_U",
}
"""The headings of docstrings that follow those of the measures."""
CALLED = {
    "TableMeasure": "Settings", "charged_chars": "`charge`", "pyramid_weights": "weight",
    "nugget_alpha": "`krippendorff_alpha_u`", "b_cubed": "`b_cubed_f`", "ceaf": "`ceaf_f`", "masi_distance": "MASI",
}  # fmt: skip
"""What is not called by the name it has in the program."""
AGREEMENT = {
    "percent_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1",
    "b_cubed", "ceaf", "adjusted_rand", "masi_distance", "masi_alpha",
    "nugget_overlap", "span_f1", "nugget_alpha",
}  # fmt: skip
"""The functions whose docstrings the page on agreement shows."""


def measures_page() -> str:
    """Every measure in one line, by the page on its family."""
    parts = [
        "# Measures",
        "A measure is named as it prints: `F3`, `strict_vital`, `proficiency(prior=bayes,other=1e5)`. It says what it "
        "counts for one query and run, and how counts become a score; so the mean over queries, the pooled score "
        "(`--average pool`), intervals and tests are the same for all. A score is undefined, never 0, where the key "
        "gives it nothing to divide by or the judge failed; an empty response scores 0, and only its precision is "
        "undefined. [Statistics](statistics.md) explains intervals and tests.",
        "Each family has a page with its formulas and an example that you can check by hand (and a test checks). "
        "`karat measures NAME` prints the formula of one measure.",
        "This page is made by `docs/generate.py` from the measures' own descriptions.",
    ]
    for page, (title, about, blocks) in FAMILIES.items():
        link = f"[formulas and an example](measures/{page}.md)"
        parts += [f"## {title}", f"{about[0].upper()}{about[1:]}: {link}."]
        for modules in blocks.values():
            parts += [_names(modules)] if _kinds(modules) else []
    return "\n\n".join(parts) + "\n"


def _kinds(modules: list[str]) -> list[type]:
    """The kinds of measures that live in these modules, or are named."""
    kinds = dict.fromkeys(entry.kind for entry in ENTRIES.values())
    homes = {kind: kind.__module__.removeprefix("karat.measures.") for kind in kinds}
    return [kind for kind, home in homes.items() if {home, f"{home}.{kind.__name__}"} & set(modules)]


def _names(modules: list[str]) -> str:
    """A table of the measures."""
    kinds = _kinds(modules)
    entries = {name: entry for name, entry in ENTRIES.items() if entry.kind in kinds}
    settings = {name: ", ".join(f"`{setting}`" for setting in entry.settings) for name, entry in entries.items()}
    shared = set(settings.values())
    if len(shared) == 1:
        rows = [f"| `{name}` | {entry.summary} |" for name, entry in entries.items()]
        below = [f"\nSettings of each: {min(shared)}."] if shared != {""} else []
        return "\n".join(["| name | what it is |", "|---|---|", *rows, *below])
    rows = [f"| `{name}` | {entry.summary} | {settings[name]} |" for name, entry in entries.items()]
    return "\n".join(["| name | what it is | settings |", "|---|---|---|", *rows])


def family_page(page: str) -> str:
    """The page on a family as it is, with its blocks of formulas made anew."""
    text = (DOCS / "measures" / f"{page}.md").read_text("utf-8")
    for block, modules in FAMILIES[page][2].items():
        start = f"<!-- formulas: made by docs/generate.py{': ' if block else ''}{block} -->\n"
        before, found, after = text.partition(start)
        assert found, f"{page}.md has no line {start!r}"
        table = [_names(modules)] if _kinds(modules) else []
        shown = "\n\n".join([*table, *_formulas(modules)])
        text = f"{before}{start}\n{shown}\n\n<!-- end of formulas -->{after.partition('<!-- end of formulas -->')[2]}"
    return text


def _formulas(modules: list[str]) -> Iterator[str]:
    """What modules say of their formulas, and their kinds of measures or functions; or one of them only."""
    for name in modules:
        path = f"karat.{name}" if name.startswith("stats.") else f"karat.measures.{name}"
        try:
            module, only = importlib.import_module(path), None
        except ModuleNotFoundError:
            module, only = importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2]
        members = [member for member in vars(module).values() if _is_described(member, module.__name__, only)]
        if name in HEADINGS:
            yield f"### {HEADINGS[name]}"
        if only is None or only == "RagMeasure":
            yield _doc(module)
        for member in members:
            names = ", ".join(f"`{name}`" for name, entry in ENTRIES.items() if entry.kind is member)
            called = names or CALLED.get(member.__name__, f"`{member.__name__}`")
            text = _doc(member)
            yield f"**{called}**\n\n{text}" if text.startswith("```") else f"**{called}**: {text}"


def _is_described(member: Any, module: str, only: str | None) -> bool:
    if getattr(member, "__module__", None) != module or not (inspect.isclass(member) or inspect.isfunction(member)):
        return False
    if only is not None:
        return bool(member.__name__ == only)
    if inspect.isclass(member) and issubclass(member, Measure):
        return not member.__name__.startswith("_")
    return member.__name__ in AGREEMENT


def _doc(thing: object) -> str:
    """A docstring without its examples, as Markdown: what is indented, or is one line with a formula, becomes code."""
    text = (inspect.getdoc(thing) or "").partition("\n>>> ")[0].strip()
    blocks: list[tuple[bool, str]] = []
    for part in text.split("\n\n"):
        code = part.startswith("    ") or bool(FORMULA.match(part) and "\n" not in part)
        if code and blocks and blocks[-1][0]:
            blocks[-1] = (True, f"{blocks[-1][1]}\n\n{part}")
        else:
            blocks.append((code, part))
    return "\n\n".join(
        f"```text\n{textwrap.dedent(part)}\n```" if code else part.replace("<", "\\<") for code, part in blocks
    )
