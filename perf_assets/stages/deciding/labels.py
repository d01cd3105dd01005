"""Which issues are performance bugs, by cohort, and what each label means."""

from collections.abc import Sequence

import polars as pl

from perf_assets.core.labelling.labels import label_issues, label_kinds
from perf_assets.progress import phase
from perf_assets.stages.deciding.months import from_first, loaded_months
from perf_assets.storage.audit import Parameters
from perf_assets.storage.gate import Candidate, Gate, Mark, Offer, Outcome, Provenance
from perf_assets.study import Study


def label_cohorts(
    gate: Gate, study: Study, repository: str, months: Sequence[str]
) -> list[Outcome]:
    """Label the loaded cohorts of ``months`` and re-label those that follow.

    A label depends on cohorts up to its own month: a cohort that came late may change what
    follows it, and nothing before it.
    """
    loaded = loaded_months(gate, "raw.issues", repository)
    issues = gate.database.frame(
        """
        select repository, number, title, body, author, labels, month
        from raw.issues
        where repository = ?
        """,
        [repository],
    )
    templates = gate.database.frame(
        "select * from raw.issue_templates where repository = ?", [repository]
    )
    with phase(f"labelling issues of {repository}"):
        labels, evidence = label_issues(issues, templates, study.rules)
    version = study.rules.version
    partitions = []
    for month in from_first(loaded, months):
        of_month = pl.col("month") == month
        cohort = issues.filter(of_month)["number"].to_list()
        told: Parameters = {"issue_numbers": cohort, "rule_version": version}
        candidates = [
            Candidate("labels.performance_labels", labels.filter(of_month), told, len(cohort)),
            Candidate("labels.label_evidence", evidence.filter(of_month), told),
        ]
        provenance = Provenance(Mark(rule_version=version))
        partitions.append(Offer(candidates, repository, month, provenance))
    with phase(f"storing labels of {repository}"):
        return gate.store(partitions)


def tell_label_kinds(gate: Gate, study: Study) -> Outcome:
    """Write down what each label means that issues carry or carried, for the past months' sake."""
    labels = gate.database.frame(
        """
        select repository, unnest(labels) as label from raw.issues
        union
        select repository, label from raw.issue_events where label is not null
        order by repository, label
        """
    )
    kinds = Candidate("labels.label_kinds", label_kinds(labels, study.rules))
    (outcome,) = gate.store([Offer([kinds])])
    return outcome
