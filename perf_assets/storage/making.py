"""A warehouse where there is none: what was published becomes it again, or it begins empty."""

import logging
import shutil
from pathlib import Path

import duckdb

from perf_assets.files import set_in_place
from perf_assets.processes.progress import phase
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.database_copy import create_database, remove_database
from perf_assets.storage.database_errors import explained
from perf_assets.storage.lake_rows import make_left_out
from perf_assets.storage.received import admit, read_whole

log = logging.getLogger(__name__)


def make_warehouse(data_dir: DataDirectory) -> None:
    """Make the warehouse: what was published, or an empty one."""
    if data_dir.published.exists():
        bring_back(data_dir)
        return
    unfinished = _unfinished(data_dir)
    try:
        create_database(unfinished)
    except duckdb.Error as error:
        raise explained(error, data_dir.warehouse) or error from None
    set_in_place(unfinished, data_dir.warehouse)


def bring_back(data_dir: DataDirectory) -> None:
    """Make the published copy the warehouse, whatever is there.

    Raises
    ------
    PerfAssetsError
        It is damaged too; what is there stays.
    """
    unfinished = _unfinished(data_dir)
    with phase("bringing back what was published"):
        try:
            read_whole(data_dir.published)
            shutil.copyfile(data_dir.published, unfinished)
            admit(unfinished)
            make_left_out(unfinished)
        except duckdb.Error as error:
            raise explained(error, data_dir.published) or error from None
        set_in_place(unfinished, data_dir.warehouse)
    log.warning(
        "%s was not there, and is again what was published: to begin anew, choose another "
        "--data-dir",
        data_dir.warehouse,
    )


def _unfinished(data_dir: DataDirectory) -> Path:
    """Where a warehouse is made; nothing is there, whatever a process that was killed left."""
    path = data_dir.warehouse.with_name(f".{data_dir.warehouse.name}.new")
    remove_database(path)
    return path
