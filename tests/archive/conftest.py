"""The archive that most tests read, forge or compare; it is written once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from perf_assets.archive.writing import write_archive
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import verdict
from tests.support import Prepared

RATER = "Ann Rater"
PERSON = "dev0001"


@pytest.fixture(scope="session")
def study(small: Prepared) -> Study:
    return load_study(small.study)


@pytest.fixture(scope="session")
def archived(once: Callable[..., Path], small: Prepared, study: Study) -> Path:
    """A data directory with a verdict, and with a person's mail address in a text; its archive."""

    def fill(directory: Path) -> None:
        found = DataDirectory(shutil.copytree(small.data_dir, directory / "home"))
        with open_warehouse(found.warehouse) as database:
            insert(database.connection, "reviews.verdicts", [verdict(1, RATER, 1, "yes")])
            database.connection.execute(
                "UPDATE raw.issue_comments SET body = body || ' -- ask ' || ? || "
                "', ada@example.org, or https://github.com/' || ? WHERE comment_id % 3 = 0",
                [PERSON, PERSON],
            )
            keep_verdicts(database, found)
        publish(found)
        write_archive(found, study, directory / "study.zip")

    return once("archived", fill)


@pytest.fixture(scope="session")
def home(archived: Path, tmp_path_factory: pytest.TempPathFactory) -> DataDirectory:
    """The data directory of the archive."""
    directory = tmp_path_factory.mktemp("archives") / "home"
    return DataDirectory(shutil.copytree(archived / "home", directory))


@pytest.fixture(scope="session")
def archive(archived: Path) -> Path:
    """The archive itself; not to be changed."""
    return archived / "study.zip"
