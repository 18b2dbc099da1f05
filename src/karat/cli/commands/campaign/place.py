"""karat campaign create, backup, restore"""

from __future__ import annotations

from pathlib import PurePath

import click

from karat.cli.commands.campaign.opening import campaign_place, link_base, needs_workbench, open_campaign, show_link
from karat.cli.printing import echo


@click.command("create")
@campaign_place
@click.option("--title", metavar="TEXT", help="What the campaign is called on every page, if not as its folder.")
@click.option("--organiser", metavar="NAME", required=True, help="Name of the first account, an organiser's.")
@click.option("--language", metavar="CODE", default="en", show_default=True,
              help="Language that everybody reads; queries in another one go to those who read it, too.")  # fmt: skip
@click.option("--words", type=click.IntRange(min=0), default=500, show_default=True, metavar="N",
              help="How many words of each response are annotated; 0: all.")  # fmt: skip
@click.option("--assessors", type=click.IntRange(min=1), default=2, show_default=True, metavar="N",
              help="How many assessors each query goes to.")  # fmt: skip
@link_base
def create_command(
    place: str, title: str | None, organiser: str, language: str, words: int, assessors: int, url: str
) -> None:
    """Create a campaign, and print the organiser's invitation link.

    DIR is a new folder. For a larger team, give the URL of an empty PostgreSQL database instead. Everything chosen here
    can be changed later on the page of settings.

    \b
    Example:
      karat campaign create facts --title "Facts 2026" --organiser Ana
      karat campaign create postgresql://karat@localhost/facts --title "Facts 2026" --organiser Ana
    """
    needs_workbench()
    from karat.campaign.campaign import Campaign, shown
    from karat.campaign.people.accounts import checked_name, create_account
    from karat.campaign.people.invitations import invite

    checked_name(organiser)
    settings = {"language": language.lower(), "words_in_scope": words, "assessors_per_query": assessors}
    if title is None:
        title = PurePath(place).name.partition("?")[0] or "Campaign"
    with Campaign.create(place, title, **settings) as campaign, campaign.database.write() as connection:
        account = create_account(connection, organiser, "organiser")
        token = invite(connection, account.number)
    echo(f"Created the campaign {title!r} in {shown(place)}.", err=True)
    show_link(token, account.name, url)


@click.command("demo")
@campaign_place
def demo_command(place: str) -> None:
    """Create a campaign that is finished, to try things on.

    It has the questions, key and answers of `karat demo`. Two assessors judged and voted, an adjudicator decided where
    they differ. Try status, export and backup on it, `karat agree` and `karat score` on its exports. To look at it, run
    `karat serve --campaign DIR` and log in with one of the names that are printed.

    \b
    Example:
      karat campaign demo finished
      karat campaign export finished --adjudicated-only -o final.jsonl
    """
    needs_workbench()
    from karat.campaign.campaign import Campaign, shown
    from karat.campaign.demo import fill_finished_demo

    with Campaign.create(place, "Karat demo") as campaign:
        logins = fill_finished_demo(campaign)
    echo(f"Created a finished campaign in {shown(place)}. To look at it, log in as one of these:", err=True)
    for login in logins:
        echo(f"  {login.role:<12} name {login.name:<12} password {login.password}")


@click.command("backup")
@campaign_place
@click.argument("file", type=click.Path())
def backup_command(place: str, file: str) -> None:
    """Write the whole campaign to one file.

    People can go on working: the file holds the campaign as it was when the backup began. It can be restored to a
    folder or to PostgreSQL, wherever it came from. Keep it as safe as the campaign: it has everybody's work, and the
    hashes of their passwords.

    \b
    Example:
      karat campaign backup facts facts-monday.backup.gz
    """
    from karat.model.wording import number_of

    with open_campaign(place) as campaign:
        from karat.campaign.store.backup import backup

        rows = backup(campaign.database, file)
    echo(f"{number_of(rows, 'row')} written to {file}", err=True)


@click.command("restore")
@click.argument("file", type=click.Path())
@campaign_place
def restore_command(file: str, place: str) -> None:
    """Make a campaign from a backup.

    DIR is a new folder, or URL an empty PostgreSQL database: an existing campaign is never written over. The campaign
    is restored whole or not at all.

    \b
    Example:
      karat campaign restore facts-monday.backup.gz facts-again
      karat campaign restore facts-monday.backup.gz postgresql://karat@localhost/facts
    """
    needs_workbench()
    from karat.campaign.campaign import Campaign, shown

    with Campaign.restore(file, place) as campaign:
        echo(f"Restored the campaign {campaign.settings.title!r} to {shown(place)}.", err=True)
