"""Distillation scores: right, wrong and missing information, and citations of nugs."""
