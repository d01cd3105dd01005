"""The steps that load and enrich a repository or a tag set, in the order in which they run.

This is the only list of them: Dagster's assets, the workers and the pipeline without Dagster follow
it. What comes after them is computed from all repositories at once, in the order of its inputs
(:mod:`perf_assets.schema.models.asset_graph`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, Literal, TypeAlias, TypeVar, get_args

from perf_assets.config.forums import TagSet
from perf_assets.config.partitions import Subject
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.sources.issues.batches import TABLES as ISSUE_TABLES
from perf_assets.sources.posts import TABLES as QUESTION_TABLES
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.enrichment.details import TABLES as DETAIL_TABLES
from perf_assets.stages.enrichment.details import inspect_fixes
from perf_assets.stages.enrichment.labels import TABLES as LABEL_TABLES
from perf_assets.stages.enrichment.labels import label_cohorts
from perf_assets.stages.enrichment.links import TABLES as LINK_TABLES
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.enrichment.performance_commits import TABLES as COMMIT_LABEL_TABLES
from perf_assets.stages.enrichment.performance_commits import label_commits
from perf_assets.stages.enrichment.performance_questions import TABLES as QUESTION_LABEL_TABLES
from perf_assets.stages.enrichment.performance_questions import label_performance_questions
from perf_assets.stages.enrichment.pull_requests import TABLES as PULL_REQUEST_TABLES
from perf_assets.stages.enrichment.pull_requests import load_pull_requests
from perf_assets.stages.enrichment.releases import TABLES as RELEASE_TABLES
from perf_assets.stages.enrichment.releases import find_releases
from perf_assets.stages.mining.benchmarks import TABLES as BENCHMARK_TABLES
from perf_assets.stages.mining.benchmarks import mine_benchmarks
from perf_assets.stages.mining.commits import TABLES as COMMIT_TABLES
from perf_assets.stages.mining.commits import mine_commits
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stages.mining.releases import TABLE as RELEASES
from perf_assets.stages.mining.releases import mine_releases
from perf_assets.stages.mining.static_findings import TABLES as FINDING_TABLES
from perf_assets.stages.mining.static_findings import mine_findings
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome

S = TypeVar("S", bound=Subject)
Stage = Literal["mine", "label", "link", "details"]
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True)
class StepOptions:
    """How a step runs.

    is_reconciling : whether it reads again at the source what is due.
    is_forced : whether it computes what did not change too.
    longest_wait : the bound of waits for rate limits, in seconds.
    """

    is_reconciling: bool = False
    is_forced: bool = False
    longest_wait: float = LONGEST_WAIT

    def reconcile_months(self, study: Study) -> int | None:
        """Return the number of monthly refreshes within which all is read again; None if never."""
        return study.reconcile_months if self.is_reconciling else None


Run: TypeAlias = Callable[
    [AuditedWriter, Study, S, Sequence[str], StepOptions], Iterable[WriteOutcome]
]
"""Brings months of a subject of a study up to date."""


@dataclass(frozen=True)
class Step(Generic[S]):
    """A step that stores partitions of a subject by month.

    name : of the step in Dagster.
    stage : what it belongs to; a run ends after one of these.
    tables : what it stores.
    kinds : what the UI shows beside DuckDB.
    """

    name: str
    stage: Stage
    tables: tuple[str, ...]
    kinds: tuple[str, ...]
    description: str
    run: Run[S]


def _issues(
    writer: AuditedWriter,
    study: Study,
    repository: Repository,
    months: Sequence[str],
    options: StepOptions,
) -> Iterable[WriteOutcome]:
    # PyGithub takes long to import: only a run that mines waits for that.
    from perf_assets.stages.mining.issues import mine_issues  # noqa: PLC0415

    reconcile_months = options.reconcile_months(study)
    return mine_issues(writer, repository, months, reconcile_months, options.longest_wait)


def _commits(
    writer: AuditedWriter,
    study: Study,
    repository: Repository,
    months: Sequence[str],
    options: StepOptions,
) -> Iterable[WriteOutcome]:
    is_new = repository.corpus is None and not any(
        writer.database.loads(table, repository.name).height
        for table in ("raw.issues", "raw.commits")
    )
    if is_new:  # a wrong name is noticed before a long history is read
        from perf_assets.stages.mining.issues import check_repository  # noqa: PLC0415

        check_repository(writer, repository, options.longest_wait)
    return chain(
        mine_commits(writer, repository, months, study.people.addresses),
        mine_releases(writer, repository, months),
    )


def _questions(
    writer: AuditedWriter,
    study: Study,
    tag_set: TagSet,
    months: Sequence[str],
    options: StepOptions,
) -> Iterable[WriteOutcome]:
    forum, reconcile_months = study.forum_of(tag_set), options.reconcile_months(study)
    return mine_questions(writer, forum, tag_set, months, reconcile_months, options.longest_wait)


REPOSITORY_STEPS: tuple[Step[Repository], ...] = (
    Step(
        "github_issues",
        "mine",
        ISSUE_TABLES,
        ("issues",),
        "Issues with comments and events, from their tracker: new cohorts and what changed.",
        _issues,
    ),
    Step(
        "git_commits",
        "mine",
        (*COMMIT_TABLES, RELEASES),
        ("git",),
        "Commits of all branches, files of the default branch's, issue templates, releases.",
        _commits,
    ),
    Step(
        "static_findings",
        "mine",
        FINDING_TABLES,
        ("git", "python"),
        "What static checks find in the tree at the end of each quarter.",
        lambda writer, _, repository, months, __: mine_findings(writer, repository, months),
    ),
    Step(
        "benchmark_results",
        "mine",
        BENCHMARK_TABLES,
        ("git", "json"),
        "What the repository's benchmarks measured, from the files of their results.",
        lambda writer, study, repository, months, __: mine_benchmarks(
            writer, study, repository, months
        ),
    ),
    Step(
        "performance_labels",
        "label",
        LABEL_TABLES,
        ("python",),
        "Which issues are performance bugs, by their labels and keywords.",
        lambda writer, study, repository, months, options: label_cohorts(
            writer, study, repository.name, months, forced=options.is_forced
        ),
    ),
    Step(
        "performance_commits",
        "label",
        COMMIT_LABEL_TABLES,
        ("python",),
        "Which commits are performance work, by their messages and files.",
        lambda writer, study, repository, months, options: label_commits(
            writer, study, repository.name, months, forced=options.is_forced
        ),
    ),
    Step(
        "fix_links",
        "link",
        LINK_TABLES,
        ("python",),
        "Which commits fixed which issues, by messages and by what the tracker says.",
        lambda writer, study, repository, months, options: link_commits(
            writer, study, repository.name, months, forced=options.is_forced
        ),
    ),
    Step(
        "fix_details",
        "details",
        (*DETAIL_TABLES, *RELEASE_TABLES),
        ("git", "python"),
        "Methods, complexity and languages of each fix, its lines' origin, and its releases.",
        lambda writer, _, repository, months, __: chain(
            inspect_fixes(writer, repository, months), find_releases(writer, repository)
        ),
    ),
    Step(
        "pull_requests",
        "details",
        PULL_REQUEST_TABLES,
        ("github",),
        "When the pull requests of performance work and fixes were reviewed and merged.",
        lambda writer, study, repository, _, options: load_pull_requests(
            writer, study, repository, options.longest_wait
        ),
    ),
)

FORUM = "stackexchange"
"""The kind of every asset that is by tag set and month."""

TAG_SET_STEPS: tuple[Step[TagSet], ...] = (
    Step(
        "forum_questions",
        "mine",
        QUESTION_TABLES,
        (FORUM,),
        "Questions with answers and comments, from a forum's dump and its API.",
        _questions,
    ),
    Step(
        "performance_questions",
        "label",
        QUESTION_LABEL_TABLES,
        (FORUM, "python"),
        "Which questions are about performance, by the stems of their words.",
        lambda writer, _, tag_set, months, options: label_performance_questions(
            writer, tag_set, months, forced=options.is_forced
        ),
    ),
)


def repository_steps(study: Study, until: Until = "published") -> tuple[Step[Repository], ...]:
    """Return the steps of each repository in a run of ``study`` that goes as far as ``until``."""
    last: Stage = "details" if study.as_far_as(until).analyze_fixes else "link"
    if until == "labels":
        last = "label"
    stages = STAGES[: STAGES.index(last) + 1]
    return tuple(step for step in REPOSITORY_STEPS if step.stage in stages)


def run_steps(
    steps: Sequence[Step[S]],
    writer: AuditedWriter,
    study: Study,
    subject: S,
    months: Sequence[str],
    options: StepOptions,
) -> Iterator[WriteOutcome]:
    """Bring ``months`` of ``subject`` up to date, one of the ``steps`` after the other."""
    for step in steps:
        yield from step.run(writer, study, subject, months, options)
