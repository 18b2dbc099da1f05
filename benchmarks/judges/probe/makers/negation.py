"""A negation added to, or dropped from, the main clause."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from makers.sentence import NEGATIONS, Edit, is_plural, rewritten, words_of

UNSURE = frozenset(
    "may might could would should perhaps possibly probably sometimes often usually generally likely".split()
)
"""With these words a sentence and its negation can both be true."""
SAYING = frozenset(
    "say tell think believe claim report know suggest feel hope seem appear ask add note argue state".split()
)
BOTH_WAYS = frozenset("some few little both also too just already still even again all each".split())
"""With these words a negation reads badly, or both can be true."""
ONLY_NEGATIVE = frozenset(
    "any yet either anyone anything anybody anymore ever until but all every everyone everything".split()
)
"""Words that need the negation, or change what it denies."""
MASS = frozenset(
    "evidence information time money water food help support hope interest sense research progress damage work".split()
)
DOING = frozenset(
    "reach win find reduce improve increase prevent stop solve help provide produce create build protect"
    " meet pass complete achieve address change open close answer catch save defeat explain identify"
    " finish attract support develop".split()
)
"""What one can fail to do."""
SUBJECTS = ("nsubj", "nsubjpass", "expl")
CONTRACTED = {"wo": "will", "ca": "can", "sha": "shall"}


def negated(sentence: ParsedSentence) -> Iterator[Edit]:
    """The sentence with one negation more or one fewer."""
    words = words_of(sentence)
    roots = [token for token in sentence.tokens if token.dep == "ROOT" and token.pos in ("VERB", "AUX")]
    if len(roots) != 1 or roots[0].lemma.lower() in SAYING or words & UNSURE:
        return
    root = roots[0]
    if not sentence.children(root.index, *SUBJECTS):
        return
    if words & NEGATIONS:
        if words & ONLY_NEGATIVE:
            return
        yield from _dropped(sentence, root)
    elif not sentence.children(root.index, "conj", "preconj", "advcl") and not words & BOTH_WAYS:
        yield from _added(sentence, root)


def _finite(sentence: ParsedSentence, root: Token) -> Token | None:
    """The first auxiliary, or a form of "to be"."""
    subject = sentence.children(root.index, *SUBJECTS)[0]
    auxiliaries = [
        token for token in sentence.children(root.index, "aux", "auxpass") if subject.index < token.index < root.index
    ]
    if auxiliaries:
        return auxiliaries[0]
    return root if root.lemma == "be" and root.tag in ("VBZ", "VBP", "VBD") else None


def _added(sentence: ParsedSentence, root: Token) -> Iterator[Edit]:
    finite = _finite(sentence, root)
    if finite is not None:
        if finite.text[:1] == "'" or finite.text.lower() in ("to", "am"):
            return
        after = finite.index + 1
        yield Edit("not added", rewritten(sentence, [(after, after, "not")]))
        if finite.text.lower() in ("is", "are", "was", "were", "has", "have"):
            yield Edit("n't added", rewritten(sentence, [(finite.index, finite.index + 1, finite.text + "n't")]))
        return
    subject = sentence.children(root.index, *SUBJECTS)[0]
    if root.tag not in ("VBD", "VBZ", "VBP") or subject.index > root.index:
        return
    plural = is_plural(sentence, subject.index)
    do = "did" if root.tag == "VBD" else "do" if root.tag == "VBP" else "does"
    yield Edit("do not added", rewritten(sentence, [(root.index, root.index + 1, f"{do} not {root.lemma}")]))
    fail = "failed" if root.tag == "VBD" else "fail" if plural else "fails"
    if root.lemma != "have" and not sentence.children(root.index, "advmod", "xcomp", "ccomp", "appos", "dep"):
        yield Edit("never added", rewritten(sentence, [(root.index, root.index, "never")]))
    if root.lemma in DOING:
        yield Edit("fail added", rewritten(sentence, [(root.index, root.index + 1, f"{fail} to {root.lemma}")]))


def _dropped(sentence: ParsedSentence, root: Token) -> Iterator[Edit]:
    marks = [token for token in sentence.tokens if token.text.lower() in NEGATIONS]
    if len(marks) != 1 or (marks[0].head != root.index and marks[0].text.lower() != "no"):
        return
    mark = marks[0]
    before = sentence.tokens[mark.index - 1] if mark.index else None
    if mark.text.lower() in ("not", "n't") and before is not None and "only" not in words_of(sentence):
        full = CONTRACTED.get(before.text.lower(), before.text)
        if before.lemma == "do" and before.index != root.index:
            yield from _without_do(sentence, root, before, mark)
        elif before.tag in ("MD", "VBZ", "VBP", "VBD"):
            yield Edit("not dropped", rewritten(sentence, [(before.index, mark.index + 1, full)]))
    elif mark.text.lower() == "never" and mark.index:
        yield Edit("never dropped", rewritten(sentence, [(mark.index, mark.index + 1, "")]))
    elif mark.text.lower() == "no" and mark.dep == "det" and sentence.tokens[mark.head].tag in ("NNS", "NN"):
        head, behind = sentence.tokens[mark.head], sentence.tokens[mark.index + 1].text.lower()
        new = "some" if head.tag == "NNS" or head.lemma in MASS else "an" if behind[0] in "aeio" else "a"
        if behind not in ("longer", "one", "matter", "doubt", "more"):
            yield Edit("no dropped", rewritten(sentence, [(mark.index, mark.index + 1, new)]))


def _without_do(sentence: ParsedSentence, root: Token, do: Token, mark: Token) -> Iterator[Edit]:
    """Did not see -> did see; the verb itself would need its past tense."""
    if mark.index + 1 == root.index:
        yield Edit("do not dropped", rewritten(sentence, [(do.index, mark.index + 1, do.text)]))
