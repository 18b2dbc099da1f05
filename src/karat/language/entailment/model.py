"""The interface of the cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karat.model import UsageError


class EntailmentModel(Protocol):
    def probabilities(self, premises: Sequence[str], statements: Sequence[str]) -> NDArray[np.float32]:
        """P(the premise says the statement)."""


def load_entailment() -> EntailmentModel:
    """The model that comes with Karat."""
    raise UsageError("no model that reads is here yet")
