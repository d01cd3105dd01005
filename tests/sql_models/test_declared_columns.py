"""One name for one thing: what a column of some name means is the same in every table."""

from collections import defaultdict

from perf_assets.sql_models.files import described_tables
from perf_assets.tables import Column, table_of

COUNTED = {"n"}  # the number of observations, each table's own, which its unit names
PROPORTIONS = {
    "percent": {"percent", "percentage"},
    "share from 0 to 1": {"share"},
}


def columns() -> dict[str, list[tuple[str, Column]]]:
    found = defaultdict(list)
    for table in described_tables():
        for column in table_of(table).columns:
            found[column.name].append((table, column))
    return found


def test_a_name_has_one_type_and_one_unit() -> None:
    several = {
        name: {(column.type, column.unit): table for table, column in of_name}
        for name, of_name in columns().items()
        if name not in COUNTED
    }
    assert {name: kinds for name, kinds in several.items() if len(kinds) > 1} == {}


def test_a_name_that_says_its_unit_is_right() -> None:
    wrong = [
        (table, column.name, column.unit)
        for name, of_name in columns().items()
        for table, column in of_name
        for unit, words in PROPORTIONS.items()
        if words & set(name.split("_")) and column.type == "DOUBLE" and column.unit != unit
        if "days" not in name and "difference" not in name
    ]
    assert wrong == []
