"""The tools of the MCP server as plain functions: each returns an answer, or raises one sentence.

Every query is one of the cookbook, and runs as ``perf-assets query`` runs it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import Field

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.dictionary import find_table, first_sentence, kind_of, meaning_of
from perf_assets.reports.query_result import QueryResult
from perf_assets.reports.query_runner import run_query
from perf_assets.reports.sql_files import sql_of
from perf_assets.schema import Column, Table
from perf_assets.schema.models.cookbook import GROUPS, cookbook, parse_query_file, search
from perf_assets.schema.models.files import described_tables
from perf_assets.web.mcp.answers import (
    MOST_BYTES,
    MOST_ROWS,
    Answer,
    Asked,
    answer,
    of_server,
    parameters_of,
    question_of,
    text_of,
)

BUG, HISTORY = "everything_about_one_bug", "one_bug_traced"
MONTH = "one_month_summed_up"
SIDE_BY_SIDE, TESTED = "two_repositories_side_by_side", "repositories_compared"
LABELLING = "labelling_changes"
PUBLICATION = "publication"
MOST_COMPARED = 10

FEWER = "list_questions has them for fewer questions: give words, or a group"
INCOMPLETE = (
    "Not every month up to this one is loaded, or the series has not begun (is_complete, "
    "missing_months): these figures are too low or missing, and not comparable with others."
)
OF_MONTHS = (
    "Reports of the newer month had less time to be fixed.",
    "No published test compares two single months: analysis.trend_tests tests the whole series, "
    "and alerts name changes of its level.",
)
RELABELLED = (
    "The way of labelling changed between the two months (labelling): a difference may show the "
    "labelling rather than the project."
)
OF_REPOSITORIES = (
    "Repositories differ in who reports and how they label: the figures side by side do not allow "
    "for that; adjusted_effect of tests does, by year, reporter and size of the fix.",
)
UNTESTED = "Of some of these pairs no test is published: their differences may be chance."

Words = Annotated[str, Field(description="Words of the question; every one has to occur.")]
Group = Annotated[str, Field(description=f"One of {', '.join(GROUPS)}.")]
Name = Annotated[str, Field(description="Name of the query, as list_questions has it.")]
Values = Annotated[
    dict[str, str | int],
    Field(description="Parameters of the query by name, as list_questions describes them."),
]
Rows = Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows to show at most.")]
Described = Annotated[
    str, Field(description="schema.table, table, table.column, or column; empty lists all tables.")
]
Repository = Annotated[str, Field(description="The repository, as owner/name.")]
Number = Annotated[int, Field(ge=1, description="Number of the issue.")]
OneMonth = Annotated[str, Field(description="As YYYY-MM; empty for the last complete month.")]
OneOrAll = Annotated[str, Field(description="The repository, as owner/name; empty for all.")]
Repositories = Annotated[
    list[str], Field(min_length=1, max_length=MOST_COMPARED, description="As owner/name.")
]
Months = Annotated[
    list[str], Field(max_length=2, description="Of one repository: two months, as YYYY-MM.")
]


class Tools:
    """What an assistant can ask of a published database, which each call opens anew."""

    def __init__(self, database: Path) -> None:
        """Ask the database at ``database``, which need not be there yet."""
        self._database = database
        self._lock = Lock()

    def list_questions(self, words: Words = "", group: Group = "") -> Answer:
        """List the named queries that ask can run.

        Without words and group it has names and questions; with one of them also how to read the
        answers, and each parameter with its kind, default and meaning.
        """
        if group and group not in GROUPS:
            raise PerfAssetsError(f"group: {group!r} is not a group; {nearest(group, GROUPS)}")
        found = [
            query for query in search(cookbook().values(), words) if group in ("", query.group)
        ]
        if not found:
            raise PerfAssetsError(
                "no question has these words; list_questions without words lists all"
            )
        if words or group:
            full = [
                {**question_of(query), "group": query.group, "parameters": parameters_of(query)}
                for query in found
            ]
            if len(text_of(full).encode()) < MOST_BYTES:
                return of_server(questions=full)
        short = [
            {"query": query.name, "group": query.group, "question": query.question}
            for query in found
        ]
        return of_server(questions=short, how_to_read_and_parameters=FEWER)

    def ask(self, query: Name, parameters: Values | None = None, rows: Rows = 50) -> Answer:
        """Run a named query, with parameters where it has some. SQL is not accepted."""
        if query not in cookbook():
            raise PerfAssetsError(
                f"{query!r}: there is no such query; {nearest(query, cookbook())}; list_questions "
                "lists all, and SQL is not accepted"
            )
        values = {name: str(value) for name, value in (parameters or {}).items()}
        with self._one_publication():
            return self._answer([self._asked("rows", query, values)], values, rows=rows)

    def describe(self, name: Described = "") -> Answer:
        """Say what a table or column means: type, unit, key. Without a name it lists all tables."""
        tables = described_tables()
        if not name:
            main = [each for each in tables.values() if each.is_main]
            return of_server(
                main_tables={each.name: first_sentence(each.description) for each in main},
                other_tables=[each.name for each in tables.values() if not each.is_main],
            )
        head, _, last = name.rpartition(".")
        schemas = {each.schema_name for each in tables.values()}
        if head and head not in schemas:
            table = find_table(head)
            if last not in table.column:
                raise PerfAssetsError(
                    f"{name!r}: {table.name} has no such column; {nearest(last, table.column)}"
                )
            return of_server(table=table.name, column=_column(table.column[last]))
        found: Answer = {}
        if having := [each for each in tables.values() if name in each.column]:
            found["column"] = _column(having[0].column[name])
            found["in_tables"] = [each.name for each in having]
        if not having or [each for each in tables if each.endswith(f".{name}")]:
            found["table"] = _table(find_table(name))
        return of_server(**found)

    def bug(self, repository: Repository, number: Number) -> Answer:
        """Return everything that is known about one bug report, and its history."""
        values = {"repository": repository, "number": str(number)}
        with self._one_publication():
            asked = [self._asked("facts", BUG, values), self._asked("history", HISTORY, values)]
            if {*asked[0].rows.column("repository")} != {repository}:
                raise PerfAssetsError(
                    f"{repository}: there is no such repository; bug needs its whole name, as the "
                    "query how_fresh_is_it has it"
                )
            return self._answer(asked, values)

    def month(self, month: OneMonth = "", repository: OneOrAll = "") -> Answer:
        """Sum up one month of each repository: opened, fixed, share, alerts, missing months."""
        values = _without_empty(month=month, repository=repository)
        with self._one_publication():
            asked = self._asked("rows", MONTH, values)
            limits = [] if all(asked.rows.column("is_complete")) else [INCOMPLETE]
            return self._answer([asked], values, limits)

    def compare(self, repositories: Repositories, months: Months | None = None) -> Answer:
        """Set two or more repositories, or one repository at two months, beside each other.

        Of repositories it has the published tests too; of months what changed in the labelling.
        """
        chosen = list(dict.fromkeys(repositories))
        with self._one_publication():
            if months is not None and len(set(months)) == 2 and len(chosen) == 1:
                return self._compare_months(chosen[0], sorted(months))
            if months or len(chosen) < 2:
                raise PerfAssetsError(
                    "compare takes two or more different repositories, or one repository and two "
                    "different months"
                )
            return self._compare_repositories(chosen)

    def _compare_months(self, repository: str, months: Sequence[str]) -> Answer:
        asked = [
            self._asked(field, MONTH, {"month": month, "repository": repository})
            for field, month in zip(("first", "second"), months, strict=True)
        ]
        if any({*each.rows.column("repository")} != {repository} for each in asked):
            raise PerfAssetsError(
                f"{repository}: there is no such repository; compare needs its whole name, as the "
                "query how_fresh_is_it has it"
            )
        labelling = self._only(
            self._asked("labelling", LABELLING, {}),
            lambda row: row["repository"] == repository and months[0] < row["month"] <= months[1],
        )
        is_whole = all(value for each in asked for value in each.rows.column("is_complete"))
        limits = [*([] if is_whole else [INCOMPLETE]), *OF_MONTHS]
        limits += [RELABELLED] if labelling.rows.rows else []
        values = {"repository": repository, "months": list(months)}
        return self._answer([*asked, labelling], values, limits)

    def _compare_repositories(self, chosen: Sequence[str]) -> Answer:
        asked = [
            self._asked(f"first_and_{place}", SIDE_BY_SIDE, {"first": chosen[0], "second": other})
            for place, other in enumerate(chosen[1:], 2)
        ]
        tests = self._only(
            self._asked("tests", TESTED, {}),
            lambda row: row["first"] in chosen and row["second"] in chosen,
        )
        pairs = {*zip(tests.rows.column("first"), tests.rows.column("second"), strict=True)}
        is_tested = len(pairs) == len(chosen) * (len(chosen) - 1) // 2
        limits = [*OF_REPOSITORIES, *([] if is_tested else [UNTESTED])]
        return self._answer([*asked, tests], {"repositories": list(chosen)}, limits)

    @contextmanager
    def _one_publication(self) -> Iterator[None]:
        """Let a call read one publication, and no other call meanwhile: queries take all cores."""
        with self._lock:
            before = self._identity()
            yield
            if self._identity() != before:
                raise PerfAssetsError("a run published the database during this call: ask again")

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._database.stat()
        except OSError:  # the query says what is wrong
            return None
        return found.st_ino, found.st_mtime_ns

    def _asked(self, field: str, name: str, values: Mapping[str, str]) -> Asked:
        query = cookbook()[name]
        return Asked(field, query, run_query(self._database, query, values))

    def _only(self, asked: Asked, is_kept: Callable[[Mapping[str, Any]], bool]) -> Asked:
        columns, types, rows = asked.rows.columns, asked.rows.types, asked.rows.rows
        kept = [row for row in rows if is_kept(dict(zip(columns, row, strict=True)))]
        return replace(asked, rows=QueryResult(columns, types, kept))

    def _answer(
        self,
        asked: Sequence[Asked],
        values: Mapping[str, object],
        limits: Sequence[str] = (),
        rows: int = MOST_ROWS,
    ) -> Answer:
        about = parse_query_file(PUBLICATION, sql_of(PUBLICATION))
        found = run_query(self._database, about, {})
        publication = dict(zip(found.columns, found.rows[0], strict=True))
        return answer(asked, values, publication, limits, rows)


def _without_empty(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _column(column: Column) -> Answer:
    described = {"name": column.name, "type": kind_of(column), "meaning": meaning_of(column)}
    return described if column.unit is None else {**described, "unit": column.unit}


def _table(table: Table) -> Answer:
    return {
        "name": table.name,
        "meaning": table.description,
        "key": list(table.key),
        "columns": [_column(column) for column in table.columns],
    }
