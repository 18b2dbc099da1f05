"""Options about how work is done: the engine, the cache, and a language model."""
