"""Which formats there are, and the module of each.

A format is a module with TITLE, sniff_NAME and read_NAME, and with write_NAME and CARRIES if it can be written. It is
in the folder of its family. Modules are imported when they are needed.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from karat.formats.inputs.nearest import about_fields
from karat.formats.io.definitions import DefinedAt
from karat.formats.io.head import Head
from karat.formats.io.rows import Batch
from karat.formats.io.sink import Carries, Sink
from karat.formats.io.source import Source
from karat.model import RECORD_TYPE_BY_KIND, AnyRecord, UnfitInput, UsageError

Reader = Callable[[Source], Iterator[AnyRecord]]
BatchReader = Callable[[Source], Iterator[Batch]]
PlainReader = Callable[[Source, Any], Iterator[Batch]]
DefinitionReader = Callable[[Source], Iterator[tuple[AnyRecord, DefinedAt]]]
Writer = Callable[[Iterable[AnyRecord], Sink], None]

# In the order in which a file is recognised: the most specific formats come first.
FORMATS: dict[str, str] = {
    "karat": "karat.jsonl",
    "karat-shards": "karat.shards",
    "parquet": "karat.parquet",
    "nuggetized": "annotation.nuggetized",
    # nuggetizer and TREC RAG
    "nuggetizer-assignments": "nuggetizer.assignments",
    "nuggetizer-metrics": "nuggetizer.metrics",
    "nuggetizer-bank": "nuggetizer.bank",
    "nuggetizer-input": "nuggetizer.create_input",
    "trec-rag24": "trec_rag.rag24",
    "trec-rag24-citations": "trec_rag.rag24_citations",
    "trec-rag25": "trec_rag.rag25",
    "report": "reports.report",
    "report-requests": "reports.requests",
    # nugget banks, ARGUE and the annotation tools around them
    "nuggetbank": "banks.nuggetbank",
    "nuggetbank-collaborator": "banks.collaborator",
    "argue-judgments": "reports.argue_judgments",
    "argue-scores": "reports.argue_scores",
    "hltcoe-annotation": "banks.hltcoe_annotation",
    "autojudge-annotate": "reports.autojudge_annotate",
    "rubric-workbench": "banks.rubric_workbench",
    # today's evaluation tools and keys
    "ragchecker": "eval_tools.ragchecker",
    "deepeval": "eval_tools.deepeval",
    "ragas": "eval_tools.ragas",
    "chat": "eval_tools.chat",
    "trulens": "eval_tools.trulens",
    "open-rag-eval": "eval_tools.open_rag_eval",
    "open-rag-eval-scores": "eval_tools.open_rag_eval_scores",
    "rubrics": "banks.rubrics",
    "deepresearch-bench": "banks.deepresearch_bench",
    "drgym": "banks.drgym",
    "factscore": "eval_tools.factscore",
    "veriscore": "eval_tools.veriscore",
    # TREC QA
    "trec-qa-key": "trec_qa.key",
    "trec-qa-pyramid": "trec_qa.pyramid",
    "trec-qa-questions": "trec_qa.questions",
    "trec-qa-judged": "trec_qa.judged",
    "trec-qa-list": "trec_qa.answer_list",
    # TREC Temporal Summarization
    "tempsumm-nuggets": "trec_temporal.nuggets",
    "tempsumm-updates": "trec_temporal.updates",
    "tempsumm-matches": "trec_temporal.matches",
    "tempsumm-topics": "trec_temporal.topics",
    # pyramids
    "pyramid": "pyramids.pyramid",
    "pyramid-peer": "pyramids.peer",
    "pyreval": "pyramids.pyreval",
    "pyramid-lite": "pyramids.lite",
    # labelled data sets (directories or single files)
    "summhay": "datasets.summhay",
    "realsumm": "datasets.realsumm",
    "realsumm-crowd": "datasets.realsumm_crowd",
    "rose": "datasets.rose",
    "argkp": "datasets.argkp",
    "ragchecker-human": "datasets.ragchecker_human",
    "propsegment": "datasets.propsegment",
    "cast-snippets": "datasets.cast_snippets",
    "finesure": "datasets.finesure",
    "factcheck-gpt": "datasets.factcheck_gpt",
    "wice": "datasets.wice",
    "crisisfacts": "datasets.crisisfacts",
    "researcherbench": "datasets.researcherbench",
    "scholarqa": "datasets.scholarqa",
    # documents that runs cite
    "trec-documents": "documents.trec_documents",
    "text-folder": "documents.text_folder",
    # annotation exchange
    "brat": "annotation.brat",
    "label-studio": "annotation.label_studio",
    "potato": "annotation.potato",
    "doccano": "annotation.doccano",
    "argilla": "annotation.argilla",
    "prodigy": "annotation.prodigy",
    "uima-cas": "annotation.uima_cas",
    "webanno": "annotation.webanno",
    # after the annotation tools, whose rows have ids and texts as well
    "documents": "documents.json_documents",
    # score tables, rankings and plain tables: recognised only by their shape, so they come last
    "scores-jsonl": "trec_eval.scores_jsonl",
    "tempsumm-scores": "trec_temporal.scores",
    "tempsumm-run": "trec_temporal.run",
    "participant-qrels": "trec_rag.participant_qrels",
    "ranking": "trec_eval.ranking",
    "qrels": "trec_eval.qrels",
    "trec-eval": "trec_eval.trec_eval",
    "trec-eval-tot": "trec_eval.trec_eval_tot",
    "ir-measures": "trec_eval.ir_measures",
    "trec-qa-run": "trec_qa.run",
    "topics-tsv": "trec_rag.topics_tsv",
    "named-rows": "tables.named_rows",
    "xlsx": "tables.xlsx",
    "csv": "tables.csv",
    "tsv": "tables.tsv",
}
"""Each format and its module below `karat.formats`."""
FORMAT_NAMES = tuple(FORMATS)
DATASET_NAMES = frozenset(name for name, module in FORMATS.items() if module.startswith("datasets."))
SHARED = {
    "inline_citations": "eval_tools.inline_citations",
    "named_columns": "tables.columns",
    "nuggetbank_entries": "banks.nuggetbank_entries",
    "tempsumm_tables": "trec_temporal.tables",
}
"""Modules whose docstring describes several formats, by the name that the docstrings of these formats use."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, its title and its functions."""

    name: str
    title: str
    sniff: Callable[[Head], bool]
    read: Reader
    write: Writer | None
    carries: Carries
    batches: BatchReader | None = None
    """Reads records in batches, for formats whose files are never in memory as a whole: Karat's own."""
    definitions: DefinitionReader | None = None
    """Of such formats: only the records that others refer to."""
    plain: PlainReader | None = None
    """Of such formats: batches in which plain judgements are columns (`karat.plain`)."""


@cache
def get_format(name: str) -> Format:
    """The format of this name; UsageError with the nearest names if there is none."""
    if name not in FORMAT_NAMES:
        near = difflib.get_close_matches(name, FORMAT_NAMES, 3, 0.4)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no format is called {name!r}{hint} (`karat formats` lists all formats)")
    verb = name.replace("-", "_")
    module = import_module(f"karat.formats.{FORMATS[name]}")
    return Format(
        name=name,
        title=module.TITLE,
        sniff=getattr(module, f"sniff_{verb}"),
        read=getattr(module, f"read_{verb}"),
        write=getattr(module, f"write_{verb}", None),
        carries=getattr(module, "CARRIES", {}),
        batches=getattr(module, "read_batches", None),
        definitions=getattr(module, "read_definitions", None),
        plain=getattr(module, "read_plain", None),
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
        raise UnfitInput(f"{source.name}: is a folder, but no data set that Karat reads as a folder; name its files")
    if not head.text.strip():
        # If the file cannot be read at all, this raises the reason.
        next(source.raw_blocks(), b"")
        raise UnfitInput(f"{source.name}: is empty")
    if head.name.endswith((".csv", ".tsv", ".xlsx")):
        # The reader then says which columns the file has and which ones Karat understands.
        return get_format(head.name.rpartition(".")[2])
    if "kind" in head.row:
        raise UnfitInput(
            f"{source.name}: the format is not recognised: it has a field 'kind', as Karat's own records do, but "
            f"{head.row['kind']!r} is not one of {', '.join(RECORD_TYPE_BY_KIND)}"
        )
    seen = f": {about_fields(head.row)}; rename fields, or" if head.row else ";"
    raise UnfitInput(
        f"{source.name}: the format is not recognised{seen} name it with --from FORMAT (format= in Python); "
        "`karat formats` lists all formats"
    )


def about_format(format: Format) -> str:
    """The title, the shape of the file, how it becomes records, and what can be written."""
    module = import_module(format.read.__module__)
    text = inspect.cleandoc(module.__doc__ or "")
    parts = [f"{format.title} ({'read and write' if format.write is not None else 'read'}).", text]
    # A docstring may refer to a module that several formats share: its docstring is added.
    for name in dict.fromkeys(re.findall(rf"\b({'|'.join(SHARED)})\b", text)):
        parts.append(inspect.cleandoc(import_module(f"karat.formats.{SHARED[name]}").__doc__ or ""))
    if format.write is not None and format.name not in ("karat", "parquet"):
        held = "; ".join(f"{kind}: {', '.join(sorted(fields))}" for kind, fields in format.carries.items())
        parts.append(f"Can be written: {held}.")
    return "\n\n".join(parts)
