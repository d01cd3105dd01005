"""A warehouse where there is none: what was published becomes it again, or it begins empty."""

import logging
import shutil

import duckdb

from perf_assets.base.files import new_file
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.database_copy import create_database
from perf_assets.storage.database_errors import explained
from perf_assets.storage.lake_rows import make_left_out
from perf_assets.storage.received import admit, read_whole

log = logging.getLogger(__name__)


def make_warehouse(data_dir: DataDirectory) -> None:
    """Make the warehouse: what was published, or an empty one."""
    if data_dir.published.exists():
        bring_back(data_dir)
        return
    with new_file(data_dir.warehouse) as unfinished:
        try:
            create_database(unfinished)
        except duckdb.Error as error:
            raise explained(error, data_dir.warehouse) or error from None


def bring_back(data_dir: DataDirectory) -> None:
    """Make the published copy the warehouse, whatever is there.

    Raises
    ------
    PerfAssetsError
        It is damaged too; what is there stays.
    """
    with phase("bringing back what was published"), new_file(data_dir.warehouse) as unfinished:
        try:
            read_whole(data_dir.published)
            shutil.copyfile(data_dir.published, unfinished)
            admit(unfinished)
            make_left_out(unfinished)
        except duckdb.Error as error:
            raise explained(error, data_dir.published) or error from None
    log.warning(
        "%s was not there, and is again what was published: to begin anew, choose another "
        "--data-dir",
        data_dir.warehouse,
    )
