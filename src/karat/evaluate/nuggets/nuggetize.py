"""Find the nuggets of snippets, with the template of each query, in one process or several."""

from __future__ import annotations

import textwrap
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from karat import __version__
from karat.engines import map_chunks
from karat.engines.cache import code_name, name_of
from karat.engines.job.kept_records import KeepRecords
from karat.evaluate.nuggets.input_snippets import PLAIN, InputSnippet, Snippets, read_snippets
from karat.evaluate.nuggets.limits import check_segments, within_words
from karat.formats.inputs.reading import Input, OnError
from karat.language import load_analyzer
from karat.model import Nugget, Signature, UsageError
from karat.model.identity import NuggetIds
from karat.model.result import Result
from karat.nuggetizer.drafts import FoundNugget, Nuggetized
from karat.nuggetizer.nuggetizer import Nuggetizer, RuleSet
from karat.nuggetizer.selection import join_events, select
from karat.nuggetizer.templates import TYPES, QuestionTemplate, built_in, checked_types, template_named

CHUNK = 128
"""How many snippets a process takes at a time."""


CHUNK_CHARACTERS = 500_000
CODE = ("nuggetizer", "language", "text", "model")
LIBRARIES = ("spacy", "numpy")
"""What the nuggets of a text depend on: places in Karat, and libraries; the models are in the signature."""


class NuggetizedSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet and its nuggets."""

    input: InputSnippet
    result: Nuggetized


WORDS_SHOWN = 60


class SnippetNotes:
    """The notes about snippets, each note once, with the number of snippets and the first of them."""

    def __init__(self, snippets: Iterable[NuggetizedSnippet] = ()) -> None:
        self._first: dict[str, InputSnippet] = {}
        self._counts: Counter[str] = Counter()
        for snippet in snippets:
            self.add(snippet)

    def add(self, snippet: NuggetizedSnippet) -> None:
        for note in snippet.result.notes:
            self._first.setdefault(note, snippet.input)
            self._counts[note] += 1

    def noted(self, snippet: NuggetizedSnippet) -> NuggetizedSnippet:
        """The snippet itself, its notes added."""
        self.add(snippet)
        return snippet

    def lines(self) -> list[str]:
        """One line per note: `NOTE (2 snippets, first: query q1, run a, snippet 1)`."""
        return [f"{note} ({_where(self._counts[note], first)})" for note, first in self._first.items()]


def _where(count: int, first: InputSnippet) -> str:
    if not first.run_id:
        # A text that stands in several runs, or in none: its words say which it is.
        words = textwrap.shorten(first.text, WORDS_SHOWN, placeholder=" …")
        return f'{"" if count == 1 else f"{count:,} snippets, first: "}query {first.query_id}, "{words}"'
    response = "" if first.query_id == first.run_id == PLAIN else f"query {first.query_id}, run {first.run_id}, "
    return f"{'' if count == 1 else f'{count:,} snippets, first: '}{response}snippet {first.snippet_id}"


class Nuggetizing(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The nuggets of all snippets."""

    snippets: tuple[NuggetizedSnippet, ...]
    notes: tuple[str, ...]
    signature: str

    @property
    def nuggets(self) -> list[FoundNugget]:
        """The nuggets of all snippets in one list."""
        return [nugget for snippet in self.snippets for nugget in snippet.result.nuggets]

    def records(self) -> list[Nugget]:
        """The nuggets as Karat's records, without the snippets."""
        return list(nugget_records(self.snippets))


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The options of nuggetizing."""

    rules: RuleSet = "auto"
    types: tuple[str, ...] = TYPES
    template: str | None = None
    asked: str | None = None
    explain: bool = False
    model: str | None = None
    paraphrase: bool = False
    words: int = 0
    """How many words of each response are nuggetized; 0: all. For the signature: see `within_words`."""


def nuggetize_snippets(
    snippets: Iterable[InputSnippet],
    *,
    choices: Choices | None = None,
    templates: Mapping[str, QuestionTemplate] | None = None,
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


def nuggetize(
    *inputs: Input,
    texts: str | Iterable[str] | None = None,
    rules: RuleSet = "auto",
    template: str | None = None,
    asked: str | None = None,
    types: str | Iterable[str] = TYPES,
    relevant_only: bool = False,
    explain: bool = False,
    model: str | None = None,
    words: int = 0,
    one_segment: bool = False,
    jobs: int = 1,
    on_error: OnError = "stop",
) -> Nuggetizing:
    """Find the nuggets in snippets, with their types, each with a sentence that says the same.

    inputs: responses in any format that Karat reads, rows with a field `text`, or files of plain text with one snippet
    per line. texts: one text or several, instead of inputs. rules: those of the automatic system ("auto", 2012) or
    those for people who annotate ("guidelines", 2008). template: the kind of question: keep only the types of nuggets
    that it asks for. asked: which of the things that the template can ask for. types: keep only these types.
    relevant_only: only the text that people called relevant. explain: also tell which rule made, changed or removed
    each nugget. model: the spaCy model. words: only the first so many words of each response (GALE: 500).
    one_segment: refuse snippets of more than one sentence. jobs: how many processes work.

    >>> import karat
    >>> nuggetizing = karat.nuggetize(texts="President Ana Ruiz flew to Lima on Monday.")
    >>> [(nugget.type, nugget.text) for nugget in nuggetizing.nuggets][:3]
    [('TITLE', 'President'), ('EVT', 'Ana Ruiz flew'), ('PER', 'Ana Ruiz')]
    """
    if texts is not None:
        if inputs:
            raise UsageError("give either inputs or texts, not both")
        listed = [texts] if isinstance(texts, str) else list(texts)
        if not all(isinstance(text, str) for text in listed):
            raise UsageError("texts must be one text or a list of texts; rows and records are inputs")
        given = [InputSnippet(snippet_id=str(number), text=text) for number, text in enumerate(listed, 1)]
        snippets = Snippets(lambda: given, len(given))
    else:
        _refuse_texts(inputs)
        snippets = read_snippets(inputs, relevant_only=relevant_only, on_error=on_error).snippets
    if one_segment:
        check_segments(snippets)
    limited = within_words(snippets, words=words, relevant_only=relevant_only)
    wanted = types.split(",") if isinstance(types, str) else types
    choices = Choices(
        rules=rules,
        template=template,
        asked=asked,
        types=tuple(wanted),
        explain=explain,
        model=model,
        paraphrase=True,
        words=words,
    )
    nuggetized = tuple(nuggetize_snippets(limited.snippets, choices=choices, jobs=jobs))
    notes = dict.fromkeys(note for snippet in nuggetized for note in snippet.result.notes)
    return Nuggetizing(snippets=nuggetized, notes=(*limited.notes, *notes), signature=signature(choices))


def _refuse_texts(inputs: Sequence[Input]) -> None:
    """A text is easily given where a file is expected."""
    for item in inputs:
        first = item[0] if isinstance(item, list | tuple) and item else item
        is_text = isinstance(first, str) and (first is not item or (" " in first and not Path(first).exists()))
        if is_text:
            raise UsageError(f"{str(first)[:40]!r} is not a file; give texts as karat.nuggetize(texts=[...])")


def signature(choices: Choices) -> str:
    """Everything that changes the result."""
    made = _nuggetizer(choices.model, choices.rules, choices.explain, choices.paraphrase).signature()
    settings = dict(made.settings) | ({"types": "+".join(choices.types)} if choices.types != TYPES else {})
    settings |= {name: value for name, value in (("template", choices.template), ("asked", choices.asked)) if value}
    settings |= {"words": str(choices.words)} if choices.words else {}
    return str(Signature(made.name, settings | {"v": __version__}))


def nugget_records(snippets: Iterable[NuggetizedSnippet]) -> Iterator[Nugget]:
    """The nuggets as Karat's records; their ids are those that the rows of `--format jsonl` get when they are read."""
    for snippet in snippets:
        # The place of a nugget is part of its id, so only nuggets of one snippet can get the same one.
        ids = NuggetIds()
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
    chunks = _chunks(snippets)
    work = _Work(choices.model, choices.rules, choices.explain, choices.paraphrase)
    sent: deque[list[InputSnippet]] = deque()
    for results in map_chunks(work, _remembered(chunks, sent), jobs=jobs, keep=_kept(work)):
        yield from zip(sent.popleft(), results, strict=True)


def _kept(work: _Work) -> KeepRecords[list[InputSnippet], list[Nuggetized]]:
    """How a job keeps the nuggets of a chunk: by its texts, the settings, the models and the code."""

    def maker() -> bytes:
        made = _nuggetizer(work.model, work.rules, work.explain, work.paraphrase).signature()
        return name_of(code_name(CODE, LIBRARIES), str(made), str(work))

    def content(chunk: list[InputSnippet]) -> list[str]:
        return [part for snippet in chunk for part in (snippet.text, repr(snippet.portion))]

    return KeepRecords(list[Nuggetized], maker=maker, content=content)


def _chunks(snippets: Iterable[InputSnippet]) -> Iterator[list[InputSnippet]]:
    """The snippets in chunks; long snippets make a chunk of fewer, because the nuggets of a chunk are held together."""
    chunk: list[InputSnippet] = []
    characters = 0
    for snippet in snippets:
        chunk.append(snippet)
        characters += len(snippet.text)
        if len(chunk) == CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


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
