"""Reports to Dagster: materializations, a result for each rule, failures."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import dagster as dg

from perf_assets.base.processes import shutdown
from perf_assets.dagster_app.asset_specs import lineage_of
from perf_assets.dagster_app.checks import check_keys, check_results
from perf_assets.dagster_app.keys import asset_key, folders_of, name_of, short_name
from perf_assets.dagster_app.partitions import key_of
from perf_assets.dagster_app.run_options import RunOptions
from perf_assets.schema.models.asset_graph import asset_for_table, tables_of
from perf_assets.storage.partition_write import BrokenRule, WriteOutcome

# What an asset function yields to Dagster.
Event = dg.MaterializeResult[None] | dg.AssetCheckResult

NAMED_REFUSALS = 3  # refusals of a step, each of which has a long sentence
REFUSED = "refused"  # of an observation: why rows of the asset were not stored
QUICK_SECONDS = 1.0  # to compute again what a run that was killed had not reported yet

# The row of meta.partition_loads of a partition.
Load = Mapping[str, Any]


def failure(sentence: str, kind: str) -> dg.Failure:
    """Return a failed step of one sentence; ``kind``: audit (refused rows), passing, or user."""
    shutdown.block_if_stopping(after_failure=True)  # a run that was stopped did not fail
    return dg.Failure(sentence, metadata={"kind": kind}, allow_retries=False)


def refusal(sentences: Sequence[str]) -> dg.Failure:
    """Return a step that failed as rows were refused, with the first few ``sentences`` on them."""
    rest = len(sentences) - NAMED_REFUSALS
    more = [f"and {rest} more, which perf-assets status lists"] if rest > 0 else []
    return failure("; ".join([*sentences[:NAMED_REFUSALS], *more]), "audit")


class EventReporter:
    """Reports the tables of one step to Dagster, by the options of the run.

    By hand, a result materializes what the run names. In a refresh it does not, see
    :mod:`perf_assets.dagster_app.run_options`: what is new or changed is reported by itself.
    """

    def __init__(self, context: dg.AssetExecutionContext) -> None:
        """Report on the step that ``context`` belongs to."""
        self.options = RunOptions.of(context.run_tags)
        self._context = context
        self._folders = folders_of(next(iter(context.assets_def.keys)))

    @property
    def tables(self) -> set[str]:
        """The tables that the step is to bring up to date: all of each selected asset."""
        keys = self._context.selected_asset_keys | {
            key.asset_key for key in self._context.selected_asset_check_keys
        }
        return {table for key in keys for table in tables_of(name_of(key))}

    def never_reported(self, tables: Iterable[str]) -> set[str]:
        """Return those of ``tables`` of which Dagster has no event, as after a loss of records."""
        reported = set(self._context.instance.all_asset_keys())
        return {table for table in tables if self._key(table) not in reported}

    def has_changes(self, name: str, *, is_new: bool) -> bool:
        """Return whether an asset that is a file is to be reported."""
        return is_new or self.options.is_forced or bool(self.never_reported([name]))

    def report_file(
        self, name: str, metadata: Mapping[str, Any], *, is_new: bool
    ) -> Iterator[Event]:
        """Yield the result of an asset that is a file; a refresh reports it if it ``is_new``."""
        if self.has_changes(name, is_new=is_new):
            yield from self.report_materialization(name, metadata)
        else:
            yield from self.done(name)

    def report_materialization(self, asset: str, metadata: Mapping[str, Any]) -> Iterator[Event]:
        """Yield that ``asset`` was made or replaced, and from which columns."""
        if (lineage := lineage_of(asset, self._folders)) is not None:
            metadata = {**metadata, "dagster/column_lineage": lineage}
        self.report_now(asset, metadata)
        yield from self.done(asset, None if self.options.is_refresh else metadata)

    def report_now(self, asset: str, metadata: Mapping[str, Any]) -> None:
        """Report at once, in a refresh, that ``asset`` has changed."""
        if self.options.is_refresh:
            event = dg.AssetMaterialization(self._key(asset), metadata=dict(metadata))
            self._context.log_event(event)

    def report_early(
        self, asset: str, seconds: float, metadata: Callable[[], Mapping[str, Any]]
    ) -> None:
        """Report at once that ``asset`` has changed, which took so long, before all is said of it.

        What was never reported is computed again by the run after one that was killed: of that
        nothing is reported where it is quick.
        """
        if seconds > QUICK_SECONDS or asset not in self._unreported:
            self.report_now(asset, metadata())

    @cached_property
    def _unreported(self) -> set[str]:
        """The assets of the step that were never reported before it."""
        return self.never_reported({name_of(key) for key in self._context.selected_asset_keys})

    def done(self, asset: str, metadata: Mapping[str, Any] | None = None) -> Iterator[Event]:
        """Yield that the step is done with ``asset``: what reads it can go on."""
        if self._key(asset) in self._context.selected_asset_keys:
            yield dg.MaterializeResult(asset_key=self._key(asset), metadata=metadata)

    def conclude(self, asset: str, refused: Sequence[str] = ()) -> None:
        """End the step: fail it where rows of ``asset`` were refused, each with its sentence.

        Where steps of the run come after this one they go on with what is stored, and the last of
        them fails.
        """
        if self._is_followed:
            for sentence in refused:
                metadata = {REFUSED: sentence}
                self._context.log_event(dg.AssetObservation(self._key(asset), metadata=metadata))
            return
        if sentences := list(dict.fromkeys([*self._refused_before(), *refused])):
            raise refusal(sentences)

    @property
    def _is_followed(self) -> bool:
        """Return whether other steps of the run come after this one."""
        layer = self._context.job_def.asset_layer
        own = self._context.assets_def.keys
        after = {
            child
            for key in self._context.selected_asset_keys
            for child in layer.asset_graph.get(key).child_keys
        }
        return not (after - own).isdisjoint(layer.executable_asset_keys)

    def _refused_before(self) -> Iterator[str]:
        """Yield what steps of this run refused that come before this one."""
        kind = dg.DagsterEventType.ASSET_OBSERVATION
        for entry in self._context.instance.all_logs(self._context.run_id, of_type=kind):
            event = entry.dagster_event
            if event is not None:
                observed = event.asset_observation_data.asset_observation.metadata
                if REFUSED in observed:
                    yield str(observed[REFUSED].value)

    def report_partitions(
        self, loads: Sequence[Load], outcomes: Sequence[WriteOutcome], *, is_failing: bool
    ) -> set[str]:
        """Report stored partitions, in a refresh those that changed, and return their assets."""
        selected = self._context.selected_asset_keys
        stored = sorted(
            (
                load
                for load in loads
                if load["status"] == "loaded" and self._key(load["table"]) in selected
            ),
            key=_partition,
        )
        together = [list(loads) for _, loads in groupby(stored, key=_partition)]
        if self.options.is_refresh and not self.options.is_forced:
            together = self._changes(together, outcomes)
        for of_partition in together:
            asset, subject, month = _partition(of_partition[0])
            key = key_of(subject, month)
            self._report_partition(asset, key, of_partition, {}, is_failing=is_failing)
        return {_partition(of_partition[0])[0] for of_partition in together}

    def report_subject(
        self,
        subject: str,
        loads: Sequence[Load],
        metadata: Mapping[str, Any],
        *,
        is_new: bool,
        is_failing: bool,
    ) -> set[str]:
        """Report assets whose partition is ``subject``, in a refresh if new, and return them."""
        by_asset: dict[str, list[Load]] = {}
        for load in loads:
            if self._key(load["table"]) in self._context.selected_asset_keys:
                by_asset.setdefault(asset_for_table(load["table"]), []).append(load)
        if self.options.is_refresh and not is_new:
            known = self._context.instance.get_materialized_partitions
            by_asset = {
                asset: of_asset
                for asset, of_asset in by_asset.items()
                if subject not in known(self._key(asset))
            }
        for asset, of_asset in by_asset.items():
            self._report_partition(asset, subject, of_asset, metadata, is_failing=is_failing)
        return {*by_asset}

    def report_checks(
        self, broken: Mapping[str, Sequence[BrokenRule]], assets: Collection[str] | None = None
    ) -> Iterator[dg.AssetCheckResult]:
        """Yield the results of selected checks by the ``broken`` rules of each table.

        If ``assets`` are given, only tables of these count.
        """
        yield from self.checked(
            check_results(
                {
                    table: rules
                    for table, rules in broken.items()
                    if assets is None or asset_for_table(table) in assets
                }
            )
        )

    def checked(self, results: Iterable[dg.AssetCheckResult]) -> Iterator[dg.AssetCheckResult]:
        """Yield those of ``results`` whose check is selected, as results of the step's assets."""
        selected = self._context.selected_asset_check_keys
        for result in results:
            assert result.asset_key is not None
            key = self._key(name_of(result.asset_key))
            if dg.AssetCheckKey(key, str(result.check_name)) in selected:
                yield result._replace(asset_key=key)

    def never_checked(self, tables: Collection[str]) -> set[str]:
        """Return those of ``tables`` that have a rule of which Dagster knows no result."""
        keys = {
            dg.AssetCheckKey(self._key(name_of(key.asset_key)), key.name): about
            for key, about in check_keys(tables).items()
        }
        storage = self._context.instance.event_log_storage
        checked = storage.get_latest_asset_check_execution_by_key(list(keys))
        return {table for key, about in keys.items() if key not in checked for table in about}

    def _key(self, table: str) -> dg.AssetKey:
        return asset_key(table, self._folders)

    def _changes(
        self, together: Sequence[list[Load]], outcomes: Sequence[WriteOutcome]
    ) -> list[list[Load]]:
        """Return what was written, now or by a run that was killed before it reported it."""
        written = {
            (outcome.repository, outcome.month) for outcome in outcomes if outcome.is_written
        }
        instance = self._context.instance
        changes = []
        for asset, partitions in groupby(together, key=lambda loads: _partition(loads[0])[0]):
            reported = instance.get_materialized_partitions(self._key(asset))
            last = instance.get_latest_materialization_event(self._key(asset))
            reported_until = last.timestamp if last is not None else 0.0
            changes += [
                loads
                for loads in partitions
                if (loads[0]["repository"], loads[0]["month"]) in written
                or str(key_of(loads[0]["repository"], loads[0]["month"])) not in reported
                or max(load["loaded_at"].timestamp() for load in loads) > reported_until
            ]
        return changes

    def _report_partition(
        self,
        asset: str,
        partition: str,
        loads: Sequence[Load],
        more: Mapping[str, Any],
        *,
        is_failing: bool,
    ) -> None:
        metadata = {**_sums(loads), **more}
        if self.options.is_refresh or is_failing:
            # Where the step will fail, what is stored nevertheless would not show as materialized.
            event = dg.AssetMaterialization(
                self._key(asset), partition=partition, metadata=metadata
            )
            self._context.log_event(event)
        else:
            self._context.add_asset_metadata(metadata, self._key(asset), partition_key=partition)


def broken_rules(table: str, outcome: WriteOutcome) -> list[BrokenRule]:
    """Return the rules of ``table`` that the rows of ``outcome`` broke."""
    report = outcome.reports.get(table)
    if report is None:
        return []
    return [
        BrokenRule(rule.rule, table, rule.failing_rows, list(rule.examples), not report.ok)
        for rule in (*report.failures, *report.warnings)
    ]


def _sums(loads: Sequence[Load]) -> dict[str, Any]:
    """Metadata of partitions reported together: requests, rows by table, time of loading."""
    metadata: dict[str, Any] = {
        "requests": sum(load["requests"] for load in loads),
        "points": sum(load["points"] for load in loads),
        "loaded_at": dg.MetadataValue.timestamp(max(load["loaded_at"] for load in loads)),
    }
    for load in loads:
        name = short_name(load["table"])
        counts = {f"rows of {name}" if name else "dagster/partition_row_count": load["row_count"]}
        if not name and load["source_count"] is not None:
            counts["source_count"] = load["source_count"]
        metadata |= {key: metadata.get(key, 0) + count for key, count in counts.items()}
    return metadata


def _partition(load: Load) -> tuple[str, str, str]:
    """Return what loads of tables that are reported together share."""
    return asset_for_table(load["table"]), load["repository"], load["month"]
