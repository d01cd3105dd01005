"""Read printed values as numbers, and judge a reproduced one by the digits that are printed."""

import re
from datetime import date
from decimal import Decimal

from perf_assets.base.months import is_month

DAY = re.compile(r"\d{4}-\d\d-\d\d")
READINGS = ("negligible", "small", "medium", "large")
"""What an effect size is called, the smallest first."""

ROUNDING = 1e-9
"""A float next to a decimal boundary may miss it by that much."""


def number_of(text: str) -> Decimal:
    """Return the printed value as a number; of a claim (``p < 0.005``) the bound.

    Of a day its number, counted from 1970-01-01, of a month that counted from year 0, of a word its
    location among :data:`READINGS`.
    """
    if DAY.fullmatch(text):
        return Decimal((date.fromisoformat(text) - date(1970, 1, 1)).days)
    if is_month(text):
        return Decimal(12 * int(text[:4]) + int(text[5:]) - 1)
    if text in READINGS:
        return Decimal(READINGS.index(text))
    return Decimal(text.removeprefix("p < ").removeprefix("p = ").replace(",", ""))


def month_of_number(number: int) -> str:
    """Return the month that has ``number``, see :func:`number_of`."""
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def is_claim(text: str) -> bool:
    """Return whether the paper gives a bound instead of a value."""
    return text.startswith("p < ")


def verdict_of(text: str, reproduced: float) -> str:
    """Return ``exact`` (the number, or a claim that holds), ``within_rounding`` or ``differs``.

    Examples
    --------
    >>> verdict_of("0.004678", 0.0046776533)
    'within_rounding'
    """
    printed = number_of(text)
    if is_claim(text):
        return "exact" if reproduced < float(printed) else "differs"
    exponent = printed.as_tuple().exponent
    assert isinstance(exponent, int)
    difference = abs(Decimal(reproduced) - printed)
    if difference == 0:
        return "exact"
    half_a_digit = Decimal(10) ** exponent / 2
    is_rounding = difference <= half_a_digit * (1 + Decimal(ROUNDING))
    return "within_rounding" if is_rounding else "differs"
