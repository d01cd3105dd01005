"""Partitions as Dagster keys them: repository × month, and tag set of a forum × month."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import dagster as dg

from perf_assets.base.months import end_of, start_of
from perf_assets.base.repository_names import forum_of
from perf_assets.config.partitions import Subject

REPOSITORY = "repository"
TAG_SET = "tag_set"
MONTH = "month"
MONTHS = "months"
HOST = "host"
PARTITION_TAG = "dagster/partition"
RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"

S = TypeVar("S", bound=Subject)


def partitions_of(subjects: Sequence[Subject]) -> dg.MultiPartitionsDefinition:
    """Return every month, keyed by its first day, of each of the ``subjects``, of one sort."""
    start = min(subject.start for subject in subjects)
    ends = [subject.last for subject in subjects]
    # Without an end, Dagster adds a month whenever one is over.
    end = None if None in ends else end_of(max(filter(None, ends)))
    months = dg.MonthlyPartitionsDefinition(start_of(start), end_date=end)
    names = dg.StaticPartitionsDefinition([subject.name for subject in subjects])
    return dg.MultiPartitionsDefinition({_dimension(subjects[0].name): names, MONTH: months})


def key_of(subject: str, month: str) -> dg.MultiPartitionKey:
    """Return the partition key of ``month`` of the subject of that name."""
    return dg.MultiPartitionKey({_dimension(subject): subject, MONTH: f"{month}-01"})


def range_tags(subject: str, first: str, last: str) -> dict[str, str]:
    """Return the tags of a run over all months from ``first`` to ``last`` of one subject."""
    return {
        _dimension(subject): subject,
        MONTHS: f"{first} to {last}",
        RANGE_START_TAG: str(key_of(subject, first)),
        RANGE_END_TAG: str(key_of(subject, last)),
    }


def by_subject(subjects: Sequence[S], keys: Iterable[str]) -> list[tuple[S, list[str]]]:
    """Offer keys as months of each subject; months outside its own span are left out."""
    partitions = partitions_of(subjects)
    spans = {subject.name: set(subject.months) for subject in subjects}
    months: dict[str, list[str]] = {}
    for key in keys:
        parts = partitions.get_partition_key_from_str(key).keys_by_dimension
        name, month = parts[_dimension(subjects[0].name)], parts[MONTH][:7]
        if month in spans[name]:
            months.setdefault(name, []).append(month)
    return [(s, sorted(months[s.name])) for s in subjects if s.name in months]


def _dimension(subject: str) -> str:
    """Return what sort of subject has this name."""
    return REPOSITORY if forum_of(subject) is None else TAG_SET
