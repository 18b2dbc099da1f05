"""karat campaign import, export"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from karat.cli.commands.campaign.opening import campaign_place, open_campaign
from karat.cli.computing.engine_options import engine_options
from karat.cli.options import from_format, input_files, on_error, to_format
from karat.cli.outputs import output
from karat.cli.printing import echo
from karat.cli.selection import only_queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.campaign.material.importing import Imported
    from karat.model import Record


@click.command("import")
@campaign_place
@input_files()
@from_format
@click.option("--ignore-annotation", is_flag=True,
              help="Leave out people's annotation (votes, judgements, relevance, nuggets) instead of "
              "stopping.")  # fmt: skip
@click.option("--program", "programs", metavar="NAME", multiple=True,
              help="A judge in the files that is a program: its judgements become suggestions.")  # fmt: skip
@click.option("--suggest", is_flag=True,
              help="Find nuggets automatically (`karat nuggetize`), as suggestions for people.")  # fmt: skip
@click.option("--judge", metavar="NAME",
              help="Let this judge answer first (see `karat judges`), as suggestions for people.")  # fmt: skip
@engine_options
@on_error
def import_command(
    place: str, files: tuple[str, ...], from_format: str | None, ignore_annotation: bool, programs: tuple[str, ...],
    suggest: bool, judge: str | None, jobs: int, on_error: str,
) -> None:  # fmt: skip
    """Import queries, runs, keys and documents into a campaign.

    The files can be of any format that Karat reads; give those that belong together at once. All of them are imported,
    or nothing is. Import again to add runs or queries: what the campaign has already is skipped, and what differs from
    it is named and stops the import.

    The same text in several runs is annotated once. Automatic nuggets and the judgements of a program become
    suggestions. With a key (nugs without an assessor) people judge and vote; without one they make the nugs.

    \b
    Example:
      karat campaign import facts topics.jsonl runs/*.jsonl --suggest
      karat campaign import facts key.jsonl run.jsonl --judge lexical
    """
    from karat.cli.messages import say_notes, say_skipped
    from karat.cli.progress import tracked

    with open_campaign(place) as campaign:
        from karat.campaign.material.importing import import_files
        from karat.campaign.material.programs import check_programs, suggest_judgements, suggest_nuggets

        check_programs(suggest=suggest, judge=judge)
        done: list[Imported] = [
            import_files(
                campaign.database, *files, format=from_format, on_error=on_error,  # type: ignore[arg-type]
                ignore_annotation=ignore_annotation, programs=programs,
            )
        ]  # fmt: skip
        if done[0].problems:
            say_skipped(done[0].problems)
        if suggest:
            done.append(suggest_nuggets(campaign.database, jobs=jobs))
        if judge is not None:
            done.append(suggest_judgements(campaign.database, judge, jobs=jobs, track=tracked("judging")))
        for imported in done:
            say_notes(imported.lines())
        echo(f"steps of the campaign: {', '.join(campaign.settings.steps)}", err=True)


@click.command("export")
@campaign_place
@output
@to_format
@click.option("--adjudicated-only", is_flag=True, help="Only what was adjudicated.")
@click.option("--assessor", metavar="NAME", help="Only the annotation of this person.")
@click.option("--query", "query_ids", metavar="ID", multiple=True, hidden=True, help="Old: --queries.")
@only_queries
def export_command(
    place: str, output: str, to_format: str | None, adjudicated_only: bool, assessor: str | None,
    query_ids: tuple[str, ...],
) -> None:  # fmt: skip
    """Export what people annotated, with the queries and responses.

    Every record says whose it is; `karat score` and `karat agree` read the file as it is, at any time. Formats that
    cannot say whose an annotation is hold one person's: choose with --assessor or --adjudicated-only. What a format
    cannot hold is reported.

    \b
    Example:
      karat campaign export facts -o annotation.jsonl
      karat campaign export facts --adjudicated-only --to nuggetizer-bank -o bank.jsonl
    """
    from karat.formats.outputs.writing import format_by_name, writable_format, write
    from karat.model import UsageError
    from karat.model.wording import number_of

    to_format = writable_format(to_format or format_by_name(output)).name
    with open_campaign(place) as campaign:
        from karat.campaign.results.export import export_records, skipped_lines, stored_queries
        from karat.cli.selection import chosen_names, wanted

        skipped = Counter[str]()

        with campaign.database.read() as connection:
            if (asked := wanted("queries")) is not None:
                query_ids += tuple(chosen_names(asked, stored_queries(connection), option="--queries"))
            records = list(
                export_records(
                    connection,
                    adjudicated_only=adjudicated_only,
                    assessor=assessor,
                    queries=query_ids or None,
                    skipped=skipped,
                )
            )
    layers = _layers(records)
    if to_format != "karat" and len(layers) > 1:
        raise UsageError(
            f"{to_format} would mix the annotation of {', '.join(layers)}: choose --adjudicated-only, or --assessor "
            "NAME"
        )
    losses = write(records, output, format=to_format)
    echo(f"{number_of(len(records), 'record')} exported", err=True)
    for line in skipped_lines(skipped):
        echo(line, err=True)
    if losses:
        echo(f"left out, because {to_format} cannot hold it:", err=True)
        for line in losses.lines():
            echo(f"  {line}", err=True)


def _layers(records: Sequence[Record]) -> list[str]:
    """Whose annotation the records are."""
    names = {
        "the adjudicated layer" if getattr(record, "adjudicated", None) else assessor
        for record in records
        if (assessor := getattr(record, "assessor", None)) is not None
    }
    return sorted(names)
