"""How work is spread: one chunk after the other, or over processes."""

from karat.engine.mapping import Backend, map_chunks

__all__ = ["Backend", "map_chunks"]
