from __future__ import annotations

import csv
from pathlib import Path

import pytest

from helpers import round_trip
from karat.formats import Source, open_reading
from karat.formats.datasets.argkp import sniff_argkp
from karat.formats.io.head import Head
from karat.model import Collection, InputError, Judgement, Nug, Query, Response, Run, Snippet

ARGUMENTS = (
    'arg_id,argument,topic,stance\na1,"They sting, you know",We should ban bees,1\n'
    "a2,They dance,We should ban bees,-1\n"
)
POINTS = (
    "key_point_id,key_point,topic,stance\nk1,Bees hurt,We should ban bees,1\nk2,Bees delight,We should ban bees,-1\n"
)
LABELS = "arg_id,key_point_id,label\na1,k1,1\na2,k2,0\n"
PRO, CON = "we-should-ban-bees/pro", "we-should-ban-bees/con"


def folder(
    root: Path, split: str = "dev", arguments: str = ARGUMENTS, points: str = POINTS, labels: str = LABELS
) -> Path:
    for name, text in (("arguments", arguments), ("key_points", points), ("labels", labels)):
        (root / f"{name}_{split}.csv").write_text(text, encoding="utf-8", newline="")
    return root


def read(path: Path) -> tuple[Collection, list[str]]:
    reading = open_reading(path, format="argkp", on_error="skip")
    return Collection(reading), [str(problem).removeprefix(f"{path}/") for problem in reading.source.problems]


def test_an_argument_is_a_response_of_one_snippet(tmp_path: Path) -> None:
    collection, problems = read(folder(tmp_path))
    assert problems == []
    assert collection.queries == [
        Query(query_id=PRO, text="We should ban bees", conditions={"stance": "pro"}, extra={"split": "dev"}),
        Query(query_id=CON, text="We should ban bees", conditions={"stance": "con"}, extra={"split": "dev"}),
    ]
    assert collection.runs == [Run(run_id="a1"), Run(run_id="a2")]
    assert collection.responses == [
        Response(query_id=PRO, run_id="a1", snippets=(Snippet(snippet_id="1", text="They sting, you know"),)),
        Response(query_id=CON, run_id="a2", snippets=(Snippet(snippet_id="1", text="They dance"),)),
    ]
    assert collection.nugs == [
        Nug(query_id=PRO, nug_id="k1", descriptions=("Bees hurt",)),
        Nug(query_id=CON, nug_id="k2", descriptions=("Bees delight",)),
    ]
    assert collection.judgements == [
        Judgement(query_id=PRO, run_id="a1", nug_id="k1", degree=1.0, judge="person"),
        Judgement(query_id=CON, run_id="a2", nug_id="k2", degree=0.0, judge="person"),
    ]
    round_trip(collection, "karat")


def test_a_labels_file_is_read_with_its_neighbours(tmp_path: Path) -> None:
    folder(tmp_path)
    folder(
        tmp_path,
        "train",
        "\ufeffarg_id,argument,topic,stance,quality\r\nb1,They hum,Bees are loud,1,0.5\r\n",
        "key_point_id,key_point,topic,stance\nm1,Bees are loud,Bees are loud,1\n",
        "arg_id,key_point_id,label\nb1,m1,1\n",
    )
    alone, problems = read(tmp_path / "labels_train.csv")
    assert problems == []
    assert [query.extra for query in alone.queries] == [{"split": "train"}]
    assert alone.responses[0].extra == {"quality": "0.5"}
    both, problems = read(tmp_path)
    assert problems == []
    assert len(both.judgements) == 3


def test_what_is_wrong_is_reported_and_the_rest_kept(tmp_path: Path) -> None:
    arguments = f"{ARGUMENTS}a2,They dance again,We should ban bees,-1\na3,They hum,We should ban bees,0\n"
    labels = f"{LABELS}a1,k2,1\na9,k1,1\na1,k1,0\na2,k2\n".replace("a2,k2,0", "a2,k2,maybe")
    collection, problems = read(folder(tmp_path, arguments=arguments, labels=labels))
    assert problems == [
        "arguments_dev.csv:4: arg_id: the run with run_id 'a2' appears twice",
        "arguments_dev.csv:5: stance: '0' is not one of 1, -1",
        "labels_dev.csv:3: label: 'maybe' is not one of 1, 0",
        f"labels_dev.csv:4: key_point_id: 'k2' is not a key point of '{PRO}'",
        "labels_dev.csv:5: arg_id: 'a9' is not among the arguments",
        f"labels_dev.csv:6: the judgement with query_id '{PRO}', run_id 'a1', nug_id 'k1', "
        f"judge 'person' appears twice",
        "labels_dev.csv:7: label: the row has 2 values for 3 columns",
    ]
    assert [(judgement.run_id, judgement.degree, judgement.status) for judgement in collection.judgements] == [
        ("a1", 1.0, "ok"),
        ("a2", None, "failed"),
    ]
    assert collection.responses[1].snippets[0].text == "They dance"


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file labels_SPLIT\.csv"):
        list(open_reading(tmp_path, format="argkp"))
    folder(tmp_path)
    (tmp_path / "key_points_dev.csv").unlink()
    with pytest.raises(InputError, match=r"key_points_dev\.csv is missing"):
        list(open_reading(tmp_path, format="argkp"))
    with pytest.raises(InputError, match="must be the folder, or a labels_SPLIT"):
        list(open_reading(LABELS.encode(), format="argkp"))


def test_is_recognised(tmp_path: Path) -> None:
    assert not sniff_argkp(Head(Source(tmp_path)))
    assert sniff_argkp(Head(Source(folder(tmp_path))))
    assert sniff_argkp(Head(Source(tmp_path / "labels_dev.csv")))
    assert not sniff_argkp(Head(Source(tmp_path / "arguments_dev.csv")))


@pytest.mark.real_data
def test_kpm_data(real_data: Path) -> None:
    path = real_data / "argkp-kpa2021" / "kpm_data"
    collection, problems = read(path)
    assert problems == []
    rows = {}
    for name in ("arguments", "key_points", "labels"):
        rows[name] = [
            row
            for split in ("dev", "train")
            for row in csv.DictReader((path / f"{name}_{split}.csv").read_text("utf-8-sig").splitlines(keepends=True))
        ]
    assert len(collection.judgements) == len(rows["labels"]) == 24_093
    assert (
        sum(judgement.degree == 1.0 for judgement in collection.judgements)
        == sum(row["label"] == "1" for row in rows["labels"])
        == 4998
    )
    assert len(collection.responses) == len(rows["arguments"]) == 6515
    assert len(collection.nugs) == len(rows["key_points"]) == 243
    assert len(collection.queries) == len({(row["topic"], row["stance"]) for row in rows["arguments"]}) == 56
    first, last = collection.judgements[0], collection.judgements[-1]
    assert (first.run_id, first.nug_id, first.degree) == ("arg_4_121", "kp_4_5", 1.0)
    assert (last.run_id, last.nug_id) == (rows["labels"][-1]["arg_id"], rows["labels"][-1]["key_point_id"])
