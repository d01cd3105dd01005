"""Rows of any table, as hostile as its declaration allows: for engines that must agree on them.

Names, numbers, hashes and months come from small pools, so that the rows of one table meet those of
another; texts are empty, long, of all alphabets, or missing; moments coincide.
"""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from perf_assets.schema import Column, Table, table_of
from perf_assets.schema.types import polars_type

MONTHS = [f"{2019 + month // 12}-{month % 12 + 1:02}" for month in range(5, 18)]
BEGIN = datetime(2019, 1, 1, tzinfo=UTC)
TEXTS = ["", " ", "a", "B", "ä", "Ä", "ß", "é", "e\u0301", "名前", "🙂", "'", '"', "\\", "%", "\n"]
SHAS = [f"{number:040x}" for number in range(16)]
POOLS: dict[str, list[Any]] = {
    "repository": ["a/b", "a/B", "ü/名前"],
    "forum": ["stackoverflow", "ü"],
    "tag_set": ["x", "y+z"],
    "tag_sets": ["x", "y+z"],
    "sha": SHAS,
    "dataset": ["live", "replication"],
    "event": ["closed", "reopened", "labeled", "unlabeled"],
    "label": ["bug", "performance", "Ä", "名前"],
    "labels": ["bug", "performance", "Ä", "名前"],
    "table": ["raw.issues", "raw.commits", "raw.questions", "raw.answers"],
    "rater": ["r", "s", "t"],
    "approach": ["url", "id", "plain_id", "closed_by_commit", "pull_request", "named_in_comment"],
    "message": [
        *TEXTS,
        *(f"This reverts commit {sha}." for sha in SHAS[:8]),
        'Revert "that"',
    ],
    "evidence": ["fixes #1", "CLOSED #2", "resolve 3", "see #4", "", None],
    "author_type": ["User", "Bot", "Organization"],
    "kind": ["errors", "performance", "how to"],
    "kinds": ["errors", "performance", "how to"],
}
NUMBERS = {"number": 12, "question_id": 12, "pull_request": 4, "verdict_id": 60}


def any_rows(name: str, chance: random.Random, height: int) -> pl.DataFrame:
    """At most ``height`` rows of the table, of which no two have the same key."""
    table = table_of(name)
    rows = [_row(table, chance) for _ in range(height)]
    own = {tuple(row[key] for key in table.key): row for row in rows}
    schema = {column.name: polars_type(column.type) for column in table.columns}
    return pl.DataFrame([*own.values()], schema=schema)


def _row(table: Table, chance: random.Random) -> dict[str, Any]:
    row = {column.name: _value(column, chance) for column in table.columns}
    if table.name == "meta.partition_loads" and row["table"] == "raw.questions":
        row["repository"] = f"{chance.choice(POOLS['forum'])}:{chance.choice(POOLS['tag_set'])}"
    return row


def _value(column: Column, chance: random.Random) -> object:
    if column.nullable and chance.random() < 0.25:
        return None
    if column.type.startswith("STRUCT"):
        return []
    if column.type.endswith("[]"):
        length = chance.choice((0, 0, 1, 2, 3))
        one = column.model_copy(update={"type": column.type.removesuffix("[]"), "nullable": False})
        return [*dict.fromkeys(_value(one, chance) for _ in range(length))]
    return _plain(column, chance)


def _plain(column: Column, chance: random.Random) -> object:
    if column.values:
        return chance.choice(column.values)
    if column.name in POOLS:
        return chance.choice(POOLS[column.name])
    if "sha" in column.name.split("_"):
        return chance.choice(SHAS)
    if "month" in column.name.split("_") and column.type == "VARCHAR":
        return chance.choice(MONTHS)
    low = column.min if isinstance(column.min, int | float) else 0
    match column.type:
        case "VARCHAR":
            return chance.choice(TEXTS)
        case "BOOLEAN":
            return chance.random() < 0.5
        case "DOUBLE":
            high = column.max if isinstance(column.max, int | float) else low + 1e4
            return chance.choice((low, high, chance.uniform(low, high), round(high / 3, 2)))
        case "TIMESTAMP WITH TIME ZONE":
            at = chance.choice((0, 1, chance.randrange(700 * 86400)))
            return BEGIN + timedelta(seconds=at, microseconds=chance.choice((0, 1, 999_999)))
    most = NUMBERS.get(column.name, chance.choice((3, 200, 10**6)))
    return int(low) + chance.randrange(most)
