"""What was computed once is not computed again: a bounded file of results, found by what they were made from.

with cache(folder): ...        in this block, dear work looks there first
current_cache()                             the cache of the innermost block, or None
"""

from karat.engines.cache.current import cache, current_cache
from karat.engines.cache.names import code_name, name_of
from karat.engines.cache.store import FILE, KINDS, LIMIT, Cache, CacheState

__all__ = ["FILE", "KINDS", "LIMIT", "Cache", "CacheState", "cache", "code_name", "current_cache", "name_of"]
