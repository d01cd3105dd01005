"""Proposals for keywords: planted words are found, common ones are not."""

import numpy as np
import polars as pl

from perf_assets.core.analyses.keyword_proposals import keyword_proposals, terms_of
from perf_assets.schema import schema_of


def reports(rows):
    """Rows of title, is_performance, matched_labels and matched_keywords."""
    full = [("live", "a/a", *row) for row in rows]
    schema = {
        "dataset": pl.String,
        "repository": pl.String,
        "title": pl.String,
        "is_performance": pl.Boolean,
        "matched_labels": pl.List(pl.String),
        "matched_keywords": pl.List(pl.String),
    }
    return pl.DataFrame(full, schema=schema, orient="row")


def planted(has_labels):
    random = np.random.default_rng(1)
    words = ["model", "layer", "crash", "training", "python", "import", "error", "shape"]
    rows = []
    for place in range(400):
        is_performance = place % 8 == 0
        title = " ".join(random.choice(words, 4))
        if is_performance:
            title += [" leaks memory", " overhead", " slow training"][place // 8 % 3]
        labels = ["performance"] if is_performance and has_labels else []
        keywords = ["slow"] if "slow" in title else []
        by_rule = bool(labels) or bool(keywords)
        rows.append((title, by_rule, labels, keywords))
    return rows


def test_words_of_performance_bugs_are_proposed_and_common_ones_are_not():
    table = keyword_proposals(reports(planted(has_labels=True))).filter(repository="a/a")
    assert table.schema == schema_of("analysis.keyword_proposals")
    terms = set(table["term"])
    assert {"leaks", "memory", "leaks memory", "overhead", "slow"} <= terms
    assert not {"model", "crash", "shape"} & terms
    assert set(table["taught_by"]) == {"performance_labels"}
    assert table["z"].to_list() == sorted(table["z"], reverse=True)
    assert table["rank"].to_list() == list(range(1, table.height + 1))


def test_a_proposal_says_whether_it_is_covered_and_what_the_rule_misses():
    table = keyword_proposals(reports(planted(has_labels=True))).filter(repository="a/a")
    covered = dict(table.select("term", "is_covered").iter_rows())
    assert covered["slow"]
    assert covered["slow training"]
    assert not covered["overhead"]
    missed = [
        (title, False, [], []) if "overhead" in title else (title, *rest)
        for title, *rest in planted(has_labels=True)
    ]
    table = keyword_proposals(reports([*planted(has_labels=True), *missed]))
    row = table.filter(repository="a/a", term="overhead").row(0, named=True)
    assert row["titles_missed"] == row["titles_other"] == row["titles_performance"]


def test_without_labels_of_the_project_the_rule_teaches():
    table = keyword_proposals(reports(planted(has_labels=False)))
    assert set(table["taught_by"]) == {"rule_of_the_study"}
    assert "overhead" not in set(table["term"])


def test_a_term_is_a_word_or_two_that_follow_each_other():
    assert list(terms_of("GPU leaks: memory!")) == [
        "gpu",
        "leaks",
        "memory",
        "gpu leaks",
        "leaks memory",
    ]


def test_words_with_something_between_them_are_not_a_pair() -> None:
    assert "in workers" not in set(terms_of("Leak in 2 workers"))


def test_data_without_titles_propose_nothing():
    bare = reports([(None, True, [], [])])
    assert keyword_proposals(bare).is_empty()
