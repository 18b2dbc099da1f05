"""The meaning of the columns of a plain table (or of the fields of flat JSON objects).

A row gives every record for which it has the columns; a definition that many rows repeat is given out once.

| a row with                                                            | gives                                     |
|-----------------------------------------------------------------------|-------------------------------------------|
| query_id, query                                                       | a Query                                   |
| query_id, run_id, answer (and snippet_id, doc_id or citations)        | a Snippet of the run's Response           |
| query_id, nug (and nug_id, importance, weight)                        | a Nug                                     |
| query_id, run_id, nug_id or nug, label (and snippet_id, assessor, judge) | a Judgement                            |
| query_id, nug_id or nug, assessor, vote                               | a Vote                                    |
| query_id, run_id, measure, value (and low, high, n, ...)              | a Score                                   |

Names are read without regard to case, blanks, hyphens and underscores, and these mean the same:

- query_id: qid, topic_id, question_id, topic. If there is no such column, the id is made from the query's text.
- query: question, query_text, question_text, prompt; topic, if another column is the id
- run_id: run, system, model. A table of answers or labels without such a column is about one run, named after the file.
- answer: response, answer_text, response_text, completion, generated_answer, output, text (in a table with runs)
- query_id in a table of one run's answers: also id
- snippet_id: sentence_id. Without it, every different text is a new snippet: "1", "2", ...
- doc_id: docid (one document); citations: doc_ids (several, separated by blanks, or a JSON list)
- nug_id: nugget_id. Without it, the id is made from the nug's text.
- nug: nugget, nug_text, nugget_text, description, fact, claim, key_point; text, in a table with nug ids and no runs
- importance: vital or okay; a number is a weight
- label: assignment, judgement, judgment, degree, support. support, partial_support, not_support; supported,
  partially_supported, not_supported; full, partial, none; yes, no; true, false; any number from 0 to 1;
  failed, unknown
- assessor: annotator, worker, annotator_id, assessor_id, worker_id
- value: score

In a table of answers without snippet_id, doc_id and citations, marks such as `[1]` are citations (see
inline_citations); the list of sources is the column sources, references, documents, contexts or retrieved_contexts.

In a table of queries, the columns language, medium and structure are conditions of the query, condition.NAME is the
condition NAME, and template names its template; a column that is none of these is named in a warning.

In a table of nugs, the columns runs, passages, suggested, contradicts and also are remarks of `karat draft-key`.

A blank cell is a missing value. Any other column is kept in `extra` of one record of the row: the judgement if there is
one, otherwise the vote, score, snippet, nug or query, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice

ALIASES: dict[str, tuple[str, ...]] = {
    "query_id": ("qid", "topic_id", "question_id", "topic"),
    "query": ("question", "query_text", "question_text", "prompt"),
    "run_id": ("run", "system", "model"),
    "answer": ("response", "answer_text", "response_text", "completion", "generated_answer", "output"),
    "snippet_id": ("sentence_id",),
    "doc_id": (),
    "citations": ("doc_ids",),
    "nug_id": ("nugget_id",),
    "nug": ("nugget", "nug_text", "nugget_text", "description", "fact", "claim", "key_point"),
    "importance": (),
    "weight": (),
    "label": ("assignment", "judgement", "judgment", "degree", "support"),
    "assessor": ("annotator", "worker", "annotator_id", "assessor_id", "worker_id"),
    "judge": (),
    "vote": (),
    "measure": (),
    "value": ("score",),
}
"""The other names of a column, the preferred one first."""
SCORE_NUMBERS = ("low", "high", "judge_low", "judge_high")
SCORE_COUNTS = ("n", "undefined")
SCORE_FIELDS = (*SCORE_NUMBERS, *SCORE_COUNTS, "signature")
"""Columns that have a meaning only in a table with measures."""

OF_DRAFTS = frozenset({"runs", "passages", "suggested", "contradicts", "also"})
"""Columns that `karat draft-key` writes beside its nugs; they are kept, and are no misspelt names."""

CONDITIONS = ("language", "medium", "structure")
"""Columns of queries that are conditions without saying so."""
TEMPLATE = "template"

SOURCES = frozenset({"sources", "references", "documents"})
PASSAGES = frozenset({"contexts", "retrievedcontexts", "context"})
"""Columns with the sources of an answer, and with their texts (names as `plain` gives them)."""

MOST_COMPARED = 300
"""How many unknown columns are compared with the known ones."""
UNDERSTOOD = (
    "query_id + query",
    "query_id or query + answer (+ run_id)",
    "query_id + nug (+ nug_id)",
    "query_id + run_id + nug_id or nug + label",
    "query_id + nug_id or nug + assessor + vote",
    "query_id + run_id + measure + value",
)
"""The sets of columns that give a record, as messages list them."""


def plain(name: str) -> str:
    """A column's name without case, blanks and punctuation."""
    return re.sub(r"[\W_]+", "", name.lower())


_MEANING = {
    plain(name): (meaning, rank) for meaning, others in ALIASES.items() for rank, name in enumerate((meaning, *others))
}


def is_known(name: str) -> bool:
    """Whether a column of this name has a meaning, so that it is not kept in `extra`."""
    return plain(name) in _MEANING or plain(name) in {plain(field) for field in (*SCORE_FIELDS, "text")}


def meanings(columns: Iterable[str]) -> dict[str, str]:
    """The column of a table for each meaning: `{"query_id": "QID", "answer": "Text"}`."""
    best: dict[str, tuple[int, str]] = {}
    by_plain_name: dict[str, str] = {}
    for column in columns:
        by_plain_name.setdefault(plain(column), column)
        meaning, rank = _MEANING.get(plain(column), ("", 0))
        if meaning and (meaning not in best or rank < best[meaning][0]):
            best[meaning] = (rank, column)
    column_of = {meaning: column for meaning, (_, column) in best.items()}
    if "query" not in column_of and (topic := by_plain_name.get("topic")) and column_of["query_id"] != topic:
        column_of["query"] = topic
    if text := by_plain_name.get("text"):
        owner = "answer" if "run_id" in column_of else "nug" if "nug_id" in column_of else "query"
        column_of.setdefault(owner, text)
    if "query_id" not in column_of and "id" in by_plain_name and answers_of_one_run(column_of):
        column_of["query_id"] = by_plain_name["id"]
    if "measure" in column_of:
        for field in SCORE_FIELDS:
            if plain(field) in by_plain_name:
                column_of[field] = by_plain_name[plain(field)]
    return column_of


def answers_of_one_run(column_of: Mapping[str, str]) -> bool:
    """Whether a table has answers and does not say of which run: then they are of one run, named after the file."""
    others = ("run_id", "nug", "nug_id", "label", "vote", "measure")
    asked = "query" in column_of or "query_id" in column_of
    return asked and "answer" in column_of and not any(meaning in column_of for meaning in others)


def condition_of(column: str) -> str | None:
    """The condition that a column of queries gives; None: it gives none.

    >>> condition_of("Language"), condition_of("condition.era"), condition_of("remark")
    ('language', 'era', None)
    """
    if plain(column) in CONDITIONS:
        return plain(column)
    word, dot, name = column.strip().partition(".")
    return name or None if dot and plain(word) in ("condition", "conditions") else None


def useless_columns(columns: Iterable[str]) -> list[str]:
    """Of a table of queries, the columns that mean nothing; other tables keep what they have beside their records."""
    names = list(columns)
    column_of = meanings(names)
    if "query" not in column_of or not column_of.keys() <= {"query", "query_id"}:
        return []
    misspelt = {column for column, _ in misspelt_columns(names)}
    known = {*column_of.values(), *misspelt}
    return [each for each in names if each not in known and condition_of(each) is None and plain(each) != TEMPLATE]


def misspelt_columns(columns: Iterable[str]) -> list[tuple[str, str]]:
    """Columns that are not understood, but whose name is similar to that of a missing column."""
    names = list(columns)
    column_of = meanings(names)
    missing = {
        plain(name): name
        for meaning, others in ALIASES.items()
        if meaning not in column_of
        for name in (meaning, *others)
    }
    used = set(column_of.values())
    if "nug" in column_of:
        used |= {column for column in names if plain(column) in OF_DRAFTS}
    unknown = islice((column for column in names if column not in used), MOST_COMPARED)
    near = ((column, get_close_matches(plain(column), missing, 1, 0.8)) for column in unknown)
    return [(column, missing[matches[0]]) for column, matches in near if matches]


def gives_records(column_of: Mapping[str, str]) -> bool:
    """Whether a table with these columns gives any record."""
    has = column_of.__contains__
    if not (has("query_id") or has("query")):
        return False
    has_nug = has("nug") or has("nug_id")
    return (
        (has("query_id") and has("query"))
        or (has("run_id") and has("answer"))
        or answers_of_one_run(column_of)
        or has("nug")
        or (has_nug and has("run_id") and has("label"))
        or (has_nug and has("assessor") and has("vote"))
        or (has("run_id") and has("measure") and has("value"))
    )
