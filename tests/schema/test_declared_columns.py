"""One name for one thing: what a column of some name means is the same in every table."""

import re
from collections import defaultdict

from perf_assets.schema import Column, declared, table_of
from perf_assets.schema.models.asset_graph import asset_for_table
from perf_assets.schema.models.files import described_tables

COUNTED = {"n"}  # the number of observations, each table's own, which its unit names
SNAKE_CASE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
OF_OTHERS = {
    "author_type": "GitHub's own types of accounts",
    "author_association": "GitHub's own words",
    "repository": "names of repositories, in the published data of the paper",
    "table": "names of tables",
    # The codebook of Cao et al., as their published file and review sheets have it.
    **dict.fromkeys(("introducing_stage", "exposing_stage"), "stages of their codebook"),
    **dict.fromkeys(("symptom_1_category", "symptom_2_category"), "symptoms of their codebook"),
    "cause_category": "root causes of their codebook",
}
"""Columns whose values are not ours to spell."""
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


def test_values_of_ours_are_in_snake_case() -> None:
    """A report puts them in words (``in_words``); nobody has to quote or guess a blank."""
    others = {
        name: {(table, value) for table, column in of_name for value in column.values or ()}
        for name, of_name in columns().items()
    }
    spelt = {
        name: {(table, value) for table, value in values if not SNAKE_CASE.fullmatch(value)}
        for name, values in others.items()
    }
    assert {
        name: values for name, values in spelt.items() if values and name not in OF_OTHERS
    } == {}
    assert {name for name in OF_OTHERS if not spelt[name]} == set()


def test_the_asset_of_a_table_is_another_table_that_is_an_asset_of_its_own() -> None:
    assets = {name: table.asset for name, table in declared().items() if table.asset is not None}
    assert assets
    assert [(name, asset) for name, asset in assets.items() if declared()[asset].asset] == []
    assert assets.items() <= {name: asset_for_table(name) for name in declared()}.items()
