"""Where idf comes from (`--idf key|FILE`), instead of the responses at hand.

`key`: the texts of the key, that is its questions and the descriptions of its nugs, one text each. A run then has the
same score whichever runs stand beside it. FILE is a table (a file that is called key is given as ./key):
Two columns with a tab between them, a word and a number, one word a line. The header says what the numbers are:

    term    idf             or              # documents: 1033461
    fox     7.81                            term    df
    the     0.02                            fox     419

Without a header they are idf. From a document frequency, idf(w) = log((N + 1) / (df(w) + 1/2)), the formula that is
used for responses, too. Empty lines and lines that begin with `#` are left out. A word that is not in the table counts
as the rarest one; where words have the same stem, the commonest one counts. The paper's table (AQUAINT) is not public.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import Path

from karat.formats import Source
from karat.judges.base import Judge, Task
from karat.model import Collection, InputError, UnfitInput, UsageError
from karat.text.idf import IdfOfTexts, IdfTable

_DOCUMENTS = re.compile(r"#\s*(?:documents|N)\s*[:=]?\s*(\S+)\s*$", re.IGNORECASE)
_HEADERS = {"idf": False, "df": True}
KEY = "key"
"""The value of --idf that stands for the texts of the key."""


def idf_of(collection: Collection, idf: str | Path | IdfTable | None) -> IdfTable | None:
    """What --idf names: the texts of the collection's key, or the table of a file."""
    if idf == KEY:
        return key_idf(collection)
    return read_idf_file(idf) if isinstance(idf, str | Path) else idf


def key_idf(collection: Collection) -> IdfTable:
    """The idf of words among the questions and the descriptions of the nugs."""
    asked, keyed = collection.query_texts(), {nug.query_id for nug in collection.nugs}
    descriptions = [text for nug in collection.nugs for text in nug.descriptions]
    return IdfOfTexts([*(text for query_id, text in asked.items() if query_id in keyed), *descriptions], name=KEY)


def read_idf_file(path: str | Path) -> IdfTable:
    """The table of a file; its name is the name of the file and a part of the hash of what is in it.

    Raises:
        InputError: a line is no word and number, a word has two values, or a frequency is above the number of
            documents; all of them are listed.
        UsageError: there is no such file, no word in it, or frequencies without the number of documents.
    """
    source = Source(path)
    digest = hashlib.sha256()
    documents, is_df, values = math.nan, False, dict[str, float]()
    for line in source.text_lines():
        digest.update(line.encode())
        if not line.strip() or line.startswith("#"):
            if found := _DOCUMENTS.match(line):
                documents = _number(found[1])
                if not documents > 0:
                    source.report("", f"{found[1]!r} is not a number of documents", code="bad-value")
            continue
        columns = [column.strip() for column in line.split("\t")]
        if not values and len(columns) == 2 and columns[1].lower() in _HEADERS:
            is_df = _HEADERS[columns[1].lower()]
            continue
        if len(columns) != 2 or not columns[0]:
            source.report("", "not a word, a tab and a number", code="bad-line")
            continue
        word, value = columns[0], _number(columns[1])
        if math.isnan(value) or value < 0:
            source.report("", f"{columns[1]!r} is not a number from 0 on", code="bad-value")
        elif is_df and value > documents:
            source.report("", f"{word!r} is in {value:g} of {documents:g} documents", code="bad-value")
        elif values.setdefault(word, value) != value:
            source.report("", f"{word!r} has another value before", code="conflict")
    if source.problems:
        raise InputError(source.problems, unlisted=source.unlisted)
    if not values:
        raise UnfitInput(f"{source.name}: no word in it; give a table of words and idf")
    if is_df:
        if math.isnan(documents):
            raise UnfitInput(f"{source.name}: document frequencies need their number: add a line `# documents: N`")
        values = {word: math.log((documents + 1) / (df + 0.5)) for word, df in values.items()}
    return IdfTable(values, name=f"{Path(source.name).name}@{digest.hexdigest()[:8]}")


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def check_idf(program: Judge, idf: IdfTable | None) -> None:
    """Raises UsageError where a table of idf would change nothing."""
    if idf is not None and not program.reads_idf:
        raise UsageError(f"--idf: {program} weighs no words by their idf, so it would change nothing")


def idf_settings(program: Judge, tasks: Sequence[Task]) -> dict[str, str]:
    """What the signature says about where idf comes from: its source, and a hash of what is in it.

    The names are `responses@...` (all responses at hand: other runs beside a run change its score a little),
    `key@...`, and the name of a file.
    """
    if not program.reads_idf or not tasks:
        return {}
    idf = tasks[0].idf
    if idf is None:
        return {"idf": tasks[0].texts().name}
    return {"idf": idf.name if isinstance(idf, IdfTable) else IdfTable(idf).name}
