"""What a process is given from around it: variables, values of its command line, of a launchpad."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import chdir
from datetime import timedelta

import click
from click.testing import CliRunner
from dagster import DagsterInvalidConfigError, JobDefinition, validate_run_config
from pydantic import ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.cli.commands import commands
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.add_repository_job import NewRepository
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.lake_maintenance_job import Retention
from perf_assets.dagster_app.schedules import SWITCH, schedules
from perf_assets.dagster_app.workers import COUNT, worker_count
from perf_assets.engines.connection import TOKEN
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain
from perf_assets.sources.github.credentials import APP_VARIABLES, credentials_of
from perf_assets.sources.rate_limit import wait_in_seconds
from perf_assets.sources.stackexchange.api_client import KEY, ApiClient
from perf_assets.stages.study_loader import Added, added_to, open_study
from perf_assets.web.guard import answered_names
from tests.damaged_inputs.damage import hostile, spoilt
from tests.damaged_inputs.kinds import (
    LONGEST_SENTENCE,
    FindingError,
    Kind,
    Surroundings,
    TryOne,
)
from tests.support import undone

SECRETS = ("GITHUB_TOKEN", KEY, *APP_VARIABLES, TOKEN)
CANARY = "canaryOfASecret"


def _variable(chance: random.Random, valid: str) -> str:
    """A value that an environment can hold: no NUL, and bytes that are not text as halves."""
    text = str(hostile(valid, chance)).replace("\0", "")
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def _environment(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("environment")
    study = surroundings.prepared.study
    schedule = load_study(study)
    data_dir = DataDirectory.of(room / "home")
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----"
    readers: dict[str, tuple[str, Callable[[str], object]]] = {
        "GITHUB_TOKEN": (CANARY, lambda _: credentials_of(dict(os.environ))),
        "GITHUB_APP_ID": ("123", lambda _: credentials_of(dict(os.environ))),
        "GITHUB_APP_PRIVATE_KEY": (pem, lambda _: credentials_of(dict(os.environ))),
        "GITHUB_APP_INSTALLATION_ID": ("123", lambda _: credentials_of(dict(os.environ))),
        KEY: (CANARY, lambda _: ApiClient("https://127.0.0.1:1/2.3", "x").close()),
        COUNT: ("2", lambda _: worker_count()),
        SWITCH: ("on", lambda _: schedules(schedule, Place(data_dir))),
        "PERF_ASSETS_MAX_WAIT": ("90", wait_in_seconds),
        "PERF_ASSETS_DATA_DIR": (
            "home/x",
            lambda value: None if value[:1] == "/" else DataDirectory.of(value),
        ),
        "PERF_ASSETS_STUDY": (str(study), lambda value: open_study(value, data_dir)),
        "PERF_ASSETS_LAKE": (f"file://{room}", Lake.of),
        "PERF_ASSETS_UI_NAMES": ("ui.example.com", answered_names),
    }

    def try_one(chance: random.Random) -> object:
        name = chance.choice(list(readers))
        valid, read = readers[name]
        value = _variable(chance, valid)
        given = {name: value}
        if name in APP_VARIABLES:
            given |= {one: readers[one][0] for one in APP_VARIABLES if one != name}
        with undone(given), chdir(room):
            try:
                return read(value)
            except PerfAssetsError as error:
                if name in SECRETS and CANARY in str(error):
                    raise FindingError(f"it shows what {name} holds: {error}") from error
                raise

    return try_one


# What begins real work where its values are right, or waits: of these only the words are read.
ENDLESS = {"run", "work", "replicate", "ui", "explore", "mock-api", "docs", "generate-sample"}


def _command_line(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("commands")
    directory = room / "here"
    directory.mkdir(exist_ok=True)
    leaves = list(_leaves(commands, ()))
    runner = CliRunner()

    def try_one(chance: random.Random) -> object:
        words, command = chance.choice(leaves)
        given: list[str] = []
        for parameter in command.params:
            if chance.random() < (0.9 if parameter.required else 0.3):
                given += _words(parameter, chance)
        given += ["--data-dir", str(directory / "none")] if _has_data_dir(command) else []
        if chance.random() < 0.1:
            given.insert(chance.randrange(len(given) + 1), _variable(chance, ""))
        if words[0] in ENDLESS:
            return _parsed(command, given)
        with undone({}), chdir(directory):
            result = runner.invoke(commands, [*words, *given])
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            raise error
        if result.exit_code == 2:
            raise PerfAssetsError(result.stderr.strip().splitlines()[-1][:LONGEST_SENTENCE])
        if result.exit_code not in (0, 1):
            raise FindingError(f"{words} {given}: {result.exit_code}: {result.stderr[-1500:]}")
        return result.stdout

    return try_one


def _leaves(
    group: click.Group, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _leaves(command, (*words, name))
        elif command is not None:
            yield (*words, name), command


def _has_data_dir(command: click.Command) -> bool:
    return any(parameter.name == "data_dir" for parameter in command.params)


def _words(parameter: click.Parameter, chance: random.Random) -> list[str]:
    """A parameter as it is written on a command line, with a hostile value."""
    if parameter.name == "data_dir":
        return []
    value = _variable(chance, "1" if chance.random() < 0.5 else "x")
    if not isinstance(parameter, click.Option):
        return [value]
    name = chance.choice(parameter.opts)
    return [name] if parameter.is_flag else [name, value]


def _parsed(command: click.Command, given: list[str]) -> object:
    try:
        with command.make_context("perf-assets", given, resilient_parsing=False) as context:
            return context.params
    except click.exceptions.Exit:
        return None
    except click.ClickException as error:
        raise PerfAssetsError(error.format_message()[:200].replace("\n", " ")) from None


def _launchpad(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("launchpad")
    path = room / "study.toml"
    text = surroundings.prepared.study.read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("corpus", "git"))]
    path.write_text("\n".join(lines) + f'\n[lake]\nurl = "file://{room}/lake"\n')
    study, data_dir, url = load_study(path), DataDirectory.of(room / "home"), f"file://{room}/lake"
    definitions = build_definitions(study, data_dir).get_repository_def()
    jobs: dict[str, tuple[JobDefinition, dict[str, object]]] = {
        name: (definitions.get_job(name), {"ops": {op: {"config": config}}})
        for name, op, config in (
            ("add_repository", "new_repository", NEW_REPOSITORY),
            ("maintain_lake", "lake", {"days": 7}),
        )
    }

    def try_one(chance: random.Random) -> object:
        name = chance.choice(list(jobs))
        job, valid = jobs[name]
        given = spoilt(valid, chance)
        try:
            config = validate_run_config(job, given if isinstance(given, dict) else {})["ops"]
            if name == "add_repository":
                new = NewRepository(**config["new_repository"]["config"])
            else:
                retention = Retention(**config["lake"]["config"])
        except (DagsterInvalidConfigError, ValidationError):
            raise PerfAssetsError("Dagster's form refuses it") from None
        if name == "add_repository":
            wanted = Added.now(study, new.name, new.start, new.git, github_url=new.github_url)
            return added_to(study, wanted)
        return maintain(Lake.of(url), timedelta(days=retention.days))

    return try_one


NEW_REPOSITORY = {
    "name": "owner/another",
    "start": "2020-01",
    "git": "https://example.com/x.git",
    "github_url": "https://github.example.com/api/v3",
}
KINDS = (
    Kind("environment", 60, _environment),
    Kind("command_line", 5, _command_line),
    Kind("launchpad", 25, _launchpad),
)
