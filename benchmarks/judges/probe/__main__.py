"""What a judge says to edits and paraphrases, on the road that users take (`karat.judge`, no labels).

KARAT_DATA=... python benchmarks/judges/probe --judge lexical --judge semantic [--half a] [--work FOLDER]

Decision rule: a judge accepts a statement where its probability of full containment is at least .5; else it rejects it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from edits import EACH, FALSE, KINDS, Item, load_edits

from judging import Answers, Pair, Said
from probe import Case, cases_of, figure, read_half

SETTINGS = ("alone", "within")
HERE = Path(__file__).parent
ACCEPTED = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", action="append", metavar="NAME", help="may be repeated; default: lexical")
    parser.add_argument(
        "--half", choices=("a", "b", "both"), default="a", help="of the hand-written probe; b is for the end"
    )
    parser.add_argument("--probe", type=Path, default=HERE, help="the folder with half_a.jsonl and half_b.jsonl")
    parser.add_argument("--only", choices=("edits", "probe"))
    parser.add_argument("--work", type=Path, default=Path("probe-work"), help="the folder where made sets are kept")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--each", type=int, default=EACH, help="edits of each kind")
    parser.add_argument("--forms", action="store_true", help="one row per form of edit, too")
    parser.add_argument("--show", metavar="KIND", choices=KINDS, help="print the items of this kind, and judge nothing")
    given = parser.parse_args()
    judges = given.judge or ["lexical"]
    if given.only != "probe":
        if "KARAT_DATA" not in os.environ:
            sys.exit("set KARAT_DATA to the folder with the public data sets")
        items = load_edits(Path(os.environ["KARAT_DATA"]), given.work, given.seed, each=given.each)
        if given.show:
            for item in items:
                if item.kind == given.show:
                    print(f"{item.item_id} [{item.form}] {item.sentence}\n    -> {item.statement}")
            return 0
        edit_table(items, judges, forms=given.forms)
    if given.only != "edits":
        halves = ("a", "b") if given.half == "both" else (given.half,)
        missing = [half for half in halves if not (given.probe / f"half_{half}.jsonl").exists()]
        if missing:
            sys.exit(f"no half_{missing[0]}.jsonl in {given.probe}; name its folder with --probe, or use --only edits")
        probe_table(given.probe, halves, judges, given.seed)
    return 0


def edit_table(items: Sequence[Item], judges: Sequence[str], *, forms: bool) -> None:
    """Rates of rejection (false statements) and acceptance (true ones), and how often vetoes fired."""
    answers = Answers()
    pairs = {(item.item_id, setting): answers.add(item.item_id, setting, item.answer(setting), "n1", item.statement)
             for item in items for setting in SETTINGS}  # fmt: skip
    print(f"Edits. Accepted: P(full containment) >= {ACCEPTED}. alone: the sentence is the answer; within: four to\n"
          "six other sentences of its text are around it.\n")  # fmt: skip
    print("| judge | kind | items | wanted | alone | within | mean P alone | mean P within | vetoes alone | within |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for judge in judges:
        judged = answers.judged(judge)
        for kind in KINDS:
            of_kind = [item for item in items if item.kind == kind]
            _edit_row(judge, kind, kind, of_kind, pairs, judged)
            for form in sorted({item.form for item in of_kind}) if forms else ():
                _edit_row(
                    judge, kind, f"{kind}: {form}", [item for item in of_kind if item.form == form], pairs, judged
                )


def _edit_row(judge: str, kind: str, title: str, items: Sequence[Item], pairs: dict[tuple[str, str], Pair],
              judged: dict[Pair, Said]) -> None:  # fmt: skip
    rates, means, vetoes = [], [], []
    for setting in SETTINGS:
        said = [judged[pairs[item.item_id, setting]] for item in items]
        accepted = sum(one.full >= ACCEPTED for one in said) / max(1, len(said))
        rates.append(f"{1 - accepted if kind in FALSE else accepted:.3f}")
        means.append(f"{sum(one.full for one in said) / max(1, len(said)):.3f}")
        fired = Counter(word for one in said for word in set(one.vetoes))
        any_fired = sum(bool(one.vetoes) for one in said) / max(1, len(said))
        vetoes.append(
            f"{any_fired:.3f} ({', '.join(f'{word} {count}' for word, count in fired.most_common())})" if fired else ""
        )
    wanted = "rejected" if kind in FALSE else "accepted"
    print(
        f"| `{judge}` | {title} | {len(items)} | {wanted} | " + " | ".join([*rates, *means, *vetoes]) + " |", flush=True
    )


def probe_table(folder: Path, halves: Sequence[str], judges: Sequence[str], seed: int) -> None:
    """Paraphrases against the answer without them, and against hard negatives."""
    # The halves are judged apart: how rare words are in one half does not depend on the other.
    answers = {half: Answers() for half in halves}
    cases = [
        case
        for half in halves
        for case in cases_of(half, read_half(folder / f"half_{half}.jsonl"), answers[half], seed)
    ]
    print("\nHand-written probe. AUC over all items (interval over queries); within: share of items with the\n"
          "paraphrase above. Accepted: P(full containment) >= .5 of paraphrases and of hard negatives.\n")  # fmt: skip
    print("| judge | half | phenomenon | items | against no sentence | within | against hard negative | within | "
          "paraphrases accepted | negatives accepted |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for judge in judges:
        judged = {pair: said for half in halves for pair, said in answers[half].judged(judge).items()}
        for half in halves:
            of_half = [case for case in cases if case.half == half]
            _probe_row(judge, half, "all", of_half, judged, seed)
            for phenomenon in sorted({case.phenomenon for case in of_half}):
                _probe_row(
                    judge, half, phenomenon, [case for case in of_half if case.phenomenon == phenomenon], judged, seed
                )
        if len(halves) > 1:
            _probe_row(judge, "both", "all", cases, judged, seed)


def _probe_row(
    judge: str, half: str, phenomenon: str, cases: Sequence[Case], judged: dict[Pair, Said], seed: int
) -> None:
    cells = []
    for worse in ("without", "negative"):
        found = figure(cases, judged, "paraphrase", worse, seed)
        cells += [f"{found.auc:.3f} ({found.low:.2f}-{found.high:.2f})", f"{found.within:.3f}"]
    for side in ("paraphrase", "negative"):
        cells.append(f"{sum(judged[getattr(case, side)].full >= ACCEPTED for case in cases) / len(cases):.3f}")
    print(f"| `{judge}` | {half} | {phenomenon} | {len(cases)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
