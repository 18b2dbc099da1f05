"""Whether a short text entails a statement: a small model that notices other numbers, names, roles and negations.

model = load_entailment()
model.probabilities(["Jones defeated Smith."], ["Smith defeated Jones."])
"""

from karat.language.entailment.model import EntailmentModel, load_entailment

__all__ = ["EntailmentModel", "load_entailment"]
