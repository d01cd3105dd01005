"""perf-assets doctor: what it says before a run, and its exit code."""

import dataclasses
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from perf_assets.base.corpus import read_corpus
from perf_assets.base.months import months_between
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.reply import Reply, json_reply
from perf_assets.storage.warehouse import open_warehouse
from tests.github_errors import SAML
from tests.model_database import insert
from tests.rows import load
from tests.support import Ran, perf_assets
from tests.unreliable_github import UnreliableGitHub

NAME = "sample-lab/tensorkit"
MONTHS = months_between("2020-01", "2020-06")
TOKENS = ("ghp_doctorONE", "ghp_doctorTWO")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("generated") / "corpus"
    generate(directory, seed=2, issues=60, months=6, commits=20)
    return directory


@pytest.fixture(scope="module")
def server(corpus: Path) -> Iterator[CorpusServer]:
    with UnreliableGitHub([read_corpus(corpus)], token=TOKENS[0], limit=300) as running:
        yield running


def study(folder: Path, corpus: Path, url: str, name: str = NAME) -> Path:
    path = folder / "own.toml"
    path.write_text(
        f'name = "own"\n[[repositories]]\nname = "{name}"\nstart = "2020-01"\nend = "2020-06"\n'
        f'git = "{corpus / "repository.git"}"\ngithub_url = "{url}"\n'
    )
    return path


def doctor(study_file: Path, data_dir: Path, tokens: str | None = None) -> Ran:
    changes = {"GITHUB_TOKEN": tokens} if tokens else {}
    ran = perf_assets("doctor", "--study", study_file, "--data-dir", data_dir, **changes)
    assert "Traceback" not in ran.stderr
    assert "ghp_" not in ran.stdout + ran.stderr
    return ran


def test_the_foretold_cost_is_that_of_the_run(
    corpus: Path, server: CorpusServer, tmp_path: Path
) -> None:
    ran = doctor(study(tmp_path, corpus, server.url), tmp_path / "home", ",".join(TOKENS))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"the 1st token: works, \d+ of 300 points left, full again at 20", ran.stdout)
    assert "the 2nd token: refused (401)" in ran.stdout
    assert "6 months with 60 issues to load, 0 stored" in ran.stdout
    foretold = re.search(r"a run costs about (\d+) requests and (\d+) points", ran.stdout)
    assert foretold is not None
    client = GitHubClient(server.url, TOKENS[0])
    source = GitHubIssues(client, NAME)
    source.newest()
    for _ in source.cohorts(source.counts(MONTHS)):
        pass
    assert client.total.requests <= int(foretold[1]) <= client.total.requests + 3
    assert client.total.points <= int(foretold[2]) <= client.total.points + 6


@pytest.mark.slow
def test_what_is_stored_need_not_be_loaded_again(
    corpus: Path, server: CorpusServer, tmp_path: Path
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    issues = read_corpus(corpus).issues.values()
    newest = max(issue["updated_at"] for issue in issues)
    with open_warehouse(data_dir.warehouse) as database:
        stored = [load(month, repository=NAME, updated_at=newest) for month in MONTHS[:4]]
        failed = load(MONTHS[4], repository=NAME, status="failed", is_stored=False)
        insert(database.connection, "meta.partition_loads", [*stored, failed])
    left = sum(issue["created_at"][:7] in MONTHS[4:] for issue in issues)
    ran = doctor(study(tmp_path, corpus, server.url), data_dir.path, TOKENS[0])
    assert f"2 months with {left} issues to load, 4 stored with 1 issues to refresh" in ran.stdout


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
def test_what_an_older_version_left_is_read_again_once_for_the_cost_that_is_reported_before(
    corpus: Path, tmp_path: Path
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    with UnreliableGitHub([read_corpus(corpus)], token=TOKENS[0]) as server:
        file = study(tmp_path, corpus, server.url)
        run = partial(
            perf_assets, "run", "--study", file, "--data-dir", data_dir.path, "--until", "labels"
        )
        ran = run(GITHUB_TOKEN=TOKENS[0])
        assert "again" not in ran.stdout
        with open_warehouse(data_dir.warehouse) as database:
            database.connection.execute("UPDATE raw.issues SET fields_version = NULL")
        output = doctor(file, data_dir.path, TOKENS[0]).stdout
        opened = {issue["created_at"][:7] for issue in read_corpus(corpus).issues.values()}
        again = f"{len(opened)} months with 60 issues"
        assert f"{again} to load, {len(opened)} of them again" in output
        ran = run(GITHUB_TOKEN=TOKENS[0])
        assert f"{NAME}: {again} lack fields" in ran.stdout
        foretold = re.search(r"about (\d+) requests and (\d+) points of the 5,000", ran.stdout)
        assert foretold is not None
        with open_warehouse(data_dir.warehouse) as database:
            query = "SELECT requests, points FROM meta.source_requests ORDER BY started_at DESC"
            requests, points = database.frame(query).row(0)
        assert requests <= int(foretold[1]) <= requests + 3
        assert points <= int(foretold[2]) <= points + 6
        assert "again" not in run(GITHUB_TOKEN=TOKENS[0]).stdout


@pytest.mark.parametrize(
    ("tokens", "name", "sentence"),
    [
        (TOKENS[1], NAME, "no token works at"),
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


def test_an_address_that_git_cannot_read_is_named(
    corpus: Path, server: CorpusServer, tmp_path: Path
) -> None:
    path = study(tmp_path, corpus, server.url)
    path.write_text(path.read_text().replace("repository.git", "nowhere.git"))
    ran = doctor(path, tmp_path / "home", TOKENS[0])
    assert ran.returncode == 2
    assert f"{NAME}: no git repository exists at {corpus / 'nowhere.git'}" in ran.stdout
    assert "a run costs about" in ran.stdout
    assert "git can read" in doctor(corpus / "study.toml", tmp_path / "home").stdout


@pytest.mark.slow
def test_doctor_reads_an_issue_with_all_fields_and_says_what_the_token_may_not_see(
    corpus: Path, tmp_path: Path
) -> None:
    class Hiding(CorpusServer):
        def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
            reply = super().answer(method, target, authorization, body)
            content = json.loads(reply.body)
            nodes = ((content.get("data") or {}).get("search") or {}).get("nodes")
            if not nodes:
                return reply
            nodes[0]["milestone"] = None
            path = ["search", "nodes", 0, "milestone"]
            content["errors"] = [{"type": "FORBIDDEN", "message": SAML, "path": path}]
            return json_reply(200, content, reply.headers)

    with Hiding([read_corpus(corpus)]) as server:
        ran = doctor(study(tmp_path, corpus, server.url), tmp_path / "home", TOKENS[0])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = re.search(r"lacks milestone of issues \(Resource protected by .*\)", ran.stdout)
    assert said is not None and "Configure SSO" in said[0]


@pytest.mark.slow
def test_doctor_names_the_new_name_of_a_repository(corpus: Path, tmp_path: Path) -> None:
    renamed = dataclasses.replace(read_corpus(corpus), repository="new/home", former_names=(NAME,))
    with CorpusServer([renamed]) as server:
        ran = doctor(study(tmp_path, corpus, server.url), tmp_path / "home", TOKENS[0])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{NAME} is called new/home now" in ran.stdout
    assert "6 months with 60 issues to load" in ran.stdout
