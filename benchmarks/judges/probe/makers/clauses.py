"""Transitive clauses, and what can be said with them: roles swapped (false), a passive or a cleft (true)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from karat.language.analysis import ParsedSentence, Token
from makers.nouns import is_agent
from makers.sentence import (
    BOUNDS,
    NEGATIONS,
    OBJECTS,
    PRONOUNS,
    Edit,
    agreed,
    is_plural,
    lower_first,
    past_of,
    tidy,
    words_of,
)  # fmt: skip

SYMMETRIC = frozenset(
    "meet marry resemble equal match join date battle face play border accompany divorce complement"
    " parallel cross touch intersect overlap hug mirror rival engage merge combine share have be become"
    " remain include represent mean constitute comprise form kiss befriend fight encounter contact oppose"
    " outnumber tie connect link".split()
)
"""Verbs whose clause says (nearly) the same, or nothing, when subject and object are swapped."""
CAUSAL = frozenset(
    "cause affect influence replace exceed outweigh precede trigger drive outperform surpass shape"
    " increase reduce improve enhance promote worsen predict strengthen weaken undermine alter impact"
    " determine stimulate inhibit threaten accelerate destroy damage support limit control regulate"
    " generate produce".split()
)
"""Verbs between two things that can both be either."""
MOVING = frozenset("leave enter visit reach attend own possess contain carry ride hold join".split())
"""Verbs whose object is a place or a thing even where it could act ("left the bank")."""
NO_PASSIVE = frozenset(
    "have be become remain resemble lack cost weigh fit suit mean get take make give play want like"
    " include let need contain comprise involve equal total last enjoy hate love face leave enter reach"
    " join cross mind show feature see lose gain experience suffer say think know share undergo spend"
    " begin start stop continue try do go come possess own".split()
)
NOT_IN_CLAUSE = frozenset(
    "nsubjpass auxpass dative ccomp xcomp conj cc expl oprd neg agent csubj parataxis dep preconj attr acomp intj"
    " prt".split()
)
MEASURES = ("PERCENT", "QUANTITY", "DATE", "TIME", "MONEY", "CARDINAL", "ORDINAL")


class Phrase(NamedTuple):
    head: int
    start: int
    end: int


class Clause(NamedTuple):
    """A main clause with a subject before and an object behind its verb."""

    sentence: ParsedSentence
    verb: Token
    auxiliaries: tuple[Token, ...]
    subject: Phrase
    object: Phrase

    @property
    def finite(self) -> Token:
        return self.auxiliaries[0] if self.auxiliaries else self.verb


def phrase_of(sentence: ParsedSentence, head: int, *, most: int = 8) -> Phrase | None:
    """A noun phrase in one piece, without clauses, appositions or words that point at the other phrase."""
    below = sentence.subtree(head)
    start, end = below[0], below[-1] + 1
    tokens = [sentence.tokens[at] for at in below]
    if len(below) != end - start or len(below) > most:
        return None
    if any(token.dep in ("relcl", "acl", "appos", "pcomp", "advcl", "ccomp", "neg", "preconj") for token in tokens):
        return None
    if any(token.text.lower().endswith(("self", "selves")) or token.text in ",;:()[]\"“”–—/'‘" for token in tokens):
        return None
    if any(token.tag in ("PRP$", "WP", "WDT", "WP$", "EX", "SYM", "LS") for token in tokens):
        return None
    if sentence.tokens[head].pos not in ("NOUN", "PROPN", "PRON") or (
        len(below) > 1 and sentence.tokens[head].pos == "PRON"
    ):
        return None
    if any(token.pos == "PRON" and token.index != head for token in tokens):
        return None
    return Phrase(head, start, end)


def clause_of(sentence: ParsedSentence) -> Clause | None:
    """The main clause where it is plainly transitive."""
    verbs = [token for token in sentence.tokens if token.dep == "ROOT" and token.pos == "VERB"]
    if len(verbs) != 1 or (verbs[0].tag in ("VB", "VBG", "VBN") and not sentence.children(verbs[0].index, "aux")):
        return None
    verb = verbs[0]
    below = sentence.children(verb.index)
    subjects, objects = ([token for token in below if token.dep == dep] for dep in ("nsubj", "dobj"))
    if len(subjects) != 1 or len(objects) != 1 or any(token.dep in NOT_IN_CLAUSE for token in below):
        return None
    subject, object_ = phrase_of(sentence, subjects[0].index), phrase_of(sentence, objects[0].index)
    if subject is None or object_ is None or not subject.end <= verb.index < object_.start:
        return None
    auxiliaries = tuple(token for token in below if token.dep == "aux" and subject.end <= token.index < verb.index)
    # Between subject, verb and object there is nothing but auxiliaries and adverbs.
    between = [*range(subject.end, verb.index), *range(verb.index + 1, object_.start)]
    if any(
        sentence.tokens[at].dep not in ("aux", "advmod") or sentence.tokens[at].pos not in ("AUX", "ADV")
        for at in between
    ):
        return None
    if object_.start != verb.index + 1 or not _starts_well(sentence, subject) or not _sure_of_case(sentence.tokens):
        return None
    return Clause(sentence, verb, auxiliaries, subject, object_)


def _sure_of_case(tokens: Sequence[Token]) -> bool:
    """Whether it is plain how the first word is written inside a sentence."""
    first, second = tokens[0], tokens[1]
    return first.pos != "PROPN" or bool(first.ent_type) or second.text[:1].isupper() or first.text.isupper()


def _starts_well(sentence: ParsedSentence, subject: Phrase) -> bool:
    """Whether the subject is first, or behind an adjunct and a comma."""
    if subject.start == 0:
        return True
    before = sentence.tokens[: subject.start]
    return (
        before[-1].text == ","
        and before[0].dep in ("prep", "advmod", "npadvmod", "pobj", "amod", "det", "mark")
        and len(before) < 9
    )


def swapped(sentence: ParsedSentence) -> Iterator[Edit]:
    """Subject and object change places; nothing else changes but case and number."""
    clause = clause_of(sentence)
    if clause is None or clause.verb.lemma.lower() in SYMMETRIC | {"take", "make", "get", "give", "do", "find", "need"}:
        return
    heads = [sentence.tokens[phrase.head] for phrase in (clause.subject, clause.object)]
    if heads[0].lemma.lower() == heads[1].lemma.lower() or any(head.ent_type in MEASURES for head in heads):
        return
    # What follows the object may belong to the verb: "turned water into wine".
    agents = all(is_agent(sentence, head.index) for head in heads)
    things = clause.verb.lemma in CAUSAL and all(head.pos in ("NOUN", "PROPN") and not head.ent_type for head in heads)
    if not (agents or things) or words_of(sentence) & {"each", "other", "together", "itself", "himself", "herself"}:
        return
    if clause.verb.lemma in MOVING or not _plain_ending(clause):
        return
    pronouns = [head.text.lower() in PRONOUNS or head.text.lower() in OBJECTS for head in heads]
    if all(pronouns) or any(
        head.text.lower() in ("it", "i", "me", "you", "we", "us", "this", "that", "who") for head in heads
    ):
        return
    if any(head.pos == "PRON" and not is_pronoun for head, is_pronoun in zip(heads, pronouns, strict=True)):
        return
    yield Edit("agents" if agents else "things", _with(clause, clause.object, clause.subject))


def _plain_ending(clause: Clause) -> bool:
    """Whether what follows the object is short, and points at neither phrase."""
    rest = clause.sentence.tokens[clause.object.end :]
    pointing = {token.text.lower() for token in rest} & {"that", "which", "who", "whose", "by", "as", "into", "whom"}
    return len(rest) <= 16 and not pointing and all(token.tag not in ("PRP", "PRP$") for token in rest)


def _with(clause: Clause, subject: Phrase, object_: Phrase) -> str:
    sentence, tokens = clause.sentence, clause.sentence.tokens
    source = sentence.source
    finite = clause.finite
    plural = is_plural(sentence, subject.head)
    middle = [agreed(token, plural=plural) if token.index == finite.index else token.text
              for token in tokens[clause.subject.end : clause.verb.index + 1]]  # fmt: skip
    before = source[tokens[0].start : tokens[clause.subject.start].start]
    after = source[tokens[clause.object.end - 1].end : tokens[-1].end]
    return tidy(f"{before}{_phrase(sentence, subject, PRONOUNS_AS_SUBJECT)} {' '.join(middle)} "
                f"{_phrase(sentence, object_, PRONOUNS)}{after}")  # fmt: skip


PRONOUNS_AS_SUBJECT = OBJECTS


def _phrase(sentence: ParsedSentence, phrase: Phrase, cases: dict[str, str]) -> str:
    text = sentence.text_of(phrase.start, phrase.end)
    if phrase.end - phrase.start == 1 and text.lower() in cases:
        return cases[text.lower()]
    return lower_first(sentence, phrase.start, text)


def passive(sentence: ParsedSentence) -> Iterator[Edit]:
    """The object becomes the subject of a passive; the subject follows with "by"."""
    clause = clause_of(sentence)
    if clause is None or clause.verb.lemma.lower() in NO_PASSIVE or words_of(sentence) & (BOUNDS | NEGATIONS):
        return
    subject, object_ = (sentence.tokens[phrase.head] for phrase in (clause.subject, clause.object))
    if "PRON" in (subject.pos, object_.pos) or object_.ent_type in MEASURES or subject.ent_type in MEASURES:
        return
    advcls = sentence.children(clause.verb.index, "advcl")
    if any(not sentence.children(advcl.index, "mark", "advmod") or (sentence.children(advcl.index, "aux") and
           sentence.children(advcl.index, "aux")[0].text == "to") for advcl in advcls):  # fmt: skip
        return
    if any(token.tag == "PRP$" or token.tag == "PRP" for token in sentence.tokens[clause.object.end :]):
        return
    rest = {token.text.lower() for token in sentence.tokens[clause.object.end :]}
    if rest & {"by", "which", "who"} or len(sentence.tokens) > 30:
        return
    verb = _passive_verb(clause, plural=is_plural(sentence, object_.index))
    if verb is None:
        return
    tokens, source = sentence.tokens, sentence.source
    before = source[tokens[0].start : tokens[clause.subject.start].start]
    after = source[tokens[clause.object.end - 1].end : tokens[-1].end]
    yield Edit("passive", tidy(f"{before}{_phrase(sentence, clause.object, {})} {verb} by "
                               f"{_phrase(sentence, clause.subject, {})}{after}"))  # fmt: skip


def _passive_verb(clause: Clause, *, plural: bool) -> str | None:
    participle = past_of(clause.verb)
    adverbs = [
        token.text for token in clause.sentence.tokens[clause.subject.end : clause.verb.index] if token.pos == "ADV"
    ]
    if participle is None or len(clause.auxiliaries) > 2:
        return None
    if not clause.auxiliaries:
        past = clause.verb.tag == "VBD"
        be = {(True, True): "were", (True, False): "was", (False, True): "are", (False, False): "is"}[past, plural]
        return " ".join([be, *adverbs, participle])
    auxiliaries = [agreed(clause.finite, plural=plural), *(token.text for token in clause.auxiliaries[1:])]
    if "do" in (token.lemma for token in clause.auxiliaries) or "to" in auxiliaries:
        return None
    be = {"VB": "be", "VBN": "been", "VBG": "being"}.get(clause.verb.tag)
    return None if be is None else " ".join([*auxiliaries, *adverbs, be, participle])


def cleft(sentence: ParsedSentence) -> Iterator[Edit]:
    """It is the subject (or the object) that ...: what is said is the same."""
    clause = clause_of(sentence)
    if clause is None or clause.subject.start != 0 or words_of(sentence) & (BOUNDS | NEGATIONS):
        return
    if clause.verb.lemma in NO_PASSIVE or len(sentence.tokens) > 30:
        return
    past = clause.finite.tag == "VBD"
    be = "was" if past else "is"
    tokens, source = sentence.tokens, sentence.source
    rest = source[tokens[clause.subject.end].start : tokens[-1].end]
    subject = _phrase(sentence, clause.subject, {})
    if _definite(sentence, clause.subject):
        who = "who" if tokens[clause.subject.head].ent_type == "PERSON" else "that"
        yield Edit("subject cleft", tidy(f"It {be} {subject} {who} {rest}"))
    if (
        _definite(sentence, clause.object)
        and tokens[clause.object.head].ent_type not in MEASURES
        and tokens[clause.subject.head].pos != "PRON"
    ):
        verb = source[tokens[clause.subject.end].start : tokens[clause.verb.index].end]
        after = source[tokens[clause.object.end - 1].end : tokens[-1].end]
        yield Edit("object cleft", tidy(f"It {be} {_phrase(sentence, clause.object, {})} that {subject} {verb}{after}"))


def _definite(sentence: ParsedSentence, phrase: Phrase) -> bool:
    first, head = sentence.tokens[phrase.start], sentence.tokens[phrase.head]
    return head.pos == "PROPN" or (head.pos == "NOUN" and first.text.lower() in ("the", "this", "these", "those"))
