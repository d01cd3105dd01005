"""What partitions belong to: a subject, and the months in which it is studied."""

from dataclasses import dataclass

from perf_assets.base.months import last_full_month, months_between


@dataclass(frozen=True)
class Subject:
    """What has a partition for each of its months: a repository, say.

    ``start`` is its first month; ``last`` its last one, or ``None`` where it goes on. Bookkeeping
    has ``name`` in its column repository: owner/name of a repository, forum:tag set of a tag set.
    """

    name: str
    start: str
    last: str | None

    @property
    def end(self) -> str:
        """The last month that can be had; never one that is not over."""
        return min(self.last or "9999-12", last_full_month())

    @property
    def months(self) -> list[str]:
        """Every month from the first to the last."""
        return months_between(self.start, self.end)

    def months_within(self, first: str | None, last: str | None) -> list[str]:
        """Those from ``first`` to ``last``, where they are given."""
        return [month for month in self.months if (first or month) <= month <= (last or month)]
