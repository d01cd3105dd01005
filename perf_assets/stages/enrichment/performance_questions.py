"""Which questions of a forum are about performance, by month."""

from collections.abc import Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.forums import TagSet
from perf_assets.core.labelling.stems import STEMS, label_questions
from perf_assets.stages.enrichment.work import Work, loaded_months
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import StagedTable, WriteOutcome

TABLES = ("labels.performance_questions",)

QUESTIONS = """
    select forum, question_id, tag_set, title, text, month
    from raw.questions
    where forum || ':' || tag_set = ?
"""


def label_performance_questions(
    writer: AuditedWriter, tag_set: TagSet, months: Sequence[str], *, forced: bool = False
) -> list[WriteOutcome]:
    """Decide which of the loaded questions of ``tag_set`` and ``months`` are about performance.

    The decision on a question depends on its own text alone. No-op if no text changed, unless
    ``forced``.
    """
    loaded = loaded_months(writer, "raw.questions", tag_set.name)
    due = [month for month in loaded if month in set(months)]
    work = Work(writer, tag_set.name, TABLES, loaded, due)
    code = code_version(__name__)
    basis = work.basis((QUESTIONS,), (code, STEMS.version))
    if not forced and work.is_done(basis):
        return []
    of_months = f"{QUESTIONS} and list_contains(?, month)"
    questions = writer.database.frame(of_months, [tag_set.name, due])
    with phase(f"labelling questions of {tag_set.name}"):
        labels = label_questions(questions)

    def staged(month: str) -> list[StagedTable]:
        of_month, parameters = pl.col("month") == month, Parameters(rule_version=STEMS.version)
        count = questions.filter(of_month).height
        return [StagedTable(TABLES[0], labels.filter(of_month), parameters, count)]

    return work.store(basis, f"{code} {STEMS.version}", staged)
