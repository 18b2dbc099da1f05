"""Names of judges <-> judges: `nuggeteer(n=2,weights=idf)`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module

from karat.judges.base import Judge
from karat.measures.named_settings import made, parse_call
from karat.model import UsageError

AUTO = "auto"
"""Not a judge, but the best that is installed: see `default_judge`."""
CASCADE = "cascade"
JUDGES: dict[str, tuple[str, str]] = {
    "semantic": (
        "semantic.semantic.Semantic",
        "lexical, and the meaning of words; contradictions are not counted. The default, with the semantic extra",
    ),
    "lexical": (
        "lexical.lexical.Lexical",
        "32 features of words with weights learned from other collections. The default without the extra",
    ),
    "llm": (
        "llm.llm.Llm",
        "asks a large language model that you name (--llm-url); every call is logged and never repeated",
    ),
    CASCADE: (
        "cascade.cascade.Cascade",
        "cheap judges decide where they are sure, the rest moves on: cascade(lexical,semantic,llm,human)",
    ),
    "neighbours": ("lexical.neighbours.neighbours.NeighbourJudge", "lexical, and what people said about similar texts"),
    "nuggeteer": ("overlap.nuggeteer.Nuggeteer", "weighted n-gram recall with informativeness (Marton & Radul 2006)"),
    "pourpre": ("overlap.qaviar.Pourpre", "idf-weighted word recall as partial credit (Lin & Demner-Fushman 2005)"),
    "qaviar": ("overlap.qaviar.Qaviar", "recall of stemmed content words (Breck et al. 2000)"),
    "rouge": ("overlap.rouge.Rouge", "ROUGE-1, -2 or -L recall (Lin 2004), a baseline"),
}
"""The name of each judge, its class, and what it is."""


def parse_judge(name: str, *, in_files: Sequence[str] = ()) -> Judge:
    """The judge with this name; settings are in brackets after it. `auto` is the default judge.

    in_files: other names that the user may have meant, those of the judges in the files.
    """
    if name.partition("(")[0].strip() == CASCADE:
        from karat.judges.cascade.cascade import parse_cascade

        return parse_cascade(name)
    call = parse_call(default_judge() if name == AUTO else name)
    if call.base not in JUDGES:
        near = difflib.get_close_matches(call.base, [AUTO, *JUDGES, *in_files], 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        others = f", or from the judges in the files: {', '.join(in_files)}" if in_files else ""
        raise UsageError(
            f"no judge is called {call.base!r}{hint}; choose from {AUTO}, {', '.join(JUDGES)}{others}; `karat judges` "
            "says which to use when"
        )
    module, _, class_name = JUDGES[call.base][0].rpartition(".")
    judge: type[Judge] = getattr(import_module(f"karat.judges.{module}"), class_name)
    return made(name, judge, call.settings, allowed=judge.__struct_fields__).ready()


def default_judge() -> str:
    """`semantic` where the semantic extra is installed, otherwise `lexical`."""
    from karat.language.wordpieces import is_installed

    return "semantic" if is_installed() else "lexical"


def is_judge(name: str) -> bool:
    """Whether a program that judges has this name, with or without settings."""
    return name.partition("(")[0].strip() in JUDGES
