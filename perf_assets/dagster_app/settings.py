"""The settings of a data directory's Dagster instance, which a process needs to start.

Nothing of Dagster is imported here: who starts its processes need not wait for that.
"""

from pathlib import Path
from typing import Any

import yaml

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file

LOCATION = "perf_assets.definitions"
"""The name of the code location in the UI: that of its module."""
UI = "PERF_ASSETS_UI"
"""The variable with the address of the UI, for those that have it load definitions again."""

INSTANCE: dict[str, Any] = {
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
    "python_logs": {"managed_python_loggers": ["perf_assets"], "python_log_level": "INFO"},
}
# DuckDB has one writing process at a time: runs wait for each other.
ONE_RUN = {"runs": {"max_concurrent_runs": 1}, "pools": {"default_limit": 1, "granularity": "run"}}
# What a person may choose in dagster.yaml to keep the record elsewhere.
STORAGES = {"storage", "run_storage", "event_log_storage", "schedule_storage", "instance_class"}


def with_workers(workers: int) -> dict[str, Any]:
    """Return the limits where repositories are mined by workers, each in a data directory of its
    own.

    One run a repository, so many of them at once, on one host too, and one run beside them that
    computes: that one is alone in its pool, as all pools are whose limit nobody set.
    """
    one_each = {"applyLimitPerUniqueValue": True}
    return {
        "runs": {
            "max_concurrent_runs": workers + 1,
            "tag_concurrency_limits": [
                {"key": "dagster/partition", "value": one_each, "limit": 1},
                {"key": "host", "value": one_each, "limit": workers},
            ],
        },
        "pools": {"default_limit": 1, "granularity": "run"},
    }


def write_instance_config(directory: Path, workers: int | None = None) -> Path:
    """Return the Dagster instance at ``directory``, as the UI and the command line share it.

    ``workers`` mine at once, where the study has a lake, and 0 where it has none; if nobody says,
    what is written of that stays. What a person wrote into its dagster.yaml stays too: a storage of
    their own, or limits that are none of ours.

    Raises
    ------
    PerfAssetsError
        The file is empty, or cannot be written; it stays as it is.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "dagster.yaml"
    written = written_settings(directory)
    limits = written.get("concurrency", ONE_RUN)
    if workers is not None and _is_ours(limits):
        limits = with_workers(workers) if workers else ONE_RUN
    required = {**written, **INSTANCE, "concurrency": limits}
    if written != required:
        write_file(path, yaml.safe_dump(required, sort_keys=False))
    return directory


def _is_ours(limits: dict[str, Any]) -> bool:
    runs = limits.get("runs", {}).get("max_concurrent_runs")
    return limits == ONE_RUN or (isinstance(runs, int) and limits == with_workers(runs - 1))


def written_settings(directory: Path) -> dict[str, Any]:
    """Return the settings of the dagster.yaml in ``directory``; none if there is no such file.

    Raises
    ------
    PerfAssetsError
        The file is empty: a storage that was chosen in it would be passed over.
    """
    path = directory / "dagster.yaml"
    if not path.exists():
        return {}
    settings: dict[str, Any] | None = yaml.safe_load(path.read_text(encoding="utf-8"))
    if settings is None:
        raise PerfAssetsError(
            f"{path} is empty, so that nothing says where Dagster keeps its record: write your "
            "settings into it again, or remove it to keep the record in SQLite files beside it"
        )
    return settings
