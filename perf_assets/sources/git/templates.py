"""Issue templates of a repository: every version that was ever on its default branch."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import polars as pl
import yaml

from perf_assets.sources.git.changes import read_changes
from perf_assets.sources.git.clone import Clone, reading
from perf_assets.sources.git.command import LACKS, GitError
from perf_assets.sources.git.commits import each_object
from perf_assets.sources.git.history import list_commits
from perf_assets.sources.git.unreadable import fetch_missing, missing_objects, unreadable_commits

COLUMNS = ("sha", "path", "committed_at", "body", "month")

# PyYAML's errors for invalid YAML, and for values that are not of the type of their tag.
UNREADABLE = (
    *(yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, ArithmeticError),
    RecursionError,
)
_FOLDERS = ("docs", ".github")
_SUFFIXES = (".md", ".yml", ".yaml")

# The same for git, which need not look elsewhere then.
_TEMPLATE_PATHS = [
    f":(top,icase,glob){folder}ISSUE_TEMPLATE*{rest}"
    for folder in ("", "docs/", ".github/")
    for rest in ("", "/**")
]


def read_issue_templates(clone: Clone, listed: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return every version of every issue template that a commit added or changed.

    Templates are files named ``ISSUE_TEMPLATE*`` and the Markdown and YAML files of directories
    named so, at the root, in ``docs`` and in ``.github``, whatever their case; ``config.yml`` is
    none. A merge counts with what it changed against its first parent.

    Parameters
    ----------
    listed : the commits to look at, as ``list_commits`` gives them; None for all of them.

    Returns
    -------
    The columns of raw.issue_templates but for ``repository``, oldest first. ``body`` is the
    file's text; a YAML issue form has its rendering before it, because GitHub writes the form's
    headings, options and default values, not its source, into an issue.
    """
    listed = list_commits(clone) if listed is None else listed
    shas = listed["sha"].to_list()
    with reading(clone.path):
        versions = _readable_versions(clone, shas)
        objects = each_object(clone.path, {blob for _, _, blob in versions})
        bodies = {blob: content.decode("utf-8-sig", "replace") for blob, content in objects}
    found = pl.DataFrame(
        [(sha, path, _text(path, bodies[blob])) for sha, path, blob in versions],
        schema={"sha": pl.String, "path": pl.String, "body": pl.String},
        orient="row",
    ).filter(pl.col("body").str.strip_chars() != "")
    dated = found.join(listed, on="sha", maintain_order="left")
    return dated.sort("committed_at", "path", "sha").select(*COLUMNS)


def is_issue_template(path: str) -> bool:
    """Return whether GitHub takes the file at ``path`` for an issue template."""
    parts = path.lower().split("/")
    if parts[0] in _FOLDERS:
        parts = parts[1:]
    if not parts or not parts[0].startswith("issue_template"):
        return False
    name = PurePosixPath(parts[-1])
    return len(parts) == 1 or (name.suffix in _SUFFIXES and name.stem != "config")


def form_lines(form: object) -> Iterator[str]:
    """Yield the lines that an issue form, as read from YAML, puts into an issue's body."""
    elements = form.get("body") if isinstance(form, dict) else None
    for element in elements if isinstance(elements, list) else []:
        attributes = element.get("attributes") if isinstance(element, dict) else None
        if isinstance(attributes, dict):
            yield from _element_lines(attributes)
            yield "_No response_"  # what GitHub writes under a heading that was left empty


def _element_lines(attributes: dict[str, Any]) -> Iterator[str]:
    label, options = attributes.get("label"), attributes.get("options")
    if isinstance(label, str):
        yield f"### {label}"
    for name in ("description", "value"):
        if isinstance(attributes.get(name), str):
            yield attributes[name]
    for option in options if isinstance(options, list) else []:
        text = option.get("label") if isinstance(option, dict) else option
        if isinstance(text, str):
            yield f"- [ ] {text}"


def _readable_versions(clone: Clone, shas: list[str]) -> list[tuple[str, str, str]]:
    """Return the versions but for those that git cannot read: raw.commits names their commits."""
    try:
        versions = _versions(clone, shas)
    except GitError:
        fetch_missing(clone.path, clone.url, unreadable_commits(clone, shas).values())
        unreadable = unreadable_commits(clone, shas)
        versions = _versions(clone, [sha for sha in shas if sha not in unreadable])
    blobs = [blob for _, _, blob in versions]
    fetch_missing(clone.path, clone.url, [f"{LACKS}{blob}" for blob in blobs])
    missing = missing_objects(clone.path, blobs)
    return [version for version in versions if version[2] not in missing]


def _versions(clone: Clone, shas: list[str]) -> list[tuple[str, str, str]]:
    """Commit, path and blob of each version; of a path that is a link or gone there is none."""
    found = []
    for piece in read_changes(clone, shas, _TEMPLATE_PATHS):
        files = piece.files().filter(pl.col("pair").str.slice(2, 2) == "10")
        for sha, path, pair in files.select("sha", "path", "pair").iter_rows():
            if is_issue_template(path):
                found.append((sha, path, pair[-len(clone.tip) :]))
    return found


def _text(path: str, body: str) -> str:
    if PurePosixPath(path).suffix.lower() not in (".yml", ".yaml"):
        return body
    try:
        return "\n".join([*form_lines(yaml.safe_load(body)), body])
    except UNREADABLE:
        return body  # GitHub cannot read it either
