"""The paper's own figures, set against what its published data give, and the report on it."""

from perf_assets.reports.replication.report import read_comparison, read_replication
from perf_assets.reports.replication.words import print_comparison, print_verdicts

__all__ = ["print_comparison", "print_verdicts", "read_comparison", "read_replication"]
