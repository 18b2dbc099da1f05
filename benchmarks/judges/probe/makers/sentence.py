"""What the makers of edits share: rewriting a parsed sentence, and inflecting its words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from karat.language.analysis import ParsedSentence, Token

NEGATIONS = frozenset(
    "not n't no never none nobody nothing neither nor nowhere without hardly scarcely barely cannot".split()
)
BOUNDS = frozenset(
    "all every each any no none only most few fewer least fewest less if unless until never not n't"
    " nobody nothing neither first last alone without hardly rarely seldom exactly always both same".split()
)
"""Words under which a shorter or reordered sentence may say something else."""
PRONOUNS = {"he": "him", "she": "her", "they": "them", "we": "us", "i": "me", "it": "it", "you": "you"}
OBJECTS = {"him": "he", "her": "she", "them": "they", "us": "we", "me": "I", "it": "it", "you": "you"}
IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "become:become begin:begun bite:bitten blow:blown break:broken bring:brought build:built"
        " buy:bought catch:caught choose:chosen come:come cut:cut deal:dealt do:done draw:drawn"
        " drink:drunk drive:driven eat:eaten feed:fed feel:felt fight:fought find:found forbid:forbidden"
        " forget:forgotten forgive:forgiven freeze:frozen get:got give:given grow:grown hear:heard"
        " hide:hidden hit:hit hold:held hurt:hurt keep:kept know:known lead:led leave:left lend:lent"
        " let:let light:lit lose:lost make:made mean:meant meet:met outdo:outdone overcome:overcome"
        " overtake:overtaken overthrow:overthrown pay:paid put:put read:read ride:ridden ring:rung run:run"
        " say:said see:seen seek:sought sell:sold send:sent set:set shake:shaken shoot:shot show:shown"
        " shut:shut sing:sung sink:sunk spend:spent split:split spread:spread steal:stolen stick:stuck"
        " strike:struck swear:sworn sweep:swept swim:swum take:taken teach:taught tear:torn tell:told"
        " think:thought throw:thrown understand:understood undertake:undertaken wake:woken wear:worn"
        " weave:woven win:won withdraw:withdrawn write:written rewrite:rewritten undergo:undergone"
        " lay:laid bind:bound grind:ground outgrow:outgrown foresee:foreseen oversee:overseen"
        " mistake:mistaken"
    ).split()
)  # fmt: skip
"""Past participles; where the past tense ends in -ed, it is the participle."""


class Edit(NamedTuple):
    """A statement made from a sentence, and how it was made."""

    form: str
    statement: str


def text_of(sentence: ParsedSentence) -> str:
    return sentence.text_of(0, len(sentence.tokens))


def words_of(sentence: ParsedSentence) -> set[str]:
    return {token.text.lower() for token in sentence.tokens}


def rewritten(sentence: ParsedSentence, changes: Iterable[tuple[int, int, str]]) -> str:
    """The sentence with ranges of tokens (start, end) replaced; an empty range inserts before its token."""
    tokens, source = sentence.tokens, sentence.source
    at, parts = tokens[0].start, []
    for start, end, new in sorted(changes):
        begin = tokens[start].start if start < len(tokens) else tokens[-1].end
        parts += [source[at:begin], new + " " if start == end and new else new]
        at = tokens[end - 1].end if end > start else begin
    return tidy("".join([*parts, source[at : tokens[-1].end]]))


def tidy(text: str) -> str:
    """Without the blanks that a removed word leaves, and with a capital letter at the start."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([,.;:!?])", r"\1", text)
    text = re.sub(r",\.$", ".", text)
    return text[:1].upper() + text[1:]


def is_plural(sentence: ParsedSentence, head: int) -> bool:
    """Whether a noun phrase takes a plural verb."""
    token = sentence.tokens[head]
    joined = any(child.dep == "cc" and child.text.lower() == "and" for child in sentence.children(head))
    return (
        joined or token.tag in ("NNS", "NNPS") or token.text.lower() in ("they", "them", "we", "us", "you", "i", "me")
    )


def agreed(token: Token, *, plural: bool) -> str:
    """A finite verb in the number of its subject."""
    pairs = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
    for one, many in pairs:
        if token.text.lower() in (one, many):
            return many if plural else one
    if token.tag not in ("VBZ", "VBP"):
        return token.text
    return token.lemma if plural else third_person(token.lemma)


def third_person(lemma: str) -> str:
    if re.search(r"(s|x|z|ch|sh|o)$", lemma):
        return lemma + "es"
    return lemma[:-1] + "ies" if re.search(r"[^aeiou]y$", lemma) else lemma + "s"


def past_of(token: Token) -> str | None:
    """The past participle of a verb; None where it is not known for sure."""
    if token.tag == "VBN":
        return token.text
    if token.lemma in IRREGULAR:
        return IRREGULAR[token.lemma]
    if token.tag == "VBD":
        return token.text if token.text.endswith("ed") else None
    lemma = token.lemma
    if not re.fullmatch(r"[a-z]{3,}", lemma) or lemma in (
        "shed",
        "cost",
        "beat",
        "bear",
        "bend",
        "burst",
        "spin",
        "swing",
    ):
        return None
    if lemma.endswith("e"):
        return lemma + "d"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", lemma) or lemma.endswith(("mit", "fer", "pel", "trol")):
        return (
            lemma + lemma[-1] + "ed"
            if lemma[-1] not in "wxy" and not lemma.endswith(("offer", "suffer"))
            else lemma + "ed"
        )
    return lemma + "ed"


def lower_first(sentence: ParsedSentence, first: int, text: str) -> str:
    """A phrase as it is written inside a sentence; names and abbreviations keep their capital."""
    token = sentence.tokens[first]
    keeps = (
        token.pos == "PROPN" or token.text == "I" or (len(token.text) > 1 and token.text[1:] != token.text[1:].lower())
    )
    named = bool(token.ent_type) and token.ent_type not in (
        "DATE",
        "CARDINAL",
        "PERCENT",
        "TIME",
        "QUANTITY",
        "ORDINAL",
    )
    behind = sentence.tokens[first + 1].text if first + 1 < len(sentence.tokens) else ""
    if token.pos not in ("DET", "PRON") and behind[:1].isupper() and not behind.isupper():
        return text
    if token.pos in ("DET", "PRON") and token.text != "I":
        return text[:1].lower() + text[1:]
    return text if keeps or named else text[:1].lower() + text[1:]
