"""What changed in the newest month of each repository, and of each forum: numbers and links."""

from collections.abc import Callable, Iterator
from typing import Any

import duckdb

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.document import Item, Part, Tile
from perf_assets.reports.figures.trends import TESTS
from perf_assets.reports.top_repositories import passed_over
from perf_assets.schema.frames import frame_of
from perf_assets.storage.lake_rows import lake_rows, names_any

MOST = 10
"""Things in a list; the rest is counted."""

Row = dict[str, Any]

LAST = """with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)
"""
NUMBERS = """
select
    repository, month, is_complete, opened_performance, opened_total, newly_fixed_performance,
    newly_fixed_total, open_performance, open_total,
    round(open_percentage, 1) as open_percentage,
    lag(open_performance) over months as open_before,
    median(opened_performance) over year_before as opened_median,
    median(newly_fixed_performance) over year_before as fixed_median,
    activity.is_at_rest, activity.last_month, activity.archived_month
from marts.trend_monthly
inner join marts.activity as activity using (dataset, repository)
where dataset = 'live'
window
    months as (partition by repository order by month),
    year_before as (
        partition by repository order by month rows between 12 preceding and 1 preceding
    )
qualify row_number() over (partition by repository order by month desc) = 1
order by repository
"""
OPENED = f"""
{LAST}
select
    issues.repository, issues.number, issues.title, issues.html_url, metrics.comments,
    list_concat(issues.matched_labels, issues.matched_keywords) as marked_by,
    issues.strength
from last_months
inner join marts.issue_history as history using (dataset, repository, month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
left join marts.bug_metrics as metrics
    on metrics.dataset = issues.dataset and metrics.repository = issues.repository
    and metrics.number = issues.number
where
    history.opened_month = history.month and history.is_bug_report and history.is_performance
order by issues.repository, issues.strength <> 'strong', metrics.comments desc, issues.number
"""
FIXED = f"""
{LAST}
select
    issues.repository, issues.number, issues.title, issues.html_url,
    round(metrics.fix_time_days, 1) as days, metrics.fix_size as changed_lines
from last_months
inner join marts.issue_history as history using (dataset, repository, month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
left join marts.bug_metrics as metrics
    on metrics.dataset = issues.dataset and metrics.repository = issues.repository
    and metrics.number = issues.number
where
    history.is_bug_report and history.is_performance and history.is_fixed
    and strftime(history.closed_at at time zone 'UTC', '%Y-%m') = history.month
order by issues.repository, metrics.fix_time_days desc nulls last, issues.number
"""
DISCUSSED = f"""
{LAST}
select
    issues.repository, issues.number, issues.title, issues.html_url, issues.state,
    count(*) as comments, count(distinct comments.author) as people
from last_months
inner join raw.issue_comments as comments
    on comments.repository = last_months.repository
    and strftime(comments.created_at at time zone 'UTC', '%Y-%m') = last_months.month
    and comments.author_type is distinct from 'Bot'
inner join staging.bug_reports as issues
    on issues.dataset = last_months.dataset and issues.repository = comments.repository
    and issues.number = comments.number
where issues.is_performance
group by all
order by issues.repository, comments desc, people desc, issues.number
"""
WAITING = f"""
{LAST}
select
    issues.repository, issues.number, issues.title, issues.html_url,
    date_diff(
        'day', issues.opened_at at time zone 'UTC',
        (last_months.month || '-01')::timestamp + interval 1 month
    ) as days_open
from last_months
inner join marts.issue_history as history
    on history.dataset = last_months.dataset and history.repository = last_months.repository
    and history.month <= last_months.month
    and (history.until_month is null or history.until_month > last_months.month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
where history.is_bug_report and history.is_performance and history.state = 'open'
order by issues.repository, days_open desc, issues.number
"""
ASKED = """
select
    questions.forum, questions.question_id, questions.title, questions.html_url, questions.month,
    questions.views, questions.score, waits.is_answered
from staging.questions as questions
inner join intermediate.question_answer_times as waits using (forum, question_id)
where
    questions.is_performance
    and questions.month = (
        select max(month) from staging.forum_months as loaded
        where loaded.forum = questions.forum
    )
order by questions.forum, questions.views desc nulls last, questions.question_id
"""


def read_news(connection: duckdb.DuckDBPyConnection) -> list[Part]:
    """A part of numbers for each repository, and one for each list that has anything in it."""
    left_out = passed_over(connection)
    numbers = [row for row in read_rows(connection, NUMBERS) if row["repository"] not in left_out]
    lists = [
        ("new", "New performance bugs", OPENED, _opened),
        ("fixed", "Fixed, slowest first", FIXED, _fixed),
        ("discussed", "Most discussed in the month", DISCUSSED, _discussed),
        ("waiting", "Open longest", WAITING, _waiting),
    ]
    elsewhere = lake_rows(connection)
    lists = [one for one in lists if not names_any(one[2], elsewhere)]
    found = {name: read_rows(connection, query) for name, _, query, _ in lists}
    trends = [row for row in read_rows(connection, TESTS) if row["series"] == "opened"]
    parts = []
    for index, row in enumerate(numbers):
        of = row["repository"]
        parts.append(
            Part(
                name=f"month-{index}",
                title=f"{of}, {row['month']}",
                words=list(_notes(row)),
                tiles=[*_tiles(row), *(_verdict(one) for one in trends if one["repository"] == of)],
                queries={"the numbers": NUMBERS.strip(), "the verdict": TESTS.strip()},
            )
        )
        for name, title, query, words in lists:
            those = [one for one in found[name] if one["repository"] == of]
            if those:
                parts.append(_listed(f"{name}-{index}", title, of, those, query, words))
    return parts


def read_questions(connection: duckdb.DuckDBPyConnection) -> list[Part]:
    """The performance questions of the newest month of each forum, the most viewed first."""
    rows = read_rows(connection, ASKED)
    forums = list(dict.fromkeys(row["forum"] for row in rows))
    return [
        _listed(
            f"asked-{index}",
            "Performance questions of the month",
            f"{forum}, {those[0]['month']}",
            those,
            ASKED,
            _question_item,
        )
        for index, forum in enumerate(forums)
        if (those := [row for row in rows if row["forum"] == forum])
    ]


def read_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    """The rows of ``query``, by the names of their columns."""
    return frame_of(connection.sql(query)).to_dicts()


def _notes(row: Row) -> Iterator[str]:
    if row["archived_month"]:
        yield f"Archived on GitHub in {row['archived_month']}: nothing can be reported any more."
    if row["is_at_rest"]:
        yield (
            f"At rest: no issue was opened or closed from then to {row['last_month']}. This is its "
            "last month with activity, and all series end with it."
        )
    if not row["is_complete"]:
        yield f"Months before {row['month']} are missing."


def _tiles(row: Row) -> Iterator[Tile]:
    yield Tile(
        f"{row['opened_performance']:,}",
        "new performance bugs",
        f"of {row['opened_total']:,} bug reports{_usual(row['opened_median'])}",
    )
    yield Tile(
        f"{row['newly_fixed_performance']:,}",
        "performance bugs fixed",
        f"of {row['newly_fixed_total']:,} bugs fixed{_usual(row['fixed_median'])}",
    )
    change = "" if row["open_before"] is None else row["open_performance"] - row["open_before"]
    yield Tile(
        f"{row['open_performance']:,}",
        "performance bugs open",
        f"{change:+,} in the month" if change else "",
    )
    if row["open_percentage"] is not None:
        yield Tile(
            f"{row['open_percentage']:.1f} %",
            "of the open bug reports",
            f"{row['open_performance']:,} of {row['open_total']:,}",
        )


def _verdict(row: Row) -> Tile:
    if row["is_too_few"]:
        reason = row["result"].removeprefix("too few to test: ")
        return Tile("too few", "to test whether their share changes", reason)
    odds = f"odds x {row['odds_a_year']:.2f} a year" if row["odds_a_year"] else "no estimate"
    return Tile(row["verdict"], "share among new bug reports", f"{odds}, over all months")


def _usual(median: float | None) -> str:
    return "" if median is None else f"; {median:,.3g} in the median of the year before"


def _listed(
    name: str,
    title: str,
    of: str,
    rows: list[Row],
    query: str,
    words: Callable[[Row], str],
) -> Part:
    items = [
        Item(
            f"#{row['number']}" if "number" in row else "",
            escape_text(row["title"] or "without a title"),
            row["html_url"] or "",
            words(row),
        )
        for row in rows[:MOST]
    ]
    return Part(
        name=name,
        title=title,
        of=of,
        items=items,
        left_out=max(0, len(rows) - MOST),
        queries={"the list": query.strip()},
    )


def _opened(row: Row) -> str:
    marked = ", ".join(map(escape_text, row["marked_by"] or []))
    by = f"; marked by {marked} ({row['strength']})" if marked else ""
    return f"{_counted(row['comments'] or 0, 'comment')}{by}"


def _fixed(row: Row) -> str:
    days = "" if row["days"] is None else f"after {_counted(row['days'], 'day')}"
    size = "" if row["changed_lines"] is None else _counted(row["changed_lines"], "changed line")
    return ", ".join(filter(None, (days, size)))


def _discussed(row: Row) -> str:
    people = "1 person" if row["people"] == 1 else f"{row['people']:,} people"
    return f"{_counted(row['comments'], 'comment')} by {people}; {row['state']} now"


def _waiting(row: Row) -> str:
    return f"open for {_counted(row['days_open'], 'day')} at the end of the month"


def _question_item(row: Row) -> str:
    views = "" if row["views"] is None else f"{_counted(row['views'], 'view')}, "
    return f"{views}score {row['score']}, {'answered' if row['is_answered'] else 'no answer yet'}"


def _counted(number: float, word: str) -> str:
    return f"{number:,.4g} {word}{'' if number == 1 else 's'}"
