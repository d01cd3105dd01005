"""Builds and installs the distributions that are parts of the tree."""

import subprocess
import sys
import zipfile
from pathlib import Path


def install(project: Path, folder: Path) -> Path:
    """Return the content of the wheel of a ``project``, made as an installer makes it."""
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, folder],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(folder / made.stdout.split()[-1]) as wheel:
        wheel.extractall(folder / "installed")
    return folder / "installed"


def only_with(libraries: set[str], program: str) -> str:
    """Return a Python program that runs ``program`` where only these libraries are installed.

    Its first argument is the folder that perf_assets must be imported from.
    """
    return f"""
import sys
from importlib.abc import MetaPathFinder

sys.path.insert(0, sys.argv[1])

class OnlyThese(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        known = root in sys.stdlib_module_names or root.startswith("_sysconfigdata")
        if not known and root not in {libraries | {"perf_assets"}!r}:
            raise ModuleNotFoundError(f"{{name}} is not installed with it", name=name)

sys.meta_path.insert(0, OnlyThese())
import perf_assets
assert perf_assets.__file__.startswith(sys.argv[1]), perf_assets.__file__
{program}
"""
