"""The published data of the studies: CSV files, read into typed frames.

``fetch_package`` brings the pinned files onto this machine; ``read_package`` reads and checks a
folder of the study of performance bugs, ``read_problems`` the file of the study of performance
problems. Nothing here knows the warehouse.
"""

from perf_assets.sources.replication.download import fetch_package
from perf_assets.sources.replication.package import FRAMEWORKS, Framework, pinned_problems
from perf_assets.sources.replication.problems import read_problems
from perf_assets.sources.replication.reading import Package, read_package

__all__ = [
    "FRAMEWORKS",
    "Framework",
    "Package",
    "fetch_package",
    "pinned_problems",
    "read_package",
    "read_problems",
]
