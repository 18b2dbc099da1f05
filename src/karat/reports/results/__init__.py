"""Results as people and programs read them: one record per result, which writes itself in every format."""

from karat.reports.results.by_class import show
from karat.reports.results.data import DataTable
from karat.reports.results.shown import FORMATS, MOST_ROWS, ShownResult

__all__ = ["FORMATS", "MOST_ROWS", "DataTable", "ShownResult", "show"]
