"""Scores, nugs of runs and contingency tables, for people and programs."""

from karat.reports.score.nugs import contingency_result, nugs_result
from karat.reports.score.result import scores_data, scores_result, wide_data
from karat.reports.score.tables import IN_BRACES, query_spread_table, score_latex, score_tables

__all__ = [
    "IN_BRACES",
    "contingency_result",
    "nugs_result",
    "query_spread_table",
    "score_latex",
    "score_tables",
    "scores_data",
    "scores_result",
    "wide_data",
]
