"""Train the role model on PropBank: `python -m karat.language.train FOLDER`.

FOLDER holds ewt_train, ewt_dev, ewt_test and masc_other, each as .jsonl.gz. The model learns from ewt_train and
masc_other; thresholds are chosen on ewt_dev; ewt_test is only used with --test, for the final scores.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np

from karat.language.roles.labeller import RoleModel, read_roles
from karat.language.roles.lexicon import pack
from karat.language.roles.network import Floats
from karat.language.spacy.analyzer import SpacyAnalyzer
from karat.language.spacy.models import BUNDLED, load_pipeline
from karat.language.train.propbank import Example, read_examples
from karat.language.train.scoring import score_predicates, score_roles

OUTPUT = Path(__file__).parent.parent / "roles" / "weights" / "roles.npz"
_BIASES = [round(-0.4 + 0.1 * step, 1) for step in range(10)]
_PREDICATE_BIASES = [round(-0.5 + 0.25 * step, 2) for step in range(9)]


def main() -> None:
    """Read the data, train, choose the thresholds, write the model and score it."""
    parser = argparse.ArgumentParser(prog="python -m karat.language.train", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, default=None, help="use only the first N sentences, for a quick trial")
    parser.add_argument("--test", action="store_true", help="score ewt_test as well; do this only at the very end")
    options = parser.parse_args()
    from karat.language.train.fitting import fit_roles
    from karat.language.train.network import VECTOR, torch
    from karat.language.train.vocabulary import count_lexicon, smaller_vectors

    torch.set_num_threads(1)
    pipeline = load_pipeline(BUNDLED)
    analyzer = SpacyAnalyzer(pipeline)
    examples = read_examples(options.folder / "ewt_train.jsonl.gz", analyzer=analyzer)
    examples += read_examples(options.folder / "masc_other.jsonl.gz", analyzer=analyzer, verbs_only=True)
    examples = examples[: options.only]
    dev = read_examples(options.folder / "ewt_dev.jsonl.gz", analyzer=analyzer)
    words, vectors = smaller_vectors(pipeline, width=VECTOR)
    lexicon = count_lexicon(examples, words=words)
    _say(f"{len(examples)} sentences, {len(lexicon.labels) - 1} labels, {len(lexicon.steps)} paths")

    def after_epoch(epoch: int, loss: float, weights: dict[str, Floats]) -> None:
        overall = score_roles(dev, model=RoleModel(lexicon, weights, "", 0.0, 0.0)).overall
        _say(f"epoch {epoch}: loss {loss:.4f}, dev P {overall.precision:.4f} R {overall.recall:.4f} F {overall.f1:.4f}")

    weights = fit_roles(
        examples, lexicon=lexicon, vectors=vectors, epochs=options.epochs, seed=options.seed, after_epoch=after_epoch
    )
    write_roles(options.output, choose_biases(RoleModel(lexicon, weights, "", 0.0, 0.0), dev))
    model = read_roles(options.output)
    _report("ewt_dev", dev, model)
    if options.test:
        _report("ewt_test", read_examples(options.folder / "ewt_test.jsonl.gz", analyzer=analyzer), model)


def choose_biases(model: RoleModel, dev: list[Example]) -> RoleModel:
    """The model with the thresholds that are best on the development data."""

    def with_bias(bias: float) -> RoleModel:
        return msgspec.structs.replace(model, bias=bias)

    def with_predicates(bias: float) -> RoleModel:
        return msgspec.structs.replace(model, predicate_bias=bias)

    bias = max(_BIASES, key=lambda bias: score_roles(dev, model=with_bias(bias)).overall.f1)
    predicates = max(_PREDICATE_BIASES, key=lambda bias: score_predicates(dev, model=with_predicates(bias)).overall.f1)
    return msgspec.structs.replace(model, bias=bias, predicate_bias=predicates)


def write_roles(path: Path, model: RoleModel) -> None:
    """Write a role model; weights are stored as 16-bit numbers, and the version is a checksum of them."""
    weights = {f"weights.{name}": weight.astype(np.float16) for name, weight in sorted(model.weights.items())}
    check = 0
    for weight in weights.values():
        check = crc32(weight.tobytes(), check)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        allow_pickle=False,
        version=np.frombuffer(f"propbank-ewt-{check:08x}".encode(), dtype=np.uint8),
        biases=np.array([model.bias, model.predicate_bias]),
        **pack(model.lexicon),
        **weights,
    )


def _report(name: str, examples: list[Example], model: RoleModel) -> None:
    roles, predicates = score_roles(examples, model=model), score_predicates(examples, model=model)
    lines = {"all": roles.overall, "verbs": roles.verbs, "nominals": roles.nominals}
    lines |= {label: tally for label, tally in roles.by_label.items() if tally.wanted >= 10}
    lines |= {"predicates": predicates.overall, "verbal": predicates.verbs, "nominal": predicates.nominals}
    for label, tally in lines.items():
        _say(f"{name} {label:12} P {tally.precision:.3f} R {tally.recall:.3f} F {tally.f1:.3f} of {tally.wanted}")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
