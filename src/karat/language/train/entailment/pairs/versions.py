"""True and false versions of a parsed sentence: negated, shortened, reordered, overstated, said of something else."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from karat.language.train.entailment.pairs.clauses import PRONOUN, finished, lowered, plural, subtree

Token = Any
Span = Any


def negated(sentence: Span, rng: random.Random) -> list[str]:
    """The sentence with its main verb negated in several ways; they all mean the same. Empty if it cannot be done."""
    verb = sentence.root
    subject = next((child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass", "expl")), None)
    if (
        subject is None
        or subject.i > verb.i
        or any(token.dep_ == "neg" or token.lower_ in ("no", "never") for token in sentence)
    ):
        return []
    if sentence.text.rstrip()[-1:] not in ".!" or any(child.dep_ == "conj" for child in verb.children):
        return []
    aux = next((child for child in verb.children if child.dep_ in ("aux", "auxpass") and child.i < verb.i), None)
    base = verb.lemma_
    found: list[str] = []
    target = aux if aux is not None else verb
    if aux is not None or (verb.lemma_ == "be" and verb.tag_ in ("VBD", "VBZ", "VBP")):
        if target.lower_ in ("to", "'s", "'re", "'ll", "'d", "'ve", "'m"):
            return []
        found = [_replaced(sentence, target, f"{target.text} {word}") for word in ("not", "never")]
        found[0] = found[0].replace("can not", "cannot")
    elif verb.tag_ in ("VBD", "VBZ", "VBP"):
        did, failed = {"VBD": ("did", "failed"), "VBZ": ("does", "fails"), "VBP": ("do", "fail")}[verb.tag_]
        found = [_replaced(sentence, verb, f"{did} not {base}"), _replaced(sentence, verb, f"{did}n't {base}")]
        found += [_replaced(sentence, verb, f"never {verb.text}")]
        if verb.pos_ == "VERB":
            found += [_replaced(sentence, verb, f"{failed} to {base}")]
    whole = lowered(sentence.text, sentence[0])
    if found and rng.random() < 0.35:
        found += [
            rng.choice(
                [f"It is not true that {whole}", f"It is not the case that {whole}", f"It is false that {whole}"]
            )
        ]
    return [finished(text) for text in found]


def affirmed(sentence: Span) -> str | None:
    """The sentence without the negation of its main verb."""
    marks = [child for child in sentence.root.children if child.dep_ == "neg"]
    if len(marks) != 1 or marks[0].lower_ not in ("not", "n't", "never"):
        return None
    text = "".join(token.text_with_ws for token in sentence if token.i != marks[0].i)
    return finished(
        re.sub(r" +", " ", re.sub(r"\b(ca|wo)(?= )", lambda match: {"ca": "can", "wo": "will"}[match.group()], text))
    )


def shortened(sentence: Span, rng: random.Random) -> str | None:
    """A part of the sentence that it entails: without an aside, a place or time, or all after its first main clause."""
    verb = sentence.root
    if any(token.dep_ == "neg" or token.lower_ in ("no", "if", "only", "unless", "never", "few") for token in sentence):
        return None
    drops: list[tuple[int, int]] = []
    for token in sentence:
        start, end = subtree(token)
        comma = start > sentence.start and sentence.doc[start - 1].text == ","
        if end - start < 2 and token.dep_ != "appos":
            continue
        if token.dep_ in ("appos", "relcl", "acl") and comma:
            drops.append((start - 1, end + (end < sentence.end and sentence.doc[end].text == ",")))
        elif (
            token.dep_ == "prep"
            and token.head == verb
            and token.lower_ in ("in", "on", "at", "during", "since", "until")
            and start > verb.i
        ):
            drops.append((start - comma, end))
        elif token.dep_ == "conj" and token.head == verb and token.pos_ == verb.pos_ and start > verb.i:
            drops.append((start, sentence.end))
        elif token.dep_ == "advcl" and comma and start > verb.i and token.head == verb:
            drops.append((start - 1, end))
    if not drops:
        return None
    start, end = rng.choice(drops)
    kept = [token for token in sentence if not start <= token.i < end]
    while kept and (kept[-1].dep_ == "cc" or kept[-1].is_punct):
        kept.pop()
    if kept and kept[-1].dep_ in ("aux", "auxpass", "prep", "det"):
        return None
    return finished(_text(kept)) if len(kept) >= 4 else None


def reordered(sentence: Span) -> str | None:
    """The sentence with its opening phrase at the end, or a closing time or place at the start."""
    verb, doc = sentence.root, sentence.doc
    subject = next((child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass", "expl")), None)
    if subject is None or sentence.text.strip()[-1] != ".":
        return None
    for child in verb.children:
        start, end = subtree(child)
        if (
            child.dep_ not in ("prep", "advcl", "npadvmod", "advmod")
            or end - start > 9
            or (child.dep_ == "advmod" and end - start < 2)
        ):
            continue
        phrase = doc[start:end].text.strip(" ,")
        if start == sentence.start and end < sentence.end and doc[end].text == "," and "," not in phrase:
            rest = doc[end + 1 : sentence.end - 1].text
            return finished(f"{rest} {lowered(phrase, doc[start])}")
        dated = child.dep_ in ("prep", "npadvmod") and child.lower_ in (
            "in",
            "on",
            "during",
            "after",
            "since",
            "at",
            "before",
        )
        if dated and end >= sentence.end - 1 and start > verb.i and subject.left_edge.i == sentence.start:
            rest = doc[sentence.start : start].text
            return finished(f"{phrase[0].upper()}{phrase[1:]}, {lowered(rest, sentence[0])}")
    return None


def asides(sentence: Span) -> tuple[list[str], list[str]]:
    """What relative clauses ("who") and appositions say of their noun, and the same said of another noun."""
    true, false = [], []
    nouns = [
        child
        for child in sentence.root.children
        if child.dep_ in ("nsubj", "nsubjpass", "dobj") and child.pos_ == "PROPN"
    ]
    for token in sentence:
        start, end = subtree(token)
        head = token.head
        if (
            token.dep_ not in ("relcl", "appos")
            or head.pos_ not in ("PROPN", "NOUN")
            or sentence.doc[start - 1].text != ","
        ):
            continue
        if end - start < 3 or head.tag_ in PRONOUN or start <= head.i:
            continue
        first = sentence.doc[head.left_edge.i : head.i + 1]
        if token.dep_ == "relcl":
            if sentence.doc[start].lower_ != "who" or sentence.doc[start].dep_ not in ("nsubj", "nsubjpass"):
                continue
            said = sentence.doc[start + 1 : end].text
        elif sentence.doc[start].lower_ in ("a", "an", "the") and head.pos_ == "PROPN" and not plural(head):
            said = f"{'was' if sentence.root.tag_ == 'VBD' else 'is'} {sentence.doc[start:end].text}"
        else:
            continue
        true.append(finished(f"{first.text} {said}"))
        for other in nouns:
            if other.i != head.i and not head.left_edge.i <= other.i <= end:
                false.append(finished(f"{sentence.doc[other.left_edge.i : other.i + 1].text} {said}"))
    return true, false


def overstated(sentence: Span) -> str | None:
    """The sentence without a condition or a restriction that it needs: not entailed."""
    verb = sentence.root
    for token in sentence:
        start, end = subtree(token)
        marks = {child.lower_ for child in token.children if child.dep_ in ("mark", "advmod")}
        condition = token.dep_ == "advcl" and token.head == verb and marks & {"if", "unless"}
        bare = token.dep_ == "relcl" and token.head.dep_ in ("nsubj", "nsubjpass") and token.head.tag_ == "NNS"
        restriction = (
            bare
            and verb.tag_ in ("VBP", "VB", "VBZ")
            and not any(child.dep_ in ("det", "nummod", "poss") for child in token.head.children)
        )
        if condition or (restriction and sentence.doc[start - 1].text != ","):
            kept = [other for other in sentence if not start <= other.i < end]
            while kept and (kept[0].is_punct or kept[0].lower_ == "then"):
                kept.pop(0)
            text = _text(kept).strip(" ,")
            return finished(re.sub(r"\s+([,.])", r"\1", re.sub(r",\s*,", ",", text))) if len(kept) >= 3 else None
    return None


def misattributed(first: Span, second: Span) -> str | None:
    """The subject of one sentence with the predicate of the other."""
    heads = [
        next((child for child in sentence.root.children if child.dep_ in ("nsubj", "nsubjpass")), None)
        for sentence in (first, second)
    ]
    named = [head for head in heads if head is not None and head.pos_ == "PROPN" and head.i < head.head.i]
    if len(named) < 2:
        return None
    (start, end), (begin, place) = subtree(named[0]), subtree(named[1])
    names = [
        {token.lower_ for token in first.doc[a:b] if token.pos_ == "PROPN"} for a, b in ((start, end), (begin, place))
    ]
    if names[0] & {token.lower_ for token in second} or names[1] & {token.lower_ for token in first}:
        return None  # Perhaps two names of the same thing.
    if any(len(token.text) < 6 and token.is_upper for token in first.doc[start:end]):
        return None
    return finished(f"{first.doc[start:end].text} {second.doc[place : second.end].text}")


def _text(kept: Sequence[Token]) -> str:
    """Tokens as text, with a blank wherever some were left out."""
    text = ""
    for token, after in zip(kept, [*kept[1:], None], strict=True):
        gap = after is not None and after.i != token.i + 1 and not after.is_punct
        text += token.text + (" " if gap else token.whitespace_)
    return text


def _replaced(sentence: Span, target: Token, text: str) -> str:
    return "".join((text + token.whitespace_) if token.i == target.i else token.text_with_ws for token in sentence)
