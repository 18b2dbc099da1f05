"""What stands before the statement of a sentence: connectives, labels, "it is important to note that"."""

from __future__ import annotations

import re

from karat.evaluate.nuggets.drafting.sentences.wording import Clause

_CONNECTIVES = sorted(
    """however|in addition|additionally|moreover|furthermore|for example|for instance|e.g.|overall|in summary
    |in conclusion|to conclude|to summarize|to sum up|in short|in brief|in general|in essence|in fact|indeed|in reality
    |in particular|specifically|more specifically|notably|importantly|most importantly|interestingly|similarly
    |likewise|in contrast|by contrast|conversely|on the other hand|on the one hand|on the contrary|nevertheless
    |nonetheless|still|yet|therefore|thus|hence|consequently|accordingly|as a result|as a consequence|finally|lastly
    |first|firstly|first of all|first and foremost|second|secondly|third|thirdly|fourth|fourthly|fifth|next|also
    |besides|that said|having said that|that being said|to begin with|to start with|ultimately|all in all|of course
    |as such|again|instead|rather|further|another example|another point|yes|no|additionally, however|but|and|so|or
    |meanwhile|at the same time|in other words|put simply|simply put|basically|essentially|as you can see
    |as mentioned|as mentioned above|as mentioned earlier|as noted|as noted above|as stated above|as discussed above
    |as previously mentioned|as we have seen|for one|on top of that|what is more|what's more|last but not least
    |by extension|to this end|in this context|in this regard|in this way|in this sense|in this case|in that case
    |despite this|despite that|because of this|due to this|as a whole|on the whole|in turn|in any case|in all
    |unfortunately|fortunately|surprisingly|clearly|obviously|certainly|naturally|great question|good question
    |sure|certainly|well|overall, however|equally|equally important|alternatively|to be clear|note|please note
    |in the end|after all|all things considered|in light of this|given this|with that said|with this in mind
    |for this reason|for these reasons|for that reason|along with this|in response|in doing so""".replace(
        "\n", " "
    ).split("|"),
    key=lambda words: -len(words),
)
KEEPS_REFERENCE = ("in this case", "in that case", "in this way", "in this sense", "in doing so")
_ANY_CONNECTIVE = "|".join(r"\s+".join(map(re.escape, words.split())) for words in _CONNECTIVES)
_CONNECTIVE = re.compile(rf"(?:{_ANY_CONNECTIVE})\s*(?:,|:|–|—|-(?=\s))\s*", re.IGNORECASE)
_REFERRING = re.compile(
    r"(?:despite|in\s+spite\s+of|in\s+addition\s+to|along\s+with|besides|beyond|aside\s+from|apart\s+from|because\s+of|due\s+to"
    r"|as\s+a\s+(?:result|consequence)\s+of|in\s+light\s+of|given|to\s+address|notwithstanding|regardless\s+of)\s+"
    r"(?:all\s+(?:of\s+)?)?(?:this|these|that|those|such|its|their|his|her)(?:\s+[\w’'-]+){0,3}\s*,\s*",
    re.IGNORECASE,
)
"""What comes before "Despite these challenges, X" is true or not, X is said."""
_BARE = re.compile(
    r"(?:and|but|or|also|however|moreover|furthermore|additionally|thus|therefore|hence|consequently|overall|ultimately"
    r"|finally|lastly|firstly|secondly|thirdly|similarly|plus|so)\s+(?=\S)",
    re.IGNORECASE,
)
_NOTE = (
    r"(?:to\s+)?(?:also\s+)?(?:note|noting|remember|remembering|recogni[sz]e|recogni[sz]ing|understand|understanding"
    r"|mention|mentioning|reali[sz]e|keep\s+in\s+mind|keeping\s+in\s+mind|acknowledge|acknowledging|bear\s+in\s+mind"
    r"|point\s+out|pointing\s+out|emphasi[sz]e|be\s+aware|stress|highlight|observe|know|add|adding)"
)
_NOTING = re.compile(
    rf"""(?:
        it\s*(?:is|’s|'s|should\s+be|must\s+be|can\s+be|may\s+be|has\s+to\s+be)\s+
        (?:(?:also|further|therefore|thus|equally|very|particularly|especially|always|perhaps)\s+)*
        (?:(?:important|crucial|essential|worth|worthwhile|interesting|vital|critical|helpful|useful|key|necessary)\s+{_NOTE}
          | clear|evident|apparent|obvious|true|notable|noteworthy|noted|mentioned|emphasi[sz]ed|remembered|stressed|pointed\s+out)
      | (?:(?:please|do|also|but|and)\s+)?(?:note|remember|keep\s+in\s+mind|bear\s+in\s+mind|be\s+aware)
      | the\s+(?:fact|truth|reality)\s+is | we\s+(?:can|should)\s+(?:note|see)
    )\s+that\s+,?\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(r"(?P<label>[A-Z“\"'(][^.:!?\d]{1,70}?)\s*:\s+(?=[A-Z0-9“\"'])")
DATE_LABEL = re.compile(
    r"(?:(?:In\s+)?(?:\w+\s+)?(?:\d{1,2},?\s+)?(?:1\d|20)\d\ds?(?:\s*[-–—]\s*(?:\w+\s+)?\d{2,4}s?)?)\s*(?::|–|—|\s-)\s+(?=[A-Z])"
)
"""A date before a statement ("1821: Mexico wins independence"), which belongs to it."""
_ASIDE = re.compile(
    r",\s+(?:for\s+(?:instance|example)|however|therefore|moreover|furthermore|by\s+contrast|in\s+contrast|in\s+turn"
    r"|on\s+the\s+other\s+hand|too|as\s+well|meanwhile|nevertheless|consequently|additionally|in\s+addition|similarly),\s+"
)
_NUMBERED = re.compile(
    r"The (?:first|second|third|fourth|fifth|next|other|final|last) ((?:(?:major|main|key|important|primary) )?"
    r"(?:reason|factor|mechanism|cause|way|method|aspect|benefit|impact|effect|challenge|strategy|approach|option|issue"
    r"|problem|advantage|disadvantage|point|example|component|element) (?:is|was|involves|includes)\b)"
)
_ADVERBS = frozenset({"also", "therefore", "thus", "however", "moreover", "furthermore", "additionally", "hence",
                      "consequently", "nevertheless", "nonetheless", "likewise", "similarly"})  # fmt: skip


def opening_length(text: str) -> int:
    """How many characters before the statement can be cut, because the statement says the same without them.

    >>> text = "However, it is important to note that bees dance."
    >>> text[opening_length(text):]
    'bees dance.'
    """
    at = 0
    while True:
        match = (
            _CONNECTIVE.match(text, at)
            or _REFERRING.match(text, at)
            or _NOTING.match(text, at)
            or _BARE.match(text, at)
        )
        if match is None or match.end() == len(text):
            return at
        at = match.end()


def keeps_reference(text: str) -> bool:
    """Whether what is cut off points to what was said before, so that the sentence means less without it."""
    opening = text[: opening_length(text)].lower()
    return any(words in opening for words in KEEPS_REFERENCE)


def label_of(text: str) -> str:
    """The label before a statement, with its colon: "Cost: " in "Cost: It is cheap."; empty if there is none."""
    match = _LABEL.match(text)
    return match[0] if match is not None else ""


def without_linking_words(clause: Clause) -> Clause:
    """The clause without adverbs that only link it to what was said before: "also", "however"."""
    sentence = clause.sentence
    texts = [sentence.tokens[at].text.lower() for at in clause.tokens]
    gone: set[int] = set()
    for position, at in enumerate(clause.tokens):
        token = sentence.tokens[at]
        if token.text.lower() not in _ADVERBS or token.dep not in {"advmod", "cc"} or token.head != clause.verb:
            continue
        if position and texts[position - 1] in {"but", "not", "only", "and", "or"}:
            continue
        gone.add(at)
        around = [clause.tokens[near] for near in (position - 1, position + 1) if 0 <= near < len(clause.tokens)]
        commas = [near for near in around if sentence.tokens[near].text == ","]
        if len(commas) == 2 or (commas and position in {0, 1}):
            gone.update(commas)
    return clause.without(gone)


def standing_alone(text: str) -> str:
    """A sentence without hints that others came before it.

    >>> standing_alone("Another cause is rust.")
    'One cause is rust.'
    >>> standing_alone("Other causes include rust.")
    'Causes include rust.'
    >>> standing_alone("Rust, for example, eats iron.")
    'Rust eats iron.'
    """
    text = _ASIDE.sub(" ", text)
    if re.match(r"Another (?!\d|one\b)", text):
        return f"One{text[len('Another') :]}"
    if (match := _NUMBERED.match(text)) is not None:
        return f"One {text[match.start(1) :]}"
    match = re.match(r"(?:Some )?[Oo]ther ((?:[\w-]+ ){1,5}(?:may |can |also )?(?:include|are|were|included)\b)", text)
    return f"{match[1][0].upper()}{text[match.start(1) + 1 :]}" if match else text
