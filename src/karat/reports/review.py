"""Explanations and a review in the terminal: the question, the score after every answer, and the help."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise

import msgspec
from msgspec.structs import replace

from karat.evaluate.review.explain import Explaining, Explanation, NotCounted
from karat.evaluate.review.questions import Question
from karat.model import Score
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable, printable, terminal_width

Mark = tuple[int, int]
_MARKDOWN = re.compile(
    r"\*\*(?P<bold>[^*\n]+)\*\*"
    r"|(?<![\w*])\*(?P<italic>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|(?<!\w)__(?P<strong>[^_\n]+)__(?!\w)"
    r"|`(?P<code>[^`\n]+)`"
    r"|\[(?P<link>[^\[\]\n]+)\]\(https?://[^()\s]*\)"
    r"|^\#{1,6}[ ]+(?P<title>[^\n]*)$",
    re.MULTILINE,
)


class PlainText(msgspec.Struct, frozen=True):
    """A text without Markdown, and the places of the words that decided."""

    text: str
    marks: tuple[Mark, ...]


def set_off(words: str) -> str:
    """The words between double brackets: answers themselves often contain stars and underlines."""
    return f"[[{words}]]"


def joined_marks(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks in order; those with only blanks between them are joined.

    >>> joined_marks("the red fox swims", [(4, 7), (8, 11), (12, 17)])
    ((4, 17),)
    """
    joined: list[Mark] = []
    for start, end in sorted(marks):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)


def without_markdown(text: str, marks: Sequence[Mark]) -> PlainText:
    """The text without emphasis, code marks, heading signs and link addresses, and the marks at their new places.

    >>> without_markdown("The **red** [fox](https://example.org).", [(6, 9), (13, 16)])
    PlainText(text='The red fox.', marks=((4, 7), (8, 11)))
    """
    while True:
        shown = [True] * len(text)
        for match in _MARKDOWN.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            for at in (*range(match.start(), start), *range(end, match.end())):
                shown[at] = False
        if all(shown):
            return PlainText(text, tuple(marks))
        # A link inside emphasis is found in the next round, when the emphasis is gone.
        places = [0, *accumulate(shown)]
        text = "".join(letter for letter, kept in zip(text, shown, strict=True) if kept)
        marks = [(places[start], places[end]) for start, end in marks if places[start] < places[end]]


WIDTH = 160
"""How many characters of a piece of text are shown around its marks."""
COLUMNS = ("description", "", "probability", "people", "text")
RIGHT = ("probability", "people")
JUDGED = "judged text"
"""The column of judged texts that are behind a judgement; only where there are some."""
NOT_COUNTED = "not counted"
"""The column of pieces that say something else with the words of the nug; only where there are some."""


def explanation_tables(explanations: Sequence[Explanation]) -> list[TextTable]:
    """One table per run, one row per nug: the probability, what people said, and the text with [[deciding words]].

    Markdown is removed from the text.
    """
    return [
        TextTable(
            [f"{run_id}: nug", *COLUMNS, *_further(shown)],
            [[*_cells(explanation), _bracketed(explanation), *_further(shown, explanation)] for explanation in shown],
            right=RIGHT,
        )
        for run_id, shown in _by_run(explanations).items()
    ]


def explanation_result(explaining: Explaining) -> ShownResult:
    """What `karat explain` prints."""
    rows = [msgspec.json.decode(msgspec.json.encode(explanation)) for explanation in explaining.explanations]
    return ShownResult(
        parts=lambda width: explanation_tables(explaining.explanations),
        tables=lambda: [DataTable.of("explanations", rows)],
        lines=lambda: rows,
        notes=explaining.notes,
        signatures=[explaining.signature],
    )


def print_explanations(explanations: Sequence[Explanation]) -> None:
    """Print the tables; on a terminal the deciding words are coloured instead of bracketed."""
    if sys.stdout is not None and sys.stdout.isatty():
        for run_id, shown in _by_run(explanations).items():
            _print_rich(run_id, shown)
    else:
        for table in explanation_tables(explanations):
            table.print()


def _by_run(explanations: Sequence[Explanation]) -> dict[str, list[Explanation]]:
    """The explanations of each run, with Markdown removed and neighbouring marks joined."""
    by_run: dict[str, list[Explanation]] = {}
    for explanation in explanations:
        plain = without_markdown(explanation.text, explanation.marks)
        shown = replace(explanation, text=plain.text, marks=joined_marks(plain.text, plain.marks))
        by_run.setdefault(printable(explanation.run_id), []).append(shown)
    return by_run


def _cells(explanation: Explanation) -> list[str]:
    without = "known" if explanation.known is not None else "failed"
    probability = without if explanation.probability is None else f"{explanation.probability:.2f}"
    people = "" if explanation.known is None else f"{explanation.known:g}"
    nug = [printable(explanation.nug_id), printable(" ".join(explanation.description.split()))]
    return [*nug, explanation.importance or "", probability, people]


def _window(explanation: Explanation) -> tuple[int, int]:
    """The part of a long text that is shown: it begins shortly before the first mark."""
    if len(explanation.text) <= WIDTH or not explanation.marks:
        return 0, min(len(explanation.text), WIDTH)
    start = max(0, explanation.marks[0][0] - 20)
    return start, min(len(explanation.text), start + WIDTH)


def _pieces(explanation: Explanation) -> list[str]:
    """The shown part of the text in pieces: every second piece, from the second on, is marked."""
    start, end = _window(explanation)
    shown = [mark for mark in explanation.marks if mark[0] >= start and mark[1] <= end]
    edges = [start, *(edge for mark in shown for edge in mark), end]
    return [printable(explanation.text[first:last]) for first, last in pairwise(edges)]


def _bracketed(explanation: Explanation) -> str:
    start, end = _window(explanation)
    pieces = (set_off(piece) if at % 2 else piece for at, piece in enumerate(_pieces(explanation)))
    text = " ".join("".join(pieces).split())
    return f"{'...' * (start > 0)}{text}{'...' * (end < len(explanation.text))}"


def _print_rich(run_id: str, explanations: Sequence[Explanation]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in (f"{run_id}: nug", *COLUMNS, *_further(explanations)):
        # Numbers and ids are never split; texts are wrapped between words.
        whole = column in (*RIGHT, "")
        table.add_column(Text(column), justify="right" if column in RIGHT else "left", no_wrap=whole, overflow="fold")
    for explanation in explanations:
        text = Text()
        for at, piece in enumerate(_pieces(explanation)):
            text.append(piece, "bold green" if at % 2 else None)
        table.add_row(*map(Text, _cells(explanation)), text, *map(Text, _further(explanations, explanation)))
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _further(explanations: Sequence[Explanation], explanation: Explanation | None = None) -> list[str]:
    """The names of the columns that only some explanations need, or the cells of one explanation in them."""
    columns = []
    if _has_judged(explanations):
        columns.append(JUDGED if explanation is None else _source(explanation))
    if any(each.not_counted for each in explanations):
        columns.append(NOT_COUNTED if explanation is None else _left_out(explanation))
    return columns


def _left_out(explanation: Explanation) -> str:
    """Each piece that was not counted, and why."""
    return printable("; ".join(map(_reason, explanation.not_counted)))


def _reason(piece: NotCounted) -> str:
    """What differs, and the piece: `number ("40" / "4"): At least 4 people died.`"""
    if piece.text_words == piece.text:
        return f"{piece.kind}: {_cut(piece.text, 80)}"
    return f'{piece.kind} ("{piece.nug_words}" / "{piece.text_words}"): {_cut(piece.text, 80)}'


def _has_judged(explanations: Sequence[Explanation]) -> bool:
    """Whether a judged text of another run is behind one of them: the own text is in the table anyway."""
    return any(not _is_own(explanation) for explanation in explanations if explanation.judged is not None)


def _is_own(explanation: Explanation) -> bool:
    source = explanation.judged
    return source is not None and source.use == "same" and source.run_id == explanation.run_id


def _source(explanation: Explanation) -> str:
    """How a judged text was used, its run, who judged it, and its beginning."""
    source = explanation.judged
    if source is None:
        return ""
    who = f" ({', '.join(source.assessors)})" if source.assessors else ""
    if _is_own(explanation):
        return printable(f"its own{who}")
    return printable(f"{source.use}, {source.run_id}{who}: {_cut(source.text, 80)}")


def _cut(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 3]}..."


SHOWN = 1200
"""How many characters of a text are shown at most."""
HELP = """\
  y  yes, contained     p  contained in part     n  no, not contained
  s  skip: you cannot decide; the judge's probability is kept
  u  undo the last answer, and ask that question again
  m  mark the words that prove it: type them, or `first words ... last words`;
     the answer is then yes, and the words become a further description of the nug
  a  add a nug that is missing from the key and that this response contains
  r  show the whole response
  q  quit; all answers are already saved
  ?  show this help"""
KEYS = "[y]es [p]artial [n]o [s]kip [u]ndo [m]ark [a]dd [r]esponse [q]uit [?]"
AT_END = "no questions are left: [u]ndo [q]uit"


def render_question(
    question: Question, *, number: int, total: int, color: bool = False, with_probability: bool = True
) -> str:
    """The query, the nug with all its descriptions, and the piece of the response with the deciding words marked.

    with_probability: not where the answer is to correct the judge: what it says would lead the answer.
    """
    pair, nug = question.pair, question.nug
    chance = f", probability {question.probability:.2f}" if with_probability else ""
    if with_probability and question.partial >= 0.005:
        chance += f", {question.partial:.2f} for partial"
    head = f"{number}/{total}  {pair.run_id}, query {pair.query_id}, nug {pair.nug_id}{chance}"
    lines = ["", _bold(printable(head), color)]
    if question.query:
        lines.append(_wrapped("query:", printable(question.query)))
    grade = f" ({nug.importance})" if nug.importance else ""
    for at, description in enumerate(nug.descriptions or ("(no description)",)):
        label = "nug:" if at == 0 else "or:"
        lines.append(_wrapped(label, f"{printable(description)}{grade if at == 0 else ''}"))
    lines.append(_wrapped("response:", _marked(question, color)))
    return "\n".join(lines)


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_INDENT = 10


def _wrapped(label: str, text: str) -> str:
    """The text beside its label, wrapped between words at the width of the terminal; colours take no place."""
    width = max(terminal_width() - 1, 2 * _INDENT)
    lines: list[str] = []
    line, length = f"{label:<{_INDENT - 1}}", _INDENT - 1
    for word in text.split():
        wide = len(_COLOURS.sub("", word))
        if length + 1 + wide > width and length >= _INDENT:
            lines.append(line)
            line, length = " " * (_INDENT - 1), _INDENT - 1
        line, length = f"{line} {word}", length + 1 + wide
    return "\n".join([*lines, line])


def render_score(score: Score | None, *, run_id: str, measure: str, left: int, threshold: float | None = None) -> str:
    """`atlas strict_vital 0.61 [0.52, 0.70] judge {0.57, 0.65}; 37 judgements left uncertain`."""
    line = f"{printable(run_id)} {measure} "
    if score is None or score.value is None:
        line += "undefined"
    else:
        line += f"{score.value:.2f}"
        if score.low is not None and score.high is not None:
            line += f" [{score.low:.2f}, {score.high:.2f}]"
        if score.judge_low is not None and score.judge_high is not None:
            line += f" judge {{{score.judge_low:.2f}, {score.judge_high:.2f}}}"
    if threshold is not None:
        return f"{line}; {left:,} question{'s' * (left != 1)} left"
    return f"{line}; {left:,} judgement{'s' * (left != 1)} left uncertain"


def _marked(question: Question, color: bool) -> str:
    """The piece of text; if it is long, the part around its first mark."""
    text = question.text
    start = 0
    if len(text) > SHOWN and question.marks:
        start = max(0, question.marks[0][0] - 100)
    end = min(len(text), start + SHOWN)
    pieces, at = [], start
    for first, last in joined_marks(text, question.marks):
        if first >= at and last <= end:
            pieces += [printable(text[at:first]), _mark(printable(text[first:last]), color)]
            at = last
    pieces.append(printable(text[at:end]))
    return f"{'...' * (start > 0)}{''.join(pieces).strip()}{'...' * (end < len(text))}" or "(empty)"


def _mark(words: str, color: bool) -> str:
    return f"\x1b[1;32m{words}\x1b[0m" if color else set_off(words)


def _bold(text: str, color: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if color else text
