"""How many events a statistic needs: with fewer there is a count, and no estimate or verdict.

Events are what carries the information: values in each of two groups, ends of waits, successes of
a regression; not rows. The queries of figures (dbt_like_models/*/figures) repeat these numbers.
"""

COMPARISON = 6
"""Values in each group, for medians, Cliff's delta and their test. Of five values not even their
range is a 95 % interval for the median (its confidence is 1 - 2 / 2 ** n), of six it is."""

CURVE = 5
"""Events in each group, for curves of waits and their test. With fewer a single event moves a curve
by a fifth of all that it will ever rise."""

REGRESSION = 10
"""Events in each group and for each coefficient of its own, for slopes and ratios of odds or rates.

Peduzzi, P. et al. (1996). A simulation study of the number of events per variable in logistic
regression analysis. Journal of Clinical Epidemiology 49, 1373-1379: below ten, estimates are biased
and intervals do not hold what they promise.
"""

PAIRS = 5
"""Untied pairs, for the test of Cox and Stuart: of four that all rise the p-value is 1 / 16."""

APART = "too few to compare: no repository has both performance bugs and others"
"""Why repositories together are not compared, where each has bugs of one kind alone."""


def too_few(verb: str, minimum: int, n_performance: int, n_other: int, noun: str) -> str | None:
    """Return why a statistic is not computed; None where both groups have ``minimum`` events.

    Examples
    --------
    >>> too_few("compare", 6, 1, 72, "fixed")
    'too few to compare: 1 performance bug and 72 others fixed, at least 6 of each are needed'
    >>> too_few("compare", 6, 6, 72, "fixed") is None
    True
    """
    if min(n_performance, n_other) >= minimum:
        return None
    own = f"{n_performance:,} performance bug{'' if n_performance == 1 else 's'}"
    others = f"{n_other:,} other{'' if n_other == 1 else 's'}"
    return f"too few to {verb}: {own} and {others} {noun}, at least {minimum} of each are needed"
