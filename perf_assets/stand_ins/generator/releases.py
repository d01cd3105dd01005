"""Plants releases: tags of several kinds, a branch of releases with a copied fix, and their truth.

Tags and the branch are added after the history is written; no commit of the main line changes.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.fix_truth import candidates
from perf_assets.stand_ins.generator.history import fast_import, header_of, in_order, read_marks
from perf_assets.stand_ins.generator.model import Commit, Issue
from perf_assets.stand_ins.generator.planner import DAY, HOUR, Plan

MONTHS_BETWEEN = 3
CANDIDATE_BEFORE = 5  # commits of the main line
COUNTED = ("final", "post")
FILE, COPY = 1, 2  # marks
OF_A_FILE = "v9.0.0"
OTHER_TAGS = ("ciflow/trunk/12345", "stale-experiment")

Row = dict[str, Any]


@dataclass
class Release:
    """A planned release.

    place : how many commits of the main line it has, the place of its commit among them plus one.
    copied : the fix that it has as a copy alone.
    sha : hash of its commit, where that is not on the main line.
    """

    tag: str
    kind: str
    place: int
    at: int
    order: tuple[int, ...]
    is_annotated: bool
    copied: Commit | None = None
    sha: str = ""


@dataclass
class Releases:
    """The planned releases by time, and when each commit came to the main line."""

    plan: Plan
    planned: list[Release]
    line: list[Commit]

    def __post_init__(self) -> None:
        """Note the place at which each commit came."""
        self.planned.sort(key=lambda release: (release.at, release.order))
        self.landed = {commit: place for place, commit in enumerate(self.line, 1)}
        for place, commit in enumerate(self.line, 1):
            if commit.merges is not None:
                self.landed.update(dict.fromkeys(commit.merges.commits, place))

    def with_commit(self, commit: Commit) -> list[Release]:
        """Return the releases for users that have ``commit``, by time."""
        return [
            release
            for release in self.planned
            if release.kind in COUNTED
            and (self.landed.get(commit, len(self.line) + 1) <= release.place)
            | (release.copied is commit)
        ]

    def rows(self) -> Iterator[Row]:
        """Yield columns of raw.releases."""
        for release in self.planned:
            yield {
                "repository": self.plan.repository,
                "tag": release.tag,
                "release_kind": release.kind,
                "sha": release.sha or self.line[release.place - 1].sha,
                "released_at": timestamp(release.at),
                "is_on_default_branch": not release.sha,
            }

    def of_bug(self, issue: Issue, fix: Collection[Commit]) -> Row:
        """Return columns of marts.bug_releases for a bug report with a fix."""
        last = max(fix, key=lambda commit: (commit.at, commit.sha))
        fixed = self.with_commit(last)
        origins = candidates(issue, fix)
        latest = max(origins, key=lambda commit: (commit.at, commit.sha), default=None)
        affected = [] if latest is None else self.with_commit(latest)
        exposed = max(
            (
                len([release for release in affected if release not in self.with_commit(one)])
                for one in (origins[latest] if latest else ())
            ),
            default=0,
        )
        if not any(release.kind in COUNTED for release in self.planned):
            outcome = "no_releases"
        elif not fixed:
            outcome = "not_released"
        elif latest is None:
            outcome = "no_introducing_commit"
        else:
            outcome = "released" if exposed else "never_released"
        newer = [
            release
            for release in self.planned
            if affected
            and release.kind in COUNTED
            and release.at >= affected[0].at
            and release.order > affected[0].order
        ]
        is_known = latest is not None and outcome != "no_releases"
        return {
            "dataset": "live",
            "repository": self.plan.repository,
            "number": issue.number,
            "outcome": outcome,
            "introducing_sha": None if latest is None else latest.sha,
            "first_affected_release": affected[0].tag if exposed else None,
            "fix_sha": last.sha,
            "first_fixed_release": fixed[0].tag if fixed else None,
            "exposed_releases": None if latest is None else exposed,
            "days_to_release": max(0, fixed[0].at - last.at) / DAY if fixed else None,
            "is_against_last_release": (
                not newer or issue.created < newer[0].at if is_known else None
            ),
        }


def plant_releases(repository: Path, plan: Plan) -> Releases:
    """Add tags and a branch of releases to the written ``repository``; return the truth.

    Every third month ends with a release, by turns a tag with and without a message; two have a
    candidate or a nightly build before. The first fix that follows a release within its month is
    copied to a branch, which has a release of its own. Further tags have other
    names, and one points to a file.
    """
    line = [
        commit for commit in in_order(plan.commits) if commit.is_on_main and commit.branch is None
    ]
    planned: list[Release] = []
    for number, month in enumerate(range(MONTHS_BETWEEN, plan.calendar.count, MONTHS_BETWEEN), 1):
        end = plan.calendar.starts[month]
        place = max((p for p, one in enumerate(line, 1) if one.order < end), default=0)
        if not place or line[place - 1].at >= end or (planned and place <= planned[-1].place):
            continue
        at, is_annotated = line[place - 1].at, number % 2 == 0
        early = place - CANDIDATE_BEFORE
        if number in (2, 3) and early > 0 and line[early - 1].at < at:
            was = line[early - 1].at
            day = str(timestamp(was))[:10]
            tag, kind = ((f"nightly-{day}", "nightly"), (f"v0.{number}.0rc1", "rc"))[number - 2]
            planned.append(Release(tag, kind, early, was, (0, number), is_annotated=False))
        at += HOUR if is_annotated else 0
        planned.append(Release(f"v0.{number}.0", "final", place, at, (0, number), is_annotated))
    releases = Releases(plan, planned, line)
    copied = _copied(releases)
    if copied is not None:
        planned.append(copied)
        releases = Releases(plan, planned, line)
    marks = repository / "planned-marks"
    with fast_import(repository, marks) as (stream, _):
        stream.writelines(_stream(releases))
    hashes = read_marks(marks)
    if copied is not None:
        copied.sha = hashes[COPY]
    return releases


def _stream(releases: Releases) -> Iterator[bytes]:
    """Yield the tags and the copy as git fast-import reads them."""
    for release in releases.planned:
        commit = releases.line[release.place - 1].sha
        if release.copied is not None:
            yield _copy(release, release.copied, commit)
        elif release.is_annotated:
            yield _annotated(release.tag, commit, release.at)
        else:
            yield f"reset refs/tags/{release.tag}\nfrom {commit}\n\n".encode()
    for tag in OTHER_TAGS if releases.planned else ():
        yield f"reset refs/tags/{tag}\nfrom {releases.line[0].sha}\n\n".encode()
    yield f"blob\nmark :{FILE}\ndata 4\nfile\n".encode()
    yield _annotated(OF_A_FILE, f":{FILE}", releases.plan.calendar.starts[-1] - DAY)


def _annotated(tag: str, target: str, at: int) -> bytes:
    tagger = f"tagger Keeper <keeper@example.org> {at} +0000"
    return f"tag {tag}\nfrom {target}\n{tagger}\ndata {len(tag)}\n{tag}\n".encode()


def _copy(release: Release, commit: Commit, parent: str) -> bytes:
    """Return the commit that ``git cherry-pick -x`` makes on a branch that is gone since."""
    message = commit.message().encode(commit.encoding)
    message += f"\n\n(cherry picked from commit {commit.sha})".encode()
    header = header_of(commit, f"refs/tags/{release.tag}\nmark :{COPY}", release.at, message)
    content = b"M 100644 inline BACKPORTS.md\ndata 5\ncopy\n\n"
    return header + b"\n" + f"from {parent}\n".encode() + content


def _copied(releases: Releases) -> Release | None:
    """Return the release that a branch has for the first performance fix between two others."""
    finals = [release for release in releases.planned if release.kind == "final"]
    for before, after in pairwise(finals[1:]):
        for commit in releases.line[before.place : after.place]:
            at = commit.at + HOUR
            fixed = {issue.number for issue, _ in commit.links if issue.is_performance}
            # Of two fixes of one moment either may be the last.
            is_fix = bool(fixed) and not any(
                other.at >= commit.at and fixed & {issue.number for issue, _ in other.links}
                for other in releases.line
                if other is not commit
            )
            if is_fix and not commit.is_merge and before.at < commit.at and at < after.at:
                tag, order = f"{before.tag[:-1]}1", (*before.order, 1)
                return Release(tag, "final", before.place, at, order, False, copied=commit)
    return None
