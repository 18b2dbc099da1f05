"""EVT extents compared with the propositions that people marked (PropSegmEnt): F1 at Jaccard 0.8 of tokens.

    python benchmarks/language/propsegment.py FOLDER

A proposition is a set of tokens of a sentence. The propositions of the reference rater are the truth. Those of Karat
and of each other rater are matched to them one to one, the most similar first; a match counts if the Jaccard
coefficient is at least 0.8. Published results on the test part: T5-large 55.5, BERT-large 34.2, people 67.1; FOLDER is
the dev part.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import product

from karat.formats import load
from karat.language import load_analyzer
from karat.model import SpanSet
from karat.nuggetizer.nuggetizer import Nuggetizer

THRESHOLD = 0.8
Tokens = frozenset[int]


def matched(predicted: list[Tokens], truth: list[Tokens]) -> int:
    """How many pairs match, one to one."""
    pairs = product(enumerate(predicted), enumerate(truth))
    alike = sorted(((len(left & other) / len(left | other), at, to) for (at, left), (to, other) in pairs), reverse=True)
    taken: set[tuple[str, int]] = set()
    count = 0
    for value, at, to in alike:
        if value < THRESHOLD:
            break
        if ("found", at) not in taken and ("truth", to) not in taken:
            taken |= {("found", at), ("truth", to)}
            count += 1
    return count


def figures(rows: Iterable[tuple[list[Tokens], list[Tokens]]]) -> str:
    """Precision, recall and F1 over all sentences."""
    right = said = true = 0
    for predicted, truth in rows:
        right, said, true = right + matched(predicted, truth), said + len(predicted), true + len(truth)
    precision, recall = right / max(said, 1), right / max(true, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  ({said} against {true} propositions)"


def tokens_of(spans: SpanSet, places: list[list[int]]) -> Tokens:
    return frozenset(
        at for at, (start, end) in enumerate(places) if any(start < stop and begin < end for begin, stop in spans)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder")
    parser.add_argument("--rules", default="auto")
    parser.add_argument("--show", type=int, default=0, help="print this many sentences")
    options = parser.parse_args()
    collection = load(options.folder)
    snippets = {
        (response.query_id, response.run_id, snippet.snippet_id): snippet
        for response in collection.responses
        for snippet in response.snippets
    }
    people: dict[tuple[str, str, str], dict[str, list[Tokens]]] = {}
    references: dict[tuple[str, str, str], str] = {}
    for nugget in collection.nuggets:
        place = (nugget.query_id, nugget.run_id, nugget.snippet_id)
        people.setdefault(place, {}).setdefault(nugget.assessor or "", []).append(
            frozenset(nugget.extra["token_indices"])
        )
        if nugget.extra["is_reference_response"]:
            references[place] = nugget.assessor or ""
    places = [place for place in references if place in snippets]
    nuggetizer = Nuggetizer(load_analyzer(), rules=options.rules, paraphrase=True)
    ours, said = [], []
    results = nuggetizer.nuggetize_many(snippets[place].text for place in places)
    for place, result in zip(places, results, strict=True):
        tokens = snippets[place].extra["tokens"]
        extents = list({tokens_of(nugget.spans, tokens) for nugget in result.nuggets if nugget.type in {"EVT"}})
        ours.append((extents, people[place][references[place]]))
        all_said = {tokens_of(nugget.proposition, tokens) for nugget in result.nuggets if nugget.proposition}
        said.append((list(all_said), people[place][references[place]]))
        if len(ours) <= options.show:
            words = [result.text[start:end] for start, end in tokens]
            print("##", result.text)
            for name, sets in (("people", people[place][references[place]]), ("karat", extents)):
                for proposition in sets:
                    print(f"   {name}:", " ".join(words[at] for at in sorted(proposition)))
    print(f"{len(places)} sentences with text")
    print("Karat's EVT extents  ", figures(ours))
    print("paraphrases of all   ", figures(said))
    others = [
        (propositions, people[place][references[place]])
        for place in places
        for rater, propositions in people[place].items()
        if rater != references[place]
    ]
    print("other raters         ", figures(others))


if __name__ == "__main__":
    main()
