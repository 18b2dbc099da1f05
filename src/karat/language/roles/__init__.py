"""Semantic roles (PropBank) over a dependency parse: Karat's own model; weights/ has its own licence."""
