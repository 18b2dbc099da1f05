"""Optional parts of Karat: if one is missing, the message says how to install it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from karat.model import MissingExtra


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a module of an optional part; MissingExtra says how to install it where it is missing.

    >>> require("json", extra="web", purpose="The workbench").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] == error.name.split(".")[0]:
            raise MissingExtra(purpose, extra) from None
        raise
