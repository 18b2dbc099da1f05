"""Well-known names by type; names of one line are (nearly) the same place, or one is part of the other."""

from __future__ import annotations

COUNTRIES = """United States|U.S.|US|USA|America|United States of America
United Kingdom|UK|U.K.|Britain|Great Britain|England|Scotland|Wales|Ireland|Northern Ireland
Germany|France|Spain|Italy|Portugal|Poland|Sweden|Norway|Denmark|Finland|Austria|Switzerland|Belgium|Netherlands|Greece|Turkey
Russia|Ukraine|Hungary|Romania|Bulgaria|Serbia|Croatia|Iceland|Estonia|Latvia|Lithuania
China|Japan|India|Pakistan|Bangladesh|Indonesia|Malaysia|Singapore|Thailand|Vietnam|Philippines|South Korea|North Korea
Iran|Iraq|Israel|Egypt|Syria|Lebanon|Jordan|Saudi Arabia|Afghanistan|Nepal|Sri Lanka
Canada|Mexico|Brazil|Argentina|Chile|Peru|Colombia|Venezuela|Cuba|Bolivia|Ecuador
Nigeria|Kenya|Ethiopia|Ghana|South Africa|Morocco|Algeria|Tunisia|Uganda|Tanzania|Sudan|Zimbabwe|Rwanda
Australia|New Zealand"""
CITIES = """London|Paris|Berlin|Madrid|Rome|Vienna|Moscow|Athens|Lisbon|Dublin|Amsterdam|Brussels|Stockholm
Oslo|Copenhagen|Prague|Warsaw|Budapest|Istanbul|Cairo|Jerusalem|Baghdad|Tehran|Delhi|Mumbai|Beijing|Shanghai|Tokyo
Osaka|Seoul|Bangkok|Jakarta|Sydney|Melbourne|Toronto|Montreal|Vancouver|Chicago|Boston|Philadelphia|Houston|Dallas
Seattle|Denver|Detroit|Atlanta|Miami|Baltimore|San Francisco|Los Angeles|San Diego|Las Vegas|Phoenix|Cleveland
Pittsburgh|Manchester|Liverpool|Birmingham|Glasgow|Edinburgh|Munich|Hamburg|Milan|Naples|Venice|Barcelona|Geneva
Zurich|Lagos|Nairobi|Johannesburg|Cape Town|Buenos Aires|Lima|Havana|Wuhan|Hong Kong"""
STATES = """California|Texas|Florida|Ohio|Michigan|Illinois|Georgia|Virginia|Pennsylvania|Massachusetts
Connecticut|Maryland|Kentucky|Tennessee|Alabama|Louisiana|Arkansas|Missouri|Iowa|Wisconsin|Minnesota|Kansas|Nebraska
Oklahoma|Colorado|Utah|Nevada|Arizona|Oregon|Montana|Wyoming|Idaho|Alaska|Hawaii|Maine|Vermont|New Jersey|Indiana
North Carolina|South Carolina|Queensland|Ontario|Quebec"""
CONTINENTS = "Africa|Asia|Europe|South America|North America|Antarctica"
NATIONALITIES = """German|French|Spanish|Italian|Portuguese|Polish|Swedish|Norwegian|Danish|Greek|Turkish|Russian
Ukrainian|Hungarian|Chinese|Japanese|Indian|Pakistani|Indonesian|Korean|Thai|Iranian|Iraqi|Israeli|Egyptian|Canadian
Mexican|Brazilian|Australian|Cuban|Nigerian|Kenyan|Ethiopian|Dutch|Belgian|Swiss|Austrian|Irish"""
COMPANIES = """Google|Microsoft|Apple|Amazon|Facebook|Twitter|IBM|Intel|Samsung|Sony|Nokia|Toyota|Honda|Ford
General Motors|Boeing|Airbus|Walmart|Starbucks|Nestle|Pfizer|Moderna|Netflix|Tesla|Disney|Yahoo|Oracle|Nike|Adidas
Siemens|Shell|Coinbase|Binance"""
AGENCIES = "FDA|NASA|FBI|CIA|EPA|SEC|CDC|WHO|IMF|NATO|UNESCO|UNICEF"
BODIES = (
    "Supreme Court|Congress|Senate|House of Representatives|Treasury|Pentagon|Ministry of Finance|Department of Justice"
)
INTERNATIONAL = """World Bank|European Union|United Nations|World Health Organization|Red Cross|European Commission
International Monetary Fund|World Trade Organization"""
SHORT_UNIVERSITIES = "Harvard|Yale|Stanford|Princeton|Oxford|Cambridge|MIT"
UNIVERSITIES = """Harvard University|Stanford University|Yale University|Princeton University|Duke University
Cornell University|Columbia University|Brown University|Boston University|New York University|Oxford University"""
FIRST_NAMES = """John James Robert Michael William David Richard Joseph Thomas Charles Mark Paul Steven Andrew
Kenneth George Joshua Kevin Brian Edward Ronald Anthony Daniel Matthew Jason Jeffrey Ryan Jacob Gary Eric Stephen
Jonathan Larry Justin Scott Frank Brandon Benjamin Samuel Gregory Patrick Alexander Jack Dennis Jerry Peter Henry
Walter Harold Douglas Carl Arthur Albert Joe Tim Tom Bob Bill Jim Mike Sam Max Ben Fred Harry Oscar Simon Martin
Philip Alan Roger Louis Ralph Howard Hugh Neil Ian Adam Luke Jamal Timmy Billy Bobby Tommy Jimmy Johnny Danny"""
WOMEN = """Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Margaret
Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah Stephanie Rebecca Sharon Laura
Cynthia Kathleen Amy Angela Anna Emma Helen Julia Rachel Maria Diane Julie Joyce Victoria Kelly Christina Joan Evelyn
Lauren Judith Megan Alice Hannah Jane Kate Katie Lucy Molly Sally Sue Jill Jenny Grace Rose Ruth Sophie Clara Ella
Lily Kathy Lola Bella Marie"""
SURNAMES = """Carver Whitfield Brandt Holloway Mercer Lindqvist Okafor Delgado Petrov Hargrove Nakamura Vance
Ellison Marsh Tanaka Beckett Corrigan Novak Sinclair Abbott Pruitt Langley Osborne Kessler Radford"""


def lines(text: str) -> list[list[str]]:
    """Names by line."""
    return [line.split("|") for line in text.splitlines()]


def names(text: str) -> list[str]:
    return [name for line in lines(text) for name in line]


GROUPS = lines(COUNTRIES)[:2]
TYPES: dict[str, list[str]] = {
    "country": names(COUNTRIES), "city": names(CITIES), "state": names(STATES), "continent": names(CONTINENTS),
    "nationality": names(NATIONALITIES), "company": names(COMPANIES), "agency": names(AGENCIES), "body": names(BODIES),
    "international": names(INTERNATIONAL), "university": names(UNIVERSITIES), "school": names(SHORT_UNIVERSITIES),
}  # fmt: skip
"""What a name can be replaced by: another one of its type."""
TYPE_OF = {name: kind for kind, known in TYPES.items() for name in known}
MEN_AND_WOMEN = (FIRST_NAMES.split(), WOMEN.split())


def same_place(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in GROUPS)
