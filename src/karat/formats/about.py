"""What a format's module says of it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

from karat.formats.registry import Format


def about_format(one: Format) -> str:
    """The title, the shape of the file and the mapping to the nouns, and what the format carries when written."""
    module = import_module(one.read.__module__)
    text = inspect.cleandoc(module.__doc__ or "")
    parts = [f"{one.title} ({'read and write' if one.write is not None else 'read'}).", text]
    # A docstring may send its reader on to a module that several formats share.
    for name in dict.fromkeys(re.findall(r"\b(named_columns|nuggetbank_entries|tempsumm_tables)\b", text)):
        parts.append(inspect.cleandoc(import_module(f"karat.formats.{name}").__doc__ or ""))
    if one.write is not None and one.name != "karat":
        held = "; ".join(f"{kind}: {', '.join(sorted(fields))}" for kind, fields in one.carries.items())
        parts.append(f"Carries {held}.")
    return "\n\n".join(parts)
