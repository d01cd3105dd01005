"""Issues that tell of a measured regression, and by what that is known."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.core.linking.mentions import ANY_URL, NAMED_NUMBER
from perf_assets.core.linking.pull_requests import ADDRESS, landed_numbers, own_names
from perf_assets.schema import schema_of

TABLE = "marts.regression_reports"
COMMIT, PULL_REQUEST, BENCHMARK = "commit", "pull_request", "benchmark"
FIXED, AREA = "introducing_commit", "area"
EVIDENCE = (BENCHMARK, COMMIT, PULL_REQUEST, FIXED, AREA)
"""The strongest first: names of benchmarks tell of nothing else."""

FEW = 10
"""Of so many candidates at most, one that a fix blames says that its bug is the regression."""

WINDOW = timedelta(days=90)
"""A report of the same area may tell of a regression that is at most so old."""

LONGEST = timedelta(days=730)
"""A benchmark that is named is so by a report of its newest regression, if it is not older."""

SHORT, LEAST_NAME = 7, 12  # characters of a hash, and of a name that stands without its module
HASH = re.compile(r"(?<![0-9A-Za-z_])(?=[0-9]*[a-f])[0-9a-f]{7,64}(?![0-9A-Za-z_]|\.\.)")
"""A commit; not the first of a range, as that is the last good one."""
NAME = re.compile(r"\w[\w.:/-]*")
AROUND_NAME = ".:/-"


class _Regression(NamedTuple):
    identifier: str
    first: int
    last: int
    introduced_at: datetime
    recovered_at: datetime | None

    def is_alive(self, at: datetime, longest: timedelta) -> bool:
        """Return whether somebody may have met it ``at`` that moment."""
        is_over = self.recovered_at is not None and self.recovered_at <= at
        return self.introduced_at <= at <= self.introduced_at + longest and not is_over


class _Told(NamedTuple):
    number: int
    identifier: str
    evidence: str
    words: str
    at: datetime


def regression_reports(  # noqa: PLR0913, PLR0917
    recoveries: pl.DataFrame,
    benchmark_changes: pl.DataFrame,
    benchmark_series: pl.DataFrame,
    commit_positions: pl.DataFrame,
    texts: pl.DataFrame,
    bug_metrics: pl.DataFrame,
    bug_areas: pl.DataFrame,
    benchmark_areas: pl.DataFrame,
    bug_introductions: pl.DataFrame,
) -> pl.DataFrame:
    """Return the issues that tell of each regression, each with all its evidence.

    An issue names a benchmark of it, as long as it is there and its newest one; a bug report about
    performance names one of its candidate commits or the pull request of one; the fix of such a
    bug takes away lines of a candidate (SZZ), of few; or such a bug is opened in the same area soon
    after it. The last is a guess, and does not count as reported.

    Parameters
    ----------
    recoveries : ``marts.regression_recoveries``, which has every regression.
    benchmark_changes : ``marts.benchmark_changes``: repository, regression_id, benchmark.
    benchmark_series : ``intermediate.benchmark_series``: repository, benchmark.
    commit_positions : ``intermediate.commit_positions``.
    texts : ``intermediate.benchmark_texts``.
    bug_metrics : ``marts.bug_metrics``: dataset, repository, number, opened_at, is_performance.
    bug_areas : ``marts.bug_areas``: repository, number, area.
    benchmark_areas : ``marts.benchmark_areas``.
    bug_introductions : ``intermediate.bug_introductions``: dataset, repository, number,
        introducing_sha, is_candidate.

    Returns
    -------
    ``marts.regression_reports``.
    """
    if recoveries.is_empty():
        return pl.DataFrame(schema=schema_of(TABLE))
    rows: list[dict[str, Any]] = []
    bugs = bug_metrics.filter(dataset="live", is_performance=True)
    origins = bug_introductions.filter(pl.col("is_candidate"), dataset="live")
    for (repository,), of_repository in recoveries.group_by("repository", maintain_order=True):
        own = {"repository": repository}
        found = _Reports(
            str(repository),
            of_repository,
            benchmark_changes.filter(**own),
            benchmark_series.filter(**own)["benchmark"].unique().to_list(),
            commit_positions.filter(**own),
            dict(bugs.filter(**own).select("number", "opened_at").iter_rows()),
        )
        told = [
            *found.in_texts(texts.filter(**own)),
            *found.by_fixes(origins.filter(**own)),
            *found.by_area(bug_areas.filter(**own), benchmark_areas.filter(**own)),
        ]
        rows += _rows(str(repository), told)
    return pl.DataFrame(rows, schema=schema_of(TABLE)).sort("repository", "regression_id", "number")


class _Reports:
    """Where the regressions of one repository are told of.

    suite : the names of all benchmarks.
    bugs : the bug reports about performance, and when each was opened.
    """

    def __init__(
        self,
        repository: str,
        regressions: pl.DataFrame,
        changes: pl.DataFrame,
        suite: Sequence[str],
        axis: pl.DataFrame,
        bugs: Mapping[int, datetime],
    ) -> None:
        columns = (
            *("regression_id", "first_position", "last_position"),
            *("committed_at", "recovered_at"),
        )
        rows = regressions.select(columns).sort("last_position").iter_rows()
        self.regressions = [_Regression(*row) for row in rows]
        self.by_place = {
            place: each for each in self.regressions for place in range(each.first, each.last + 1)
        }
        self.repository, self.bugs = repository, bugs
        self.own = own_names([repository])
        places = axis.filter(pl.col("commit_position").is_in(list(self.by_place)))
        self.places = dict(places.select("sha", "commit_position").iter_rows())
        self.hashes: dict[str, list[str]] = {}
        for sha in self.places:
            self.hashes.setdefault(sha[:SHORT], []).append(sha)
        self.pulls = {
            number: place
            for message, place in places.select("message", "commit_position").iter_rows()
            for number in landed_numbers(message, repository)
        }
        self.benchmarks: dict[str, list[_Regression]] = {}
        by_id = {each.identifier: each for each in self.regressions}
        named = changes.filter(pl.col("regression_id").is_in(list(by_id)))
        pairs = named.select("benchmark", "regression_id").unique().iter_rows()
        for benchmark, identifier in pairs:
            self.benchmarks.setdefault(benchmark, []).append(by_id[identifier])
        names = _names(suite)
        self.names = {words: name for words, name in names.items() if name in self.benchmarks}

    def in_texts(self, texts: pl.DataFrame) -> Iterator[_Told]:
        """Yield what the texts of issues name."""
        written = pl.col("written_text").fill_null("")
        wholes = [name for name in self.names if not NAME.fullmatch(name)]
        whole = written.str.extract_many(wholes, overlapping=True) if wholes else pl.lit([])
        rows = texts.select("number", "written_at", written, whole.alias("whole")).iter_rows()
        title = f"reading what reports of {self.repository} name"
        with phase(title, texts.height, "texts") as progress:
            for done, (number, at, text, names) in enumerate(rows, 1):
                yield from self._in_text(number, at, text, names)
                progress(done)

    def _in_text(
        self, number: int, at: datetime, text: str, names: Sequence[str]
    ) -> Iterator[_Told]:
        named = {found[0].rstrip(AROUND_NAME) for found in NAME.finditer(text)}
        for words in {*(named & self.names.keys()), *names}:
            benchmark = self.names[words]
            alive = [each for each in self.benchmarks[benchmark] if each.is_alive(at, LONGEST)]
            if alive:
                newest = max(alive, key=lambda each: each.last)
                yield _Told(number, newest.identifier, BENCHMARK, benchmark, at)
        if number not in self.bugs:
            return
        for words in {found[0] for found in HASH.finditer(text)}:
            fitting = [sha for sha in self.hashes.get(words[:SHORT], ()) if sha.startswith(words)]
            if len(fitting) == 1:
                yield from self._at(number, self.places[fitting[0]], COMMIT, fitting[0], at)
        for pull in self._numbers(text):
            if pull in self.pulls:
                yield from self._at(number, self.pulls[pull], PULL_REQUEST, f"#{pull}", at)

    def _at(
        self, number: int, place: int, evidence: str, words: str, at: datetime
    ) -> Iterator[_Told]:
        regression = self.by_place[place]
        if regression.introduced_at <= at:
            yield _Told(number, regression.identifier, evidence, words, at)

    def _numbers(self, text: str) -> set[int]:
        addresses = ADDRESS.finditer(text)
        named = NAMED_NUMBER.finditer(ANY_URL.sub(" ", text))
        return {
            int(found["number"])
            for found in (*addresses, *named)
            if found["repository"] is None or found["repository"].casefold() in self.own
        }

    def by_fixes(self, origins: pl.DataFrame) -> Iterator[_Told]:
        """Yield the bugs whose fixes take away lines of one of few candidates."""
        for number, sha in origins.select("number", "introducing_sha").unique().iter_rows():
            if number in self.bugs and sha in self.places:
                regression = self.by_place[self.places[sha]]
                if regression.last - regression.first < FEW:
                    yield from self._at(number, self.places[sha], FIXED, sha, self.bugs[number])

    def by_area(self, bug_areas: pl.DataFrame, benchmark_areas: pl.DataFrame) -> Iterator[_Told]:
        """Yield the bugs that were opened soon after a regression in an area that it measures."""
        of_benchmarks: dict[str, list[str]] = {}
        for benchmark, area in benchmark_areas.select("benchmark", "area").iter_rows():
            of_benchmarks.setdefault(area, []).append(benchmark)
        for number, area in bug_areas.select("number", "area").unique().iter_rows():
            if number not in self.bugs:
                continue
            opened_at = self.bugs[number]
            for benchmark in of_benchmarks.get(area, ()):
                for each in self.benchmarks.get(benchmark, ()):
                    if each.is_alive(opened_at, WINDOW):
                        yield _Told(number, each.identifier, AREA, area, opened_at)


def _names(benchmarks: Sequence[str]) -> dict[str, str]:
    """Return by which words each benchmark is known: its name, and ends of it that no other has.

    Short names are words that mean anything.
    """
    names = {name: name for name in benchmarks if len(name) >= LEAST_NAME}
    ends: dict[str, set[str]] = {}
    for name in benchmarks:
        parts = re.split(r"\.|::", name)
        for start in range(1, len(parts)):
            ends.setdefault(".".join(parts[start:]), set()).add(name)
    unique = {
        end: min(known)
        for end, known in ends.items()
        if len(known) == 1 and len(end) >= LEAST_NAME and "_" in end
    }
    return unique | names


def _rows(repository: str, told: Sequence[_Told]) -> Iterator[dict[str, Any]]:
    by_pair: dict[tuple[str, int], list[_Told]] = {}
    for each in told:
        by_pair.setdefault((each.identifier, each.number), []).append(each)
    for (identifier, number), all_of in by_pair.items():
        counted = [each for each in all_of if each.evidence != AREA]
        kinds = {each.evidence for each in all_of}
        yield {
            "repository": repository,
            "regression_id": identifier,
            "number": number,
            "evidence_kinds": [kind for kind in EVIDENCE if kind in kinds],
            "named_words": sorted({each.words for each in all_of}),
            "is_reported": bool(counted),
            "told_at": min(each.at for each in counted or all_of),
        }
