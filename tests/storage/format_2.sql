-- What format 2 has beyond format 1.

CREATE SCHEMA IF NOT EXISTS replication;

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
