"""What a pronoun stands for, found by rules in the same clause or in what was said just before, or not at all.

A pronoun is left as it is where its own clause names what it stands for. Otherwise the phrase it stands for is written
instead, if there is only one that agrees in number and kind, or if it is the subject of both sentences and is what the
answer is about (centering: Grosz, Joshi and Weinstein 1995). Where neither is sure, the sentence is not used by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from karat.evaluate.nuggets.drafting.sentences.mentions import Kind, Mention, Number, mentions_of
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
_OWNERS = frozenset({"his", "her", "its", "their"})
_ANYONE = frozenset("anyone everyone someone somebody anybody everybody nobody those one who each".split())
_POINTING = frozenset({"this", "these", "those", "such", "that"})
_VAGUE = re.compile(
    r"\b(?:the (?:former|latter|above|following|aforementioned|same (?:year|period|way|reason|reasons))"
    r"|as (?:mentioned|noted|discussed|described|stated|shown|seen) (?:above|earlier|before|previously|below)"
    r"|the (?:first|second|third|last|other) (?:one|ones|two|three|four|five)|thereafter|afterwards?|beforehand|if so|doing so|to do so|does so"
    r"|did so|do so|so doing|vice versa|in turn)\b",
    re.IGNORECASE,
)
_SHELLS = frozenset(
    """process approach issue problem method change practice measure situation trend factor reason effect study report
    article book event incident move decision program project concept idea argument claim theory result finding
    phenomenon case point view statement question topic document text passage source paper author authors researchers
    group period era scene event episode film movie story series poem letter law bill act rule policy two three four
    difference differences combination shift action actions process text""".split()
)
_EXPLETIVE_VERBS = frozenset({"seem", "appear", "turn", "happen", "take", "rain", "snow", "follow", "matter", "help"})
_EASY_TO = re.compile(
    r"it\s*(?:is|was|’s|'s|has\s+been|had\s+been|will\s+be|would\s+be|can\s+be|could\s+be|may\s+be|might\s+be|must\s+be|becomes?|became)"
    r"\s+(?:\w+ly\s+|not\s+|also\s+|always\s+|often\s+|more\s+|less\s+|very\s+|so\s+|quite\s+|a\s+|the\s+)*[\w-]+\s+"
    r"(?:that|to|for|if|whether|when|how|why|what)\b",
    re.IGNORECASE,
)
_STATED = frozenset(
    """believe estimate say think know report recommend suggest expect find show argue note consider advise require
    claim assume understand observe allege hope predict discover establish prove decide agree propose""".split()
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
    clause = _with_named_phrases(clause, own, before)
    put: dict[int, str] = {}
    known: list[Mention] = []
    clear = not _points_outside(clause, own)
    for position, at in enumerate(clause.tokens):
        token = clause.at(at)
        word = token.text.lower()
        pronoun = PRONOUNS.get(word)
        if pronoun is None or at in clause.put or token.pos not in {"PRON", "DET"} or _is_quoted(clause, position):
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
    return Mention(token.index, mention.text, mention.lemma, mention.number, mention.kind, is_subject, mention.can_own)


def _agrees(pronoun: _Pronoun, mention: Mention) -> bool:
    number = "either" in (pronoun.number, mention.number) or pronoun.number == mention.number
    kind = "either" in (pronoun.kind, mention.kind) or pronoun.kind == mention.kind
    return number and kind


def _may_bind(clause: Clause, pronoun: _Pronoun, mention: Mention) -> bool:
    """Within a clause "they" may stand for one person, and any name may be a person's."""
    if _agrees(pronoun, mention):
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
    own_phrase = {above.index for above in clause.sentence.ancestors(token.index)} if token.tag == "PRP$" else set()
    if token.tag == "PRP" and token.dep not in SUBJECTS:
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


def _antecedent(
    clause: Clause, token: Token, pronoun: _Pronoun, before: Sequence[Mention], topic: Set[str]
) -> Mention | None:
    fitting = {mention.lemma + mention.text: mention for mention in before if _agrees(pronoun, mention)}
    candidates = list(fitting.values())
    if len(candidates) == 1:
        return candidates[0] if candidates[0].is_whole else None
    if token.dep not in SUBJECTS or token.head != clause.verb:
        # "their" of a first subject is as good as the subject.
        subject = clause.subject()
        if token.tag != "PRP$" or subject is None or token.index not in clause.sentence.subtree(subject):
            return None
    stem = stemmer("english")
    for mention in candidates:
        named = any(stem(word.lower()) in topic for word in re.findall(r"\w+", mention.text))
        if mention.is_subject and mention.is_whole and (named or mention.kind == "person"):
            rivals = [other for other in candidates if other is not mention and other.kind == mention.kind == "person"]
            return mention if not rivals else None
    return None


def _points_outside(clause: Clause, mentions: Sequence[Mention]) -> bool:
    """Whether the clause points to what was said before in some other way than by a pronoun of a person or thing."""
    sentence = clause.sentence
    for position, at in enumerate(clause.tokens):
        token = sentence.tokens[at]
        word = token.text.lower()
        if at in clause.put or _is_quoted(clause, position):
            continue
        if word in _POINTING and _is_pointing(clause, position, mentions):
            return True
        if word in {"there", "here", "then"} and token.dep == "advmod" and position < 2:
            return True
        if word == "both" and not clause.sentence.children(at, "prep") and not _has_pair(clause, token):
            return True
        if word in {"both", "each", "one", "ones", "neither", "some", "many", "most", "all", "others"} and _is_bare(
            clause, token
        ):
            return True
        if word == "the" and _is_shell(clause, token, mentions):
            return True
    return _VAGUE.search(clause.words(clause.tokens)) is not None


def _with_named_phrases(clause: Clause, own: Sequence[Mention], before: Sequence[Mention]) -> Clause:
    """Write the phrase that "this N" repeats ("Erosion of the shore is a risk. This erosion ..."); "the" before "this
    decline in revenue", which says itself what it is about."""
    put: dict[int, str] = {}
    for position, at in enumerate(clause.tokens):
        token = clause.at(at)
        if (
            token.text.lower() not in {"this", "these", "those"}
            or token.dep != "det"
            or not _is_pointing(clause, position, own)
        ):
            continue
        head = clause.at(token.head)
        below = [child for child in clause.sentence.children(head.index) if child.dep not in {"det", "punct"}]
        named = {mention.text: mention for mention in before if mention.lemma == head.lemma.lower()}
        same = next(iter(named.values())) if len(named) == 1 else None
        if (
            not below
            and same is not None
            and same.is_whole
            and head.index == at + 1
            and (same.number == "many") == (head.tag == "NNS")
        ):
            put |= {at: same.text, head.index: ""}
        elif any(child.dep == "prep" and clause.sentence.children(child.index, "pobj", "pcomp") for child in below):
            put[at] = "the"
    return clause.with_put(put)


def _is_pointing(clause: Clause, position: int, mentions: Sequence[Mention]) -> bool:
    at = clause.tokens[position]
    token = clause.at(at)
    word = token.text.lower()
    following = clause.at(clause.tokens[position + 1]) if position + 1 < len(clause.tokens) else None
    if word == "that" and token.dep == "det" and position > 8:
        return False
    if word == "that" and (token.tag != "DT" or token.dep in {"mark", "nsubj", "nsubjpass", "dobj", "pobj"}):
        return token.dep not in {"mark"} and token.tag == "DT" and token.head == clause.verb and position < 2
    if (
        word in {"such", "that", "those"}
        and following is not None
        and following.text.lower() in {"as", "of", "who", "that", "a", "an"}
    ):
        return following.text.lower() in {"a", "an"}
    if word == "those" and clause.sentence.children(at, "relcl", "acl", "prep", "amod"):
        return False
    if word == "such" and following is not None and following.text.lower() == "as":
        return False
    head = clause.at(token.head) if token.dep in {"det", "amod", "predet", "nsubj"} and token.head != at else None
    if token.dep in {"det", "amod", "predet"} and head is not None:
        return not any(mention.lemma == head.lemma.lower() and mention.head < at for mention in mentions)
    return True


def _has_pair(clause: Clause, token: Token) -> bool:
    """Whether "both" is followed by two things joined by "and"."""
    words = [clause.at(at).text.lower() for at in clause.tokens if at > token.index]
    return "and" in words


def _is_bare(clause: Clause, token: Token) -> bool:
    """Whether an amount stands alone as subject: "Most live in cities."."""
    if token.dep not in {"nsubj", "nsubjpass"} or token.head != clause.verb:
        return False
    return not clause.sentence.children(token.index, "prep", "relcl", "acl", "amod", "det", "nummod")


def _is_shell(clause: Clause, token: Token, mentions: Sequence[Mention]) -> bool:
    """Whether this is "the process", "the two": a bare word for something named before."""
    if token.dep != "det" or token.head == token.index:
        return False
    head = clause.at(token.head)
    if head.lemma.lower() not in _SHELLS or head.index != token.index + 1 or head.pos == "PROPN":
        return False
    if clause.sentence.children(head.index, "prep", "relcl", "acl", "compound", "amod", "appos", "poss", "nummod"):
        return False
    return not any(mention.lemma == head.lemma.lower() and mention.head < token.index for mention in mentions)


def is_expletive(clause: Clause, token: Token) -> bool:
    """Whether "it" stands for nothing: "It is easy to swim", "It is said that", "It takes a year to"."""
    if token.dep not in {"nsubj", "nsubjpass", "expl"}:
        return False
    sentence, verb = clause.sentence, token.head
    main = sentence.tokens[verb]
    clauses = sentence.children(verb, "ccomp", "xcomp", "csubj", "advcl", "csubjpass")
    lemma = main.lemma.lower()
    if lemma in _EXPLETIVE_VERBS:
        return bool(clauses)
    if lemma in _STATED and any(child.dep == "auxpass" for child in sentence.children(verb)):
        return bool(clauses)
    if lemma != "be":
        return False
    if _EASY_TO.match(clause.words(at for at in clause.tokens if at >= token.index)):
        return True
    for child in sentence.children(verb, "acomp", "attr"):
        below = sentence.children(child.index, "ccomp", "xcomp", "acl", "relcl", "advcl")
        if child.dep == "acomp" and (below or clauses):
            return True
        if (
            child.dep == "attr"
            and (clauses or any(other.dep in {"relcl", "acl"} for other in below))
            and child.index > verb
        ):
            return child.lemma.lower() in {"time", "responsibility", "duty", "job", "idea", "shame", "fact", "myth"}
    return bool(sentence.children(verb, "csubj", "ccomp"))


def _is_quoted(clause: Clause, position: int) -> bool:
    """Whether a token is inside quotation marks."""
    marks = sum(clause.at(at).text in {'"', "“", "”", "``", "''"} for at in clause.tokens[:position])
    return marks % 2 == 1
