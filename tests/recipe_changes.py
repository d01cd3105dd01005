"""The files that recipes of CONTRIBUTING.md add and change, as a contributor would write them."""

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
            "outcomes.is_rejected\n",
            "outcomes.is_rejected,\n        coalesce(reopened.reopenings, 0) > 0 as is_reopened\n",
        ),
        ("is_rejected\n    from joined", "is_rejected,\n        is_reopened\n    from joined"),
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
            '"is_rejected": False,\n        }',
            '"is_rejected": False,\n            "is_reopened": True,\n        }',
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

FIGURE: Mapping[str, Sequence[Edit]] = {
    "dbt_like_models/marts/activity.yml": [
        (
            "columns:\n",
            """figures:
  activity:
    title: Since when repositories are at rest
    section: data
    place: 5
    draw: rest.months_at_rest
columns:
""",
        )
    ],
    "dbt_like_models/marts/figures/activity.sql": [
        (
            "",
            """select
    repository,
    last_active_month,
    date_diff('month', (last_active_month || '-01')::date, (last_month || '-01')::date) as months
from marts.activity
where dataset = 'live' and is_at_rest
order by months desc, repository
""",
        )
    ],
    "dbt_like_models/marts/figures/activity.verdicts.sql": [
        ("", "select repository, 'at rest since ' || last_active_month\nfrom figure_rows\n")
    ],
    "perf_assets/reports/figures/rest.py": [
        (
            "",
            '''"""Figures of repositories at rest."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import lengths


def months_at_rest(rows: pl.DataFrame) -> list[Spec]:
    """Return the months without activity, a bar for each repository."""
    bars = rows.select(what="repository", value="months")
    return [lengths("Repositories at rest", bars, "months without activity")]
''',
        )
    ],
    "tests/reports/test_figures.py": [
        (
            "",
            """

def test_repositories_at_rest_have_a_verdict_and_a_bar(database: ModelDatabase) -> None:
    rest = activity("2023-06", "2021-02", is_at_rest=True, last_series_month="2021-02")
    insert(database.connection, "marts.activity", [rest])
    drawn = of(database, "marts.activity")
    assert drawn.sentences == ["owner/name: at rest since 2021-02"]
    assert values_of(drawn) == [{"what": "owner/name", "value": 28}]
""",
        )
    ],
}

LINT_RULE: Mapping[str, Sequence[Edit]] = {
    "perf_assets/lint/rules/anomaly_detection.py": [
        (
            "",
            '''"""Anomaly detection of autograd that is on: PA299."""

from collections.abc import Iterator

from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import API_USAGE, Rule


def find(module: Module) -> Iterator[Hit]:
    """Yield the calls of `torch.autograd.set_detect_anomaly`."""
    for call, scope in module.calls:
        if module.resolve(call.func, scope) == "torch.autograd.set_detect_anomaly":
            yield Hit(call, Severity.NOTE, "anomaly detection makes each backward pass slower")


ANOMALY_DETECTION = Rule(
    name="anomaly-detection",
    code="PA299",
    summary="anomaly detection of autograd that is on",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=API_USAGE,
    framework="torch",
)
''',
        )
    ],
    "perf_assets/lint/rules/__init__.py": [
        (
            "from perf_assets.lint.rules.cat_in_loop",
            "from perf_assets.lint.rules.anomaly_detection import ANOMALY_DETECTION\n"
            "from perf_assets.lint.rules.cat_in_loop",
        ),
        ("    SYNCHRONIZE_IN_LOOP,\n)", "    SYNCHRONIZE_IN_LOOP,\n    ANOMALY_DETECTION,\n)"),
    ],
    "docs/checks/anomaly-detection.md": [
        (
            "",
            """# anomaly-detection (PA299)

Anomaly detection of autograd that is on.

## Bad

```python
torch.autograd.set_detect_anomaly(True)
```

## Good

No call.

## Why

Each backward pass keeps and checks more.

## How certain

A note.

## What it does not see

A call through another name.

Source: <https://docs.pytorch.org/docs/stable/autograd.html>
""",
        )
    ],
    "docs/checks/index.md": [
        (
            "\n\n`perf-assets lint --explain",
            "\n| PA299 | [anomaly-detection](anomaly-detection.md) | yes | anomaly detection |"
            "\n\n`perf-assets lint --explain",
        )
    ],
    "tests/lint/corpus/torch/anomaly_detection.py": [
        (
            "",
            "import torch\n\n"
            "torch.autograd.set_detect_anomaly(True)  # expect: anomaly-detection note\n",
        )
    ],
}

QUERY: Mapping[str, Sequence[Edit]] = {
    "sql/repositories_at_rest.sql": [
        (
            "",
            """-- Question: which repositories are at rest, and since when?
-- How to read: one line a repository without an opened or closed issue for a year.
-- Group: data quality
-- Words: archived, inactive

with

parameters as (
    select
        coalesce(getvariable('dataset'), 'live') as dataset -- live or replication
)

select
    repository,
    last_active_month
from marts.activity
inner join parameters using (dataset)
where is_at_rest
order by repository;
""",
        )
    ],
    "tests/schema/test_cookbook.py": [
        (
            "EXPECTED: dict[str, list[tuple[Any, ...]]] = {\n",
            'EXPECTED: dict[str, list[tuple[Any, ...]]] = {\n    "repositories_at_rest": [],\n',
        )
    ],
}

COMMAND: Mapping[str, Sequence[Edit]] = {
    "perf_assets/cli/queries.py": [
        (
            "",
            '''"""The cookbook on the terminal: queries."""

import click

from perf_assets.cli.shell import friendly_errors


@click.command()
@friendly_errors
def queries() -> None:
    """Print the names of all queries of the cookbook.

    perf-assets query NAME runs one of them.
    """
    from perf_assets.schema.models.cookbook import cookbook

    for name in cookbook():
        click.echo(name)
''',
        )
    ],
    "perf_assets/cli/commands.py": [
        ('    "query": "query",\n', '    "query": "query",\n    "queries": "queries",\n')
    ],
    "tests/cli/test_queries.py": [
        (
            "",
            '''"""The command queries."""

from click.testing import CliRunner

from perf_assets.cli.commands import commands


def test_queries_prints_the_names_of_the_cookbook() -> None:
    printed = CliRunner().invoke(commands, ["queries"])
    assert printed.exit_code == 0 and "who_fixes" in printed.output.splitlines()
''',
        )
    ],
}

CHANGES: Mapping[str, Mapping[str, Sequence[Edit]]] = {
    "An analysis": ANALYSIS,
    "A column of a mart": COLUMN,
    "A figure": FIGURE,
    "A lint rule": LINT_RULE,
    "A query": QUERY,
    "A command": COMMAND,
}
"""The files of each recipe, by its name, with what is written into them."""
