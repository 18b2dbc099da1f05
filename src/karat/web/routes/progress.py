"""Progress, agreement and participants' sheets."""

from __future__ import annotations

from typing import Any

HANDLERS: list[Any] = []
