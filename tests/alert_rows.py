"""Rows of marts.alerts."""

import zlib
from typing import Any

from tests.rows import REPOSITORY, Row
from tests.storage.good_rows import GOOD, completed

MONTHS = [f"2020-{month:02d}" for month in range(1, 11)]


def alert(series: str, month: str = "2020-06", **changes: Any) -> Row:
    identifier = f"a{zlib.crc32(series.encode()):010d}-{month}"
    row = completed("marts.alerts", GOOD["marts.alerts"][0])
    return row | {
        "alert_id": identifier,
        "group_ids": [identifier],
        "repository": REPOSITORY,
        "series": series,
        "month": month,
        "first_month": MONTHS[0],
        "last_month": MONTHS[-1],
        "level_before": 0.1,
        "level_after": 0.3,
        "months_before": 5,
        "months_after": 5,
        "n_before": 50,
        "n_after": 60,
        "performance_bugs": 22,
        "issues": [7, 8],
        "state": "new",
        "state_by": None,
        "result": f"{series} changed",
        **changes,
    }
