from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from karat.cli import cli
from karat.cli.commands.review import command
from karat.formats import load, write
from karat.judges.judge import judge_collection
from karat.model import Collection, Judgement, Nug, Query, Response, Snippet

KEY = [
    Query(query_id="q1", text="Why is the fox red?"),
    Nug(query_id="q1", nug_id="n1", descriptions=("Foxes are red to hide in leaves.",), importance="vital"),
    Nug(query_id="q1", nug_id="n2", descriptions=("Foxes live in woods.",), importance="okay"),
]
RUN = [
    Response(
        query_id="q1",
        run_id="atlas",
        snippets=(Snippet(snippet_id="1", text="Foxes hide in red leaves \x1b[31mand live in the woods."),),
    )
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(KEY, "key.jsonl")
    write(RUN, "run.jsonl")
    return tmp_path


def review(keys: str | bytes, *options: str) -> Result:
    arguments = ["key.jsonl", "run.jsonl", "--judge", "nuggeteer", "--threshold", "0", "--assessor", "ann", *options]
    return CliRunner().invoke(command, arguments, input=keys)


def saved(name: str = "review.jsonl") -> Collection:
    return load(name) if Path(name).exists() and Path(name).stat().st_size else Collection()


def degrees() -> dict[str, float | None]:
    return {judgement.nug_id: judgement.degree for judgement in saved().judgements}


def test_keys_answer_and_are_saved(folder: Path) -> None:
    result = review("y\np\n")
    assert result.exit_code == 0, result.output
    assert sorted(degrees().values()) == [0.5, 1.0]  # type: ignore[type-var]
    assert {(judgement.judge, judgement.assessor, judgement.snippet_id) for judgement in saved().judgements} == {
        ("person", "ann", None)
    }
    assert "2 answers saved in review.jsonl" in result.output
    assert "no questions are left" in result.output


def test_known_is_the_old_spelling_of_output(folder: Path) -> None:
    assert review("y\n", "--known", "old.jsonl").exit_code == 0
    assert len(saved("old.jsonl").judgements) == 1
    assert not (folder / "review.jsonl").exists()


def test_the_question_and_the_score_are_shown(folder: Path) -> None:
    output = review("Nq").output
    assert "query:    Why is the fox red?" in output
    assert "(vital)" in output
    assert "[[red leaves]]" in output
    assert "\x1b" not in output
    assert "atlas strict_vital 0." in output
    assert "1 question left" in output


def test_quit_end_of_input_and_unknown_keys_save_nothing(folder: Path) -> None:
    for keys in ("q", "", "x7\x07\x00é☃", b"\xff\xfe\n"):
        result = review(keys)
        assert result.exit_code == 0, result.output
        assert not Path("review.jsonl").exists()
    assert "is not one of the keys" in review("x").output


def test_skip_is_remembered_and_can_be_asked_again(folder: Path) -> None:
    review("sq")
    assert [(judgement.status, judgement.degree) for judgement in saved().judgements] == [("unknown", None)]
    assert review("q").output.count("query:") == 1
    assert "1/1 " in review("q").output
    assert "1/2 " in review("q", "--skipped").output


def test_undo_takes_the_last_answer_out_of_the_file(folder: Path) -> None:
    assert "there is nothing to undo" in review("uq").output
    result = review("ynuu")
    assert result.exit_code == 0, result.output
    assert saved().judgements == []
    review("yuy")
    assert list(degrees().values()) == [1.0]


def test_marked_words_become_a_description(folder: Path) -> None:
    output = review("m\nnot there\nm\n\nmhide in ... leaves\nq").output
    assert "the response does not contain these words" in output
    assert "nothing was marked" in output
    (nug,) = saved("review.nugs.jsonl").nugs
    assert nug.descriptions[1:] == ("hide in red leaves",)
    assert degrees() == {nug.nug_id: 1.0}
    assert review("q", "--skipped").output.count("or:") == 0
    assert len(load("review.nugs.jsonl").nugs) == 1


def test_a_second_mark_undone_leaves_the_first(folder: Path) -> None:
    other = Snippet(snippet_id="1", text="Leaves hide the red fox that lives in woods.")
    write([*RUN, Response(query_id="q1", run_id="birch", snippets=(other,))], "run.jsonl")
    review("m leaves\nq", "--run", "atlas")
    (before,) = saved("review.nugs.jsonl").nugs
    result = review("m fox\nuq", "--run", "birch")
    assert result.exit_code == 0, result.output
    assert "or:       leaves" in result.output
    assert saved("review.nugs.jsonl").nugs == [before]


def test_an_added_nug_is_judged_and_known_at_the_next_start(folder: Path) -> None:
    result = review("a\nLeaves are red.\nv\na\n\na Nothing\nx\nq")
    assert result.exit_code == 0, result.output
    assert result.output.count("nothing was added") == 2
    (nug,) = saved("review.nugs.jsonl").nugs
    assert (nug.nug_id, nug.descriptions, nug.importance) == ("added-1", ("Leaves are red.",), "vital")
    again = review("yyuuu")
    assert again.exit_code == 0, again.output
    # Three nugs, the added one known already.
    assert "1/2 " in again.output
    assert degrees() == {"added-1": 1.0}
    review("a Foxes run.\no\nuq")
    assert [nug.nug_id for nug in saved("review.nugs.jsonl").nugs] == ["added-1"]


def test_started_again_nothing_is_asked_twice(folder: Path) -> None:
    first = review("yq").output
    second = review("n").output
    assert "1/2 " in first
    assert "1/1 " in second
    assert "there is nothing to ask" in review("y").output
    assert sorted(degrees().values()) == [0.0, 1.0]  # type: ignore[type-var]


def test_the_file_of_answers_may_be_among_the_files(folder: Path) -> None:
    review("yq")
    result = CliRunner().invoke(command, ["key.jsonl", "run.jsonl", "review.jsonl", "--threshold", "0"], input="q")
    assert "1/1 " in result.output


def test_help_the_whole_response_and_the_limit(folder: Path) -> None:
    output = review("?ryyy", "--limit", "1").output
    assert "undo the last answer" in output
    assert "\\x1b[31mand live in the woods." in output
    assert len(degrees()) == 1


def test_everything_is_saved_when_it_is_killed(folder: Path) -> None:
    code = "from karat.cli.commands.review import command; command()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "key.jsonl", "run.jsonl", "--threshold", "0"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"y")
    process.stdin.flush()
    for line in process.stdout:
        if b"strict_vital" in line:
            break
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert list(degrees().values()) == [1.0]
    assert "1/1 " in review("q").output


def test_an_interrupt_leaves_everything_saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter("y")

    def key(*_: object) -> str:
        for found in keys:
            return found
        raise KeyboardInterrupt

    monkeypatch.setattr("karat.cli.keyboard.Keyboard.key", key)
    result = review("")
    assert result.exit_code == 1
    assert "1 answer saved" in result.output
    assert list(degrees().values()) == [1.0]


def test_answers_are_known_to_the_judge(folder: Path) -> None:
    review("yn")
    judged = judge_collection(load("key.jsonl", "run.jsonl", "review.jsonl")).judgements
    assert {judgement.nug_id: judgement.degree for judgement in judged} == degrees()
    assert not any(judgement.probabilities for judgement in judged)


def printed_command(output: str) -> list[str]:
    (line,) = [line for line in output.splitlines() if line.startswith("to score with all answers: ")]
    return shlex.split(line.partition(": ")[2])


def test_the_end_names_the_command_that_scores_with_everything(folder: Path) -> None:
    first = review("yq")
    assert printed_command(first.output) == [
        "karat", "score", "key.jsonl", "run.jsonl", "review.jsonl", "--judge", "nuggeteer", "--measures",
        "strict_vital", "--missing", "skip",
    ]  # fmt: skip
    output = review("a Leaves are red.\nv\nq").output
    words = printed_command(output)
    assert words[2:6] == ["key.jsonl", "run.jsonl", "review.jsonl", "review.nugs.jsonl"]
    scored = CliRunner().invoke(cli, words[1:])
    assert scored.exit_code == 0, scored.output
    live = next(line for line in reversed(output.splitlines()) if line.startswith("atlas strict_vital"))
    assert live.split()[2] in scored.output
    assert "was not read" not in scored.output


def test_the_command_holds_when_it_is_typed(folder: Path) -> None:
    write(RUN, "my run.jsonl")
    given = [Judgement(query_id="q1", run_id="atlas", nug_id="n2", degree=1.0, judge="given")]
    write(given, "given.jsonl")
    result = CliRunner().invoke(
        command, ["key.jsonl", "my run.jsonl", "given.jsonl", "-o", "mine.jsonl", "--threshold", "0"], input="yq"
    )
    words = printed_command(result.output)
    assert "my run.jsonl" in words
    assert words[-4:] == ["--labels", "all", "--missing", "skip"]
    scored = CliRunner().invoke(cli, words[1:])
    assert scored.exit_code == 0, scored.output


def test_whose_labels_count_is_taken_and_printed(folder: Path) -> None:
    marks = [
        Judgement(query_id="q1", run_id="atlas", nug_id="n2", degree=degree, judge=name)
        for name, degree in (("ann", 1.0), ("bob", 0.0))
    ]
    write(marks, "marks.jsonl")
    for _ in range(2):
        result = review("yq", "marks.jsonl", "--labels", "ann")
        words = printed_command(result.output)
        assert words[words.index("--labels") + 1] == "ann,person"
        scored = CliRunner().invoke(cli, [*words[1:], "--measures", "strict_all"])
        assert scored.exit_code == 0, scored.output
        assert "1.000" in scored.output


def test_without_answers_there_is_nothing_to_score_with(folder: Path) -> None:
    assert "to score" not in review("q").output


SAME = "Foxes hide in red leaves."


def two_runs() -> None:
    """A second run that shares a sentence with the first, and has more."""
    texts = {"atlas": (SAME,), "birch": (SAME, "They live in woods.")}
    write(
        [
            Response(
                query_id="q1",
                run_id=run_id,
                snippets=tuple(Snippet(snippet_id=str(at), text=text) for at, text in enumerate(snippets)),
            )
            for run_id, snippets in texts.items()
        ],
        "run.jsonl",
    )


def test_an_answer_is_used_at_once_for_the_same_sentence_in_another_run(folder: Path) -> None:
    two_runs()
    result = review("yq")
    assert "the same text is in birch: the answer is used there, too" in result.output
    said = {(each.run_id, each.nug_id, each.degree, each.extra.get("same_text_as")) for each in saved().judgements}
    assert said == {("atlas", "n1", 1.0, None), ("birch", "n1", 1.0, "atlas")}
    assert "1 answer (and 1 judgement of the same text in other runs) saved in review.jsonl" in result.output
    assert "birch, query q1, nug n1" not in review("ssss").output


def test_undo_takes_it_back_in_all_runs(folder: Path) -> None:
    two_runs()
    result = review("yuq")
    assert saved().judgements == []
    assert "birch" in result.output
    assert "saved in" not in result.output


def test_skipping_is_not_reused(folder: Path) -> None:
    two_runs()
    assert "the same text is in" not in review("sq").output


def test_it_ends_with_what_is_left_and_why_it_stopped(folder: Path) -> None:
    assert "stopped because you quit: 1 question left; " in review("yq").output
    assert "stopped because the input ended: 1 question left; " in review("").output
    assert "no questions are left of --limit 1; " in review("n", "--limit", "1").output


def test_nothing_is_called_added_after_it_was_undone(folder: Path) -> None:
    result = review("yaFoxes sleep.\nv\nuq")
    assert "nugs that you added" not in result.output
    assert "review.nugs.jsonl" not in result.output
    assert "nugs that you added are in review.nugs.jsonl" in review("aFoxes sleep.\nv\nq").output


def test_on_error_skip_is_for_its_own_file_too(folder: Path) -> None:
    review("yq")
    good = Path("review.jsonl").read_text()
    Path("review.jsonl").write_text('{"kind":"judgement","v":1,"degree":"many"}\n' + good)
    stopped = CliRunner().invoke(cli, ["review", "key.jsonl", "run.jsonl", "--judge", "nuggeteer"], input="q")
    assert stopped.exit_code != 0
    skipped = review("nq", "--on-error", "skip")
    assert skipped.exit_code == 0, skipped.output
    assert "skipped: review.jsonl:1:" in skipped.output
    assert Path("review.jsonl").read_text().startswith('{"kind":"judgement","v":1,"degree":"many"}\n' + good)
