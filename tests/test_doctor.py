"""perf-assets doctor: what it says before a run, and its exit code."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_assets.sample.generator import generate
from perf_assets.sample.server import CorpusServer
from perf_assets.sources.corpus import read_corpus
from tests.support import command, environment, perf_assets

TOKENS = ("ghp_doctorONE", "ghp_doctorTWO")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("generated") / "corpus"
    generate(directory, seed=2, issues=60, months=6, commits=20)
    return directory


@pytest.fixture(scope="module")
def server(corpus: Path) -> Iterator[CorpusServer]:
    with CorpusServer([read_corpus(corpus)], token=TOKENS[0], limit=300) as running:
        yield running


def study(folder: Path, corpus: Path, url: str, name: str = "sample-lab/tensorkit") -> Path:
    path = folder / "own.toml"
    path.write_text(
        f'name = "own"\n[[repositories]]\nname = "{name}"\nstart = "2020-01"\nend = "2020-06"\n'
        f'git = "{corpus / "repository.git"}"\ngithub_url = "{url}"\n'
    )
    return path


def doctor(
    study_file: Path, home: Path, tokens: str | None = None
) -> subprocess.CompletedProcess[str]:
    changes = {"GITHUB_TOKEN": tokens} if tokens else {}
    ran = perf_assets("doctor", "--study", study_file, "--home", home, **changes)
    assert "Traceback" not in ran.stderr
    assert "ghp_" not in ran.stdout + ran.stderr
    return ran


def asked(server: CorpusServer) -> tuple[int, int]:
    return len(server.requests), server.points


def test_what_a_run_costs_is_told_before_and_after_it(
    corpus: Path, server: CorpusServer, tmp_path: Path
) -> None:
    own, home = study(tmp_path, corpus, server.url), tmp_path / "home"
    ran = doctor(own, home, ",".join(TOKENS))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"the 1st token: works, 300 of 300 points left, full again at 20", ran.stdout)
    assert "the 2nd token: refused (401)" in ran.stdout
    assert "6 months with 60 issues to load, 0 stored" in ran.stdout
    foretold = re.search(r"a run costs about (\d+) requests and (\d+) points", ran.stdout)
    assert foretold is not None
    before = asked(server)
    run = command("run", "--study", own, "--home", home)
    told = subprocess.run(
        run, env=environment(GITHUB_TOKEN=TOKENS[0]), capture_output=True, text=True, check=True
    )
    requests, points = (after - at for after, at in zip(asked(server), before, strict=True))
    assert f"{requests} requests and {points} rate-limit points" in told.stdout
    assert requests <= int(foretold[1]) <= requests + 3
    assert points <= int(foretold[2]) <= points + 6
    again = doctor(own, home, TOKENS[0])
    assert "0 months with 0 issues to load, 6 stored with" in again.stdout


@pytest.mark.parametrize(
    ("tokens", "name", "sentence"),
    [
        (TOKENS[1], "sample-lab/tensorkit", "no token works at"),
        (TOKENS[0], "no/where", "has no repository no/where"),
    ],
)
def test_a_run_that_could_not_succeed_is_said_so(
    corpus: Path, server: CorpusServer, tmp_path: Path, tokens: str, name: str, sentence: str
) -> None:
    ran = doctor(study(tmp_path, corpus, server.url, name), tmp_path / "home", tokens)
    assert ran.returncode == 2
    assert sentence in ran.stdout


def test_no_network_and_no_token_are_said_so(corpus: Path, tmp_path: Path) -> None:
    ran = doctor(study(tmp_path, corpus, "http://127.0.0.1:9"), tmp_path / "home", TOKENS[0])
    assert ran.returncode == 2
    assert "http://127.0.0.1:9 cannot be reached" in ran.stdout
    ran = doctor(study(tmp_path, corpus, "https://api.github.com"), tmp_path / "home")
    assert ran.returncode == 2
    assert "GITHUB_TOKEN is not set" in ran.stdout


def test_a_corpus_needs_no_token(corpus: Path, tmp_path: Path) -> None:
    ran = doctor(corpus / "study.toml", tmp_path / "home")
    assert ran.returncode == 0
    assert "no token is needed" in ran.stdout
