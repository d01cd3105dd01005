"""Issues with everything that belongs to them, as frames: what a source turns its answers into."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from perf_assets.schema import schema_of
from perf_assets.schema.types import TIME
from perf_assets.sources.issues.gaps import ENTRY, Gap

TABLES = (
    "raw.issues",
    "raw.issue_comments",
    "raw.issue_events",
    "raw.issue_pull_requests",
    "raw.issue_gaps",
)
UNNAMED = "unnamed"
WHOLE_SECONDS = len("2020-02-01T00:00:00Z")
PULL_REQUEST_KEY = ("number", "pull_request_repository", "pull_request", "relation")


@dataclass(frozen=True)
class IssueBatch:
    """Issues with everything that belongs to them; columns as in their tables of ``raw``."""

    issues: pl.DataFrame
    comments: pl.DataFrame
    events: pl.DataFrame
    pull_requests: pl.DataFrame
    gaps: pl.DataFrame

    def of_month(self, month: str) -> "IssueBatch":
        """Return the part of the cohort of ``month``."""
        condition = pl.col("month") == month
        return IssueBatch(*(frame.filter(condition) for frame in vars(self).values()))

    def of_numbers(self, numbers: Sequence[int]) -> "IssueBatch":
        """Return the part of the issues with these numbers."""
        condition = pl.col("number").is_in(numbers)
        return IssueBatch(*(frame.filter(condition) for frame in vars(self).values()))

    def placed_in(self, month: str) -> "IssueBatch":
        """Return the same, with ``month`` for the gaps of issues whose own is not known."""
        return replace(self, gaps=self.gaps.with_columns(pl.col("month").fill_null(month)))

    def set_aside(self, entity: str) -> int:
        """Return the number of entries of ``entity`` that the source has and the rows lack."""
        is_entry = (pl.col("entity") == entity) & (pl.col("lacks") == ENTRY)
        return int(self.gaps.filter(is_entry)["entries"].sum())

    @property
    def numbers_set_aside(self) -> list[int]:
        """The numbers of the issues that are not among the rows, as far as they are known."""
        is_issue = (pl.col("entity") == "issues") & (pl.col("lacks") == ENTRY)
        return self.gaps.filter(is_issue)["number"].drop_nulls().to_list()

    @property
    def months(self) -> set[str]:
        """The months of its issues and of its gaps."""
        return {*self.issues["month"], *self.gaps["month"]}

    @property
    def known_issues(self) -> int:
        """Number of issues, including those set aside."""
        return self.issues.height + self.set_aside("issues")

    @property
    def announced_comments(self) -> int:
        """Number of comments that the source reports for the issues."""
        return int(self.issues["comments"].sum())

    @property
    def announced_events(self) -> int:
        """Number of events of the kept kinds that the source reports for the issues."""
        return int(self.issues["events"].sum())


EMPTY_BATCH = IssueBatch(*(schema_of(table).to_frame() for table in TABLES))


def joined(batches: Sequence[IssueBatch]) -> IssueBatch:
    """Return several batches as one."""
    frames = zip(*(vars(batch).values() for batch in [EMPTY_BATCH, *batches]), strict=True)
    return IssueBatch(*map(pl.concat, frames))


def gap_frame(
    repository: str, gaps: Sequence[Gap], months: Mapping[int | None, str]
) -> pl.DataFrame:
    """Return gaps as rows of raw.issue_gaps, one for each issue, entity, field and kind.

    Of an issue that is set aside nothing else is lacking.
    """
    set_aside = {gap.number for gap in gaps if gap.is_issue} - {None}
    rows = [
        {
            **vars(gap),
            "repository": repository,
            "subject": UNNAMED if gap.number is None else f"#{gap.number}",
            "month": months.get(gap.number, gap.month),
        }
        for gap in gaps
        if gap.is_issue or gap.number not in set_aside
    ]
    return counted_together(pl.DataFrame(rows, schema=schema_of("raw.issue_gaps"), orient="row"))


def counted_together(gaps: pl.DataFrame) -> pl.DataFrame:
    """Return rows of raw.issue_gaps with those of one key as one."""
    key = ("month", "subject", "entity", "lacks", "kind")
    return (
        gaps.group_by("repository", *key, "number", maintain_order=True)
        .agg(pl.col("reason").first(), pl.col("entries").sum())
        .select(gaps.columns)
        .sort(key)
    )


def table_frame(
    table: str, rows: Sequence[Mapping[str, Any]], order: tuple[str, ...]
) -> pl.DataFrame:
    """Return rows of a table, whose moments are texts, as a frame in their order."""
    schema = schema_of(table)
    times = [name for name, kind in schema.items() if kind == TIME]
    texts = {**schema, **dict.fromkeys(times, pl.String())}
    frame = pl.DataFrame(rows, schema=texts, orient="row")
    return frame.with_columns(
        pl.col(times).str.to_datetime(_format(rows, times), time_unit="us", time_zone="UTC")
    ).sort(order)


def _format(rows: Sequence[Mapping[str, Any]], times: list[str]) -> str:
    # GitHub writes whole seconds, for which there is a quicker way.
    texts = (row[name] for row in rows for name in times)
    is_whole = all(text is None or len(text) == WHOLE_SECONDS for text in texts)
    return "%Y-%m-%dT%H:%M:%S%#z" if is_whole else "%Y-%m-%dT%H:%M:%S%.f%#z"
