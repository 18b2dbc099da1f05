"""A published number beside Karat's."""

from __future__ import annotations

from importlib.resources import files

import msgspec

from karat.formats import Source, load
from karat.model import Collection


class PaperFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One number as printed in a paper, and as computed by Karat, rounded to the same number of digits."""

    table: str
    row: str
    column: str
    printed: str
    value: float | None
    """None: undefined."""
    remark: str = ""
    """Why the two may differ."""

    @property
    def computed(self) -> str:
        """Karat's number with the digits of the printed one; NaN where undefined, as papers print it."""
        if self.value is None:
            return "NaN"
        digits = len(self.printed.partition(".")[2])
        return f"{self.value:.{digits}f}"

    @property
    def same(self) -> bool:
        return self.computed == self.printed


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a paper, with notes."""

    paper: str
    figures: tuple[PaperFigure, ...]
    commands: tuple[str, ...] = ()
    """The commands that compute Karat's numbers."""
    notes: tuple[str, ...] = ()

    @property
    def differing(self) -> list[PaperFigure]:
        """Figures that differ without a known reason."""
        return [figure for figure in self.figures if not figure.same and not figure.remark]


def bundled(name: str) -> Collection:
    """The records of a file that comes with Karat."""
    return load(Source(name, (files("karat.evaluate.reproduce") / name).read_bytes()))
