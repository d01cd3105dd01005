"""Kinds of the questions of the study's forums, learned from questions that people classified."""

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import in_words, shortened
from perf_assets.config.forums import Forum
from perf_assets.config.study import Study
from perf_assets.core.questions.classifier_assumptions import (
    FEWEST_KINDS,
    FEWEST_PER_KIND,
    KINDS,
    WORDS_PER_KIND,
)
from perf_assets.schema import schema_of, table_of
from perf_assets.stages.transform.models import lay_views
from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.storing import store_tables
from perf_assets.storage.warehouse import Difference

if TYPE_CHECKING:  # it imports NumPy, which a run without questions does without
    from perf_assets.core.questions.words import Wordlists

log = logging.getLogger(__name__)

QUESTION_KINDS = "labels.question_kinds"
LABELLED = "reviews.labelled_questions"
WEIGHTS = "labels.question_word_weights"
NOTHING = schema_of(QUESTION_KINDS).to_frame(), schema_of(WEIGHTS).to_frame()

QUESTIONS = """
    select forum, question_id, title, text, code from raw.questions
    where list_contains(?, forum)
"""
EXAMPLES = """
    select * from staging.labelled_questions
    where list_contains(?, forum) order by forum, question_id, kind
"""

MISSING = f"""
    select forum, count(distinct question_id)
    from {LABELLED} anti join raw.questions using (forum, question_id)
    group by forum
"""

HOW_TO = (
    "name a CSV file with the columns question_id and kind as labelled in [[forums]] of the study, "
    "or bring back a review sheet of questions"
)


def store_question_kinds(
    writer: AuditedWriter, study: Study, *, forced: bool = False
) -> Iterator[WriteOutcome]:
    """Store the classifications by people, and decide the kinds of all other questions.

    With too few classified questions no kind is decided, and the log says how to add some. If
    nothing changed, only the fingerprint is read, unless ``forced``.

    Raises
    ------
    PerfAssetsError
        A file of classified questions, or of keywords, has a mistake; the sentence names file and
        line.
    """
    classified = _labelled(study)
    lists = {forum.name: _lists(forum) for forum in study.forums}
    # Stored rows are audited already.
    if forced or Difference.between(writer.database.frame(f"from {LABELLED}"), classified).is_any:
        stored = store_tables(writer, {LABELLED: classified})
        yield stored
        if stored.failure is not None:
            return
    forums = sorted(forum.name for forum in study.forums)
    if forums:
        lay_views(writer)
    queries = (QUESTIONS, EXAMPLES) if forums else ()
    held = [fingerprints.content_of(writer.database, query, [forums]) for query in queries]
    rules = fingerprints.rules_of(table_of(QUESTION_KINDS))
    chosen = {
        name: sorted(words.keywords.items()) for name, words in sorted(lists.items()) if words
    }
    basis = fingerprints.basis_of(
        code_version(__name__), rules, study.kind_method, forums, held, chosen
    )
    tables = [QUESTION_KINDS, WEIGHTS]
    if not forced and fingerprints.is_current(writer.database, tables, basis):
        return
    decided = _decided(writer, study, forums, lists)
    outcome = store_tables(writer, dict(zip(tables, decided, strict=True)))
    yield outcome
    if outcome.failure is None:
        fingerprints.note(writer.database, tables, basis)


def _labelled(study: Study) -> pl.DataFrame:
    files = [(forum.name, forum.labelled) for forum in study.forums if forum.labelled is not None]
    if not files:
        return schema_of(LABELLED).to_frame()
    from perf_assets.sources.question_kinds.kind_files import read_labelled  # noqa: PLC0415

    return pl.concat([read_labelled(name, path) for name, path in files])


def _lists(forum: Forum) -> "Wordlists | None":
    """Return the keywords that people chose for the forum, checked; None for the packaged ones."""
    if forum.keywords is None:
        return None
    from perf_assets.sources.question_kinds.kind_files import (  # noqa: PLC0415
        read_keywords,
        wordlists,
    )

    return read_keywords(forum.name, forum.keywords, wordlists())


def _decided(
    writer: AuditedWriter, study: Study, forums: list[str], lists: "Mapping[str, Wordlists | None]"
) -> tuple[pl.DataFrame, pl.DataFrame]:
    if not forums:
        return NOTHING
    labelled = writer.database.frame(EXAMPLES, [forums])
    for forum, number in writer.database.frame(MISSING).iter_rows():
        log.warning("%s: %d of the labelled questions are not loaded", forum, number)
    parts = [
        _kinds_of(writer, study, forum, labelled.filter(forum=forum.name), lists[forum.name])
        for forum in study.forums
    ]
    kinds, weights = zip(NOTHING, *parts, strict=True)
    return pl.concat(kinds), pl.concat(weights)


def _kinds_of(
    writer: AuditedWriter,
    study: Study,
    forum: Forum,
    labelled: pl.DataFrame,
    lists: "Wordlists | None",
) -> tuple[pl.DataFrame, pl.DataFrame]:
    # Without classified questions the classifier is not imported.
    if labelled.is_empty():
        log.info(
            "%s: no question was classified by people, so kinds are not decided; %s",
            forum.name,
            HOW_TO,
        )
        return NOTHING
    from perf_assets.core.questions.classification import classify  # noqa: PLC0415
    from perf_assets.core.questions.examples import examples_of  # noqa: PLC0415
    from perf_assets.sources.question_kinds.kind_files import wordlists  # noqa: PLC0415

    (examples,) = examples_of(labelled)
    unknown = ", ".join(in_words(kind) for kind in KINDS if kind not in examples.kinds)
    if not examples.are_enough:
        log.warning(
            "%s: %d classified questions are too few to decide kinds: at least %d "
            "kinds need %d questions each; %s",
            *(forum.name, examples.questions.height, FEWEST_KINDS, FEWEST_PER_KIND, HOW_TO),
        )
        return NOTHING
    if unknown:
        log.warning(
            "%s: fewer than %d questions were classified as %s: no other question gets that kind",
            *(forum.name, FEWEST_PER_KIND, unknown),
        )
    questions = writer.database.frame(QUESTIONS, [[forum.name]])
    with phase(f"classifying questions of {forum.name}"):
        result = classify(questions, examples, lists or wordlists(), study.kind_method)
    compared = ", ".join(f"{name} {f1:.2f}" for name, f1 in sorted(result.f1.items()))
    log.info(
        "%s: %s decides the kinds of questions%s",
        *(forum.name, result.method, compared and f" (macro F1 in order of time: {compared})"),
    )
    unranked = result.weights.filter(pl.col("word_rank").is_null(), keyword_set="chosen")
    if unranked.height:
        log.warning(
            "%s: %d of the chosen keywords are not among the %d most frequent words of their kind, "
            "from which the study chose: %s",
            *(forum.name, unranked.height, WORDS_PER_KIND),
            shortened(", ".join(unranked["written_form"].head(10)), 200),
        )
    return result.rows, result.weights
