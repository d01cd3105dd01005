"""The whole pipeline as plain functions, without Dagster: mine, decide, derive, publish.

What Dagster runs asset by asset, in the same order; tests run it so, and so can a program.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence

from perf_assets.config.study import Repository, Study, Until
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.enrichment.details import inspect_fixes
from perf_assets.stages.enrichment.labels import label_cohorts, tell_label_kinds
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.enrichment.performance_questions import label_performance_questions
from perf_assets.stages.enrichment.question_kinds import tell_question_kinds
from perf_assets.stages.mining.commits import mine_commits
from perf_assets.stages.mining.issues import mine_issues
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stages.mining.static_findings import mine_findings
from perf_assets.stages.transform.about import tell_database, tell_study
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.stages.transform.models import describe_tables, register_study
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.home import Home
from perf_assets.storage.lock import writing
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse

log = logging.getLogger(__name__)


def run_pipeline(
    study: Study,
    home: Home,
    first: str | None = None,
    last: str | None = None,
    *,
    verify: bool = False,
    force: bool = False,
    longest_wait: float = LONGEST_WAIT,
    until: Until = "published",
) -> list[str]:
    """Bring everything of ``study`` up to date, for the months from ``first`` to ``last``.

    ``longest_wait`` bounds, in seconds, the waits for GitHub's rate limit. With ``verify``, issues
    that are due to be read again are; with ``force`` everything is decided and computed, whether or
    not what it is made from changed. ``until`` is how far it goes.

    Returns
    -------
    What failed its audit, a sentence each; all else is done.

    Raises
    ------
    PerfAssetsError
        For whatever stops the run as a whole.
    """
    study = study.as_far_as(until)
    failures: list[str] = []
    with writing(home.path):
        with open_warehouse(home.warehouse) as database:
            gate = AuditedWriter(database, home)
            for repository in study.repositories:
                months = repository.months_within(first, last)
                log.info("%s: %d months", repository.name, len(months))
                mined = mine(gate, study, repository, months, longest_wait, verify=verify)
                failures += _failures(mined)
                decided = decide(gate, study, repository, months, until, forced=force)
                failures += _failures(decided)
            for tag_set in study.tag_sets:
                months = tag_set.months_within(first, last)
                log.info("%s: %d months", tag_set.name, len(months))
                forum = study.forum_of(tag_set)
                verify_months = study.verify_months if verify else None
                asked = mine_questions(gate, forum, tag_set, months, verify_months, longest_wait)
                failures += _failures(asked)
                labels = label_performance_questions(gate, tag_set, months, forced=force)
                failures += _failures(labels)
            failures += _failures(tell_label_kinds(gate, study, forced=force))
            failures += _failures(tell_question_kinds(gate, study, forced=force))
            if until == "labels":
                return failures
            log.info("models, statistics, published database")
            register_study(gate, study)
            derived = derive(gate, forced=derived_tables() if force else ())
            failures += _failures(one.outcome for one in derived if one.outcome is not None)
            tell_study(gate, study)
            tell_database(gate)
            describe_tables(gate)
        publish(home)
    return failures


def mine(
    gate: AuditedWriter,
    study: Study,
    repository: Repository,
    months: Sequence[str],
    longest_wait: float = LONGEST_WAIT,
    *,
    verify: bool = False,
) -> Iterator[WriteOutcome]:
    """Bring issues, commits and what checks find up to date at their sources."""
    verify_months = study.verify_months if verify else None
    yield from mine_issues(gate, repository, months, verify_months, longest_wait)
    yield from mine_commits(gate, repository, months)
    yield from mine_findings(gate, repository, months)


def decide(
    gate: AuditedWriter,
    study: Study,
    repository: Repository,
    months: Sequence[str],
    until: Until = "published",
    *,
    forced: bool = False,
) -> Iterator[WriteOutcome]:
    """Label the loaded issues, link their fixes, and inspect those, as far as that is wanted."""
    yield from label_cohorts(gate, study, repository.name, months, forced=forced)
    if until == "labels":
        return
    yield from link_commits(gate, study, repository.name, months, forced=forced)
    if study.close_look:
        yield from inspect_fixes(gate, repository, months)


def _failures(outcomes: Iterable[WriteOutcome]) -> list[str]:
    return [outcome.failure for outcome in outcomes if outcome.failure is not None]
