"""The stand-in servers and the generator install alone, without the pipeline."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.distributions import install, only_with
from tests.paths import ROOT

PROJECT = ROOT / "deploy" / "stand_ins" / "pyproject.toml"
LIBRARIES = {
    *(
        "annotated_types",
        "click",
        "graphql",
        "markdown_it",
        "mdurl",
        "polars",
        "_polars_runtime_32",
    ),
    *("pydantic", "pydantic_core", "pygments", "rich", "typing_extensions", "typing_inspection"),
}
PROGRAM = only_with(
    LIBRARIES,
    "from perf_assets.cli.corpora import stand_ins\n"
    "import perf_assets.stand_ins.discourse.server, perf_assets.stand_ins.github.server\n"
    "import perf_assets.stand_ins.stackexchange.server\n"
    "stand_ins(sys.argv[2:], prog_name='perf-assets-stand-ins')",
)


@pytest.mark.slow
def test_it_generates_a_corpus_without_the_pipeline(tmp_path: Path) -> None:
    installed = install(PROJECT.parent, tmp_path)
    folder = tmp_path / "made"
    sizes = ("--issues", "30", "--months", "4", "--commits", "20", "--questions", "0")
    command = (
        sys.executable,
        "-c",
        PROGRAM,
        installed,
        "generate-sample",
        tmp_path / "made",
        *sizes,
    )
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (folder / "study.toml").is_file()


def test_it_has_the_version_and_the_bounds_of_the_whole() -> None:
    whole, alone = (
        tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for path in (ROOT / "pyproject.toml", PROJECT)
    )
    assert alone["version"] == whole["version"]
    assert alone["requires-python"] == whole["requires-python"]
    assert set(alone["dependencies"]) <= set(whole["dependencies"])
