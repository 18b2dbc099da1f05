"""A folder of text files: each .txt file (or .txt.gz) is a document, and its name without the ending is the id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, Document, InputError
from karat.model.wording import natural

TITLE = "a folder of text files, named by document id"
_ENDINGS = (".txt", ".txt.gz")


def sniff_text_folder(head: Head) -> bool:
    """A folder with text files and no other files, hidden ones aside."""
    if not head.is_directory:
        return False
    names = [path.name for path in head.source.path.iterdir() if path.is_file() and not path.name.startswith(".")]
    return bool(names) and all(name.endswith(_ENDINGS) for name in names)


def read_text_folder(source: Source) -> Iterator[AnyRecord]:
    """One Document per text file, in the natural order of their names."""
    if not source.is_directory:
        source.fail("is a file, not a folder of text files", code="bad-value")
    found: dict[str, Path] = {}
    for path in sorted(source.path.iterdir(), key=lambda path: natural(path.name)):
        if not path.name.endswith(_ENDINGS) or path.name.startswith("."):
            continue
        doc_id = path.name.removesuffix(".gz").removesuffix(".txt")
        if doc_id in found:
            source.report("", f"{path.name} and {found[doc_id].name} are both document {doc_id!r}", code="duplicate-id")
            continue
        found[doc_id] = path
        inner = Source(path)
        try:
            yield Document(doc_id=doc_id, text=inner.read_text())
        except InputError as error:
            for problem in error.problems:
                source.report(path.name, problem.message, code=problem.code)
