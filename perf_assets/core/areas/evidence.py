"""The evidence for the areas of issues, and of the files that commits change."""

from collections.abc import Callable, Iterator

import polars as pl

from perf_assets.core.areas.rules import PATTERN, AreaRules, PathAreas, is_aside
from perf_assets.core.areas.stack_traces import (
    Lifetime,
    RepositoryFiles,
    frames_of_issues,
    innermost_paths,
)
from perf_assets.schema import schema_of

EVIDENCE = "labels.area_evidence"
FIX_AREAS = "links.fix_areas"
LABEL, STACK_TRACE = "label", "stack_trace"

Row = tuple[str, int, str, str, str, str, str, str]


def area_evidence(
    repository: str,
    issues: pl.DataFrame,
    files: pl.DataFrame,
    rules: AreaRules,
    has_other_meaning: Callable[[str], bool],
) -> pl.DataFrame:
    """Return the areas that the labels and the stack traces of each issue name.

    Parameters
    ----------
    issues : columns number, body, labels, month.
    files : columns path, first_month, last_month: the files that the repository had, and when; the
        last month is missing for one that is still there.
    has_other_meaning : whether a label says something else: performance, or no bug report.

    Returns
    -------
    ``labels.area_evidence``: a row for each label and each trace, in the order of number.
    """
    areas = PathAreas(repository, rules)
    rows = [
        *_of_labels(repository, issues, rules, has_other_meaning),
        *_of_traces(issues, files, areas),
    ]
    frame = pl.DataFrame(rows, schema=schema_of(EVIDENCE), orient="row")
    return frame.sort("number", "area_source", "evidence")


def _of_labels(
    repository: str,
    issues: pl.DataFrame,
    rules: AreaRules,
    has_other_meaning: Callable[[str], bool],
) -> Iterator[Row]:
    carried = issues.select("number", "month", pl.col("labels").alias("label")).explode("label")
    names = carried["label"].drop_nulls().unique().to_list()
    named = {
        label: area
        for label in names
        if (area := rules.area_of_label(label)) and not has_other_meaning(label)
    }
    for number, month, label in carried.unique().iter_rows():
        if label in named:
            yield (repository, number, named[label], LABEL, label, PATTERN, rules.version, month)


def _of_traces(issues: pl.DataFrame, files: pl.DataFrame, areas: PathAreas) -> Iterator[Row]:
    frames = frames_of_issues(issues)
    if frames.is_empty():
        return
    rows = files.select("path", "first_month", "last_month").iter_rows()
    known = RepositoryFiles({path: Lifetime(*months) for path, *months in rows}, areas.packages)
    version = areas.rules.version
    for number, month, trace in frames.iter_rows():

        def find(written: str, month: str = month) -> str | None:
            path = known.find(written, month)
            return None if path is None or areas.area(path) is None else path

        for path in innermost_paths(trace, find):
            if (found := areas.area(path)) is not None:
                yield (
                    *(areas.repository, number, found.area, STACK_TRACE, path),
                    *(found.rule, version, month),
                )


def fix_areas(
    repository: str,
    files: pl.DataFrame,
    rules: AreaRules,
    owned: Callable[[str, str], tuple[str, str] | None] | None = None,
) -> pl.DataFrame:
    """Return the area of each file that the commits change.

    Parameters
    ----------
    files : columns sha, path, month.
    owned : the area of a path at a commit by CODEOWNERS, and the line it follows from.

    Returns
    -------
    ``links.fix_areas``, without files that the study says are in no area.
    """
    areas = PathAreas(repository, rules)
    rows = []
    for sha, path, month in files.select("sha", "path", "month").iter_rows():
        owners = None if owned is None else (lambda name, sha=sha: owned(sha, name))
        if (found := areas.area(path, owners)) is not None:
            rows.append((repository, sha, path, *found, is_aside(path), rules.version, month))
    return pl.DataFrame(rows, schema=schema_of(FIX_AREAS), orient="row").sort("sha", "path")
