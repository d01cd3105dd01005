"""How findings of the static checks come and go: counts by repository, quarter and rule."""

import polars as pl

from perf_assets.schema import schema_of

TABLE = "analysis.static_findings"
BY = ["repository", "quarter", "rule"]


def static_findings(findings: pl.DataFrame, trees: pl.DataFrame) -> pl.DataFrame:
    """Return findings of each rule in each scanned quarter: how many, how many new, how many gone.

    A finding of the quarter before is still there where one has its identity
    (:mod:`perf_assets.lint.finding_id`), under the path that the file had then. Of what is
    not there any more, and what was not there before, as many as stand against each other in one
    file are rewritten: their line is another, and the problem stays. What is left is gone, and new.
    So found = found before + new - gone.

    Parameters
    ----------
    findings : ``raw.static_findings``.
    trees : ``raw.scanned_trees``; every rule that ran has a row, whether or not it found any.

    Returns
    -------
    ``analysis.static_findings``. New and gone are NULL where the quarter before was not scanned, or
    was by other rules.
    """
    columns = ("repository", "quarter", "month", "sha", "rule_version", "previous_sha")
    scanned = (
        trees.select(*columns, rule="rules", files_scanned="files")
        .explode("rule")
        .drop_nulls("rule")
    )
    counts = findings.group_by(BY).agg(
        findings=pl.len(),
        files_with_findings=pl.col("path").n_unique(),
        warnings=(pl.col("severity") == "warning").sum(),
        in_library_code=(pl.col("context") == "library").sum(),
    )
    before = _quarters_before(trees)
    counted = scanned.join(counts, on=BY, how="left").with_columns(
        pl.col("findings", "files_with_findings", "warnings", "in_library_code").fill_null(0)
    )
    changes = _changes(findings, before)
    compared = before.select("repository", "quarter", has_before=pl.lit(value=True))
    rows = (
        counted.join(changes, on=BY, how="left")
        .join(compared, on=["repository", "quarter"], how="left")
        .with_columns(
            pl.when("has_before").then(pl.col(name).fill_null(0)).alias(name)
            for name in ("new", "gone", "rewritten")
        )
        .with_columns(
            per_1000_files=pl.when(pl.col("files_scanned") > 0).then(
                1000.0 * pl.col("findings") / pl.col("files_scanned")
            )
        )
    )
    schema = schema_of(TABLE)
    return rows.select(schema.names()).cast(dict(schema)).sort(BY)  # type: ignore[arg-type]


def _quarters_before(trees: pl.DataFrame) -> pl.DataFrame:
    """Return each quarter whose predecessor was scanned too: repository, quarter, before.

    The tree before must be the one against which renamed files were looked for.
    """
    ordered = trees.sort("repository", "quarter").with_columns(
        before=pl.col("quarter").shift(1).over("repository"),
        sha_before=pl.col("sha").shift(1).over("repository"),
        version_before=pl.col("rule_version").shift(1).over("repository"),
    )
    return ordered.filter(
        pl.col("sha_before") == pl.col("previous_sha"),
        pl.col("version_before") == pl.col("rule_version"),
    ).select("repository", "quarter", "before")


def _changes(findings: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return how many findings are new, gone and rewritten, by repository, quarter and rule."""
    file = [*BY, "file"]
    key = [*file, "identity"]
    then = findings.select(
        "repository", "rule", before="quarter", file="path", identity="finding_id"
    ).join(before, on=["repository", "before"])
    now = findings.join(before, on=["repository", "quarter"]).select(
        *BY, file="previous_path", identity="previous_id"
    )
    came = now.join(then, on=key, how="anti").group_by(file).agg(came=pl.len())
    went = then.join(now, on=key, how="anti").group_by(file).agg(went=pl.len())
    rewritten = pl.min_horizontal("came", "went")
    return (
        came.join(went, on=file, how="full", coalesce=True)
        .with_columns(pl.col("came", "went").fill_null(0).cast(pl.Int64))
        .group_by(BY)
        .agg(
            new=(pl.col("came") - rewritten).sum(),
            gone=(pl.col("went") - rewritten).sum(),
            rewritten=rewritten.sum(),
        )
    )
