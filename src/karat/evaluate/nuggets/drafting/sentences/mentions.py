"""The noun phrases of a clause: what a pronoun may stand for, with number, and whether it is a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from karat.evaluate.nuggets.drafting.sentences.wording import SUBJECTS, Clause
from karat.language.analysis import ParsedSentence, Token

Number = Literal["one", "many", "either"]
Kind = Literal["person", "thing", "either"]
LABEL = -1
"""The head of a mention that is a label before the sentence ("Cost: It is ...")."""
MOST_WORDS = 12
"""A longer noun phrase is not written instead of a pronoun."""
_QUANTITIES = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "QUANTITY", "ORDINAL"})
_NO_REFERENTS = frozenset(
    """example instance addition fact case way time year day month week decade century order result part number lot
    variety range series example kind type sort term terms conclusion summary contrast hand rate percent amount
    reason extent degree basis regard response respect cause factor answer""".split()
)
_GROUPS = frozenset(
    """team company government group organization organisation family police staff committee council agency board crew
    army party union band class public population community majority minority club firm department school university
    church court jury audience nation country state city""".split()
)
_PEOPLE = frozenset(
    """man woman boy girl person child king queen president minister author artist doctor writer singer actor actress
    director teacher student patient officer leader founder scientist researcher professor senator mayor judge lawyer
    mother father son daughter brother sister husband wife player coach driver soldier general poet painter composer
    inventor engineer philosopher psychologist economist historian critic individual victim suspect employee employer
    worker owner manager customer user parent friend host journalist politician governor chairman ceo prince princess
    emperor pope saint priest bishop candidate voter consumer physician nurse expert activist celebrity""".split()
)
_PLURAL_NOUNS = frozenset({"people", "police", "children", "men", "women", "cattle"})
_COUNTS = frozenset("several numerous various multiple two three four five six seven eight nine ten both".split())
_RELATIVE = frozenset("this that these those such another other others same".split())
_MINDS = re.compile(r".*(?:er|or|ist|ian|ant|ent|ee|eur|ess|man|woman|people|child)$")
"""Nouns of people often end so."""
_HAPPENINGS = frozenset(
    """injury disease illness disorder infection cancer tumor tumour fever pain nausea headache damage failure death
    toxicity symptom effect event accident crash explosion fire flood storm earthquake drought war battle crisis attack
    outbreak epidemic pandemic collapse shortage rise fall increase decrease decline loss growth risk danger problem
    cause success progress evidence idea belief fear anger hope knowledge truth price cost size age weight speed heat
    cold rain snow wind weather climate stroke rash swelling bleeding vomiting fatigue anemia anaemia""".split()
)
_DISEASES = re.compile(r".{2,}(?:itis|osis|a?emia|algia|opathy|rrho?ea)$")
_STATES = re.compile(r".{3,}(?:ness|ship|hood|sion|ance|ence)$")
"""Nouns of states, events and what is only thought often end so."""
_NO_HAPPENINGS = frozenset(
    "commission television conference audience ambulance alliance witness business insurance ship spaceship".split()
)
_DONE_BY_SOMEBODY = frozenset(
    """win earn receive obtain secure seek say tell announce decide choose agree promise refuse ask apply buy sell hire
    employ found launch sign publish invent design build write own invest plan try want hope sue approve""".split()
)
"""What people, groups and products do, but diseases, events and ideas do not."""
_DONE_TO_PRODUCTS = frozenset(
    """approve license licence authorize authorise market manufacture launch sell patent prescribe invent design build
    found""".split()
)
_CUT_OFF = frozenset({"relcl", "appos", "acl", "advcl", "conj", "cc"})
UNBOUND_AMOUNTS = frozenset({"no", "few", "each", "every", "neither", "any", "either", "none", "little", "hardly"})


@dataclass(frozen=True)
class Mention:
    """A noun phrase, or a pronoun whose meaning was found."""

    head: int
    text: str
    """As it is written in the middle of a sentence."""
    lemma: str
    number: Number
    kind: Kind
    dep: str
    """Its relation to its head in the parse."""
    is_subject: bool
    """Whether it is the subject of the clause's own verb."""
    can_own: bool
    """Whether an apostrophe can follow it: its last word is its head."""
    is_salient: bool = False
    """Whether it is a name, or what its sentence defines ("Rust is ..."): sentences after it are often about it."""
    is_whole: bool = True
    """Whether it can be written for a pronoun: short enough, and it means the same everywhere."""


def mentions_of(clause: Clause) -> list[Mention]:
    """The noun phrases of a clause in their order, and its pronouns that have been replaced."""
    found = []
    inside = set(clause.tokens)
    for at in sorted(inside):
        token = clause.at(at)
        if token.pos in {"NOUN", "PROPN"} and _heads_phrase(token, clause.sentence):
            mention = _mention(clause, token, inside)
            if mention is not None:
                found.append(mention)
    return found


def _heads_phrase(token: Token, sentence: ParsedSentence) -> bool:
    if token.dep in {"compound", "nmod", "amod", "npadvmod", "nummod", "quantmod"}:
        return False
    # "The US dollar" is money, but also a thing.
    amount = token.ent_type in _QUANTITIES and (token.ent_type != "MONEY" or any(map(str.isdigit, token.text)))
    return not amount and token.lemma.lower() not in _NO_REFERENTS


def _mention(clause: Clause, token: Token, inside: set[int]) -> Mention | None:
    sentence = clause.sentence
    phrase, whole = _phrase(sentence, token, inside)
    if not phrase:
        return None
    text = clause.words(phrase)
    first = clause.at(phrase[0])
    if first.pos == "DET" or (first.pos != "PROPN" and not first.ent_type and text[1:2].islower()):
        text = text[0].lower() + text[1:]
    return Mention(
        head=token.index,
        text=text,
        lemma=token.lemma.lower(),
        number=_number(sentence, token),
        kind=_kind(token),
        dep=token.dep,
        is_subject=token.dep in SUBJECTS and token.head == clause.verb,
        can_own=phrase[-1] == token.index,
        is_salient=token.pos == "PROPN" or clause.at(clause.verb).lemma.lower() in {"be", "refer", "mean"},
        is_whole=whole and len(text.split()) <= MOST_WORDS and _stands_alone(clause, token, phrase),
    )


def _phrase(sentence: ParsedSentence, token: Token, inside: set[int]) -> tuple[tuple[int, ...], bool]:
    """The tokens of a noun phrase without what follows a comma, and whether nothing that narrows it was cut off."""
    conjuncts = sentence.children(token.index, "conj")
    tokens = [at for at in sentence.subtree(token.index) if at in inside]
    while tokens and sentence.tokens[tokens[-1]].dep in {"case", "punct"}:
        tokens.pop()
    if token.index not in tokens:
        return (), False
    if conjuncts and any(child.text.lower() == "and" for child in sentence.children(token.index, "cc")):
        # "A, B and C" is one phrase; its commas belong to it.
        last = conjuncts[-1]
        if any(child.dep in _CUT_OFF - {"conj", "cc"} for child in sentence.children(last.index)):
            return tuple(tokens), False
        return tuple(tokens), len(tokens) <= MOST_WORDS
    stop = next(
        (at for at in tokens if at > token.index and sentence.tokens[at].text in {",", "(", ";", ":", "–", "—"}), None
    )
    kept = [at for at in tokens if stop is None or at < stop]
    if conjuncts:
        return tuple(kept), False
    return tuple(kept), kept == list(range(kept[0], kept[-1] + 1))


def _stands_alone(clause: Clause, token: Token, phrase: tuple[int, ...]) -> bool:
    """Not "no people", "this idea", "a man" of a story: these mean something else, or nothing, in another sentence."""
    first = clause.at(phrase[0])
    words = {clause.at(at).text.lower() for at in phrase if at not in clause.put}
    if words & (UNBOUND_AMOUNTS | _COUNTS | _RELATIVE):
        return False
    if any(clause.at(at).tag == "CD" for at in phrase):
        return False
    # "The military, social policies": two phrases that the parser took for one.
    if any(clause.at(at).text == "," and at < token.index for at in phrase) and "and" not in words:
        return False
    if any(clause.at(at).tag in {"PRP", "PRP$", "EX"} and at not in clause.put for at in phrase):
        return False
    past = clause.at(clause.verb).tag in {"VBD", "VBN"} and not any(
        child.tag in {"VBZ", "VBP", "MD"} for child in clause.sentence.children(clause.verb, "aux", "auxpass")
    )
    return not (first.text.lower() in {"a", "an", "one"} and past)


def has_mind(mention: Mention) -> bool:
    """Whether something can believe or say: a person, a group of people, or a noun that looks like one of persons."""
    if mention.kind == "person" or mention.lemma in _GROUPS | _PEOPLE:
        return True
    return mention.kind == "either" or _MINDS.match(mention.lemma) is not None


def is_happening(mention: Mention) -> bool:
    """Whether it is a disease, an injury, an event, a state or an idea, and so nobody who acts and nothing that is
    made; by lists of nouns and by endings."""
    if mention.kind == "person":
        return False
    if mention.lemma in _HAPPENINGS or _DISEASES.match(mention.lemma):
        return True
    # Florence and Provence are no states in this sense.
    is_name = any(map(str.isupper, mention.text))
    return not is_name and _STATES.match(mention.lemma) is not None and mention.lemma not in _NO_HAPPENINGS


def fits_verb(mention: Mention, verb: str, *, is_passive: bool) -> bool:
    """Whether something of this kind can be the subject of a verb: an injury does not win approval, nor is it sold;
    a committee is not prescribed."""
    lemma = mention.lemma
    if is_passive and (lemma in _GROUPS or lemma in {"commission", "parliament", "ministry"}):
        return verb not in _DONE_TO_PRODUCTS - {"found"}
    if not is_happening(mention):
        return True
    return verb not in (_DONE_TO_PRODUCTS if is_passive else _DONE_BY_SOMEBODY)


def _number(sentence: ParsedSentence, token: Token) -> Number:
    if any(child.text.lower() == "and" for child in sentence.children(token.index, "cc")):
        return "many"
    if token.text.lower() in {"media", "data"}:
        return "either"
    if token.lemma.lower() in _GROUPS and token.tag not in {"NNS", "NNPS"}:
        return "either"
    if token.tag in {"NNS", "NNPS"} or token.text.lower() in _PLURAL_NOUNS:
        return "many"
    return "one"


def _kind(token: Token) -> Kind:
    if token.ent_type == "PERSON" or token.lemma.lower() in _PEOPLE:
        return "person"
    if token.pos == "PROPN" and token.ent_type in {"", "NORP", "ORG", "PRODUCT", "WORK_OF_ART", "FAC"}:
        # Names of people are often taken for those of other things.
        return "either"
    return "thing"
