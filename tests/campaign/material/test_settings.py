from __future__ import annotations

from typing import Any

import pytest

from karat.campaign.campaign import Campaign
from karat.campaign.material.settings import STEPS, change_settings, defaults, read_settings
from karat.campaign.material.templates import built_in_templates, campaign_templates, save_template, template_of
from karat.model import Template, UsageError
from karat.model.records import RELEVANCE_REASONS, REVISION_REASONS
from karat.nuggetizer.templates import TYPES, built_in


def test_every_step_has_a_rule_and_two_examples() -> None:
    assert set(defaults().guidelines) == set(STEPS)
    for guideline in defaults().guidelines.values():
        assert len(guideline.rule) > 100
        assert len(guideline.examples) == 2


def test_the_defaults_name_all_types_and_reasons() -> None:
    assert tuple(defaults().types) == TYPES
    assert tuple(defaults().reasons) == (*RELEVANCE_REASONS, *REVISION_REASONS)


def test_every_category_of_the_nuggetizers_templates_has_a_meaning() -> None:
    assert set(built_in_templates()) == set(built_in())
    event = built_in_templates()["list_facts_event"]
    assert tuple(event.categories) == built_in()["list_facts_event"].categories
    assert all(meaning for template in built_in_templates().values() for meaning in template.categories.values())
    assert tuple(built_in_templates()["where_been"].categories) == ("TMP", "LOC")


def test_settings_change_one_by_one(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        change_settings(connection, {"vote_scale": "graded", "steps": ["votes", "relevance"]})
        change_settings(connection, {"guidelines": {"votes": {"rule": "Be quick."}}})
        settings = read_settings(connection)
    assert settings.steps == ("relevance", "votes"), "in the order of the paper"
    assert settings.vote_scale == "graded"
    assert settings.guidelines["votes"].rule == "Be quick."
    assert settings.guidelines["nugs"] == defaults().guidelines["nugs"]
    assert settings.title == "A test"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "there is no 'colour'; choose from title"),
        ({"steps": ["dance"]}, "dance"),
        ({"steps": ["votes", "votes"]}, "named twice"),
        ({"words_in_scope": -1}, "words_in_scope"),
        ({"assessors_per_query": 0}, "assessors_per_query"),
        ({"show_suggestion": "sometimes"}, "sometimes"),
        ({"title": ""}, "title"),
        ({"title": "a\0"}, "NUL"),
        ({"language": "../x"}, "language"),
        ({"guidelines": {"votes": {"rule": "x" * 4001}}}, "guidelines"),
        ({"guidelines": "be good"}, "guidelines"),
        ({"vote_scale": "graded", "types": [""]}, "types"),
    ],
)
def test_an_impossible_setting_changes_nothing(campaign: Campaign, changes: dict[str, Any], message: str) -> None:
    before = campaign.settings
    with campaign.database.write() as connection, pytest.raises(UsageError, match=message):
        change_settings(connection, changes)
    assert campaign.settings == before


def test_a_campaigns_template_takes_the_place_of_a_built_in_one(campaign: Campaign) -> None:
    own = Template(template_id="where_been", description="Where, in our words.", categories={"place": "a place"})
    with campaign.database.write() as connection:
        assert template_of(connection, "where_been") == built_in_templates()["where_been"]
        save_template(connection, own)
        save_template(connection, own)
        assert template_of(connection, "where_been") == own
        assert template_of(connection, None) is None
        assert template_of(connection, "nowhere") is None
        assert campaign_templates(connection)["where_been"] == own
        assert len(campaign_templates(connection)) == len(built_in_templates())
