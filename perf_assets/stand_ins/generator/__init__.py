"""Generates a corpus directory from a seed: issues, a git repository, and the planted truth."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import add_months, is_month, last_full_month
from perf_assets.base.processes.progress import phase
from perf_assets.base.processes.shutdown import cleanup_on_stop
from perf_assets.base.repository_names import is_repository_name
from perf_assets.stand_ins.generator import (  # noqa: F401  (importing registers the traps)
    activity_traps,
    boilerplate_traps,
    commit_traps,
    link_traps,
    naming_traps,
    text_traps,
)
from perf_assets.stand_ins.generator import benchmarks as suite
from perf_assets.stand_ins.generator.areas import STUDY, plan_areas
from perf_assets.stand_ins.generator.changes import PlantedChange, plant_changes
from perf_assets.stand_ins.generator.corpus import write_corpus
from perf_assets.stand_ins.generator.everyday import (
    fill_comments,
    fill_commits,
    fill_issues,
    fill_pulls,
    open_history,
    open_issues,
)
from perf_assets.stand_ins.generator.forum import write_forum
from perf_assets.stand_ins.generator.history import write_history
from perf_assets.stand_ins.generator.outcomes import plant_outcomes
from perf_assets.stand_ins.generator.people import plant_people
from perf_assets.stand_ins.generator.planner import Calendar, Plan
from perf_assets.stand_ins.generator.program import plan_program
from perf_assets.stand_ins.generator.releases import plant_releases
from perf_assets.stand_ins.generator.report_form import plant_form, planted_form
from perf_assets.stand_ins.generator.reviews import plant_reviews, planted_pull_requests
from perf_assets.stand_ins.generator.topics import MERGES_PER_COMMIT, plan_topics
from perf_assets.stand_ins.generator.traps import plant_traps
from perf_assets.stand_ins.generator.truth import write_truth
from perf_assets.stand_ins.generator.verdicts import made_up_verdicts
from perf_assets.stand_ins.generator.wording import word_reports
from perf_assets.stand_ins.generator.work import plant_work, planted_work
from perf_assets.stand_ins.generator.workflows import plan_workflow

GIT_DIRECTORY = "repository.git"
TRUTH_DIRECTORY = "truth"
VERDICTS_FILE = "verdicts.csv"
STUDY_FILE = "study.toml"
COMMENTS_PER_ISSUE = 4
MONTHS_BEFORE_TREND = 3
SAMPLE_TOPICS = 0.3
QUESTIONS = 280  # of the sample: thirty of each kind at least
TRAP_SHARE = 0.7  # of issues and commits, where not all traps fit
FIX_SHARE = 0.6  # of the commits that the traps leave


@dataclass(frozen=True)
class GeneratedCorpus:
    """Where a generated corpus stands; ``records`` counts the lines of each corpus file."""

    directory: Path
    records: dict[str, int]

    @property
    def study(self) -> Path:
        """The study file that runs over the corpus as it stands."""
        return self.directory / STUDY_FILE

    @property
    def repository(self) -> Path:
        """The bare git repository."""
        return self.directory / GIT_DIRECTORY

    @property
    def truth(self) -> Path:
        """The directory of the planted truth."""
        return self.directory / TRUTH_DIRECTORY


def generate(  # noqa: PLR0913
    directory: Path,
    *,
    seed: int = 0,
    issues: int = 400,
    months: int = 30,
    commits: int = 800,
    comments: int | None = None,
    start: str = "2020-01",
    repository: str = "sample-lab/tensorkit",
    workflow: str | None = None,
    questions: int = 0,
    topics: float = 0,
    changes: Sequence[PlantedChange] = (),
    benchmarks: bool = False,
) -> GeneratedCorpus:
    """Write a synthetic repository to ``directory``, with everything a study of it must find.

    The same arguments give the same bytes. All traps fit from 290 issues, 15 months and
    160 commits on; smaller corpora hold as many as fit, listed in ``truth/traps.json``.
    From 15 months on one month brings a form for performance reports, see ``truth/form.json``.
    ``truth/work.json`` lists the commits whose messages say that they are performance work.

    Parameters
    ----------
    directory : Path
        Where to write; it must not exist or be empty.
    seed : int
        Another seed gives another repository of the same size.
    issues, commits : int
        How many issues, and commits on the default branch (side branches included).
    months : int
        Calendar months from ``start`` on in which everything happens.
    comments : int, optional
        How many comments, at least those that the traps need; four an issue by default.
    start : str
        The first month, YYYY-MM.
    repository : str
        Name of the repository, owner/name.
    workflow : str, optional
        ``merge``, ``squash`` or ``rebase``: half of the commits that the traps leave, with issues
        of their own beyond ``issues``, land by pull requests in this way.
    questions : int
        How many questions of the users' side, in the dump of a forum; none leaves it out.
    topics : float
        Share of the usual commits that come by topic branches, 0 to 1: many at once, brought up to
        date from the main line, and merged by a commit. With 0.8 a quarter of all are merges.
    changes : Sequence[PlantedChange]
        From a month on a monthly series has another level, as ``truth/changes.json`` says.
    benchmarks : bool
        Whether results of benchmarks lie beside it, as ``truth/benchmarks.json`` says.

    Returns
    -------
    GeneratedCorpus
        The directory and what it holds: the corpus files, ``repository.git``, ``study.toml``,
        ``truth/``, and ``verdicts.csv``, the answers of two made-up raters.

    Raises
    ------
    PerfAssetsError
        A size below 1, a share that is none, no such month, a last month that is not over, a
        malformed name, a directory that holds something already, or git missing.
    """
    _check(issues=issues, months=months, commits=commits, comments=comments, questions=questions)
    if not 0 <= topics <= 1:
        raise PerfAssetsError(f"--topics is {topics:g}, and must be a share from 0 to 1")
    _check_target(start, months, repository)
    title = f"generating {issues:,} issues and {commits:,} commits"
    with phase(title), _all_or_nothing(Path(directory)) as partial:
        rng = Random(seed)
        plan = Plan(rng, Calendar(start, months), repository, issues)
        total = COMMENTS_PER_ISSUE * issues if comments is None else comments
        _fill(plan, issues, commits, total, workflow, topics)
        plant_outcomes(plan, seed)
        planted = plant_changes(plan, changes, seed)
        plan_areas(plan, seed)
        plant_people(plan, seed)
        word_reports(plan, seed)
        plant_form(plan, seed)
        plant_work(plan, seed)
        measured = suite.plant_benchmarks(plan, seed) if benchmarks else None
        plan.number()
        write_history(partial / GIT_DIRECTORY, plan.commits, rng)
        releases = plant_releases(partial / GIT_DIRECTORY, plan)
        plant_reviews(plan, seed)
        records = write_corpus(plan, partial)
        trend_start = min(MONTHS_BEFORE_TREND, months - 1)
        (partial / TRUTH_DIRECTORY).mkdir()
        write_truth(plan, partial / TRUTH_DIRECTORY, trend_start, releases)
        truths = {
            "changes": planted,
            "form": planted_form(plan),
            "work": planted_work(plan),
            "pull_requests": list(planted_pull_requests(plan)),
        }
        study = _study(plan, trend_start)
        if measured is not None:
            measured.write(partial / suite.DIRECTORY)
            truths["benchmarks"] = measured.truth()
            study += suite.STUDY.format(repository=plan.repository)
        for name, content in truths.items():
            if content:
                document = json.dumps(content, indent=1) + "\n"
                path = partial / TRUTH_DIRECTORY / f"{name}.json"
                path.write_text(document, encoding="utf-8")
        verdicts = pl.DataFrame(list(made_up_verdicts(plan, seed)), infer_schema_length=None)
        verdicts.write_csv(partial / VERDICTS_FILE)
        if questions:
            truth = partial / TRUTH_DIRECTORY
            study += write_forum(partial, truth, plan.calendar, questions, seed)
        (partial / STUDY_FILE).write_text(study, encoding="utf-8")
    return GeneratedCorpus(Path(directory), records)


def _fill(
    plan: Plan, issues: int, commits: int, comments: int, workflow: str | None, topics: float
) -> None:
    """Plan everything: first what must be there, then the traps, then what is usual."""
    open_history(plan, commits)
    open_issues(plan, issues)
    plant_traps(
        plan,
        int((issues - len(plan.issues)) * TRAP_SHARE),
        int((commits - len(plan.commits)) * TRAP_SHARE),
    )
    if workflow is not None:
        plan_workflow(plan, workflow, (commits - _on_main(plan)) // 2)
    fix_commits = int((commits - _on_main(plan)) * FIX_SHARE)
    fill_issues(plan, max(0, issues - len(plan.issues)), fix_commits)
    merges = int((commits - _on_main(plan)) * topics * MERGES_PER_COMMIT)
    plain = fill_commits(plan, commits - _on_main(plan) - merges)
    plan_topics(plan, topics, merges)
    plain += fill_commits(plan, commits - _on_main(plan))
    plan_program(plan.calendar, [commit for commit in plain if commit.branch is None])
    fill_pulls(plan, commits // 20)
    fill_comments(plan, comments)


def _on_main(plan: Plan) -> int:
    return sum(commit.is_on_main for commit in plan.commits)


def _study(plan: Plan, trend_start: int) -> str:
    names = plan.calendar.names
    return (
        'name = "sample"\n'
        'performance_labels = ["performance"]\n'
        'rule_set = "paper"\n'
        'non_bug_labels = ["feature", "enhancement", "question", "documentation"]\n'
        "\n[[repositories]]\n"
        f'name = "{plan.repository}"\n'
        f'aliases = ["{plan.former_name}"]\n'
        f'start = "{names[0]}"\n'
        f'trend_start = "{names[trend_start]}"\n'
        f'end = "{names[-1]}"\n'
        f'git = "{GIT_DIRECTORY}"\n'
        'corpus = "."\n'
        f"{STUDY}"
    )


def _check(**sizes: int | None) -> None:
    for option, size in sizes.items():
        least = 0 if option in ("comments", "questions") else 1
        if size is not None and size < least:
            raise PerfAssetsError(f"--{option} is {size}, and must be at least {least}")


def _check_target(start: str, months: int, repository: str) -> None:
    if not is_month(start):
        raise PerfAssetsError(f"--start is {start!r}, and must be a month in the form YYYY-MM")
    newest = last_full_month()
    last = add_months(start, months - 1)
    if last > newest or len(last) > len(newest):
        raise PerfAssetsError(
            f"--months is {months}: from {start} that ends with {last}, which is not over; "
            f"take fewer months or an earlier --start"
        )
    if not is_repository_name(repository):
        raise PerfAssetsError(f"--repository is {repository!r}, and must be written owner/name")


@contextmanager
def _all_or_nothing(directory: Path) -> Iterator[Path]:
    """Provide a directory beside ``directory`` that replaces it when the block ends well."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise PerfAssetsError(f"{directory} exists and is not empty: name a new directory")
    partial = directory.absolute().with_name(f".{directory.absolute().name}.{os.getpid()}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        with cleanup_on_stop(lambda: _discard(partial)):
            yield partial
        partial.replace(directory)
    except OSError as error:
        raise PerfAssetsError(f"{directory} cannot be written: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _discard(partial: Path) -> None:
    """Remove what another thread is still writing."""
    doomed = partial.rename(partial.with_suffix(".stopped"))
    shutil.rmtree(doomed, ignore_errors=True)
