"""Calendar months in UTC, written ``YYYY-MM``: the unit in which the study is partitioned."""

import re
from datetime import UTC, datetime

MONTH_PATTERN = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


def is_month(text: str) -> bool:
    """Return whether ``text`` is a calendar month in the form ``YYYY-MM``."""
    return MONTH_PATTERN.fullmatch(text) is not None and not text.startswith("0000")


def month_of(moment: datetime) -> str:
    """Return the UTC month that holds ``moment``."""
    return moment.astimezone(UTC).strftime("%Y-%m")


def start_of(month: str) -> datetime:
    """Return the first moment of ``month`` in UTC."""
    return datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)


def add_months(month: str, count: int) -> str:
    """Return the month ``count`` months after ``month``, before it if ``count`` is negative."""
    years, index = divmod(int(month[:4]) * 12 + int(month[5:]) - 1 + count, 12)
    return f"{years:04d}-{index + 1:02d}"


def end_of(month: str) -> datetime:
    """Return the first moment after ``month`` in UTC."""
    return start_of(add_months(month, 1))


def months_between(first: str, last: str) -> list[str]:
    """Return all months from ``first`` to ``last``, both included; none if ``last`` is earlier."""
    count = (int(last[:4]) - int(first[:4])) * 12 + int(last[5:]) - int(first[5:])
    return [add_months(first, offset) for offset in range(count + 1)]


def last_full_month(now: datetime | None = None) -> str:
    """Return the newest month that is over."""
    return add_months(month_of(now or datetime.now(UTC)), -1)


def quarter_of(month: str) -> str:
    """Return the calendar quarter that holds ``month``, as ``YYYY-Qn``."""
    return f"{month[:4]}-Q{(int(month[5:]) + 2) // 3}"
