"""What each level of a cascade did, how wrong it is expected to be, and what a person would still have to do."""

from __future__ import annotations

from math import ceil, log

import numpy as np

from karat.judges.base import Judge
from karat.judges.cascade.cascade import Cascade
from karat.judges.pairs import Floats, Pairs
from karat.model.wording import number_of

SECONDS = 20
"""How long a person needs for one judgement."""


def level_notes(pairs: Pairs, probabilities: Floats, program: Judge) -> tuple[str, ...]:
    """One line per level, and one about what no level is sure of; nothing for other judges.

    probabilities: the final ones, by which the share of wrong decisions is expected.
    """
    if not isinstance(program, Cascade):
        return ()
    levels = np.concatenate([np.zeros(0, int), *(_levels(query.matches.levels) for query in pairs.queries)])
    has_text = np.concatenate([np.diff(query.matches.units.starts) > 0 for query in pairs.queries])[pairs.cell]
    sure = np.abs(pairs.scores) >= log(program.sure / (1 - program.sure)) - 1e-6
    full = probabilities[:, 2]
    wrong = np.minimum(full, 1 - full)
    notes = []
    for number, name in enumerate(program.level_names()):
        asked = has_text & (levels >= number)
        decided = has_text & (levels == number) & sure
        share = f", {wrong[decided].mean():.1%} of these expected wrong" if decided.any() else ""
        notes.append(
            f"level {number + 1}, {name}: asked about {number_of(int(asked.sum()), 'judgement')}, sure of "
            f"{int(decided.sum()):,}{share}"
        )
    left = has_text & ~sure
    if left.any():
        minutes = left.sum() * SECONDS / 60
        time = number_of(ceil(minutes), "minute") if minutes < 120 else f"{minutes / 60:,.0f} hours"
        notes.append(
            f"no level is sure of {number_of(int(left.sum()), 'judgement')} ({wrong[left].mean():.1%} of them expected "
            f"wrong): a person would need about {time} for all; --ask FILE (`karat judge`) and `karat plan --review` "
            "list those that help most"
        )
    return tuple(notes)


def _levels(levels: object) -> Floats:
    assert isinstance(levels, np.ndarray)
    return levels.astype(int).ravel()
