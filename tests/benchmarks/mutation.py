"""How many small faults in the core do its tests notice? mutmut seeds them, one after the other.

    make mutation                                  30 mutants of each module
    make mutation MUTATION="--each 200 linking"    more of them, of modules whose path has this word

Works on a copy. Prints the share of killed mutants of each module, and the names of those that
survived; ``mutmut show NAME`` in the copy shows what was changed. A mutant that no test reaches
counts as survived.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SURVIVED, UNREACHED = 0, 33


def main() -> None:
    arguments = read_arguments()
    copy = Path(arguments.copy or tempfile.mkdtemp(prefix="mutation-"))
    copy.mkdir(exist_ok=True)
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(
        ["tar", "--create", "--null", "--files-from=-", f"--file={copy / 'tree.tar'}"],
        cwd=ROOT,
        input=files,
        check=True,
    )
    subprocess.run(["tar", "--extract", "--file=tree.tar"], cwd=copy, check=True)
    mutmut(copy, "none*")  # writes down all mutants, and which tests reach them
    chosen = choose(copy, arguments)
    print(f"{len(chosen)} mutants in {copy}", flush=True)
    mutmut(copy, *chosen)
    report(copy, set(chosen))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="of the paths of the modules; default: all")
    parser.add_argument("--each", type=int, default=30, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--copy", help="where to work; default: a new temporary directory")
    return parser.parse_args()


def mutmut(copy: Path, *names: str) -> None:
    program = Path(sys.executable).with_name("mutmut")
    with (copy / "mutmut.log").open("a") as log:
        command = [program, "run", "--max-children", "1", *names]
        subprocess.run(command, cwd=copy, stdout=log, stderr=log, check=False)


def results(copy: Path) -> dict[str, dict[str, int | None]]:
    """The exit code of each mutant by module; None where it was not tried."""
    folder = copy / "mutants" / "perf_assets" / "core"
    return {
        str(path.relative_to(folder)).removesuffix(".meta"): found
        for path in sorted(folder.rglob("*.meta"))
        if (found := json.loads(path.read_text())["exit_code_by_key"])
    }


def choose(copy: Path, arguments: argparse.Namespace) -> list[str]:
    chance = random.Random(arguments.seed)
    chosen = []
    for module, mutants in results(copy).items():
        names = sorted(mutants)
        sample = chance.sample(names, min(arguments.each, len(names)))
        if not arguments.words or any(word in module for word in arguments.words):
            chosen += sample
    return chosen


def report(copy: Path, chosen: set[str]) -> None:
    lines, survivors = [], []
    for module, mutants in results(copy).items():
        codes = {name: code for name, code in mutants.items() if name in chosen}
        if codes:
            left = [name for name, code in codes.items() if code in (SURVIVED, UNREACHED, None)]
            survivors += left
            killed = len(codes) - len(left)
            lines.append(f"{module:40} {killed:5} of {len(codes):5}  {killed / len(codes):6.1%}")
    print("\n".join([*lines, "", "survived:", *survivors]))


if __name__ == "__main__":
    main()
