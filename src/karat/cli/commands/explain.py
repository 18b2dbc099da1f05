"""karat explain"""

from __future__ import annotations

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import from_format, idf_file, input_files, judge_name, known_files, labels_name, on_error
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import chosen_names, named_runs


@click.command("explain")
@input_files(metavar="KEY RUN...")
@from_format
@judge_name
@known_files
@labels_name
@idf_file
@click.option("--query", "query_id", required=True, metavar="QUERY", help="The query to explain.")
@named_runs
@llm_options
@no_cache
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, known: tuple[str, ...], labels: str | None,
    idf: str | None, query_id: str, run_ids: tuple[str, ...], runs: str | None, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Show why a judge decides as it does.

    One row per nug: the probability that the response contains it, what people said (if they judged it), and the piece
    of the response that supports it most. The words that decided are marked: in colour on a terminal, otherwise
    [[like this]]. Markdown is removed from the text. If a judged text is behind a judgement, it is shown with its run
    and assessor: the same text, or one that the judge found similar. The judge learns from people's judgements as in
    `karat judge`; the probability is the judge's own, also where people said something else.

    "not counted" (judge semantic) has the sentences that say something else with the words of the nug, and why: number,
    date, name, negation, antonym, roles, ... with the words of the nug and of the sentence; or reading, where a small
    model finds that the sentence does not say it. The nug is judged by the rest of the response.

    \b
    Example:
      karat explain key.jsonl run.jsonl --query q1
      karat explain key.jsonl runs.jsonl judgements.jsonl --query q1 --runs atlas --judge rouge
      karat explain key.jsonl run.jsonl --known judged.jsonl --query q1
    """
    from msgspec.structs import replace

    from karat.cli.inputs import read_collection, read_idf, unread_nugs
    from karat.cli.progress import tracked
    from karat.evaluate.review.explain import explain_collection
    from karat.reports.review import print_explanations

    collection = read_collection(files, from_format, on_error)
    if runs is not None:
        names = [response.run_id for response in collection.responses if response.query_id == query_id]
        run_ids += tuple(chosen_names(runs, list(dict.fromkeys(names)), option="--runs"))
    explaining = explain_collection(
        collection, query_id=query_id, run_ids=run_ids, judge=judge,
        known=read_collection(known, from_format, on_error) if known else None, labels=labels,
        idf=read_idf(idf, collection), track=tracked("judging"),
    )  # fmt: skip
    explaining = replace(explaining, notes=(*explaining.notes, *unread_nugs((*files, *known))))
    print_result(
        explaining,
        output_format,
        print_table=lambda: print_explanations(explaining.explanations),
        signature="judge",
    )
