"""How many chunks go to a worker together: as many as it works on for about two seconds."""

from __future__ import annotations

SECONDS = 2.0
"""Long enough that sending parcels costs little, short enough that little is lost with a worker."""
MOST = 4096
GROWTH = 4
"""The first chunks may be much faster than the others: the size grows at most by this factor at a time."""


class ParcelSize:
    """Learns the size from how long parcels took. It changes no result: the borders of chunks are fixed."""

    def __init__(self, *, most: int | None = None) -> None:
        self.chunks = 1
        self._most = MOST if most is None else most
        self._per_chunk: float | None = None

    def observe(self, chunks: int, seconds: float) -> None:
        """Take note of how long the work on some chunks took.

        >>> size = ParcelSize()
        >>> size.observe(1, 0.1)
        >>> size.chunks
        4
        >>> for _ in range(3):
        ...     size.observe(4, 0.4)
        >>> size.chunks
        20
        """
        if not chunks:
            return
        per_chunk = seconds / chunks
        # The newest counts most: chunks at the end of a file may be longer than those at its beginning.
        self._per_chunk = per_chunk if self._per_chunk is None else (self._per_chunk + per_chunk) / 2
        wanted = round(SECONDS / self._per_chunk) if self._per_chunk > 0 else self._most
        self.chunks = max(1, min(wanted, self.chunks * GROWTH, self._most))
