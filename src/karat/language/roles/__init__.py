"""Semantic roles (PropBank) on top of a dependency parse: Karat's own model. weights/ has its own licence."""
