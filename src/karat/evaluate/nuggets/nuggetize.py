"""Nuggets of snippets: from files or lines of text, by the template of each query, in one process or several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

import msgspec

from karat import __version__
from karat.engine import map_chunks
from karat.evaluate.nuggets.passages import Passage
from karat.language import load_analyzer
from karat.model import Nugget, Signature, UsageError
from karat.model.identity import NuggetIds
from karat.nuggetizer.drafts import Nuggetized
from karat.nuggetizer.nuggetizer import Nuggetizer, RuleSet
from karat.nuggetizer.selection import join_events, select
from karat.nuggetizer.templates import TYPES, Template, built_in, checked_types, template_named

CHUNK = 128
"""Snippets that a process takes at a time."""


class NuggetizedPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet and its nuggets."""

    passage: Passage
    result: Nuggetized


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What a nuggetizer is told to do."""

    rules: RuleSet = "auto"
    types: tuple[str, ...] = TYPES
    template: str | None = None
    asked: str | None = None
    explain: bool = False
    model: str | None = None
    paraphrase: bool = False


def nuggetize_passages(
    passages: Iterable[Passage],
    *,
    choices: Choices | None = None,
    templates: Mapping[str, Template] | None = None,
    jobs: int = 1,
) -> Iterator[NuggetizedPassage]:
    """The nuggets of passages, in their order; a query's own template counts where the choices name none."""
    choices = choices or Choices()
    templates = built_in() if templates is None else templates
    types = checked_types(choices.types)
    if choices.asked is not None and choices.template is None:
        raise UsageError("asked: say of which template (--template)")
    if choices.template is not None:
        template_named(choices.template, templates).types_for(choices.asked)
    for passage, nuggetized in _analysed(iter(passages), choices, jobs):
        name = choices.template or passage.template
        template = templates.get(name) if name is not None else None
        asked = choices.asked or (passage.asked if template is not None and passage.asked in template.ask else None)
        if choices.rules == "guidelines" and template is not None and template.limit.get("EVT") == 1:
            nuggetized = join_events(nuggetized)
        result = select(nuggetized, template=template, asked=asked, types=types, explain=choices.explain)
        if name is not None and template is None:
            result = msgspec.structs.replace(
                result, notes=(*result.notes, f"query {passage.query_id}: no template {name!r}: all types")
            )
        yield NuggetizedPassage(passage=passage, result=result)


def find_nuggets(
    texts: str | Iterable[str],
    *,
    rules: RuleSet = "auto",
    template: str | None = None,
    types: Iterable[str] = TYPES,
    model: str | None = None,
    jobs: int = 1,
) -> list[Nuggetized]:
    """The nuggets of one text or several, each said as a sentence, too; by the types that a template asks for."""
    texts = [texts] if isinstance(texts, str) else list(texts)
    if not all(isinstance(text, str) for text in texts):
        raise UsageError("find_nuggets takes a text or several")
    passages = (Passage(snippet_id=str(number), text=text) for number, text in enumerate(texts, 1))
    wanted = types.split(",") if isinstance(types, str) else types
    choices = Choices(rules=rules, template=template, types=tuple(wanted), model=model, paraphrase=True)
    return [snippet.result for snippet in nuggetize_passages(passages, choices=choices, jobs=jobs)]


def signature(choices: Choices) -> str:
    """Everything that changes the result."""
    made = _nuggetizer(choices.model, choices.rules, choices.explain, choices.paraphrase).signature()
    settings = dict(made.settings) | ({"types": "+".join(choices.types)} if choices.types != TYPES else {})
    settings |= {name: value for name, value in (("template", choices.template), ("asked", choices.asked)) if value}
    return str(Signature(made.name, settings | {"v": __version__}))


def nugget_records(snippets: Iterable[NuggetizedPassage]) -> Iterator[Nugget]:
    """The nuggets as Karat's records, with the ids that the rows of `--format jsonl` get when they are read."""
    ids = NuggetIds()
    for passage, result in ((snippet.passage, snippet.result) for snippet in snippets):
        for nugget in result.nuggets:
            yield ids.named(
                Nugget(
                    nugget_id="",
                    query_id=passage.query_id,
                    run_id=passage.run_id,
                    snippet_id=passage.snippet_id,
                    spans=nugget.spans,
                    type=nugget.type,
                    anchor=nugget.anchor,
                    category=nugget.category,
                    secondary=nugget.secondary,
                    paraphrase=nugget.paraphrase,
                    source="auto",
                    rule=nugget.rule,
                )
            )


def _analysed(passages: Iterator[Passage], choices: Choices, jobs: int) -> Iterator[tuple[Passage, Nuggetized]]:
    chunks = iter(lambda: list(islice(passages, CHUNK)), [])
    work = _Work(choices.model, choices.rules, choices.explain, choices.paraphrase)
    handed_over: deque[list[Passage]] = deque()
    for results in map_chunks(work, _noted(chunks, handed_over), jobs=jobs):
        yield from zip(handed_over.popleft(), results, strict=True)


def _noted(chunks: Iterable[list[Passage]], handed_over: deque[list[Passage]]) -> Iterator[list[Passage]]:
    for chunk in chunks:
        handed_over.append(chunk)
        yield chunk


class _Work(msgspec.Struct, frozen=True):
    """Nuggetizes a chunk; can be sent to another process, which loads its models once."""

    model: str | None
    rules: RuleSet
    explain: bool
    paraphrase: bool

    def __call__(self, chunk: list[Passage]) -> list[Nuggetized]:
        nuggetizer = _nuggetizer(self.model, self.rules, self.explain, self.paraphrase)
        return list(
            nuggetizer.nuggetize_many(
                [snippet.text for snippet in chunk], portions=[snippet.portion for snippet in chunk]
            )
        )


@cache
def _nuggetizer(model: str | None, rules: RuleSet, explain: bool, paraphrase: bool) -> Nuggetizer:
    return Nuggetizer(load_analyzer(model), rules=rules, explain=explain, paraphrase=paraphrase)
