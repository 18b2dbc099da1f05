"""Comparisons and correlations of runs, for people and programs."""

from karat.reports.compare.correlations import correlation_result, correlation_scores, correlation_tables
from karat.reports.compare.differences import (
    comparison_data,
    comparison_result,
    comparison_scores,
    comparison_tables,
)

__all__ = [
    "comparison_data",
    "comparison_result",
    "comparison_scores",
    "comparison_tables",
    "correlation_result",
    "correlation_scores",
    "correlation_tables",
]
