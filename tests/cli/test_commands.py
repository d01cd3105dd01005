"""The command line: what it says, and how it refuses."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import duckdb
import pytest
from click.testing import CliRunner

from perf_assets.base.corpus import read_corpus
from perf_assets.base.processes import progress
from perf_assets.cli.commands import MODULES, commands
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.storage import warehouse
from tests.effort import IS_THOROUGH, some
from tests.support import (
    Prepared,
    Ran,
    assert_same_tables,
    command,
    environment,
    materialize,
    perf_assets,
    perf_assets_on_disk,
    perf_assets_process,
    stored_tables,
)
from tests.unreliable_github import KINDS, Faults, UnreliableGitHub

CANARY = "ghp_canary0123456789"


@pytest.fixture(scope="session")
def corpus(small: Prepared) -> Path:
    return small.corpus


@pytest.fixture(scope="module")
def served(corpus: Path) -> Iterator[CorpusServer]:
    faults = Faults(5, 0.5, [kind for kind in KINDS if kind != "slow"])
    with UnreliableGitHub([read_corpus(corpus)], token=CANARY, faults=faults) as server:
        yield server


def study(directory: Path, source: Path, **keys: str) -> Path:
    lines = {"start": "2020-01", "end": "2020-03", "git": str(source / "repository.git"), **keys}
    path = directory / "own.toml"
    path.write_text(
        'name = "own"\n[[repositories]]\nname = "sample-lab/tensorkit"\n'
        + "".join(f'{key} = "{value}"\n' for key, value in lines.items())
    )
    return path


def assert_refused(ran: Ran | subprocess.CompletedProcess[str], *words: str) -> None:
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    lines = ran.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("Error: "), ran.stderr
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize("name", MODULES)
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(commands, [name, "--help"])
    assert result.exit_code == 0 and len(result.output.splitlines()) > 5


@pytest.mark.slow
def test_status_says_what_is_stored(data_dir: Path) -> None:
    result = perf_assets("status", "--data-dir", data_dir)
    assert result.returncode == 0
    assert "sample-lab/tensorkit (study sample)" in result.stdout.splitlines()
    line = next(line for line in result.stdout.splitlines() if "raw.issues " in line)
    assert line.split()[:5] == ["raw.issues", "3", "2020-01", "2020-03", "24"]
    assert all(len(line) <= 80 or str(data_dir) in line for line in result.stdout.splitlines())


@pytest.mark.slow
def test_status_doctor_and_agreement_print_json_and_nothing_else(
    data_dir: Path, small: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SHOWN_AFTER_SECONDS", 0.0)  # as on a busy machine
    monkeypatch.setattr(progress, "CHECK_SECONDS", 0.001)
    result = json.loads(perf_assets("status", "--data-dir", data_dir, "--json").stdout)
    row = next(row for row in result["tables"] if row["table"] == "raw.issues")
    assert (row["repository"], row["months"], row["rows"]) == ("sample-lab/tensorkit", 3, 24)
    assert (result["failed_audits"], result["is_as_published"]) == ([], False)
    options = ("--data-dir", data_dir, "--study", small.study, "--json")
    assert json.loads(perf_assets("doctor", *options).stdout)["can_run"]
    (data_dir / "verdicts.jsonl").write_text("nonsense\n")
    sick = perf_assets("doctor", *options)
    assert sick.returncode == 2
    assert [one["is_mendable"] for one in json.loads(sick.stdout)["damages"]] == [True]
    assert perf_assets("review", "agreement", "--data-dir", data_dir, "--json").returncode == 2


@pytest.mark.slow
def test_status_of_nothing_is_refused(tmp_path: Path) -> None:
    assert_refused(
        perf_assets_process("status", "--data-dir", tmp_path / "no"), "no such data directory"
    )
    assert_refused(perf_assets("status", "--data-dir", tmp_path), "perf-assets run")


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_partition_that_fails_its_audit_keeps_the_good_one_and_the_others_go_on(
    copy: Path, data_dir: Path
) -> None:
    run = ("run", "--study", copy / "study.toml", "--data-dir", data_dir)
    before = stored_tables(data_dir / "warehouse.duckdb")["raw.issues"]
    original = (copy / "issues.jsonl.gz").read_bytes()
    lines = gzip.decompress((copy / "issues.jsonl.gz").read_bytes()).splitlines()
    issues = [json.loads(line) for line in lines]
    newest = max(issue["updated_at"] for issue in issues)
    bad = next(issue for issue in issues if issue["state"] == "closed")
    good = next(issue for issue in issues if issue["created_at"][:7] != bad["created_at"][:7])
    numbers = range(5000, 5011)  # more rows that break a rule than are set aside
    issues += [
        {**bad, "number": number, "updated_at": newest}
        | {"html_url": f"https://github.com/sample-lab/tensorkit/pull/{number}"}
        for number in numbers
    ]
    good |= {"title": "Edited", "updated_at": newest}
    text = "\n".join(json.dumps(issue) for issue in issues)
    (copy / "issues.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    ran = perf_assets(*run)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    month = bad["created_at"][:7]
    assert "raw.issues of sample-lab/tensorkit " + month in ran.stderr
    assert f"number {numbers[0]}" in ran.stderr
    after = stored_tables(data_dir / "warehouse.duckdb")["raw.issues"]
    kept = after.filter(after["month"] == month)
    assert kept.equals(before.filter(before["month"] == month))
    assert after.filter(after["number"] == good["number"])["title"].to_list() == ["Edited"]
    directory = data_dir / "quarantine" / "sample-lab+tensorkit" / month / "raw.issues"
    assert json.loads((directory / "report.json").read_text())["ok"] is False
    assert (directory / "candidate.parquet").is_file()
    assert "Failed audits" in perf_assets("status", "--data-dir", data_dir).stdout
    (copy / "issues.jsonl.gz").write_bytes(original)
    materialize(copy / "study.toml", data_dir)
    assert "Failed audits" not in perf_assets("status", "--data-dir", data_dir).stdout
    mended = stored_tables(data_dir / "warehouse.duckdb")["raw.issues"]
    assert mended.filter(mended["month"] == month).equals(before.filter(before["month"] == month))


@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
@pytest.mark.parametrize(
    ("until", "database", "table"),
    some(
        ("labels", "warehouse.duckdb", "labels.performance_labels"),
        ("links", "perf_bugs.duckdb", "marts.bug_metrics"),
    ),
)
def test_a_repository_that_cannot_be_read_leaves_the_others_to_go_on(
    corpus: Path, tmp_path: Path, until: str, database: str, table: str
) -> None:
    entry = f'[[repositories]]\nstart = "2020-01"\ncorpus = "{corpus}"\n'
    path = tmp_path / "two.toml"
    path.write_text(
        f'name = "two"\n{entry}name = "no/where"\ngit = "nowhere.git"\n'
        f'{entry}name = "sample-lab/tensorkit"\ngit = "{corpus / "repository.git"}"\n'
    )
    ran = perf_assets("run", "--study", path, "--data-dir", tmp_path / "home", "--until", until)
    assert_refused(ran, "no git repository exists at", "nowhere.git")
    rows = stored_tables(tmp_path / "home" / database)[table]
    assert set(rows["repository"]) == {"sample-lab/tensorkit"}


@pytest.mark.slow
@pytest.mark.usefixtures("trusting_auditor")
# The cost is told where figures are: only of a whole run, which takes twice as long.
@pytest.mark.parametrize("until", some("labels", "published"))
def test_a_missing_or_wrong_token_is_refused_and_never_shown(
    corpus: Path, served: CorpusServer, tmp_path: Path, until: str
) -> None:
    own = study(tmp_path, corpus, github_url=served.url)
    run = ("run", "--study", own, "--data-dir", tmp_path / "home", "--until", until)
    wrong = CANARY + "wrong"
    assert_refused(perf_assets(*run, GITHUB_TOKEN=wrong), "GITHUB_TOKEN", "401")
    assert not (tmp_path / "home" / "clones").exists()
    before = len(served.requests)
    # Dagster's record on disk is among what must not hold the token, nor what a process writes.
    run_whole = perf_assets_process if IS_THOROUGH else perf_assets_on_disk
    ran = run_whole(*run, GITHUB_TOKEN=f"{wrong},{CANARY}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "the 1st token (401)" in ran.stdout
    assert CANARY not in ran.stdout + ran.stderr
    requests = [request for request in served.requests[before:] if request.path != "/rate_limit"]
    assert any(request.fault for request in requests)
    is_told = f"Requests: {len(requests)}, " in ran.stdout
    assert is_told == (until == "published")
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path
    real = study(tmp_path, corpus, git=str(tmp_path / "not-even-cloned"))
    assert_refused(
        perf_assets("run", "--study", real, "--data-dir", tmp_path / "h"), "GITHUB_TOKEN"
    )


@pytest.mark.slow
def test_a_repository_that_is_not_there_is_named(
    corpus: Path, served: CorpusServer, tmp_path: Path
) -> None:
    own = study(tmp_path, corpus, github_url=served.url)
    own.write_text(own.read_text().replace("sample-lab/tensorkit", "no/where"))
    ran = perf_assets("run", "--study", own, "--data-dir", tmp_path / "home", GITHUB_TOKEN=CANARY)
    assert_refused(ran, "no/where")
    assert not list((tmp_path / "home").glob("clones/*"))  # no commits are read, which takes long


@pytest.mark.slow
def test_no_network_is_said_so(corpus: Path, tmp_path: Path) -> None:
    own = study(tmp_path, corpus, github_url="http://127.0.0.1:9")
    ran = perf_assets("run", "--study", own, "--data-dir", tmp_path / "home")
    assert_refused(ran, "http://127.0.0.1:9", "cannot be reached")


@pytest.mark.slow
def test_a_git_url_that_does_not_clone_is_named(copy: Path, tmp_path: Path) -> None:
    own = study(tmp_path, copy, corpus=str(copy), git=str(tmp_path / "nowhere.git"))
    assert_refused(perf_assets("run", "--study", own, "--data-dir", tmp_path / "h"), "nowhere.git")


@pytest.mark.slow
def test_a_corrupt_corpus_line_is_named(copy: Path, tmp_path: Path) -> None:
    lines = gzip.decompress((copy / "comments.jsonl.gz").read_bytes()).splitlines()
    lines[2] = b'{"id": 7, "issue_number"'
    (copy / "comments.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    ran = perf_assets("run", "--study", copy / "study.toml", "--data-dir", tmp_path / "home")
    assert_refused(ran, "comments.jsonl.gz", "3")


@pytest.mark.slow
def test_a_warehouse_in_use_names_the_process(
    corpus: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warehouse, "LOCK_WAIT_SECONDS", 0.3)
    run = ("run", "--study", corpus / "study.toml", "--data-dir", data_dir)
    before = stored_tables(data_dir / "warehouse.duckdb")
    path = str(data_dir / "warehouse.duckdb")
    hold = f"import duckdb; c = duckdb.connect({path!r}); print(1); input()"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", hold],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert_refused(perf_assets(*run), "warehouse.duckdb", str(holder.pid))
        holder.communicate(b"\n")
    assert_same_tables(before, stored_tables(data_dir / "warehouse.duckdb"))


@pytest.mark.slow
def test_a_data_directory_of_a_newer_format_is_left_alone(corpus: Path, data_dir: Path) -> None:
    run = ("run", "--study", corpus / "study.toml", "--data-dir", data_dir)
    with duckdb.connect(str(data_dir / "warehouse.duckdb")) as connection:
        connection.execute("UPDATE meta.schema_version SET version = 99")
    assert_refused(perf_assets(*run), str(data_dir), "format 99", "upgrade")


@pytest.mark.slow
def test_months_outside_the_study_are_refused(copy: Path, tmp_path: Path) -> None:
    run = ("run", "--study", copy / "study.toml", "--data-dir", tmp_path / "home")
    assert_refused(perf_assets(*run, "--from", "2019-12"), "--from 2019-12")
    assert_refused(perf_assets(*run, "--to", "2020-04"), "--to 2020-04")
    assert_refused(perf_assets(*run, "--from", "2020-1"), "YYYY-MM")
    assert_refused(perf_assets(*run, "--repository", "a/b"), "a/b")


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("until", ["labels", "published"])
def test_a_full_disk_is_said_so_and_loses_nothing(copy: Path, tmp_path: Path, until: str) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can only be made by root")
    data_dir = tmp_path / "small"
    data_dir.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2500k", "tmpfs", str(data_dir)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        run = ("run", "--study", copy / "study.toml", "--data-dir", data_dir, "--until", until)
        ran = perf_assets_process(*run)
        assert ran.returncode == 2, ran.stdout + ran.stderr
        assert "Traceback" not in ran.stdout + ran.stderr
        subprocess.run(["mount", "-o", "remount,size=200m", str(data_dir)], check=True)
        ran = perf_assets(*run)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    finally:
        subprocess.run(["umount", str(data_dir)], check=False)


@pytest.mark.slow
def test_serve_corpus_prints_its_url(corpus: Path) -> None:
    with subprocess.Popen(
        command("mock-api", corpus), stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        process.terminate()


@pytest.mark.slow
def test_generate_refuses_a_directory_that_is_in_use(corpus: Path) -> None:
    assert_refused(perf_assets("generate-sample", corpus), str(corpus))


def test_an_unknown_command_or_option_is_refused_with_the_nearest_name() -> None:
    command, option = perf_assets("expore"), perf_assets("run", "--data-dr", "x")
    assert command.returncode == option.returncode == 2
    assert "No such command 'expore': did you mean explore?" in command.stderr
    assert "--data-dir" in option.stderr
    subcommand = perf_assets("review", "smaple")
    assert subcommand.returncode == 2 and "Did you mean 'sample'?" in subcommand.stderr
    packaged = perf_assets("doctor", "--study", "dl-framework", "--data-dir", "unused")
    assert_refused(packaged, "did you mean dl-frameworks?")


def test_help_breaks_no_name_and_lists_whole_sentences() -> None:
    told = CliRunner().invoke(commands, ["--help"], terminal_width=80).output
    assert "..." not in told.partition("Commands:")[2]
    option = CliRunner().invoke(commands, ["run", "--help"], terminal_width=80).output
    assert "dl-frameworks" in option and "performance-problems" in option


# Those that read neither a study nor what is stored of one.
WITHOUT_DATA = {
    *("lint", "check-archive", "compare", "export-dbt", "mock-api", "generate-sample", "lake"),
    "review",
}


@pytest.mark.parametrize("name", sorted(MODULES.keys() - WITHOUT_DATA))
def test_every_command_that_reads_a_data_directory_lets_it_be_chosen(name: str) -> None:
    chosen = commands.get_command(click.Context(commands), name)
    assert chosen is not None
    assert "data_dir" in {parameter.name for parameter in chosen.params}
