"""A repository is added by a job, checked before it is kept, and no file of the study is edited."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from perf_assets.base.corpus import read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.partitions import partitions_of
from perf_assets.reports.status import read_status, status_text
from perf_assets.stages.study_loader import open_study, read_added
from perf_assets.storage.backups import write_backup
from perf_assets.storage.restoring import restore
from tests.support import Prepared
from tests.unreliable_github import UnreliableGitHub

pytestmark = pytest.mark.slow

TOKEN = "a-token"
NAME = "sample-lab/tensorkit"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text('name = "mine"\n[[repositories]]\nname = "a/b"\nstart = "2020-01"\n')
    return path


@pytest.fixture
def given(small: Prepared, monkeypatch) -> Iterator[dict[str, str]]:
    """A repository on an API of its own, as the job's launchpad has it."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with UnreliableGitHub([read_corpus(small.corpus)], token=TOKEN) as server:
        git = str(small.corpus / "repository.git")
        yield {"name": NAME, "start": "2020-01", "git": git, "github_url": server.url}


def add(study: Path, data_dir: DataDirectory, given: dict[str, str]) -> str:
    """Run the job; the sentence it failed with, nothing where it did not."""
    definitions = build_definitions(open_study(study, data_dir), data_dir)
    with dg.DagsterInstance.ephemeral() as instance:
        ran = definitions.resolve_job_def("add_repository").execute_in_process(
            instance=instance,
            raise_on_error=False,
            run_config={"ops": {"new_repository": {"config": given}}},
        )
    failed = ran.filter_events(lambda event: event.is_step_failure)
    return "".join(str(one.step_failure_data.user_failure_data.description) for one in failed)


def test_a_repository_that_git_and_the_api_know_is_part_of_the_study(study, given, tmp_path):
    data_dir, written = DataDirectory.of(tmp_path / "home"), study.read_bytes()
    assert add(study, data_dir, given) == ""
    found = open_study(study, data_dir)
    assert [one.name for one in found.repositories] == ["a/b", NAME]
    assert (found.repositories[1].start, found.repositories[1].git) == ("2020-01", given["git"])
    keys = partitions_of(found.repositories).get_partition_keys()
    assert f"2020-01-01|{NAME}" in keys
    names = [schedule.name for schedule in build_definitions(found, data_dir).schedules or ()]
    assert {"monthly_sample_lab_tensorkit", "weekly_sample_lab_tensorkit"} <= set(names)
    assert study.read_bytes() == written


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "a-typo"}, "the new repository: name: 'a-typo' is not a repository"),
        ({"name": "sample-lab/typo"}, "sample-lab/typo was not added"),
        ({"name": "A/B"}, "study mine has A/B already, as a/b from 2020-01 on"),
        ({"start": "2020"}, "'2020' is not a month; write it as YYYY-MM"),
        ({"start": "2999-01"}, "start 2999-01 is not over yet"),
        ({"git": "https://me:a-token@host/a.git"}, "this address holds a secret"),
        ({"git": "/nowhere"}, "no git repository exists at /nowhere"),
    ],
)
def test_what_is_wrong_is_reported_and_not_kept(study, given, tmp_path, change, message) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    sentence = add(study, data_dir, {**given, **change})
    assert message in sentence and TOKEN not in sentence
    assert read_added(data_dir) == []


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '[{"study": "a"}]', '[{"study": 1}]', "[" * 100_000, "[9" + "9" * 5_000],
)
def test_a_damaged_list_of_added_repositories_is_one_sentence(tmp_path, text) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    entry = (
        '[{"study": "a", "name": 7, "start": "", "git": null, "github_url": null, "added_at": ""}]'
    )
    for damaged in (text, entry):
        data_dir.added.write_text(damaged)
        with pytest.raises(PerfAssetsError, match="not a list of added repositories: restore it"):
            read_added(data_dir)


def test_what_the_study_file_names_later_is_as_the_file_says(study, given, tmp_path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    assert add(study, data_dir, given) == ""
    with study.open("a") as file:
        file.write(f'[[repositories]]\nname = "{NAME}"\nstart = "2020-02"\n')
    found = open_study(study, data_dir).repositories
    assert [(one.name, one.start) for one in found] == [("a/b", "2020-01"), (NAME, "2020-02")]


def test_another_study_of_the_data_directory_does_not_have_it(study, given, tmp_path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    assert add(study, data_dir, given) == ""
    other = tmp_path / "other.toml"
    other.write_text(study.read_text().replace('"mine"', '"other"'))
    assert len(open_study(other, data_dir).repositories) == 1


def test_status_says_where_a_repository_came_from_and_a_backup_keeps_it(
    small: Prepared, data_dir: Path, given, tmp_path
) -> None:
    directory = DataDirectory.of(data_dir)
    (origin,) = read_status(directory)["repositories"]
    assert origin == {"repository": NAME, "study": "sample", "added_at": None}
    assert f"{NAME} (study sample)" in status_text(read_status(directory))
    study = tmp_path / "sample.toml"
    study.write_text('name = "sample"\n[[repositories]]\nname = "a/b"\nstart = "2020-01"\n')
    assert add(study, directory, given) == ""
    (kept,) = read_added(directory)
    day = kept.added_at[:10]
    assert f"{NAME} (study sample, added on {day})" in status_text(read_status(directory))
    write_backup(directory, tmp_path / "backup.zip")
    directory.added.unlink()
    restore(directory, tmp_path / "backup.zip")
    assert read_added(directory) == [kept]
