"""The page of an asset before any run: the origins of its columns, and tags."""

import dagster as dg
import pytest

from perf_assets.dagster_app.asset_specs import ORIGINS_NAMED, asset_specs, lineage_of
from perf_assets.schema.models.asset_graph import asset_for_table, assets_in_order


def descriptions(asset: str) -> dict[str, str]:
    """Return the descriptions of the columns of ``asset``."""
    schema = asset_specs(asset, []).metadata["dagster/column_schema"]
    assert isinstance(schema, dg.TableSchema)
    return {column.name: str(column.description) for column in schema.columns}


def test_description_of_column_ends_with_its_origins() -> None:
    assert descriptions("staging.issues")["title"].endswith(" From raw.issues.title.")


def test_description_names_three_origins_and_counts_the_others() -> None:
    lineage = lineage_of("marts.bug_metrics")
    assert lineage is not None
    more = len(lineage.deps_by_column["repository"]) - ORIGINS_NAMED
    text = descriptions("marts.bug_metrics")["repository"]
    assert more > 0 and text.endswith(f" and {more} more.")
    assert text.rpartition(" From ")[2].count(".repository") == ORIGINS_NAMED


@pytest.mark.parametrize(
    ("asset", "column"), [("raw.issues", "title"), ("staging.issues", "dataset")]
)
def test_description_of_column_without_known_origin_has_no_such_sentence(
    asset: str, column: str
) -> None:
    assert " From " not in descriptions(asset)[column]


def test_table_in_another_asset_is_a_tag_of_it() -> None:
    table = "marts.bug_fixers"
    tagged = [asset for asset in assets_in_order() if table in asset_specs(asset, []).tags]
    assert tagged == [asset_for_table(table)] and tagged != [table]
