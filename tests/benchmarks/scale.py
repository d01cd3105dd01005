"""What the models, the audits and the statistics cost by the number of issues, on each engine.

Run by hand, on a quiet machine; each line is a process of its own:

    python -m tests.benchmarks.scale --issues 50000 1000000 5000000 --engines duckdb sail spark
    python -m tests.benchmarks.scale --issues 50000 250000 1000000 --by-table
    python -m tests.benchmarks.scale --issues 10000 100000 --issues-each 10 --by-table

Warehouses are made by DuckDB, 25,000 issues a repository or as many as are said, and kept in the
folder for the next time.
Spark is found by SPARK_HOME or PERF_ASSETS_SPARK_PYTHON. Beside the seconds that passed stand those
of the processors, which do not depend on who else works, and the most memory of the engine.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from perf_assets.config.data_directory import DataDirectory
from perf_assets.engines.spark import Source, SparkEngine
from perf_assets.schema.models.files import load_models
from perf_assets.stages.transform.derivation import derive
from perf_assets.stages.transform.models import build_model
from perf_assets.stages.transform.workspace import Workspace
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.benchmarks.big_warehouse import fill
from tests.engines.servers import Server, sail, spark, spark_data_dir

ISSUES_EACH = 25_000
MODELS = {model.name: model for model in load_models()}
MARTS = [name for name, model in MODELS.items() if not model.table.is_view]
SOURCES = sorted({name for model in MODELS.values() for name in model.upstream} - {*MODELS})
ENGINES = ("duckdb", "sail", "spark")


@dataclass(frozen=True)
class Size:
    """How many issues there are, and how many of them in each repository; where they are kept."""

    folder: Path
    issues: int
    each: int

    def kept(self, suffix: str) -> Path:
        each = "" if self.each == ISSUES_EACH else f"_by_{self.each}"
        return self.folder / f"{self.issues}{each}{suffix}"


@dataclass(frozen=True)
class Cost:
    """Seconds that passed and of the processors, and the most memory so far, in MB."""

    seconds: float
    processor: float
    memory: float


def warehouse(size: Size) -> Path:
    """A warehouse of so many issues, made where it is not there."""
    path = size.kept(".duckdb")
    if not path.exists():
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with duckdb.connect(str(unfinished)) as connection:
            fill(connection, size.issues, max(1, size.issues // size.each))
        unfinished.rename(path)
    return path


def files(size: Size) -> Path:
    """The tables that the models read, as Parquet files, made where they are not there."""
    place = size.kept(".parquet")
    if not place.exists():
        unfinished = place.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        with duckdb.connect(str(warehouse(size)), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            for name in SOURCES:
                target = unfinished / f"{name}.parquet"
                connection.execute(f"COPY (FROM {name}) TO '{target}' (COMPRESSION zstd)")
        unfinished.rename(place)
    return place


def of_processors(process: int | None) -> float:
    """The seconds that the processors worked for this process, or for another one."""
    if process is None:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return own.ru_utime + own.ru_stime
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def most_memory(process: int | None) -> float:
    """The most memory that this process, or another one, had at a time, in MB."""
    status = Path(f"/proc/{process or 'self'}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 1024


@contextmanager
def measured(costs: dict[str, Cost], name: str, process: int | None = None) -> Iterator[None]:
    begun, before = time.monotonic(), of_processors(process)
    yield
    costs[name] = Cost(
        time.monotonic() - begun, of_processors(process) - before, most_memory(process)
    )


def models_on_duckdb(size: Size) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory(dir=size.folder) as place:
        data_dir = Path(place) / "warehouse.duckdb"
        shutil.copy(warehouse(size), data_dir)
        with open_warehouse(data_dir) as database, measured(costs, "all"):
            writer = AuditedWriter(database, DataDirectory.of(Path(place)))
            with closing(Workspace(database)) as workspace:
                for name in MARTS:
                    with measured(costs, name):
                        outcome = build_model(writer, MODELS[name], workspace)()
                        assert outcome.failure is None, outcome.failure
    return costs


def models_on(server: Server, size: Size) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}
    place = files(size)
    with (
        tempfile.TemporaryDirectory(dir=size.folder) as scratch,
        closing(SparkEngine(server.url, Path(scratch).as_uri())) as engine,
        measured(costs, "all", server.process.pid),
    ):
        engine.bind(Source(name, files=[(place / f"{name}.parquet").as_uri()]) for name in SOURCES)
        for name in MARTS:
            with measured(costs, name, server.process.pid):
                for _ in engine.batches(name):
                    pass
    costs["the driver"] = Cost(0, of_processors(None), most_memory(None))
    return costs


def by_table(size: Size) -> dict[str, Cost]:
    """Everything as a run derives it: models, audits, storing, statistics."""
    costs: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory(dir=size.folder) as place:
        data_dir = DataDirectory.of(Path(place))
        shutil.copy(warehouse(size), data_dir.warehouse)
        with open_warehouse(data_dir.warehouse) as database:
            before = of_processors(None)
            for one in derive(AuditedWriter(database, data_dir)):
                assert one.outcome is None or one.outcome.failure is None, one.outcome
                after = of_processors(None)
                # Between two tables: the next one is computed while one is audited.
                costs[one.table] = Cost(one.seconds or 0.0, after - before, most_memory(None))
                print(f"{one.table}: {one.seconds or 0.0:.1f} s", file=sys.stderr)
                before = after
    return costs


def cost(engine: str, size: Size) -> dict[str, Cost]:
    if engine == "tables":
        return by_table(size)
    if engine == "duckdb":
        return models_on_duckdb(size)
    if engine == "sail":
        with sail() as server:
            return models_on(server, size)
    data_dir = spark_data_dir()
    assert data_dir is not None, "no Spark: set SPARK_HOME or PERF_ASSETS_SPARK_PYTHON"
    with spark(data_dir, memory="8g") as server:
        return models_on(server, size)


def in_a_process(engine: str, size: Size) -> dict[str, Cost]:
    """The same, measured in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.scale", "--folder", str(size.folder)]
    options = ["--one", engine, "--issues", str(size.issues), "--issues-each", str(size.each)]
    answer = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True, check=False)
    if answer.returncode:
        return {}
    found = json.loads(answer.stdout.splitlines()[-1])
    return {name: Cost(*values) for name, values in found.items()}


def table_of_engines(costs: Mapping[tuple[str, int], Mapping[str, Cost]]) -> Iterator[str]:
    yield "| engine | issues | seconds | of the processors | memory, MB |"
    yield "| --- | --: | --: | --: | --: |"
    for (engine, issues), found in costs.items():
        if "all" not in found:
            yield f"| {engine} | {issues:,} | did not end | | |"
            continue
        one = found["all"]
        cells = (f"{issues:,}", f"{one.seconds:.1f}", f"{one.processor:.1f}", f"{one.memory:,.0f}")
        yield f"| {engine} | {' | '.join(cells)} |"


def table_of_tables(costs: Mapping[int, Mapping[str, Cost]]) -> Iterator[str]:
    """Seconds of the processors by table; those that never take a second are summed up."""
    sizes = list(costs)
    yield f"| table | {' | '.join(f'{issues:,}' for issues in sizes)} |"
    yield f"| --- |{' --: |' * len(sizes)}"
    names = [*dict.fromkeys(name for found in costs.values() for name in found if name != "all")]
    slow = [
        name
        for name in names
        if any(name in costs[n] and costs[n][name].processor >= 1 for n in sizes)
    ]
    for name in slow:
        cells = [f"{costs[n][name].processor:.1f}" if name in costs[n] else "" for n in sizes]
        yield f"| {name} | {' | '.join(cells)} |"
    rest = [
        sum(one.processor for name, one in costs[n].items() if name not in slow and name != "all")
        for n in sizes
    ]
    yield f"| all others | {' | '.join(f'{seconds:.1f}' for seconds in rest)} |"
    most = [max((one.memory for one in costs[n].values()), default=0) for n in sizes]
    yield f"| memory, MB | {' | '.join(f'{memory:,.0f}' for memory in most)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--issues", type=int, nargs="+", default=[50_000])
    parser.add_argument("--issues-each", type=int, default=ISSUES_EACH, help="in a repository")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["duckdb", "sail"])
    parser.add_argument("--by-table", action="store_true", help="a whole derivation, by table")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "scale")
    parser.add_argument("--one", choices=[*ENGINES, "tables"], help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    sizes = [Size(chosen.folder, issues, chosen.issues_each) for issues in chosen.issues]
    if chosen.one is not None:
        found = cost(chosen.one, sizes[0])
        print(json.dumps({name: list(vars(one).values()) for name, one in found.items()}))
        return
    for size in sizes:
        files(size)
    if chosen.by_table:
        tables = {size.issues: in_a_process("tables", size) for size in sizes}
        print(*table_of_tables(tables), sep="\n")
        return
    costs = {
        (engine, size.issues): in_a_process(engine, size)
        for engine in chosen.engines
        for size in sizes
    }
    print(*table_of_engines(costs), sep="\n")
    for engine in chosen.engines:
        print(f"\n{engine}, seconds of the processors by model:\n")
        print(*table_of_tables({n: costs[engine, n] for n in chosen.issues}), sep="\n")


if __name__ == "__main__":
    main()
