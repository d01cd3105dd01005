"""What did not change is not made again; whatever changed, the tables are those made afresh."""

import random
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.schema.models.files import load_models
from perf_assets.stages.enrichment.labels import label_cohorts, store_label_kinds
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.replicating import load_package
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.stages.transform.models import lay_views, register_study
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import open_warehouse
from tests.effort import SEEDS
from tests.replication_package import write_package
from tests.support import Prepared, assert_same_tables, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

# What may happen to a data directory between two runs: at a source, by another job, in the study,
# by hand.
CHANGES = (
    "UPDATE raw.issues SET title = title || ' is slow' WHERE hash(number, {0}) % 5 = 0",
    "UPDATE raw.issues SET labels = ['performance'] WHERE hash(number, {0}) % 4 = 0",
    "DELETE FROM raw.issue_comments WHERE hash(comment_id, {0}) % 3 = 0",
    "UPDATE raw.issue_comments SET body = 'Thanks.' WHERE hash(comment_id, {0}) % 2 = 0",
    "DELETE FROM raw.issue_events WHERE hash(event_id, {0}) % 5 = 0",
    "UPDATE raw.issue_events SET created_at = created_at + INTERVAL 1 HOUR WHERE {0} >= 0",
    "UPDATE raw.commits SET message = 'Tidy up' WHERE hash(sha, {0}) % 6 = 0",
    "UPDATE raw.commit_files SET additions = additions + 1 WHERE hash(sha, {0}) % 4 = 0",
    "DELETE FROM raw.issue_templates WHERE {0} >= 0",
    "DELETE FROM details.introducing_commits WHERE hash(sha, {0}) % 3 = 0",
    "DELETE FROM labels.label_evidence WHERE hash(number, {0}) % 3 = 0",
    "DELETE FROM labels.label_kinds WHERE {0} >= 0",
    "UPDATE links.fix_links SET is_counted = NOT is_counted WHERE hash(sha, {0}) % 5 = 0",
    "DELETE FROM meta.partition_loads WHERE \"table\" LIKE 'l%' AND hash(month, {0}) % 2 = 0",
    "DELETE FROM marts.trend_monthly WHERE {0} >= 0",
    "DROP TABLE marts.bug_metrics",
    "DROP TABLE analysis.effect_sizes",
    "DROP VIEW staging.bug_reports",
    "CREATE OR REPLACE VIEW intermediate.fixes AS SELECT 1 AS one",
    "UPDATE analysis.group_comparisons SET p_value = 0.5",
)


@pytest.fixture
def study(middling: Prepared) -> Study:
    return load_study(middling.study)


@contextmanager
def opened(data_dir: Path) -> Iterator[AuditedWriter]:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        yield AuditedWriter(database, DataDirectory.of(data_dir))


def decide_and_derive(writer: AuditedWriter, study: Study, *, force: bool) -> list[str]:
    """What a run does after it has looked at the sources; the tables that it computed."""
    (repository,) = study.repositories
    months = repository.months
    decided: list[WriteOutcome] = [
        *label_cohorts(writer, study, repository.name, months, forced=force),
        *link_commits(writer, study, repository.name, months, forced=force),
        *store_label_kinds(writer, study, forced=force),
    ]
    register_study(writer, study)
    derived = list(derive(writer, forced=derived_tables() if force else ()))
    outcomes = [*decided, *(one.outcome for one in derived if one.outcome is not None)]
    assert [outcome.failure for outcome in outcomes if outcome.failure is not None] == []
    return [table for one in decided for table in one.rows] + [
        one.table for one in derived if one.is_new
    ]


def changed_study(study: Study, chance: random.Random, folder: Path) -> Study:
    """The study with another trend, other keywords, or fewer approaches."""
    text = study.path.read_text()
    added = chance.choice(
        ('keywords = ["slow"]', 'count_approaches = ["id"]', 'performance_labels = ["module"]')
    )
    key = added.split()[0]
    lines = [line for line in text.splitlines() if not line.startswith(key)]
    folder.mkdir()
    path = folder / "study.toml"
    body = "\n".join([added, *lines]).replace('"."', f'"{study.path.parent}"')
    path.write_text(body.replace('"repository.git"', f'"{study.path.parent}/repository.git"'))
    return load_study(path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_left_alone_is_what_would_be_made_again(
    middling: Prepared, study: Study, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    data_dirs = [
        shutil.copytree(middling.data_dir, tmp_path / name) for name in ("skipping", "forced")
    ]
    package = write_package(tmp_path / "package")
    for number, change in enumerate(chance.sample(CHANGES, 4)):
        if chance.random() < 0.3:
            study = changed_study(study, chance, tmp_path / f"study-{number}")
        is_replicating = chance.random() < 0.3
        for data_dir in data_dirs:
            with closing(duckdb.connect(str(data_dir / "warehouse.duckdb"))) as connection:
                connection.execute("SET TimeZone = 'UTC'")
                connection.execute(change.format(seed))
            with opened(data_dir) as writer:
                if is_replicating:
                    load_package(writer, package, accept_changes=True)
                decide_and_derive(writer, study, force=data_dir.name == "forced")
        one, other = (stored_tables(data_dir / "warehouse.duckdb") for data_dir in data_dirs)
        assert_same_tables(one, other)
    with opened(data_dirs[0]) as writer:
        assert decide_and_derive(writer, study, force=False) == []


def test_where_nothing_changed_nothing_is_made(middling: Prepared, study: Study) -> None:
    # The data directory of all tests: nothing may be written.
    before = stored_tables(middling.data_dir / "warehouse.duckdb")
    with opened(middling.data_dir) as writer:
        assert decide_and_derive(writer, study, force=False) == []
    assert_same_tables(before, stored_tables(middling.data_dir / "warehouse.duckdb"))


def tables_made(data_dir: Path, study: Study, change: str = "") -> set[str]:
    with opened(data_dir) as writer:
        writer.database.connection.execute(change)
        return set(decide_and_derive(writer, study, force=False))


def test_only_what_reads_what_changed_is_made_again(
    middling: Prepared, study: Study, tmp_path: Path
) -> None:
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    comments = tables_made(
        data_dir,
        study,
        "DELETE FROM raw.issue_comments WHERE body NOT LIKE '%#%' AND comment_id % 2 = 0",
    )
    assert {"marts.bug_metrics", "analysis.group_comparisons"} <= comments
    assert not comments & {"labels.performance_labels", "links.fix_links", "marts.trend_monthly"}
    # What is made of a table that is made again and comes out the same stays too.
    assert tables_made(data_dir, study, "DELETE FROM marts.root_causes") == set()
    assert tables_made(data_dir, study, "DELETE FROM marts.trend_monthly") == {
        "marts.trend_monthly"
    }


def links_by(data_dir: Path, approach: str) -> list[tuple[int, str]]:
    query = f"SELECT number, sha FROM links.fix_links WHERE approach = '{approach}'"
    with opened(data_dir) as writer:
        return sorted(writer.database.frame(query).rows())


# The newest commits of the main line say that they fix the first issue, and land #9999.
FORMER = """
    UPDATE raw.commits SET message = 'https://github.com/{}/issues/1'
    WHERE committed_at = (SELECT max(committed_at) FROM raw.commits)
"""
LANDED = """
    UPDATE raw.commits SET message = 'Work (#9999)'
    WHERE committed_at = (SELECT max(committed_at) FROM raw.commits)
"""
NAMED = """
    UPDATE raw.issue_comments SET body = 'Fixed by #9999'
    WHERE comment_id = (SELECT min(comment_id) FROM raw.issue_comments)
"""


def test_changed_aliases_decide_the_links_again(
    middling: Prepared, study: Study, tmp_path: Path
) -> None:
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    (repository,) = study.repositories
    (alias,) = repository.aliases
    assert "links.fix_links" in tables_made(data_dir, study, FORMER.format(alias))
    known = links_by(data_dir, "url")
    forgetful = study.model_copy(
        update={"repositories": (repository.model_copy(update={"aliases": ()}),)}
    )
    assert "links.fix_links" in tables_made(data_dir, forgetful)
    left = links_by(data_dir, "url")
    assert set(left) < set(known)
    assert {number for number, _ in set(known) - set(left)} >= {1}
    assert "links.fix_links" in tables_made(data_dir, study)
    assert links_by(data_dir, "url") == known


def test_a_comment_links_a_commit_that_was_there_before_it(
    middling: Prepared, study: Study, tmp_path: Path
) -> None:
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    tables_made(data_dir, study, LANDED)
    before = links_by(data_dir, "named_in_comment")
    assert "links.fix_links" in tables_made(data_dir, study, NAMED)
    assert set(links_by(data_dir, "named_in_comment")) > set(before)


def test_a_run_killed_after_a_table_computes_and_reports_it_again(
    middling: Prepared, study: Study, tmp_path: Path
) -> None:
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    with opened(data_dir) as writer:
        writer.database.connection.execute("DELETE FROM raw.issue_comments")
        made = (one for one in derive(writer) if one.is_new)
        first = next(made).table
        made.close()
        found = list(derive(writer))
        assert [one.table for one in found] == list(derived_tables())  # in their order
        again = [one.table for one in found if one.is_new]
        assert again[0] == first and {"marts.bug_metrics", "analysis.group_comparisons"} < {*again}
        assert [one.table for one in derive(writer) if one.is_new] == []


@pytest.mark.audited
def test_what_is_made_from_a_table_that_failed_its_audit_stays_as_it_was(
    middling: Prepared, study: Study, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    before = stored_tables(data_dir / "warehouse.duckdb")
    with opened(data_dir) as writer:
        # Lines of which nobody knows that they were removed were introduced nevertheless.
        writer.database.connection.execute(
            "UPDATE details.commit_metrics SET removed_lines = 0 WHERE removed_lines > 0"
        )
        writer.database.connection.execute("DELETE FROM marts.link_quality")
        made = {one.table: one.outcome for one in derive(writer) if one.is_new}
        failed = made.pop("marts.bug_lifetimes")
        assert failed is not None and failed.failure is not None
        assert "removed_lines" in failed.failure
        assert "marts.link_quality" in made
        left = "analysis.lifetime_comparisons is made from marts.bug_lifetimes, and left as it was"
        assert left in caplog.text
        told = writer.database.frame("FROM meta.derived_audits WHERE outcome = 'not_available'")
        assert {"marts.bug_lifetimes", "analysis.lifetime_comparisons"} <= set(told["table"])
        # It is tried again as long as it fails.
        assert [one.table for one in derive(writer) if one.is_new] == ["marts.bug_lifetimes"]
    after = stored_tables(data_dir / "warehouse.duckdb")
    for name in ("marts.bug_lifetimes", "analysis.lifetime_comparisons", "marts.link_quality"):
        assert after[name].equals(before[name]), name


def test_a_view_of_another_text_or_that_was_dropped_is_laid_again(data_dir: Path) -> None:
    (model,) = (one for one in load_models() if one.name == "intermediate.link_warnings")
    other = replace(model, sql=f"select * from (({model.sql}))")
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory.of(data_dir))
        assert not lay_views(writer, [model])
        assert lay_views(writer, [other])
        assert not lay_views(writer, [other])
        assert lay_views(writer, [model])
        database.connection.execute("DROP VIEW intermediate.link_warnings")
        assert lay_views(writer, [model])
