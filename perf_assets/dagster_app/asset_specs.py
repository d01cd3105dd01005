"""What the UI says of an asset before any run: meaning, columns, queries, code, and its inputs."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import dagster as dg

from perf_assets.base.paths import PACKAGE
from perf_assets.dagster_app.keys import asset_key, name_of, short_name
from perf_assets.schema.models.asset_graph import SOURCES, tables_of, upstream
from perf_assets.schema.models.dependencies import analyses
from perf_assets.schema.models.files import Model, described_tables, load_models

CODE: Mapping[str, str] = {
    "raw.issues": "stages/mining/issues.py",
    "raw.commits": "stages/mining/commits.py",
    "raw.benchmark_results": "stages/mining/benchmarks.py",
    "raw.static_findings": "stages/mining/static_findings.py",
    "raw.questions": "stages/mining/questions.py",
    "labels.performance_labels": "stages/enrichment/labels.py",
    "labels.performance_commits": "stages/enrichment/performance_commits.py",
    "labels.label_kinds": "stages/enrichment/labels.py",
    "labels.performance_questions": "stages/enrichment/performance_questions.py",
    "labels.question_kinds": "stages/enrichment/question_kinds.py",
    "links.fix_links": "stages/enrichment/links.py",
    "details.commit_metrics": "stages/enrichment/details.py",
    "details.pull_requests": "stages/enrichment/pull_requests.py",
    "replication.bugs": "stages/replicating.py",
    "reviews.verdicts": "stages/reviewing.py",
    "published.perf_bugs": "storage/publishing.py",
    "published.report": "reports/monthly/contents.py",
    "published.replication_report": "reports/replication/report.py",
}
"""The file that fills an asset, where it is neither a model nor a table of statistics."""

ORIGINS_NAMED = 3  # in the description of a column


def asset_specs(
    asset: str, kinds: Iterable[str], partitions: dg.PartitionsDefinition | None = None
) -> dg.AssetSpec:
    """Return the asset with all its tables, described as they are declared."""
    main, *others = tables = [described_tables()[name] for name in tables_of(asset)]
    listed = "\n".join(f"- `{other.name}`: {other.description}" for other in others)
    columns = [
        dg.TableColumn(
            _column_name(table.name, column.name),
            column.type,
            f"{column.description}{_origin(table.name, column.name)}",
        )
        for table in tables
        for column in table.columns
    ]
    # Columns fill the first page of an asset; of an analysis, verdict and picture do.
    is_analysis = asset.startswith("analysis.")
    return dg.AssetSpec(
        asset_key(asset),
        deps=inputs_of(asset),
        group_name=asset.partition(".")[0],
        kinds={"duckdb", *kinds},
        tags={other.name: "" for other in others},  # the search on the page of assets finds tags
        description=main.description + (f"\n\nReported with it:\n\n{listed}" if others else ""),
        metadata={
            "columns" if is_analysis else "dagster/column_schema": dg.TableSchema(columns),
            "dagster/table_name": asset,
            **{
                f"query of {model.name}": dg.MetadataValue.md(f"```sql\n{model.sql}\n```")
                for model in _models_of(asset)
            },
        },
        partitions_def=partitions,
    )


def inputs_of(asset: str) -> list[dg.AssetKey]:
    """Return the assets that ``asset`` is made from."""
    return [dg.AssetKey(text.split(".")) for text in upstream()[asset]]


def source_specs() -> list[dg.AssetSpec]:
    """Return the assets of external sources, which no run makes."""
    return [
        dg.AssetSpec(asset_key(name), group_name="sources", kinds={kind}, description=description)
        for name, (kind, description) in SOURCES.items()
    ]


def lineage_of(asset: str, folders: Sequence[str] = ()) -> dg.TableColumnLineage | None:
    """Return the columns that those of an asset's models are made from; None without a model.

    ``folders`` stand before the keys of assets.
    """
    deps: dict[str, list[dg.TableColumnDep]] = {}
    for model in _models_of(asset):
        for column, sources in model.column_lineage.items():
            deps[_column_name(model.name, column)] = [
                dg.TableColumnDep(asset_key(table, folders), _column_name(table, name))
                for table, name in sources
                if not table.startswith("meta.")
            ]
    return dg.TableColumnLineage(deps) if deps else None


def with_code(spec: dg.AssetSpec) -> dg.AssetSpec:
    """Return the asset with links to the files that make it."""
    asset = name_of(spec.key)
    files = [
        dg.LocalFileCodeReference(file_path=str(model.path), label=f"{model.name}.sql")
        for model in _models_of(asset)
    ]
    functions = [analyses()[table].function for table in tables_of(asset) if table in analyses()]
    modules = dict.fromkeys(function.rpartition(".")[0] for function in functions)
    computed = [f"{module.partition('.')[2].replace('.', '/')}.py" for module in modules]
    code = [CODE[asset]] if asset in CODE else computed
    links = [dg.LocalFileCodeReference(file_path=str(PACKAGE / file), label=file) for file in code]
    if not links and not files:
        return spec
    references = dg.CodeReferencesMetadataValue(code_references=[*links, *files])
    return spec.merge_attributes(metadata={"dagster/code_references": references})


def _origin(table: str, column: str) -> str:
    """Return a sentence with the columns that a model's column is made from; empty without any.

    The open-source UI shows no lineage of columns, but their descriptions.
    """
    if table not in _models():
        return ""
    origins = [
        f"{source}.{name}"
        for source, name in _models()[table].column_lineage[column]
        if not source.startswith("meta.")
    ]
    named = ", ".join(origins[:ORIGINS_NAMED])
    more = len(origins) - ORIGINS_NAMED
    return named and f" From {named}{f' and {more} more' if more > 0 else ''}."


def _column_name(table: str, column: str) -> str:
    short = short_name(table)
    return f"{short}.{column}" if short else column


def _models_of(asset: str) -> list[Model]:
    if asset.partition(".")[0] in ("sources", "published"):
        return []
    return [_models()[table] for table in tables_of(asset) if table in _models()]


@cache
def _models() -> Mapping[str, Model]:
    return {model.name: model for model in load_models()}
