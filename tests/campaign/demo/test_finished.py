"""The demo of a campaign that is finished."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import karat
from karat.campaign.campaign import Campaign
from karat.campaign.demo import fill_finished_demo
from karat.campaign.results.export import export_collection
from karat.campaign.results.progress import progress
from karat.model import AnyRecord, Judgement


def _exported(folder: Path) -> list[AnyRecord]:
    with Campaign.create(folder, "Demo") as campaign:
        fill_finished_demo(campaign, now=1_000_000_000.0)
        with campaign.database.read() as connection:
            assert progress(connection).adjudicated == 12
            return list(export_collection(connection))


def _judgements(records: list[AnyRecord]) -> dict[tuple[str, str, str, str], float | None]:
    return {
        (one.query_id, one.run_id, one.nug_id, "adjudicated" if one.adjudicated else str(one.assessor)): one.degree
        for one in records
        if isinstance(one, Judgement)
    }


def test_everything_is_judged_twice_and_adjudicated_and_the_same_in_every_campaign(tmp_path: Path) -> None:
    first, second = _exported(tmp_path / "one"), _exported(tmp_path / "two")
    judged = _judgements(first)
    assert judged == _judgements(second)
    assert Counter(who for *_, who in judged) == {"ann": 385, "ben": 385, "adjudicated": 385}
    judgements = karat.demo_files().judgements
    given = {
        one.query_id + one.run_id + one.nug_id: one.degree for one in karat.load(judgements, on_error="skip").judgements
    }
    ann = {query + run + nug: degree for (query, run, nug, who), degree in judged.items() if who == "ann"}
    assert {pair for pair, degree in ann.items() if degree != given[pair]} == {"q3cedarn4"}
    taken: Counter[str] = Counter()
    for (query, run, nug, who), degree in judged.items():
        if who == "adjudicated":
            versions = {name: judged[query, run, nug, name] for name in ("ann", "ben")}
            taken[" and ".join(name for name, version in versions.items() if version == degree)] += 1
    assert taken == {"ann and ben": 325, "ann": 40, "ben": 20}


def test_its_scores_are_those_of_a_whole_campaign(tmp_path: Path) -> None:
    scoring = karat.score(_exported(tmp_path / "one"), measures="strict_vital")
    rows = [row for row in scoring.to_dicts() if row["query_id"] == "all"]
    assert {row["run_id"]: row["n"] for row in rows} == dict.fromkeys(
        ("atlas", "birch", "cedar", "delta", "librarian"), 12
    )
    assert not any("no text" in note for note in scoring.notes)
