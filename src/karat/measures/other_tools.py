"""Which scores of other tools are better where they are lower: what their names say.

Tables of RAGAS, RAGChecker, DeepEval, TruLens, open-rag-eval and trec_eval have measures that are not Karat's. A table
does not say which way they point, so their common names are known here, and of all others a note says what was taken.
"""

from __future__ import annotations

import re

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
