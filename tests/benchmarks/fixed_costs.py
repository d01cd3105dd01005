"""What work costs before it has a row: imports, an empty run, one more table, rule, analysis.

    python -m tests.benchmarks.fixed_costs [--runs 5]

Prints a Markdown table for docs/performance.md: milliseconds, and multiples of a calibration that
is measured in the same run, which can be compared between machines. Each figure is the least of
several, as other work only ever adds to it.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import schema_of
from perf_assets.schema.models.dependencies import analyses
from perf_assets.stages.transform.derivation import derive
from perf_assets.stand_ins.generator import generate
from perf_assets.storage.audit import great_expectations
from perf_assets.storage.audit.auditing import audit_together
from perf_assets.storage.audit.suites import load_suite
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.storage.good_rows import GOOD, PARAMETERS, completed
from tests.support import SMALL, command, environment, materialize, prepare

RUNS = 5
FEW_RUNS = 3
REPOSITORIES = 4
TINY = {"issues": 10, "months": 2, "commits": 10}
REPOSITORY = """
[[repositories]]
name = "lab/project-{number}"
start = "2020-01"
trend_start = "2020-02"
end = "2020-02"
git = "corpus-{number}/repository.git"
corpus = "corpus-{number}"
"""


def main() -> None:
    """Measure each, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS, help="at most, of each")
    runs = parser.parse_args().runs
    unit = least(calibration, runs)
    print(f"Calibration: {1000 * unit:.0f} ms.\n\n| what | ms | calibrations |")
    print("| --- | ---: | ---: |")
    for what, seconds in costs(runs):
        print(f"| {what} | {1000 * seconds:,.1f} | {seconds / unit:,.2f} |", flush=True)


def costs(runs: int = RUNS) -> Iterator[tuple[str, float]]:
    """Each with its seconds, the least of at most so many ``runs``."""
    few = min(runs, FEW_RUNS)
    bare = least(lambda: python("pass"), runs)
    gx = "from perf_assets.storage.audit.process import import_libraries; import_libraries()"
    for title, code in (
        ("importing the command line", "import perf_assets.cli"),
        ("importing what a run needs", "import perf_assets.dagster_app.execution"),
        ("importing Great Expectations", gx),
        ("loading the definitions of the UI", "import perf_assets.dagster_app.definitions"),
    ):
        yield title, least(partial(python, code), runs) - bare
    with tempfile.TemporaryDirectory() as directory:
        yield from of_data_dirs(Path(directory), few)
    yield from of_audits(few)


def of_data_dirs(directory: Path, runs: int) -> Iterator[tuple[str, float]]:
    """An empty run, one more analysis, and one more small repository."""
    prepared = prepare(directory, **SMALL)
    data_dir = DataDirectory(prepared.data_dir)
    arguments = command("run", "--study", prepared.study, "--data-dir", prepared.data_dir)
    run(arguments)  # Dagster hears of the data directory
    yield "a run with nothing new", least(lambda: run(arguments), runs)
    with open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        names = tuple(analyses())
        every = least(lambda: list(derive(writer, names, names)), runs)
        none = least(lambda: list(derive(writer, names)), runs)
    yield f"one more analysis (of {len(names)}), computed and audited", (every - none) / len(names)
    yield "one more analysis, unchanged", none / len(names)
    one, many = (of_repositories(directory, number) for number in (1, REPOSITORIES))
    yield "one more repository of ten issues", (many - one) / (REPOSITORIES - 1)


def of_repositories(directory: Path, number: int) -> float:
    """The seconds of a first run over so many small repositories."""
    place = directory / f"{number}-repositories"
    text = 'name = "small"\nperformance_labels = ["performance"]\n'
    for each in range(number):
        generate(place / f"corpus-{each}", seed=each, repository=f"lab/project-{each}", **TINY)
        text += REPOSITORY.format(number=each)
    study = place / "study.toml"
    study.write_text(text, encoding="utf-8")
    began = time.perf_counter()
    materialize(study, place / "home")
    return time.perf_counter() - began


def of_audits(runs: int) -> Iterator[tuple[str, float]]:
    """What the audit of a table takes, and each of its rules, by a line through all tables."""
    great_expectations.prepare()
    sizes, seconds = [], []
    for table in sorted(GOOD):
        rows = [completed(table, row) for row in GOOD[table]]
        schema = {name: kind for name, kind in schema_of(table).items() if name in rows[0]}
        offer = pl.DataFrame(rows, schema=schema), PARAMETERS
        sizes.append(len(load_suite(table).rules))
        seconds.append(least(partial(audit_together, table, [offer]), runs))
    each, fixed = np.polyfit(sizes, seconds, 1)
    yield (
        f"the audit of a table (mean of {len(sizes)}, with {np.mean(sizes):.0f} rules)",
        float(np.mean(seconds)),
    )
    yield "one more table without a rule", float(fixed)
    yield "one more rule", float(each)


def calibration() -> None:
    """Something that takes the interpreter about a tenth of a second."""
    drawn = random.Random(0)
    sorted(str(drawn.random()) for _ in range(60_000))


def least(work: Callable[[], object], runs: int) -> float:
    """The shortest of some runs, in seconds."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def python(code: str) -> None:
    """Run a line of Python in a process of its own.

    It ends without taking itself apart, as the commands do: that is not part of importing.
    """
    run([sys.executable, "-c", f"{code}; import os; os._exit(0)"])


def run(arguments: list[str]) -> None:
    """Run a program, which must succeed."""
    subprocess.run(arguments, check=True, capture_output=True, env=environment())


if __name__ == "__main__":
    main()
