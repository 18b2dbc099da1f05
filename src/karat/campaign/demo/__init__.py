"""A filled campaign to look at."""

from karat.campaign.demo.fill import DemoLogin, fill_demo, fill_demo_store

__all__ = ["DemoLogin", "fill_demo", "fill_demo_store"]
