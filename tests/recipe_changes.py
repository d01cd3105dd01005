"""What somebody writes who follows a recipe of CONTRIBUTING.md: an analysis, a column of a mart."""

from collections.abc import Mapping, Sequence

Edit = tuple[str, str]
"""A text of a file, and what replaces it; an empty text stands for the end of the file."""

ANALYSIS: Mapping[str, Sequence[Edit]] = {
    "perf_assets/core/analyses/reopened_bugs.py": [
        (
            "",
            '''"""How many bug reports were reopened."""

import polars as pl

from perf_assets.schema import schema_of


def reopened_bugs(bug_metrics: pl.DataFrame) -> pl.DataFrame:
    """``analysis.reopened_bugs`` from ``marts.bug_metrics``: dataset, repository, reopenings."""
    schema = schema_of("analysis.reopened_bugs")
    counted = bug_metrics.group_by("dataset", "repository", maintain_order=True).agg(
        bugs=pl.len(), reopened=(pl.col("reopenings") > 0).sum()
    )
    return counted.cast(dict(schema))
''',
        )
    ],
    "dbt_like_models/analysis/reopened_bugs.yml": [
        (
            "",
            """description: How many bug reports were reopened.
key: [dataset, repository]
key_why: One row for each repository.
analysis:
  function: perf_assets.core.analyses.reopened_bugs.reopened_bugs
  reads:
    marts.bug_metrics: [dataset, repository, number, reopenings]
figures:
  reopened_bugs:
    title: How many bug reports were reopened
    section: quality
    place: 160
columns:
  dataset:
    description: Where the data come from; live (mined) or replication (published).
  repository:
  bugs:
    type: BIGINT
    description: Bug reports.
  reopened:
    type: BIGINT
    description: Those that were reopened.
    max: bugs
    why: They are some of the bug reports.
""",
        )
    ],
    "dbt_like_models/analysis/figures/reopened_bugs.sql": [
        (
            "",
            "select repository, bugs, reopened\nfrom analysis.reopened_bugs\n"
            "where dataset = 'live'\n",
        )
    ],
    "dbt_like_models/analysis/figures/reopened_bugs.verdicts.sql": [
        ("", "select repository, reopened || ' of ' || bugs\nfrom figure_rows\n")
    ],
    "tests/core/analyses/test_reopened_bugs.py": [
        (
            "",
            '''"""How many bug reports were reopened."""

import polars as pl

from perf_assets.core.analyses.reopened_bugs import reopened_bugs


def test_reopened_bugs_are_counted() -> None:
    bugs = pl.DataFrame({"dataset": "live", "repository": "a/b", "reopenings": [0, 2, 1]})
    assert reopened_bugs(bugs).rows() == [("live", "a/b", 3, 2)]
''',
        )
    ],
    "tests/storage/good_rows.py": [
        (
            '    "analysis.paper_comparison": [\n',
            '    "analysis.reopened_bugs": [\n'
            '        {"dataset": "live", "repository": REPOSITORY, "bugs": 3, "reopened": 2}\n'
            "    ],\n"
            '    "analysis.paper_comparison": [\n',
        )
    ],
}

COLUMN: Mapping[str, Sequence[Edit]] = {
    "dbt_like_models/marts/bug_metrics.sql": [
        (
            "as reopenings\n    from bug_reports",
            "as reopenings,\n        coalesce(reopened.reopenings, 0) > 0 as is_reopened\n"
            "    from bug_reports",
        ),
        ("reopenings\n    from joined", "reopenings,\n        is_reopened\n    from joined"),
    ],
    "dbt_like_models/marts/bug_metrics.yml": [
        (
            "constraints:\n",
            "  is_reopened:\n    type: BOOLEAN\n    description: Whether it was reopened.\n"
            "constraints:\n",
        )
    ],
    "tests/schema/test_units.py": [
        (
            '"reopenings": 1,\n        }',
            '"reopenings": 1,\n            "is_reopened": True,\n        }',
        )
    ],
    "perf_assets/stand_ins/generator/truth.py": [
        (
            '"reopenings": len(issue.reopenings),\n',
            '"reopenings": len(issue.reopenings),\n'
            '        "is_reopened": bool(issue.reopenings),\n',
        )
    ],
}

CHANGES: Mapping[str, Mapping[str, Sequence[Edit]]] = {
    "An analysis": ANALYSIS,
    "A column of a mart": COLUMN,
}
"""The files of each recipe, by its name, with what is written into them."""
