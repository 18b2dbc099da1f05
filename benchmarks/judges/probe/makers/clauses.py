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
UNSWAPPED = frozenset("each other together itself himself herself both no only respectively between".split())
MOVING = frozenset(
    "leave enter visit reach attend own possess contain carry ride hold join win use found run start descend begin"
    " write open create throw buy sell".split()
)
"""Verbs whose object is a place or a thing even where it could act ("left the bank")."""
NO_PASSIVE = frozenset(
    "have be become remain resemble lack cost weigh fit suit mean get take make give play want like"
    " include let need contain comprise involve equal total last enjoy hate love face leave enter reach"
    " join cross mind show feature see lose gain experience suffer say think know share undergo spend"
    " begin start stop continue try do go come possess own"
    " develop represent hit ride regain exhibit earn pay hear hold".split()
)
NOT_IN_CLAUSE = frozenset(
    "nsubjpass auxpass dative expl oprd agent csubj parataxis dep preconj attr acomp intj prt".split()
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
    if tokens[0].tag == "VBG" or any(token.dep == "cc" and token.text.lower() not in ("and", "or") for token in tokens):
        return None
    if any(token.tag in ("PRP$", "WP", "WDT", "WP$", "EX", "SYM", "LS") for token in tokens):
        return None
    if sentence.tokens[head].pos not in ("NOUN", "PROPN", "PRON") or (
        len(below) > 1 and sentence.tokens[head].pos == "PRON"
    ):
        return None
    if any(token.pos == "VERB" or (token.pos == "PRON" and token.index != head) for token in tokens):
        return None
    return Phrase(head, start, end)


def clauses_of(sentence: ParsedSentence) -> Iterator[Clause]:
    """The clauses that are plainly transitive: the main clause, and those under "that", "because" and the like."""
    for verb in sentence.tokens:
        if verb.pos == "VERB" and verb.dep in ("ROOT", "ccomp", "advcl", "conj"):
            clause = _clause_of(sentence, verb)
            if clause is not None and _sure_of_case(sentence.tokens):
                yield clause


def main_clause(sentence: ParsedSentence) -> Clause | None:
    """The main clause, where no other clause depends on it."""
    found = next((clause for clause in clauses_of(sentence) if clause.verb.dep == "ROOT"), None)
    more = ("ccomp", "xcomp", "conj", "neg")
    return None if found is None or sentence.children(found.verb.index, *more) else found


def _clause_of(sentence: ParsedSentence, verb: Token) -> Clause | None:
    below = sentence.children(verb.index)
    if verb.tag in ("VB", "VBG", "VBN") and not sentence.children(verb.index, "aux"):
        return None
    subjects, objects = ([token for token in below if token.dep == dep] for dep in ("nsubj", "dobj"))
    if len(subjects) != 1 or len(objects) != 1 or any(token.dep in NOT_IN_CLAUSE for token in below):
        return None
    # A second verb with the same subject would get another subject, too.
    if any(token.dep == "conj" and not sentence.children(token.index, "nsubj", "nsubjpass") for token in below):
        return None
    subject, object_ = phrase_of(sentence, subjects[0].index), phrase_of(sentence, objects[0].index)
    if subject is None or object_ is None or not subject.end <= verb.index or object_.start != verb.index + 1:
        return None
    # Between subject and verb there is nothing but auxiliaries and adverbs.
    between = sentence.tokens[subject.end : verb.index]
    if any(token.dep not in ("aux", "advmod", "neg") or token.pos not in ("AUX", "ADV", "PART") for token in between):
        return None
    auxiliaries = tuple(token for token in between if token.dep == "aux")
    return Clause(sentence, verb, auxiliaries, subject, object_) if _starts_well(sentence, verb, subject) else None


def _sure_of_case(tokens: Sequence[Token]) -> bool:
    """Whether it is plain how the first word is written inside a sentence."""
    first, second = tokens[0], tokens[1]
    return first.pos != "PROPN" or bool(first.ent_type) or second.text[:1].isupper() or first.text.isupper()


def _starts_well(sentence: ParsedSentence, verb: Token, subject: Phrase) -> bool:
    """Whether the subject is first in the sentence or in its clause, or behind an adjunct and a comma."""
    if subject.start == 0:
        return True
    before = sentence.tokens[: subject.start]
    if verb.dep != "ROOT":
        return before[-1].dep in ("mark", "cc") and before[-1].text.lower() not in ("if", "whether", "unless")
    opening = ("prep", "advmod", "npadvmod", "pobj", "amod", "det", "mark")
    return before[0].dep in opening and len(before) < 9 and before[-1].dep not in ("det", "amod", "compound", "nummod")


def swapped(sentence: ParsedSentence) -> Iterator[Edit]:
    """Subject and object change places; nothing else changes but case and number."""
    for clause in clauses_of(sentence):
        yield from _swapped(clause)


def _swapped(clause: Clause) -> Iterator[Edit]:
    sentence = clause.sentence
    if clause.verb.lemma.lower() in SYMMETRIC | {"take", "make", "get", "give", "do", "find", "need"}:
        return
    heads = [sentence.tokens[phrase.head] for phrase in (clause.subject, clause.object)]
    if heads[0].lemma.lower() == heads[1].lemma.lower() or any(head.ent_type in MEASURES for head in heads):
        return
    # What follows the object may belong to the verb: "turned water into wine".
    agents = all(is_agent(sentence, head.index) for head in heads)
    opening = {sentence.tokens[phrase.start].text.lower() for phrase in (clause.subject, clause.object)}
    things = (
        clause.verb.lemma in CAUSAL
        and not opening & {"this", "these", "that", "those", "such"}
        and all(head.pos == "NOUN" and not head.ent_type for head in heads)
    )
    if not (agents or things) or words_of(sentence) & UNSWAPPED:
        return
    if clause.verb.lemma in MOVING or not _plain_ending(clause, agents=agents):
        return
    pronouns = [head.text.lower() in PRONOUNS or head.text.lower() in OBJECTS for head in heads]
    if any(head.text.lower() in ("it", "i", "me", "you", "we", "us", "this", "that", "who") for head in heads):
        return
    if any(head.pos == "PRON" and not is_pronoun for head, is_pronoun in zip(heads, pronouns, strict=True)):
        return
    form = "things" if not agents else "people, a pronoun" if any(pronouns) else "people"
    yield Edit(form, _with(clause, clause.object, clause.subject))


def _plain_ending(clause: Clause, *, agents: bool) -> bool:
    """Whether what follows the object is short, and describes neither phrase."""
    rest = clause.sentence.tokens[clause.object.end :]
    words = {token.text.lower() for token in rest}
    if len(rest) > 16 or words & {"which", "who", "whose", "whom"}:
        return False
    return agents or not (words & {"that", "by", "as", "into"} or any(token.tag in ("PRP", "PRP$") for token in rest))


def _with(clause: Clause, subject: Phrase, object_: Phrase) -> str:
    sentence, tokens = clause.sentence, clause.sentence.tokens
    source = sentence.source
    finite = clause.finite
    plural = is_plural(sentence, subject.head)
    middle = "".join(
        (agreed(token, plural=plural) if token.index == finite.index else token.text)
        + source[token.end : tokens[token.index + 1].start]
        for token in tokens[clause.subject.end : clause.verb.index + 1]
    )
    before = source[tokens[0].start : tokens[clause.subject.start].start]
    after = source[tokens[clause.object.end - 1].end : tokens[-1].end]
    new = f"{_phrase(sentence, subject, OBJECTS)} {middle.strip()} {_phrase(sentence, object_, PRONOUNS)}"
    return tidy(f"{before}{new}{after}")


def _phrase(sentence: ParsedSentence, phrase: Phrase, cases: dict[str, str]) -> str:
    text = sentence.text_of(phrase.start, phrase.end)
    if phrase.end - phrase.start == 1 and text.lower() in cases:
        return cases[text.lower()]
    return lower_first(sentence, phrase.start, text)


def passive(sentence: ParsedSentence) -> Iterator[Edit]:
    """The object becomes the subject of a passive; the subject follows with "by"."""
    clause = main_clause(sentence)
    if clause is None or clause.verb.lemma.lower() in NO_PASSIVE or words_of(sentence) & (BOUNDS | NEGATIONS):
        return
    subject, object_ = (sentence.tokens[phrase.head] for phrase in (clause.subject, clause.object))
    if sentence.tokens[clause.object.end - 1].text.lower() in ("home", "today", "there"):
        return
    if "PRON" in (subject.pos, object_.pos) or object_.ent_type in MEASURES or subject.ent_type in MEASURES:
        return
    after_object = sentence.tokens[clause.object.end :]
    # "After holding auditions" is about the subject, and so are pronouns.
    if any(token.tag in ("VBG", "PRP", "PRP$") or (token.tag == "TO" and token.dep == "aux") for token in after_object):
        return
    rest = {token.text.lower() for token in after_object}
    if rest & {"by", "which", "who", "alike"} or len(sentence.tokens) > 30:
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
    if "do" in (token.lemma for token in clause.auxiliaries) or clause.finite.text.lower() == "to":
        return None
    be = {"VB": "be", "VBN": "been", "VBG": "being"}.get(clause.verb.tag)
    if be is None:
        return None
    # "Is also being tested", but "has been badly damaged".
    late = [adverb for adverb in adverbs if adverb.endswith("ly") and be != "being"]
    early = [adverb for adverb in adverbs if adverb not in late]
    later = [token.text for token in clause.auxiliaries[1:]]
    return " ".join([agreed(clause.finite, plural=plural), *early, *later, be, *late, participle])


def cleft(sentence: ParsedSentence) -> Iterator[Edit]:
    """It is the subject (or the object) that ...: what is said is the same."""
    clause = main_clause(sentence)
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
