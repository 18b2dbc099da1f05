"""How work is done in chunks: in this process, in several, or in a cluster; and kept, so that it can go on later.

map_chunks                                 a function over many chunks, in order
with engine("ray", job="folder"): ...      where the work of all verbs in the block is done, and what keeps it
"""

from karat.engines.current import current_engine, engine, parse_engine
from karat.engines.mapping import Keep, Track, map_chunks

__all__ = ["Keep", "Track", "current_engine", "engine", "map_chunks", "parse_engine"]
