from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import karat
from builders.rows import Row, judgement, nug, nugget, query, response, run, vote
from karat.evaluate.lint import Finding, lint
from karat.evaluate.lint.findings import CODES, RULES
from karat.formats import Source


def entry(nug_id: str, text: str, **fields: Any) -> Row:
    return nug(nug_id=nug_id, importance=None, descriptions=[text]) | fields


def mark(nug_id: str, **fields: Any) -> Row:
    return judgement(nug_id=nug_id) | fields


def answer(text: str = "The fox is red.", **fields: Any) -> Row:
    return response("q", "r", text) | fields


def cited(*doc_ids: str) -> Row:
    citations = [{"doc_id": doc_id} for doc_id in doc_ids]
    return response(snippets=[{"snippet_id": "1", "text": "The fox is red.", "citations": citations}])


def supported(doc_id: str, **more: Any) -> Row:
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1", "doc_id": doc_id, "support": "full", "assessor": "ann"}
    return {"kind": "citation_judgement", **place, **more}


def numbered(*citation_ids: str | None) -> Row:
    """A snippet that cites the document d once per id."""
    citations = [{"doc_id": "d"} | ({"citation_id": name} if name else {}) for name in citation_ids]
    return response(snippets=[{"snippet_id": "1", "text": "The fox is red.", "citations": citations}])


def label(said: str = "relevant", **more: Any) -> Row:
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1", "assessor": "ann", "label": said}
    return {"kind": "relevance", **place, **more}


def event(template: str = "list_facts_event") -> Row:
    return {"kind": "query", "query_id": "q", "text": "List facts about the fox.", "template": template}


def bank(*nuggets: tuple[str, str], qid: Any = "q") -> Row:
    return {"qid": qid, "query": "why?", "nuggets": [{"text": text, "importance": label} for text, label in nuggets]}


def assignment(*nuggets: tuple[str, str, str], qid: Any = "q", run_id: str = "r") -> Row:
    named = [{"text": text, "importance": label, "assignment": given} for text, label, given in nuggets]
    return {"qid": qid, "run_id": run_id, "query": "why?", "answer_text": "The fox is red.", "nuggets": named}


def found(**files: list[Row] | str) -> list[tuple[str, str, int]]:
    """The findings as (code, file, line)."""
    return [(finding.code, finding.file, finding.line) for finding in findings(**files)]


def findings(**files: list[Row] | str) -> list[Finding]:
    return lint(*(Source(name, _lines(rows).encode()) for name, rows in files.items()))


def _lines(rows: list[Row] | str) -> str:
    return rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows))


FOX, SKY, SEA = ("red fox", "vital"), ("blue sky", "okay"), ("deep sea", "okay")
QUESTION = entry("1", "Which animals crossed?", aggregator="or", importance="vital")
LONG = "word " * 29
FLOOD = "spring flood killed {} old people sleeping near Tiber river bridges"
MEMBER = {"nugget_id": "g", "degree": 1.0}
RUN = run("r")
TEMPLATE = {"kind": "template", "template_id": "why", "description": "Why X?", "categories": {"cause": "what made it"}}
FAILED = {name: value for name, value in mark("1", status="failed").items() if name != "degree"}


# For each code: files that have it, where it is told, and files that are as close but right.
def said(run_id: str, *texts: str) -> Row:
    return response("q", run_id) | {"snippets": [{"snippet_id": str(n), "text": text} for n, text in enumerate(texts)]}


CASES: list[tuple[str, dict[str, list[Row]], list[tuple[str, int]], dict[str, list[Row]]]] = [
    ("impossible-label", {"key": [bank(FOX), bank(("x y", "vitl"), qid="p")]}, [("key", 2)], {"key": [bank(FOX, SKY)]}),
    (
        "impossible-label",
        {"key": [bank(FOX)], "run": [assignment((*FOX, "suport"))]},
        [("run", 1)],
        {"key": [bank(FOX)], "run": [assignment((*FOX, "Support "))]},
    ),
    ("impossible-label", {"all": [entry("1", "red fox"), mark("1", degree=7)]}, [("all", 2)], {"all": [mark("1")]}),
    (
        "failed-label",
        {"key": [bank(FOX), bank(FOX, ("x y", "failed"), qid="p")]},
        [("key", 2)],
        {"key": [bank(FOX, ("Failed states", "vital"))]},
    ),
    (
        "failed-label",
        {"key": [bank(FOX)], "run": [assignment((*FOX, "failed"))]},
        [("run", 1)],
        {"key": [bank(FOX)], "run": [assignment((*FOX, "not_support"))]},
    ),
    (
        "failed-label",
        {"all": [entry("1", "red fox"), FAILED]},
        [("all", 2)],
        {"all": [entry("1", "red fox"), mark("1")]},
    ),
    (
        "lost-nug",
        {"key": [bank(FOX, SKY)], "run": [assignment((*FOX, "support"))]},
        [("run", 1)],
        {"key": [bank(FOX)], "run": [assignment((*FOX, "support"))]},
    ),
    (
        "lost-nug",
        {"key": [QUESTION, entry("2", "red fox", parent="1"), entry("3", "blue sky")], "run": [mark("2")]},
        [("run", 1)],
        {"key": [QUESTION, entry("2", "red fox", parent="1")], "run": [mark("2")]},
    ),
    (
        "lost-nug",
        {
            "key": [QUESTION | {"aggregator": "and"}, entry("2", "red fox", parent="1"), entry("3", "sea")],
            "run": [mark("3")],
        },
        [("run", 1), ("run", 1)],
        {"key": [QUESTION | {"aggregator": "and"}, entry("2", "red fox", parent="1")], "run": [mark("1")]},
    ),
    (
        "lost-nug",
        {"key": [entry("1", "red fox"), entry("2", "blue sky")], "run": [mark("1"), mark("1")]},
        [("run", 1)],
        {"key": [entry("1", "red fox"), entry("2", "blue sky")], "run": [mark("1", snippet_id="s")]},
    ),
    (
        "added-nug",
        {"key": [bank(FOX)], "run": [assignment((*FOX, "support"), (*SKY, "support"))]},
        [("run", 1)],
        {"key": [bank(FOX, SKY)], "run": [assignment((*FOX, "support"), (*SKY, "support"))]},
    ),
    (
        "added-nug",
        {"key": [bank(FOX)], "more": [bank(FOX, SEA)]},
        [("more", 1)],
        {"key": [bank(FOX)], "more": [bank(SEA, FOX, qid="p")]},
    ),
    (
        "repeated-nug",
        {"key": [entry("1", "red fox"), entry("2", "blue sky"), entry("3", " red fox ")]},
        [("key", 3)],
        {"key": [entry("1", "red fox"), entry("2", "red fox", query_id="p")]},
    ),
    (
        "repeated-nug",
        {"key": [QUESTION, entry("2", "red fox", parent="1"), entry("3", "red fox", parent="1")]},
        [("key", 3)],
        {"key": [QUESTION, entry("2", "red fox", parent="1"), entry("3", "red fox")]},
    ),
    (
        "near-duplicate",
        {"key": [entry("1", "The old red fox crossed the road"), entry("2", "A red fox crossed a road")]},
        [("key", 2)],
        {"key": [entry("1", "The red fox crossed the road"), entry("2", "The red fox crossed")]},
    ),
    (
        "near-duplicate",
        {"key": [entry("1", FLOOD.format("twenty")), entry("2", FLOOD.format("thirty"))]},
        [("key", 2)],
        {"key": [entry("1", FLOOD.format("20")), entry("2", FLOOD.format("30"))]},
    ),
    (
        "near-duplicate",
        {"key": [entry("1", "red bridge over river stays open"), entry("2", "red bridge over the river stays open")]},
        [("key", 2)],
        {"key": [entry("1", "red bridge over river stays open"), entry("2", "red bridge over river never stays open")]},
    ),
    (
        "near-duplicate",
        {"key": [QUESTION, entry("2", "a red fox", parent="1"), entry("3", "the red fox", parent="1")]},
        [("key", 3)],
        {"key": [QUESTION, entry("2", "a red fox", parent="1"), entry("3", "the red fox")]},
    ),
    (
        "contradictory-answers",
        {"key": [entry("2", "Yes, often", parent="1"), QUESTION, entry("3", "no", parent="1")]},
        [("key", 2)],
        {"key": [entry("2", "Yes, often", parent="1"), QUESTION | {"aggregator": "and"}, entry("3", "no", parent="1")]},
    ),
    (
        "contradictory-answers",
        {
            "key": [
                QUESTION,
                entry("2", "crossing was legal", parent="1"),
                entry("3", "crossing was not legal", parent="1"),
            ]
        },
        [("key", 1)],
        {
            "key": [
                QUESTION,
                entry("2", "crossing was legal", parent="1"),
                entry("3", "smoking was not legal", parent="1"),
            ]
        },
    ),
    (
        "contradictory-answers",
        {"key": [QUESTION, entry("2", "20,000 foxes", parent="1"), entry("3", "30000 foxes", parent="1")]},
        [("key", 1)],
        {"key": [QUESTION, entry("2", "20,000 foxes", parent="1"), entry("3", "20000 foxes ran", parent="1")]},
    ),
    (
        "contradictory-answers",
        {"key": [QUESTION, entry("2", "in 1914", parent="1"), entry("3", "in 1918", parent="1")]},
        [("key", 1)],
        {"key": [QUESTION, entry("2", "red foxes", parent="1"), entry("3", "20 hens", parent="1")]},
    ),
    ("unmatchable-nug", {"key": [entry("1", "red fox"), entry("2", "")]}, [("key", 2)], {"key": [entry("1", "fox")]}),
    ("unmatchable-nug", {"key": [entry("1", "the")]}, [("key", 1)], {"key": [entry("1", "the fox")]}),
    (
        "unmatchable-nug",
        {"key": [entry("1", "x") | {"descriptions": []}]},
        [("key", 1)],
        {"key": [entry("1", "x") | {"descriptions": ["", "red fox"]}]},
    ),
    ("non-atomic-nug", {"key": [entry("1", LONG + "one two")]}, [("key", 1)], {"key": [entry("1", LONG + "one")]}),
    (
        "non-atomic-nug",
        {"key": [entry("1", "The fox crossed roads. Hens slept deeply.")]},
        [("key", 1)],
        {"key": [entry("1", "The U.S. Army and St. Paul crossed roads.")]},
    ),
    (
        "non-atomic-nug",
        {"key": [entry("1", "The old red fox crossed the road and seven brown hens slept deeply")]},
        [("key", 1)],
        {"key": [entry("1", "The old red fox crossed the road and slept")]},
    ),
    (
        "non-atomic-nug",
        {"key": [entry("1", "x") | {"descriptions": ["red fox", "foxes crossed roads; hens slept deeply"]}]},
        [("key", 1)],
        {"key": [entry("1", LONG + "one two?")]},
    ),
    (
        "leading-pronoun",
        {"key": [entry("1", "They crossed roads")]},
        [("key", 1)],
        {"key": [entry("1", "Theyer crossed roads")]},
    ),
    (
        "leading-pronoun",
        {"key": [entry("1", "red fox"), entry("2", "Its fox")]},
        [("key", 2)],
        {"key": [entry("1", "A fox that it saw")]},
    ),
    (
        "no-vital-nug",
        {"key": [bank(FOX), bank(SKY, SEA, qid="p")]},
        [("key", 2)],
        {"key": [bank(FOX, SKY)]},
    ),
    (
        "no-vital-nug",
        {"key": [entry("1", "red fox", importance="okay"), entry("2", "sea")]},
        [("key", 1)],
        {"key": [entry("1", "red fox")]},
    ),
    (
        "uncovered-query",
        {"key": [entry("1", "red fox")], "run": [answer(), answer(query_id="p")]},
        [("run", 2)],
        {"key": [entry("1", "red fox")], "run": [answer()]},
    ),
    (
        "uncovered-query",
        {"key": [entry("1", "red fox"), entry("1", "red fox", query_id="p")], "run": [answer()]},
        [("run", None)],
        {"run": [answer(), answer(query_id="p", run_id="s")]},
    ),
    (
        "mixed-id-types",
        {"key": [bank(FOX, qid=1), bank(FOX, qid="2"), bank(FOX, qid=3)]},
        [("key", 2)],
        {"key": [bank(FOX, qid=1), bank(FOX, qid=2)]},
    ),
    (
        "degree-sum",
        {"key": [entry("1", "red fox", members=[MEMBER]), entry("2", "blue sky", members=[MEMBER])]},
        [("key", 2)],
        # In floating point these sum to a little more than 1.
        {"key": [entry(str(d), f"fox {d}", members=[MEMBER | {"degree": d}]) for d in (0.2, 0.4, 0.3, 0.1)]},
    ),
    (
        "lone-degree",
        {"key": [entry("1", "red fox", members=[MEMBER | {"degree": 0.5}])]},
        [("key", 1)],
        {"key": [entry("1", "red fox", members=[MEMBER | {"degree": 0.5}, {"nugget_id": "h", "degree": 0.5}])]},
    ),
    (
        "orphan-nugget",
        {"key": [entry("1", "red fox", members=[MEMBER]), nugget("g"), nugget("h")]},
        [("key", 3)],
        {"key": [entry("1", "red fox", query_id="p"), nugget("g"), nugget("h")]},
    ),
    (
        "repeated-judgement",
        {"key": [entry("1", "red fox"), mark("1")], "more": [mark("1", degree=0.0)]},
        [("more", 1)],
        {"key": [entry("1", "red fox"), mark("1"), mark("1", assessor="ann"), mark("1", judge="k")]},
    ),
    (
        "conflicting-definition",
        {"run": [assignment((*FOX, "support")), assignment(("red fox", "okay", "support"), run_id="s")]},
        [("run", 2)],
        {"run": [assignment((*FOX, "support")), assignment((*FOX, "not_support"), run_id="s")]},
    ),
    (
        "duplicate-id",
        {"key": [entry("1", "red fox")], "more": [entry("1", "red fox"), entry("1", "red fox")]},
        [("more", 2)],
        {"key": [entry("1", "red fox")], "more": [entry("1", "red fox")]},
    ),
    (
        "contradictory-answers",
        {"key": [QUESTION, entry("2", "it was legal", parent="1"), entry("3", "it wasn't legal", parent="1")]},
        [("key", 1)],
        {"key": [QUESTION, entry("2", "it was legal", parent="1"), entry("3", "it was late", parent="1")]},
    ),
    (
        "leading-pronoun",
        {"key": [entry("1", "It's the largest city")]},
        [("key", 1)],
        {"key": [entry("1", "Rome's the largest city")]},
    ),
    (
        "dangling-reference",
        {"key": [entry("1", "red fox", parent="1")]},
        [("key", 1)],
        {"key": [entry("1", "red fox", parent="2"), entry("2", "blue sky")]},
    ),
    (
        "mixed-id-types",
        {"key": [entry("1", "red fox"), entry("2", "blue sky", query_id=7)]},
        [("key", 2)],
        {"key": [entry("1", "red fox"), entry("2", "blue sky", query_id="7")]},
    ),
    (
        "duplicate-id",
        {"key": [entry("1", "red fox"), entry("2", "blue sky"), entry("1", "deep sea")]},
        [("key", 3)],
        {"key": [entry("1", "red fox"), entry("1", "red fox", query_id="p")]},
    ),
    (
        "conflicting-definition",
        {"key": [entry("1", "red fox")], "more": [entry("1", "deep sea")]},
        [("more", 1)],
        {"key": [entry("1", "red fox")], "more": [entry("1", "Red  Fox")]},
    ),
    (
        "duplicate-id",
        {"run": [answer(snippets=[{"snippet_id": "1", "text": "a"}, {"snippet_id": "1", "text": "b"}])]},
        [("run", 1)],
        {"run": [answer(snippets=[{"snippet_id": "1", "text": "a"}, {"snippet_id": "2", "text": "a"}])]},
    ),
    (
        "dangling-reference",
        {"key": [entry("1", "red fox")], "run": [mark("1"), mark("9")]},
        [("run", 2)],
        {"key": [entry("1", "red fox", query_id="p")], "run": [mark("9")]},
    ),
    (
        "dangling-reference",
        {"key": [entry("1", "red fox", parent="9")]},
        [("key", 1)],
        {"key": [entry("2", "sky", parent="1"), QUESTION]},
    ),
    (
        "dangling-reference",
        {"key": [entry("1", "red fox", members=[MEMBER]), nugget("h")]},
        [("key", 1)],
        {"key": [entry("1", "red fox", members=[MEMBER])]},
    ),
    (
        "dangling-reference",
        {"run": [answer(), mark("1", snippet_id="2")]},
        [("run", 2)],
        {"run": [mark("1", snippet_id="2")]},
    ),
    ("dangling-reference", {"run": [RUN, mark("1", run_id="s")]}, [("run", 2)], {"run": [RUN, mark("1")]}),
    (
        "dangling-reference",
        {"run": [query("p"), mark("1")]},
        [("run", 2)],
        {"run": [query("q"), mark("1")]},
    ),
    (
        "dangling-reference",
        {
            "key": [
                entry("1", "red fox"),
                vote("9"),
            ]
        },
        [("key", 2)],
        {
            "key": [
                entry("1", "red fox"),
                vote("1"),
            ]
        },
    ),
    (
        "span-outside",
        {"run": [nugget("g", spans=[[0, 3], [9, 16]]), answer()]},
        [("run", 1)],
        {"run": [nugget("g", spans=[[0, 3], [9, 15]]), answer()]},
    ),
    (
        "span-outside",
        {
            "run": [
                answer(
                    "\U0001f98a fox",
                    snippets=[
                        {"snippet_id": "1", "text": "\U0001f98a", "citations": [{"doc_id": "d", "chunk": [[0, 2]]}]}
                    ],
                )
            ]
        },
        [("run", 1)],
        {
            "run": [
                answer(
                    "\U0001f98a fox",
                    snippets=[
                        {"snippet_id": "1", "text": "\U0001f98a", "citations": [{"doc_id": "d", "chunk": [[0, 1]]}]}
                    ],
                )
            ]
        },
    ),
    (
        "unnamed-assessors",
        {"ann": [nugget("g"), nugget("h", spans=[[4, 7]])], "ben": [response(), nugget("i")]},
        [("ben", 2)],
        {"ann": [nugget("g", assessor="ann")], "ben": [nugget("i", assessor="ben"), nugget("h", spans=[[4, 7]])]},
    ),
    (
        "contradictory-citation",
        {"run": [cited("d"), supported("d"), supported("d", support="none"), supported("d", assessor="ben")]},
        [("run", 3)],
        {"run": [cited("d"), supported("d"), supported("d"), supported("d", support="none", assessor="ben")]},
    ),
    (
        "uncited-judgement",
        {"run": [cited("d"), supported("d"), supported("e")]},
        [("run", 3)],
        {"run": [response(), supported("e")]},
    ),
    (
        "contradictory-citation",
        {"run": [supported("d", citation_id="1"), supported("d", citation_id="1", support="none")]},
        [("run", 2)],
        {"run": [supported("d", citation_id="1"), supported("d", citation_id="2", support="none")]},
    ),
    (
        "repeated-citation",
        {"run": [numbered("1", "2", "1")]},
        [("run", 1)],
        {"run": [numbered("1", "2", None, None)]},
    ),
    (
        "dangling-reference",
        {"run": [numbered("1"), supported("d", citation_id="2"), supported("e", citation_id="1"), supported("d")]},
        [("run", 2), ("run", 3)],
        {
            "run": [numbered("1"), supported("d", citation_id="1")],
            "plain": [supported("d", run_id="s", citation_id="9")],
        },
    ),
    (
        "unknown-template",
        {"run": [TEMPLATE, event("where"), event("why") | {"query_id": "p"}]},
        [("run", 2)],
        {"run": [TEMPLATE, event("why"), event() | {"query_id": "p"}]},
    ),
    ("unknown-template", {"run": [TEMPLATE, event("When")]}, [("run", 2)], {"run": [event("when")]}),
    (
        "unknown-category",
        {"run": [TEMPLATE, event("why"), nugget("g", category="time")]},
        [("run", 3)],
        {"run": [TEMPLATE, event("why"), nugget("g", category="cause")]},
    ),
    (
        "unknown-reason",
        {"run": [label(reason="ugly"), nugget("g", reason="ugly")]},
        [("run", 1), ("run", 2)],
        {"run": [label(reason="garbled"), label(reason="inexact", assessor="given"), nugget("g", reason="no_fact")]},
    ),
    (
        "redundant-with-nothing",
        {"run": [label("redundant")]},
        [("run", 1)],
        {"run": [label("redundant", redundant_with="0"), label("redundant", assessor="given")]},
    ),
    (
        "redundant-with-unknown",
        {
            "run": [
                answer(),
                entry("n", "red fox"),
                label("redundant", redundant_with="9"),
                label("redundant", redundant_with="1", assessor="ben"),
                label(redundant_with="n", assessor="cid"),
            ]
        },
        [("run", 3), ("run", 4), ("run", 5)],
        {
            "run": [
                answer(),
                entry("n", "red fox"),
                label("redundant", redundant_with="n"),
                label("redundant", redundant_with="1", snippet_id="2", run_id="unknown"),
            ]
        },
    ),
    (
        "revision-of-nothing",
        {"run": [nugget("g"), nugget("h", revision="split")]},
        [("run", 2)],
        {"run": [nugget("g"), nugget("h", revision="split", revises=["g"])]},
    ),
    (
        "revised-member",
        {"key": [nugget("g"), nugget("h", revises=["g"], assessor="ann"), entry("n", "red fox", members=[MEMBER])]},
        [("key", 3)],
        {
            "key": [
                nugget("g"),
                nugget("h", revises=["g"], assessor="ann"),
                entry("n", "red fox", members=[MEMBER], assessor="ben"),
            ]
        },
    ),
    (
        "orphan-nugget",
        {"key": [entry("n", "red fox", members=[MEMBER]), nugget("g"), nugget("f")]},
        [("key", 3)],
        {"key": [entry("n", "red fox", members=[MEMBER]), nugget("g", revises=["f"]), nugget("f")]},
    ),
    (
        "dangling-reference",
        {"key": [nugget("g", revises=["x"]), nugget("h", revises=["h"])]},
        [("key", 1), ("key", 2)],
        {"key": [nugget("g", revises=["h"]), nugget("h")]},
    ),
    (
        "degree-sum",
        {"key": [entry("n", "red fox", members=[MEMBER]), entry("m", "blue sky", members=[MEMBER]), nugget("g")]},
        [("key", 2)],
        {
            "key": [
                entry("n", "red fox", members=[MEMBER], assessor="ann"),
                entry("m", "blue sky", members=[MEMBER], assessor="ben"),
                nugget("g"),
            ]
        },
    ),
    (
        "repeated-nug",
        {"key": [entry("n", "red fox", assessor="ann"), entry("m", "red fox", assessor="ann")]},
        [("key", 2)],
        {"key": [entry("n", "red fox", assessor="ann"), entry("m", "red fox", assessor="ben")]},
    ),
    (
        "unknown-category",
        {"run": [event(), nugget("g", category="time"), nugget("h", category="colour", secondary="mood")]},
        [("run", 3), ("run", 3)],
        {"run": [event(template="why X?"), nugget("h", category="colour")], "other": [nugget("i", category="x")]},
    ),
    (
        "empty-answer",
        {"run": [said("r", " "), said("s")]},
        [("run", 1), ("run", 2)],
        {"run": [said("r", "A fox.")]},
    ),
    (
        "no-answer",
        {"run": [said("r", "I'm sorry, but I could not find this."), said("s", "N/A")]},
        [("run", 1), ("run", 2)],
        {"run": [said("r", "Unfortunately, the fox died."), said("s", "There is no evidence of foxes on Mars.")]},
    ),
    (
        "filler",
        {"key": [entry("1", "The fox plays an important role"), entry("2", "There is no information on foxes")]},
        [("key", 1), ("key", 2)],
        {"key": [entry("1", "The fox plays an important role because it eats mice")]},
    ),
]


def test_every_code_has_a_case() -> None:
    assert {code for code, *_ in CASES} == set(RULES)


def test_every_code_that_is_given_out_is_explained_and_no_other() -> None:
    modules = Path(karat.__file__).parent.rglob("*.py")
    text = "".join(path.read_text() for path in modules if path.stem != "findings")
    assert set(re.findall(r'code="([a-z-]+)"', text)) - set(CODES) == set()
    assert {code for code in CODES if f'"{code}"' not in text} == set()
    assert [code for code, meaning in CODES.items() if not meaning] == []


@pytest.mark.parametrize(("code", "files", "places"), [case[:3] for case in CASES])
def test_a_rule_fires_where_it_should(code: str, files: dict[str, list[Row]], places: list[tuple[str, int]]) -> None:
    assert [(file, line) for told, file, line in found(**files) if told == code] == places


@pytest.mark.parametrize(("code", "files"), [(case[0], case[3]) for case in CASES])
def test_a_rule_keeps_quiet_where_nothing_is_wrong(code: str, files: dict[str, list[Row]]) -> None:
    assert [told for told, _, _ in found(**files) if told == code] == []


def test_a_clean_key_with_complete_judgements_has_no_findings() -> None:
    assert findings(key=[bank(FOX, SKY)], run=[assignment((*FOX, "support"), (*SKY, "not_support"))]) == []


def test_a_finding_reads_like_a_compiler_message() -> None:
    (finding,) = findings(key=[bank(FOX), bank(FOX, ("blue sky", "crucial"), qid="p")])
    assert str(finding) == (
        "key:2: query p: nuggets[1].importance: 'crucial' is not one of vital, okay, failed [impossible-label]"
    )
    (finding,) = findings(key=[bank(FOX, SKY)], run=[assignment((*FOX, "support"))])
    assert str(finding).startswith("run:1: query q: run r: nug ")
    assert str(finding).endswith(" 'blue sky' is in the key but was not judged [lost-nug]")


def test_a_finding_without_a_query_says_none() -> None:
    (finding,) = findings(key=[RUN, RUN])
    assert str(finding) == "key:2: the run with run_id 'r' is already on line 1 [duplicate-id]"


def test_a_long_description_is_shortened_in_the_message() -> None:
    (finding,) = findings(key=[entry("1", "They " + "x" * 100)])
    assert finding.message == f"nug 1 'They {'x' * 52}...': it begins with the pronoun 'they'"


def test_lines_count_empty_ones() -> None:
    row = json.dumps(entry("1", ""))
    assert found(key="\n\n" + row) == [("unmatchable-nug", "key", 3)]


def test_what_is_wrong_in_the_key_is_not_reported_again_for_every_run() -> None:
    wrong = ("blue sky", "crucial")
    runs = {f"run{i}": [assignment((*FOX, "support"), (*wrong, "support"), run_id=str(i))] for i in range(3)}
    assert found(key=[bank(FOX, wrong)], **runs) == [("impossible-label", "key", 1)]


def test_what_is_wrong_only_in_a_run_is_reported_for_the_run() -> None:
    run = [assignment((*FOX, "support"), ("blue sky", "crucial", "support"))]
    assert found(key=[bank(FOX, SKY)], run=run) == [("impossible-label", "run", 1)]


def test_a_label_that_could_not_be_read_is_reported_once_and_not_as_failed_too() -> None:
    assert found(key=[bank(FOX)], run=[assignment((*FOX, "suport"))]) == [("impossible-label", "run", 1)]
    assert found(all=[entry("1", "red fox"), mark("1", status="done")]) == [("impossible-label", "all", 2)]


def test_a_nug_judged_by_any_assessor_is_not_lost() -> None:
    key = [entry("1", "red fox"), entry("2", "blue sky")]
    assert found(key=key, run=[mark("1", assessor="ann"), mark("2", assessor="bob")]) == []


def test_a_repeated_judgement_names_the_first_one() -> None:
    (finding,) = findings(key=[entry("1", "red fox"), mark("1"), mark("1", degree=0.5)])
    assert str(finding) == "key:3: query q: run r, nug 1: already judged in key:2 [repeated-judgement]"


def test_problems_of_reading_are_findings_with_codes_of_their_own() -> None:
    lines = [json.dumps(entry("1", "red fox")), "{broken", json.dumps({"kind": "nug", "query_id": "q", "nug_id": "2"})]
    assert found(key="\n".join(lines)) == [("bad-json", "key", 2), ("missing-field", "key", 3)]


def test_every_run_that_lacks_a_query_is_reported() -> None:
    runs = [answer(), answer(run_id="s", query_id="p")]
    told = findings(key=[entry("1", "red fox"), entry("1", "red fox", query_id="p")], run=runs)
    assert [str(finding) for finding in told] == [
        "run: query p: the key has nugs, but run r has no response to this query [uncovered-query]",
        "run: query q: the key has nugs, but run s has no response to this query [uncovered-query]",
    ]


def test_lists_of_dicts_may_be_linted() -> None:
    assert [finding.line for finding in lint([entry("1", "red fox"), entry("2", "the")])] == [2]


IMPORTANCES, ASSIGNMENTS = {"vital", "okay", "failed"}, {"support", "partial_support", "not_support", "failed"}


@pytest.mark.real_data
def test_nuggetizer_rag24(real_data: Path) -> None:
    folder = real_data / "nuggetizer-rag24"
    bank_path = folder / "nuggets" / "rag24_nuggets_mistral.jsonl"
    key = [json.loads(row) for row in bank_path.read_text().splitlines()]
    importances = [nugget["importance"] for row in key for nugget in row["nuggets"]]
    runs = {
        name: folder / "assignments" / f"baseline_rag24.test_{name}_top20.jsonl.gz"
        for name in ("command-r-plus", "gpt4o", "l31_70b_instruct")
    }
    assigned = {
        name: {row["qid"]: row["nuggets"] for row in map(json.loads, gzip.open(path, "rt"))}
        for name, path in runs.items()
    }
    told = lint(bank_path, *runs.values())
    counts = Counter((finding.file, finding.code) for finding in told)

    impossible = sum(label not in IMPORTANCES for label in importances)
    assert counts[str(bank_path), "impossible-label"] == impossible == 30
    assert counts[str(bank_path), "failed-label"] == importances.count("failed") == 10
    repeated = sum(len(row["nuggets"]) - len({nugget["text"].strip() for nugget in row["nuggets"]}) for row in key)
    assert counts[str(bank_path), "repeated-nug"] == repeated == 7

    for name, impossible, lost in (("command-r-plus", 26, 3), ("gpt4o", 25, 2), ("l31_70b_instruct", 18, 2)):
        labels = [nugget["assignment"] for nuggets in assigned[name].values() for nugget in nuggets]
        missing = sum(
            (Counter(nugget["text"] for nugget in row["nuggets"])
             - Counter(nugget["text"] for nugget in assigned[name][row["qid"]])).total()
            for row in key
        )  # fmt: skip
        assert sum(label not in ASSIGNMENTS for label in labels) == impossible
        assert missing == lost
        file = str(runs[name])
        assert counts[file, "impossible-label"] == impossible
        assert counts[file, "lost-nug"] == lost
        assert counts[file, "added-nug"] == counts[file, "failed-label"] == counts[file, "repeated-judgement"] == 0
        assert labels.count("failed") == 0

    first_lines = {row["qid"]: line for line, row in enumerate(key, 1)}
    in_bank = [finding for finding in told if finding.file == str(bank_path) and finding.code == "impossible-label"]
    assert [finding.line for finding in in_bank] == [
        first_lines[row["qid"]] for row in key for nugget in row["nuggets"] if nugget["importance"] not in IMPORTANCES
    ]


def test_what_stops_other_commands_is_an_error_and_a_note_is_a_warning() -> None:
    key = [{"kind": "nug", "query_id": "q", "nug_id": "1", "descriptions": ["red fox"], "improtance": "vital"}]
    assert [(each.code, each.severity) for each in karat.lint(key)] == [("misspelt-field", "warning")]
    wrong = [{"kind": "nug", "query_id": "q", "nug_id": "1", "descriptions": ["It ran"], "importance": "vitl"}]
    found = [(each.code, each.severity) for each in karat.lint(wrong)]
    assert found == [("impossible-label", "error"), ("leading-pronoun", "style")]


def test_pairs_beyond_the_limit_are_not_listed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.evaluate.lint.key_rules.MOST_PAIRS", 2)
    alike = [entry(str(number), f"{article} red fox crossed") for number, article in enumerate(("a", "the", "an", ""))]
    answers = [entry(f"y{year}", f"in {year}", parent="1") for year in (1990, 1991, 1992)]
    # In another group (with a number), which is not looked at any more.
    others = [entry("n1", "a blue fox 7"), entry("n2", "the blue fox 7")]
    key = [
        *alike,
        QUESTION | {"nug_id": "1", "query_id": "p"},
        *(each | {"query_id": "p"} for each in answers),
        *others,
    ]
    findings = [str(each) for each in lint(key) if each.code in ("near-duplicate", "contradictory-answers")]
    assert len(findings) == 6
    assert findings[2].endswith("more than 2 pairs of nugs say nearly the same; the other pairs are not listed "
                                "[near-duplicate]")  # fmt: skip
    assert findings[5].endswith("more than 2 pairs of answers exclude each other; the other pairs are not listed "
                                "[contradictory-answers]")  # fmt: skip
