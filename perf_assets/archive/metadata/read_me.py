"""``README.md``: what an archive is, for the people who open it."""

from perf_assets.archive.description import (
    MEANINGS,
    ArchivedTable,
    Description,
    Source,
    in_utc,
)
from perf_assets.archive.metadata.citation import PAPERS
from perf_assets.archive.metadata.texts import FOLDERS, folder_of
from perf_assets.base.sanitize import for_markdown
from perf_assets.reports.markdown_table import markdown_table

# What most people look at first; the first of them that is there is the example.
BEST_KNOWN = ("marts.trend_monthly", "marts.bug_metrics")


def read_me(description: Description) -> str:
    """Return the text of ``README.md``."""
    sections = [
        f"# {for_markdown(description.title)}\n\n{for_markdown(description.abstract)}",
        _sources(description),
        _contents(description),
        _tables(description),
        _checking(description),
        _citing(description),
        _people(description),
        _limits(description),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _sources(description: Description) -> str:
    columns = ("source", "months", "read last", "newest commit")
    table = markdown_table(columns, map(_row, description.sources), cell=str)
    return "\n".join(
        [
            "## How it was made",
            "",
            f"By perf-assets {description.version}, from what the services gave at "
            f"these times, and published at {description.published}. The study file in `study/` "
            "says the rules.",
            "",
            table,
        ]
    )


def _row(source: Source) -> tuple[str, ...]:
    read_at = "" if source.read_at is None else in_utc(source.read_at)
    commit = "" if source.commit is None else f"`{for_markdown(source.commit)}`"
    name = f"[{for_markdown(source.name)}](<{source.uri}>)"
    return name, source.months, read_at, commit


def _contents(description: Description) -> str:
    paths = [file.path for file in description.files]
    folders = [folder for folder in FOLDERS if any(folder_of(path) == folder for path in paths)]
    lines = [
        *(f"- `{folder}/`: {FOLDERS[folder]}" for folder in folders),
        *(
            f"- `{path}`: {meaning}"
            for path, meaning in MEANINGS.items()
            if path in paths and folder_of(path) is None
        ),
        "- `LICENSES.md`: a note on the terms of each part; `CITATION.cff`: how to cite it.",
        "- `ro-crate-metadata.json`, `datapackage.json`, `croissant.json`: the same for programs.",
    ]
    return "\n".join(["## What is in it", "", *lines])


def _tables(description: Description) -> str | None:
    if not description.tables:
        return None
    example = _example(description.tables)
    return f"""## Open a table

{len(description.tables):,} tables with {sum(table.rows for table in description.tables):,} rows. \
`dictionary.html` says what each column means; `datapackage.json` has the same for programs.

DuckDB:

```sql
SELECT * FROM '{example.file.path}' LIMIT 5;
ATTACH 'perf_bugs.duckdb' (READ_ONLY); FROM perf_bugs.{example.table.name} LIMIT 5;
```

pandas:

```python
import pandas
pandas.read_parquet("{example.file.path}")
```

R:

```r
arrow::read_parquet("{example.file.path}")
```"""


def _example(tables: tuple[ArchivedTable, ...]) -> ArchivedTable:
    by_name = {table.table.name: table for table in tables}
    return next((by_name[name] for name in BEST_KNOWN if name in by_name), tables[0])


def _checking(description: Description) -> str:
    wheel = next((file for file in description.files if file.path.endswith(".whl")), None)
    text = f"""## Check it

`perf-assets check-archive THIS.zip`, by the release {description.version} of perf-assets, computes
labels, links, models and statistics again from the raw tables, without a network, and says of each
table and each figure of the report whether it is equal, which rows differ, or why it cannot be
computed again. Install perf-assets from where its releases are."""
    if wheel is None:
        return text
    return f"""{text}

`{wheel.path}` is the perf-assets that made this archive, and `software/requirements.lock` has the
versions of all that it needs. Both are files of the archive's maker: what is installed runs
with all your rights. Before you install the wheel, compare its SHA-256, which is

    {wheel.sha256}

with that of the same file of the release."""


def _citing(description: Description) -> str:
    names = ", ".join(map(for_markdown, description.makers))
    papers = [f"- {for_markdown(paper.citation)}" for paper in PAPERS]
    return "\n".join(
        [
            "## Cite it",
            "",
            f"{names}: *{for_markdown(description.title)}*. Version {description.edition}, made "
            f"by perf-assets {description.version}. (`CITATION.cff` has the same for "
            "programs.) Where you use what they found or how, cite the papers too:",
            "",
            *papers,
        ]
    )


def _people(description: Description) -> str:
    accounts = (
        "Accounts, names and addresses of people are pseudonyms, the same one for the same person "
        "in all tables. The key by which they were made is not in here."
        if description.is_pseudonymised
        else "Accounts and names of people are as the sources have them."
    )
    texts = (
        "Texts are as the sources have them."
        if description.has_texts
        else "Titles and bodies were left out; the links to the sources lead to them."
    )
    secrets = (
        f" In {description.removed_secrets:,} places a password or token that somebody had pasted "
        "is replaced by `[secret removed]`."
        if description.removed_secrets
        else ""
    )
    return f"## People and texts\n\n{accounts} {texts}{secrets}"


def _limits(description: Description) -> str:
    known = [
        "What was deleted, moved away or made private before it was first read is not in here.",
        "Texts, labels and states are as they were when they were read last; what was there before "
        "is known by the events of the source alone.",
        "Which report is about performance is decided by rules, on labels and words: "
        "`labels.label_evidence` has the reason for each, `analysis.labelling_quality` how often "
        "people agreed, where they were asked.",
        "A fix that no text, event or pull request links to its report is not found.",
        "Statistics compare what was reported. They say nothing of bugs that nobody reported, and "
        "no cause follows from them.",
    ]
    return "\n".join(["## Known limits", "", *(f"- {limit}" for limit in known)])
