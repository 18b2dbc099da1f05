"""Whether a text says what a statement says: a small cross-encoder."""

from karat.language.entailment.model import EntailmentModel, load_entailment

__all__ = ["EntailmentModel", "load_entailment"]
