"""Whatever the API's description allows to be sent, the server has an answer that is not a mistake of its own.

KARAT_FUZZ=1000 tries that many requests per route instead of a few.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from builders.workbench import HOST, Browser, Workbench

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = int(os.environ.get("KARAT_FUZZ", "12"))
LIMITED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def visitors(shared: Workbench) -> dict[str, Browser]:
    return {name: Browser(shared.app).login(name) for name in ("olga", "eva", "ben")}


def send(workbench: Workbench, browser: Browser, case: Any) -> None:
    """The case with the session of a person, and with numbers that exist in half of the cases."""
    arguments = case.as_transport_kwargs(base_url=f"http://{HOST}")
    arguments.pop("cookies", None)
    headers = {name: value for name, value in dict(arguments.pop("headers", {})).items() if name.lower() != "cookie"}
    headers["x-csrftoken"] = browser.token
    url = arguments.pop("url")
    if isinstance(arguments.get("data"), str | bytes):
        arguments["content"] = arguments.pop("data")
    if len(str(case.body)) % 2:
        url = url.replace(
            f"/queries/{(case.path_parameters or {}).get('number', '-')}", f"/queries/{workbench.queries['q1']}"
        )
    response = browser.client.request(url=url, headers=headers, follow_redirects=False, **arguments)
    assert response.status_code < 500, (case.method, url, arguments, response.text)
    assert "Traceback" not in response.text


def test_no_request_that_the_description_allows_is_a_mistake(shared: Workbench, visitors: dict[str, Browser]) -> None:
    description = schemathesis.openapi.from_dict(shared.app.openapi_schema.to_schema())
    operations = [operation.ok() for operation in description.get_all_operations()]
    assert len(operations) >= 12
    for operation in operations:
        right = operation.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
        wrong = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)

        @seed(7)
        @LIMITED
        @given(case=right | wrong, name=st.sampled_from(sorted(visitors)))
        def answers(case: Any, name: str) -> None:
            send(shared, visitors[name], case)

        answers()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "passage": st.integers() | JSON,
        "spans": st.lists(st.lists(st.integers(-5, 2**70), max_size=3), max_size=3) | JSON,
        "label": st.sampled_from(["relevant", "redundant", "x"]) | JSON,
        "members": st.lists(st.fixed_dictionaries({"nugget": st.text(), "degree": st.floats()}), max_size=2) | JSON,
        "description": st.text() | JSON,
        "note": st.text() | JSON,
        "value": st.floats() | JSON,
        "nug": st.text() | JSON,
        "degree": st.floats() | JSON,
        "response": st.integers() | JSON,
        "citation": st.integers() | JSON,
        "support": st.sampled_from(["full", "x"]) | JSON,
        "revises": st.lists(st.text(), max_size=2) | JSON,
        "redundant_with": st.text() | JSON,
    },
)


@seed(7)
@settings(parent=LIMITED, max_examples=20 * EXAMPLES)
@given(data=st.data())
def test_no_change_is_a_mistake(shared: Workbench, visitors: dict[str, Browser], data: st.DataObject) -> None:
    """Changes that are nearly right reach further into the rules than random ones."""
    passage = sorted(shared.passages("q1").values())[0]
    kinds = ("relevance", "nugget", "rejection", "nug", "citation", "vote", "judgement", "reviewed", "decision", "x")
    change = {
        "kind": data.draw(st.sampled_from(kinds)),
        "key": data.draw(st.sampled_from([str(passage), "n-1", "g-1", "a:b", "x" * 120]) | st.text(max_size=130)),
        "version": data.draw(st.integers(0, 3) | st.integers()),
        "record": data.draw(st.none() | RECORDS.map(lambda record: {"passage": passage, **record})),
    }
    body = {"request": data.draw(st.text(max_size=90)), "changes": [change] * data.draw(st.integers(1, 2))}
    content = json.dumps(body).encode("utf-8", "surrogatepass")
    headers = {"content-type": "application/json", "x-csrftoken": visitors["ben"].token}
    path = f"/api/queries/{shared.queries['q1']}/changes"
    response = visitors["ben"].client.post(path, content=content, headers=headers)
    assert response.status_code < 500, (body, response.text)


def test_the_description_says_what_a_record_is(shared: Workbench) -> None:
    """Else only objects that are refused at once would be tried."""
    described = shared.app.openapi_schema.to_schema()["components"]["schemas"]
    (change,) = (schema for name, schema in described.items() if name.endswith("SentChange"))
    named = [part["$ref"].rpartition("/")[2] for part in change["properties"]["record"]["anyOf"] if "$ref" in part]
    kinds = {described[name]["properties"]["kind"]["enum"][0] for name in named}
    assert kinds == {"relevance", "nugget", "rejection", "nug", "citation", "vote", "judgement", "reviewed", "decision"}
    relevance = next(described[name] for name in named if "label" in described[name]["properties"])
    assert relevance["properties"]["passage"]["maximum"] == 2**53 - 1
