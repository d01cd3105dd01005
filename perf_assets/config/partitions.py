"""What partitions belong to: a subject, and the months in which it is studied."""

from typing import Annotated

from pydantic import AfterValidator, Field

from perf_assets.base.config_files import StrictModel
from perf_assets.base.months import is_month, last_full_month, months_between

FIRST_MONTH = "1970-01"  # git knows no earlier commits


def _month(value: str) -> str:
    if not is_month(value):
        raise ValueError("this is not a month; write it as YYYY-MM")
    if value < FIRST_MONTH:
        raise ValueError(f"nothing is mined from before {FIRST_MONTH}")
    return value


Month = Annotated[str, AfterValidator(_month)]


class Subject(StrictModel):
    """A repository or tag set, which has a partition for each of its months.

    ``start`` is its first month; ``last`` its last one, or ``None`` where it goes on. Bookkeeping
    has ``name`` in its column repository: owner/name of a repository, forum:tag set of a tag set.
    """

    name: str
    start: Month
    last: Month | None = Field(default=None, alias="end")

    @property
    def end(self) -> str:
        """The last month that can be had; never one that is not over."""
        return min(self.last or "9999-12", last_full_month())

    @property
    def months(self) -> list[str]:
        """Every month from the first to the last."""
        return months_between(self.start, self.end)

    def months_within(self, first: str | None, last: str | None) -> list[str]:
        """Return those from ``first`` to ``last``, where they are given."""
        return [month for month in self.months if (first or month) <= month <= (last or month)]
