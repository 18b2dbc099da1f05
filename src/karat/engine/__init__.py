"""How work is done in chunks: one after the other in this process, or in several processes."""

from karat.engine.mapping import Backend, map_chunks

__all__ = ["Backend", "map_chunks"]
