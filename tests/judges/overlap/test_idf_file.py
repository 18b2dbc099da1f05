from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from builders.rows import Row, nug, query, response
from builders.simulated import simulated
from cli.running import karat_here
from karat.demo import demo_files
from karat.evaluate.score.score import score
from karat.formats import load, write
from karat.judges.judge import judge, judge_collection, judge_first
from karat.judges.overlap.idf_file import key_idf, read_idf_file
from karat.language.wordpieces import is_installed
from karat.model import Collection, InputError, UsageError
from karat.text.idf import IdfTable
from karat.text.vocabulary import Vocabulary

ROWS: list[Row] = [
    query("q"),
    nug("q", "a", descriptions=["red fox"]),
    response("q", "x", "red"),
    response("q", "y", "fox"),
]
WORDS = "nuggeteer(n=1,stem=none,stop=keep,unit=snippet)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def table(text: str) -> IdfTable:
    Path("words.tsv").write_text(text)
    return read_idf_file("words.tsv")


def test_words_with_idf_and_with_document_frequency() -> None:
    assert table("red\t1\n\n# a comment\nfox\t3.5\n").values == {"red": 1.0, "fox": 3.5}
    assert table("term\tidf\nred\t1\n").values == {"red": 1.0}
    of_documents = table("# documents: 99\nterm\tdf\nred\t50\nfox\t0\n").values
    assert of_documents == pytest.approx({"red": log(100 / 50.5), "fox": log(100 / 0.5)})


def test_the_name_has_the_file_and_its_content() -> None:
    first, second = table("red\t1\n").name, table("red\t2\n").name
    assert first.startswith("words.tsv@")
    assert first != second


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            "red 1\nfox\tmany\nowl\t-1\ngnu\tnan\n",
            ["1: not a word", "2: 'many' is not", "3: '-1' is not", "4: 'nan' is"],
        ),
        ("red\t1\nred\t2\n", ["2: 'red' has another value before"]),
        ("# documents: 9\nterm\tdf\nred\t10\n", ["3: 'red' is in 10 of 9 documents"]),
        ("# documents: no\nterm\tdf\n", ["1: 'no' is not a number of documents"]),
    ],
)
def test_every_bad_line_is_named(text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        table(text)
    lines = str(refused.value).splitlines()
    assert len(lines) == len(problems)
    assert all(line.startswith(f"words.tsv:{start}") for line, start in zip(lines, problems, strict=True))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match="no word in it"):
        table("term\tidf\n")
    with pytest.raises(UsageError, match="add a line `# documents: N`"):
        table("term\tdf\nred\t1\n")
    with pytest.raises(UsageError, match="nowhere"):
        read_idf_file("nowhere.tsv")


def test_the_table_weighs_the_words_and_is_in_the_signature() -> None:
    weights = table("red\t1\nfox\t3\n")
    judging = judge_collection(load(ROWS), judge=WORDS, idf=weights)
    assert [one.extra["score"] for one in judging.judgements] == [0.25, 0.75]
    assert f"idf:{weights.name}" in judging.signature
    assert judge(ROWS, judge=WORDS, idf="words.tsv") == judging


def test_the_signature_names_the_responses_that_idf_was_learned_from() -> None:
    def idf_of_signature(rows: list[Row]) -> str:
        (named,) = (part for part in judge(rows, judge=WORDS).signature.split("|") if part.startswith("idf:"))
        return named

    assert idf_of_signature(ROWS).startswith("idf:responses@")
    assert idf_of_signature(ROWS[:2] + ROWS[:1:-1]) == idf_of_signature(ROWS)
    assert idf_of_signature(ROWS[:-1]) != idf_of_signature(ROWS)


def test_idf_of_the_key_counts_questions_and_descriptions_once_each() -> None:
    texts = key_idf(load([*ROWS, query("other", "red red"), nug("q", "b", descriptions=["the fox", "red fox"])]))
    # "What of q?", "red fox" and "the fox"; a question without nugs is not of the key.
    assert texts.idf(Vocabulary(["red fox gnu"])).tolist() == pytest.approx([log(4 / 1.5), log(4 / 2.5), log(4 / 0.5)])
    assert texts.name.startswith("key@")


@pytest.mark.parametrize(
    "name", ["lexical", "nuggeteer", "pourpre", "neighbours", "semantic", "cascade(lexical,rouge)"]
)
def test_with_idf_of_the_key_a_score_does_not_depend_on_the_runs_beside_it(name: str) -> None:
    if name == "semantic" and not is_installed():
        pytest.skip("the semantic extra is not installed")
    every = load(*demo_files()[::2])
    alone = Collection(record for record in every if getattr(record, "run_id", "delta") == "delta")

    def scores_of_delta(records: Collection, idf: str | None) -> list[float]:
        scoring = score(records, judge=name, measures="strict_vital,macro_F3", idf=idf)
        parts_of = {str(each.signature).partition("|idf:")[2].partition("|")[0] for each in scoring.scores}
        names.append(*parts_of)
        of_run = [each for each in scoring.scores if each.run_id == "delta"]
        parts = ([each.value, each.low, each.high, each.judge_low, each.judge_high] for each in of_run)
        return [-1.0 if part is None else part for values in parts for part in values]

    names: list[str] = []
    assert scores_of_delta(alone, "key") == pytest.approx(scores_of_delta(every, "key"), abs=1e-12)
    assert names[0] == names[1]
    # The responses at hand differ; then the signature says so.
    assert scores_of_delta(alone, None) != pytest.approx(scores_of_delta(every, None), abs=1e-4)
    assert names[2] != names[3]


def test_saved_judgements_keep_the_name_for_the_signature_of_scores() -> None:
    write(simulated(noise=0.2), "truth.jsonl")
    options = ("truth.jsonl", "--judge", "nuggeteer", "--idf", "key")
    assert karat_here("judge", *options, "-o", "judged.jsonl").code == 0
    done = karat_here("score", "truth.jsonl", "judged.jsonl", "--judge", "all")
    assert "|idf:key@" in done.err, done.err


def test_with_several_processes_it_is_the_same() -> None:
    weights, many = table("q0n0a\t5\nq1n1b\t1\n"), simulated(noise=0.3)
    alone, jobs = (judge_collection(many, judge="nuggeteer", idf=weights, jobs=jobs) for jobs in (1, 2))
    assert alone == jobs


def test_where_it_changes_nothing_it_is_refused() -> None:
    weights = table("red\t1\n")
    for name in ("rouge", "qaviar", "nuggeteer(weights=count)", "pourpre(weights=count)"):
        with pytest.raises(UsageError, match="weighs no words by their idf"):
            judge_collection(load(ROWS), judge=name, idf=weights)
    with pytest.raises(UsageError, match="no program judges"):
        judge_first(load(ROWS), judge=None, idf=weights)


def test_the_option_works_in_every_command_that_has_it() -> None:
    table("q0n0a\t5\n")
    write(simulated(noise=0.2), "truth.jsonl")
    for command, *more in (
        ("judge", "-o", "-"),
        ("score",),
        ("validate",),
        ("explain", "--query", "q0", "--run", "r0"),
        ("compare",),
    ):
        for idf in ("words.tsv", "key"):
            done = karat_here(command, "truth.jsonl", "--judge", "nuggeteer", "--idf", idf, *more)
            assert (done.code, f"idf:{idf}@" in done.err) == (0, True), done.err
    Path("words.tsv").write_text("red\tblue\n")
    bad = karat_here("judge", "truth.jsonl", "--judge", "nuggeteer", "--idf", "words.tsv", "-o", "-")
    assert (bad.code, "words.tsv:1: 'blue' is not a number" in bad.err) == (3, True), bad.err
