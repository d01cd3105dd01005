"""The words that mark a generated report as one of performance.

They are the study's (``perf_assets.core.paper.constants``), which a stand-in does not import.
"""

KEYWORDS = (
    "performance regression",
    "regression in performance",
    "degradation",
    "laggy",
    "decline in performance",
    "lower performance",
    "worse performance",
    "worsening performance",
    "bad performance",
    "deterioration",
    "performance bug",
    "poor performance",
    "latency",
    "slowdown",
    "slower",
    "slow",
    "throughput",
    "hit in performance",
    "performance hit",
    "drop in performance",
    "performance drop",
    "worsen performance",
    "worsened performance",
    "memory leak",
    "memory issue",
    "memory usage",
    "gpu usage",
    "cpu usage",
    "response time",
)
