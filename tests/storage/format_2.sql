-- The tables perf-assets writes. Timestamps are UTC, text is whole, missing is NULL.
-- Models (staging, marts) and analysis tables are described in dbt_like_models/.

CREATE SCHEMA IF NOT EXISTS meta;
CREATE SCHEMA IF NOT EXISTS raw;
CREATE SCHEMA IF NOT EXISTS labels;
CREATE SCHEMA IF NOT EXISTS links;
CREATE SCHEMA IF NOT EXISTS staging;
CREATE SCHEMA IF NOT EXISTS marts;
CREATE SCHEMA IF NOT EXISTS analysis;
CREATE SCHEMA IF NOT EXISTS replication;

CREATE TABLE IF NOT EXISTS meta.format (
    version INTEGER PRIMARY KEY
);

CREATE TABLE IF NOT EXISTS meta.repositories (
    repository VARCHAR PRIMARY KEY,
    start_month VARCHAR NOT NULL,
    trend_start_month VARCHAR NOT NULL,
    study VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS meta.partition_loads (
    repository VARCHAR NOT NULL,
    month VARCHAR NOT NULL CHECK (regexp_full_match(month, '\d{4}-\d{2}')),
    "table" VARCHAR NOT NULL,
    loaded_at TIMESTAMPTZ NOT NULL,
    source_count BIGINT,
    row_count BIGINT NOT NULL CHECK (row_count >= 0),
    requests BIGINT NOT NULL DEFAULT 0 CHECK (requests >= 0),
    points BIGINT NOT NULL DEFAULT 0 CHECK (points >= 0),
    status VARCHAR NOT NULL CHECK (status IN ('loaded', 'failed')),
    watermark VARCHAR,
    message VARCHAR,
    PRIMARY KEY (repository, month, "table")
);

CREATE TABLE IF NOT EXISTS meta.audit_findings (
    repository VARCHAR NOT NULL,
    month VARCHAR NOT NULL,
    "table" VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    severity VARCHAR NOT NULL CHECK (severity IN ('critical', 'warning')),
    failing_rows BIGINT NOT NULL CHECK (failing_rows > 0),
    examples VARCHAR[] NOT NULL,
    PRIMARY KEY (repository, month, "table", rule)
);

CREATE TABLE IF NOT EXISTS raw.issues (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL CHECK (number > 0),
    title VARCHAR NOT NULL,
    body VARCHAR,
    author VARCHAR,
    state VARCHAR NOT NULL CHECK (state IN ('open', 'closed')),
    state_reason VARCHAR,
    labels VARCHAR[] NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    closed_at TIMESTAMPTZ,
    comments BIGINT NOT NULL CHECK (comments >= 0),
    html_url VARCHAR NOT NULL,
    month VARCHAR NOT NULL,
    loaded_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (repository, number),
    CHECK (closed_at IS NULL OR closed_at >= created_at),
    CHECK ((state = 'closed') = (closed_at IS NOT NULL))
);

CREATE TABLE IF NOT EXISTS raw.issue_comments (
    repository VARCHAR NOT NULL,
    comment_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    author VARCHAR,
    created_at TIMESTAMPTZ NOT NULL,
    body VARCHAR,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, comment_id)
);

CREATE TABLE IF NOT EXISTS raw.issue_events (
    repository VARCHAR NOT NULL,
    event_id VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    event VARCHAR NOT NULL
        CHECK (event IN ('closed', 'reopened', 'labeled', 'unlabeled', 'renamed', 'transferred')),
    actor VARCHAR,
    created_at TIMESTAMPTZ NOT NULL,
    label VARCHAR,
    commit_sha VARCHAR,
    pull_request BIGINT,
    closer_repository VARCHAR,
    previous_title VARCHAR,
    current_title VARCHAR,
    from_repository VARCHAR,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, event_id)
);

CREATE TABLE IF NOT EXISTS raw.commits (
    repository VARCHAR NOT NULL,
    sha VARCHAR NOT NULL CHECK (regexp_full_match(sha, '[0-9a-f]{40}|[0-9a-f]{64}')),
    parents VARCHAR[] NOT NULL,
    author_name VARCHAR,
    authored_at TIMESTAMPTZ NOT NULL,
    committed_at TIMESTAMPTZ NOT NULL,
    message VARCHAR,
    is_merge BOOLEAN NOT NULL,
    additions BIGINT NOT NULL CHECK (additions >= 0),
    deletions BIGINT NOT NULL CHECK (deletions >= 0),
    changed_files BIGINT NOT NULL CHECK (changed_files >= 0),
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, sha)
);

CREATE TABLE IF NOT EXISTS raw.commit_files (
    repository VARCHAR NOT NULL,
    sha VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    old_path VARCHAR,
    change_type VARCHAR NOT NULL
        CHECK (change_type IN ('added', 'deleted', 'modified', 'renamed', 'type_changed')),
    additions BIGINT NOT NULL CHECK (additions >= 0),
    deletions BIGINT NOT NULL CHECK (deletions >= 0),
    is_binary BOOLEAN NOT NULL,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, sha, path)
);

CREATE TABLE IF NOT EXISTS raw.issue_templates (
    repository VARCHAR NOT NULL,
    sha VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    committed_at TIMESTAMPTZ NOT NULL,
    body VARCHAR NOT NULL,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, sha, path)
);

CREATE TABLE IF NOT EXISTS labels.performance_labels (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    is_bug_report BOOLEAN NOT NULL,
    is_performance BOOLEAN NOT NULL,
    matched_labels VARCHAR[] NOT NULL,
    matched_keywords VARCHAR[] NOT NULL,
    matched_in VARCHAR[] NOT NULL,
    non_bug_labels VARCHAR[] NOT NULL,
    ignored_keywords VARCHAR[] NOT NULL,
    ignored_lines VARCHAR[] NOT NULL,
    rule_version VARCHAR NOT NULL,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, number),
    CHECK (is_bug_report OR NOT is_performance)
);

CREATE TABLE IF NOT EXISTS links.fix_links (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    sha VARCHAR NOT NULL,
    approach VARCHAR NOT NULL
        CHECK (approach IN ('url', 'id', 'closed_by_commit', 'closed_by_pull_request')),
    evidence VARCHAR NOT NULL,
    is_counted BOOLEAN NOT NULL,
    month VARCHAR NOT NULL,
    PRIMARY KEY (repository, number, sha, approach)
);

CREATE TABLE IF NOT EXISTS replication.bugs (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL CHECK (number > 0),
    is_performance BOOLEAN NOT NULL,
    author VARCHAR,
    opened_at TIMESTAMPTZ NOT NULL,
    first_comment_at TIMESTAMPTZ,
    closed_at TIMESTAMPTZ,
    minutes_to_first_comment DOUBLE CHECK (minutes_to_first_comment >= 0),
    minutes_to_close DOUBLE CHECK (minutes_to_close >= 0),
    comments BIGINT NOT NULL CHECK (comments >= 0),
    participants BIGINT NOT NULL CHECK (participants >= 0),
    commentators BIGINT NOT NULL CHECK (commentators >= 0),
    commentator_names VARCHAR[] NOT NULL,
    commentator_comments BIGINT[] NOT NULL,
    labels VARCHAR[] NOT NULL,
    month VARCHAR NOT NULL,
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (repository, number),
    CHECK (closed_at IS NULL OR closed_at >= opened_at),
    CHECK ((closed_at IS NULL) = (minutes_to_close IS NULL))
);

CREATE TABLE IF NOT EXISTS replication.fixes (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    is_performance BOOLEAN NOT NULL,
    commits BIGINT NOT NULL CHECK (commits > 0),
    additions BIGINT NOT NULL CHECK (additions >= 0),
    deletions BIGINT NOT NULL CHECK (deletions >= 0),
    changes BIGINT NOT NULL CHECK (changes >= 0),
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (repository, number)
);

CREATE TABLE IF NOT EXISTS replication.fix_commits (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    place BIGINT NOT NULL CHECK (place > 0),
    sha VARCHAR NOT NULL CHECK (regexp_full_match(sha, '[0-9a-f]{40}')),
    committed_at TIMESTAMPTZ NOT NULL,
    author_name VARCHAR,
    additions BIGINT NOT NULL CHECK (additions >= 0),
    deletions BIGINT NOT NULL CHECK (deletions >= 0),
    changes BIGINT NOT NULL CHECK (changes >= 0),
    approach VARCHAR NOT NULL CHECK (approach IN ('url', 'id')),
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (repository, number, place)
);

CREATE TABLE IF NOT EXISTS replication.published_series (
    repository VARCHAR NOT NULL,
    series VARCHAR NOT NULL CHECK (series IN ('open', 'fixed')),
    month VARCHAR NOT NULL,
    cut_off TIMESTAMPTZ NOT NULL,
    performance BIGINT NOT NULL CHECK (performance >= 0),
    total BIGINT NOT NULL CHECK (total >= performance),
    percentage DOUBLE CHECK (percentage BETWEEN 0 AND 100),
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (repository, series, month)
);

CREATE TABLE IF NOT EXISTS replication.taxonomy (
    repository VARCHAR NOT NULL,
    number BIGINT NOT NULL,
    category VARCHAR NOT NULL,
    subcategory VARCHAR,
    remark VARCHAR,
    published_category VARCHAR NOT NULL,
    occurrence BIGINT NOT NULL CHECK (occurrence > 0),
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    PRIMARY KEY (repository, number, occurrence)
);

CREATE TABLE IF NOT EXISTS replication.rejects (
    dataset VARCHAR NOT NULL,
    file VARCHAR NOT NULL,
    line BIGINT NOT NULL,
    part BIGINT NOT NULL CHECK (part >= 0),
    reason VARCHAR NOT NULL,
    "text" VARCHAR NOT NULL,
    PRIMARY KEY (file, line, part)
);
