"""Which nugs of two versions of a query's key belong together: by id where the texts agree, otherwise by what they say.

    1. the same text                                 (of several, the one with the same id)
    2. each contains the other                       the best assignment of all; a shared id counts a little
    3. split: an old nug is cut into several         each is contained in it, and together they contain it
       merged: the same with old and new exchanged
    4. one contains the other, and the id is the same
    5. nearly the same words                         corrected: another number, name or negation, or the same id
    6. the rest is removed or added

How surely a text contains another is what `karat draft-key` decides by (`Sameness`): by words, or by meaning where the
semantic extra is installed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.nuggets.drafting.sameness import MOST, Sameness
from karat.model import Nug
from karat.text.words import content_words, has_digit, words

Floats = NDArray[np.float32]
GAIN = 0.08
"""How much more of a split nug its parts must contain together than the best of them alone."""
SAME_ID = 0.1
"""What a shared id adds in the best assignment: it decides between counterparts that are nearly as good."""
SAME_WORDS = 0.7
"""The share of their content words that two texts which do not say the same must share to be a correction."""
SAME_ID_WORDS = 0.4
"""The same where they have the same id."""


@dataclass(frozen=True)
class Group:
    """Places of old and of new nugs that belong together."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    sure: float = 1.0
    same_text: bool = False
    corrected: bool = False
    by_id: bool = False


def match_nugs(old: Sequence[Nug], new: Sequence[Nug], sameness: Sameness, question: str = "") -> list[Group]:
    """The groups of one query; every old and every new nug is in exactly one.

    Give the nugs in a fixed order: of two counterparts that are equally good, the first is taken.
    """
    return _Matching(old, new, sameness, question).groups()


def is_too_large(old: Sequence[Nug], new: Sequence[Nug]) -> bool:
    """Whether too many nugs of a query differ to compare all pairs: then only texts, ids and words are compared."""
    groups = _same_texts(old, new)
    same = {at for group in groups for at in group.old}, {at for group in groups for at in group.new}
    texts = [
        sum(len(nug.descriptions) for at, nug in enumerate(nugs) if at not in of_side)
        for nugs, of_side in ((old, same[0]), (new, same[1]))
    ]
    return min(texts) > 0 and sum(texts) > MOST


def text_of(nug: Nug) -> str:
    """What a nug says, for comparisons: its descriptions without regard to case, white space and a last full stop."""
    return " / ".join(" ".join(description.casefold().split()).rstrip(" .") for description in nug.descriptions)


class _Matching:
    def __init__(self, old: Sequence[Nug], new: Sequence[Nug], sameness: Sameness, question: str) -> None:
        self.old, self.new, self.sameness, self.question = old, new, sameness, question
        self.found = _same_texts(old, new)
        self.left_old = sorted(set(range(len(old))) - {at for group in self.found for at in group.old})
        self.left_new = sorted(set(range(len(new))) - {at for group in self.found for at in group.new})
        self.old_has, self.new_has = self._containment()
        """Old x new: how surely the old nug contains the new one; and the new one the old one."""

    def groups(self) -> list[Group]:
        if self.left_old and self.left_new:
            pairs = self._pairs()
            pairs = self._parts(pairs, self.old_has, self.new_has, split=True)
            pairs = self._parts(pairs, self.new_has.T, self.old_has.T, split=False)
            self.found += [self._said_otherwise(group) for group in pairs]
            self._take(pairs)
            self._same_ids()
            self._same_words()
        self.found += [Group((at,), ()) for at in self.left_old] + [Group((), (at,)) for at in self.left_new]
        return self.found

    def _said_otherwise(self, group: Group) -> Group:
        """A pair of which each side has a number that the other lacks is a correction, however alike the rest is."""
        if len(group.old) != 1 or len(group.new) != 1 or group.same_text:
            return group
        texts = [" / ".join(nug.descriptions) for nug in (self.old[group.old[0]], self.new[group.new[0]])]
        before, after = (Counter(word for word in words(text) if has_digit(word)) for text in texts)
        return replace(group, corrected=True) if before - after and after - before else group

    def _take(self, groups: Sequence[Group]) -> None:
        taken_old, taken_new = ({at for group in groups for at in side(group)} for side in (_olds, _news))
        self.left_old = [at for at in self.left_old if at not in taken_old]
        self.left_new = [at for at in self.left_new if at not in taken_new]

    def _containment(self) -> tuple[Floats, Floats]:
        shape = len(self.old), len(self.new)
        old_has, new_has = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        if not self.left_old or not self.left_new or is_too_large(self.old, self.new):
            return old_has, new_has
        texts: dict[str, int] = {}
        for nug in (*(self.old[at] for at in self.left_old), *(self.new[at] for at in self.left_new)):
            for description in nug.descriptions:
                texts.setdefault(description, len(texts))
        contains = self.sameness.contains(list(texts), self.question)
        places = [
            [[texts[description] for description in nugs[at].descriptions] for at in left]
            for nugs, left in ((self.old, self.left_old), (self.new, self.left_new))
        ]
        for row, of_old in zip(self.left_old, places[0], strict=True):
            for column, of_new in zip(self.left_new, places[1], strict=True):
                if of_old and of_new:
                    old_has[row, column] = contains[np.ix_(of_old, of_new)].max()
                    new_has[row, column] = contains[np.ix_(of_new, of_old)].max()
        return old_has, new_has

    def _pairs(self) -> list[Group]:
        """The best assignment of nugs that contain each other."""
        from scipy.optimize import linear_sum_assignment

        both = np.minimum(self.old_has, self.new_has)[np.ix_(self.left_old, self.left_new)]
        worth = np.where(both >= self.sameness.near, both, 0.0)
        for row, at in enumerate(self.left_old):
            for column, other in enumerate(self.left_new):
                if worth[row, column] and self.old[at].nug_id == self.new[other].nug_id:
                    worth[row, column] += SAME_ID
        rows, columns = linear_sum_assignment(worth, maximize=True)
        return [
            Group((self.left_old[row],), (self.left_new[column],), float(both[row, column]))
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
            if worth[row, column] > 0
        ]

    def _parts(self, pairs: list[Group], has: Floats, had: Floats, *, split: bool) -> list[Group]:
        """Take free nugs, and the counterpart a nug has already, as the parts of one whole.

        has: wholes x parts, how surely the whole contains the part; had: the part the whole.
        """
        wholes, parts = (self.left_old, self.left_new) if split else (self.left_new, self.left_old)
        of_whole, of_part = (_olds, _news) if split else (_news, _olds)
        partner = {of_whole(group)[0]: group for group in pairs if len(group.old) == len(group.new) == 1}
        taken = {at for group in pairs for at in of_part(group)}
        several = {at for group in pairs if group not in partner.values() for at in of_whole(group)}
        candidates: list[tuple[float, int, tuple[int, ...], float]] = []
        for whole in wholes:
            if whole in several:
                continue
            own = of_part(partner[whole]) if whole in partner else ()
            free = [at for at in parts if (at not in taken or at in own) and has[whole, at] >= self.sameness.near]
            if len(free) < 2 or any(at not in free for at in own):
                continue
            chosen, together = self._best_parts(whole, free, had, split=split)
            alone = max(float(had[whole, at]) for at in chosen)
            if len(chosen) > 1 and all(at in chosen for at in own) and together >= self.sameness.near:
                candidates.append((together - alone, whole, tuple(chosen), together))
        for _, whole, chosen_parts, together in sorted(candidates, key=lambda each: (-each[0], each[1])):
            own = of_part(partner[whole]) if whole in partner else ()
            if any(at in taken and at not in own for at in chosen_parts):
                continue
            sure = min(together, *(float(has[whole, at]) for at in chosen_parts))
            pairs = [group for group in pairs if group is not partner.get(whole)]
            pairs.append(Group((whole,), chosen_parts, sure) if split else Group(chosen_parts, (whole,), sure))
            taken.update(chosen_parts)
        return pairs

    def _best_parts(self, whole: int, free: list[int], had: Floats, *, split: bool) -> tuple[list[int], float]:
        """Parts that each add to what they contain together of the whole: the largest first, while there is a gain."""
        mine, others = (self.old, self.new) if split else (self.new, self.old)
        order = sorted(free, key=lambda at: (-float(had[whole, at]), at))
        chosen, together = [order[0]], float(had[whole, order[0]])
        for at in order[1:]:
            reached = self._contained(mine[whole], [others[part] for part in sorted((*chosen, at))])
            if reached >= together + GAIN:
                chosen.append(at)
                together = reached
        return sorted(chosen), together

    def _contained(self, whole: Nug, parts: Sequence[Nug]) -> float:
        """How surely the parts together contain the whole."""
        joined = " ".join(part.descriptions[0].rstrip(" .") + "." for part in parts if part.descriptions)
        contains = self.sameness.contains([joined, *whole.descriptions], self.question)
        return float(contains[0, 1:].max())

    def _same_ids(self) -> None:
        """The same id, and one contains the other: something was added to the text or taken away."""
        by_id = {self.new[at].nug_id: at for at in reversed(self.left_new)}
        groups = []
        for at in self.left_old:
            other = by_id.get(self.old[at].nug_id)
            if other is not None:
                most = max(float(self.old_has[at, other]), float(self.new_has[at, other]))
                if most >= self.sameness.near:
                    both = min(float(self.old_has[at, other]), float(self.new_has[at, other]))
                    groups.append(self._said_otherwise(Group((at,), (other,), both, by_id=True)))
                    del by_id[self.old[at].nug_id]
        self.found += groups
        self._take(groups)

    def _same_words(self) -> None:
        """Nearly the same words, the most alike first: what was corrected."""
        said = [[_content(nug) for nug in nugs] for nugs in (self.old, self.new)]
        alike = []
        for at in self.left_old:
            for other in self.left_new:
                same_id = self.old[at].nug_id == self.new[other].nug_id
                share = _shared(said[0][at], said[1][other])
                if share >= (SAME_ID_WORDS if same_id else SAME_WORDS):
                    alike.append((-same_id, -share, at, other))
        groups: list[Group] = []
        taken: set[tuple[str, int]] = set()
        for same, share, at, other in sorted(alike):
            if ("old", at) not in taken and ("new", other) not in taken:
                taken |= {("old", at), ("new", other)}
                groups.append(Group((at,), (other,), -share, corrected=True, by_id=bool(same)))
        self.found += groups
        self._take(groups)


def _olds(group: Group) -> tuple[int, ...]:
    return group.old


def _news(group: Group) -> tuple[int, ...]:
    return group.new


def _content(nug: Nug) -> set[str]:
    text = " ".join(nug.descriptions)
    return set(content_words(text) or words(text))


def _shared(one: set[str], other: set[str]) -> float:
    """The share of the words of two texts that both have (Dice)."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _same_texts(old: Sequence[Nug], new: Sequence[Nug]) -> list[Group]:
    """Pairs with the same text: those with the same id first, then the others in order of their ids."""
    places: dict[str, list[int]] = {}
    for at, nug in enumerate(new):
        places.setdefault(text_of(nug), []).append(at)
    groups: list[Group] = []
    waiting: dict[str, list[int]] = {}
    for at, nug in enumerate(old):
        text = text_of(nug)
        same = next((other for other in places.get(text, ()) if new[other].nug_id == nug.nug_id), None)
        if same is None:
            waiting.setdefault(text, []).append(at)
        else:
            places[text].remove(same)
            groups.append(Group((at,), (same,), same_text=True, by_id=True))
    for text, olds in waiting.items():
        left = sorted(places.get(text, ()), key=lambda other: new[other].nug_id)
        for at, other in zip(sorted(olds, key=lambda each: old[each].nug_id), left, strict=False):
            groups.append(Group((at,), (other,), same_text=True))
    return groups
