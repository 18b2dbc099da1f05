"""TREC QA: questions, keys, runs, judged runs, lists, pyramids."""
