"""Ask a large language model: prompts as data, a log that is the cache, a budget, and the judge `llm`."""
