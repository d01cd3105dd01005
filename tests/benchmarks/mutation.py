"""How many small faults in the core do its tests notice? mutmut seeds them, one after the other.

    make mutation                                  15 mutants of each module
    make mutation MUTATION="--each 200 linking"    more of them, of modules whose path has this word

Works on a copy. Each mutant is tried in a process of its own, for Polars' threads do not outlive a
fork. Prints the share of killed mutants of each module, and the names of those that survived;
``mutmut show NAME`` in the copy shows what was changed. A mutant that no test reaches has survived.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 2
SECONDS = 120  # after which a mutant that does not end is taken for noticed


def main() -> None:
    arguments = read_arguments()
    copy = Path(arguments.copy or tempfile.mkdtemp(prefix="mutation-"))
    if not (copy / "mutants" / "mutmut-stats.json").exists():
        make_mutants(copy)
    reached = json.loads((copy / "mutants" / "mutmut-stats.json").read_text())
    tests = reached["tests_by_mangled_function_name"]
    chosen = choose(copy, arguments)
    print(f"{len(chosen)} mutants in {copy}", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        noticed = {}
        tried = pool.map(partial(is_noticed, copy, tests), chosen)
        for name, killed in zip(chosen, tried, strict=True):
            noticed[name] = killed
            if not killed:
                print(f"survived: {name}", flush=True)
    report(noticed)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="of the paths of the modules; default: all")
    parser.add_argument("--each", type=int, default=15, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--copy", help="where to work, or where the mutants are already")
    return parser.parse_args()


def make_mutants(copy: Path) -> None:
    """Copy the project, write all mutants, and note which tests reach which function."""
    copy.mkdir(exist_ok=True)
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    archive = ["tar", "--create", "--null", "--files-from=-", f"--file={copy / 'tree.tar'}"]
    subprocess.run(archive, cwd=ROOT, input=files, check=True)
    subprocess.run(["tar", "--extract", "--file=tree.tar"], cwd=copy, check=True)
    mutmut = Path(sys.executable).with_name("mutmut")
    # It writes all of them whichever it is to try, and this one does not take long.
    one = "perf_assets.core.months.x_none__mutmut_1"
    subprocess.run([mutmut, "run", "--max-children", "1", one], cwd=copy, check=False)


def choose(copy: Path, arguments: argparse.Namespace) -> list[str]:
    chance = random.Random(arguments.seed)
    folder = copy / "mutants" / "perf_assets" / "core"
    chosen: list[str] = []
    for path in sorted(folder.rglob("*.meta")):
        names = sorted(json.loads(path.read_text())["exit_code_by_key"])
        sample = chance.sample(names, min(arguments.each, len(names)))
        if not arguments.words or any(word in str(path) for word in arguments.words):
            chosen += sample
    return chosen


def is_noticed(copy: Path, tests: dict[str, list[str]], name: str) -> bool:
    """Whether a test that reaches the function fails when it is changed."""
    reaching = tests.get(name.rpartition("__mutmut_")[0], [])
    if not reaching:
        return False
    files = sorted({test.partition("::")[0] for test in reaching})
    command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "-m", "not slow", *files]
    try:
        ran = subprocess.run(
            command,
            cwd=copy / "mutants",
            env={**os.environ, "MUTANT_UNDER_TEST": name, "POLARS_MAX_THREADS": "1"},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return ran.returncode != 0


def report(noticed: dict[str, bool]) -> None:
    modules: dict[str, list[bool]] = defaultdict(list)
    for name, killed in noticed.items():
        modules[name.partition(".x")[0]].append(killed)
    for module, killed in modules.items():
        share = sum(killed) / len(killed)
        print(f"{module:50} {sum(killed):4} of {len(killed):4} killed  {share:6.1%}")


if __name__ == "__main__":
    main()
