"""Optional parts: what is missing is said in one sentence with the install line."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from karat.model import MissingExtra


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """The module of an optional part; MissingExtra with the install line where it is not installed.

    >>> require("json", extra="web", purpose="The workbench").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] == error.name.split(".")[0]:
            raise MissingExtra(purpose, extra) from None
        raise
