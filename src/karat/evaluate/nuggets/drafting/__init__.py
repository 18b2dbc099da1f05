"""The parts of `karat draft-key`: sentences of answers become candidates, candidates that say the same become nugs."""
