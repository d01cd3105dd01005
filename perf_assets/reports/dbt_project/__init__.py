"""The SQL models as a project of dbt."""

from perf_assets.reports.dbt_project.project import project_files, write_project

__all__ = ["project_files", "write_project"]
