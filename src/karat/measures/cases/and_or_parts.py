"""AND and OR nugs whose parts are said one after another."""

from __future__ import annotations

from collections.abc import Iterable

from karat.model import Nug


class Parts:
    """Which nugs of a query are said once others are.

    An OR nug (as any that does not say what it is) is said with the first of its parts, an AND nug with the last, to
    any depth. For a nug that was judged itself its parts do not count.
    """

    def __init__(self, nugs: Iterable[Nug], *, judged: set[str]) -> None:
        self.judged = judged
        self._nugs = {nug.nug_id: nug for nug in nugs}
        self._parts: dict[str, list[str]] = {}
        for nug in self._nugs.values():
            if nug.parent is not None:
                self._parts.setdefault(nug.parent, []).append(nug.nug_id)

    def path(self, nug_id: str) -> list[str]:
        """The nug and what it is a part of, up to the nug that is not a part of another.

        Empty where it counts for none: it is not in the key, nor is what it is a part of, or that was judged itself.
        """
        path = [nug_id]
        while (nug := self._nugs.get(path[-1])) is not None and nug.parent is not None:
            if nug.parent in self.judged or nug.parent in path:
                return []
            path.append(nug.parent)
        return path if nug is not None else []

    def whole(self, nug_id: str) -> str | None:
        """The whole nug that this nug is, or is a part of; None where it counts for none."""
        path = self.path(nug_id)
        return path[-1] if path else None

    def say(self, nug_id: str, said: set[str]) -> None:
        """Add the nug to those said, and with it all that are complete now."""
        for whole_id in self.path(nug_id):
            if (
                whole_id != nug_id
                and self._nugs[whole_id].aggregator == "and"
                and not said.issuperset(self._parts[whole_id])
            ):
                return
            said.add(whole_id)
