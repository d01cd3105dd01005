"""How long each query of the cookbook takes on a published database, against 200 ms.

    perf-assets generate-sample big --issues 50000 --months 72 --commits 20000
    perf-assets run --study big/study.toml --data-dir DIR --until fix-analysis
    python -m tests.benchmarks.cookbook data/perf_bugs.duckdb

Prints a Markdown table, slowest first: the median of five runs in one connection, after one that is
not counted. One that takes ten seconds is interrupted. The exit code is 1 where a query takes
longer than it may.
"""

import sys
import threading
import time
from pathlib import Path
from statistics import median

import duckdb

from perf_assets.schema.models.cookbook import cookbook

MOST_MILLISECONDS = 200
LONGEST_SECONDS = 10.0
RUNS = 5


def milliseconds(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[float, int]:
    times, rows = [], 0
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        watch = threading.Timer(LONGEST_SECONDS, connection.interrupt)
        watch.start()
        try:
            rows = len(connection.execute(sql).fetchall())
        except duckdb.InterruptException:
            return 1000 * LONGEST_SECONDS, 0
        finally:
            watch.cancel()
        times.append(1000 * (time.perf_counter() - started))
    return median(times[1:]), rows


def main(path: Path) -> int:
    with duckdb.connect(str(path), read_only=True) as connection:
        found = {name: milliseconds(connection, one.sql) for name, one in cookbook().items()}
    print("| query | rows | ms |\n| --- | ---: | ---: |")
    for name, (took, rows) in sorted(found.items(), key=lambda entry: -entry[1][0]):
        print(f"| {name} | {rows:,} | {took:.0f} |")
    slowest = max(took for took, _ in found.values())
    print(f"\n{len(found)} queries, the slowest {slowest:.0f} ms, {MOST_MILLISECONDS} allowed")
    return int(slowest > MOST_MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
