"""Words that point to what was said before, other than "he", "it" and "they": "this", "the process", "both"."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from karat.evaluate.nuggets.drafting.sentences.mentions import Mention
from karat.evaluate.nuggets.drafting.sentences.openings import any_of
from karat.evaluate.nuggets.drafting.sentences.wording import Clause
from karat.language.analysis import Token
from karat.text.stems import stemmer

_POINTING = frozenset({"this", "these", "those", "such", "that"})
_VAGUE = re.compile(
    r"\b(?:"
    + any_of(
        """the above|the following|the aforementioned|the same year|the same period
        |the same group|the same reason|the same reasons|thereafter|afterward|afterwards
        |beforehand|if so|doing so|to do so|does so|did so|do so|so doing|vice versa"""
    )
    + r"|as (?:mentioned|noted|discussed|described|stated|shown|seen) (?:above|earlier|before|previously|below)"
    r"|the (?:first|second|third|last|other) (?:one|ones|two|three|four|five))\b",
    re.IGNORECASE,
)
_SHELLS = frozenset(
    """process approach issue problem method change practice measure situation trend factor reason effect study report
    article event incident move decision program project concept idea argument claim theory result finding phenomenon
    case point view statement question topic document text passage source paper author researcher term phrase group
    period era scene episode difference combination shift action company organization agency film site website device
    product character man woman act movement""".split()
)
"""Nouns that always point back when they stand alone; others do so only where the question does not have them."""
_UNIQUE = frozenset(
    """sun moon earth world sky sea ocean air climate weather government economy public media internet state president
    constitution brain body heart skin liver stomach environment universe police army military past future present poor
    rich elderly majority minority rest planet country nation church law blood lung kidney eye market atmosphere press
    united north south east west human unemployed homeless young old sick dead""".split()
)
_SHORT_NAMES = frozenset(
    """act court university college company agency bill treaty party department institute committee commission war
    center centre school program project union association board council""".split()
)
"""Last words of names that also stand for the whole name: "the Act"."""
_MINDFUL = frozenset("argue believe think say claim feel suggest view see consider".split())
_KINDS = frozenset("kind type form sort level sense aspect part example".split())
_AMOUNTS = frozenset("many most some all one each none few several both any half".split())
_EXPLETIVE_VERBS = frozenset({"seem", "appear", "turn", "happen", "take", "rain", "snow", "follow", "matter"})
_ADVISED = frozenset("recommend advise require suggest".split())
_EASY_TO = re.compile(
    r"it\s*"
    + any_of(
        """is|was|’s|'s|has been|had been|will be|would be|can be|could be|may be|might be|must be|become|becomes
        |became"""
    )
    + r"\s+(?:\w+ly\s+|(?:not|also|always|often|more|less|very|so|quite|a|the)\s+)*[\w-]+\s+"
    r"(?:that|to|for|if|whether|when|how|why|what)\b",
    re.IGNORECASE,
)
_STATED = frozenset(
    """believe estimate say think know report recommend suggest expect find show argue note consider advise require
    claim assume understand observe allege hope predict discover establish prove decide agree propose""".split()
)


def points_outside(clause: Clause, mentions: Sequence[Mention], topic: Set[str] = frozenset()) -> bool:
    """Whether the clause points to what was said before in some other way than by a pronoun of a person or thing."""
    sentence = clause.sentence
    for position, at in enumerate(clause.tokens):
        token = sentence.tokens[at]
        word = token.text.lower()
        if at in clause.put or is_quoted(clause, position):
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
        if word == "the" and is_shell(clause, token, mentions, topic):
            return True
    words = clause.words(clause.tokens)
    pair = re.search(r"\bthe (?:former|latter)\b", words, re.IGNORECASE)
    if pair is not None and " and " not in words[: pair.start()]:
        return True
    return _VAGUE.search(words) is not None


def with_named_phrases(
    clause: Clause, own: Sequence[Mention], before: Sequence[Mention], topic: Set[str] = frozenset()
) -> Clause:
    """Write the phrase that "this N" repeats ("Erosion of the shore is a risk. This erosion ..."); "the" before "this
    siege of Vienna", which says itself what it is about; "the Harbour Act" for "the Act"."""
    put: dict[int, str] = {}
    for position, at in enumerate(clause.tokens):
        token = clause.at(at)
        if token.text.lower() == "the" and is_shell(clause, token, own, topic):
            same = _repeated(clause.at(token.head), before)
            if same is not None and len(same.text.split()) > 2:
                put |= {at: same.text, token.head: ""}
            continue
        if token.text.lower() not in {"this", "these", "those"} or token.dep != "det":
            continue
        previous = [clause.at(near).text.lower() for near in clause.tokens[max(0, position - 2) : position]]
        in_part = previous[-1:] == ["of"] and previous[0] in _AMOUNTS
        if in_part or not _is_pointing(clause, position, own):
            continue
        head = clause.at(token.head)
        below = [child for child in clause.sentence.children(head.index) if child.dep not in {"det", "punct"}]
        same = _repeated(head, before)
        if not below and same is not None and head.index == at + 1:
            put |= {at: same.text, head.index: ""}
        elif token.text.lower() == "this" and head.lemma.lower() not in _KINDS and _is_named(clause, below):
            put[at] = "the"
    return clause.with_put(put)


def _is_named(clause: Clause, below: Sequence[Token]) -> bool:
    """Whether what follows a noun has a name or a number: "this siege of Vienna", but not "this act of defiance"."""
    return any(
        child.dep == "prep"
        and any(clause.at(at).pos in {"PROPN", "NUM"} for at in clause.sentence.subtree(child.index))
        for child in below
    )


def _repeated(noun: Token, before: Sequence[Mention]) -> Mention | None:
    """The only phrase with the same noun, in the same number, that can be written again."""
    named = {mention.text: mention for mention in before if mention.lemma == noun.lemma.lower()}
    same = next(iter(named.values())) if len(named) == 1 else None
    if same is None or not same.is_whole or (same.number == "many") != (noun.tag == "NNS"):
        return None
    return same


def _is_pointing(clause: Clause, position: int, mentions: Sequence[Mention]) -> bool:
    at = clause.tokens[position]
    token = clause.at(at)
    word = token.text.lower()
    following = clause.at(clause.tokens[position + 1]) if position + 1 < len(clause.tokens) else None
    if position > 1 and _opens_clause(clause, position):
        # "..., and this harms the soil": what was said just before, in the same sentence.
        return False
    if word in {"that", "this"} and token.dep == "pobj" and not clause.sentence.children(at, "prep", "relcl", "acl"):
        said = sum(clause.at(near).tag in {"VBD", "VBZ", "VBP", "MD"} for near in clause.tokens[:position])
        return position < 4 or said < 2
    if word == "that" and token.dep == "det" and position and clause.at(clause.tokens[position - 1]).pos != "ADP":
        # Mostly the conjunction, which was taken for a determiner ("shown that loneliness ...").
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


def _opens_clause(clause: Clause, position: int) -> bool:
    """Whether a word begins the subject of another clause, after a comma or a conjunction and a first verb."""
    token = clause.at(clause.tokens[position])
    head = clause.at(token.head) if token.dep == "det" else token
    before = clause.at(clause.tokens[position - 1])
    said = any(clause.at(at).tag in {"VBD", "VBZ", "VBP", "MD"} for at in clause.tokens[:position])
    return said and head.dep in {"nsubj", "nsubjpass"} and before.text.lower() in {",", "and", "but", ";"}


def _has_pair(clause: Clause, token: Token) -> bool:
    """Whether "both" is followed by two things joined by "and"."""
    words = [clause.at(at).text.lower() for at in clause.tokens if at > token.index]
    return "and" in words


def _is_bare(clause: Clause, token: Token) -> bool:
    """Whether an amount stands alone as subject: "Most live in cities."."""
    if token.dep not in {"nsubj", "nsubjpass"} or token.head != clause.verb:
        return False
    if token.text.lower() in {"some", "many"} and clause.at(clause.verb).lemma.lower() in _MINDFUL:
        return False
    return not clause.sentence.children(token.index, "prep", "relcl", "acl", "amod", "det", "nummod")


def is_shell(clause: Clause, token: Token, mentions: Sequence[Mention], topic: Set[str]) -> bool:
    """Whether this is "the process", "the gas": a bare word for something named before.

    Not so are words of the question, and what there is only one of, or is meant in general: "the sun", "the public".
    """
    if token.dep != "det" or token.head == token.index:
        return False
    head = clause.at(token.head)
    owned = clause.at(head.head) if head.dep == "poss" else head
    if owned.dep not in {"nsubj", "nsubjpass"} or owned.head != clause.verb or head.index != token.index + 1:
        return False
    if head.pos != "NOUN" and not (head.pos == "PROPN" and head.lemma.lower() in _SHORT_NAMES):
        return False
    if not topic and head.lemma.lower() not in _SHELLS:
        return False
    if head.lemma.lower() in _UNIQUE or _is_asked(head.text, topic):
        return False
    if clause.sentence.children(head.index, "prep", "relcl", "acl", "compound", "amod", "appos", "poss", "nummod"):
        return False
    return not any(mention.lemma == head.lemma.lower() and mention.head < token.index for mention in mentions)


def _is_asked(noun: str, topic: Set[str]) -> bool:
    """Whether the question has a noun, also as the end of another word: "the bee" of a question about honeybees."""
    stem = stemmer("english")(noun.lower())
    return any(word == stem or (len(stem) > 2 and word.endswith(stem)) for word in topic)


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
    if lemma in _STATED and sentence.children(verb, "auxpass"):
        # "It is believed to be old" is about something; "it is advised to rest" is not.
        return any(child.dep != "xcomp" or lemma in _ADVISED for child in clauses)
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


def is_quoted(clause: Clause, position: int) -> bool:
    """Whether a token is inside quotation marks."""
    marks = sum(clause.at(at).text in {'"', "“", "”", "``", "''"} for at in clause.tokens[:position])
    return marks % 2 == 1
