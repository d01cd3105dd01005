"""What is deployed agrees with itself and with the program: commands, names, places."""

import configparser
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from perf_assets.cli.commands import MODULES
from perf_assets.dagster_app.settings import INSTANCE, LOCATION
from tests.distributions import install
from tests.paths import ROOT
from tests.support import Prepared, environment

DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PLACE = "/opt/perf-assets/"
PROCESSES = ("code", "daemon", "web")


def unit(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return parser


def started(name: str) -> list[str]:
    line = unit(DEPLOY / "systemd" / f"perf-assets-{name}.service")["Service"]["ExecStart"]
    return shlex.split(line.replace(f"{PLACE}.venv/bin/", ""))


def variables() -> dict[str, str]:
    lines = (DEPLOY / "perf-assets.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def compose() -> dict[str, dict[str, dict[str, object]]]:
    found: dict[str, dict[str, dict[str, object]]] = yaml.safe_load(
        (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    )
    return found


def test_units_start_what_there_is() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for name in PROCESSES:
        command = started(name)
        modules = [word for word in command if word.startswith("perf_assets.")]
        assert len(modules) == 1
        assert importlib.util.find_spec(modules[0]) is not None
        assert command[0] in ("python", "dagster")
    backup = shlex.split(started("backup")[2])
    assert backup[1] in scripts and backup[2] in MODULES


def test_containers_run_what_the_units_run() -> None:
    inside = {"127.0.0.1": "0.0.0.0"}  # only the machine's loopback reaches it, by its ports
    for name in PROCESSES:
        service = compose()["services"][name]
        expected = started(name)
        if name == "web":
            expected = [inside.get(word, word) for word in expected]
            assert service["ports"] == ["127.0.0.1:3000:3000"]
        assert service["command"] == expected
        assert service["env_file"] == "perf-assets.env"


def test_every_process_finds_the_code_server() -> None:
    located = yaml.safe_load((DEPLOY / "workspace.yaml").read_text())["load_from"][0]["grpc_server"]
    code = started("code")
    assert code[code.index("--socket") + 1] == located["socket"]
    assert located["location_name"] == code[code.index("-m") + 1] == LOCATION
    kept = unit(DEPLOY / "systemd" / "perf-assets-code.service")["Service"]
    assert f"/run/{kept['RuntimeDirectory']}" == os.path.dirname(located["socket"])  # noqa: PTH120
    assert kept["RuntimeDirectoryMode"] == "0700"
    for name in ("daemon", "web"):
        command = started(name)
        assert command[command.index("-w") + 1] == "/etc/perf-assets/workspace.yaml"


@pytest.mark.slow
def test_the_settings_are_those_that_are_read() -> None:
    from perf_assets.web import server  # noqa: PLC0415 - it takes seconds

    known = variables()
    assert known["DAGSTER_HOME"] == f"{known['PERF_ASSETS_DATA_DIR']}/dagster"
    assert server.NAMES in known
    written = yaml.safe_load((DEPLOY / "dagster.yaml").read_text(encoding="utf-8"))
    named = written["storage"]["postgres"]["postgres_url"]["env"]
    assert known[named].startswith("postgresql+psycopg2://")
    assert {**written, **INSTANCE} == written
    for path in UNITS:
        assert unit(path)["Service"]["EnvironmentFile"] == "/etc/perf-assets/perf-assets.env"


@pytest.mark.slow
def test_the_proxy_stands_before_the_web_server_under_its_name() -> None:
    from perf_assets.web import server  # noqa: PLC0415 - it takes seconds

    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    command = started("web")
    host, port = (command[command.index(option) + 1] for option in ("--host", "--port"))
    assert f"proxy_pass http://{host}:{port};" in text
    assert f"server_name {variables()[server.NAMES]};" in text
    assert "auth_basic_user_file" in text and "proxy_set_header Host $http_host;" in text


def test_the_page_names_every_file_and_no_other() -> None:
    named = set(re.findall(r"`deploy/([\w./@-]+)`", PAGE))
    there = {
        str(path.relative_to(DEPLOY))
        for path in DEPLOY.rglob("*")
        if path.is_file() and path.parent.name != "locks"
    }
    also = {"systemd/perf-assets-backup.timer"}  # named beside its service
    assert named == there - also and "`.timer`" in PAGE


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    copies = []
    for path in sorted((DEPLOY / "systemd").glob("*.[st]*[er]")):
        copy = tmp_path / path.name
        text = re.sub(rf"{PLACE}\.venv/bin/(python|dagster)", str(program), path.read_text())
        copy.write_text(text)
        copies.append(copy)
    done = subprocess.run(
        ["systemd-analyze", "verify", *copies], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.exhaustive
def test_a_wheel_has_all_that_a_run_needs(small: Prepared, tmp_path: Path) -> None:
    installed = install(ROOT, tmp_path)

    def ran(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(installed)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    place = ran("-c", "import perf_assets; print(perf_assets.__file__)")
    assert Path(place.strip()).is_relative_to(installed)
    program = ("-m", "perf_assets")
    assert "Published database" in ran(*program, "run", "--study", str(small.study))
    assert "monthly_share_of_new_bugs" in ran(*program, "query")
    assert ran(*program, "query", "monthly_share_of_new_bugs")
    assert ran(*program, "lint", "--explain", "PA101").startswith("# loop-invariant-op")
