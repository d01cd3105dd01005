"""How often a test at 5 % finds a middling effect, at the sizes that were observed.

By the normal approximation, for one test alone: adjusted for the number of tests it finds fewer.
What is middling: a Cliff's delta of 0.33, where "medium" begins (Romano et al., 2006); a share of
which the odds double in three years; half as many events again in a time.
"""

import math

from scipy import stats

LEVEL = 0.05
DELTA = 0.33
DOUBLING_YEARS = 3
ODDS_RATIO = 2 ** (1 / DOUBLING_YEARS)
RATE_RATIO = 1.5

_REACH = float(stats.norm.isf(LEVEL / 2))


def power(effect: float, error: float) -> float | None:
    """Return the power for ``effect`` of a two-sided test, whose estimate has this standard error.

    Examples
    --------
    >>> round(power(2.8, 1.0), 3)
    0.8
    """
    if not (math.isfinite(error) and error > 0):
        return None
    z = abs(effect) / error
    return float(stats.norm.sf(_REACH - z) + stats.norm.sf(_REACH + z))


def ratio_power(ratio: float, low: float | None, high: float | None) -> float | None:
    """Return the power for ``ratio`` of a test whose estimate has this 95 % interval."""
    if low is None or high is None or not 0 < low < high:
        return None
    return power(math.log(ratio), math.log(high / low) / (2 * _REACH))


def curves_power(events: int, share: float) -> float | None:
    """Return the power of a test of two curves for :data:`RATE_RATIO`, of ``events`` in both
    groups.

    share : of the first group among those who waited.

    Schoenfeld, D. A. (1983). Sample-size formula for the proportional-hazards regression model.
    Biometrics 39, 499-503.
    """
    information = events * share * (1 - share)
    return power(math.log(RATE_RATIO), information**-0.5) if information > 0 else None
