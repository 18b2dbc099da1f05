"""Clauses with a doer and something done to: the same said in another order, or with the two exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Token = Any
Span = Any
_SYMMETRIC = frozenset(
    "meet marry equal resemble match accompany be have include contain mean become remain divorce fight join date cost "
    "take make do get feature star comprise constitute total number involve play weigh last measure oppose contact "
    "face border parallel encounter".split()
)
"""Verbs whose swap may stay true, or says nothing."""
PRONOUN = frozenset({"PRP", "PRP$", "WP", "WDT", "EX", "WP$"})
_RESTRICTED = frozenset({"relcl", "acl", "advcl", "ccomp", "xcomp"})


def participles(docs: Iterable[Any]) -> dict[str, str]:
    """The past participle of each verb, as the texts have it."""
    found: dict[str, dict[str, int]] = {}
    for doc in docs:
        for token in doc:
            if token.tag_ == "VBN" and token.is_alpha:
                forms = found.setdefault(token.lemma_, {})
                forms[token.lower_] = forms.get(token.lower_, 0) + 1
    return {lemma: max(forms, key=lambda form: forms[form]) for lemma, forms in found.items()}


class Clause:
    """Subject, verb group and object of a sentence's main clause, with the text before and after."""

    def __init__(self, sentence: Span, verb: Token, subject: Token, other: Token) -> None:
        self.sentence, self.verb = sentence, verb
        self.passive = subject.dep_ == "nsubjpass"
        self.subject, self.object = subtree(subject), subtree(other)
        self.aux = [child for child in verb.children if child.dep_ in ("aux", "auxpass", "neg") and child.i < verb.i]
        self.subject_head, self.object_head = subject, other

    def parts(self) -> tuple[str, str, str, str]:
        """Text before the subject, subject, object, and text after the object."""
        first, last = self.subject, self.object
        doc = self.sentence.doc
        before = doc[self.sentence.start : first[0]].text
        after = doc[last[1] : self.sentence.end].text
        return before, doc[first[0] : first[1]].text, doc[last[0] : last[1]].text, after

    def middle(self) -> str:
        """Text between subject and object."""
        return str(self.sentence.doc[self.subject[1] : self.object[0]].text)


def find_clause(sentence: Span) -> Clause | None:
    """The main clause with two full noun phrases: subject and object, or passive subject and "by" phrase."""
    verb = sentence.root
    if verb.pos_ != "VERB" or verb.lemma_ in _SYMMETRIC:
        return None
    children = {child.dep_: child for child in verb.children}
    subject = children.get("nsubj") or children.get("nsubjpass")
    other = children.get("dobj")
    if subject is not None and subject.dep_ == "nsubjpass" and "agent" in children:
        other = next((child for child in children["agent"].children if child.dep_ == "pobj"), None)
    if (
        subject is None
        or other is None
        or not subject.i < verb.i < other.i
        or "prt" in children
        or "dative" in children
    ):
        return None
    for head in (subject, other):
        start, end = subtree(head)
        span = sentence.doc[start:end]
        if head.tag_ in PRONOUN or head.pos_ not in ("NOUN", "PROPN") or end - start > 9:
            return None
        if any(token.dep_ in _RESTRICTED or token.tag_ in PRONOUN for token in span):
            return None
    clause = Clause(sentence, verb, subject, other)
    return clause if clause.subject[1] <= verb.i < clause.object[0] else None


def swapped(clause: Clause, *, whole: bool) -> str:
    """The sentence with the two noun phrases exchanged: who did it and to whom it was done."""
    before, subject, other, after = clause.parts()
    if not before:
        subject = lowered(subject, clause.sentence.doc[clause.subject[0]])
    middle = _agreed(clause, clause.middle())
    text = f"{other} {middle} {subject}"
    return finished(f"{before} {text}{_joined(after)}" if whole else text)


def active(clause: Clause) -> str:
    """The clause alone, in its own order."""
    _, subject, other, _ = clause.parts()
    return finished(f"{subject} {clause.middle()} {other}")


def turned(clause: Clause, forms: dict[str, str], *, swap: bool, style: str) -> str | None:
    """The clause the other way round: active as passive or cleft, passive as active; with roles exchanged if asked."""
    _, subject, other, _ = clause.parts()
    subject = lowered(subject, clause.sentence.doc[clause.subject[0]])
    agent, patient = (other, subject) if clause.passive else (subject, other)
    heads = (clause.object_head, clause.subject_head) if clause.passive else (clause.subject_head, clause.object_head)
    if swap:
        agent, patient, heads = patient, agent, heads[::-1]
    group = _verb_group(clause, forms, agent=heads[0], patient=heads[1])
    if group is None:
        return None
    active_verb, passive_verb = group
    was = "was" if clause.verb.tag_ in ("VBD", "VBN") else "is"
    return finished(
        {
            "active": f"{agent} {active_verb} {patient}",
            "passive": f"{patient} {passive_verb} by {agent}",
            "cleft": f"It {was} {agent} that {active_verb} {patient}",
            "cleft-passive": f"It {was} {patient} that {passive_verb} by {agent}",
            "cleft-object": f"It {was} {patient} that {agent} {active_verb}",
        }[style]
    )


def _verb_group(clause: Clause, forms: dict[str, str], *, agent: Token, patient: Token) -> tuple[str, str] | None:
    """The verb with its auxiliaries, as active and as passive."""
    verb, lemma = clause.verb, clause.verb.lemma_
    participle = forms.get(lemma)
    if (
        participle is None
        or any(token.dep_ == "neg" for token in clause.aux)
        or (verb.tag_ in ("VBG", "VB") and not clause.aux)
    ):
        return None
    many, much = plural(patient), plural(agent)
    aux = [token for token in clause.aux if token.dep_ == "aux"]
    if clause.passive:
        tense = clause.aux[0].lower_ if clause.aux else "was"
        if len(clause.aux) != 1 or tense not in ("was", "were", "is", "are"):
            return None
        if tense in ("is", "are"):
            return _present(lemma, plural=much), f"{'are' if many else 'is'} {participle}"
        past = next((form for form in (_past(lemma, participle),) if form), None)
        return (past, f"{'were' if many else 'was'} {participle}") if past else None
    if not aux and verb.tag_ == "VBD":
        return verb.text, f"{'were' if many else 'was'} {participle}"
    if not aux and verb.tag_ in ("VBZ", "VBP"):
        return _present(lemma, plural=much), f"{'are' if many else 'is'} {participle}"
    if len(aux) == 1 and aux[0].tag_ == "MD" and verb.tag_ == "VB":
        return f"{aux[0].text} {verb.text}", f"{aux[0].text} be {participle}"
    if len(aux) == 1 and aux[0].lemma_ == "have" and verb.tag_ == "VBN":
        have = aux[0].text if aux[0].text == "had" else ("have" if many else "has")
        haves = aux[0].text if aux[0].text == "had" else ("have" if much else "has")
        return f"{haves} {participle}", f"{have} been {participle}"
    return None


def finished(text: str) -> str:
    """The text as a sentence: a capital at the start, one full stop at the end, no doubled blanks."""
    text = re.sub(r"\s+", " ", text).strip(" ,;:")
    text = re.sub(r"\s+([,.;])", r"\1", text)
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?\"'" else ".")


def numbers_of(sentences: Sequence[str]) -> list[str]:
    """The plain numbers of some sentences."""
    return [number for text in sentences for number in re.findall(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?!\w)", text)]


def spans(doc: Any, *, shortest: int, longest: int) -> Iterator[Span]:
    """The sentences of a text that are whole and of a fitting length."""
    for sentence in doc.sents:
        if (
            shortest <= len(sentence) <= longest
            and sentence.text.strip()[-1:] in ".!"
            and sentence[0].text[:1].isupper()
        ):
            yield sentence


def subtree(token: Token) -> tuple[int, int]:
    return token.left_edge.i, token.right_edge.i + 1


def plural(token: Token) -> bool:
    return token.tag_ in ("NNS", "NNPS") or any(child.dep_ == "conj" for child in token.children)


def _agreed(clause: Clause, middle: str) -> str:
    """The verb group with the number of the new subject, where a present tense or "was" shows it."""
    many = plural(clause.object_head)
    if many == plural(clause.subject_head):
        return middle
    first = clause.aux[0] if clause.aux else clause.verb
    forms = (
        {"was": "were", "is": "are", "has": "have", "does": "do"}
        if many
        else {"were": "was", "are": "is", "have": "has", "do": "does"}
    )
    if first.lower_ in forms:
        return re.sub(rf"\b{first.text}\b", forms[first.lower_], middle, count=1)
    if first is clause.verb and first.tag_ in ("VBZ", "VBP"):
        return re.sub(rf"\b{re.escape(first.text)}\b", _present(first.lemma_, plural=many), middle, count=1)
    return middle


def _present(lemma: str, *, plural: bool) -> str:
    if plural:
        return lemma
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return lemma + "es"
    return lemma[:-1] + "ies" if lemma.endswith("y") and lemma[-2:-1] not in "aeiou" else lemma + "s"


_IRREGULAR = {
    "write": "wrote", "give": "gave", "take": "took", "see": "saw", "drive": "drove", "eat": "ate", "know": "knew",
    "show": "showed", "beat": "beat", "choose": "chose", "break": "broke", "speak": "spoke", "steal": "stole",
    "draw": "drew", "grow": "grew", "throw": "threw", "begin": "began", "sing": "sang", "drink": "drank",
    "hide": "hid", "ride": "rode", "bite": "bit", "shake": "shook", "run": "ran", "overtake": "overtook",
    "undertake": "undertook", "forget": "forgot", "wear": "wore", "tear": "tore", "fly": "flew", "do": "did",
    "go": "went", "prove": "proved", "overthrow": "overthrew", "forgive": "forgave",
}  # fmt: skip


def _past(lemma: str, participle: str) -> str:
    return _IRREGULAR.get(lemma, participle)


def lowered(text: str, first: Token) -> str:
    """A phrase from the start of a sentence with a small letter, unless it begins with a name."""
    return text if first.pos_ == "PROPN" or first.text == "I" or first.is_upper else text[0].lower() + text[1:]


def _joined(after: str) -> str:
    return after if after[:1] in (",", ".", ";", ":", "") else f" {after}"
