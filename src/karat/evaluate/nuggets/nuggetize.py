"""Find the nuggets of snippets, with the template of each query, in one process or several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

import msgspec

from karat import __version__
from karat.engine import map_chunks
from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.language import load_analyzer
from karat.model import Nugget, Signature, UsageError
from karat.model.identity import NuggetIds
from karat.nuggetizer.drafts import Nuggetized
from karat.nuggetizer.nuggetizer import Nuggetizer, RuleSet
from karat.nuggetizer.selection import join_events, select
from karat.nuggetizer.templates import TYPES, Template, built_in, checked_types, template_named

CHUNK = 128
"""How many snippets a process takes at a time."""


class NuggetizedSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet and its nuggets."""

    input: InputSnippet
    result: Nuggetized


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The options of nuggetizing."""

    rules: RuleSet = "auto"
    types: tuple[str, ...] = TYPES
    template: str | None = None
    asked: str | None = None
    explain: bool = False
    model: str | None = None
    paraphrase: bool = False


def nuggetize_snippets(
    snippets: Iterable[InputSnippet],
    *,
    choices: Choices | None = None,
    templates: Mapping[str, Template] | None = None,
    jobs: int = 1,
) -> Iterator[NuggetizedSnippet]:
    """The nuggets of snippets, in the order of the snippets.

    Without a template in `choices`, the template that a snippet's query names is used.
    """
    choices = choices or Choices()
    templates = built_in() if templates is None else templates
    types = checked_types(choices.types)
    if choices.asked is not None and choices.template is None:
        raise UsageError("asked: give a template, too (--template ID); it says what can be asked for")
    if choices.template is not None:
        template_named(choices.template, templates).types_for(choices.asked)
    for snippet, nuggetized in _analysed(iter(snippets), choices, jobs):
        name = choices.template or snippet.template
        template = templates.get(name) if name is not None else None
        asked = choices.asked or (snippet.asked if template is not None and snippet.asked in template.ask else None)
        if choices.rules == "guidelines" and template is not None and template.limit.get("EVT") == 1:
            nuggetized = join_events(nuggetized)
        result = select(nuggetized, template=template, asked=asked, types=types, explain=choices.explain)
        if name is not None and template is None:
            note = f"query {snippet.query_id}: there is no template {name!r}, so nuggets of all types are kept"
            result = msgspec.structs.replace(result, notes=(*result.notes, note))
        yield NuggetizedSnippet(input=snippet, result=result)


def find_nuggets(
    texts: str | Iterable[str],
    *,
    rules: RuleSet = "auto",
    template: str | None = None,
    types: Iterable[str] = TYPES,
    model: str | None = None,
    jobs: int = 1,
) -> list[Nuggetized]:
    """The nuggets of one text or several, each with a sentence that says the same.

    template: keep only the types of nuggets that it asks for.
    """
    texts = [texts] if isinstance(texts, str) else list(texts)
    if not all(isinstance(text, str) for text in texts):
        raise UsageError("find_nuggets takes one text, or a list of texts")
    snippets = (InputSnippet(snippet_id=str(number), text=text) for number, text in enumerate(texts, 1))
    wanted = types.split(",") if isinstance(types, str) else types
    choices = Choices(rules=rules, template=template, types=tuple(wanted), model=model, paraphrase=True)
    return [snippet.result for snippet in nuggetize_snippets(snippets, choices=choices, jobs=jobs)]


def signature(choices: Choices) -> str:
    """Everything that changes the result."""
    made = _nuggetizer(choices.model, choices.rules, choices.explain, choices.paraphrase).signature()
    settings = dict(made.settings) | ({"types": "+".join(choices.types)} if choices.types != TYPES else {})
    settings |= {name: value for name, value in (("template", choices.template), ("asked", choices.asked)) if value}
    return str(Signature(made.name, settings | {"v": __version__}))


def nugget_records(snippets: Iterable[NuggetizedSnippet]) -> Iterator[Nugget]:
    """The nuggets as Karat's records; their ids are those that the rows of `--format jsonl` get when they are read."""
    ids = NuggetIds()
    for snippet in snippets:
        for nugget in snippet.result.nuggets:
            yield ids.named(
                Nugget(
                    nugget_id="",
                    query_id=snippet.input.query_id,
                    run_id=snippet.input.run_id,
                    snippet_id=snippet.input.snippet_id,
                    spans=nugget.spans,
                    type=nugget.type,
                    anchor=nugget.anchor,
                    category=nugget.category,
                    paraphrase=nugget.paraphrase,
                    source="auto",
                    rule=nugget.rule,
                )
            )


def _analysed(
    snippets: Iterator[InputSnippet], choices: Choices, jobs: int
) -> Iterator[tuple[InputSnippet, Nuggetized]]:
    chunks = iter(lambda: list(islice(snippets, CHUNK)), [])
    work = _Work(choices.model, choices.rules, choices.explain, choices.paraphrase)
    sent: deque[list[InputSnippet]] = deque()
    for results in map_chunks(work, _remembered(chunks, sent), jobs=jobs):
        yield from zip(sent.popleft(), results, strict=True)


def _remembered(chunks: Iterable[list[InputSnippet]], sent: deque[list[InputSnippet]]) -> Iterator[list[InputSnippet]]:
    """The chunks, each also appended to `sent`, so that results can be put beside their snippets."""
    for chunk in chunks:
        sent.append(chunk)
        yield chunk


class _Work(msgspec.Struct, frozen=True):
    """Nuggetizes a chunk of snippets. It can be sent to another process, which loads the models once."""

    model: str | None
    rules: RuleSet
    explain: bool
    paraphrase: bool

    def __call__(self, chunk: list[InputSnippet]) -> list[Nuggetized]:
        nuggetizer = _nuggetizer(self.model, self.rules, self.explain, self.paraphrase)
        return list(
            nuggetizer.nuggetize_many(
                [snippet.text for snippet in chunk], portions=[snippet.portion for snippet in chunk]
            )
        )


@cache
def _nuggetizer(model: str | None, rules: RuleSet, explain: bool, paraphrase: bool) -> Nuggetizer:
    return Nuggetizer(load_analyzer(model), rules=rules, explain=explain, paraphrase=paraphrase)
