-- Tables of format 7, which format 8 keeps as they are.

CREATE SCHEMA meta;
CREATE SCHEMA raw;
CREATE SCHEMA reviews;

CREATE TABLE meta.format ("version" INTEGER NOT NULL, PRIMARY KEY ("version"));

CREATE TABLE meta.repositories ("repository" VARCHAR NOT NULL, "start_month" VARCHAR NOT NULL, "trend_start_month" VARCHAR NOT NULL, "study" VARCHAR NOT NULL, PRIMARY KEY ("repository"), CHECK ("trend_start_month" >= "start_month"));

CREATE TABLE meta.partition_loads ("repository" VARCHAR NOT NULL, "month" VARCHAR NOT NULL, "table" VARCHAR NOT NULL, "loaded_at" TIMESTAMP WITH TIME ZONE NOT NULL, "source_count" BIGINT, "row_count" BIGINT NOT NULL, "requests" BIGINT NOT NULL, "points" BIGINT NOT NULL, "status" VARCHAR NOT NULL, "is_stored" BOOLEAN NOT NULL, "updated_at" TIMESTAMP WITH TIME ZONE, "fingerprint" VARCHAR, "rule_version" VARCHAR, "message" VARCHAR, PRIMARY KEY ("repository", "month", "table"), CHECK (regexp_full_match("month", '[0-9]{4}-(?:0[1-9]|1[0-2])')), CHECK ("row_count" >= 0), CHECK ("requests" >= 0), CHECK ("points" >= 0), CHECK ("status" IN ('loaded', 'failed')));

CREATE TABLE meta.fingerprints ("table" VARCHAR NOT NULL, "scope" VARCHAR NOT NULL, "basis" VARCHAR NOT NULL, "content" VARCHAR NOT NULL, "computed_at" TIMESTAMP WITH TIME ZONE NOT NULL, PRIMARY KEY ("table", "scope"));

CREATE TABLE raw.issues ("repository" VARCHAR NOT NULL, "number" BIGINT NOT NULL, "title" VARCHAR NOT NULL, "body" VARCHAR, "author" VARCHAR, "author_type" VARCHAR, "state" VARCHAR NOT NULL, "state_reason" VARCHAR, "labels" VARCHAR[] NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "updated_at" TIMESTAMP WITH TIME ZONE NOT NULL, "closed_at" TIMESTAMP WITH TIME ZONE, "comments" BIGINT NOT NULL, "events" BIGINT, "fields_version" BIGINT, "html_url" VARCHAR NOT NULL, "month" VARCHAR NOT NULL, "loaded_at" TIMESTAMP WITH TIME ZONE NOT NULL, PRIMARY KEY ("repository", "number"), CHECK ("number" >= 1), CHECK ("author_type" IN ('User', 'Bot', 'Mannequin', 'Organization', 'EnterpriseUserAccount')), CHECK ("state" IN ('open', 'closed')), CHECK ("closed_at" >= "created_at"), CHECK ("comments" >= 0), CHECK (regexp_full_match("month", '[0-9]{4}-(?:0[1-9]|1[0-2])')), CHECK ((state = 'closed') = (closed_at is not null)));

CREATE TABLE reviews.verdicts ("verdict_id" BIGINT NOT NULL, "rater" VARCHAR NOT NULL, "repository" VARCHAR NOT NULL, "number" BIGINT NOT NULL, "verdict" VARCHAR NOT NULL, "category" VARCHAR, "subcategory" VARCHAR, "impact" VARCHAR, "note" VARCHAR, "imported_at" TIMESTAMP WITH TIME ZONE NOT NULL, "file" VARCHAR NOT NULL, "file_sha256" VARCHAR NOT NULL, "line" BIGINT NOT NULL, PRIMARY KEY ("verdict_id"), CHECK ("verdict_id" >= 1), CHECK (regexp_full_match("rater", '(?s).*\S.*')), CHECK ("number" >= 1), CHECK ("verdict" IN ('yes', 'no', 'unsure')), CHECK (regexp_full_match("category", '(?s).*\S.*')), CHECK ("impact" IN ('speed', 'memory', 'both')), CHECK (regexp_full_match("file_sha256", '[0-9a-f]{64}')), CHECK ("line" >= 2), CHECK (verdict = 'yes' or (category is null and impact is null)), CHECK (category is not null or subcategory is null));
