"""The settings of the home's Dagster instance, ``dagster.yaml``, which a process needs to start.

Nothing of Dagster is imported here: who starts its processes need not wait for that.
"""

from pathlib import Path
from typing import Any

import yaml

LOCATION = "perf_assets.definitions"
"""The name of the code location in the UI: that of its module."""
UI = "PERF_ASSETS_UI"
"""The variable with the address of the UI, for those that have it load definitions again."""

INSTANCE: dict[str, Any] = {
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
    "python_logs": {"managed_python_loggers": ["perf_assets"], "python_log_level": "INFO"},
    # DuckDB has one writing process at a time: runs wait for each other.
    "concurrency": {
        "runs": {"max_concurrent_runs": 1},
        "pools": {"default_limit": 1, "granularity": "run"},
    },
}
# What a person may choose in dagster.yaml to keep the record elsewhere.
STORAGES = {"storage", "run_storage", "event_log_storage", "schedule_storage", "instance_class"}


def write_instance_config(directory: Path) -> Path:
    """The Dagster instance at ``directory``, as the UI and the command line share it.

    What else a person wrote into its dagster.yaml, such as a storage of their own, stays.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "dagster.yaml"
    written = written_settings(directory)
    if written != {**written, **INSTANCE}:
        text = yaml.safe_dump({**written, **INSTANCE}, sort_keys=False)
        path.write_text(text, encoding="utf-8")
    return directory


def written_settings(directory: Path) -> dict[str, Any]:
    """What the dagster.yaml in ``directory`` says; nothing where there is none."""
    path = directory / "dagster.yaml"
    return (yaml.safe_load(path.read_text(encoding="utf-8")) or {}) if path.exists() else {}
