"""docs/rules.md: every rule that rows are held to, and what it costs when real data break it."""

from collections import Counter
from collections.abc import Iterator

from perf_assets.reports.markdown_table import markdown_table
from perf_assets.schema import declared
from perf_assets.storage.audit.auditing import (
    FEW_ROWS,
    MOST_OF_ROWS,
    cost_of,
    may_set_aside,
)
from perf_assets.storage.audit.suites import Suite, load_suite

COSTS = ("the row", "the partition", "the table", "nothing")
HEAD = """# Rules, and what a breach costs

Every row is held to the rules of its table before it is stored: to those that follow from the
declaration in `dbt_like_models/`, and to those of `expectations/`. Real trackers break some of
them. A rule that a row breaks costs that row, never the study.
"""
MEANINGS = (
    (
        "the row",
        "it is set aside, with what belongs to it: kept in `quarantine/`, counted in "
        "`meta.audit_results`, named in `meta.audit_findings`",
        "its partition is stored, all is computed and published, exit code 0",
    ),
    (
        "the partition",
        "nothing of the month of the repository is replaced: what was refused is kept in "
        "`quarantine/`, the rows of the last good load stay",
        "all else is stored, computed and published, exit code 1",
    ),
    (
        "the table",
        "it is not available, and neither is what is made from it: the rows are those of the last "
        "run that had it, and `meta.derived_audits` says why",
        "all else is computed and published, exit code 1",
    ),
    ("nothing", "a warning is counted and shown", "everything"),
)
LIMITS = f"""
At most {FEW_ROWS} rows of a partition or table are set aside, or {MOST_OF_ROWS:.0%} of them where
that is more. Where more rows break rules, the source or perf-assets has changed, and all of them
are refused. Rules about the set (how many rows there are, whose they are, what most of them keep)
refuse it whole. Of rows with one key the first stays. A point of a series costs the series: one
with a hole would be tested as if it had none.

The report, the summary of a run, `perf-assets status` and the checks of the Dagster UI say how many
rows are set aside, and which tables are not available. Written by `make reference`.

## What real sources do

Most oddities never reach a rule: what reads a source corrects them and says so, or sets the entry
aside with its reason (`raw.issue_gaps`, `raw.rejected_posts`, `raw.commits.unreadable`).
`tests/odd_rows.py` plants one of each kind into a sample, and `tests/pipeline/test_odd_rows.py`
holds that all other rows are as without it.
"""
SEEN = (
    (
        "a comment older than its issue",
        "imports set both times; an issue that is moved brings its comments "
        "([open-digger#1086](https://github.com/X-lab2017/open-digger/pull/1086))",
        "stored; the wait for it is 0; counted as `comments_before_their_issue` in "
        "`marts.integrity_checks`; no sign of a bot",
    ),
    (
        "closed before it was opened",
        "imports set both times; reported of other tools as negative times of review "
        "([athenian-api#1550](https://github.com/athenianco/athenian-api/pull/1550))",
        "taken as closed when opened; a gap of `closed_at`",
    ),
    (
        "closed, and nothing says when",
        "exports leave it out ([minibeads#7](https://github.com/rrnewton/minibeads/issues/7))",
        "the last `closed` event, else the issue is set aside",
    ),
    (
        "an event before the opening",
        "an issue that is moved keeps its own time, events are those of both places "
        "([deepagents#5429](https://github.com/langchain-ai/deepagents/pull/5429))",
        "taken as at the opening",
    ),
    (
        "a time that is to come",
        "clocks of importing programs; of commits any clock "
        "([codecov/shared#32](https://github.com/codecov/shared/pull/32))",
        "a comment or event is set aside; `closed_at` and `updated_at` are taken as of the last "
        "change; a commit is of its month, which no study has",
    ),
    (
        "a label renamed or deleted in the repository",
        "GitHub changes the issues and tells no event "
        "([isaacs/github#298](https://github.com/isaacs/github/issues/298), "
        "[HubTurbo#584](https://github.com/HubTurbo/HubTurbo/issues/584))",
        "inferred from issues whose labels and events disagree, marked in "
        "`intermediate.label_changes.is_inferred` and `marts.issue_history.inferred_labels`; "
        "counted as `labels_without_an_event`",
    ),
    (
        "an author time before 1970, after the commit, or in a zone that there is not",
        "old tools and conversions "
        "([jnr-posix#193](https://github.com/jnr/jnr-posix/issues/193), "
        "[grundgesetz#1](https://github.com/c3e/grundgesetz/issues/1))",
        "stored; warnings `authored_not_after_committed` and `author_time_is_set`",
    ),
    (
        "one id twice",
        "an issue that changes while pages are read; exports that were joined",
        "the first counts; an id that another month holds is set aside there",
    ),
    (
        "an account that is gone, or of an unknown kind",
        "GitHub shows the former as ghost, and adds kinds",
        "one deleted account for all; an unknown kind is a gap, and NULL",
    ),
    (
        "fewer entries than announced",
        "what is hidden or deleted while pages are read",
        "a gap with the number of entries",
    ),
    (
        "control characters, half of a pair, very long texts",
        "texts of people; dumps hold references to characters that XML does not allow",
        "the character is replaced; no text is refused, and none takes longer than its length",
    ),
    (
        "a question without a date",
        "rows of dumps that were damaged",
        "`raw.rejected_posts`, with the reason",
    ),
)


def rules_markdown() -> str:
    """The page: what a breach costs, what real sources do, and a table of each table's rules."""
    suites = [load_suite(table.name) for table in declared().values() if not table.is_view]
    seen = markdown_table(("what", "where it is from", "what becomes of it"), SEEN, cell=str)
    costs = markdown_table(("a breach costs", "what is done", "what goes on"), MEANINGS, cell=str)
    parts = [HEAD, costs, LIMITS, seen + "\n", "\n".join(_counted(suites))]
    for suite in suites:
        parts.append("\n".join(_of_table(suite)))
    return "\n".join(parts)


def _counted(suites: list[Suite]) -> Iterator[str]:
    """How many rules of each layer cost what."""
    costs: dict[str, Counter[str]] = {}
    for suite in suites:
        layer = costs.setdefault(suite.table.schema_name, Counter())
        layer.update(cost_of(suite.table, rule) for rule in suite.rules)
    rows = [
        (layer, str(found.total()), *(str(found[cost]) for cost in COSTS))
        for layer, found in costs.items()
    ]
    total = sum(costs.values(), Counter[str]())
    rows.append(("all", str(total.total()), *(str(total[cost]) for cost in COSTS)))
    yield "## How many rules cost what\n"
    yield markdown_table(("layer", "rules", *COSTS), rows, cell=str) + "\n"


def _of_table(suite: Suite) -> Iterator[str]:
    yield f"## {suite.table.name}\n"
    rows = [(f"`{rule.name}`", cost_of(suite.table, rule), rule.note) for rule in suite.rules]
    cost = "the row" if may_set_aside(suite.table) else "the table"
    rows += [(f"`{one}`", cost, "A condition of the database.") for one in suite.table.constraints]
    yield markdown_table(("rule", "costs", "why"), rows, cell=str) + "\n"
