"""The names of checks: short, and unique on their asset."""

from collections import Counter

from perf_assets.dagster_app.checks import DECLARED, check_key, check_keys, check_specs, named_rules
from perf_assets.schema import table_of
from perf_assets.schema.models.asset_graph import tables_in_order


def test_check_has_bare_name_of_rule_that_no_other_table_of_the_asset_has() -> None:
    rule = "title_is_not_blank"
    assert check_key("raw.issues", rule).name == rule
    assert check_key("raw.issue_events", "renames_give_the_title_before").name == (
        "renames_give_the_title_before"
    )


def test_table_precedes_rule_that_two_tables_of_the_asset_have() -> None:
    rule = "row_count_is_the_sources"
    assert check_key("raw.issues", rule).name == rule
    assert check_key("raw.issue_comments", rule).name == f"issue_comments__{rule}"


def test_names_of_checks_are_unique_on_their_asset() -> None:
    stored = [table for table in tables_in_order() if not table_of(table).is_view]
    keys = [check_key(table, rule.name) for table in stored for rule in named_rules(table)]
    assert max(Counter(keys).values()) == 1
    assert DECLARED not in {key.name for key in keys}
    assert {spec.key for spec in check_specs(stored)} == check_keys(stored).keys() >= {*keys}
