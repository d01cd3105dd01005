"""A worked example of textbooks on times to an event."""

from perf_assets.core.statistics.survival import Durations

# Freireich et al. (1963), Blood 21: weeks of remission of 42 children with leukemia, the worked
# example of Kleinbaum and Klein, Survival Analysis, chapter 2: median 23 weeks with 6-MP, 8 with
# placebo, log-rank chi-squared 16.79.
TREATED = Durations(
    [6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35],
    [True] * 9 + [False] * 12,
)
PLACEBO = Durations(
    [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], [True] * 21
)
