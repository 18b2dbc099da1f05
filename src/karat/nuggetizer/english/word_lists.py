"""Lists of words that the rules use. The lists are our own; the verbs of saying follow the classes of VerbNet 37."""

from __future__ import annotations

SAYING = frozenset(
    """acknowledge admit advise affirm allege announce answer argue ask assert attest aver boast brag caution claim
    clarify comment complain concede confess confirm contend counter declare deny disclose elaborate emphasise
    emphasize exclaim explain gripe grumble inform insist interject joke lament mention murmur mumble mutter
    opine plead pledge proclaim profess promise propose quip quote reaffirm rebut recommend recount refute
    reiterate relate remark remind reply report retort reveal say shout state stress swear tell testify
    underline underscore urge utter vow warn whisper yell""".split()
)
"""Verbs that always make a statement."""

SAYING_WITH_CLAUSE = frozenset(
    """add agree assure begin blog blurt conclude continue cry demand estimate forecast fume go guess gush hint imply
    indicate inquire maintain muse note notify object observe point post predict project protest recall repeat
    respond rule scream signal speculate stammer suggest summarize text tweet voice wonder write""".split()
)
"""Verbs that make a statement only together with what was said: a clause or a quotation."""

QUOTATIVE = frozenset(
    """agree begin blog continue cry demand forecast go guess object post project repeat respond rule scream signal
    text wonder""".split()
)
"""Those of SAYING_WITH_CLAUSE that need a quotation or an indirect question; another clause is not enough."""

VISITING = frozenset(
    """visit tour enter reach leave depart exit flee cross approach traverse circle roam explore inhabit
    revisit near travel""".split()
)
"""Verbs of visiting and motion: if their object is a place, it stays a place (LOC)."""

QUANTITIES = frozenset(
    """pair couple dozen dozens score scores hundred hundreds thousand thousands million millions billion billions
    trillion trillions several few many handful half quarter trio duo numerous countless majority multiple lot
    lots umpteen zillion zillions""".split()
)
"""Words for a quantity, exact or not."""

NUMBERED = frozenset(
    """act annex appendix article band category chapter class clause column division equation exit figure flight gate
    grade group highway interstate item lane layer level line mark model module number page paragraph part
    phase platform proposition question reactor resolution room route rule scene section sector sol stage step
    table terminal tier type unit verse version volume ward zone""".split()
)
"""Nouns that a number after them names, but does not count: 'type 2', 'phase 3', 'reactor 4'."""

APPROXIMATORS = frozenset(
    """about around approximately roughly nearly almost over under some more less fewer than at least most up to only
    just exactly close an estimated well below above beyond as many much few little another""".split()
)
"""Words that belong to the number after them: more than 20, at least three, about 40."""

RELATIVE_TIMES = frozenset(
    """yesterday today tomorrow tonight now nowadays recently lately soon currently presently formerly previously
    earlier later afterwards afterward beforehand meanwhile already once daily weekly monthly yearly annually
    nightly hourly overnight midday noon midnight then""".split()
)
"""Adverbs and nouns that are a time by themselves."""

TIME_NOUNS = frozenset(
    """second minute hour day week month year decade century morning afternoon evening night weekend spring summer
    autumn fall winter january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday season semester quarter fortnight moment time
    period era dawn dusk noon midnight today yesterday tomorrow tonight""".split()
)
TIME_PREPOSITIONS = frozenset(
    """in on at by since until till during before after from for through throughout within over around about between
    toward towards past as of""".split()
)
"""Prepositions before a time; they belong to its nugget."""

PLACE_PREPOSITIONS = frozenset(
    """in at on to into onto from near inside outside across through throughout toward towards around via along beside
    behind between beyond over under above below past off within aboard amid among opposite up down""".split()
)
"""Prepositions that say where or where to."""

PLACE_NOUNS = frozenset(
    """airport apartment area avenue bank barn base bay beach border bridge building bureau camp campus cape capital
    castle cave cell center centre church city clinic coast college corner country county court courthouse
    desert district downtown east edge embassy factory farm field forest gate gym hall harbor harbour
    headquarters hill highway home hospital hotel house island jail kingdom kitchen laboratory lake library
    market mine mosque motorway mountain mountains museum neighborhood north office outskirts palace park path
    peninsula plant plaza port prison province ranch region republic restaurant river road room school shore
    site south square stadium state station store street suburb territory theater theatre tower town university
    valley village vineyard waters west wing yard zone""".split()
)
"""Common nouns that name a place."""


EVENT_NOUNS = frozenset(
    """accident address appearance arrest arrival assault assassination attack battle blast bombing campaign ceremony
    clash collapse collision concert conference congress convention coup crackdown crash debate demonstration
    departure deployment detention drive earthquake election embassy evacuation event excursion exercise
    exhibition expedition explosion fair festival fight fighting fire flight flood funeral game gathering hike
    incident inauguration invasion journey killing landing landslide launch march massacre match meeting mission
    murder negotiation offensive operation parade performance pilgrimage protest race raid rally referendum
    rescue retreat return riot robbery session shooting show siege stay stop stopover strike summit surgery talk
    talks tour tournament tragedy training transfer travel trek trial trip uprising vacation visit vote voyage
    walk war wedding withdrawal workshop""".split()
) - {"embassy"}
"""Nouns that name an event; a phrase that says where it happens or leads to is a place."""

RELATION_NOUNS = frozenset(
    """accord agreement alliance armistice bond ceasefire competition conflict contact contest cooperation
    deal dialogue difference discussion disagreement dispute draw duel encounter enmity exchange feud final friction
    friendship hostility marriage merger pact partnership peace quarrel rapprochement relation relations relationship
    rift rivalry row semifinal standoff struggle tension tie ties trade treaty truce trust understanding
    unity violence""".split()
)
"""Nouns for what is between two or more parties; those that name an event are in EVENT_NOUNS."""

MOTION_NOUNS = frozenset(
    "drive excursion expedition flight hike journey march pilgrimage race travel trek trip voyage walk".split()
)
"""Event nouns that lead from one place to another, so that 'between' and two places are a route."""


SURFACES = frozenset(
    "air board campus deck earth ice land page radio screen shore site stage television tv water".split()
)
"""Nouns that are a place after "on" even without an article (on stage); others say how or in what state (on foot)."""

BROADCASTS = frozenset("broadcast drama episode program programme series show".split())
"""What somebody is on when something is said; on the others of SPOKEN_PLACES is what it is about."""

FORMS_OF_ADDRESS = frozenset("mr mrs ms miss mister madam sir mx".split())
"""Words before a name that are not titles."""

KIN = frozenset(
    """aunt boyfriend brother buddy cousin colleague dad daughter father fiance fiancee friend girlfriend grandfather
    grandma grandmother grandpa granddaughter grandson guest guy husband kid lady man mom mother mum neighbor
    neighbour nephew niece pal parent roommate sibling sister son spouse stepfather stepmother twin uncle victim
    widow widower wife woman boy girl""".split()
)
"""Words for family, friends and people in general; they are not titles."""

TITLE_WORDS = frozenset(
    """amb atty brig capt cdr cmdr col cpl det hon insp maj msgr pfc pres pvt supt actor actress adm admiral advisor
    adviser ambassador analyst archbishop assistant associate astronaut attorney author baron baroness bishop
    boss brigadier cabinet candidate captain cardinal ceo cfo chair chairman chairperson chairwoman chancellor
    chef chief coach cofounder co-founder colonel columnist commander commissioner composer congressman
    congresswoman constable consul consultant coordinator corporal correspondent count countess councillor
    councilman councilwoman counsel cto curator dame dean defender delegate deputy detective dictator diplomat
    director doctor dr drummer duchess duke economist editor emir emperor engineer envoy executive fellow
    foreman founder frontman gen general goalkeeper governor guard guide guitarist head historian host inspector
    investigator journalist judge justice king lawmaker lawyer lead leader lecturer lieutenant lord lt madam
    major manager marshal master mayor mechanic midfielder minister monsignor negotiator nurse officer official
    organizer owner painter partner pastor photographer physician pilot poet pontiff pope premier president
    priest prime prince princess principal producer prof professor programmer prosecutor provost psychologist
    quarterback queen rabbi receptionist rep reporter representative researcher rev reverend scientist secretary
    sen senator sergeant sgt sheikh shareholder sheriff singer speaker spokesman spokesperson spokeswoman star
    strategist striker student superintendent supervisor surgeon sultan teacher technician treasurer tsar
    laureate champion cleric monk nun imam ayatollah
    undersecretary vice-president veteran vocalist volunteer warden writer""".split()
)
"""The main words of titles: offices, ranks, occupations."""

OFFICES = frozenset(
    """ambassador archbishop bishop captain ceo cfo chair chairman chairperson chairwoman chancellor chief coach
    cofounder co-founder commander commissioner composer conductor correspondent curator dean deputy director editor
    engineer envoy executive founder governor head inspector judge king leader lawyer manager mayor minister nurse
    officer pilot pope premier president principal professor prosecutor queen rector secretary senator sheriff
    spokesman spokesperson spokeswoman superintendent surgeon teacher treasurer undersecretary boss mp""".split()
)
"""Titles that only a person has, so that a name in apposition to one is a person's, whatever the tagger says."""

ADMITTED = frozenset(
    """adult applicant athlete boy candidate child fan girl guest immigrant infant inmate journalist man member migrant
    newcomer observer patient people person player pupil refugee resident scholar soldier student survivor tourist
    victim visitor woman worker""".split()
)
"""Who can be let in: 'admitted twelve patients' is an event, 'admitted mistakes' a statement."""

DOING = ("er", "or", "ist", "ian", "eer", "ant", "ess", "man", "woman", "person", "yst", "smith", "wright", "ee", "ent")
"""Endings of nouns for people who do something."""

COMPANY = frozenset(
    """administration ally army audience authority child class club coalition community company council country crowd
    enemy faction family firm force forces gang government group hostage militia minister nation opposition party
    people police public rebel side staff state team tribe troops union""".split()
)
"""Groups and people that one can be or do something with."""

COMPASS = frozenset(
    """north south east west northeast northwest southeast southwest north-east north-west south-east
    south-west""".split()
)
"""Points of the compass; as adverbs they say where to."""

DONE_THERE = frozenset(
    """ambush arrest assassinate attack attend block bomb bombard build burn bury capture close damage demolish destroy
    detain excavate execute find give greet hold inaugurate inject kidnap kill launch meet occupy open operate perform
    present raid receive release rescue seize shell shoot sign stab storm test treat unveil vaccinate win
    wound""".split()
)
"""Verbs that are done where their object is, so that a place after the object is the place of the event, too."""

CONTROL = frozenset(
    """afford agree aim attempt begin cease continue decide decline demand deserve expect fail hesitate hope intend
    learn manage need neglect offer plan prepare pretend promise refuse remember seek start threaten try volunteer vow
    want
    wish""".split()
)
"""Verbs whose infinitive is their object, and says no purpose."""

NOT_SOMEWHERE = frozenset(
    """accuse acquire affect analyse analyze back be become blame buy cite comprise concern condemn contain cover
    criticise criticize describe discuss examine fear finance fund govern hate have head include inherit investigate
    involve join know lead like love manage mention need oppose own possess praise prefer recall remain represent
    resemble rule run sponsor study sue support thank threaten want""".split()
)
"""Verbs that do not happen where their object is: a place after the object belongs to the object."""

PLACE_ADVERBS = COMPASS | frozenset(
    """here there abroad home homeward upstairs downstairs outside inside nearby elsewhere everywhere nowhere somewhere
    overseas offshore ashore uphill downhill downtown underground indoors outdoors away""".split()
)
"""Adverbs that say where or where to."""

TIME_ADVERBS = frozenset(
    """still already now then always usually finally often sometimes rarely seldom twice once again later earlier soon
    recently lately eventually afterwards afterward meanwhile previously formerly currently today tomorrow
    yesterday tonight overnight immediately daily weekly monthly annually initially originally""".split()
)
"""Adverbs that say when or how often."""

NOT_MANNER = frozenset(
    """absolutely actually admittedly allegedly almost apparently barely basically certainly clearly completely
    definitely early effectively entirely especially essentially evidently exactly extremely fairly family
    fortunately frankly fully generally greatly hardly highly honestly hopefully ideally importantly
    increasingly incredibly indeed interestingly largely likely literally luckily mainly merely mostly naturally
    nearly necessarily notably obviously officially only oddly particularly partly perfectly possibly
    potentially practically precisely predictably presumably pretty primarily probably purely really reportedly
    roughly sadly scarcely seemingly seriously significantly similarly simply slightly strangely strongly
    supposedly surely surprisingly thankfully totally truly typically ultimately understandably undoubtedly
    unfortunately unlikely usually utterly virtually""".split()
)
"""Adverbs in -ly that do not say how something is done, but comment on the sentence, or say degree or focus."""

NOT_MODIFIERS = frozenset(
    """also although and anyway as basically because but either else even exactly far how however indeed instead just
    maybe more most much neither never nor not okay only or otherwise perhaps please probably quite rather
    really simply so still such that then therefore though thus too very well what when where whether which who
    why yes yet no like mainly mostly merely actually certainly obviously definitely apparently honestly frankly
    sadly hopefully literally almost nearly barely hardly especially particularly""".split()
)
"""Single words that are never a modifier nugget, whatever their role: comments, focus, degree, questions."""

CAUSES = frozenset("because although though if unless whereas lest despite so without provided".split())
"""First words of clauses that say a reason, a condition or a contrast."""

TIME_CONJUNCTIONS = frozenset("when while after before until till once since as whenever".split())

MODIFIER_PREPOSITIONS = frozenset(
    "despite without because due thanks according amid unlike per notwithstanding".split()
)
"""Prepositions of phrases that say a reason, a manner or a contrast."""

PURPOSE_NOUNS = EVENT_NOUNS | frozenset("treatment comment help aid reasons reason purpose fun free safety".split())

SPOKEN_PLACES = frozenset(
    """account address article book broadcast column comment conference document drama episode film interview letter
    memo message movie note novel paper poll post program programme report series show speech statement study
    survey testimony text trial video""".split()
)
"""Things in which something is said or happens. They are no real places, but PropBank marks them as such."""

DISCOURSE = frozenset(
    (
        "for example|for instance|in addition|of course|in fact|on the other hand|on the one hand|in particular|"
        "in general|at least|at all|as well|in short|in other words|after all|above all|by the way|for sure|"
        "no doubt|that is|in contrast|by contrast|in turn|as usual|in conclusion|in summary"
    ).split("|")
)
"""Phrases that connect sentences or comment on them, and modify no event."""
