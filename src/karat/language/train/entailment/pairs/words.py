"""Word lists for made-up pairs: participants, verbs with two roles, relations, opposites, words of like meaning."""

from __future__ import annotations

from pathlib import Path

FIRST = """
Anna Ben Carla David Elena Farid Grace Hassan Ingrid James Keiko Liam Maria Nadia Omar Paula Quentin Rosa
Samuel Tara Umar Vera Walter Xenia Yusuf Zoe Adam Bianca Chen Daniela Erik Fatima George Hanna Ivan Julia Karl
Leila Martin Nina Oscar Priya Rafael Sofia Thomas Ursula Victor Wendy Ahmed Brian Cecilia Dmitri Esther Felix
Gita Henry Isabel Jorge
""".split()
LAST = """
Adams Becker Castro Duval Evans Fischer Garcia Haddad Ito Jones Kowalski Lopez Meyer Novak Okafor Patel Quinn
Rossi Smith Tanaka Ueda Vargas Weber Xu Young Zhang Anderson Brooks Cohen Dahl Edwards Foster Gupta Hansen
Ivanov Jensen Klein Larsen Morales Nguyen Olsen Petrov Ramirez Schmidt Torres Ulrich Vogel Walker Yilmaz Zeman
Baker Carter Diaz Ellis Ford Green Hughes Ibrahim Jackson Khan Lewis Mitchell Nelson Owens Parker Reed Sanders
Turner Usman Vance Wright
""".split()
PLACES = """
France Germany Japan Brazil Kenya India Canada Mexico Norway Poland Egypt Turkey Chile Spain Italy Portugal
Sweden Finland Greece Peru Ghana Nigeria Vietnam Thailand Ukraine Austria Belgium Denmark Ireland Scotland Iran
Iraq Israel Syria China Russia Cuba Colombia Argentina Morocco Texas Ohio Florida Bavaria Paris London Berlin
Tokyo Madrid Vienna Chicago Boston Oslo Cairo Lagos Mumbai Sydney Toronto Dublin Athens Prague Warsaw
""".split()
COMPANIES = """
Apple|Google|Microsoft|Toyota|Siemens|Boeing|Airbus|Nokia|Intel|Pfizer|Bayer|Shell|Walmart|Amazon|Volkswagen|
Samsung|Sony|Ford Motor|General Electric|Deutsche Bank|the World Bank|the Red Cross|Greenpeace|Oxfam|
Harvard University|Stanford University|the BBC|the New York Times|Reuters|the Supreme Court|the Senate|
the European Union|NATO|the United Nations|Arsenal|Chelsea|Barcelona|Liverpool|the Lakers|the Yankees|
Acme Corp.|Northwind Ltd.|Delta Airlines|Novartis|Nestle|Unilever
"""
GROUPS = """
teachers students doctors nurses farmers workers miners soldiers rebels protesters lawyers judges scientists
engineers voters investors tourists journalists parents children police firefighters pirates settlers merchants
banks insurers unions landlords tenants managers patients researchers critics fans politicians employers
consumers importers wolves bears foxes sharks ants bees lions hunters shepherds pilots drivers cyclists
""".split()
DEFINITES = """
the court|the company|the government|the president|the mayor|the board|the committee|the union|the bank|
the agency|the school|the hospital|the museum|the army|the navy|the police|the king|the queen|the bishop|
the senator|the minister|the judge|the witness|the defendant|the plaintiff|the manager|the coach|the captain|
the chef|the author|the editor|the publisher|the doctor|the patient|the teacher|the student|the parents|
the neighbour|the farmer|the fisherman|the landlord|the tenant|the owner|the buyer|the supplier|the contractor|
the opposition|the parliament|the council|the governor|the ambassador|the regulator|the dog|the cat|the wolf|
the goat|the crocodile|the lion|the boy|the girl|the old man|the young woman|a local lawyer|a former minister|
an unknown hacker|a small start-up|two detectives|several senators|some villagers|a rival gang|the new director
"""
THINGS = """
insulin|glucagon|cortisol|serotonin|dopamine|the virus|the bacterium|the enzyme|the receptor|the protein|
the antibody|the drug|the vaccine|inflammation|stress|obesity|smoking|poverty|inflation|unemployment|
interest rates|house prices|oil prices|exports|wages|demand|drought|deforestation|erosion|flooding|
soil moisture|ocean warming|sea ice|carbon dioxide|methane|ozone|nitrogen|calcium|iron|vitamin D|sleep|exercise|
anxiety|depression|fever|high blood pressure|diabetes|heart disease|air pollution|traffic|urban growth|
migration|war|crime|corruption|education|tourism|the gene|the mutation|the hormone|social media|screen time|
automation|free trade|tariffs|the moon|gravity|the magnetic field|the current|the algorithm|the parasite|
the host|predators|prey species|phytoplankton|coral reefs|mangroves|beavers
"""
OBJECTS = """
a house|the painting|a large loan|100 shares|the land|a used car|several letters|the documents|weapons|
two horses|food|medical supplies|a ship|the patent|the recipe|a warning|money|a gold ring|the manuscript|
twelve computers|wheat|natural gas|aircraft|the stolen files|a bicycle|the rights to the film|evidence|
a small island|a bonus|the keys
"""

ACTIONS = """
defeat defeated defeated;beat beat beaten;sue sued sued;praise praised praised;criticize criticized criticized;
hire hired hired;fire fired fired;attack attacked attacked;acquire acquired acquired;accuse accused accused;
invite invited invited;help helped helped;support supported supported;replace replaced replaced;
rescue rescued rescued;warn warned warned;blame blamed blamed;betray betrayed betrayed;follow followed followed;
kill killed killed;murder murdered murdered;shoot shot shot;arrest arrested arrested;
interview interviewed interviewed;train trained trained;teach taught taught;visit visited visited;
threaten threatened threatened;trust trusted trusted;ignore ignored ignored;employ employed employed;
finance financed financed;sponsor sponsored sponsored;outvote outvoted outvoted;overtake overtook overtaken;
chase chased chased;bite bit bitten;hit hit hit;punch punched punched;save saved saved;
protect protected protected;insult insulted insulted;mock mocked mocked;question questioned questioned;
investigate investigated investigated;lead led led;influence influenced influenced;inspire inspired inspired;
admire admired admired;hate hated hated;love loved loved;fear feared feared;see saw seen;hear heard heard;
find found found;recognize recognized recognized;call called called;contact contacted contacted;
advise advised advised;persuade persuaded persuaded;convince convinced convinced;force forced forced;
deceive deceived deceived;cheat cheated cheated;rob robbed robbed;kidnap kidnapped kidnapped;free freed freed;
capture captured captured;surround surrounded surrounded;ambush ambushed ambushed;bomb bombed bombed;
invade invaded invaded;occupy occupied occupied;liberate liberated liberated;colonize colonized colonized;
blackmail blackmailed blackmailed;bribe bribed bribed;pay paid paid;fund funded funded;rebuke rebuked rebuked;
endorse endorsed endorsed;nominate nominated nominated;appoint appointed appointed;succeed succeeded succeeded;
precede preceded preceded;outlive outlived outlived;adopt adopted adopted;raise raised raised;
treat treated treated;examine examined examined;represent represented represented;defend defended defended;
prosecute prosecuted prosecuted;convict convicted convicted;pardon pardoned pardoned;elect elected elected;
expel expelled expelled;exclude excluded excluded;welcome welcomed welcomed;thank thanked thanked;
forgive forgave forgiven;challenge challenged challenged;copy copied copied;imitate imitated imitated;
quote quoted quoted;cite cited cited;thwart thwarted thwarted;outperform outperformed outperformed;
overthrow overthrew overthrown;undermine undermined undermined;supply supplied supplied;
monitor monitored monitored;own owned owned;control controlled controlled;target targeted targeted;
injure injured injured;infect infected infected;push pushed pushed;carry carried carried;drive drove driven;
catch caught caught;eat ate eaten;hunt hunted hunted
"""
EFFECTS = """
cause caused caused;reduce reduced reduced;increase increased increased;inhibit inhibited inhibited;
activate activated activated;block blocked blocked;stimulate stimulated stimulated;
suppress suppressed suppressed;trigger triggered triggered;prevent prevented prevented;affect affected affected;
worsen worsened worsened;improve improved improved;accelerate accelerated accelerated;slow slowed slowed;
drive drove driven;weaken weakened weakened;strengthen strengthened strengthened;regulate regulated regulated;
limit limited limited;raise raised raised;lower lowered lowered;influence influenced influenced;
produce produced produced;destroy destroyed destroyed;attract attracted attracted;displace displaced displaced;
absorb absorbed absorbed;release released released;shape shaped shaped;delay delayed delayed;
amplify amplified amplified;explain explained explained;predict predicted predicted
"""

RELATIONS = (Path(__file__).parent / "relations.txt").read_text(encoding="utf-8").strip()

"""One relation per line: wordings that say the same. Exchanging A and B (or B and C) makes them false."""

OPPOSITES = """
increase decrease;increased decreased;increases decreases;increasing decreasing;rise fall;rose fell;rises falls;
rising falling;risen fallen;higher lower;high low;highest lowest;more less;most least;larger smaller;
large small;largest smallest;bigger smaller;big small;better worse;best worst;good bad;before after;
earlier later;early late;first last;old new;older newer;older younger;old young;long short;longer shorter;
longest shortest;strong weak;stronger weaker;fast slow;faster slower;hot cold;warm cool;warmer cooler;rich poor;
richer poorer;hard easy;difficult easy;safe dangerous;safe unsafe;likely unlikely;possible impossible;
legal illegal;male female;men women;man woman;boy girl;boys girls;mother father;north south;northern southern;
east west;eastern western;inside outside;above below;over under;up down;left right;public private;
positive negative;true false;win lose;won lost;wins loses;winner loser;winning losing;accept reject;
accepted rejected;accepts rejects;approve reject;approved rejected;support oppose;supported opposed;
supports opposes;begin end;began ended;begins ends;start finish;started stopped;open close;opened closed;
opens closes;open closed;buy sell;bought sold;buys sells;allow forbid;allowed banned;allows bans;
permit prohibit;permitted prohibited;succeed fail;succeeded failed;success failure;successful unsuccessful;
gain lose;gained lost;gain loss;profit loss;profits losses;improve worsen;improved worsened;improves worsens;
strengthen weaken;strengthened weakened;arrive leave;arrived left;arrives leaves;include exclude;
included excluded;includes excludes;alive dead;live die;born died;cause prevent;caused prevented;
causes prevents;expand shrink;expanded shrank;add remove;added removed;majority minority;maximum minimum;
common rare;popular unpopular;famous unknown;major minor;rural urban;domestic foreign;internal external;
full empty;present absent;present past;future past;always never;often rarely;everyone nobody;everything nothing;
all none;many few;frequently rarely;healthy sick;guilty innocent;innocent guilty;friend enemy;friends enemies;
ally enemy;love hate;loved hated;loves hates;praised criticized;praise criticize;agree disagree;
agreed disagreed;agrees disagrees;remember forget;push pull;cheap expensive;cheaper costlier;simple complex;
wide narrow;wider narrower;deep shallow;dry wet;light dark;light heavy;heavy light;clean dirty;day night;
summer winter;morning evening;modern ancient;temporary permanent;direct indirect;formal informal;
active inactive;attack defend;attacked defended;encourage discourage;encouraged discouraged;
encourages discourages;raise lower;raised lowered;raises lowers;speed slow;create destroy;created destroyed;
creates destroys;build demolish;built demolished;built destroyed;enter leave;entered left;protect harm;
protects harms;protected harmed;benefit harm;benefits harms;beneficial harmful;effective ineffective;
efficient inefficient;sufficient insufficient;necessary unnecessary;aware unaware;able unable;together apart;
deny confirm;denied confirmed;denies confirms;hire fire;hired fired;import export;imports exports;
imported exported;exceed undercut;upper lower;wealthy poor;soft hard;thick thin;tall short;taller shorter;
smooth rough;optimistic pessimistic
"""
SYNONYMS = """
big large;bigger larger;biggest largest;start begin;started began;starts begins;buy purchase;bought purchased;
help assist;helped assisted;kids children;movie film;movies films;doctor physician;doctors physicians;
car automobile;cars automobiles;about around;approximately about;roughly about;nearly almost;show demonstrate;
showed demonstrated;shows demonstrates;obtained got;need require;needs requires;needed required;choose select;
chose selected;chosen selected;fast quick;quickly rapidly;rapidly quickly;often frequently;hard difficult;
enough sufficient;whole entire;entire whole;famous well-known;many numerous;numerous many;because since;
although though;though although;ill sick;rich wealthy;wealthy rich;job position;worker employee;
workers employees;employees workers;firm company;company firm;companies firms;country nation;countries nations;
nation country;nations countries;attempt try;attempted tried;try attempt;tried attempted;answered replied;
said stated;says states;stated said;told informed;fixed repaired;repair fix;error mistake;errors mistakes;
happened occurred;occurred happened;happens occurs;occur happen;occurs happens;permit allow;permits allows;
permitted allowed;allows permits;allowed permitted;created made;built constructed;constructed built;
build construct;decreased declined;declined decreased;decrease decline;decline decrease;rose increased;
increased rose;fell dropped;dropped fell;reduce cut;reduced cut;main chief;main primary;primary main;
important significant;significant important;dangerous hazardous;huge enormous;tiny very small;smart intelligent;
illness disease;disease illness;diseases illnesses;gift present;road street;ship vessel;vessel ship;
injured hurt;physicians doctors;received got;provide give;provides gives;located situated;situated located;
founded established;established founded;launched started;released issued;issued released;ended concluded;
died passed away;lived resided;lives resides;resides lives;moved relocated;became turned into;wrote authored;
known as=called;teaches instructs;appeared showed up;remained stayed;stayed remained;stays remains;
remains stays;worldwide around the world;annually every year;yearly annually;in order to=to;due to=because of;
because of=due to;despite in spite of;in spite of=despite;during in the course of;prior to=before;
before=prior to;following after;after following;United States=U.S.;percent per cent;a lot of=many;such as=like;
regarding about;concerning about;several various;currently now;now currently;today nowadays;later afterwards;
initially at first;originally at first;finally in the end;eventually in the end;usually normally;
normally usually
"""
"""Used in both senses of "light paraphrase": one word for another. The first is replaced by the second."""
NUMBER_WORDS = """
zero one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def listed(text: str) -> list[str]:
    """The entries of a list that is separated by bars."""
    return [entry.strip() for entry in text.split("|") if entry.strip()]


def couples(text: str) -> list[tuple[str, str]]:
    """The pairs of a list: "a b;c d". A first part of several words ends with "=": "a b=c"."""
    found = []
    for entry in text.split(";"):
        first, _, second = entry.strip().partition("=" if "=" in entry else " ")
        found.append((first, second.strip()))
    return found


def verbs(text: str) -> list[tuple[str, str, str]]:
    """Verbs as (base, past, participle)."""
    return [tuple(entry.split()) for entry in text.split(";")]  # type: ignore[misc]
