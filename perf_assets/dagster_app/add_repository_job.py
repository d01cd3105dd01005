"""The job that adds a repository to the study, with no file to edit."""

import json
import os
import urllib.request

import dagster as dg
from pydantic import Field

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.config.study import Study
from perf_assets.dagster_app.factory import friendly_errors
from perf_assets.dagster_app.jobs import FULL_PIPELINE
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.settings import LOCATION, UI
from perf_assets.stages.study_loader import Added, add_repository, added_to

JOB = "add_repository"
SECONDS = 60.0
RELOAD = """
mutation ($name: String!) {
  reloadRepositoryLocation(repositoryLocationName: $name) { __typename }
}
"""


class NewRepository(dg.Config):
    """The repository to add, as a study file would have it."""

    name: str = Field(description="owner/name on GitHub, or host/path")
    start: str = Field(description="the first month to mine, as YYYY-MM")
    git: str | None = Field(default=None, description="where to clone from; default: its host")
    github_url: str | None = Field(
        default=None, description="base of another API of GitHub; default: GitHub's"
    )
    source: str | None = Field(
        default=None, description="what runs at the host; default: as the host in `name` says"
    )
    api_url: str | None = Field(
        default=None, description="base of the API of another host; default: that of the host"
    )


def add_repository_job(study: Study, place: Place) -> dg.JobDefinition:
    """Return the job; what it is given is checked, by asking git and the API, before it is kept."""
    data_dir, step = place.data_dir, place.named("new_repository")

    @dg.op(
        name=step,
        description="Checks a repository with git and its host's API, and adds it to the study.",
    )
    def new_repository(context: dg.OpExecutionContext, config: NewRepository) -> None:
        # PyGithub takes long to import: the UI, which only shows the job, should not wait for that.
        from perf_assets.stages.preflight import preflight  # noqa: PLC0415

        messages: list[str] = []
        with friendly_errors(data_dir):
            added = Added.now(study, **config.model_dump())
            repository = added_to(study, added)
            alone = study.model_copy(update={"repositories": (repository,), "forums": ()})
            if not preflight(alone, data_dir, messages.append):
                raise PerfAssetsError(f"{repository.name} was not added: {'; '.join(messages)}")
            add_repository(study, data_dir, added)
        for sentence in messages:
            context.log.info(sentence)
        months = len(months_between(repository.start, repository.end))
        context.log.info(
            f"{repository.name} was added with {months} months, from {repository.start} to "
            f"{repository.end}. Load them by the job {place.named(FULL_PIPELINE)}: Materialize, "
            "all of its months, this repository; by its schedules later, once they are on."
        )
        if not _reloaded():
            context.log.warning("Reload the definitions (Deployment, Reload) to see it.")

    @dg.job(
        name=place.named(JOB),
        description=(
            "Add a repository to the study: launch it with its name (owner/name on GitHub, or "
            "host/path) and the first month to mine. It stands beside those of the study "
            "file, which stays as it is."
        ),
        config=dg.RunConfig({step: NewRepository(name="owner/name", start="2024-01")}),
    )
    def add() -> None:
        new_repository()

    return add


def _reloaded() -> bool:
    """Have the UI load the definitions again, where this process knows of one."""
    address = os.environ.get(UI)
    if address is None:
        return False
    question = json.dumps({"query": RELOAD, "variables": {"name": LOCATION}})
    request = urllib.request.Request(
        f"{address}/graphql", question.encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return b"WorkspaceLocationEntry" in answer.read()
    except OSError:
        return False
