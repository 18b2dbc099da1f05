"""The rules that every save obeys: those of annotation, and that a step that is done is read-only."""

from karat.campaign.work.rules.annotation_rules import RULES, broken_rules
from karat.campaign.work.rules.batch import Change, ChangeBatch
from karat.campaign.work.rules.open_steps import saved_per_step, steps_are_open

__all__ = ["RULES", "Change", "ChangeBatch", "broken_rules", "saved_per_step", "steps_are_open"]
