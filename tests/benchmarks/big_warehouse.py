"""A warehouse of any number of issues, made by DuckDB itself in seconds: nothing is mined.

    python -m tests.benchmarks.big_warehouse FILE --issues 1000000 --repositories 40

Each repository has 120 months. Of its issues four in five are bug reports, one in twenty is about
performance; three in ten are linked to a commit. For each there are two and a half comments, two
events, half a commit and one changed file.
"""

import argparse
from pathlib import Path

import duckdb

from perf_assets.schema import table_of
from perf_assets.schema.models.ddl import create_views
from perf_assets.schema.models.files import load_models
from perf_assets.storage.migrations import create_tables

MONTHS = 120

# Columns by name; what is not named is NULL, or what its type has for nothing.
ISSUE = """
    SELECT
        'owner/r' || lpad(CAST(i % $repositories AS VARCHAR), 5, '0') AS repository,
        CAST(i // $repositories + 1 AS BIGINT) AS number,
        TIMESTAMPTZ '2010-01-01 00:00:00+00'
            + CAST((i // $repositories) * (315360000.0 / ($issues / $repositories)) AS BIGINT)
            * INTERVAL 1 SECOND AS created_at,
        hash(i) AS chance
    FROM range($issues) AS numbers(i)
"""
TABLES = {
    "meta.repositories": """
        SELECT
            'owner/r' || lpad(CAST(i AS VARCHAR), 5, '0') AS repository,
            '2010-01' AS start_month, '2010-01' AS trend_start_month, 'big' AS study
        FROM range($repositories) AS numbers(i)
    """,
    "meta.partition_loads": """
        SELECT
            repository, strftime(month, '%Y-%m') AS month, kind AS "table", now() AS loaded_at,
            'loaded' AS status, true AS is_stored, 0 AS row_count, 0 AS requests, 0 AS points
        FROM (SELECT DISTINCT repository FROM meta.repositories),
            range(TIMESTAMP '2010-01-01', TIMESTAMP '2020-01-01', INTERVAL 1 MONTH) AS m(month),
            (VALUES ('raw.issues'), ('raw.commits')) AS kinds(kind)
    """,
    "raw.issues": """
        SELECT
            repository, number, 'Something is wrong with part ' || chance % 5000 AS title,
            repeat('It fails when used as described. ', 8) AS body,
            'user' || chance % 20000 AS author, 'User' AS author_type,
            CASE chance % 50 WHEN 0 THEN 'MEMBER' ELSE 'NONE' END AS author_association,
            CASE WHEN chance % 10 < 8 THEN 'closed' ELSE 'open' END AS state,
            CASE chance % 20 WHEN 0 THEN ['performance', 'bug'] WHEN 1 THEN ['feature']
                WHEN 2 THEN ['bug', 'module: ' || chance % 40] ELSE [] END AS labels,
            created_at, created_at AS updated_at,
            CASE WHEN chance % 10 < 8 THEN created_at + (chance % 9000000) * INTERVAL 1 SECOND
            END AS closed_at,
            3 AS comments, 2 AS events, 1 AS fields_version,
            'https://github.com/' || repository || '/issues/' || number AS html_url,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month, now() AS loaded_at
        FROM issue
    """,
    "raw.issue_comments": """
        SELECT
            repository, number, number * 8 + k AS comment_id,
            'user' || hash(chance, k) % 20000 AS author,
            CASE WHEN hash(k, chance) % 10 = 0 THEN 'Bot' ELSE 'User' END AS author_type,
            CASE hash(chance, k) % 9 WHEN 0 THEN 'MEMBER' ELSE 'NONE' END AS author_association,
            created_at + hash(k, chance) % 5000000 * INTERVAL 1 SECOND AS created_at,
            'Thanks, I can see this too.' AS body,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue, range(5) AS places(k) WHERE hash(chance, k) % 2 = 0
    """,
    "raw.issue_events": """
        SELECT
            repository, number, 'E' || number * 8 + k AS event_id,
            ['labeled', 'labeled', 'closed', 'renamed', 'reopened'][k + 1] AS event,
            'user' || chance % 20000 AS actor,
            created_at + (k * 1000000 + chance % 900000) * INTERVAL 1 SECOND AS created_at,
            CASE WHEN k = 0 THEN 'bug' WHEN k = 1 THEN 'performance' END AS label,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue, range(5) AS places(k)
        WHERE (k = 0 AND chance % 5 = 0) OR (k = 1 AND chance % 20 = 0)
            OR (k = 2 AND chance % 10 < 8) OR (k = 3 AND chance % 2 = 0)
            OR (k = 4 AND chance % 30 = 0)
    """,
    "raw.commits": """
        SELECT
            repository, md5(repository || number) || '00000000' AS sha,
            [md5(number || repository) || '00000000'] AS parents,
            'author' || chance % 3000 AS author_name,
            md5('author' || chance % 3000) AS author_email,
            md5('author' || chance % 3000) AS canonical_email,
            CASE WHEN chance % 4 = 0 THEN 'user' || chance % 3000 END AS author_login,
            created_at AS authored_at,
            created_at + chance % 9000000 * INTERVAL 1 SECOND AS committed_at,
            'Mend part ' || chance % 5000 || ' (fixes #' || number || ')' AS message,
            false AS is_merge, chance % 200 AS additions, chance % 90 AS deletions,
            2 AS changed_files,
            strftime(
                (created_at + chance % 9000000 * INTERVAL 1 SECOND) AT TIME ZONE 'UTC', '%Y-%m'
            ) AS month
        FROM issue WHERE chance % 2 = 0
    """,
    "raw.commit_files": """
        SELECT repository, sha, 'source/part' || k || '.py' AS path, 'modified' AS change_type,
            additions // 2 AS additions, deletions // 2 AS deletions, false AS is_binary, month
        FROM raw.commits, range(2) AS places(k)
    """,
    "labels.performance_labels": """
        SELECT
            repository, number, chance % 5 > 0 AS is_bug_report,
            chance % 20 = 0 OR chance % 31 = 1 AS is_performance,
            CASE WHEN chance % 20 = 0 THEN 'strong' WHEN chance % 31 = 1 THEN 'weak' END
                AS strength,
            CASE WHEN chance % 20 = 0 THEN ['performance'] ELSE [] END AS matched_labels,
            CASE WHEN chance % 31 = 1 THEN ['slow'] ELSE [] END AS matched_keywords,
            CASE WHEN chance % 31 = 1 THEN ['title'] ELSE [] END AS matched_in,
            [] AS widened_keywords, CASE WHEN chance % 5 = 0 THEN ['feature'] ELSE [] END
                AS non_bug_labels,
            [] AS ignored_keywords, '00000000' AS rule_version,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue
    """,
    "labels.keyword_stems": """
        SELECT repository, number, CASE WHEN chance % 25 = 0 THEN ['slow'] ELSE [] END
                AS matched_stems,
            [] AS matched_stems_as_published, '00000000' AS rule_version,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue
    """,
    "labels.performance_probabilities": """
        SELECT repository, number, (chance % 100) / 100.0 AS probability,
            chance % 100 >= 36 AS is_performance,
            (chance % 100) / 100.0 AS speed_probability, 0.0 AS memory_probability,
            0.0 AS hang_probability, 0.0 AS quality_probability, ['slow (+)'] AS deciding_words,
            0.12 AS trained_share, '1-00000000' AS model_version,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue
    """,
    "labels.environments": """
        SELECT repository, number, 'device' AS environment_aspect,
            CASE WHEN chance % 3 = 0 THEN 'gpu' ELSE 'cpu' END AS environment_value,
            'text' AS stated_in,
            'on a device' AS statement,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue WHERE chance % 2 = 0
    """,
    "labels.report_forms": """
        SELECT repository, number, '.github/ISSUE_TEMPLATE/bug.yml' AS form_path,
            'Bug' AS form_name, md5(repository || 'bug.yml') || '00000000' AS template_sha,
            2 AS headings_matched, 2 AS headings_of_form, NULL AS title_prefix,
            ['What happened?'] AS filled_fields, ['Logs'] AS empty_fields,
            false AS is_performance_form, [] AS performance_fields,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue WHERE chance % 2 = 0
    """,
    "labels.area_evidence": """
        SELECT repository, number, 'source/part' || chance % 9 AS area,
            CASE WHEN chance % 3 = 0 THEN 'label' ELSE 'stack_trace' END AS area_source,
            'source/part' || chance % 9 || '/a.py' AS evidence, 'directory' AS area_rule,
            '00000000' AS rule_version, strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue WHERE chance % 2 = 0
    """,
    "labels.label_kinds": """
        SELECT repository, label, label = 'performance' AS is_performance,
            label = 'feature' AS is_non_bug, '00000000' AS rule_version
        FROM meta.repositories, (VALUES ('performance'), ('bug'), ('feature')) AS kinds(label)
    """,
    "links.fix_links": """
        SELECT repository, number, md5(repository || number) || '00000000' AS sha,
            CASE WHEN chance % 4 = 0 THEN 'id' ELSE 'closed_by_commit' END AS approach,
            'fixes #' || number AS evidence, true AS is_counted, false AS is_repeated,
            strftime(created_at AT TIME ZONE 'UTC', '%Y-%m') AS month
        FROM issue WHERE chance % 2 = 0 AND chance % 10 < 6
    """,
    "links.commit_relations": """
        SELECT repository, sha, parents[1] AS related_sha, 'reverts' AS relation,
            'This reverts commit' AS evidence, month
        FROM raw.commits WHERE additions % 100 = 0 AND len(parents) > 0
    """,
    "links.fix_areas": """
        SELECT repository, sha, path, path AS area, 'directory' AS area_rule,
            false AS is_test_or_documentation, '00000000' AS rule_version, month
        FROM raw.commit_files SEMI JOIN links.fix_links USING (repository, sha)
    """,
    "details.commit_metrics": """
        SELECT repository, sha, 2 AS analysed_files, 3 AS methods_changed,
            ['source/part0.py::f' || additions, 'source/part1.py::g'] AS changed_methods,
            [{'language': 'Python', 'is_test': false, 'files': 2, 'additions': additions,
                'deletions': deletions}] AS languages,
            0.25 AS test_share, 6 AS removed_lines, month
        FROM raw.commits SEMI JOIN links.fix_links USING (repository, sha)
    """,
    "details.introducing_commits": """
        SELECT repository, sha, 'source/part' || k || '.py' AS path,
            md5(sha || k) || '00000000' AS introducing_sha,
            committed_at - (additions + 1) * INTERVAL 1 DAY AS introduced_at, false AS is_merge,
            false AS is_ignored,
            2 AS lines, month
        FROM raw.commits SEMI JOIN links.fix_links USING (repository, sha), range(3) AS places(k)
    """,
}


def fill(connection: duckdb.DuckDBPyConnection, issues: int, repositories: int) -> None:
    """Make every table; those that no statement fills are empty, and none has a key."""
    connection.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
    create_tables(connection)
    issue = ISSUE.replace("$repositories", str(repositories)).replace("$issues", str(issues))
    connection.execute(f"CREATE TEMP TABLE issue AS {issue}")
    for name, query in TABLES.items():
        table = table_of(name)
        given = connection.sql(query.replace("$repositories", str(repositories)))
        columns = ", ".join(
            f"CAST({column.name if column.name in given.columns else 'NULL'} AS {column.type}) "
            f'AS "{column.name}"'.replace("CAST(table ", 'CAST("table" ')
            for column in table.columns
        )
        connection.execute(f"DROP TABLE {name}")
        text = query.replace("$repositories", str(repositories))
        connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM ({text})")
    create_views(connection, [model for model in load_models() if model.table.is_view])
    connection.execute("DROP TABLE issue; CHECKPOINT")


def main() -> None:
    """Make the file that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--issues", type=int, default=50_000)
    parser.add_argument("--repositories", type=int, default=2)
    chosen = parser.parse_args()
    with duckdb.connect(str(chosen.file)) as connection:
        fill(connection, chosen.issues, chosen.repositories)
    print(f"{chosen.file}: {chosen.issues:,} issues of {chosen.repositories:,} repositories")


if __name__ == "__main__":
    main()
