"""Which formats there are. A format is a module `x` of this package with TITLE, sniff_x, read_x and perhaps
write_x with CARRIES; modules are imported when they are needed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from karat.formats.head import Head
from karat.formats.losses import Carries
from karat.formats.sink import Sink
from karat.formats.source import Source
from karat.model import AnyRecord, UsageError

Reader = Callable[[Source], Iterator[AnyRecord]]
Writer = Callable[[Iterable[AnyRecord], Sink], None]

# In the order in which a file is recognised: the most particular first.
FORMAT_NAMES: tuple[str, ...] = (
    "karat",
    "nuggetized",
    # nuggetizer and TREC RAG
    "nuggetizer-assignments",
    "nuggetizer-metrics",
    "nuggetizer-bank",
    "nuggetizer-input",
    "trec-rag24",
    "trec-rag24-citations",
    "trec-rag25",
    "report",
    "report-requests",
    # nugget banks, ARGUE and the annotation tools around them
    "nuggetbank",
    "nuggetbank-collaborator",
    "argue-judgments",
    "argue-scores",
    "hltcoe-annotation",
    "autojudge-annotate",
    "rubric-workbench",
    # today's evaluation tools and keys
    "ragchecker",
    "deepeval",
    "ragas",
    "trulens",
    "open-rag-eval",
    "open-rag-eval-scores",
    "rubrics",
    "deepresearch-bench",
    "drgym",
    "factscore",
    "veriscore",
    # TREC QA
    "trec-qa-key",
    "trec-qa-pyramid",
    "trec-qa-questions",
    "trec-qa-judged",
    "trec-qa-list",
    # TREC Temporal Summarization
    "tempsumm-nuggets",
    "tempsumm-updates",
    "tempsumm-matches",
    "tempsumm-topics",
    # pyramids
    "pyramid",
    "pyramid-peer",
    "pyreval",
    "pyramid-lite",
    # labelled data sets (directories or single files)
    "summhay",
    "realsumm",
    "realsumm-crowd",
    "rose",
    "argkp",
    "ragchecker-human",
    "propsegment",
    "cast-snippets",
    "finesure",
    "factcheck-gpt",
    "wice",
    "crisisfacts",
    "researcherbench",
    "scholarqa",
    # annotation exchange
    "brat",
    "label-studio",
    "potato",
    "doccano",
    "argilla",
    "prodigy",
    "uima-cas",
    "webanno",
    # score tables, rankings and plain tables: recognised by shape alone, so they come last
    "scores-jsonl",
    "tempsumm-scores",
    "tempsumm-run",
    "participant-qrels",
    "ranking",
    "qrels",
    "trec-eval",
    "trec-eval-tot",
    "ir-measures",
    "trec-qa-run",
    "topics-tsv",
    "named-rows",
    "csv",
    "tsv",
)
DATASET_NAMES = frozenset(
    {
        "summhay", "realsumm", "realsumm-crowd", "rose", "argkp", "ragchecker-human", "propsegment",
        "cast-snippets", "finesure", "factcheck-gpt", "wice", "crisisfacts", "researcherbench", "scholarqa",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """A format's verbs."""

    name: str
    title: str
    sniff: Callable[[Head], bool]
    read: Reader
    write: Writer | None
    carries: Carries


@cache
def get_format(name: str) -> Format:
    """The format of this name; a misspelt one is answered with the nearest."""
    if name not in FORMAT_NAMES:
        near = difflib.get_close_matches(name, FORMAT_NAMES, 3, 0.4)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no format is called {name!r}{hint} (`karat formats` lists them)")
    verb = name.replace("-", "_")
    package = "karat.formats.datasets" if name in DATASET_NAMES else "karat.formats"
    module = import_module(f"{package}.{'karat_jsonl' if name == 'karat' else verb}")
    return Format(
        name=name,
        title=module.TITLE,
        sniff=getattr(module, f"sniff_{verb}"),
        read=getattr(module, f"read_{verb}"),
        write=getattr(module, f"write_{verb}", None),
        carries=getattr(module, "CARRIES", {}),
    )


def all_formats() -> list[Format]:
    """Every format, in the order of recognition."""
    return [get_format(name) for name in FORMAT_NAMES]


def sniff(source: Source) -> Format:
    """The format of a file, from its content."""
    head = Head(source)
    for name in FORMAT_NAMES:
        candidate = get_format(name)
        if candidate.sniff(head):
            return candidate
    if head.is_directory:
        raise UsageError(f"{source.name}: is a folder, and not one of a data set that is read whole; name its files")
    if not head.text.strip():
        # Raises what keeps it from being read, if anything does.
        next(source.raw_blocks(), b"")
        raise UsageError(f"{source.name}: is empty")
    if head.name.endswith((".csv", ".tsv")):
        # It will say which columns it has and which are understood.
        return get_format(head.name[-3:])
    raise UsageError(
        f"{source.name}: not in a format Karat recognises; say which with --from FORMAT (format= in Python); "
        "`karat formats` lists them"
    )
