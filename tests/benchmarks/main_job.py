"""What ``perf-assets run`` takes: seconds by phase, memory over all processes, requests.

Run by hand, on a quiet machine:

    python -m tests.benchmarks.main_job [--issues N] [--commits N] [--months N] [--topics SHARE]
    python -m tests.benchmarks.main_job --growth

A generated corpus is run into a new data directory, and then once more, when nothing has changed.
With ``--growth`` several sizes are, and docs/performance.md is written. Corpora are kept in the
system's temporary directory for the next time.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread
from typing import Any

import duckdb

from perf_assets.base.months import months_between
from perf_assets.stand_ins.generator import generate

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "performance.md"
KEPT = "\n## Asking\n"  # what follows is by other benchmarks
GROWTH = ((5_000, 2_000), (50_000, 20_000), (50_000, 150_000))  # issues, commits

# The functions that do the work of a phase.
PHASES = {
    "issues": ("stages.mining.issues", "mine_issues"),
    "commits": ("stages.mining.commits", "mine_commits"),
    "labels": ("stages.enrichment.labels", "label_cohorts"),
    "label kinds": ("stages.enrichment.labels", "store_label_kinds"),
    "labels of commits": ("stages.enrichment.performance_commits", "label_commits"),
    "links": ("stages.enrichment.links", "link_commits"),
    "pull requests": ("stages.enrichment.pull_requests", "load_pull_requests"),
    "releases": ("stages.enrichment.releases", "find_releases"),
    "analysis of fixes": ("stages.enrichment.details", "inspect_fixes"),
    "study": ("stages.transform.models", "register_study"),
    "models and statistics": ("stages.transform.derivation", "derive"),
    "descriptions": ("stages.transform.models", "describe_tables"),
    "publishing": ("storage.publishing", "publish"),
    "report": ("reports.monthly.keeping", "keep_report"),
}
START = "imports"


@dataclass(frozen=True)
class Measured:
    """One run: seconds in all and by phase, the most memory in each phase, requests.

    megabytes : of all its processes together, by samples.
    peaks : the largest resident size of one process up to the end of each phase, as the operating
        system accounts for it, so that no peak is too short; ``children`` is that of a child.
    """

    seconds: float
    phases: dict[str, float]
    megabytes: dict[str, float]
    peaks: dict[str, float]
    requests: int

    @property
    def peak(self) -> float:
        """The largest resident size of any of its processes, in megabytes: of `/usr/bin/time`."""
        return max(self.peaks.values())

    @property
    def most(self) -> float:
        """The most memory in megabytes."""
        return max(self.megabytes.values())

    @property
    def orchestration(self) -> float:
        """The share of the time in which no phase was at work, nor Python read its modules."""
        return 1 - sum(self.phases.values()) / self.seconds


def main() -> None:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issues", type=int, default=5_000)
    parser.add_argument("--commits", type=int, default=2_000)
    parser.add_argument("--months", type=int, default=72)
    parser.add_argument("--topics", type=float, default=0, help="0.8: a quarter are merges")
    parser.add_argument("--growth", action="store_true", help="all sizes, into docs/performance.md")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_measured(*arguments.child)
        return
    sizes = GROWTH if arguments.growth else ((arguments.issues, arguments.commits),)
    found = [
        (size, *measure(corpus_of(*size, arguments.months, arguments.topics))) for size in sizes
    ]
    if arguments.growth:
        rest = "".join(PAGE.read_text(encoding="utf-8").partition(KEPT)[1:])
        PAGE.write_text(page(found) + rest, encoding="utf-8")


def corpus_of(issues: int, commits: int, months: int, topics: float = 0) -> Path:
    """The study file of a generated corpus, kept from the last time."""
    shape = f"-{topics:g}" if topics else ""
    folder = Path(tempfile.gettempdir()) / f"perf-assets-{issues}-{commits}-{months}{shape}"
    if not (folder / "study.toml").exists():
        last = f"{2020 + (months - 1) // 12}-{(months - 1) % 12 + 1:02}"
        assert len(months_between("2020-01", last)) == months
        generate(folder, seed=5, issues=issues, commits=commits, months=months, topics=topics)
    return folder / "study.toml"


def measure(study: Path) -> tuple[Measured, Measured]:
    """The first run, and one that has nothing to do."""
    with tempfile.TemporaryDirectory() as directory:
        data_dir = Path(directory) / "home"
        runs = []
        for title in ("first run", "nothing to do"):
            runs.append(run_once(study, data_dir))
            show(f"{study.parent.name}, {title}", runs[-1])
    return runs[0], runs[1]


def run_once(study: Path, data_dir: Path) -> Measured:
    """One run in a process of its own, watched from outside."""
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.main_job",
        "--child",
        str(study),
        str(data_dir),
    ]
    before = requests_of(data_dir)
    started = time.perf_counter()
    with (
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child,
        watched(child.pid) as seen,
    ):
        assert child.stdout is not None
        printed = child.stdout.read()
        status = child.wait()
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"the run failed: {printed.decode()[-2000:]}")
    spent, spans, peaks = json.loads(printed.splitlines()[-1])
    megabytes = {
        phase: max((held for when, held in seen if begun <= when <= ended), default=0) / 1e6
        for phase, (begun, ended) in spans.items()
    }
    return Measured(seconds, spent, megabytes, peaks, requests_of(data_dir) - before)


def run_measured(study: str, data_dir: str) -> None:
    """The other end: the command itself, its phases timed, as one line of JSON at the end."""
    spent: dict[str, float] = {}
    spans: dict[str, tuple[float, float]] = {START: (time.time(), time.time())}
    peaks: dict[str, float] = {}
    started = time.perf_counter()
    # Before the assets are imported, which take their functions from these modules.
    for phase, (module, name) in PHASES.items():
        place = import_module(f"perf_assets.{module}")
        setattr(place, name, timed(getattr(place, name), phase, spent, spans, peaks))
    command = import_module("perf_assets.cli.commands").commands
    import_module("perf_assets.dagster_app.execution")
    spent[START] = time.perf_counter() - started
    try:
        command(["run", "--study", study, "--data-dir", data_dir], standalone_mode=False)
    finally:
        peaks |= {"the end": peak_of(resource.RUSAGE_SELF)}
        peaks |= {"children": peak_of(resource.RUSAGE_CHILDREN)}
        print("\n" + json.dumps([spent, spans, peaks]), flush=True)


def peak_of(who: int) -> float:
    """The largest resident size so far, in megabytes, of this process or of one of its children."""
    return resource.getrusage(who).ru_maxrss * 1024 / 1e6


def timed(
    function: Callable[..., Any],
    phase: str,
    spent: dict[str, float],
    spans: dict[str, tuple[float, float]],
    peaks: dict[str, float],
) -> Callable[..., Any]:
    """``function``, whose time is added up, also what it takes to give one thing after another."""

    @contextmanager
    def clock() -> Iterator[None]:
        started = time.perf_counter()
        yield
        spent[phase] = spent.get(phase, 0) + time.perf_counter() - started
        now = time.time()
        spans[phase] = spans.get(phase, (now - time.perf_counter() + started, now))[0], now
        peaks[phase] = peak_of(resource.RUSAGE_SELF)

    def each(found: Iterator[Any]) -> Iterator[Any]:
        while True:
            with clock():
                one = next(found, clock)
            if one is clock:
                return
            yield one

    def wrapped(*arguments: object, **options: object) -> object:
        with clock():
            found = function(*arguments, **options)
        return each(found) if isinstance(found, Iterator) else found

    return wrapped


@contextmanager
def watched(pid: int) -> Iterator[list[tuple[float, int]]]:
    """When a process and its children had how many bytes together, shared pages counted once."""
    seen: list[tuple[float, int]] = []
    over = Event()

    def watch() -> None:
        while not over.wait(0.25):
            seen.append((time.time(), sum(map(memory_of, family(pid)))))

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def family(pid: int) -> Iterator[int]:
    """A process and all that it started.

    A child that has not begun its own program yet is left out: its memory is that of its parent, in
    which it runs until then, and Linux gives all of it to both.
    """
    yield pid
    with suppress(OSError):  # it ended meanwhile
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text().split()]
        for child in children:
            if command_of(int(child)) != command_of(pid):
                yield from family(int(child))


def command_of(pid: int) -> bytes:
    """The command line of a process; that of its parent until it runs a program of its own."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def memory_of(pid: int) -> int:
    """Bytes that a process holds; what it shares is divided among those that do."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # it ended
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) << 10


def requests_of(data_dir: Path) -> int:
    """How many requests all runs into a data directory made."""
    warehouse = data_dir / "warehouse.duckdb"
    if not warehouse.exists():
        return 0
    with duckdb.connect(str(warehouse), read_only=True) as database:
        (count,) = database.execute("SELECT sum(requests) FROM meta.source_requests").fetchall()[0]
    return int(count or 0)


def show(title: str, run: Measured) -> None:
    """Print one run."""
    print(
        f"{title}: {run.seconds:.1f} s, {run.most:,.0f} MB, {run.peak:,.0f} MB in one process, "
        f"{run.requests} requests, {run.orchestration:.0%} orchestration"
    )
    for phase, seconds in run.phases.items():
        if seconds >= 0.05:
            held, peak = run.megabytes.get(phase, 0), run.peaks.get(phase, 0)
            print(f"    {phase:24}{seconds:8.1f} s{held:8,.0f} MB{peak:8,.0f} MB at most so far")
    print(f"    {'children':24}{'':10}{'':11}{run.peaks['children']:8,.0f} MB at most")
    sys.stdout.flush()


def page(found: Sequence[tuple[tuple[int, int], Measured, Measured]]) -> str:
    """docs/performance.md."""
    # The run that is measured does not import it.
    from tests.benchmarks.fixed_costs import RUNS, calibration, least  # noqa: PLC0415

    rows = "\n".join(
        f"| {issues:,} | {commits:,} | {first.seconds:.0f} s | {first.most:,.0f} MB "
        f"({first.peak:,.0f}) | {first.requests:,} | {first.orchestration:.0%} "
        f"| {again.seconds:.1f} s |"
        for (issues, commits), first, again in found
    )
    firsts = [first for _, first, _ in found]
    phases = [
        phase
        for phase in (START, *PHASES)
        if any(first.phases.get(phase, 0) >= 0.5 for first in firsts)
    ]
    by_phase = "\n".join(
        " | ".join([f"| {phase}", *(f"{first.phases.get(phase, 0):.1f}" for first in firsts), ""])
        for phase in phases
    )
    columns = [f"{issues:,} / {commits:,}" for (issues, commits), _, _ in found]
    small, large, long = firsts
    return TEXT.format(
        rows=rows,
        columns=" | ".join(columns),
        lines=" | ".join("---:" for _ in columns),
        by_phase=by_phase,
        machine=machine(),
        calibration=1000 * least(calibration, RUNS),
        tenfold=large.seconds / small.seconds,
        commits=long.seconds / large.seconds,
        more=GROWTH[2][1] / GROWTH[1][1],
    )


def machine() -> str:
    """What the figures were measured on."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in ("dagster", "duckdb", "polars"))
    return (
        f"{os.cpu_count()} cores ({models[0] if models else platform.processor()}), "
        f"{memory:.0f} GB; Python {platform.python_version()}, {git.strip()}, {libraries}"
    )


TEXT = """\
# How long it takes

Written by `python -m tests.benchmarks.main_job --growth` on {machine}. The calibration of
[fixed costs](#fixed-costs) takes {calibration:.0f} ms there.

Generated corpora of 72 months with four comments an issue, served on loopback by the process that
is measured: GitHub itself answers more slowly, and takes no time of this machine. Memory is the
most that all processes held together by samples, what they share counted once; in parentheses the
largest resident size of one process, as `/usr/bin/time` has it.

| issues | commits | first run | memory | requests | orchestration | run again, nothing changed |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}

Ten times the issues and commits take {tenfold:.1f} times as long; {more:.1f} times the commits,
with the fixes among them, {commits:.1f} times.

Seconds by phase of the first run (issues / commits):

| phase | {columns} |
| --- | {lines} |
{by_phase}

What is left of the time is orchestration: Dagster's planning, its events, and what the command
prints.

## What decides it

- **Issues**: the number of requests (100 issues each) and of months, whose rows are audited
  together up to about a thousand issues at a time, so that a run that is killed reads little again.
- **Commits**: the distinct pairs of file versions, whose lines git counts once each.
- **The analysis of fixes**: two processes parse each version of a file that a fix changes
  (lizard) and find which removed lines are code (Pygments). Where removed lines come from is
  followed for all fixes in one pass: the history is read once, the versions of a file are compared
  once. `perf-assets run --until links` leaves the analysis of fixes out.
- **Memory**: the largest of what is held at once: the corpus that is served (loopback only), the
  issues of one batch of months, 10,000 commits with their files, the messages and parents of all
  commits for linking, and, in the analysis of fixes, every path that a commit changed (about 60
  bytes each) with the places where the lines of the fixes' files differ from one version to the
  next.
- **Nothing to do**: one look at GitHub, one at git's remote, and the fingerprints of what each
  table was computed from.
"""

if __name__ == "__main__":
    main()
