"""Lists of words that decide what a place is, and what only looks like one. The lists are our own."""

from __future__ import annotations

LANDMARKS = frozenset(
    """aisle alley altar arch attic balcony basement bed bench boat boulder bush bus cafe canal canyon car
    carpark cathedral ceiling cellar cemetery chapel chimney cliff cloud corridor counter courtyard crater
    creek cupboard curtain dam deck desk dock dome door ditch dune equator fence fireplace floor fountain
    garage garden glacier grave ground hallway hedge horizon hut ice iceberg jetty jungle ladder lagoon lawn
    lighthouse lorry mat meadow monastery monument mud mudflat ocean orbit orchard pavement pier pillar pitch
    plain plateau platform pond pool porch quay rail railway reef ridge rink rock roof rubble ruin runway sand
    sea seabed shed shelf shelter shop sidewalk sky slope snow spring staircase statue stream summit surface
    swamp table temple tent terrace tomb track train tram tree trench truck tunnel van veranda volcano wall
    abbey bakery barricade barrier brewery bunker cabin carriage checkpoint cinema container convent cottage
    cupboard depot dormitory fort fortress fridge hangar hole hostel kiosk mansion mill parliament pharmacy
    pipeline pit playground pub quarry refinery shrine silo sofa stairs stall supermarket synagogue villa
    wardrobe zoo warehouse waterfall waterline well wharf window wood woods wreck""".split()
)
"""Common nouns of things that one can be under, behind or next to, so that such a phrase is a place."""

SPATIAL = frozenset(
    """beneath underneath under below above behind beside around across through off past toward towards atop
    along alongside inside outside near over beyond opposite into onto""".split()
)
"""Prepositions that say where something is or goes, if their noun is a place or a thing that has a place."""

PARTS_OF_PLACES = frozenset(
    "back base bottom center centre end entrance foot front heart middle mouth rear side top vicinity".split()
)
"""Nouns of phrases such as 'in front of' and 'at the foot of': a place if what follows is one."""

CELESTIAL = frozenset("moon sun earth mars venus mercury jupiter saturn uranus neptune pluto titan".split())
"""Bodies that something can fly to; the entity tagger often takes their names for persons."""

STATES = frozenset(
    """captivity control custody hiding luxury poverty presence
    affair aftermath aim attempt attitude bid boom case cause charge circumstance collaboration combat
    comeback commerce compliance connection contention context controversy coordination course crime crisis
    danger decision defeat defence defense doubt effort emergency exile face fact favor favour fear fraud grief
    hope inquiry investigation involvement isolation job lawsuit light line love midst mood name need order
    pandemic partnership place plan plot poll position power practice principle process profit project
    prosperity public pursuit reaction recession regard reply research response return revenge risk role
    scandal scheme search secret secrecy shock silence situation spite step support survey suspense takeover
    theory time touch transaction trouble vain victory view vote wake way work""".split()
)
"""Nouns for states and affairs: 'in' and such a noun is no place."""

TOPIC_VERBS = frozenset(
    """advise agree base bet blame brief build campaign capitalise capitalize check choose comment compromise
    concentrate confer congratulate consult count crack decide deliberate depend disagree draw eavesdrop
    elaborate embark expand experiment feed focus gamble hinge impose improve inflict insist invest land lavish
    lecture levy live model negotiate operate opine perform pride prey reflect rely remark renege report rule
    save settle slap speak speculate spend spy squander stake survive talk testify test touch try vote waste
    wage work write""".split()
)
"""Verbs after which 'on' names what they are about, not where."""

ALSO_SOMEWHERE = frozenset(
    """base build campaign draw experiment feed improve land lecture live model operate perform save settle
    survive test try work write""".split()
)
"""Those of TOPIC_VERBS that are also done somewhere: 'worked on the farm', 'landed on the roof'."""
