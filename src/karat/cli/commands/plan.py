"""karat plan"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import spreading
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import from_format, labels_name, on_error, scoring_options
from karat.cli.outputs import format_is_given, output_format, print_result, prints_result
from karat.cli.printing import echo
from karat.cli.selection import in_order, only_queries, wanted

if TYPE_CHECKING:
    from karat.model import Collection


@click.command("plan")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path())
@from_format
@click.option(
    "--runs", metavar="A,B",
    help="The two runs to compare; by default all pairs. With --review: only these runs. Patterns work: 'atlas*'.",
)  # fmt: skip
@only_queries
@click.option("--difference", metavar="D", type=float, help="The difference to find, instead of the observed one.")
@click.option(
    "--sd", metavar="S", type=float, help="Without files: the standard deviation of the differences per query."
)
@click.option(
    "--power",
    metavar="P",
    type=float,
    default=0.8,
    show_default=True,
    help="The probability of finding the difference.",
)
@click.option(
    "--alpha", metavar="P", type=float, default=0.05, show_default=True, help="The significance level of the test."
)
@click.option("--one-sided", is_flag=True, help="Test only whether the first run is better.")
@click.option(
    "--comparisons", metavar="N", type=click.IntRange(min=1), default=1, show_default=True,
    help="The number of comparisons that share alpha (Bonferroni).",
)  # fmt: skip
@click.option(
    "--review", metavar="[N]", type=int, is_flag=False, flag_value=0,
    help="Plan a review instead, for `karat review --plan`. With --minutes or --width: the single questions that make "
    "intervals narrower. With a number N: everything about N queries drawn at random.",
)  # fmt: skip
@click.option("--minutes", metavar="M", type=float, help="With --review: how long the person has.")
@click.option(
    "--width", metavar="W", type=float,
    help="With --review: stop where intervals of scores are expected to be this narrow.",
)  # fmt: skip
@click.option(
    "--seconds", metavar="S", type=float, default=20.0, show_default=True,
    help="With --review: how long one answer takes.",
)  # fmt: skip
@scoring_options
@labels_name
@llm_options
@spreading
@no_cache
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, runs: str | None, difference: float | None, sd: float | None,
    power: float, alpha: float, one_sided: bool, comparisons: int, review: int | None,
    minutes: float | None, width: float | None, seconds: float,
    measures: str | None, beta: float | None, average: str, seed: int, rules: Any,
    labels: str | None, jobs: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Compute how many queries are needed to find a difference.

    Give a pilot, as a key with judgements or as scores per query. From two runs (or all of them) Karat estimates how
    much differences vary from query to query, and so how many queries the permutation test of `karat compare` needs.
    The observed difference is itself uncertain: a safe number allows for that, or there is none, and with --difference
    you name the one that matters to you. Where a program judged (--judge), its own error hides small differences
    however many queries there are, and the plan says which. Without files, give --difference and --sd.
    For each number of queries it also prints what generalizability theory expects: the reliability of the differences
    between runs (E rho^2) and the dependability of the scores themselves (Phi).

    --review plans the next hour of a person: which judgements, drawn at random where the judge is unsure and where
    they weigh most, make the intervals of scores narrower. `karat review --plan` asks these questions, and `karat
    score` then corrects a program's scores by the answers. Plan again with the answers among the files to go on. With
    --runs, only questions about these runs are asked.

    \b
    Example:
      karat plan --difference 0.05 --sd 0.2
      karat plan key.jsonl judgements.jsonl --runs new,old --difference 0.03
      karat plan scores.jsonl --comparisons 10 --power 0.9
      karat plan key.jsonl runs.jsonl --judge lexical --runs new,old
      karat plan key.jsonl runs.jsonl --review --minutes 60 -o questions.json
      karat review key.jsonl runs.jsonl --plan questions.json -o mine.jsonl
      karat plan key.jsonl runs.jsonl --review 20 -o part.json
    """
    from karat.cli.inputs import read_collection, read_judged
    from karat.evaluate.plan.goal import Goal
    from karat.evaluate.plan.plan import plan_collection, plan_without_pilot

    if review is None and (minutes is not None or width is not None):
        raise click.UsageError("--minutes and --width plan a review: say --review, too.")
    if review is not None:
        if difference is not None or sd is not None:
            raise click.UsageError("--review plans what people label: without --difference and --sd.")
        if not files:
            raise click.UsageError("--review plans questions about a key and runs: give their files.")
        if not review and minutes is None and width is None:
            raise click.UsageError("--review: say how long you have, with --minutes 60 (or how many queries to draw).")
        if review and (minutes is not None or width is not None or runs is not None):
            raise click.UsageError(
                f"--review {review} draws whole queries; without the number, --minutes, --width and --runs plan "
                "single questions."
            )
        chosen = output_format if format_is_given(click.get_current_context()) else None
        collection = read_collection(files, from_format, on_error)
        if review:
            if chosen not in (None, "json", "jsonl"):
                raise click.UsageError(f"--review {review} prints a plan, which is JSON: without --format {chosen}.")
            _draw_queries(collection, review, seed)
        else:
            only = None if runs is None else in_order(runs, _runs_of(collection))
            _plan_questions(
                collection, minutes=minutes, width=width, seconds=seconds, runs=only, measure=measures,
                judge=rules["judge"] or "auto", labels=labels, seed=seed, output_format=chosen,
            )  # fmt: skip
        return
    goal = Goal(power=power, alpha=alpha, one_sided=one_sided, comparisons=comparisons)
    if not files:
        if difference is None or sd is None:
            raise click.UsageError("Give the files of a pilot, or both --difference and --sd.")
        if runs is not None:
            raise click.UsageError("--runs needs a pilot: give its files, too.")
        if wanted("queries") is not None:
            raise click.UsageError("--queries needs a pilot: give its files, too.")
        planning = plan_without_pilot(difference, sd, goal=goal)
    else:
        if sd is not None:
            raise click.UsageError("--sd is only for a plan without files: with files, it is estimated from them.")
        judged = read_judged(
            files, from_format, on_error, judge=rules["judge"], labels=labels, jobs=jobs, only_scores=True
        )
        planning = plan_collection(
            judged.collection, runs=_pair(runs, judged.collection), goal=goal, difference=difference,
            measures=measures, beta=beta, average=average, sigma=judged.sigma, run_sigma=judged.run_sigma,  # type: ignore[arg-type]
            common=judged.common, seed=seed, **{**rules, "judge": judged.judge},
        )  # fmt: skip
    print_result(planning, output_format)


def _pair(runs: str | None, collection: Collection) -> list[str] | None:
    """The two runs of --runs, in the order in which they were named."""
    if runs is None:
        return None
    pair = in_order(runs, _runs_of(collection))
    if len(pair) != 2:
        many = f"{', '.join(pair[:8])}{', ...' if len(pair) > 8 else ''}"
        raise click.UsageError(f"--runs {runs}: a plan compares two runs, and this names {len(pair)}: {many}.")
    return pair


def _runs_of(collection: Collection) -> list[str]:
    from karat.formats.inputs.selection import names_of

    return names_of(collection, "run_id")


def _plan_questions(collection: Collection, *, output_format: str | None, **options: Any) -> None:
    """Print the plan, and on stderr what it is expected to buy; with --format, what it buys."""
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.evaluate.plan.best_questions import plan_questions
    from karat.evaluate.plan.question_plan import plan_text
    from karat.reports.plan import question_lines

    planning = plan_questions(collection, track=tracked("judging"), **options)
    if output_format is not None:
        print_result(planning, output_format)
        return
    echo(plan_text(planning.plan), nl=False)
    for line in question_lines(planning):
        echo(line, err=True)
    say_notes(planning.notes)


def _draw_queries(collection: Collection, queries: int, seed: int) -> None:
    from karat.evaluate.plan.question_plan import plan_text
    from karat.evaluate.plan.random_part import FEW, draw_part

    part = draw_part(collection, queries, seed=seed)
    echo(plan_text(part), nl=False)
    echo(
        f"{len(part.queries):,} of {part.of:,} queries drawn; label them with `karat review ... --plan FILE -o "
        "mine.jsonl`, then `karat score ... mine.jsonl --judge NAME` corrects the judge by your answers",
        err=True,
    )
    if len(part.queries) < FEW:
        echo(
            f"intervals from fewer than {FEW} labelled queries will be wide, and hold people's score less often than "
            f"they say; draw {min(FEW, part.of)} or more if you can",
            err=True,
        )
