"""Which of very many things occur more than once, or are named elsewhere: 8 bytes are kept of each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 1 << 16
"""So many things are looked at one by one: to load numpy takes longer, and `karat lint` needs it for nothing else."""


class Hashes:
    """The hashes of things, in the order in which they came.

    Two things may share a hash. So an answer that is made of hashes names a few things too many, but never too few:
    whoever asks has to look at the things themselves.
    """

    def __init__(self, things: Iterable[Hashable] = ()) -> None:
        self._hashes = array("q")
        self.update(things)

    def add(self, thing: Hashable) -> None:
        self._hashes.append(hash(thing))

    def update(self, things: Iterable[Hashable]) -> None:
        self._hashes.extend(map(hash, things))

    def repeated(self) -> frozenset[int]:
        """The hashes that came more than once."""
        if len(self) < FEW:
            return frozenset(code for code, times in Counter(self._hashes).items() if times > 1)
        values = self._values().copy()
        values.sort()
        return frozenset(values[1:][values[1:] == values[:-1]].tolist())

    def among(self, others: Hashes) -> frozenset[int]:
        """The hashes that the others have, too."""
        if not len(others):
            return frozenset()
        import numpy as np

        return frozenset(np.intersect1d(self._values(), others._values()).tolist())

    def __len__(self) -> int:
        return len(self._hashes)

    def _values(self) -> NDArray[np.int64]:
        """A view: nothing can be added while somebody has it."""
        import numpy as np

        return np.frombuffer(self._hashes, dtype=np.int64)
