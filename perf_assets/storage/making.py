"""A warehouse where there is none: what was published becomes it again, or it begins empty."""

import logging
import shutil

from perf_assets.base.files import new_file
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.database_copy import create_database
from perf_assets.storage.database_errors import friendly_errors
from perf_assets.storage.lake_rows import make_left_out
from perf_assets.storage.received import admit, read_whole

log = logging.getLogger(__name__)


def make_warehouse(data_dir: DataDirectory) -> None:
    """Make the warehouse: what was published, or an empty one."""
    if data_dir.published.exists():
        bring_back(data_dir)
        return
    with new_file(data_dir.warehouse) as unfinished, friendly_errors(data_dir.warehouse):
        create_database(unfinished)


def bring_back(data_dir: DataDirectory) -> None:
    """Make the published copy the warehouse, whatever is there.

    Raises
    ------
    PerfAssetsError
        It is damaged too; what is there stays.
    """
    with (
        phase("bringing back what was published"),
        new_file(data_dir.warehouse) as unfinished,
        friendly_errors(data_dir.published),
    ):
        read_whole(data_dir.published)
        shutil.copyfile(data_dir.published, unfinished)
        admit(unfinished)
        make_left_out(unfinished)
    log.warning(
        "%s was not there, and is again what was published: to begin anew, choose another "
        "--data-dir",
        data_dir.warehouse,
    )
