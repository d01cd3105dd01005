"""Words that titles of performance bugs have more often than others: proposals for the keywords."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import log, sqrt

import polars as pl

from perf_assets.core.analyses.group_samples import by_repository_and_pooled
from perf_assets.schema import schema_of

WORD = re.compile(r"[a-z][a-z'-]+")
ANY = re.compile(r"[\w'-]+")
ENOUGH_LABELLED = 20
"""Reports with a performance label from which on these alone teach the words.

The study's own keywords would find themselves.
"""
LEAST_REPORTS = 3
LEAST_Z = 1.96
MOST_PROPOSALS = 50
PRIOR = 500.0
"""Words that the prior is worth."""


def keyword_proposals(bug_reports: pl.DataFrame) -> pl.DataFrame:
    """Words, and pairs of them, that set titles of performance bugs apart from others.

    Parameters
    ----------
    bug_reports : ``staging.bug_reports``: dataset, repository, title (NULL where there are no
        texts), is_performance, matched_labels, matched_keywords.

    Returns
    -------
    ``analysis.keyword_proposals``: for each dataset with texts and repository (and pooled) up to
    :data:`MOST_PROPOSALS` terms, the surest first. What a performance bug is, the performance
    labels of the project say where at least :data:`ENOUGH_LABELLED` bug reports carry one, else the
    rule of the study.

    Notes
    -----
    Log-odds ratio of a term in titles of either kind, with a Dirichlet prior of the words of all
    titles, by its standard error (Monroe and others, equations 15 to 22). A term is counted once a
    title.

    References
    ----------
    Monroe, B. L., Colaresi, M. P. and Quinn, K. M. (2008). Fightin' words: lexical feature
    selection and evaluation for identifying the content of political conflict. Political Analysis
    16, 372-403.
    """
    rows = [
        (dataset, repository, rank, *row)
        for dataset, repository, reports in by_repository_and_pooled(
            bug_reports.filter(pl.col("title").is_not_null())
        )
        for rank, row in enumerate(_proposals(reports), 1)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.keyword_proposals"), orient="row")


def _proposals(reports: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    has_label = pl.col("matched_labels").list.len() > 0
    is_taught = reports.filter(has_label).height >= ENOUGH_LABELLED
    teacher = "performance_labels" if is_taught else "rule_of_the_study"
    taught = has_label if is_taught else pl.col("is_performance")
    titles = reports.select("title", "is_performance", taught=taught)
    counts = {True: Counter[str](), False: Counter[str]()}
    missed = Counter[str]()
    for title, is_performance, kind in titles.iter_rows():
        terms = set(terms_of(title))
        counts[kind].update(terms)
        if not is_performance:
            missed.update(terms)
    keywords = set(reports["matched_keywords"].explode().drop_nulls())
    scored = sorted(_scored(counts[True], counts[False]), key=lambda row: (-row[-1], row[0]))
    for term, own, others, ratio, z in scored[:MOST_PROPOSALS]:
        is_covered = any(keyword in term for keyword in keywords)
        yield term, teacher, own, others, missed[term], ratio, z, is_covered


def terms_of(title: str) -> Iterable[str]:
    """Yield the words of a title, without case, and the pairs of those that follow each other."""
    tokens = ANY.findall(title.casefold())
    words = [token if WORD.fullmatch(token) else None for token in tokens]
    yield from filter(None, words)
    yield from (f"{first} {second}" for first, second in pairwise(words) if first and second)


def _scored(
    own: Counter[str], others: Counter[str]
) -> Iterator[tuple[str, int, int, float, float]]:
    both = own + others
    total, n_own, n_others = both.total(), own.total(), others.total()
    if not others or len(both) < 2:  # nothing sets one kind apart
        return
    for term, n in own.items():
        if n < LEAST_REPORTS:
            continue
        prior = PRIOR * both[term] / total
        first, second = n + prior, others[term] + prior
        ratio = log(first / (n_own + PRIOR - first)) - log(second / (n_others + PRIOR - second))
        z = ratio / sqrt(1 / first + 1 / second)
        if z >= LEAST_Z:
            yield term, n, others[term], ratio, z
