"""Negation: a statement that is denied in one text and made in the other.

A negation has a scope: the first words with content after it, up to the end of the clause; the first of them that is no
adverb is its target. Two negations with a common word in their scopes are the same one. What is left of the nug's
negations is a conflict if its target stands in the evidence without one, among the same words, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.judges.semantic.checks.conflict import Conflict
from karat.judges.semantic.checks.numerals import NUMBER_WORDS
from karat.judges.semantic.checks.words import CLAUSE_ENDS, Words, stem

NOT = frozenset("not never no cannot none neither nor without nobody nowhere hardly barely scarcely cant dont".split())
BEFORE_TO = frozenset(
    stem(word)
    for word in "fail refuse decline unable unlikely impossible unwilling forget neglect inability failure".split()
)
"""Words that deny what follows "to": failed to reduce."""
BEFORE_NOUN = frozenset(stem(word) for word in "lack lacks lacking absence absent".split())
"""Words that deny what follows at once, or after "of"."""
BEFORE_ING = frozenset(stem(word) for word in "stop cease quit avoid deny".split())
BEFORE_FROM = frozenset(
    stem(word) for word in "prevent stop prohibit ban bar keep discourage refrain block protect".split()
)
"""Words that deny what follows "from": prevented them from voting."""
NO_AFTER_NOT = frozenset(
    """only just merely simply necessarily all every everyone everybody everything always until least
    exactly quite entirely solely""".split()
)
NO_AFTER_NO = frozenset("doubt matter more less fewer later earlier other sooner wonder".split())
NEEDS_HAVING = BEFORE_NOUN | {"without"}
HAVING = frozenset("with has have had having is are was were enough sufficient plenty presence".split())
"""What the other text must say for "lack" and "without" to deny it."""
SHOULD = frozenset(
    "should shouldn't must mustn't may might ought need needn't could would wouldn't couldn't if".split()
)
"""A statement with one of these denies only a statement with one of these."""
UNSURE = NOT | frozenset(
    """forbid forbids forbidden forbade prohibit prohibits prohibited prohibiting prohibition ban bans
    banned against oppose opposes opposed reject rejects rejected avoid avoids prevent prevents
    prevented deny denies denied lack lacks little few rarely seldom unlikely fail fails failed
    refuse refused refuses until despite instead rather whether nothing non before""".split()
)
"""Words near which a statement may be denied in a way that is not understood here."""
EXCEPT = frozenset("except only until unless".split())
"""Words that turn "no other does" into "one does"."""
FEW = frozenset(["few", "little"])
"""Few do: most do not."""
NO_NEGATION_BEFORE = frozenset("if or why".split())
LEXICAL = BEFORE_TO | BEFORE_NOUN | BEFORE_ING | BEFORE_FROM
TRANSPARENT = frozenset(stem(word) for word in "seem appear tend manage able likely expected believed".split())
"""Words whose denial is that of the next verb: "does not seem to reduce"."""
SCOPE = 3
REACH = 8
"""How many words with content, and how many tokens, a scope has at most."""
MOST_ADDED = 3
"""So many tokens more has a copy with a negation: "did not" and a comma."""
CONTEXT = 8
WEAK = frozenset("a an the in on at of for with as one".split())
BE = frozenset("is are was were be been being am".split())


class Negation(msgspec.Struct, frozen=True, gc=False):
    """A word that denies, at `place`, and the places of its scope."""

    place: int
    target: int
    scope: tuple[int, ...]


def has_negation(words: Words) -> bool:
    """Whether there is anything to look for."""
    return not (
        NOT.isdisjoint(words.forms)
        and LEXICAL.isdisjoint(words.content)
        and not any(f[-3:] == "n't" for f in words.forms)
    )


def find_negations(words: Words) -> tuple[Negation, ...]:
    """The negations of a text whose target can be told."""
    negations = []
    for place, token in enumerate(words.lower):
        if token in NOT or token[-3:] == "n't":
            start = place + 1 if _denies(words, place, token) else None
        elif words.stems[place] in LEXICAL:
            start = _denied_from(words, place)
        else:
            continue
        if start is not None and (scope := tuple(_scope(words, start))):
            verbs = [at for at in scope if words.lower[at][-2:] != "ly"] or scope
            target = next((at for at in verbs if words.stems[at] not in TRANSPARENT), verbs[0])
            negations.append(Negation(place, target, scope))
    return tuple(negations)


def _denies(words: Words, place: int, token: str) -> bool:
    before, after = words.before(place), words.after(place)
    if token == "no" and (after == "." or after[:1].isdigit() or after in (",", "?", "!")):
        return False
    if place > 1 and words.lower[place - 2] == "or":
        return False  # may or may not
    if token in ("not", "no") and before in NO_NEGATION_BEFORE:
        return False
    if after == "to" and place + 2 < len(words.lower) and words.lower[place + 2] == "mention":
        return False
    return after not in (NO_AFTER_NO if token == "no" else NO_AFTER_NOT)


def _denied_from(words: Words, place: int) -> int | None:
    """Where the scope of a verb, noun or adjective that denies begins."""
    form, lower = words.stems[place], words.lower
    after = words.after(place)
    if form in BEFORE_TO:
        return place + 2 if after == "to" else None
    if form in BEFORE_NOUN:
        return place + 2 if after in ("of", "from", "in") else place + 1 if form == stem("lack") else None
    if form in BEFORE_ING and (after[-3:] == "ing" or after == "that"):
        return place + 1
    if form in BEFORE_FROM:
        for at in range(place + 1, min(place + 7, len(lower) - 1)):
            if lower[at] == "from" and lower[at + 1][-3:] == "ing":
                return at + 1
    return None


def _scope(words: Words, start: int) -> Iterator[int]:
    found = 0
    for at in range(start, min(start + REACH, len(words.lower))):
        if words.lower[at] in CLAUSE_ENDS and at > start:
            return
        if words.stems[at]:
            yield at
            found += words.lower[at][-2:] != "ly"
            if found == SCOPE:
                return


def negated_places(negations: tuple[Negation, ...]) -> frozenset[int]:
    """The places that are denied an odd number of times."""
    odd: set[int] = set()
    for negation in negations:
        odd.symmetric_difference_update(negation.scope)
    return frozenset(odd)


def negation_conflicts(
    nug: Words, ours: tuple[Negation, ...], evidence: Words, theirs: tuple[Negation, ...]
) -> list[Conflict]:
    """What the nug denies and the evidence says, and the other way round."""
    if nug.order == evidence.order and abs(len(nug.lower) - len(evidence.lower)) <= MOST_ADDED:
        return _copied(nug, ours, evidence, theirs)
    our_scopes = [_stems(nug, negation) for negation in ours]
    their_scopes = [_stems(evidence, negation) for negation in theirs]
    conflicts = []
    for negation, scope in zip(ours, our_scopes, strict=True):
        # All that the nug denies must be there: drinking tea is no evidence against "did not drink coffee".
        if scope <= evidence.content and all(map(scope.isdisjoint, their_scopes)) and _is_odd(negation, ours):
            place = _said_plainly(nug, negation, evidence)
            if place is not None:
                conflicts.append(Conflict("negation", _show(nug, negation), evidence.said(place - 1, place + 1)))
    for negation, scope in zip(theirs, their_scopes, strict=True):
        if all(scope.isdisjoint(other) for other in our_scopes) and _is_odd(negation, theirs):
            place = _said_plainly(evidence, negation, nug)
            if place is not None:
                conflicts.append(Conflict("negation", nug.said(place - 1, place + 1), _show(evidence, negation)))
    return conflicts


def _copied(nug: Words, ours: tuple[Negation, ...], evidence: Words, theirs: tuple[Negation, ...]) -> list[Conflict]:
    """The conflict of two texts with the same words, apart from function words: one negation more or less."""
    ours, theirs = _plain(nug, ours), _plain(evidence, theirs)
    if len(ours) % 2 == len(theirs) % 2 or not FEW.isdisjoint(nug.forms | evidence.forms):
        return []
    negation = (ours or theirs)[0]
    words = nug if ours else evidence
    other = (evidence if ours else nug).places[words.stems[negation.target]][0]
    if ours:
        return [Conflict("negation", _show(nug, negation), evidence.said(other - 1, other + 1))]
    return [Conflict("negation", nug.said(other - 1, other + 1), _show(evidence, negation))]


def _plain(words: Words, negations: tuple[Negation, ...]) -> tuple[Negation, ...]:
    """Only the negations by function words: the other text has those by other words, too."""
    return tuple([negation for negation in negations if not words.stems[negation.place]])


def _stems(words: Words, negation: Negation) -> set[str]:
    return {words.stems[at] for at in negation.scope}


def _is_odd(negation: Negation, among: tuple[Negation, ...]) -> bool:
    """Whether no other negation takes this one back: "did not fail to reduce" denies nothing."""
    return sum(negation.target in other.scope for other in among) % 2 == 1


def _show(words: Words, negation: Negation) -> str:
    return words.said(negation.place, max(negation.target, negation.place))


def _said_plainly(denying: Words, negation: Negation, other: Words) -> int | None:
    """Where the other text says the target of a negation, with no negation around, among the same words."""
    target = denying.stems[negation.target]
    # "did not much reduce" is no denial of "reduced".
    before = [denying.stems[at] for at in negation.scope if at <= negation.target]
    if any(form not in other.content and form not in TRANSPARENT for form in before):
        return None
    # "not 5 million people" is no denial of 2 million.
    said = denying.lower[negation.place + 1 : negation.target]
    if any((token[0].isdigit() or token in NUMBER_WORDS) and token not in other.forms for token in said):
        return None
    places = other.places.get(target, ())
    if not places or len(places) != len(denying.places[target]):
        return None
    around = denying.near(min(negation.place, negation.target), negation.target, CONTEXT) - {target}
    shared = [len(around & other.near(place, place, CONTEXT)) for place in places]
    place = places[shared.index(max(shared))]
    # "not a ...", "not in ...": a noun, which says less than a verb does.
    is_weak = denying.after(negation.place) in WEAK or denying.stems[negation.place] in LEXICAL
    return place if max(shared) > is_weak and _is_statement(denying, negation, other, place) else None


def _is_statement(denying: Words, negation: Negation, other: Words, place: int) -> bool:
    """Whether the other text says at a place just what the negation denies."""
    start = place
    while start > max(0, place - 12) and other.lower[start - 1] not in CLAUSE_ENDS:
        start -= 1
    near = other.lower[start:place]
    if not UNSURE.isdisjoint(near) or not UNSURE.isdisjoint(other.lower[place + 1 : place + 4]):
        return False
    if other.lower[place][-3:] == "n't" or any(token[-3:] == "n't" for token in near):
        return False
    if not (EXCEPT | FEW).isdisjoint(denying.forms | other.forms):
        return False
    negator = denying.stems[negation.place] or denying.lower[negation.place]
    if negator in NEEDS_HAVING and HAVING.isdisjoint(near):
        return False
    before = denying.lower[max(0, negation.place - 3) : negation.target]
    if SHOULD.isdisjoint(before) != SHOULD.isdisjoint(near):
        return False
    # "to regain" is no claim that it was regained.
    infinitive = other.before(place) == "to" and (denying.before(negation.target) != "to" or negator in BEFORE_TO)
    is_noun = other.lower[place][-3:] == "ing" and denying.lower[negation.target][-3:] != "ing" and BE.isdisjoint(near)
    return not infinitive and not is_noun
