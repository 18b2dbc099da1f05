"""Rows of today's evaluation tools: RAGAS, DeepEval, RAGChecker, TruLens, open-rag-eval, FActScore, VeriScore."""
