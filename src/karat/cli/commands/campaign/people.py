"""karat campaign invite, assign, status"""

from __future__ import annotations

import click

from karat.cli.codes import Code
from karat.cli.commands.campaign.opening import campaign_place, link_base, open_campaign, show_link
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.command("invite")
@campaign_place
@click.argument("name")
@click.option("--role", type=click.Choice(["assessor", "adjudicator", "organiser"]), default="assessor",
              show_default=True, help="What the person does.")  # fmt: skip
@click.option("--languages", metavar="CODE,...",
              help="Languages that the person reads besides the campaign's own.")  # fmt: skip
@link_base
def invite_command(place: str, name: str, role: str, languages: str | None, url: str) -> None:
    """Invite a person, and print the invitation link.

    The link lets the person choose a password. Invite somebody again who forgot the password: the old one ends when a
    new one is chosen, and the role stays as it is; languages that are given replace the old ones.

    \b
    Example:
      karat campaign invite facts Bo --languages ar,zh
      karat campaign invite facts Cleo --role adjudicator --url https://nuggets.example.org
    """
    with open_campaign(place) as campaign:
        from karat.campaign.people.accounts import account_named, account_of, create_account, log_event, set_languages
        from karat.campaign.people.invitations import invite

        with campaign.database.write() as connection:
            account = account_named(connection, name)
            again = account is not None
            if account is None:
                account = create_account(connection, name, role, (languages or "").split(","))
            elif languages is not None:
                set_languages(connection, account.number, languages.split(","))
                account = account_of(connection, account.number) or account
            token = invite(connection, account.number)
            log_event(connection, f"invited {account.name}{' again' if again else ''}")
    if again:
        echo(f"{account.name} has an account already ({account.role}): this is a new link for it.", err=True)
    if again and languages is not None:
        known = " ".join(account.languages) or "none"
        echo(f"languages of {account.name} besides the campaign's own are now: {known}", err=True)
    show_link(token, account.name, url)


@click.command("assign")
@campaign_place
@click.option("--per-query", type=click.IntRange(min=1), metavar="N",
              help="How many assessors each query goes to; by default what the campaign's settings say.")  # fmt: skip
@output_format()
@prints_result
def assign_command(place: str, per_query: int | None, output_format: str) -> None:
    """Assign the queries to assessors, with an even load.

    Every query goes to several assessors who read its language. Queries that are assigned stay so: run it again after
    importing queries or inviting people. Where too few people read a language, the other queries are assigned all the
    same; what is missing is named, and the exit code is 1.

    \b
    Example:
      karat campaign assign facts --per-query 2
    """
    from karat.model.wording import number_of
    from karat.reports.results.lists import list_result

    with open_campaign(place) as campaign:
        from karat.campaign.people.accounts import log_event
        from karat.campaign.work.assignments import assign

        with campaign.database.write() as connection:
            assigned = assign(connection, per_query=per_query)
            if assigned.added:
                log_event(connection, f"made {number_of(assigned.added, 'assignment')}")
    rows = [{"assessor": name, "queries": load} for name, load in assigned.loads.items()]
    if rows or output_format != "table":
        print_result(list_result({"assessors": rows}), output_format)
    echo(f"{number_of(assigned.added, 'assignment')} added", err=True)
    for line in assigned.missing:
        echo(line, error=True)
    if assigned.missing:
        raise click.exceptions.Exit(Code.FINDING)


@click.command("status")
@campaign_place
@output_format()
@prints_result
def status_command(place: str, output_format: str) -> None:
    """Show how far a campaign is.

    Prints how much material there is, and for each person the queries that are assigned and finished, the steps done,
    the number of annotations and the time spent.

    \b
    Example:
      karat campaign status facts
    """
    from karat.model.wording import number_of
    from karat.reports.results.lists import list_result

    with open_campaign(place) as campaign:
        from karat.campaign.material.counts import material_counts
        from karat.campaign.people.accounts import accounts
        from karat.campaign.results.progress import progress

        settings = campaign.settings
        with campaign.database.read() as connection:
            counts, people, made = material_counts(connection), accounts(connection), progress(connection)
    material = [
        {"material": name.replace("_", " "), "number": getattr(counts, name)} for name in counts.__struct_fields__
    ]
    totals = {total.account: total for total in made.people}
    rows: list[dict[str, object]] = []
    for person in people:
        state = "switched off" if not person.active else "has a password" if person.has_password else "invited"
        total = totals.get(person.number)
        numbers: dict[str, object] = dict.fromkeys(("queries", "finished", "steps_done", "annotations", "hours"))
        if total is not None:
            counted = (total.queries, total.finished, total.steps_done, total.items, round(total.seconds / 3600, 1))
            numbers = dict(zip(numbers, counted, strict=True))
        rows.append({"person": person.name, "role": person.role, "account": state, **numbers})
    # The people come first: they are what CSV and TSV hold.
    print_result(list_result({"people": rows, "material": material}, heads={"steps_done": "steps done"}), output_format)
    echo(f"{settings.title}: steps {', '.join(settings.steps) or 'not chosen yet'}", err=True)
    echo(f"{made.adjudicated:,} of {number_of(made.total, 'query')} adjudicated", err=True)
