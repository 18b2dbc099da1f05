"""Filled campaigns to look at."""

from karat.campaign.demo.fill import DemoLogin, fill_demo, fill_demo_store
from karat.campaign.demo.finished import fill_finished_demo
from karat.campaign.demo.judging import fill_judging_demo

__all__ = ["DemoLogin", "fill_demo", "fill_demo_store", "fill_finished_demo", "fill_judging_demo"]
