"""The report of a study that people read each month, from the published database."""

from perf_assets.reports.monthly.contents import read_report
from perf_assets.reports.monthly.keeping import keep_report

__all__ = ["keep_report", "read_report"]
