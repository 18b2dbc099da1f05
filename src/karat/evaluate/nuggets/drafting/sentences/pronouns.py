"""What a pronoun stands for, found by rules in the same clause or in what was said just before, or not at all.

A pronoun is left as it is where its own clause names what it stands for. Otherwise the phrase it stands for is written
instead, if there is only one that agrees in number and kind, or if it is the subject of both sentences and is what the
answer is about (centering: Grosz, Joshi and Weinstein 1995). Where neither is sure, the sentence is not used by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from karat.evaluate.nuggets.drafting.sentences.mentions import (
    LABEL,
    Kind,
    Mention,
    Number,
    fits_verb,
    has_mind,
    is_happening,
    mentions_of,
)
from karat.evaluate.nuggets.drafting.sentences.pointing import (
    is_expletive,
    is_quoted,
    points_outside,
    with_named_phrases,
)
from karat.evaluate.nuggets.drafting.sentences.wording import SUBJECTS, Clause
from karat.language.analysis import Token
from karat.text.stems import stemmer


@dataclass(frozen=True)
class _Pronoun:
    number: Number
    kind: Kind


PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), _Pronoun("one", "person")),
    **dict.fromkeys(("it", "its"), _Pronoun("one", "thing")),
    **dict.fromkeys(("they", "them", "their", "theirs"), _Pronoun("many", "either")),
}
_OWNED = re.compile(r"\w['’]s\s|s['’]\s")
_OWNERS = frozenset({"his", "her", "its", "their"})
_ANYONE = frozenset("anyone everyone someone somebody anybody everybody nobody those one who each".split())
_BESIDE = frozenset("with around behind before beside among between near over under above below of for".split())
"""A pronoun after these may stand for the subject: "They took the dog with them"."""
_PROMINENT = frozenset({"nsubj", "nsubjpass", "dobj"})
_MINDFUL = frozenset(
    """believe think argue feel want say know fear hope claim suggest recommend write advocate oppose prefer demand try
    seek decide emphasize value see view support refuse insist""".split()
)


@dataclass(frozen=True)
class Resolved:
    """A clause in which pronouns were replaced, and whether it can be understood by itself."""

    clause: Clause
    is_clear: bool
    mentions: tuple[Mention, ...]


def resolve(clause: Clause, before: Sequence[Mention], topic: Set[str]) -> Resolved:
    """Write names for the pronouns of a clause where they are sure.

    before: the noun phrases of what was said just before. topic: the stems of what the question is about.
    """
    own = mentions_of(clause)
    clause = with_named_phrases(clause, own, before, topic)
    put: dict[int, str] = {}
    known: list[Mention] = []
    clear = not points_outside(clause, own, topic)
    for position, at in enumerate(clause.tokens):
        token = clause.at(at)
        word = token.text.lower()
        pronoun = PRONOUNS.get(word)
        if pronoun is None or at in clause.put or token.pos not in {"PRON", "DET"} or is_quoted(clause, position):
            continue
        if word == "it" and is_expletive(clause, token):
            continue
        if _bound(clause, token, pronoun, [*own, *known]):
            continue
        mention = _antecedent(clause, token, pronoun, before, topic)
        if mention is None or (word in _OWNERS and token.tag == "PRP$" and not mention.can_own):
            clear = False
            continue
        put[at] = owner(mention.text) if token.tag == "PRP$" else mention.text
        known.append(_as_mention(clause, token, mention))
    changed = clause.with_put(put)
    return Resolved(changed, clear, tuple(sorted([*mentions_of(changed), *known], key=lambda mention: mention.head)))


def owner(text: str) -> str:
    """A phrase as an owner: "the bees" -> "the bees'"."""
    return f"{text}'" if text.endswith("s") and not text.endswith("ss") else f"{text}'s"


def _as_mention(clause: Clause, token: Token, mention: Mention) -> Mention:
    is_subject = token.dep in SUBJECTS and token.head == clause.verb
    return replace(mention, head=token.index, dep=token.dep, is_subject=is_subject)


def agrees(pronoun: _Pronoun, mention: Mention) -> bool:
    """Whether a pronoun can stand for a phrase, by number and kind."""
    number = "either" in (pronoun.number, mention.number) or pronoun.number == mention.number
    kind = "either" in (pronoun.kind, mention.kind) or pronoun.kind == mention.kind
    return number and kind


def _may_bind(clause: Clause, pronoun: _Pronoun, mention: Mention) -> bool:
    """Within a clause "they" may stand for one person, and any name may be a person's."""
    if agrees(pronoun, mention):
        return True
    if pronoun.number == "many":
        return mention.kind == "person" or mention.lemma in {"individual", "someone", "person"}
    return pronoun.kind == "person" and clause.at(max(0, mention.head)).pos == "PROPN"


def _bound(clause: Clause, token: Token, pronoun: _Pronoun, mentions: Sequence[Mention]) -> bool:
    """Whether the clause itself names, before the pronoun, something that it can stand for.

    In a fronted part ("As it ages, the metal cracks") the subject that follows will do as well.
    """
    if (
        any(clause.at(at).text.lower() in _ANYONE for at in clause.tokens if at < token.index)
        and pronoun.kind != "thing"
    ):
        return True
    own_phrase = _phrases_around(clause, token)
    apart = token.dep == "pobj" and clause.at(token.head).text.lower() not in _BESIDE
    if token.tag == "PRP" and (token.dep in {"dobj", "dative"} or apart):
        # "Rivers carry them": a subject does not act on itself.
        verb = next((above for above in clause.sentence.ancestors(token.index) if above.pos in {"VERB", "AUX"}), None)
        own_phrase |= (
            {child.index for child in clause.sentence.children(verb.index, *SUBJECTS)} if verb is not None else set()
        )
    for mention in mentions:
        if mention.head in own_phrase or not _may_bind(clause, pronoun, mention):
            continue
        if mention.head < token.index:
            return True
        subject = clause.subject()
        in_subject = mention.is_subject or (
            mention.kind == "person" and subject is not None and mention.head in clause.sentence.subtree(subject)
        )
        if in_subject and token.head != clause.verb and token.index not in clause.sentence.subtree(mention.head):
            return True
    return False


def _phrases_around(clause: Clause, token: Token) -> set[int]:
    """The heads of the phrases that a pronoun is inside of, which it cannot stand for: "the gas caught in it".

    In a relative clause it can, if it is no owner of its own head: "people who think they are ill".
    """
    around: set[int] = set()
    inner = token
    for above in clause.sentence.ancestors(token.index):
        if token.tag != "PRP$" and inner.dep in {"relcl", "ccomp", "advcl"}:
            break
        around.add(above.index)
        inner = above
    return around


def is_free(clause: Clause, token: Token) -> bool:
    """Whether nothing in the clause is what a pronoun stands for, and it stands for something."""
    if token.text.lower() == "it" and is_expletive(clause, token):
        return False
    return not _bound(clause, token, PRONOUNS[token.text.lower()], mentions_of(clause))


def leans_on_subject(clause: Clause) -> bool:
    """Whether each pronoun of a clause that was cut from a sentence agrees with the clause's own subject.

    Otherwise it may stand for something in the part of the sentence that was cut off.
    """
    subjects = [mention for mention in mentions_of(clause) if mention.is_subject]
    for at in clause.tokens:
        token = clause.at(at)
        pronoun = PRONOUNS.get(token.text.lower())
        if pronoun is None or at in clause.put or (token.text.lower() == "it" and is_expletive(clause, token)):
            continue
        replaced = clause.subject() in clause.put
        if not replaced and not any(_may_bind(clause, pronoun, mention) for mention in subjects):
            return False
    return True


def _antecedent(
    clause: Clause, token: Token, pronoun: _Pronoun, before: Sequence[Mention], topic: Set[str]
) -> Mention | None:
    fitting = {mention.lemma + mention.text: mention for mention in before if agrees(pronoun, mention)}
    candidates = [mention for mention in fitting.values() if not would_disagree(clause, token, mention)]
    if pronoun.kind != "person" and any(mention.is_subject and _OWNED.search(mention.text) for mention in candidates):
        # "The union's influence grew. It ...": the union or its influence.
        return None
    if len(candidates) == 1:
        only = candidates[0]
        if pronoun.kind != "person" and token.index == clause.subject() and not only.is_subject:
            # A sentence that begins with "it" is about what the one before it is about.
            return None
        return only if only.is_whole and (only.dep in _PROMINENT or only.kind == "person") else None
    if token.dep not in SUBJECTS or token.head != clause.verb:
        # "their" of a first subject is as good as the subject.
        subject = clause.subject()
        if token.tag != "PRP$" or subject is None or token.index not in clause.sentence.subtree(subject):
            return None
    return _preferred(pronoun, candidates, topic)


def topic_after(mentions: Sequence[Mention], topic: Set[str], about: Mention | None) -> Mention | None:
    """The name that an answer is about after a sentence: its subject, if the question has all of it; none where the
    subject is another name.

    about: the name that it was about before.
    """
    stem = stemmer("english")
    for mention in mentions:
        if mention.is_subject and any(map(str.isupper, mention.text)) and not is_happening(mention):
            asked = all(stem(word.lower()) in topic for word in re.findall(r"\w+", mention.text))
            return mention if asked and mention.is_whole else None
    return about


def misfits(clause: Clause, before: Sequence[Mention]) -> bool:
    """Whether a clause begins with a pronoun that agrees with the subject before it, but the verb does not fit that."""
    first = clause.at(clause.tokens[0])
    pronoun = PRONOUNS.get(first.text.lower())
    subjects = [mention for mention in before if mention.is_subject]
    if pronoun is None or first.index != clause.subject() or not subjects:
        return False
    return all(agrees(pronoun, mention) and would_disagree(clause, first, mention) for mention in subjects)


def _preferred(pronoun: _Pronoun, candidates: Sequence[Mention], topic: Set[str]) -> Mention | None:
    """Of several phrases the one that is surely meant: the subject before, if it is a name, defined there, a person,
    what the question is about, or for "they" the only people; or the only person that the question is about."""
    stem = stemmer("english")

    def is_asked(mention: Mention) -> bool:
        return any(stem(word.lower()) in topic for word in re.findall(r"\w+", mention.text))

    people = [mention for mention in candidates if mention.kind == "person"]
    for mention in candidates:
        rivals = [other for other in people if other is not mention]
        if not mention.is_subject or not mention.is_whole or (mention.kind == "person" and rivals):
            continue
        minded = [other for other in candidates if has_mind(other)]
        only_people = pronoun.number == "many" and minded == [mention]
        if is_asked(mention) or mention.kind == "person" or mention.is_salient or only_people:
            return mention
    asked = [mention for mention in candidates if is_asked(mention)]
    if pronoun.kind == "person" and len(asked) == 1 and all(mention is asked[0] for mention in people):
        return asked[0] if asked[0].is_whole else None
    return None


def would_disagree(clause: Clause, token: Token, mention: Mention) -> bool:
    """Whether the phrase cannot be the subject of the pronoun's verb: a thing that believes, an injury that wins
    approval, one group with "are"."""
    verb = clause.at(token.head)
    if token.dep == "nsubj" and verb.lemma.lower() in _MINDFUL and not has_mind(mention):
        return True
    is_passive = token.dep == "nsubjpass"
    if token.dep in SUBJECTS and not fits_verb(mention, verb.lemma.lower(), is_passive=is_passive):
        return True
    if mention.head == LABEL and token.index != clause.tokens[0]:
        return True
    if token.text.lower() != "they" or mention.number != "either":
        return False
    verbs = [clause.at(token.head), *clause.sentence.children(token.head, "aux", "auxpass")]
    return any(verb.tag == "VBP" or verb.text.lower() == "were" for verb in verbs)
