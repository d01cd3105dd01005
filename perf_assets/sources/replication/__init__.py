"""The study's published data: a folder with its CSV files, read into typed frames.

``fetch_package`` brings the pinned files onto this machine, ``read_package`` reads and checks a
folder. Nothing here knows the warehouse.
"""

from perf_assets.sources.replication.download import fetch_package
from perf_assets.sources.replication.package import FRAMEWORKS, Framework
from perf_assets.sources.replication.reading import Package, read_package

__all__ = ["FRAMEWORKS", "Framework", "Package", "fetch_package", "read_package"]
