"""The guide of the UI names every job."""

import re

from perf_assets.dagster_app import add_repository_job, lake_maintenance_job, write_site_job
from perf_assets.dagster_app.jobs import DESCRIPTIONS
from tests.paths import ROOT


def test_guide_names_every_job() -> None:
    guide = (ROOT / "docs" / "guides" / "dagster_ui.md").read_text(encoding="utf-8")
    named = re.findall(r"^\|[^|]*\| `(\w+)` \|", guide, re.MULTILINE)
    modules = (add_repository_job, lake_maintenance_job, write_site_job)
    assert sorted(named) == sorted([*DESCRIPTIONS, *(module.JOB for module in modules)])
