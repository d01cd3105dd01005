"""How often something happens in a time: Poisson regression of counts by exposure."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from perf_assets.core.statistics.samples import WIDEST, Floats

_ITERATIONS = 50
_TOLERANCE = 1e-10
_LARGEST = 20.0


@dataclass(frozen=True)
class RateFit:
    """A fitted :func:`poisson_regression`.

    coefficients : natural logarithms of rate ratios, one for each column.
    covariance : of the coefficients, times the dispersion where that is above 1.
    dispersion : Pearson's statistic by its degrees of freedom.
    freedom : these degrees.
    """

    coefficients: Floats
    covariance: Floats
    dispersion: float
    freedom: int

    def ratio(
        self, contrast: Floats, confidence: float = 0.95
    ) -> tuple[float, float, float, float] | None:
        """Rate ratio, lower and upper limit and p, two-sided, of a sum of coefficients.

        None where the limits are farther apart than :data:`WIDEST`.
        """
        estimate = float(contrast @ self.coefficients)
        error = float(np.sqrt(contrast @ self.covariance @ contrast))
        reach = float(stats.t.ppf((1 + confidence) / 2, self.freedom)) * error
        if 2 * reach >= np.log(WIDEST):
            return None
        pvalue = 2 * float(stats.t.sf(abs(estimate) / error, self.freedom))
        low, middle, high = np.exp([estimate - reach, estimate, estimate + reach])
        return float(middle), float(low), float(high), pvalue


def poisson_regression(events: Floats, exposure: Floats, columns: Floats) -> RateFit | None:
    """Log-linear regression of a rate, its errors widened where counts are over-dispersed.

    Parameters
    ----------
    events, exposure : shape (cells,): how often it happened, and over how much time. Cells without
        exposure are left out.
    columns : shape (cells, coefficients); one of them, or a sum of them, is constant.

    Returns
    -------
    The fit; None where the columns do not tell the coefficients apart, one of them has no finite
    estimate, or fewer than three cells are left over.

    Notes
    -----
    Maximum likelihood by Newton's method, with the logarithm of the exposure as offset. Of times
    cut into pieces in which the rate is constant it is the likelihood of a piecewise exponential
    model.

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition, chapter 6.
    Chapman and Hall.
    Friedman, M. (1982). Piecewise exponential models for survival data with covariates. Annals of
    Statistics 10, 101-113.
    """
    used = exposure > 0
    counts, time, design = events[used], exposure[used], columns[used]
    freedom = len(counts) - design.shape[1]
    if freedom < 3 or counts.sum() == 0 or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    start = np.log(counts.sum() / time.sum())
    beta, *_ = np.linalg.lstsq(design, np.full(len(counts), start), rcond=None)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_ITERATIONS):
            fitted = time * np.exp(design @ beta)
            information = design.T @ (fitted[:, None] * design)
            if not np.all(np.isfinite(information)):
                return None
            step = np.linalg.lstsq(information, design.T @ (counts - fitted), rcond=None)[0]
            beta = beta + step
            if np.max(np.abs(step)) < _TOLERANCE:
                break
    # A level without any event has no finite estimate: its fitted counts go to 0.
    if np.max(np.abs(step)) > 1e-6 or np.max(np.abs(beta)) > _LARGEST:
        return None
    dispersion = float(np.sum((counts - fitted) ** 2 / fitted)) / freedom
    covariance = np.linalg.inv(information) * max(1.0, dispersion)
    return RateFit(beta, covariance, dispersion, freedom)
