"""How fast a project is checked, beside parsing alone, `ruff check`, libcst's metadata and jedi.

Run by hand over the Python files of a folder:

    python -m tests.benchmarks.check_speed FOLDER [--sample 60]

Prints files a second: of `ast.parse` alone, of the checks in this process, of `scan` with 1 and
with 2 workers (with their largest memory), of `ruff check`; then, where they are installed, of
libcst's parser and qualified names, and of jedi asked what each call is, over a sample; at last the
ratios.
"""

import argparse
import ast
import gc
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from perf_assets.lint.files.results import Budget, SourceFile
from perf_assets.lint.files.scanning import scan
from perf_assets.lint.findings import Unreadable
from perf_assets.lint.linter import DEFAULT, check

Texts = list[tuple[str, str]]


def texts_of(folder: Path) -> Texts:
    """The Python files of a folder, by path."""
    paths = sorted(path for path in folder.rglob("*.py") if path.is_file())
    return [
        (str(path.relative_to(folder)), path.read_text(encoding="utf-8", errors="replace"))
        for path in paths
    ]


def rate(name: str, number: int, work: Callable[[], object]) -> float:
    """Do something with a number of files, and say how many a second."""
    start = time.perf_counter()
    work()
    found = number / (time.perf_counter() - start)
    print(f"{name:<44} {found:10.1f} files/s")
    return found


def parse(texts: Texts) -> None:
    """Parse with `ast`."""
    for _, text in texts:
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue


def check_all(texts: Texts) -> None:
    """Check in this process."""
    for path, text in texts:
        try:
            check(text, path)
        except Unreadable:
            continue


def scan_all(texts: Texts, processes: int) -> Callable[[], None]:
    """Check in workers."""

    def work() -> None:
        files = (SourceFile(path, text.encode()) for path, text in texts)
        found = list(scan(files, DEFAULT, processes=processes, budget=Budget()))
        skipped = sum(one.skipped is not None for one in found)
        print(f"   {sum(len(one.findings) for one in found)} findings, {skipped} skipped")

    return work


def libcst_names(texts: Texts) -> None:
    """Parse with libcst and resolve the qualified names of every call."""
    import libcst  # noqa: PLC0415 - installed by hand, to compare
    from libcst.metadata import (  # noqa: PLC0415
        MetadataWrapper,
        PositionProvider,
        QualifiedNameProvider,
    )

    for _, text in texts:
        try:
            wrapper = MetadataWrapper(libcst.parse_module(text), unsafe_skip_copy=True)
        except libcst.ParserSyntaxError:
            continue
        wrapper.resolve_many([QualifiedNameProvider, PositionProvider])


def jedi_calls(texts: Texts) -> None:
    """Ask jedi what each call runs, as the published tool does."""
    import jedi  # noqa: PLC0415 - installed by hand, to compare

    for _, text in texts:
        try:
            calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
        except (SyntaxError, ValueError):
            continue
        script = jedi.Script(text)
        for call in calls:
            script.infer(call.lineno, call.col_offset)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=60)
    chosen = parser.parse_args()
    texts = texts_of(chosen.folder)
    size = sum(len(text) for _, text in texts) / max(len(texts), 1)
    print(f"{len(texts)} files, {size:.0f} characters each on average")
    gc.disable()
    parsing = rate("ast.parse alone", len(texts), lambda: parse(texts))
    checking = rate("checks, in this process", len(texts), lambda: check_all(texts))
    gc.enable()
    one = rate("scan, 1 worker", len(texts), scan_all(texts, 1))
    two = rate("scan, 2 workers", len(texts), scan_all(texts, 2))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    command = [sys.executable, "-m", "ruff", "check", "-q", "--no-cache", "--isolated"]
    ruff = rate(
        "ruff check, its default rules, all cores",
        len(texts),
        lambda: subprocess.run([*command, str(chosen.folder)], capture_output=True, check=False),
    )
    print(f"largest memory of a worker: {peak:.0f} MB")
    sample = random.Random(1).sample(texts, min(chosen.sample, len(texts)))
    for name, work in (("libcst", libcst_names), ("jedi", jedi_calls)):
        if find_spec(name) is None:
            print(f"{name}: not installed (pip install {name})")
            continue
        other = rate(
            f"{name}, over {len(sample)} of the files", len(sample), lambda w=work: w(sample)
        )  # type: ignore[misc]
        print(f"   checks are {checking / other:.0f} times as fast")
    print(
        f"ratios: checks / parsing {checking / parsing:.2f}; 2 workers / 1 {two / one:.2f}; "
        f"ruff / 2 workers {ruff / two:.1f}"
    )


if __name__ == "__main__":
    main()
