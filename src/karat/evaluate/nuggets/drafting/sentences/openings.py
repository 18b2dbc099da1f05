"""What stands before the statement of a sentence: connectives, labels, "it is important to note that"."""

from __future__ import annotations

import re

from karat.evaluate.nuggets.drafting.sentences.wording import Clause


def any_of(listed: str) -> str:
    """A pattern for any of some phrases, which are separated by "|"; longer phrases are tried first."""
    phrases = sorted((phrase.split() for phrase in listed.split("|")), key=lambda words: -len(" ".join(words)))
    return "(?:" + "|".join(r"\s+".join(map(re.escape, words)) for words in phrases) + ")"


_CONNECTIVE = any_of(
    """however|in addition|additionally|moreover|furthermore|for example|for instance|e.g.|overall|in summary
    |in conclusion|to conclude|to summarize|to sum up|in short|in brief|in essence|in fact|indeed|in reality
    |in particular|specifically|more specifically|notably|importantly|most importantly|interestingly|similarly
    |likewise|in contrast|by contrast|conversely|on the other hand|on the one hand|on the contrary|nevertheless
    |nonetheless|still|yet|therefore|thus|hence|consequently|accordingly|as a result|as a consequence|finally|lastly
    |first|firstly|first of all|first and foremost|second|secondly|third|thirdly|fourth|fourthly|fifth|next|also
    |besides|that said|having said that|that being said|to begin with|to start with|ultimately|all in all|of course
    |as such|again|instead|rather|further|another example|another point|yes|no|but|and|so
    |meanwhile|at the same time|in other words|put simply|simply put|basically|essentially|as you can see
    |as mentioned|as mentioned above|as mentioned earlier|as noted|as noted above|as stated above|as discussed above
    |as previously mentioned|as we have seen|for one|on top of that|what is more|what's more|last but not least
    |by extension|to this end|in this context|in this regard|in this way|in this sense|in this case|in that case
    |despite this|despite that|because of this|due to this|on the whole|in turn|in any case|in all
    |unfortunately|fortunately|surprisingly|clearly|obviously|certainly|naturally|great question|good question
    |sure|well|equally|equally important|alternatively|to be clear|note|please note
    |in the end|after all|all things considered|in light of this|given this|with that said|with this in mind
    |for this reason|for these reasons|for that reason|along with this|in response|in doing so"""
)
_KEEPS_REFERENCE = ("in this case", "in that case", "in this way", "in this sense", "in doing so")
_BARE = any_of(
    """and|but|also|however|moreover|furthermore|additionally|thus|therefore|hence|consequently|overall|ultimately
    |finally|lastly|firstly|secondly|thirdly|similarly|plus|so"""
)
_BECAUSE = any_of(
    """despite|in spite of|in addition to|along with|besides|beyond|aside from|apart from|because of|due to
    |as a result of|as a consequence of|in light of|given|to address|notwithstanding|regardless of"""
)
_NOTE = any_of(
    """note|noting|remember|remembering|recognize|recognise|recognizing|recognising|understand|understanding|mention
    |mentioning|realize|realise|keep in mind|keeping in mind|acknowledge|acknowledging|bear in mind|point out
    |pointing out|emphasize|emphasise|be aware|stress|highlight|observe|know|add|adding"""
)
_IS = any_of("is|’s|'s|should be|must be|can be|may be|has to be")
_HOW = any_of("also|further|therefore|thus|equally|very|particularly|especially|always|perhaps")
_WORTH = any_of("important|crucial|essential|worth|worthwhile|interesting|vital|critical|helpful|useful|key|necessary")
_TRUE = any_of(
    """clear|evident|apparent|obvious|true|notable|noteworthy|noted|mentioned|emphasized|emphasised|remembered
    |stressed|pointed out"""
)
_NOTING = (
    rf"(?:it\s*{_IS}\s+(?:{_HOW}\s+)*(?:{_WORTH}\s+(?:to\s+)?(?:also\s+)?{_NOTE}|{_TRUE})"
    r"|(?:(?:please|do|also|but|and)\s+)?(?:note|remember|keep\s+in\s+mind|bear\s+in\s+mind|be\s+aware)"
    r"|the\s+(?:fact|truth|reality)\s+is|we\s+(?:can|should)\s+(?:note|see))\s+that\s+,?\s*"
)
_MATERIAL = any_of(
    """content|contents|context|contexts|document|documents|passage|passages|text|texts|source|sources|information
    |results|search results|references|excerpt|excerpts"""
)
_GIVEN = any_of("provided|given|retrieved|available|cited|above|supplied")
_ACCORDING = (
    r"(?:according\s+to|based\s+on|as\s+(?:stated|mentioned|noted|described|discussed)\s+in)\s+(?:the|these|this)\s+"
    rf"(?:{_GIVEN}\s+)*{_MATERIAL}(?:\s+{_GIVEN})?\s*,\s*"
)
_TEXTS = r"(?:the\s+)?(?:document|doc|passage|source|snippet|excerpt|segment|context|article|text|reference)s?"
ONE_TEXT = (
    rf"(?:{_TEXTS}\s*\[?\#?\d{{1,3}}\]?(?:\s*(?:,|and|&)\s*(?:{_TEXTS}\s*)?\[?\#?\d{{1,3}}\]?)*"
    r"|(?:document|doc|passage|snippet|excerpt|segment)s?\b)"
)
"""A text with its number, which may have been cut off as a reference mark: "Doc 3", "passages 2 and 4"."""
_NUMBERED_SOURCE = (
    rf"(?:(?:according\s+to|based\s+on|as\s+\w+\s+(?:in|by)|in)\s+{ONE_TEXT}\s*,\s*"
    rf"|{ONE_TEXT}\s+(?:also\s+|further\s+)?(?:states?|mentions?|notes?|says?|explains?|reports?|indicates?)\s+that\s+)"
)
_OPENINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_CONNECTIVE}\s*(?:,|:|–|—|-(?=\s))\s*",
        # "Despite these challenges, X": X is said in any case.
        rf"{_BECAUSE}\s+(?:all\s+(?:of\s+)?)?(?:this|these|that|those|such|its|their|his|her)(?:\s+[\w’'-]+){{0,3}}\s*,\s*",
        _ACCORDING,
        _NUMBERED_SOURCE,
        _NOTING,
        rf"{_BARE}\s+(?!(?:far|that|much|many|long|on|known|called|named|you)\b)(?=\S)",
    )
)
_LABEL = re.compile(r"(?P<label>[A-Z“\"'(][^.:!?\d]{1,70}?)\s*:\s+(?=[A-Z0-9“\"'])")
DATE_LABEL = re.compile(
    r"(?:In\s+)?(?:\w+\s+)?(?:\d{1,2},?\s+)?(?:1\d|20)\d\ds?(?:\s*[-–—]\s*(?:\w+\s+)?\d{2,4}s?)?"
    r"\s*(?::|–|—|\s-)\s+(?=[A-Z])"
)
"""A date before a statement ("1821: Mexico wins independence"), which belongs to it."""
_ASIDE = re.compile(
    r",\s+"
    + any_of(
        """for instance|for example|however|therefore|moreover|furthermore|by contrast|in contrast|in turn
        |on the other hand|too|as well|meanwhile|nevertheless|consequently|additionally|in addition|similarly"""
    )
    + r",\s+"
)
_COUNTED = any_of(
    """reason|factor|mechanism|cause|way|method|aspect|benefit|impact|effect|challenge|strategy|approach|option|issue
    |problem|advantage|disadvantage|point|example|component|element"""
)
_NUMBERED = re.compile(
    r"The (?:first|second|third|fourth|fifth|next|other|final|last) ((?:(?:major|main|key|important|primary) )?"
    rf"{_COUNTED} (?:is|was|involves|includes)\b)"
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
        match = next(filter(None, (pattern.match(text, at) for pattern in _OPENINGS)), None)
        if match is None or match.end() == len(text):
            return at
        at = match.end()


def keeps_reference(text: str) -> bool:
    """Whether what is cut off points to what was said before, so that the sentence means less without it."""
    opening = text[: opening_length(text)].lower()
    return any(words in opening for words in _KEEPS_REFERENCE)


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
