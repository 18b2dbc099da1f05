"""Templates: Table 1, what is asked for, limits, and templates of a file."""

from __future__ import annotations

import pytest

from karat.model import SpanSet, UsageError
from karat.nuggetizer.drafts import FoundNugget, Nuggetized
from karat.nuggetizer.selection import join_events, select
from karat.nuggetizer.templates import TYPES, built_in, checked_types, load_templates, template_named

TABLE_1 = {
    "list_facts_event": "NUM EVT TMP LOC MOD STM",
    "people_orgs_involved": "PER GPE ORG TITLE",
    "info_person": "TITLE NUM EVT TMP LOC MOD STM",
    "statements_person": "TMP LOC MOD STM",
    "relationship_persons": "EVT TMP LOC",
    "country_reaction": "NUM EVT TMP LOC MOD STM",
    "acquaintances": "PER",
    "people_visited": "PER",
    "locations_representatives": "LOC",
    "meeting_contact": "EVT TMP LOC MOD STM",
    "where_been": "TMP LOC",
    "sources_statements": "PER GPE ORG TITLE",
}


def test_a_template_of_karat_as_a_record():
    record = template_named("list_facts_event").record("list_facts_event")
    assert (record.template_id, record.description) == ("list_facts_event", "List facts about {event}.")
    assert [*record.categories][:2] == ["time", "location"]
    assert (record.types, record.slots) == (("NUM", "EVT", "TMP", "LOC", "MOD", "STM"), ("event",))


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1(name):
    assert template_named(name).types == tuple(TABLE_1[name].split())
    assert template_named(name).source == "table"


def test_table_1_has_twelve_rows_and_four_templates_are_only_mentioned():
    assert [name for name, template in built_in().items() if template.source == "table"] == list(TABLE_1)
    assert {"actions_person", "info_organization", "statements_attributed"} < set(built_in())


def _nuggets(*types: str) -> Nuggetized:
    text = "abcdefghijklmnopqrstuvwxyz"
    return Nuggetized(
        text=text,
        nuggets=tuple(
            FoundNugget(type=kind, spans=SpanSet([(at, at + 1)]), text=text[at], rule="x")
            for at, kind in enumerate(types)
        ),
    )


def test_a_template_keeps_its_types_and_its_limit_keeps_the_first():
    selected = select(
        _nuggets("EVT", "PER", "EVT", "TMP"), template=template_named("relationship_persons"), explain=True
    )
    assert [(nugget.type, nugget.text) for nugget in selected.nuggets] == [("EVT", "a"), ("TMP", "d")]
    assert [(change.rule, change.text) for change in selected.changes] == [
        ("type-not-asked-for", "b"),
        ("limit-of-template", "c"),
    ]


def test_asked_leaves_only_some_types():
    template = template_named("people_orgs_involved")
    selected = select(_nuggets("PER", "ORG", "TITLE", "GPE"), template=template, asked="people")
    assert [nugget.type for nugget in selected.nuggets] == ["PER", "TITLE"]
    with pytest.raises(UsageError, match="people, organizations, countries"):
        select(_nuggets("PER"), template=template, asked="animals")


def test_time_and_place_set_the_category():
    selected = select(_nuggets("TMP", "EVT"), template=template_named("list_facts_event"))
    assert [nugget.category for nugget in selected.nuggets] == ["time", None]


def test_types_are_checked_and_put_in_order():
    assert checked_types(["stm", " per "]) == ("PER", "STM")
    with pytest.raises(UsageError, match="NUGGET"):
        checked_types(["nugget"])
    with pytest.raises(UsageError, match="at least one"):
        checked_types([""])


def test_a_file_adds_its_own_templates(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[effects]\ntext = "What did {event} cost?"\ntypes = ["NUM", "EVT"]\nlimit = { EVT = 2 }\n')
    templates = load_templates(path)
    assert templates["effects"].types == ("NUM", "EVT")
    assert len(templates) == len(built_in()) + 1


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[a]\ntext = 'x'\n", "types"),
        ("[a]\ntext = 'x'\ntypes = ['CAT']\n", "CAT"),
        ("[a]\ntext = 'x'\ntypes = ['EVT']\nlimits = 3\n", "limits"),
        ("[a\n", "TOML"),
    ],
)
def test_mistakes_in_templates_are_reported(tmp_path, toml, message):
    path = tmp_path / "own.toml"
    path.write_text(toml)
    with pytest.raises(UsageError, match=message):
        load_templates(path)
    with pytest.raises(UsageError, match="cannot be read"):
        load_templates(tmp_path / "absent.toml")


def test_all_types_without_a_template():
    assert [nugget.type for nugget in select(_nuggets(*TYPES)).nuggets] == list(TYPES)


def test_events_that_answer_nothing_by_themselves_are_joined():
    joined = join_events(_nuggets("EVT", "PER", "EVT", "MOD", "TMP"))
    assert [(nugget.type, nugget.text) for nugget in joined.nuggets] == [("EVT", "abcd"), ("PER", "b"), ("TMP", "e")]
    alone = _nuggets("EVT", "PER")
    assert join_events(alone) == alone
