"""Partitions as Dagster keys them: repository × month."""

from collections.abc import Iterable

import dagster as dg

from perf_assets.months import end_of, start_of
from perf_assets.study import Repository, Study

REPOSITORY = "repository"
MONTH = "month"
RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"


def partitions_of(study: Study) -> dg.MultiPartitionsDefinition:
    """Every month of the study of every repository; months keyed by their first day."""
    start = min(repository.start for repository in study.repositories)
    ends = [repository.last for repository in study.repositories]
    # Without an end, Dagster adds a month whenever one is over.
    end = None if None in ends else end_of(max(filter(None, ends)))
    months = dg.MonthlyPartitionsDefinition(start_of(start), end_date=end)
    names = dg.StaticPartitionsDefinition([repository.name for repository in study.repositories])
    return dg.MultiPartitionsDefinition({REPOSITORY: names, MONTH: months})


def key_of(repository: str, month: str) -> dg.MultiPartitionKey:
    """The partition key of the cohort of ``month``."""
    return dg.MultiPartitionKey({REPOSITORY: repository, MONTH: f"{month}-01"})


def range_tags(repository: str, first: str, last: str) -> dict[str, str]:
    """The tags of a run over all months from ``first`` to ``last`` of one repository."""
    return {
        RANGE_START_TAG: str(key_of(repository, first)),
        RANGE_END_TAG: str(key_of(repository, last)),
    }


def by_repository(study: Study, keys: Iterable[str]) -> dict[Repository, list[str]]:
    """Offer keys as months of each repository; months outside its own span are left out."""
    partitions = partitions_of(study)
    spans = {repository.name: set(repository.months) for repository in study.repositories}
    months: dict[str, list[str]] = {}
    for key in keys:
        parts = partitions.get_partition_key_from_str(key).keys_by_dimension
        name, month = parts[REPOSITORY], parts[MONTH][:7]
        if month in spans[name]:
            months.setdefault(name, []).append(month)
    return {study.repository(name): sorted(found) for name, found in months.items()}
