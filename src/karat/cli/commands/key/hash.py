"""karat key hash"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.command("hash")
@input_files(metavar="KEY...")
@from_format
@on_error
@output_format()
@prints_result
def hash_command(files: tuple[str, ...], from_format: str | None, on_error: str, output_format: str) -> None:
    """Print the hash of a key, as it is in signatures.

    All files together are one key: give the votes, too, where you score with votes. The hash changes with everything
    that can change a score: ids, descriptions, importance, weight, relevance, members, parents, votes. It does not
    change with the order of records, nor with fields that Karat does not read.

    \b
    Example:
      karat key hash key.jsonl
      karat key hash key.jsonl votes.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.evaluate.keys.hashing import hash_of
    from karat.reports.results.lists import list_result

    collection = read_collection(files, from_format, on_error)
    hashed = hash_of(collection)
    queries = {nug.query_id for nug in collection.nugs}
    row = {"key": hashed, "queries": len(queries), "nugs": len(collection.nugs), "votes": len(collection.votes)}
    print_result(list_result({"key": [row]}), output_format, print_table=lambda: echo(f"key:{hashed}"))
