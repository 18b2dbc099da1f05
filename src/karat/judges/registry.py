"""Names of judges <-> judges: `nuggeteer(n=2,weights=idf)`."""

from __future__ import annotations

import difflib
from importlib import import_module

from karat.judges.base import Judge
from karat.measures.named_settings import made, parse_call
from karat.model import UsageError

AUTO = "auto"
"""Not a judge, but the best that is installed: see `default_judge`."""
JUDGES: dict[str, tuple[str, str]] = {
    "semantic": (
        "semantic.semantic.Semantic",
        "lexical, and the meaning of words; contradictions are not counted. The default, with the semantic extra",
    ),
    "lexical": (
        "lexical.lexical.Lexical",
        "32 features of words with weights learned from other collections. The default without the extra",
    ),
    "neighbours": ("neighbours.neighbours.NeighbourJudge", "lexical, and what people said about similar texts"),
    "llm": (
        "llm.llm.Llm",
        "asks a large language model that you name (--llm-url); every call is logged and never repeated",
    ),
    "nuggeteer": ("overlap.nuggeteer.Nuggeteer", "weighted n-gram recall with informativeness (Marton & Radul 2006)"),
    "pourpre": ("overlap.qaviar.Pourpre", "idf-weighted word recall as partial credit (Lin & Demner-Fushman 2005)"),
    "qaviar": ("overlap.qaviar.Qaviar", "recall of stemmed content words (Breck et al. 2000)"),
    "rouge": ("overlap.rouge.Rouge", "ROUGE-1, -2 or -L recall (Lin 2004), a baseline"),
}
"""The name of each judge, its class, and what it is."""


def parse_judge(name: str) -> Judge:
    """The judge with this name; settings are in brackets after it. `auto` is the default judge."""
    call = parse_call(default_judge() if name == AUTO else name)
    if call.base not in JUDGES:
        near = difflib.get_close_matches(call.base, JUDGES, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no judge is called {call.base!r}{hint}; choose from {', '.join(JUDGES)}")
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
