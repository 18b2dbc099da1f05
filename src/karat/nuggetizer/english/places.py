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
)
from karat.nuggetizer.english.word_lists import (
    EVENT_NOUNS,
    MOTION_NOUNS,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    RELATION_NOUNS,
    SURFACES,
    TOPIC_VERBS,
    VISITING,
)

LEAVING = frozenset({"leave", "head", "depart", "sail", "set", "bind", "embark", "make"})
"""Verbs after which 'for' names a place to go to ("leave for")."""
OF_ACTION = ("tion", "sion", "ment", "ing", "ance", "ence", "al", "ure", "age")
"""Endings of nouns that are made from verbs."""
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
    if draft.type in {"GPE", "LOC"}:
        head = whole_place(sentence, head)
    verb = governing_verb(sentence, head)
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


def _by_preposition(sentence: ParsedSentence, head: int, verb: Token, label: str) -> str:
    """The role of a place, corrected by its preposition: 'in' and 'to' say where, 'about' and 'of' do not."""
    preposition = preposition_of(sentence, head)
    if preposition is None or label.startswith("ARGM"):
        return label
    word = preposition.text.lower()
    if word in {"to", "from", "in", "into", "at", "near", "toward", "towards", "through", "across", "via"}:
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
    if token.dep == "pobj" and above.text.lower() == "of" and noun.lemma.lower() in PLACE_NOUNS:
        return whole_place(sentence, noun.index)
    return index


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


def is_event_noun(sentence: ParsedSentence, noun: Token) -> bool:
    """Whether a noun names an event: it is in the list, or it is a predicate and made from a verb."""
    if noun.pos not in {"NOUN", "PROPN"}:
        return False
    lemma = noun.lemma.lower()
    predicate: Predicate | None = predicates_by_token(sentence).get(noun.index)
    derived = predicate is not None and predicate.nominal and lemma.endswith(OF_ACTION)
    return lemma in EVENT_NOUNS or derived


def are_participants(sentence: ParsedSentence, draft: Draft) -> bool:
    """Whether a phrase with 'between' or 'among' names who takes part in an event or a relation, and not a place.

    The noun or verb that it depends on decides: 'the war between ...'; 'fighting broke out between ...', where the
    subject is the event. A journey between two places is a route.
    """
    preposition = sentence.tokens[draft.start]
    if preposition.text.lower() not in {"between", "among", "amongst"} or preposition.pos not in {"ADP", "SCONJ"}:
        return False
    above = sentence.tokens[preposition.head]
    nouns = [above, *sentence.children(above.index, "nsubj", "nsubjpass", "dobj")]
    return any(_has_parties(sentence, noun) for noun in nouns if noun.index != preposition.index)


def _has_parties(sentence: ParsedSentence, noun: Token) -> bool:
    lemma = noun.lemma.lower()
    if lemma in MOTION_NOUNS or lemma in PLACE_NOUNS or noun.pos != "NOUN":
        return False
    return lemma in RELATION_NOUNS or is_event_noun(sentence, noun)


def topic_of(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether a phrase with 'on' says what its verb is about ('comment on the report'); a named place is no topic."""
    verb = sentence.tokens[preposition.head]
    nouns = sentence.children(preposition.index, "pobj")
    if preposition.text.lower() not in {"on", "upon"} or verb.lemma.lower() not in TOPIC_VERBS or not nouns:
        return False
    # 'worked on the farm' says where; one does not focus or vote on a farm in that sense.
    where = verb.lemma.lower() in {"work", "lecture"}
    return not any(
        noun.ent_type in {"GPE", "LOC", "FAC", "DATE", "TIME"} or (where and _is_place(noun)) for noun in nouns
    )


def is_state(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether a phrase with 'on' and a bare noun says how or in what state: 'on foot', 'on strike'; not 'on stage'."""
    nouns = sentence.children(preposition.index, "pobj")
    if preposition.text.lower() != "on" or len(nouns) != 1:
        return False
    noun = nouns[0]
    bare = noun.tag == "NN" and not noun.ent_type and len(sentence.subtree(noun.index)) == 1
    return bare and not _is_place(noun) and noun.lemma.lower() not in SURFACES


def _is_place(noun: Token) -> bool:
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
