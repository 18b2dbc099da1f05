"""The rules that turn drafts into nuggets: those of 2012 (auto, places) and those people follow (guidelines)."""
