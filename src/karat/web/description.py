"""The API's description of what pages save: the records of every kind, and not just `an object`.

Records are checked one by one, so that everything that is wrong is said at once; the framework therefore takes them for
plain objects, and its description has to be told what they are.
"""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Litestar
from litestar.openapi.spec import Schema

from karat.campaign.work.annotations import WORK_TYPES
from karat.campaign.work.payloads import LARGEST
from karat.model import SpanSet

PLACE = "#/components/schemas/{name}"


def describe_records(app: Litestar) -> None:
    """Put the union of all payloads into the description of a change."""
    described = app.openapi_schema.components.schemas
    changes = [schema for name, schema in described.items() if name.endswith("SentChange")]
    records, parts = msgspec.json.schema_components(WORK_TYPES, schema_hook=_of_spans, ref_template=PLACE)
    described.update({name: part for name, part in parts.items() if name not in described})
    for schema in changes:
        assert schema.properties is not None
        schema.properties["record"] = Schema(any_of=[*records, {"type": "null"}])  # type: ignore[list-item]


def _of_spans(kind: type) -> dict[str, Any]:
    if kind is not SpanSet:
        raise NotImplementedError(f"no description is known for {kind}")
    position = {"type": "integer", "minimum": 0, "maximum": LARGEST}
    pair = {"type": "array", "items": position, "minItems": 2, "maxItems": 2}
    return {"type": "array", "items": pair, "minItems": 1}
