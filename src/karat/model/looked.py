"""Where somebody looked: `reviewed` records tell "looked and found none" from "nobody looked"."""

from __future__ import annotations

from collections.abc import Iterable

from karat.model.records import Reviewed, Step


class Looked:
    """The snippets that assessors looked at in one step of the work; of one `assessor`, or of all."""

    def __init__(self, reviewed: Iterable[Reviewed], step: Step, *, assessor: str | None = None) -> None:
        self._places = {
            (record.query_id, record.run_id, record.snippet_id)
            for record in reviewed
            if record.step == step and assessor in (None, record.assessor)
        }

    def __bool__(self) -> bool:
        return bool(self._places)

    def at(self, query_id: str, run_id: str, snippet_id: str) -> bool:
        """Whether somebody looked at the snippet: at it alone, at its whole response, or at the whole query.

        >>> looked = Looked([Reviewed(query_id="q", run_id="r", step="nuggets", assessor="ann")], "nuggets")
        >>> looked.at("q", "r", "1"), looked.at("q", "s", "1")
        (True, False)
        """
        whole = (query_id, None, None), (query_id, run_id, None), (query_id, run_id, snippet_id)
        return not self._places.isdisjoint(whole)
