"""What is in the published package: its frameworks, its files, their columns and sums."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

TAXONOMY = "perf_bugs_taxonomy.csv"

BUG_COLUMNS = (
    "Issue.ID",
    "Author",
    "Date.Opened",
    "Number.of.Comment.s.",
    "Date.of.first.comment",
    "Date.of.last.time.closed",
    "Time.before.first.comment..in.minutes.",
    "Time.before.issue.last.closed..in.minutes.",
    "Number.of.participants..including.the.author.and.people.who.did.not.comment"
    ".on.the.issue.thread.",
    "Number.of.commentators",
    "Commentators..username.alongside.the.number.of.comments.posted.",
    "Issue.labels",
)
FIX_COLUMNS = (
    "Issue.ID",
    "Number.of.issue.solving.commits.found",
    "Total.additions.made.to.fix.the.issue",
    "Total.deletions.made.to.fix.the.issue",
    "Total.changes.made.to.fix.the.issue",
    "Commits..commit.hashcode..date.of.commit..commit.s.author"
    "..number.of.additions.made.by.the.commit..number.of.deletions.made.by.the.commit"
    "..number.of.total.changes.made.by.the.commit..approach.used.to.find.the.commit.",
)
SERIES_COLUMNS = {
    series: (
        "Time period",
        f"Number of {series} performance bugs",
        f"Total number of {series} bugs",
        "Percentage",
    )
    for series in ("open", "fixed")
}
TAXONOMY_COLUMNS = ("Framework", "Category", "Issue.ID")


@dataclass(frozen=True)
class Framework:
    """One of the two frameworks of the study.

    ``prefix`` begins the names of its files. ``cut_off_day`` is the day of the month at whose
    start the published series was counted: found from the data, in which the fixed series agrees
    with the bug reports on that day in every month and on no other day. (TensorFlow was released
    on a 9th, and its months are counted from there.)
    """

    prefix: str
    repository: str
    cut_off_day: int

    def bugs_file(self, *, is_performance: bool) -> str:
        """Return the file of its performance bugs, or of the others."""
        return f"{self.prefix}_{'perf' if is_performance else 'non_perf'}_bugs_information.csv"

    def fixes_file(self, *, is_performance: bool) -> str:
        """Return the file of the fixes of its performance bugs, or of the others."""
        return f"{self.prefix}_{'perf' if is_performance else 'non_perf'}_fixes_information.csv"

    def series_file(self, series: str) -> str:
        """Return the file of one of its monthly series, ``open`` or ``fixed``."""
        return f"{self.prefix}_{series}_perf_trend_analysis.csv"

    @property
    def files(self) -> tuple[str, ...]:
        """All of its files; the taxonomy belongs to both frameworks."""
        kinds = (True, False)
        return (
            *(self.bugs_file(is_performance=kind) for kind in kinds),
            *(self.fixes_file(is_performance=kind) for kind in kinds),
            *(self.series_file(series) for series in SERIES_COLUMNS),
        )


FRAMEWORKS = (
    Framework("pytorch", "pytorch/pytorch", cut_off_day=1),
    Framework("tensorflow", "tensorflow/tensorflow", cut_off_day=9),
)


@dataclass(frozen=True)
class Pinned:
    """Published files at the commit that perf-assets knows: their sums and addresses.

    instead : what to give where they cannot be downloaded, in words.
    folder : tells files of the same commit apart that are downloaded one without the other.
    """

    repository: str
    commit: str
    url: str
    sums: dict[str, str]
    part_sums: dict[str, str]
    instead: str = "a folder with the published files by --data"
    folder: str = ""

    @property
    def stored_as(self) -> str:
        """The name of the folder that holds them on this machine."""
        return "-".join(filter(None, (self.commit[:12], self.folder)))

    def address(self, file: str) -> str:
        """Return the address from which ``file`` is downloaded."""
        return self.url.format(repository=self.repository, commit=self.commit, file=file)

    def accepts(self, file: str, digest: str) -> bool:
        """Return whether a file of that name with that sha256 is as published."""
        return digest in (self.sums.get(file), self.part_sums.get(file))


@cache
def pinned() -> Pinned:
    """Return the package of the study of performance bugs, from ``package.toml``."""
    return _pinned("package.toml")


@cache
def pinned_problems() -> Pinned:
    """Return the file of the study of performance problems, from ``problems.toml``."""
    return _pinned("problems.toml", instead="the published file by --problems")


@cache
def pinned_benchmark() -> Pinned:
    """Return the benchmark of reproduced problems, from ``benchmark.toml``."""
    return _pinned("benchmark.toml", instead="benchmark.csv beside the file of --problems")


def _pinned(file: str, instead: str = Pinned.instead) -> Pinned:
    text = files("perf_assets.sources.replication").joinpath(file).read_text("utf-8")
    content = tomllib.loads(text)
    sums, part_sums = content.pop("sha256"), content.pop("sha256_of_a_part")
    return Pinned(**content, sums=sums, part_sums=part_sums, instead=instead)
