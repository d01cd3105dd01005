"""The jobs, named as the stages they run, and what each of them selects."""

from collections.abc import Mapping, Sequence

import dagster as dg

from perf_assets.config.partitions import Subject
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.dagster_app.assets import KIND_TABLES
from perf_assets.dagster_app.dagster_internals import UnresolvedAssetJobDefinition
from perf_assets.dagster_app.executor import single_writer
from perf_assets.dagster_app.keys import Assets, Place, asset_key, name_of
from perf_assets.schema.models.asset_graph import REPLICATION_REPORT, VERDICTS, downstream_of
from perf_assets.stages.enrichment.labels import KINDS as KINDS_OF_LABELS
from perf_assets.stages.steps import FORUM

# By tag set and month, where all else that is mined and decided is by repository and month.
QUESTIONS = dg.AssetSelection.kind(FORUM)
MINE = dg.AssetSelection.groups("raw") - QUESTIONS
# Learned from the questions of all tag sets: computed whole, with the models.
KINDS = dg.AssetSelection.assets(*map(asset_key, KIND_TABLES))
LABEL = dg.AssetSelection.groups("labels") - QUESTIONS - KINDS
DECIDE = dg.AssetSelection.groups("labels", "links", "details") - QUESTIONS - KINDS
# The replication is loaded by its own job, whatever becomes of the live data.
REPLICATE = dg.AssetSelection.groups("replication") | dg.AssetSelection.assets(
    asset_key(REPLICATION_REPORT)
)
# What labels mean is decided for all repositories together; by a worker, only what is of one.
LABEL_KINDS = dg.AssetSelection.assets(asset_key(KINDS_OF_LABELS))
DERIVE = dg.AssetSelection.all() - MINE - DECIDE - REPLICATE - QUESTIONS

# A study decides the kinds of questions by verdicts too; without one they stay as they are.
REVIEWED = dg.AssetSelection.assets(
    *(
        asset_key(text)
        for text in downstream_of(VERDICTS)
        if not text.startswith("labels.") and text != REPLICATION_REPORT
    )
)

FULL_PIPELINE = "full_pipeline"
MINE_REPOSITORY = "mine_repository"
BUILD_MODELS = "build_models"
FORUM_PIPELINE = "forum_pipeline"
INGEST_QUESTIONS = "ingest_questions"
MINE_JOB = "mine"
LABEL_JOB = "label"
LABEL_AND_LINK = "label_and_link"
REPLICATE_JOB = "replicate"
REVIEW = "review"

PROGRESS = {
    MINE_JOB: "mining issues and commits",
    INGEST_QUESTIONS: "ingesting questions of forums",
    LABEL_JOB: "labelling issues",
    LABEL_AND_LINK: "labelling issues and linking commits",
    BUILD_MODELS: "building models and statistics",
    REPLICATE_JOB: "replicating the paper",
    REVIEW: "measuring labels and raters",
}
"""What the command line shows while it runs a job."""

DESCRIPTIONS = {
    MINE_REPOSITORY: "Mine, label and link a repository, and push what changed to the lake.",
    FULL_PIPELINE: "Mine, label, link, build models and publish: the main job.",
    MINE_JOB: "Bring issues and commits up to date at the source.",
    LABEL_JOB: "Label the loaded issues.",
    LABEL_AND_LINK: "Label issues, link the commits that fixed them, analyse these fixes, and read "
    "their pull requests.",
    FORUM_PIPELINE: "Ingest, label, model and publish the questions of forums.",
    INGEST_QUESTIONS: "Ingest questions, and label those about performance.",
    BUILD_MODELS: "Build models and statistics, and publish the database.",
    REPLICATE_JOB: "Load the paper's published data, run models and statistics over them.",
    REVIEW: "Measure labels and raters by the verdicts that were imported.",
}
"""What the UI says of each job."""


def jobs_of(subject: Subject, until: Until) -> tuple[str, ...]:
    """Return the jobs that run the steps of ``subject`` as far as ``until``, in their order."""
    if not isinstance(subject, Repository):
        return (INGEST_QUESTIONS,)
    return (MINE_JOB, LABEL_JOB if until == "labels" else LABEL_AND_LINK)


def study_jobs(
    study: Study, place: Place, assets: Assets, alone: Sequence[dg.AssetChecksDefinition]
) -> list[UnresolvedAssetJobDefinition]:
    """Return the jobs of a study with these ``assets``, before their keys have a prefix.

    Checks that stand ``alone`` are judged at their times, by no job.
    """
    selections: dict[str, dg.AssetSelection] = {
        BUILD_MODELS: DERIVE if study.lake is None else DERIVE | LABEL_KINDS
    }
    if study.repositories and study.lake is not None:
        selections[MINE_REPOSITORY] = (MINE | DECIDE) - LABEL_KINDS
    elif study.repositories:
        selections |= {
            FULL_PIPELINE: MINE | DECIDE | DERIVE,
            MINE_JOB: MINE,
            LABEL_JOB: LABEL,
            LABEL_AND_LINK: DECIDE,
        }
    if study.forums:
        selections |= {FORUM_PIPELINE: QUESTIONS | DERIVE, INGEST_QUESTIONS: QUESTIONS}
    selections |= {REPLICATE_JOB: DERIVE | REPLICATE, REVIEW: REVIEWED | KINDS}
    return _jobs(selections, place, assets, alone)


def studyless_jobs(place: Place, assets: Assets) -> list[UnresolvedAssetJobDefinition]:
    """Return the jobs for which no study is needed, with these ``assets``."""
    return _jobs({REPLICATE_JOB: dg.AssetSelection.all(), REVIEW: REVIEWED}, place, assets)


def _jobs(
    selections: Mapping[str, dg.AssetSelection],
    place: Place,
    assets: Assets,
    alone: Sequence[dg.AssetChecksDefinition] = (),
) -> list[UnresolvedAssetJobDefinition]:
    """Return the jobs over what each selects of ``assets``, and nothing else of the location."""
    graph = dg.Definitions(assets=assets).resolve_asset_graph()
    executor = single_writer(place)
    left_out = dg.AssetSelection.checks(*alone)
    return [
        dg.define_asset_job(
            place.named(name),
            dg.AssetSelection.assets(
                *(place.key(name_of(key)) for key in sorted(selection.resolve(graph)))
            )
            - left_out,
            description=DESCRIPTIONS[name],
            executor_def=executor,
        )
        for name, selection in selections.items()
    ]
