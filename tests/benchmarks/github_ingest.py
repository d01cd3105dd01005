"""What loading and refreshing the issues of a large repository costs the client, and GitHub.

Run by hand, on a quiet machine:

    python tests/benchmarks/github_ingest.py [--issues N] [--delay SECONDS] [--workers N]

A generated corpus is served on loopback by a process of its own, and loaded by another into a
new warehouse, audits included. Then 1 % of the issues change, then five are deleted, and each time
the load is run again. The corpus is kept in the system's temporary directory for the next time.
"""

import argparse
import dataclasses
import random
import resource
import tempfile
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.months import months_between
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.github import issues
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.host import UNLIMITED
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.stages.mining.issues import load_issues
from perf_assets.stand_ins.generator import generate
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.unreliable_github import Faults, UnreliableGitHub

MONTHS = months_between("2015-01", "2020-12")
CHANGED_SHARE = 0.01
DELETED = 5
REASONS = "SELECT reason, count(*) FROM meta.reconciliation_differences GROUP BY reason"
COMMANDS = {"full load": "stay", "refresh": "change", f"refresh, {DELETED} deleted": "delete"}
MEGABYTE = 1 << 20


def main() -> None:
    arguments = read_arguments()
    folder = corpus_of(arguments.issues)
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(folder, arguments.delay, theirs), daemon=True)
    server.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as data_dir:
        for title, command in COMMANDS.items():
            ours.send(command)
            count = ours.recv()
            client = context.Process(
                target=load, args=(url, Path(data_dir), arguments.workers, theirs), daemon=True
            )
            client.start()
            client.join()
            if client.exitcode:
                raise SystemExit(client.exitcode)
            result = ours.recv()
            ours.send("report")
            report(title, count, result, ours.recv())
    server.terminate()


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issues", type=int, default=50_000, help="issues; four comments each")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds added to each answer")
    parser.add_argument("--workers", type=int, default=2, help="requests at once")
    return parser.parse_args()


def corpus_of(size: int) -> Path:
    folder = Path(tempfile.gettempdir()) / f"perf-assets-github-ingest-{size}"
    if not folder.is_dir():
        print(f"generating {size:,} issues in {folder} ...", flush=True)
        started = time.perf_counter()
        generate(folder, seed=1, issues=size, months=len(MONTHS), commits=100, start=MONTHS[0])
        print(f"generated in {time.perf_counter() - started:.0f} s", flush=True)
    return folder


def serve(folder: Path, delay: float, pipe: Connection) -> None:
    """Serve the corpus; let issues change on "change", leave on "delete"; on "report", tell the
    log.
    """
    corpus = read_corpus(folder)
    faults = Faults(0, 1.0, ("slow",), max_consecutive=10**9, delay=delay) if delay else None
    with UnreliableGitHub([corpus], limit=UNLIMITED, faults=faults) as server:
        pipe.send(server.url)
        while True:
            command = pipe.recv()
            if command == "report":
                busy = sum(request.seconds for request in server.requests)
                pipe.send((len(server.requests), server.points, busy))
                server.requests.clear()
                continue
            if command != "stay":
                corpus = changed(corpus) if command == "change" else without_first(corpus)
                server.replace([corpus])
            pipe.send(len(corpus.issues))


def changed(corpus: Corpus) -> Corpus:
    """Other titles for 1 % of the issues, now."""
    newest = max(issue["updated_at"] for issue in corpus.issues.values())
    chosen = random.Random(0).sample(
        sorted(corpus.issues), round(CHANGED_SHARE * len(corpus.issues))
    )
    edited = {
        number: {**corpus.issues[number], "title": "Edited", "updated_at": newest}
        for number in chosen
    }
    return dataclasses.replace(corpus, issues={**corpus.issues, **edited})


def without_first(corpus: Corpus) -> Corpus:
    """The corpus after its first issues were deleted."""
    left = sorted(corpus.issues)[DELETED:]
    return dataclasses.replace(corpus, issues={number: corpus.issues[number] for number in left})


def load(url: str, data_dir: Path, workers: int, pipe: Connection) -> None:
    """Load or refresh everything; tell seconds, CPU seconds and peak memory of this process."""
    issues.REQUESTS_AT_ONCE_PER_ACCOUNT = workers
    started = time.perf_counter()
    client = GitHubClient(url)
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory(data_dir))
        for outcome in load_issues(writer, GitHubIssues(client, "sample-lab/tensorkit"), MONTHS):
            assert outcome.failure is None, outcome.failure
        reasons = database.frame(REASONS).rows()
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send((seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, reasons))


def report(
    title: str,
    count: int,
    client: tuple[float, float, int, list[tuple[str, int]]],
    server: tuple[int, int, float],
) -> None:
    seconds, cpu, peak, reasons = client
    requests, points, busy = server
    print(f"{title} of {count:,} issues")
    print(f"  time               {seconds:8.1f} s, {count / seconds:,.0f} issues/s")
    print(f"  requests           {requests:8,d}, {1000 * requests / count:.1f} per 1,000 issues")
    print(f"  points             {points:8,d}")
    print(f"  left, by reason    {dict(reasons)}")
    print(f"  client CPU         {cpu:8.1f} s")
    print(f"  peak memory        {peak / MEGABYTE:8.0f} MB")
    print(f"  in the server      {busy:8.1f} s, {100 * busy / seconds:.0f} % of the time")


if __name__ == "__main__":
    main()
