"""How unevenly a sum is spread over those who share it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def gini(amounts: Sequence[float]) -> float:
    """Return the Gini coefficient of positive ``amounts``: 0 of equal ones, towards 1 where one has
    all.

    Half of the mean difference of any two amounts, relative to their mean:
    Gini, C. (1912). Variabilità e mutabilità. By ranks: Dixon, P. M. et al. (1987). Bootstrapping
    the Gini coefficient of inequality. Ecology 68, 1548-1551, without their correction for small
    samples.

    Examples
    --------
    >>> gini([1, 1, 1, 1])
    0.0
    >>> gini([1, 2, 3, 4])
    0.25

    Raises
    ------
    ValueError
        There are no amounts, or one is not above 0.
    """
    values = _positive(amounts)
    ranks = np.arange(1, values.size + 1)
    found = float((2 * ranks - values.size - 1) @ values / (values.size * values.sum()))
    return min(1.0, max(0.0, found))


def half_group(amounts: Sequence[float]) -> int:
    """Return how many of the largest ``amounts`` make half of their sum.

    Examples
    --------
    >>> half_group([1, 1, 1, 1])
    2
    >>> half_group([1, 1, 6])
    1

    Raises
    ------
    ValueError
        There are no amounts, or one is not above 0.
    """
    values = _positive(amounts)[::-1]
    # Parts of thirds add up to a little less than the whole.
    half = values.sum() / 2 * (1 - 1e-12)
    return int(np.searchsorted(np.cumsum(values), half)) + 1


def _positive(amounts: Sequence[float]) -> NDArray[np.float64]:
    values = np.sort(np.asarray(amounts, dtype=float))
    if values.size == 0 or not values[0] > 0:
        raise ValueError("amounts above 0 are needed")
    return values
