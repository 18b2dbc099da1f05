"""Sentences of our own for every rule: one where it fires and one where it must not."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    rule: str
    text: str
    there: str
    """Nuggets that must be found: TYPE=text, separated by semicolons."""
    absent: str = ""
    """Nuggets that must not: TYPE=text, or TYPE for any of that type."""


AUTO = [
    # verbs of saying
    Case(
        "no_event_from_saying",
        "The minister announced that the bridge had collapsed.",
        "STM=announced;EVT=@collapsed",
        "EVT=@announced",
    ),
    Case("no_event_from_saying", "The company added forty jobs last spring.", "EVT=@added", "STM"),
    Case("no_event_from_saying", "The roof leaked, the caretaker added.", "STM=added;EVT=@leaked", "EVT=@added"),
    # finite verbs
    Case("no_event_from_nonfinite", "The board voted to sell the factory.", "EVT=@voted", "EVT=@sell"),
    Case("no_event_from_nonfinite", "Workers carrying banners blocked the gate.", "EVT=@blocked", "EVT=@carrying"),
    Case("no_event_from_nonfinite", "The letters found in the attic were burned.", "EVT=@burned", "EVT=@found"),
    Case("no_event_from_nonfinite", "The dam could have been saved.", "EVT=@saved", "EVT=@could;EVT=@been"),
    Case("no_event_from_nonfinite", "She was arrested and charged.", "EVT=@arrested;EVT=@charged", ""),
    Case("no_event_from_nonfinite", "The harbor is shallow.", "EVT=@is", ""),
    Case("no_event_from_nonfinite", "The thieves broke in.", "EVT=@broke in", ""),
    Case("no_event_from_nonfinite", "Farmers have to register their wells.", "EVT=@register", "EVT=@have"),
    Case("no_statement_from_nonfinite", "The nurse refused to say anything.", "EVT=@refused", "STM"),
    Case(
        "no_statement_from_nonfinite",
        "He left early, saying that he felt ill.",
        "STM=saying",
        "MOD=saying that he felt ill",
    ),
    # places
    Case("place_as_agent_or_patient", "Norway rejected the treaty.", "GPE=Norway", "LOC"),
    Case("place_as_agent_or_patient", "The storm battered Jamaica.", "GPE=Jamaica", "LOC"),
    Case("place_as_agent_or_patient", "The delegation visited Jamaica.", "LOC=Jamaica", "GPE"),
    Case("place_as_other_argument", "The envoy flew to Nairobi.", "LOC=to Nairobi", "GPE"),
    Case("place_as_other_argument", "The envoy praised Kenya.", "GPE=Kenya", "LOC"),
    Case("place_of_event_noun", "The attack in Mumbai shocked her.", "LOC=in Mumbai", "GPE"),
    Case("place_of_event_noun", "The mayor of Mumbai shocked her.", "EVT=@shocked", "LOC;GPE"),
    Case("no_place_inside_noun_phrase", "The Italian government of Rome fell.", "EVT=@fell", "LOC;GPE"),
    Case("no_place_inside_noun_phrase", "France's parliament rejected the bill.", "EVT=@rejected", "LOC;GPE"),
    Case("merge_adjacent_places", "They met in Lyon, France.", "LOC=in Lyon, France", ""),
    Case("merge_adjacent_places", "The truck drove from Lyon to Geneva.", "LOC=from Lyon to Geneva", ""),
    Case(
        "merge_adjacent_places", "In Lyon the truck stopped near the station.", "LOC=In Lyon;LOC=near the station", ""
    ),
    Case(
        "extent_of_role",
        "The talks were held in the old town hall of Geneva.",
        "LOC=in the old town hall of Geneva",
        "",
    ),
    Case("place_overrides_role", "The committee convened in Geneva.", "LOC=in Geneva", "MOD;TMP"),
    # persons and organisations
    Case("names_only_as_arguments", "Maria Lopez sued Siemens.", "PER=Maria Lopez;ORG=Siemens", ""),
    Case("names_only_as_arguments", "Maria Lopez's lawyer left.", "EVT=@left", "PER"),
    Case("names_only_as_arguments", "NATO warplanes bombed the depot.", "EVT=@bombed", "ORG"),
    Case("no_name_that_is_addressed", "Linda Park, you know that is wrong.", "EVT=@is", "PER"),
    Case("no_name_that_is_addressed", "Linda Park told you that.", "PER=Linda Park", ""),
    Case(
        "no_name_inside_title",
        "Siemens chief executive Anna Weber resigned.",
        "TITLE=Siemens chief executive;PER=Anna Weber",
        "ORG",
    ),
    Case("no_name_inside_title", "Siemens hired Anna Weber.", "ORG=Siemens;PER=Anna Weber", "TITLE"),
    # titles
    Case("title", "President Carla Mendes resigned.", "TITLE=President;PER=Carla Mendes", ""),
    Case(
        "title",
        "Carla Mendes, the president of the club, resigned.",
        "TITLE=president of the club;PER=Carla Mendes",
        "",
    ),
    Case("title", "The president resigned.", "EVT=@resigned", "TITLE"),
    Case("title", "Mr. Mendes resigned.", "PER=Mendes", "TITLE"),
    # times
    Case("merge_adjacent_times", "The ferry sank on Monday at 6 a.m.", "TMP=on Monday at 6 a.m.", ""),
    Case(
        "merge_adjacent_times",
        "On Monday the ferry sank before it reached the pier.",
        "TMP=On Monday;TMP=before it reached the pier",
        "",
    ),
    Case("time_over_number", "The trial lasted three weeks.", "TMP=three weeks", "NUM"),
    Case("time_over_number", "The trial heard three witnesses.", "NUM=three", "TMP"),
    Case("time_over_place", "The shop opened in March.", "TMP=in March", "LOC"),
    Case("time_over_place", "The shop opened in Marseille.", "LOC=in Marseille", "TMP"),
    # numbers
    Case("number", "About 40 passengers were hurt.", "NUM=About 40", ""),
    Case("number", "They talked about their plans.", "EVT=@talked", "NUM"),
    Case("number", "Prices rose by 15 percent.", "NUM=by 15 percent", ""),
    Case("number", "The painting cost $2 million.", "NUM=$2 million", ""),
    Case("number", "A dozen sheep escaped.", "NUM=dozen", ""),
    Case("number", "Olga Petrova, 61, won the race.", "NUM=61;PER=Olga Petrova", "TMP"),
    Case("number", "Two-thirds of the workers walked out.", "NUM=Two-thirds", "TMP"),
    Case("number", "Valencia won 2-1 on Sunday.", "NUM=2-1;TMP=on Sunday", ""),
    Case("number", "The two-year inquiry ended.", "EVT=@ended", "NUM"),
    Case("number_over_modifier", "They lost by thirty points.", "NUM=by thirty points", "MOD;TMP"),
    Case("number_over_modifier", "They won by cheating.", "EVT=@won", "NUM"),
    Case(
        "place_over_time_of_event",
        "He was attacked during a visit to the city of Tainan.",
        "LOC=to the city of Tainan",
        "TMP",
    ),
    Case("place_over_time_of_event", "He was attacked during the night.", "TMP=during the night", "LOC"),
    Case(
        "no_place_inside_noun_phrase",
        "London-based HSBC cut 1,000 jobs in Asia.",
        "EVT=@cut;LOC=in Asia",
        "LOC=London;GPE",
    ),
    Case("title", "Former Secretary of State Carla Mendes resigned.", "TITLE=Former Secretary of State", ""),
    # modifiers
    Case(
        "modifier",
        "The flight was cancelled because the fog was thick.",
        "MOD=because the fog was thick;EVT=@cancelled;EVT=@was",
        "",
    ),
    Case("modifier", "She opened the box carefully.", "MOD=carefully", ""),
    Case("modifier", "For example, she opened the box.", "EVT=@opened", "MOD"),
    Case("modifier", "However, she opened the box.", "EVT=@opened", "MOD"),
    # names with digits, who takes part, what it is about
    Case("no_number_inside_name", "A B-52 dropped 14 bombs.", "NUM=14", "NUM=52;NUM=B-52"),
    Case("no_number_inside_name", "Nine B-52 bombers took off.", "NUM=Nine"),
    Case("no_number_inside_name", "It lasted until the mid-1990s.", "TMP=until the mid-1990s", "NUM"),
    Case("no_number_inside_name", "The Apollo 11 crew landed.", "EVT=@landed", "NUM"),
    Case("no_number_inside_name", "In Iraq 14 soldiers died.", "NUM=14;LOC=In Iraq", ""),
    Case(
        "no_place_from_participants",
        "Negotiations between Russia and Ukraine failed.",
        "EVT=Negotiations between Russia and Ukraine failed",
        "LOC",
    ),
    Case("no_place_from_participants", "Fighting broke out between Iran and Iraq in 1980.", "TMP=in 1980", "LOC"),
    Case(
        "no_place_from_participants",
        "The flight between London and Paris was delayed.",
        "LOC=between London and Paris",
        "",
    ),
    Case("no_place_from_participants", "A ferry sank between Java and Bali.", "LOC=between Java and Bali", ""),
    Case("no_place_from_topic", "He refused to comment on the video.", "EVT=@refused", "LOC"),
    Case("no_place_from_topic", "They worked on the program.", "EVT=They worked on the program", "LOC"),
    Case("no_place_from_topic", "The book focuses on the river.", "EVT=@focuses", "LOC"),
    Case("no_place_from_topic", "They worked on the farm.", "LOC=on the farm", ""),
    Case("state_is_no_place", "Rescuers reached the village on foot.", "MOD=on foot", "LOC"),
    Case("state_is_no_place", "Rescuers stayed on shore.", "EVT=@stayed", "MOD"),
    Case("near", "Gunmen attacked a convoy near Kandahar.", "LOC=near Kandahar", ""),
    Case("near", "Thieves robbed a nurse near the station.", "LOC=near the station"),
    Case("near", "Troops near Kandahar were attacked.", "EVT=@attacked", "LOC"),
    Case("near", "The bus stopped near midnight.", "TMP=near midnight", "LOC"),
    Case("times", "The power failed for 40 minutes late on Monday.", "TMP=for 40 minutes late on Monday", ""),
    Case("times", "The power failed for the whole village on Monday.", "TMP=on Monday", "TMP=for"),
    Case(
        "gapped_parts_apart",
        "Three were arrested on Monday and two on Tuesday.",
        "NUM=Three;TMP=on Monday;NUM=two;TMP=on Tuesday",
    ),
    Case(
        "gapped_parts_apart",
        "Militants killed five in Kabul and two in Herat.",
        "NUM=five;LOC=in Kabul;NUM=two;LOC=in Herat",
    ),
    Case("gapped_parts_apart", "They met three times in Kabul and Herat.", "LOC=in Kabul and Herat"),
    Case("place_after_bare_number", "The storm killed nine in Chile.", "NUM=nine;LOC=in Chile"),
    Case("place_after_bare_number", "The storm killed the mayor of Chile.", "EVT=@killed", "LOC"),
    Case("no_place_from_person", "The guards shot at them.", "EVT=@shot", "LOC"),
    Case("no_place_from_person", "The guards shot at the tower.", "LOC=at the tower"),
    Case("times", "She slept for an hour early on Friday.", "TMP=for an hour early on Friday"),
    Case("place_of_event_noun", "The ceasefire in Sudan failed.", "LOC=in Sudan"),
    Case("cause_over_time", "We hid because soldiers came.", "MOD=because soldiers came", "TMP"),
    Case("cause_over_time", "We hid when soldiers came.", "TMP=when soldiers came"),
    Case("extent", "The tanker went adrift.", "EVT=The tanker went adrift"),
    Case("extent", "He was beaten to death with a hammer.", "EVT=He was beaten to death;MOD=with a hammer", ""),
    Case("extent", "For example, he was beaten.", "EVT=he was beaten", ""),
    Case("modifier", "She arrived with a suitcase.", "MOD=with a suitcase", ""),
    Case("modifier", "She arrived with the rebels.", "EVT=She arrived with the rebels", "MOD"),
    # places after an object
    Case("place_after_object", "Labs sequenced samples of B.1.1.7 in Leeds.", "LOC=in Leeds", "NUM"),
    Case("place_after_object", "The firm opened a factory in Hungary.", "LOC=in Hungary"),
    Case("place_after_object", "The mayor opened the museum in Oslo.", "LOC=in Oslo"),
    Case("place_after_object", "The mayor praised the clinics in Oslo.", "EVT=@praised", "LOC"),
    Case("place_after_object", "The senator apologized to voters in Ohio.", "EVT=@apologized", "LOC"),
    Case(
        "place_apart_from_modifier",
        "Doctors treated 14 patients with IL-6 inhibitors in Turin.",
        "NUM=14;MOD=with IL-6 inhibitors;LOC=in Turin",
    ),
    Case("no_place_from_amount", "The count fell below 200 cells.", "NUM=200", "LOC"),
    Case("no_place_from_person", "Rebels captured the town from the army.", "EVT=@captured", "LOC"),
    Case("no_place_from_person", "Surgeons implanted the device in 16 patients.", "NUM=16", "LOC"),
    Case(
        "way_with_its_end", "The empire stretched from the Atlantic to the Indus.", "LOC=from the Atlantic to the Indus"
    ),
    Case(
        "way_with_its_end",
        "The strike lasted from Monday morning to Wednesday night.",
        "TMP=from Monday morning to Wednesday night",
    ),
    Case("place_as_other_argument", "Columbus sailed west from Spain.", "LOC=west from Spain"),
    Case("place_as_other_argument", "A bus travelling between Lima and Cusco fell.", "LOC=between Lima and Cusco"),
    Case(
        "no_place_from_topic",
        "The president spoke on the economy.",
        "EVT=The president spoke on the economy",
        "MOD;LOC",
    ),
    # numbers that name
    Case("no_number_inside_name", "Three C-130 planes delivered food.", "NUM=Three", "NUM=130"),
    Case("no_number_inside_name", "The pill helps people with type 2 diabetes.", "EVT=@helps", "NUM"),
    Case("no_number_inside_name", "Carbon has a half-life.", "EVT=@has", "NUM"),
    Case("times", "The pact lasted until 264 BC.", "TMP=until 264 BC", "NUM"),
    Case("times", "The council met twice in May and once in June.", "TMP=twice in May;TMP=once in June"),
    Case("times", "The truce took effect at midnight.", "EVT=The truce took effect;TMP=at midnight"),
    # complements, lists, titles
    Case(
        "modifier",
        "The referee declined to comment on the penalty.",
        "EVT=The referee declined to comment on the penalty",
        "MOD;LOC",
    ),
    Case("entities", "Lagos, Nigeria's largest city, has many harbours.", "GPE=Lagos"),
    Case("title", "Novelist Zadie Smith left.", "TITLE=Novelist;PER=Zadie Smith"),
    Case("title", "Marie Curie, a physicist and chemist, left.", "TITLE=physicist;TITLE=chemist"),
    Case("finite", "The troupe performed in Paris, London and Rome in May.", "EVT=@performed"),
]

GUIDELINES = [
    Case(
        "clause_sized_statement",
        '"It was dark," said survivor Lena Fuchs.',
        'STM=It was dark," said survivor Lena Fuchs',
    ),
    Case("extent", 'The pope said "war is a defeat" and called for peace.', "EVT=The pope ... called for peace"),
    Case(
        "split_conjoined_places",
        "He flew from Oslo to Rome and Athens.",
        "LOC=from Oslo to Rome;LOC=from Oslo to ... Athens;EVT=He flew",
    ),
    Case("split_conjoined_places", "Aid reached Homs, Hama and Aleppo on Monday.", "LOC=Homs;LOC=Hama;LOC=Aleppo"),
    Case("title_with_its_person", "President Carla Mendes resigned.", "TITLE=President Carla Mendes", ""),
    Case("title_with_its_person", "The president resigned.", "EVT=@resigned", "TITLE"),
    Case("age_with_its_person", "Olga Petrova, 61, won the race.", "NUM=Olga Petrova, 61", ""),
    Case("age_with_its_person", "The crew of 61 won the race.", "NUM=61", "NUM=Olga Petrova, 61"),
    Case("number_with_its_article", "The seven strikes cost 90 jobs.", "NUM=The seven;NUM=90", ""),
    Case("place_inside_noun_phrase", "A teacher from Oslo won the race.", "LOC=from Oslo", ""),
    Case("place_inside_noun_phrase", "Oslo's teachers won the race.", "EVT=@won", "LOC"),
    Case("no_event_from_infinitive", "The judge asked the witness to leave the room.", "STM=@asked", "EVT=@leave"),
    Case(
        "no_event_from_infinitive",
        "Before leaving the room, the judge thanked the witness.",
        "EVT=@leaving;EVT=@thanked",
        "",
    ),
    Case(
        "clause_sized_statement",
        "A guard said that the door was open.",
        "STM=A guard said that the door was open;EVT=the door was open",
        "",
    ),
    Case("clause_sized_statement", "A guard opened the door.", "EVT=@opened", "STM"),
    Case(
        "split_conjoined_objects",
        "The firm sells copper, wine and salmon.",
        "EVT=The firm sells copper;EVT=The firm sells ... wine;EVT=The firm sells ... salmon",
        "",
    ),
    Case("split_conjoined_objects", "Ana and Luis married.", "EVT=Ana and Luis married", ""),
    Case(
        "clause_sized_statement",
        '"The gate is shut," the guard said, "and it will stay shut."',
        'STM=The gate is shut," the guard said, "and it will stay shut',
    ),
    Case(
        "clause_sized_statement",
        "The guard said that the gate was shut and the dogs barked.",
        "STM=The guard said that the gate was shut;STM=The guard said ... the dogs barked",
    ),
    Case("split_conjoined_places", "The envoy travelled to Cairo and Amman.", "LOC=to Cairo;LOC=to ... Amman"),
    Case(
        "split_conjoined_places",
        "A ferry sank between Java and Bali.",
        "LOC=between Java and Bali",
    ),
    Case(
        "split_conjoined_objects",
        "Peru can buy rice, drugs and other goods needed for the war.",
        "EVT=Peru can buy rice;EVT=Peru can buy ... other goods needed for the war",
    ),
    Case(
        "merge_places_but_distances",
        "He was shot on the road between Kabul and Herat, some 40 miles (64 km) west of the capital.",
        "LOC=on the road between Kabul and Herat;LOC=some 40 miles (64 km) west of the capital",
    ),
    Case("merge_places_but_distances", "They met in Lyon, France.", "LOC=in Lyon, France"),
    Case(
        "distance_apart",
        "The farm lies in a valley 10 miles from Boston.",
        "LOC=10 miles from Boston",
        "LOC=in a valley 10 miles from Boston",
    ),
    Case("distance_apart", "They ran 10 miles in Boston.", "NUM=10 miles;LOC=in Boston", "LOC=10 miles in Boston"),
    Case(
        "purpose_with_its_event",
        "Peru invited the miners to Lima for talks.",
        "EVT=Peru invited the miners ... for talks;LOC=to Lima",
        "MOD",
    ),
    Case("purpose_with_its_event", "He paused for the sake of the children.", "EVT=@paused", "MOD=for the sake"),
    Case(
        "no_place_from_unnamed_argument",
        "The king will fly to the headquarters of the bank in Lima, Peru.",
        "EVT=The king will fly to the headquarters of the bank;LOC=in Lima, Peru",
    ),
    Case("no_place_from_unnamed_argument", "The king slept in the headquarters.", "LOC=in the headquarters"),
]
