"""The role labeller: its scores on PropBank and its speed after the parse, on one core.

OMP_NUM_THREADS=1 python benchmarks/language/roles.py FOLDER [--part ewt_dev]

FOLDER holds the PropBank files that `make model` reads. Processor time is measured, so that other work on
the machine does not change the rates. `--part masc_other` shows scores on text the model has learned from.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from karat.language.analysis import ParsedSentence
from karat.language.roles.labeller import RoleModel, load_roles
from karat.language.spacy.analyzer import SpacyAnalyzer
from karat.language.spacy.models import load_pipeline
from karat.language.train.propbank import read_examples
from karat.language.train.scoring import Tally, score_predicates, score_roles

ROUNDS = 3
LIMIT = 1000
"""How many predicates per second must be reached, after the parse."""
SENTENCES_AT_ONCE = 64


def rate(sentences: list[ParsedSentence], model: RoleModel) -> float:
    """Predicates found and labelled per second, the best of several rounds."""
    rates = []
    for _ in range(ROUNDS):
        start, count = time.process_time(), 0
        for begin in range(0, len(sentences), SENTENCES_AT_ONCE):
            count += sum(map(len, model.analyze(sentences[begin : begin + SENTENCES_AT_ONCE])))
        rates.append(count / (time.process_time() - start))
    return max(rates)


def show(name: str, tally: Tally) -> None:
    print(f"{name:14} P {tally.precision:.3f}  R {tally.recall:.3f}  F1 {tally.f1:.3f}  of {tally.wanted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="ewt_test", help="which file: ewt_test, ewt_dev, ewt_train or masc_other")
    parser.add_argument(
        "--pipeline", default=None, help="the spaCy pipeline; without it, the best one that is installed"
    )
    options = parser.parse_args()
    pipeline, model = load_pipeline(options.pipeline), load_roles()
    analyzer = SpacyAnalyzer(pipeline, roles=model)
    start = time.process_time()
    examples = read_examples(options.folder / f"{options.part}.jsonl.gz", analyzer=analyzer)
    parse_seconds = time.process_time() - start
    print(*(f"{key}:{value}" for key, value in analyzer.signature().items()), f"part:{options.part}")
    print("Roles of gold predicates, exact span and label:")
    roles = score_roles(examples, model=model)
    show("all", roles.overall)
    show("verbs", roles.verbs)
    show("nominals", roles.nominals)
    for label, tally in roles.by_label.items():
        if tally.wanted >= 10:
            show(label, tally)
    print("Predicates found, auxiliaries left out:")
    predicates = score_predicates(examples, model=model)
    show("all", predicates.overall)
    show("verbs", predicates.verbs)
    show("nominals", predicates.nominals)
    sentences = [example.sentence for example in examples]
    print(f"parse: {len(sentences) / parse_seconds:,.0f} sentences/s")
    measured = rate(sentences, model)
    verdict = "reached" if measured >= LIMIT else "MISSED"
    print(f"roles after the parse: {measured:,.0f} predicates/s (at least {LIMIT:,}: {verdict})")


if __name__ == "__main__":
    main()
