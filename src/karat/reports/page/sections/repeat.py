"""What is needed to make the report again: command, inputs with hashes, signature, versions."""

from __future__ import annotations

from dataclasses import dataclass

from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Section, Table, csv_text


@dataclass(frozen=True)
class Code:
    """A line to copy."""

    title: str
    text: str


def section(contents: Contents, *, private: bool = False) -> Section:
    """private: without the command and the names of files, which may name other runs."""
    made = contents.provenance
    parts: list[object] = [] if private else [Code("Command", made.command)]
    scores = [score for score in contents.scoring.of_all() if score.signature is not None]
    if scores and scores[0].signature is not None:
        names = ",".join(dict.fromkeys(score.measure for score in scores))
        parts.append(Code("Signature of the scores", f"{names}|{scores[0].signature.partition('|')[2]}"))
    if contents.judged.signature is not None:
        parts.append(Code("Signature of the judge", contents.judged.signature))
    if made.inputs and not private:
        columns = ["file", "bytes", "SHA-256"]
        rows = [[file.name, f"{file.size:,}", file.sha256] for file in made.inputs]
        data = csv_text(columns, ((file.name, file.size, file.sha256) for file in made.inputs))
        parts.append(Table(columns, rows, data, "inputs", right=["bytes"], caption="Inputs"))
    versions = ", ".join(f"{name} {version}" for name, version in made.versions)
    when = f"Made {made.time}. " if made.time else ""
    same = "" if private else "The same command on the same files gives the same report, but for the time. "
    lead = f"{when}{same}Versions: {versions}."
    return Section("repeat", "To repeat it", lead, parts)
