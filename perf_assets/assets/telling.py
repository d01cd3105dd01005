"""What became of rows, told to Dagster: materializations, a result for each rule, failures."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from perf_assets import stopping
from perf_assets.assets.asking import Asked
from perf_assets.assets.keys import asset_key
from perf_assets.assets.partitions import key_of
from perf_assets.plain import for_markdown
from perf_assets.storage.gate import BrokenRule, Outcome
from perf_assets.storage.suites import load_suite

# What an asset function tells Dagster.
Event = dg.MaterializeResult[None] | dg.AssetCheckResult

# The row of meta.partition_loads of a partition.
Load = Mapping[str, Any]

PLACES = 10  # partitions named in a check result


def failure(sentence: str, kind: str) -> dg.Failure:
    """A failed step of one sentence: of the ``kind`` audit (rows were refused) or user."""
    stopping.go_on(after_failure=True)  # a run that was stopped did not fail
    return dg.Failure(sentence, metadata={"kind": kind}, allow_retries=False)


def told(
    context: dg.AssetExecutionContext, name: str, metadata: Mapping[str, Any], *, is_new: bool
) -> Iterator[Event]:
    """What became of an asset that is a file: in a refresh it is told where it ``is_new``."""
    teller = Teller(context)
    if is_new or teller.asked.is_forced or teller.never_told([name]):
        yield from teller.told(name, metadata)
    else:
        yield from teller.done(name)


class Teller:
    """Tells Dagster of the tables of one step, in the way the run was asked for.

    By hand, a result materializes what the run names. In a refresh it does not, see
    :mod:`perf_assets.assets.asking`: what is new or changed is told by itself.
    """

    def __init__(self, context: dg.AssetExecutionContext) -> None:
        """Tell of the step that ``context`` belongs to."""
        self.asked = Asked.of(context.run_tags)
        self._context = context

    @property
    def tables(self) -> set[str]:
        """The tables that the step is to bring up to date."""
        keys = self._context.selected_asset_keys | {
            key.asset_key for key in self._context.selected_asset_check_keys
        }
        return {".".join(key.path) for key in keys}

    def never_told(self, tables: Iterable[str]) -> set[str]:
        """Those of ``tables`` that Dagster has no word of: its record was deleted, say."""
        known = set(self._context.instance.all_asset_keys())
        return {table for table in tables if asset_key(table) not in known}

    def told(self, table: str, metadata: Mapping[str, Any]) -> Iterator[Event]:
        """That ``table`` was made or replaced."""
        key = asset_key(table)
        if self.asked.is_refresh:
            self._context.log_event(dg.AssetMaterialization(key, metadata=dict(metadata)))
        yield from self.done(table, metadata)

    def done(self, table: str, metadata: Mapping[str, Any] | None = None) -> Iterator[Event]:
        """That the step is done with ``table``: what reads it can go on."""
        if asset_key(table) in self._context.selected_asset_keys:
            yield dg.MaterializeResult(asset_key=asset_key(table), metadata=metadata)

    def told_whole(
        self,
        table: str,
        outcome: Outcome | None,
        lineage: dg.TableColumnLineage | None = None,
        shown: Mapping[str, Any] | None = None,
    ) -> Iterator[Event]:
        """What became of a table that was computed whole, or of a view (no outcome).

        ``shown`` is what else is told of its rows.

        Raises
        ------
        dagster.Failure
            It failed its audit.
        """
        columns = {} if lineage is None else {"dagster/column_lineage": lineage}
        if outcome is None:
            yield from self.told(table, columns)
            return
        report = outcome.reports[table]
        broken = [*report.failures, *report.warnings]
        yield from self.told_rules(
            table,
            [BrokenRule(r.rule, table, r.failing_rows, list(r.examples)) for r in broken],
        )
        if outcome.failure is not None:
            raise failure(outcome.failure, "audit")
        size = {"dagster/row_count": outcome.rows[table], "is_replaced": outcome.is_written}
        yield from self.told(table, {**columns, **size, **(shown or {})})

    def told_partitions(
        self, loads: Sequence[Load], outcomes: Sequence[Outcome], *, is_failing: bool
    ) -> set[str]:
        """The partitions that are stored, of a refresh those that are news; their tables."""
        selected = self._context.selected_asset_keys
        stored = [
            load
            for load in loads
            if load["status"] == "loaded" and asset_key(load["table"]) in selected
        ]
        news = self._news(stored, outcomes) if self.asked.is_refresh else stored
        for load in news:
            self._told_partition(load, is_failing=is_failing)
        return {load["table"] for load in news}

    def told_rules(self, table: str, broken: Sequence[BrokenRule]) -> Iterator[dg.AssetCheckResult]:
        """One result for each rule of ``table`` that the run is asked for."""
        selected = self._context.selected_asset_check_keys
        for result in rule_results(table, broken):
            if dg.AssetCheckKey(asset_key(table), str(result.check_name)) in selected:
                yield result

    def never_checked(self, tables: Collection[str]) -> set[str]:
        """Those of ``tables`` that have a rule of which Dagster knows no result."""
        keys = [
            dg.AssetCheckKey(asset_key(table), rule.name)
            for table in tables
            for rule in load_suite(table).rules
        ]
        storage = self._context.instance.event_log_storage
        known = storage.get_latest_asset_check_execution_by_key(keys)
        return {".".join(key.asset_key.path) for key in keys if key not in known}

    def _news(self, loads: Sequence[Load], outcomes: Sequence[Outcome]) -> list[Load]:
        """What was written, and what was stored by a run that was killed before it told of it."""
        written = {(one.repository, one.month) for one in outcomes if one.is_written}
        instance = self._context.instance
        news: list[Load] = []
        for table in sorted({load["table"] for load in loads}):
            key = asset_key(table)
            known = instance.get_materialized_partitions(key)
            last = instance.get_latest_materialization_event(key)
            told_until = last.timestamp if last is not None else 0.0
            news += [
                load
                for load in loads
                if load["table"] == table
                and (
                    self.asked.is_forced
                    or (load["repository"], load["month"]) in written
                    or str(key_of(load["repository"], load["month"])) not in known
                    or load["loaded_at"].timestamp() > told_until
                )
            ]
        return news

    def _told_partition(self, load: Load, *, is_failing: bool) -> None:
        key, table = key_of(load["repository"], load["month"]), asset_key(load["table"])
        metadata: dict[str, Any] = {
            "dagster/partition_row_count": load["row_count"],
            "requests": load["requests"],
            "points": load["points"],
            "loaded_at": dg.MetadataValue.timestamp(load["loaded_at"]),
        }
        if load["source_count"] is not None:
            metadata["source_count"] = load["source_count"]
        if self.asked.is_refresh or is_failing:
            # Where the step will fail, what is stored nevertheless would not show as materialized.
            event = dg.AssetMaterialization(table, partition=key, metadata=metadata)
            self._context.log_event(event)
        else:
            self._context.add_asset_metadata(metadata, table, partition_key=key)


def rule_results(table: str, broken_rules: Sequence[BrokenRule]) -> Iterator[dg.AssetCheckResult]:
    """One result for each rule: where it is broken, by how many rows, with examples."""
    for rule in load_suite(table).rules:
        broken = [one for one in broken_rules if one.rule == rule.name]
        rows = sum(one.failing_rows for one in broken)
        places = ", ".join(one.place for one in broken[:PLACES])
        yield dg.AssetCheckResult(
            passed=not broken,
            asset_key=asset_key(table),
            check_name=rule.name,
            severity=(
                dg.AssetCheckSeverity.ERROR
                if rule.severity == "critical"
                else dg.AssetCheckSeverity.WARN
            ),
            description=f"{rows} rows in {len(broken)} partitions: {places}" if broken else None,
            metadata={
                "failing_rows": rows,
                "examples": dg.MetadataValue.md(
                    "\n".join(
                        f"- {for_markdown(one.place)}: {for_markdown(example)}"
                        for one in broken[:PLACES]
                        for example in one.examples
                    )
                ),
            },
        )
