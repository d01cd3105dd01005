"""How far raters can be trusted: Wilson intervals, and the kappas of Cohen and Fleiss."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from scipy import stats

READING_BOUNDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
"""Largest kappa of each reading between "poor" (below 0) and "almost perfect"."""


@dataclass(frozen=True)
class Proportion:
    """A share of ``n`` with its confidence limits; None where ``n`` is 0."""

    successes: int
    n: int
    share: float | None
    low: float | None
    high: float | None
    confidence: float


@dataclass(frozen=True)
class Kappa:
    """Agreement of raters beyond chance over ``n`` items.

    ``observed`` and ``expected`` are the shares of agreement found and due to chance. ``low`` and
    ``high`` are kappa -+ z ``standard_error``, cut at -1 and 1. Where kappa is undefined (no items,
    or all ratings in one category, so that agreement by chance is certain) it, its error, limits
    and ``reading`` are None.
    """

    n: int
    observed: float | None
    expected: float | None
    statistic: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    confidence: float
    reading: str | None


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Proportion:
    """Return a proportion with Wilson's score interval (without continuity correction).

    Sound for small ``n`` and for shares near 0 and 1, where the plain interval leaves [0, 1]. None
    for share and limits where ``n`` is 0.

    Raises
    ------
    ValueError
        Unless 0 <= successes <= n.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    The study's verified sample, 141 of 160:

    >>> found = wilson_interval(141, 160)
    >>> round(found.share, 4), round(found.low, 4), round(found.high, 4)
    (0.8812, 0.822, 0.9226)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} trials are impossible")
    if n == 0:
        return Proportion(successes, n, None, None, None, confidence)
    interval = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    share = successes / n
    return Proportion(successes, n, share, float(interval.low), float(interval.high), confidence)


def cohens_kappa(a: Sequence[Hashable], b: Sequence[Hashable], confidence: float = 0.95) -> Kappa:
    """Agreement of two raters over the same items, unweighted.

    Parameters
    ----------
    a, b : the category each rater gave to each item, in one order, without missing values.
    confidence : of the interval, from the large-sample standard error.

    Notes
    -----
    With p_o the share of items rated alike and p_e the sum over categories of the product of the
    raters' shares, kappa = (p_o - p_e) / (1 - p_e). The standard error is that of Fleiss, Cohen
    and Everitt for a kappa other than 0; it is 0 where all items are rated alike.

    Raises
    ------
    ValueError
        When ``a`` and ``b`` differ in length.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37-46.
    Fleiss, J. L., Cohen, J. and Everitt, B. S. (1969). Large sample standard errors of kappa and
    weighted kappa. Psychological Bulletin 72, 323-327.

    Examples
    --------
    >>> found = cohens_kappa(["yes"] * 25 + ["no"] * 25, ["yes"] * 20 + ["no"] * 20 + ["yes"] * 10)
    >>> round(found.statistic, 4), found.reading
    (0.4, 'fair')
    """
    if len(a) != len(b):
        raise ValueError(f"the raters rated {len(a)} and {len(b)} items, which must be the same")
    return cohens_kappa_of_counts(Counter(zip(a, b, strict=True)), confidence)


def cohens_kappa_of_counts(
    pairs: Mapping[tuple[Hashable, Hashable], int], confidence: float = 0.95
) -> Kappa:
    """Return the same as :func:`cohens_kappa` from the number of items of each pair of categories.

    Examples
    --------
    >>> found = cohens_kappa_of_counts({(True, True): 20, (True, False): 5, (False, True): 10,
    ...     (False, False): 15})
    >>> round(found.statistic, 4), round(found.standard_error, 4)
    (0.4, 0.127)
    """
    n = sum(pairs.values())
    if n == 0:
        return _kappa(0, None, None, None, confidence)
    of_a: Counter[Hashable] = Counter()
    of_b: Counter[Hashable] = Counter()
    for (a, b), count in pairs.items():
        of_a[a] += count
        of_b[b] += count
    observed = sum(count for (a, b), count in pairs.items() if a == b) / n
    expected = sum(of_a[category] * of_b[category] for category in of_a) / n**2
    if expected == 1:
        return _kappa(n, observed, expected, None, confidence)
    kappa = (observed - expected) / (1 - expected)
    # How much each cell of the table moves kappa (Fleiss, Cohen and Everitt, formula 14).
    influences = {
        (a, b): (1.0 if a == b else 0.0) - (of_a[b] / n + of_b[a] / n) * (1 - kappa)
        for a, b in pairs
    }
    spread = sum(count / n * influences[pair] ** 2 for pair, count in pairs.items())
    variance = (spread - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    return _kappa(n, observed, expected, math.sqrt(max(variance, 0.0)), confidence)


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]], confidence: float = 0.95) -> Kappa:
    """Agreement of several raters, the same number for each item, but not always the same persons.

    Parameters
    ----------
    ratings : for each item the categories its raters gave, in any order, without missing values.
    confidence : of the interval, from the large-sample standard error.

    Notes
    -----
    With P_i the share of pairs of raters that agree on item i and p_j the share of all ratings in
    category j: kappa = (mean P_i - sum p_j**2) / (1 - sum p_j**2). The standard error is that of
    Fleiss, Nee and Landis for kappa = 0: made for a test of no agreement, rough as an interval.

    Raises
    ------
    ValueError
        When items have different numbers of ratings, or fewer than two.

    References
    ----------
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological
    Bulletin 76, 378-382.
    Fleiss, J. L., Nee, J. C. M. and Landis, J. R. (1979). Large sample variance of kappa in the
    case of different sets of raters. Psychological Bulletin 86, 974-977.

    Examples
    --------
    >>> found = fleiss_kappa(["aaa", "aab", "bbb", "abb"])
    >>> round(found.statistic, 4)
    0.3333
    """
    if not ratings:
        return _kappa(0, None, None, None, confidence)
    raters = len(ratings[0])
    if raters < 2 or any(len(item) != raters for item in ratings):
        raise ValueError("every item needs the same number of ratings, two or more")
    n = len(ratings)
    agreeing = sum(count * (count - 1) for item in ratings for count in Counter(item).values())
    observed = agreeing / (n * raters * (raters - 1))
    totals = Counter(category for item in ratings for category in item)
    shares = [count / (n * raters) for count in totals.values()]
    if len(shares) == 1:
        return _kappa(n, observed, 1.0, None, confidence)
    spread = sum(share * (1 - share) for share in shares)
    skew = sum(share * (1 - share) * (1 - 2 * share) for share in shares)
    error = math.sqrt(2 * (spread**2 - skew) / (n * raters * (raters - 1))) / spread
    return _kappa(n, observed, 1 - spread, error, confidence)


def reading_of_kappa(kappa: float) -> str:
    """Return the usual reading of a kappa: poor, slight, fair, moderate, substantial, almost
    perfect.

    References
    ----------
    Landis, J. R. and Koch, G. G. (1977). The measurement of observer agreement for categorical
    data. Biometrics 33, 159-174.

    Examples
    --------
    >>> reading_of_kappa(0.92)
    'almost perfect'
    """
    if kappa < 0:
        return "poor"
    return next((name for bound, name in READING_BOUNDS if kappa <= bound), "almost perfect")


def _kappa(
    n: int, observed: float | None, expected: float | None, error: float | None, confidence: float
) -> Kappa:
    if observed is None or expected is None or error is None:
        return Kappa(n, observed, expected, None, None, None, None, confidence, None)
    kappa = (observed - expected) / (1 - expected)
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * error
    low, high = max(-1.0, kappa - reach), min(1.0, kappa + reach)
    reading = reading_of_kappa(kappa)
    return Kappa(n, observed, expected, kappa, error, low, high, confidence, reading)
