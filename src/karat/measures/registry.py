"""Names of measures <-> measures. Every name that is printed parses back to an equal measure."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence

import msgspec

from karat.measures.base import Measure, number
from karat.measures.entries import ENTRIES, Entry
from karat.measures.named_settings import made, parse_call
from karat.model import UsageError


def measure_rows() -> Iterator[tuple[str, str, str]]:
    """Name, what it is, and what can be set."""
    for name, entry in ENTRIES.items():
        yield name, entry.summary, ", ".join(entry.settings)


def measure_help(name: str) -> str:
    """The help on a measure: name, settings with defaults, formula and paper."""
    measure = parse_measure(name)
    entry = entry_of(name)
    lines = [str(measure), ""]
    lines += [f"{entry.summary[0].upper()}{entry.summary[1:]}.", ""]
    lines += [inspect.getdoc(type(measure)) or "", ""]
    module = inspect.getdoc(sys.modules[type(measure).__module__]) or ""
    lines += [module, ""]
    if entry.settings:
        lines += ["Settings, with their defaults:", *(f"  {_setting(entry, name)}" for name in entry.settings), ""]
    lines += [f"Counts per query and run: {', '.join(measure.COUNTS)}.", f"Undefined where {measure.undefined()}."]
    return "\n".join(lines)


def _setting(entry: Entry, name: str) -> str:
    defaults = {field.name: field.default for field in msgspec.structs.fields(entry.kind)}
    value = defaults[name]
    return f"{name}={number(value) if isinstance(value, float) else value}"


DEFAULT_BETA = 3.0
LARGEST_BETA = 1e18
_F = re.compile(r"(?P<weighing>pyramid_|macro_)?F(?P<beta>\d+(?:\.\d+)?(?:e[+-]?\d+)?)?")
_COMMA = re.compile(r",(?![^()]*\))")


def split_names(names: str | Sequence[str]) -> list[str]:
    """Names in a list, or in one text with commas between; commas in brackets belong to a name."""
    parts = _COMMA.split(names) if isinstance(names, str) else [part for name in names for part in _COMMA.split(name)]
    return [part.strip() for part in parts if part.strip()]


def parse_measures(names: str | Sequence[str], *, beta: float | None = None) -> list[Measure]:
    """The measures of these names, each once; an error lists everything that is wrong with any of them."""
    measures: dict[str, Measure] = {}
    wrong: list[str] = []
    for name in split_names(names):
        try:
            measure = parse_measure(name, beta=beta)
        except UsageError as error:
            wrong.append(str(error))
        else:
            measures.setdefault(str(measure), measure)
    if wrong:
        raise UsageError("; ".join(wrong))
    if not measures:
        raise UsageError(f"no measure is named; choose from {', '.join(ENTRIES)}")
    return list(measures.values())


def takes_beta(names: str | Sequence[str] | None) -> bool:
    """Whether one of the names is an F without its own beta."""
    matches = (_F.fullmatch(name) for name in split_names(names or ()))
    return any(match is not None and match["beta"] is None for match in matches)


def parse_measure(name: str, *, beta: float | None = None) -> Measure:
    """The measure of a name such as F3, pyramid_F3, strict_vital, proficiency(prior=bayes,other=1e5).

    `beta` is for an F without its own (`F`, `pyramid_F`, `macro_F`); the default is 3, as in TREC.
    """
    call = parse_call(name)
    entry = entry_of(name)
    if match := _F.fullmatch(call.base):
        said = float(match["beta"]) if match["beta"] is not None else DEFAULT_BETA if beta is None else beta
        if not 0 < said <= LARGEST_BETA:
            raise UsageError(f"{name!r}: beta is a number above 0, at most {LARGEST_BETA:g}, not {said:g}")
        entry = msgspec.structs.replace(entry, fixed={**entry.fixed, "beta": said})
    return made(name, entry.kind, call.settings, allowed=entry.settings, fixed=entry.fixed)


def entry_of(name: str) -> Entry:
    """The entry of a name, with or without beta and settings."""
    base = name.partition("(")[0].strip()
    if match := _F.fullmatch(base):
        base = f"{match['weighing'] or ''}F"
    if base not in ENTRIES:
        near = difflib.get_close_matches(base, ENTRIES, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no measure is called {base!r}{hint}; choose from {', '.join(ENTRIES)}")
    return ENTRIES[base]


def is_share(name: str) -> bool:
    """Whether scores by the measure of this name lie between 0 and 1; False for a name that is not known."""
    try:
        return parse_measure(name).is_share()
    except UsageError:
        return False


# Tables of RAGAS, RAGChecker, DeepEval, TruLens, open-rag-eval and trec_eval do not say which way a measure points:
# their common names are known here, and of all others a note says what was taken.
_LESS = re.compile(
    r"(?:^|_)(?:hallucinations?|noise_sensitivity|toxicity|bias|harmfulness|maliciousness|stereotypes?|"
    r"misinformation|latency|latencies|duration|runtime|response_time|elapsed|costs?|price|perplexity|ppl|errors?|"
    r"failures?|timeouts?|mistakes?|contradictions?|omissions?|redundancy|wer|cer|ter|rmse|mse|mae|brier|ece|"
    r"(?:edit|levenshtein)_distance|(?:(?:total|prompt|completion|input|output|n)_)?tokens|role_violation|"
    r"pii_leakage|non_advice|misuse)"
    r"(?:$|_(?:rate|score|metric|ratio|share|count|mean|p\d+|ms|s|sec|secs|seconds|usd|(?:in_)?(?:ir)?relevant)$)"
)
_MORE = re.compile(
    r"(?:^|_)(?:precision|recall|f1|f_score|faithfulness|groundedness|correctness|accuracy|relevan(?:ce|cy)|"
    r"similarity|utilization|coverage|completeness|coherence|fluency|consistency|helpfulness|conciseness|"
    r"summari[sz]ation|comprehensiveness|map|mrr|ndcg|recip_rank|bpref|rouge|bleu|meteor|bertscore|"
    r"(?:exact|string)_match|umbrela|support|[pr]_\d+|nuggets?|citation_f1|pass)"
    r"(?:$|_(?:score|metric|rate|cut|at)?_?\d*$|_[a-z]$|_(?:score|metric)$)"
)


def other_direction(name: str) -> bool | None:
    """Whether less is better by a measure of another tool, as its name says; None where it says nothing.

    >>> [other_direction(name) for name in ("Hallucination", "noise_sensitivity_in_relevant", "answer_recall", "tau")]
    [True, True, False, None]
    """
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"\(.*?\)|\[.*?\]", "", name.casefold())).strip("_")
    if _LESS.search(plain):
        return True
    return False if _MORE.search(plain) else None


def direction(name: str) -> bool | None:
    """Whether a lower score is better by the measure of this name, Karat's or another tool's; None: not known."""
    try:
        return parse_measure(name).less_is_better()
    except UsageError:
        return other_direction(name)


def less_is_better(name: str) -> bool:
    """Whether a lower score is better by the measure of this name; False for a name that is not known."""
    return direction(name) or False


def is_known(name: str) -> bool:
    """Whether the name is that of one of Karat's measures."""
    try:
        parse_measure(name)
    except UsageError:
        return False
    return True
