"""The values of answers, as far as a row can hold them: moments, numbers, texts."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field, Strict, WrapValidator

LARGEST = 2**31 - 1  # of GraphQL's Int
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})")
WHOLE_SECONDS = 20  # characters of 2020-01-31T12:00:00Z
WHOLE_SECOND = re.compile(
    "(19[7-9]|2[0-9]{2})[0-9]-(0[1-9]|1[0-2])-([01][1-9]|2[0-8])"
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)


def _moment(text: str) -> str:
    """Return a moment as it is stored: in UTC, with a Z."""
    if WHOLE_SECOND.fullmatch(text):  # as GitHub writes them, without exception
        return text
    if MOMENT.fullmatch(text) is None:
        raise ValueError("a moment in time is needed here")
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("a moment in time is needed here") from None
    if not EARLIEST <= moment <= LATEST:
        raise ValueError("a moment in time from 1970 to 9998 is needed here")
    if len(text) == WHOLE_SECONDS:
        return text
    return moment.isoformat(timespec="auto").replace("+00:00", "Z")


def _moment_or_none(value: object, check: Callable[[object], str | None]) -> str | None:
    try:
        return check(value)
    except ValueError:
        return None


Moment = Annotated[str, AfterValidator(_moment)]
Int = Annotated[int, Strict(), Field(ge=-LARGEST - 1, le=LARGEST)]
AsideMoment = Annotated[Moment | None, WrapValidator(_moment_or_none)]
"""A moment that is by the way: one that cannot be is None."""
Count = Annotated[int, Strict(), Field(ge=0, le=LARGEST)]
Number = Annotated[int, Strict(), Field(ge=1, le=LARGEST)]
BigInt = Annotated[int, Strict(False), Field(ge=0, le=2**63 - 1)]
Text = Annotated[str, Strict()]
Word = Annotated[str, Strict(), Field(min_length=1, max_length=1000)]
Sha = Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Url = Annotated[str, Strict(), Field(pattern=r"^https?://[!-~]+$", max_length=2000)]
Flag = Annotated[bool, Strict()]
EnumValue = Annotated[str, Strict(), Field(pattern="^[A-Za-z0-9_]{1,100}$")]
