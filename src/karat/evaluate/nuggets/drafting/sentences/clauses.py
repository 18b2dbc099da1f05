"""Split a sentence into clauses that each say something true by themselves; in doubt it stays whole.

Split are: main clauses joined by "and", "but" or ";" that have their own subjects; verbs joined by "and" or "but" that
share a subject, which is then written twice; and relative clauses with a comma ("Ana Ruiz, who ...,"). Not split is
whatever a condition, a time, a negation, a modal verb, a reporting verb or an amount ("few people ...") may cover.
"""

from __future__ import annotations

from itertools import pairwise

from karat.evaluate.nuggets.drafting.sentences.mentions import UNBOUND_AMOUNTS
from karat.evaluate.nuggets.drafting.sentences.wording import Clause, is_finite, subject_of
from karat.language.analysis import ParsedSentence, Token
from karat.text.words import STOP_WORDS

FEWEST_WORDS = 4
FEWEST_CONTENT_WORDS = 3
LONGEST_SUBJECT = 10
LONG = 30
"""A sentence of more words is shortened where it can be."""
_JOINING = frozenset({"and", "but", "yet", ";"})
_REPORTING = frozenset(
    """say tell report claim suggest argue state believe think note explain find show indicate announce warn add admit
    insist propose estimate conclude write mention acknowledge assert observe allege recommend advise require ensure
    mean imply require demand help make let cause allow""".split()
)
_COMPLEMENTS = (
    "dobj",
    "attr",
    "acomp",
    "prep",
    "ccomp",
    "xcomp",
    "agent",
    "oprd",
    "dative",
    "prt",
    "advmod",
    "npadvmod",
)
_LIMITING = UNBOUND_AMOUNTS | {"only", "not", "fewer", "less", "nobody", "nothing", "there", "who", "which", "that",
                               "what", "some", "many", "most", "several", "half", "others", "one"}  # fmt: skip
_PAIRED = frozenset({"either", "neither", "whether", "if", "unless", "only", "both", "let", "would"})


def split_clauses(clause: Clause) -> list[Clause]:
    """The clauses of a whole sentence; only the sentence itself where it cannot be split surely."""
    if not clause.is_parsed:
        return [clause]
    parts = [piece for part in _coordinated(clause) for piece in _relative(part)]
    return parts if all(_is_fit(part) for part in parts) else [clause]


def shortened(clause: Clause) -> Clause:
    """A long sentence without a relative clause at its end; the rest is said in any case."""
    if len(clause.tokens) <= LONG or not clause.is_parsed:
        return clause
    for at in clause.tokens:
        token = clause.at(at)
        if token.dep != "relcl":
            continue
        below = clause.sentence.subtree(at)
        start = below[0]
        starts_with_which = (
            clause.at(start).text.lower() in {"which", "who"} and start > 0 and clause.at(start - 1).text == ","
        )
        if starts_with_which and below[-1] >= len(clause.sentence.tokens) - 2 and _is_whole_tail(clause, below):
            short = clause.without([start - 1, *below])
            if _is_fit(short):
                return short
    return clause


def _is_whole_tail(clause: Clause, below: tuple[int, ...]) -> bool:
    return list(below) == list(range(below[0], below[-1] + 1))


def _coordinated(clause: Clause) -> list[Clause]:
    sentence = clause.sentence
    verbs = [clause.verb]
    while True:
        joined = [child for child in sentence.children(verbs[-1], "conj") if child.pos in {"VERB", "AUX"}]
        if len(joined) != 1:
            break
        verbs.append(joined[0].index)
    if len(verbs) < 2 or not _may_split(clause, verbs):
        return [clause]
    subject = subject_of(sentence, verbs[0])
    assert subject is not None
    parts = []
    for at, verb in enumerate(verbs):
        inner = set(sentence.subtree(verb))
        if at + 1 < len(verbs):
            inner -= set(sentence.subtree(verbs[at + 1]))
            inner -= _links(sentence, verb, verbs[at + 1])
        if at == 0:
            inner -= _final_stop(sentence)
        own = subject_of(sentence, verb)
        lead = () if own is not None else sentence.subtree(subject)
        if own is None and not _may_share(clause, verbs[0], verb, lead):
            return [clause]
        parts.append(Clause(sentence, (*lead, *sorted(inner & set(clause.tokens))), verb))
    return parts


def _final_stop(sentence: ParsedSentence) -> set[int]:
    return {token.index for token in sentence.tokens[-1:] if token.text in {".", "!", "?"}}


def _links(sentence: ParsedSentence, verb: int, following: int) -> set[int]:
    """The conjunction and the comma between two verbs' clauses."""
    start = sentence.subtree(following)[0]
    links = {child.index for child in sentence.children(verb, "cc") if verb < child.index < following}
    links |= {child.index for child in sentence.children(verb, "punct") if verb < child.index <= start}
    return links


def _may_split(clause: Clause, verbs: list[int]) -> bool:
    sentence = clause.sentence
    words = {sentence.tokens[at].text.lower() for at in clause.tokens}
    subject = subject_of(sentence, verbs[0])
    if subject is None or words & _PAIRED or "?" in words or ":" in words:
        return False
    if any(token.text not in {'"', "“", "'"} for token in sentence.tokens[: sentence.subtree(subject)[0]]):
        # Something before the subject, which may be said of all clauses.
        return False
    for verb, following in pairwise(verbs):
        links = [child.text.lower() for child in sentence.children(verb, "cc") if verb < child.index < following]
        marks = {child.text for child in sentence.children(verb, "punct") if verb < child.index < following}
        if not links and ";" not in marks and (following == verbs[-1] or "," not in marks):
            return False
        if any(link not in _JOINING for link in links):
            return False
    for verb in verbs:
        token = sentence.tokens[verb]
        if not is_finite(sentence, verb) or sentence.children(verb, "advcl", "mark", "preconj", "parataxis"):
            return False
        if token.lemma.lower() in _REPORTING and sentence.children(verb, "ccomp"):
            return False
    return True


def _may_share(clause: Clause, first: int, verb: int, subject: tuple[int, ...]) -> bool:
    """Whether a verb without a subject may get that of the first verb."""
    sentence = clause.sentence
    if len(subject) > LONGEST_SUBJECT or {sentence.tokens[at].text.lower() for at in subject} & _LIMITING:
        return False
    if sentence.tokens[first].tag not in {"VBD", "VBZ", "VBP"} or sentence.children(first, "neg", "aux", "auxpass"):
        return False
    if sentence.tokens[verb].tag not in {"VBD", "VBZ", "VBP"} and not sentence.children(verb, "aux", "auxpass"):
        return False
    if subject[0] > first:
        return False
    following = sentence.subtree(verb)[0]
    complements = [child for child in sentence.children(first, *_COMPLEMENTS) if first < child.index < following]
    if not complements or sentence.tokens[first].tag != sentence.tokens[verb].tag != "VBD":
        return bool(complements) and _same_tense(sentence.tokens[first], sentence.tokens[verb])
    return all(child.dep != "prep" or sentence.children(child.index) for child in complements)


def _same_tense(first: Token, other: Token) -> bool:
    past = {"VBD"}
    return (first.tag in past) == (other.tag in past) or other.tag not in {"VBD", "VBZ", "VBP"}


def _relative(clause: Clause) -> list[Clause]:
    """A clause and its relative clause as two clauses, if the relative clause surely belongs to one noun."""
    sentence = clause.sentence
    inside = set(clause.tokens)
    for at in clause.tokens:
        verb = sentence.tokens[at]
        if verb.dep != "relcl" or not is_finite(sentence, at):
            continue
        below = sentence.subtree(at)
        pronoun = sentence.tokens[below[0]]
        noun = sentence.tokens[verb.head]
        if not set(below) <= inside or not _is_whole_tail(clause, below) or below[0] < 2:
            continue
        if (
            pronoun.text.lower() not in {"who", "which"}
            or pronoun.dep not in {"nsubj", "nsubjpass"}
            or pronoun.head != at
        ):
            continue
        if sentence.tokens[below[0] - 1].text != ",":
            continue
        after = below[-1] + 1
        closed = after < len(sentence.tokens) and sentence.tokens[after].text == ","
        if not _surely_of(clause, noun, verb, pronoun, closed=closed):
            continue
        phrase = [one for one in sentence.subtree(noun.index) if one < below[0] - 1]
        if (
            len(phrase) > LONGEST_SUBJECT
            or phrase != list(range(phrase[0], phrase[-1] + 1))
            or noun.dep in {"conj", "appos"}
        ):
            continue
        gone = {below[0] - 1, *below, *([after] if closed else [])}
        rest = clause.without(gone)
        said = Clause(sentence, (*phrase, *(one for one in below if one != below[0])), at, put=clause.put)
        if _is_fit(rest) and _is_fit(said):
            return [rest, said]
    return [clause]


def _surely_of(clause: Clause, noun: Token, verb: Token, pronoun: Token, *, closed: bool) -> bool:
    """Whether "which" is about the noun before it and not about the whole statement."""
    sentence = clause.sentence
    first = sentence.tokens[sentence.subtree(noun.index)[0]]
    definite = noun.pos == "PROPN" or noun.tag in {"NNS", "NNPS"} or first.text.lower() in {"the", "its", "their"}
    if not definite or sentence.children(noun.index, "conj"):
        return False
    if {sentence.tokens[at].text.lower() for at in sentence.subtree(noun.index) if at < pronoun.index} & _LIMITING:
        return False
    if pronoun.text.lower() == "who":
        return noun.ent_type == "PERSON" or noun.dep in {"nsubj", "nsubjpass"}
    is_subject = noun.dep in {"nsubj", "nsubjpass"} and noun.head == clause.verb and noun.index < clause.verb
    if is_subject and closed:
        return True
    auxiliaries = [verb, *sentence.children(verb.index, "aux", "auxpass")]
    plural = any(word.tag == "VBP" or word.text.lower() == "were" for word in auxiliaries)
    return plural and noun.tag in {"NNS", "NNPS"} and pronoun.index == noun.index + 2


def _is_fit(clause: Clause) -> bool:
    """Whether a part is long enough to say something, and its quotation marks and brackets are in pairs."""
    texts = [clause.at(at).text for at in clause.tokens]
    words = [text for text in texts if any(character.isalnum() for character in text)]
    content = [word for word in words if word.lower() not in STOP_WORDS]
    quotes = sum(text in {'"', "“", "”"} for text in texts)
    brackets = sum(text == "(" for text in texts) - sum(text == ")" for text in texts)
    return len(words) >= FEWEST_WORDS and len(content) >= FEWEST_CONTENT_WORDS and quotes % 2 == 0 and brackets == 0
