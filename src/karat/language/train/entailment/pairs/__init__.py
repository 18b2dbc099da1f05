"""Pairs of a premise and a statement: public sets, and pairs made from their sentences and from word lists."""
