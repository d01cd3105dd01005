"""The users' side: questions of forums by tag set and month, and what they are about."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.assets.event_reporting import EventReporter
from perf_assets.assets.factory import partitioned_asset, stored, whole_asset
from perf_assets.assets.run_options import RunOptions
from perf_assets.config.forums import TagSet
from perf_assets.config.study import Study
from perf_assets.sources.stackexchange.posts import TABLES
from perf_assets.stages.enrichment.performance_questions import TABLES as LABEL_TABLES
from perf_assets.stages.enrichment.performance_questions import label_performance_questions
from perf_assets.stages.enrichment.question_kinds import (
    LABELLED,
    QUESTION_KINDS,
    tell_question_kinds,
)
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.home import Home

FORUM = "stackexchange"  # the kind of every asset that is by tag set and month
KIND_TABLES = (LABELLED, QUESTION_KINDS)


def question_assets(
    study: Study, home: Home, longest_wait: float
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The questions of the study's tag sets, and the decisions on them."""

    def questions(
        gate: AuditedWriter, tag_set: TagSet, months: list[str], options: RunOptions
    ) -> Iterator[WriteOutcome]:
        verify_months = study.verify_months if options.is_verifying else None
        forum = study.forum_of(tag_set)
        return mine_questions(gate, forum, tag_set, months, verify_months, longest_wait)

    def labels(
        gate: AuditedWriter, tag_set: TagSet, months: list[str], options: RunOptions
    ) -> list[WriteOutcome]:
        return label_performance_questions(gate, tag_set, months, forced=options.is_forced)

    def kinds(gate: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported(KIND_TABLES))
        untold = list(KIND_TABLES)
        for outcome in tell_question_kinds(gate, study, forced=forced):
            (table,) = outcome.rows
            while untold[0] != table:
                yield Derived(untold.pop(0))
            yield Derived(untold.pop(0), is_new=True, outcome=outcome)
        yield from map(Derived, untold)

    partitioned = (
        (
            stored("forum_questions", *TABLES, kinds=[FORUM]),
            questions,
            "Questions with answers and comments, from a forum's dump and its API.",
        ),
        (
            stored(
                "performance_questions",
                *LABEL_TABLES,
                kinds=[FORUM, "python"],
            ),
            labels,
            "Which questions are about performance, by the stems of their words.",
        ),
    )
    classified = [stored(name, name, kinds=["python"]) for name in KIND_TABLES]
    return [
        whole_asset("question_kinds", classified, home, kinds),
        *(
            partitioned_asset(what, study.tag_sets, home, step, said)
            for what, step, said in partitioned
            if study.forums
        ),
        # What a study without forums does not fill is there, for models read it.
        *(spec for what, _, _ in partitioned if not study.forums for spec in what.specs()),
    ]
