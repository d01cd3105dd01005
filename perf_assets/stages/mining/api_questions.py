"""Questions from an API, or from a folder of its answers: months that are missing, and changes."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.config.forums import Forum, TagSet
from perf_assets.sources.forums import QuestionSource, open_questions
from perf_assets.sources.posts import TABLES, Read
from perf_assets.sources.rate_limit import LONGEST_WAIT, RequestPolicy
from perf_assets.stages.mining.incremental_state import (
    NEVER,
    advance,
    due_cohorts,
    last_reads,
    noting_failures,
)
from perf_assets.stages.mining.storing_questions import (
    Month,
    note_end,
    store_posts,
    stored_posts,
    stored_states,
)
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import PartitionState, Provenance, WriteOutcome


def update_questions(
    writer: AuditedWriter,
    forum: Forum,
    tag_set: TagSet,
    months: Sequence[str],
    reconcile_months: int | None = None,
    longest_wait: float = LONGEST_WAIT,
) -> Iterator[WriteOutcome]:
    """Bring ``months`` of ``tag_set`` up to date from the API, see :func:`load_questions`.

    The number of requests is noted, however it ends.
    """
    started = datetime.now(UTC)
    source = open_questions(forum, tag_set, RequestPolicy(longest_wait=longest_wait))
    try:
        yield from load_questions(writer, source, months, reconcile_months)
    finally:
        source.close()
        row = {"repository": tag_set.name, "started_at": started, "requests": source.requests}
        writer.note({"meta.source_requests": pl.DataFrame([{**row, "points": source.requests}])})


def load_questions(
    writer: AuditedWriter,
    source: QuestionSource,
    months: Sequence[str],
    reconcile_months: int | None = None,
) -> Iterator[WriteOutcome]:
    """Load the months that are missing, refresh those that are there.

    With each stored month stands the newest activity when it was read. A refresh
    lists the questions in which something happened since the oldest of these, so that a run that
    was killed goes on with what is left. What the forum does not call an activity (votes, views,
    deletion, a tag that was taken away) is found when a month is read whole again, as with
    ``reconcile_months`` those that are due are.

    A dump is not refreshed: if it has changed, all its months are read again.
    """
    name = source.tag_set.name
    source.check_tags()
    loads = writer.database.loads(TABLES[0], name).filter(status="loaded")
    if (dump := source.dump) is not None:
        seen = dict(loads.select("month", "fingerprint").iter_rows())
        there = [month for month in months if month <= dump.last_month or month in seen]
        due = [month for month in there if seen.get(month) != dump.fingerprint]
        note_end(dump, source.tag_set, months, "add newer answers to its folder")
        yield from _load(writer, source, due, dump.newest_at or NEVER, "loading")
        return
    newest = source.newest_activity() or NEVER
    marks = {
        month: mark or NEVER
        for month, mark in loads.select("month", "updated_at").iter_rows()
        if month in months
    }
    loaded = sorted(marks)
    if marks:
        yield from _refresh(writer, source, loaded, min(marks.values()), newest)
    if reconcile_months is not None:
        due = due_cohorts(last_reads(writer, name, loaded), reconcile_months, datetime.now(UTC))
        yield from _load(writer, source, due, newest, "reading again")
    missing = [month for month in months if month not in marks]
    yield from _load(writer, source, missing, newest, "loading")


def _refresh(
    writer: AuditedWriter,
    source: QuestionSource,
    months: list[str],
    since: datetime,
    newest: datetime,
) -> Iterator[WriteOutcome]:
    """Put what changed since into the stored ``months``; these show everything up to ``newest``."""
    failed: set[str] = set()
    with phase(f"refreshing questions of {source.tag_set.name}", unit="questions") as progress:
        for read in source.changed(since):
            touched = _merged(writer, source, months, read)
            outcomes = store_posts(writer, source.forum, source.tag_set, touched)
            yield from noting_failures(outcomes, failed)
            progress(progress.done + read.batch.questions.height)
    whole = [month for month in months if month not in failed]
    advance(writer, source.tag_set.name, whole, newest, TABLES)


def _merged(
    writer: AuditedWriter, source: QuestionSource, months: list[str], read: Read
) -> list[Month]:
    """Return the stored months that ``read`` changes, each as it is then."""
    is_mine = pl.col("tag_sets").list.first() == source.tag_set.label
    numbers = read.batch.questions["question_id"].to_list()
    # A question may have got a tag of an earlier tag set, whose it is then.
    others = read.batch.questions.filter(~is_mine)["question_id"].to_list()
    now = read.batch.without(others)
    touched = sorted(set(read.batch.questions["month"]) & set(months))
    states = stored_states(writer, source.tag_set)
    merged = []
    for month in touched:
        before = stored_posts(writer, source.tag_set, [month])
        after = before.without(numbers).and_(now.of_month(month))
        # Its mark is moved when all that changed is stored.
        merged.append(Month(month, after, Provenance(states[month])))
    return merged


def _load(
    writer: AuditedWriter,
    source: QuestionSource,
    months: Sequence[str],
    newest: datetime,
    doing: str,
) -> Iterator[WriteOutcome]:
    """Read each of ``months`` whole and store it."""
    title = f"{doing} questions of {source.tag_set.name}"
    fingerprint = None if source.dump is None else source.dump.fingerprint
    with phase(title, len(months), "months") as progress:
        for done, month in enumerate(months, 1):
            before = source.requests
            read = source.month(month)
            requests = source.requests - before
            loaded = Month(
                month,
                read.batch,
                Provenance(PartitionState(newest, fingerprint), requests, requests),
                {TABLES[0]: read.questions, TABLES[1]: read.answers},
                is_read_whole=True,
            )
            yield from store_posts(writer, source.forum, source.tag_set, [loaded])
            progress(done)
