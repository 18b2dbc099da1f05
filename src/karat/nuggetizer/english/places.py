"""Names and places in a sentence: which role a name has, and the whole phrase of a place."""

from __future__ import annotations

from karat.language.analysis import ParsedSentence, Predicate, Token
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import (
    argument_at,
    chain_head,
    governing_verb,
    head_of,
    predicates_by_token,
    trimmed,
    verb_after_apposition,
)
from karat.nuggetizer.english.names import title_noun_of
from karat.nuggetizer.english.place_words import (
    CELESTIAL,
    LANDMARKS,
    PARTS_OF_PLACES,
    SPATIAL,
)
from karat.nuggetizer.english.word_lists import (
    DONE_THERE,
    EVENT_NOUNS,
    NOT_SOMEWHERE,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    RELATION_NOUNS,
    VISITING,
)

LEAVING = frozenset({"leave", "head", "depart", "sail", "set", "bind", "embark", "make"})
"""Verbs after which 'for' names a place to go to ("leave for")."""
OF_ACTION = ("tion", "sion", "ment", "ing", "ance", "ence", "al", "ure", "age")
"""Endings of nouns that are made from verbs."""
WHERE = (frozenset({"in", "at", "throughout"}) | SPATIAL) - {"into", "onto", "over"}
DEFINITE = frozenset("the this that these those".split())
PLACE_ROLES = frozenset({"ARGM-LOC", "ARGM-DIR", "ARGM-GOL"})
BY_GRAMMAR = {
    "nsubj": "ARG0", "nsubjpass": "ARG1", "dobj": "ARG1", "agent": "ARG0", "dative": "ARG2", "attr": "ARG2",
    "oprd": "ARG2", "csubj": "ARG0", "prep": "ARG2",
}  # fmt: skip
"""The most frequent role of each relation, for names without a role."""


def name_head(sentence: ParsedSentence, draft: Draft) -> int:
    """The head of a name."""
    return head_of(sentence, draft.start, draft.end)


def role_of_name(sentence: ParsedSentence, draft: Draft) -> tuple[str, Token] | None:
    """The role of a name as argument or modifier of a verb, and the verb; None if it is inside another phrase."""
    head = name_head(sentence, draft)
    if draft.type == "PER" and (noun := title_noun_of(sentence, head)) is not None:
        head = noun
    if draft.type in {"PER", "ORG"} and is_by_whom(sentence, head):
        return None
    if draft.type in {"GPE", "LOC"}:
        head = whole_place(sentence, head)
    verb = governing_verb(sentence, head)
    if verb is None and (lost := verb_after_apposition(sentence)) is not None:
        if sentence.tokens[head].dep == "ROOT":
            return "ARG0", sentence.tokens[lost]
        if head > lost and sentence.tokens[sentence.tokens[head].head].dep in {"ROOT"}:
            return "ARG1", sentence.tokens[lost]
    if verb is None:
        return None
    predicate = predicates_by_token(sentence).get(verb.index)
    argument = argument_at(sentence, predicate, head) if predicate is not None else None
    top = sentence.tokens[chain_head(sentence, head, "conj", "appos", "pobj")]
    if argument is not None:
        label = argument.label.removeprefix("C-").removeprefix("R-")
        if top.dep in {"nsubj", "nsubjpass", "dobj"} and label not in {"ARG0", "ARG1"}:
            # A subject or object in the parse is agent or patient, whatever the role labeller says.
            return BY_GRAMMAR[top.dep], verb
        return _by_preposition(sentence, head, verb, label) if draft.type in {"GPE", "LOC"} else label, verb
    if top.dep == "prep":
        return ("ARGM-LOC" if top.text.lower() in PLACE_PREPOSITIONS else "ARG2"), verb
    return BY_GRAMMAR.get(top.dep, "ARG1"), verb


def is_by_whom(sentence: ParsedSentence, index: int) -> bool:
    """Whether a name after 'by' says who made the object before it ('sold a painting by Monet'), not who acts."""
    name = sentence.tokens[chain_head(sentence, index, "conj", "appos")]
    by = sentence.tokens[name.head]
    if name.dep != "pobj" or by.text.lower() != "by":
        return False
    verb = sentence.tokens[by.head]
    if verb.pos not in {"VERB", "AUX"}:
        return verb.pos in {"NOUN", "PROPN"}
    if name.pos != "PROPN":
        return False
    objects = [child for child in sentence.children(verb.index, "dobj", "attr") if child.index < by.index]
    passive = bool(sentence.children(verb.index, "nsubjpass", "auxpass"))
    return bool(objects) and not passive and verb.tag != "VBN"


def _by_preposition(sentence: ParsedSentence, head: int, verb: Token, label: str) -> str:
    """The role of a place, corrected by its preposition: 'in' and 'to' say where, 'about' and 'of' do not."""
    preposition = preposition_of(sentence, head)
    if preposition is not None and preposition.text.lower() == "against":
        # Whom something is done against is no place, whatever the role labeller says.
        return "ARG1"
    if preposition is None or label.startswith("ARGM"):
        return label
    word = preposition.text.lower()
    if word in {"to", "from", "in", "into", "at", "near", "toward", "towards", "through", "across", "via", "between",
                "around", "along", "outside", "inside", "within", "onto", "off", "past", "beneath", "underneath",
                "below", "beside", "alongside", "atop", "opposite"}:  # fmt: skip
        return "ARG2" if label in {"ARG0", "ARG1"} else label
    if word in {"about", "of", "with", "against"} or (word == "for" and verb.lemma.lower() not in LEAVING):
        return "ARG1"
    return label


def preposition_of(sentence: ParsedSentence, index: int) -> Token | None:
    """The preposition before a place; for X in 'in the city of X' it is 'in'."""
    token = sentence.tokens[whole_place(sentence, index)]
    return sentence.tokens[token.head] if token.dep == "pobj" else None


def whole_place(sentence: ParsedSentence, index: int) -> int:
    """The noun that X belongs to: 'city' in 'the southern city of X'; otherwise the first of conjoined places."""
    index = chain_head(sentence, index, "conj", "appos")
    token = sentence.tokens[index]
    above = sentence.tokens[token.head]
    noun = sentence.tokens[above.head]
    if token.dep == "pobj" and above.text.lower() == "of" and _is_whole(sentence, noun):
        return whole_place(sentence, noun.index)
    return index


def _is_whole(sentence: ParsedSentence, noun: Token) -> bool:
    """Whether 'X of Y' is one place: 'the city of Y', and 'the ice of Y' after 'beneath'; not 'a statue of Y'."""
    if noun.lemma.lower() in PLACE_NOUNS:
        return True
    under = noun.dep == "pobj" and sentence.tokens[noun.head].text.lower() in SPATIAL | {"in", "on", "at"}
    return under and has_a_place(sentence, noun)


def phrase_of_place(sentence: ParsedSentence, draft: Draft) -> set[int]:
    """A place with its preposition and everything below it; without a preposition, only the place."""
    preposition = preposition_of(sentence, name_head(sentence, draft))
    if preposition is None:
        return set(draft.tokens)
    while preposition.dep in {"prep", "pcomp"} and sentence.tokens[preposition.head].pos in {"ADP", "ADV"}:
        outer = sentence.tokens[preposition.head]
        if outer.index != preposition.index - 1 and outer.pos != "ADP":
            break
        preposition = outer
    return phrase_below(sentence, preposition.index) | set(draft.tokens)


def phrase_below(sentence: ParsedSentence, index: int) -> set[int]:
    """A phrase without the clauses that depend on it and without punctuation at its ends."""
    tokens = set(sentence.subtree(index))
    for at in tuple(tokens):
        if at != index and sentence.tokens[at].dep in {"relcl", "advcl", "acl"} and at in tokens:
            tokens -= set(sentence.subtree(at))
    return trimmed(sentence, _unbroken(tokens, index))


def _unbroken(tokens: set[int], index: int) -> set[int]:
    start = end = index
    while start - 1 in tokens:
        start -= 1
    while end + 1 in tokens:
        end += 1
    return set(range(start, end + 1))


def is_visited(verb: Token, label: str) -> bool:
    """Whether a place is visited, entered or left: it is the object of such a verb."""
    return label == "ARG1" and verb.lemma.lower() in VISITING


def event_noun_of(sentence: ParsedSentence, draft: Draft) -> Token | None:
    """The event noun that a place belongs to: 'a visit to ...', 'the attack in ...'; None if there is none."""
    preposition = preposition_of(sentence, name_head(sentence, draft))
    if preposition is None or preposition.text.lower() not in PLACE_PREPOSITIONS:
        return None
    noun = sentence.tokens[preposition.head]
    where = preposition.text.lower() in {"in", "at", "near"}
    related = where and noun.pos == "NOUN" and noun.lemma.lower() in RELATION_NOUNS
    return noun if related or is_event_noun(sentence, noun) else None


def is_after_object(sentence: ParsedSentence, draft: Draft) -> bool:
    """Whether a place follows a noun that is the object of a verb, or part of it, or of its preposition.

    With 'the' or a possessive the verb must be one that is done where its object is ('opened the museum in Oslo').
    """
    preposition = preposition_of(sentence, name_head(sentence, draft))
    if preposition is None or preposition.dep != "prep" or preposition.text.lower() not in WHERE:
        return False
    noun = sentence.tokens[preposition.head]
    restricted = False
    while noun.pos == "NOUN":
        definite = any(child.lemma.lower() in DEFINITE for child in sentence.children(noun.index, "det"))
        restricted = restricted or definite or bool(sentence.children(noun.index, "poss"))
        above = sentence.tokens[noun.head]
        if noun.dep == "pobj" and above.text.lower() in {"to", "for", "about"}:
            # 'apologized to voters in Ohio': who they are, not where it was.
            return False
        if noun.dep == "pobj":
            above = sentence.tokens[above.head]
        elif noun.dep not in {"dobj", "conj"}:
            return False
        noun = above
    lemma = noun.lemma.lower()
    there = lemma in DONE_THERE if restricted else lemma not in NOT_SOMEWHERE
    return noun.pos == "VERB" and noun.index < draft.start and there


def is_event_noun(sentence: ParsedSentence, noun: Token) -> bool:
    """Whether a noun names an event: it is in the list, or it is a predicate and made from a verb."""
    if noun.pos not in {"NOUN", "PROPN"}:
        return False
    lemma = noun.lemma.lower()
    predicate: Predicate | None = predicates_by_token(sentence).get(noun.index)
    derived = predicate is not None and predicate.nominal and lemma.endswith(OF_ACTION)
    return lemma in EVENT_NOUNS or derived


def has_a_place(sentence: ParsedSentence, noun: Token) -> bool:
    """Whether a noun names a place or a thing that has a place; for 'the middle of X', whether X does."""
    lemma = noun.lemma.lower()
    if lemma in PARTS_OF_PLACES and lemma not in PLACE_NOUNS:
        below = [of for of in sentence.children(noun.index, "prep") if of.text.lower() == "of"]
        return any(has_a_place(sentence, child) for of in below for child in sentence.children(of.index, "pobj"))
    if noun.ent_type in {"GPE", "LOC", "FAC"} or lemma in CELESTIAL:
        return True
    # 'car park' and 'bus stop' are tagged as nouns, 'the Louvre' as a name.
    return noun.pos in {"NOUN", "PROPN"} and (lemma in PLACE_NOUNS or lemma in LANDMARKS) and not noun.ent_type


def is_place_noun(noun: Token) -> bool:
    return noun.lemma.lower() in PLACE_NOUNS


def is_addressed(sentence: ParsedSentence, draft: Draft) -> bool:
    """Whether a name between commas (or at the beginning, before a comma) is the person who is spoken to."""
    after = sentence.tokens[draft.end].text if draft.end < len(sentence.tokens) else ""
    if after not in {",", "?", "."}:
        return False
    first = draft.start
    while first > 0 and sentence.tokens[first - 1].dep in {"compound", "nmod"}:
        first -= 1
    before = sentence.tokens[first - 1] if first > 0 else None
    if before is not None and before.text != "," and before.pos not in {"INTJ", "CCONJ"}:
        return False
    head = sentence.tokens[name_head(sentence, draft)]
    governor = sentence.tokens[head.head]
    if head.dep in {"npadvmod", "intj", "vocative"} or (
        head.dep == "appos" and governor.pos in {"PRON", "INTJ", "DET"}
    ):
        return True
    if head.dep not in {"nsubj", "nsubjpass"} or after != ",":
        return False
    # A single comma between a subject and its verb: the name is not the real subject.
    commas = sum(sentence.tokens[at].text == "," for at in range(draft.end, governor.index))
    spoken = any(token.text.lower() in {"you", "your"} for token in sentence.tokens)
    return commas == 1 and spoken and not sentence.children(head.index, "conj", "cc")
