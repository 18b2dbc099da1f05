"""A review in the terminal: the question, the score after every answer, and the help."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise

import msgspec
from msgspec.structs import replace

from karat.evaluate.review.explain import Explanation
from karat.evaluate.review.review import Question
from karat.model import Score
from karat.report.tables import plain_table, printable

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


class MarkedText(msgspec.Struct, frozen=True):
    """A text and the places of the words that decided."""

    text: str
    marks: tuple[Mark, ...]


def set_off(words: str) -> str:
    """Between double brackets: stars and underlines are what answers themselves are written with."""
    return f"[[{words}]]"


def joined_marks(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks with nothing but blanks between them are one.

    >>> joined_marks("the red fox swims", [(4, 7), (8, 11), (12, 17)])
    ((4, 17),)
    """
    found: list[Mark] = []
    for start, end in sorted(marks):
        if found and not text[found[-1][1] : start].strip():
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def without_markdown(text: str, marks: Sequence[Mark]) -> MarkedText:
    """The text without emphasis, code marks, titles' signs and addresses of links, and the marks where they then lie.

    >>> without_markdown("The **red** [fox](https://example.org).", [(6, 9), (13, 16)])
    MarkedText(text='The red fox.', marks=((4, 7), (8, 11)))
    """
    while True:
        shown = [True] * len(text)
        for match in _MARKDOWN.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            for at in (*range(match.start(), start), *range(end, match.end())):
                shown[at] = False
        if all(shown):
            return MarkedText(text, tuple(marks))
        # A link inside emphasis is seen when the emphasis is off.
        places = [0, *accumulate(shown)]
        text = "".join(letter for letter, kept in zip(text, shown, strict=True) if kept)
        marks = [(places[start], places[end]) for start, end in marks if places[start] < places[end]]


WIDTH = 160
"""How much of a piece is shown around its marks."""


def print_explanations(found: Sequence[Explanation]) -> None:
    """A nug a row: the probability, what people said, and the piece of text; [[words]] that decided are marked.

    Markdown is taken off the text for that.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    for run_id in dict.fromkeys(one.run_id for one in found):
        own = [_as_shown(one) for one in found if one.run_id == run_id]
        if terminal:
            _print_rich(run_id, own)
        else:
            columns = [f"{printable(run_id)}: nug", "", "probability", "people", "text"]
            rows = [[*_cells(one), _bracketed(one)] for one in own]
            print(plain_table(columns, rows, right=["probability", "people"]), flush=True)


def _as_shown(one: Explanation) -> Explanation:
    plain = without_markdown(one.text, one.marks)
    return replace(one, text=plain.text, marks=joined_marks(plain.text, plain.marks))


def _cells(one: Explanation) -> list[str]:
    probability = "known" if one.probability is None else f"{one.probability:.2f}"
    people = "" if one.known is None else f"{one.known:g}"
    return [printable(_cut(one.description, 60)), one.importance or "", probability, people]


def _window(one: Explanation) -> tuple[int, int]:
    """The part of a long piece that holds most of the marks' beginning."""
    if len(one.text) <= WIDTH or not one.marks:
        return 0, min(len(one.text), WIDTH)
    start = max(0, one.marks[0][0] - 20)
    return start, min(len(one.text), start + WIDTH)


def _pieces(one: Explanation) -> list[str]:
    """What is shown of the text: every second piece, from the second on, is marked."""
    start, end = _window(one)
    shown = [mark for mark in one.marks if mark[0] >= start and mark[1] <= end]
    edges = [start, *(edge for mark in shown for edge in mark), end]
    return [printable(one.text[first:last]) for first, last in pairwise(edges)]


def _bracketed(one: Explanation) -> str:
    start, end = _window(one)
    pieces = (set_off(piece) if at % 2 else piece for at, piece in enumerate(_pieces(one)))
    text = " ".join("".join(pieces).split())
    return f"{'...' * (start > 0)}{text}{'...' * (end < len(one.text))}"


def _print_rich(run_id: str, own: Sequence[Explanation]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in (f"{printable(run_id)}: nug", "", "probability", "people", "text"):
        table.add_column(column, justify="right" if column in ("probability", "people") else "left", overflow="fold")
    for one in own:
        text = Text()
        for at, piece in enumerate(_pieces(one)):
            text.append(piece, "bold green" if at % 2 else None)
        table.add_row(*map(Text, _cells(one)), text)
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _cut(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 3]}..."


SHOWN = 1200
"""How many characters of a piece are shown at most."""
HELP = """\
  y  contained          p  contained in part     n  not contained
  s  skip: you cannot tell; the judge's probability stands
  u  undo the last answer, and ask again
  m  mark the words that prove it: type them, or `first words ... last words`; it is contained, and the
     words become a further description of the nug
  a  add a nug that the key lacks and this response contains
  r  show the whole response
  q  quit; everything is saved already
  ?  this help"""
KEYS = "[y]es [p]artial [n]o [s]kip [u]ndo [m]ark [a]dd [r]esponse [q]uit [?]"
AT_END = "nothing is left to ask: [u]ndo [q]uit"


def render_question(question: Question, *, number: int, total: int, color: bool = False) -> str:
    """The query, the nug with all its descriptions, and the piece with the deciding words marked."""
    pair, nug = question.pair, question.nug
    chance = f"probability {question.probability:.2f}"
    if question.partial >= 0.005:
        chance += f", {question.partial:.2f} of partial"
    head = f"{number}/{total}  {pair.run_id}, query {pair.query_id}, nug {pair.nug_id}, {chance}"
    lines = ["", _bold(printable(head), color)]
    if question.query:
        lines.append(f"query:    {printable(question.query)}")
    grade = f" ({nug.importance})" if nug.importance else ""
    for at, description in enumerate(nug.descriptions or ("(no description)",)):
        lines.append(f"{'nug:' if at == 0 else 'or:':<9} {printable(description)}{grade if at == 0 else ''}")
    lines.append(f"response: {_marked(question, color)}")
    return "\n".join(lines)


def render_score(score: Score | None, *, run_id: str, measure: str, left: int, threshold: float | None = None) -> str:
    """`atlas strict_vital 0.61 [0.52, 0.70] judge {0.57, 0.65}, 37 judgements left uncertain`."""
    told = f"{printable(run_id)} {measure} "
    if score is None or score.value is None:
        told += "undefined"
    else:
        told += f"{score.value:.2f}"
        if score.low is not None and score.high is not None:
            told += f" [{score.low:.2f}, {score.high:.2f}]"
        if score.judge_low is not None and score.judge_high is not None:
            told += f" judge {{{score.judge_low:.2f}, {score.judge_high:.2f}}}"
    what = "uncertain" if threshold is None else f"at {threshold:g} or above"
    return f"{told}, {left:,} judgement{'s' * (left != 1)} left {what}"


def _marked(question: Question, color: bool) -> str:
    """The piece, or of a long one the part around its first marks."""
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
