"""A review in the terminal: the question, the score after every answer, and the help."""

from __future__ import annotations

from karat.evaluate.review.review import Question
from karat.model import Score
from karat.report.marks import joined_marks, set_off
from karat.report.tables import printable

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
