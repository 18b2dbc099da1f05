"""Who can act: people, animals, groups. Lists of common nouns, and the names that the parser marks."""

from __future__ import annotations

from karat.language.analysis import ParsedSentence

BEINGS = frozenset(
    "man woman boy girl child kid mother father parent brother sister son daughter wife husband friend"
    " teacher student doctor nurse patient president minister king queen prince leader scientist"
    " researcher player team police officer soldier general army driver worker employee employer manager"
    " boss customer client user owner artist author writer actor singer lawyer judge victim attacker rebel"
    " terrorist suspect citizen voter politician senator governor mayor candidate company firm government"
    " country nation state court union club school university bank agency organization organisation"
    " group committee council commission ministry church community troop force farmer hunter dog cat bird"
    " fish horse lion bear wolf mouse rat rabbit fox monkey elephant cow pig sheep duck frog snake spider"
    " insect predator prey neighbor neighbour colleague captain pilot thief criminal prisoner guard expert"
    " critic reporter journalist editor buyer seller consumer retailer supplier manufacturer landlord"
    " tenant people person adult teenager baby uncle aunt grandmother grandfather cousin mom dad mum guest"
    " host coach winner opponent enemy ally activist protester scholar professor priest bishop pope"
    " emperor princess lady gentleman knight turtle squirrel butterfly bee kitten puppy therapist"
    " physician surgeon engineer investor partner member crew fan audience crowd tribe villager settler".split()
)
PLACES_AND_GROUPS = ("PERSON", "ORG", "GPE", "NORP")


def is_agent(sentence: ParsedSentence, head: int) -> bool:
    """Whether a noun phrase names somebody (or something) that can do things to others."""
    token = sentence.tokens[head]
    if token.pos == "PROPN":
        return token.ent_type in PLACES_AND_GROUPS
    if token.pos == "PRON":
        return token.text.lower() in ("he", "she", "they", "him", "her", "them")
    return token.lemma.lower() in BEINGS
