"""Runs the steps of a composite action as GitHub's runner does, without those of other actions."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
WORD = re.compile(r"'[^']*'|&&|==|!=|[!]?[\w.-]+(?:\(\))?")
FUNCTIONS = {"always()": "true", "!cancelled()": "true"}


def load_action(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
    return loaded


@dataclass
class Runner:
    """A job of one action, in ``home``: its workspace, temporary folder and files of the runner.

    given : outputs of the steps that are other actions, by step and name.
    variables : the environment of each step, beside what the action declares.
    """

    action: Path
    home: Path
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    used: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """The other actions whose condition held, with their inputs."""

    log: str = ""
    """All that the steps printed."""

    def __post_init__(self) -> None:
        for folder in (self.workspace, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def temporary(self) -> Path:
        return self.home / "temporary"

    @property
    def summary(self) -> str:
        path = self.home / "GITHUB_STEP_SUMMARY"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def run(self, inputs: Mapping[str, str]) -> int:
        """Return 0, or the exit code of the first step that failed."""
        action = load_action(self.action)
        values = {
            **{f"inputs.{n}": str(i.get("default", "")) for n, i in action["inputs"].items()},
            **{f"inputs.{name}": value for name, value in inputs.items()},
            **{
                f"steps.{step}.outputs.{name}": value
                for step, outputs in self.given.items()
                for name, value in outputs.items()
            },
            **{"github.run_id": "17", "github.run_attempt": "1", "github.token": "job-token"},
            "runner.temp": str(self.temporary),
        }
        # An input's default is an expression too.
        values = {name: _filled(value, values) for name, value in values.items()}
        failed = 0
        for step in action["runs"]["steps"]:
            name = step.get("id", "")
            values[f"steps.{name}.outcome"] = "skipped"
            if not _holds(step.get("if", "success()"), values, failed=bool(failed)):
                continue
            values[f"steps.{name}.outcome"] = "success"
            if "uses" in step:
                filled = {k: _filled(str(v), values) for k, v in step["with"].items()}
                self.used.append((step["uses"], filled))
                continue
            code, outputs = self._step(
                step["run"], {k: _filled(v, values) for k, v in step.get("env", {}).items()}
            )
            values |= {f"steps.{name}.outputs.{key}": value for key, value in outputs.items()}
            if code:
                values[f"steps.{name}.outcome"] = "failure"
                failed = failed or code
        return failed

    def start(self, script: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a step as the runner does: a file, bash without start-up files, a pipe."""
        path = self.temporary / "step.sh"
        path.write_text(script, encoding="utf-8")
        return subprocess.Popen(
            ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", path],
            cwd=self.workspace,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "HOME": str(self.home),
                "PATH": os.defpath,
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(self.action),
                "GITHUB_REPOSITORY": "owner/name",
                "GITHUB_OUTPUT": str(self.home / "GITHUB_OUTPUT"),
                "GITHUB_ENV": str(self.home / "GITHUB_ENV"),
                "GITHUB_STEP_SUMMARY": str(self.home / "GITHUB_STEP_SUMMARY"),
                **self.variables,
                **env,
            },
        )

    def _step(self, script: str, env: Mapping[str, str]) -> tuple[int, dict[str, str]]:
        written = self.home / "GITHUB_OUTPUT"
        written.write_text("")
        process = self.start(script, env)
        printed, _ = process.communicate(timeout=600)
        self.log += printed
        lines = written.read_text(encoding="utf-8").splitlines()
        return process.returncode, dict(line.split("=", 1) for line in lines)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Replace the expressions in a text, each of which is the name of one value."""
    return EXPRESSION.sub(lambda found: values.get(found[1].strip(), ""), text)


def _holds(condition: str, values: Mapping[str, str], *, failed: bool) -> bool:
    """Evaluate a condition of ``&&``, ``==`` and ``!=``; a failed step before makes it false."""
    text = condition.removeprefix("${{").removesuffix("}}").strip()
    whole = not failed or any(function in text for function in FUNCTIONS)
    for part in filter(None, (one.strip() for one in text.split("&&"))):
        if part in {*FUNCTIONS, "success()"}:
            continue
        left, operator, right = WORD.findall(part)
        is_equal = values.get(left, "") == right.strip("'")
        whole = whole and is_equal == (operator == "==")
    return whole
