from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.model import KaratError, MissingExtra
from karat.model.errors import require


def modules_after(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after a statement."""
    code = f"import sys\n{statement}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_karat_pulls_in_nothing_heavy() -> None:
    loaded = modules_after("import karat")
    assert "karat" in loaded
    assert loaded & {"numpy", "scipy", "spacy", "rich", "click", "msgspec"} == set()


def test_reading_and_linting_need_neither_the_terminal_nor_arrays() -> None:
    loaded = modules_after("import karat; karat.load, karat.lint, karat.write")
    assert "msgspec" in loaded
    assert loaded & {"numpy", "scipy", "spacy", "rich", "click"} == set()


def test_scoring_needs_arrays_but_not_the_slow_half_of_scipy() -> None:
    code = (
        "import karat; rows = [{'query_id': str(q), 'run_id': r, 'nugget': 'x', 'importance': 'vital', 'label': 1}"
        " for q in range(9) for r in 'ab']; karat.score(rows); karat.compare(rows)"
    )
    loaded = modules_after(code)
    assert "numpy" in loaded
    assert loaded & {"scipy.stats", "scipy.optimize", "pandas", "statsmodels", "sklearn", "rich", "click"} == set()


def test_every_public_name_resolves() -> None:
    assert len(set(karat.__all__)) == len(karat.__all__)
    assert {name for name in karat.__all__ if getattr(karat, name, None) is None} == set()
    assert dir(karat) == sorted(karat.__all__)


def test_the_public_names_are_these() -> None:
    assert (
        karat.__all__
        == """
        Collection InputError KaratError Key Signature SpanSet __version__ agree best_questions cache cite compare
        compare_nuggets correlate demo_files draft_key engine explain judge key_diff key_hash lint llm load model
        nuggetize plan plot pyramid read report review score score_labels stability validate write
    """.split()
    )
    assert karat.__all__ == sorted(karat.__all__)


def test_no_verb_has_the_name_of_a_module() -> None:
    """Importing a module would put it in the place of the verb."""
    folder = Path(karat.__file__).parent
    modules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules.intersection(karat.__all__) == {"model"}
    verbs = "from karat import judges, nuggetizer, demo; import karat.cli.commands.nuggetize, karat.reports.results"
    code = (
        f"import karat; {verbs}; assert callable(karat.nuggetize) and callable(karat.judge) and callable(karat.score)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_public_name_is_what_its_home_calls_it() -> None:
    from karat.evaluate.lint import lint
    from karat.evaluate.score.score import score
    from karat.formats import load, read, write

    assert (karat.lint, karat.load, karat.read, karat.write) == (lint, load, read, write)
    # A verb with options checks them first (karat.arguments), and is the same otherwise.
    assert inspect.unwrap(karat.score) is score
    assert inspect.signature(karat.score) == inspect.signature(score)
    assert karat.model.KaratError is karat.KaratError


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'karat' has no attribute 'scoer'"):
        karat.scoer  # noqa: B018


def test_a_missing_part_is_reported_with_its_install_line() -> None:
    with pytest.raises(MissingExtra) as raised:
        require("no_such_package.deep", extra="web", purpose="The workbench")
    assert str(raised.value) == (
        "The workbench needs an optional part of Karat; install it, in Karat's folder, with: pip install '.[web]'"
    )
    assert raised.value.extra == "web"
    assert isinstance(raised.value, KaratError)


def test_a_part_that_is_there_is_given() -> None:
    assert require("json.decoder", extra="web", purpose="x").JSONDecoder


def test_a_part_that_fails_for_another_reason_says_so_itself(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "needs_another.py").write_text("import no_such_package")
    sys.path.insert(0, str(folder))
    try:
        with pytest.raises(ModuleNotFoundError, match="no_such_package"):
            require("needs_another", extra="web", purpose="x")
    finally:
        sys.path.remove(str(folder))


def test_only_one_module_names_the_client_of_language_models() -> None:
    """So only one module can open a connection to one."""
    folder = Path(karat.__file__).parent
    named = [
        path for path in folder.rglob("*.py") if re.search(r"import openai|[\"']openai[\"']", path.read_text("utf-8"))
    ]
    assert [path.relative_to(folder).as_posix() for path in named] == ["judges/llm/client.py"]
