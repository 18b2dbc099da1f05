"""The JSON Schema of Karat's records."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.model import RECORD_TYPES, SpanSet
from karat.model.records import EXTRA_KEY

_SPANS = {
    "type": "array",
    "description": "half-open [start, end] pairs in Unicode code points",
    "items": {
        "type": "array",
        "prefixItems": [{"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 1}],
        "minItems": 2,
        "maxItems": 2,
    },
}


def record_schema() -> dict[str, Any]:
    """One schema for any line of a Karat JSONL file. Unknown fields are allowed: Karat keeps them."""

    def hook(kind: type) -> dict[str, Any]:
        if kind is SpanSet:
            return dict(_SPANS)
        # msgspec requires this error for types that the hook does not handle.
        raise NotImplementedError(f"no schema is known for {kind}")

    (_,), definitions = msgspec.json.schema_components(
        [tuple[RECORD_TYPES]],  # type: ignore[valid-type]
        schema_hook=hook,
        ref_template="#/$defs/{name}",
    )
    for definition in definitions.values():
        definition.get("properties", {}).pop(EXTRA_KEY, None)
        definition["additionalProperties"] = True
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of Karat",
        "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in RECORD_TYPES],
        "$defs": definitions,
    }
