"""Constants of the study that perf-assets keeps alive, each with its source.

Makkouk, Kim and Chen: An Empirical Study on Performance Bugs in Deep Learning Frameworks,
ICSME 2022.
"""

# Section III: the keywords that mark a bug report as a performance bug.
KEYWORDS = (
    *("performance regression", "regression in performance", "degradation", "laggy"),
    *("decline in performance", "lower performance", "worse performance"),
    *("worsening performance", "bad performance", "deterioration", "performance bug"),
    *("poor performance", "latency", "slowdown", "slower", "slow", "throughput"),
    *("hit in performance", "performance hit", "drop in performance", "performance drop"),
    *("worsen performance", "worsened performance", "memory leak", "memory issue"),
    *("memory usage", "gpu usage", "cpu usage", "response time"),
)

# Cao et al. (ESEC/FSE 2022), abstract: what became of the problems that its checker found.
PUBLISHED_FINDINGS = {"found": 488, "confirmed": 105, "fixed": 27}

# Section IV: TensorFlow is mined from 2015-11, its series begins in 2016-02.
MONTHS_BEFORE_TREND = 3

PUBLISHED_FILE = "Published file"
"""How the location of a figure begins that is counted in the published file, not printed."""
