"""The study of an archive: its file without secrets and without paths of the machine it is from."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import tomlkit
from tomlkit.items import Table

from perf_assets.archive.manifest import STUDY
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.addresses import git_address, is_local
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.hosts import kind_of
from perf_assets.config.repositories import Repository
from perf_assets.config.study import PACKAGED, SAMPLE, Study
from perf_assets.stages.transform.about import study_facts

FACTS = """
SELECT fact, value FROM meta.about
WHERE topic IN ('study', 'rules') AND fact NOT IN ('lake', 'engine') ORDER BY ALL
"""
HEADER = "The study of an archive: without paths of the machine that made it."


@dataclass(frozen=True)
class StudyCopy:
    """A study as an archive has it.

    files : content by path in the archive.
    local_sources : what was read from files of the machine that made it.
    packaged : whether it comes with perf-assets.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    local_sources: tuple[str, ...] = ()
    packaged: bool = False


def copy_study(study: Study, data_dir: DataDirectory) -> StudyCopy:
    """Return the study, with the small files that decide what is computed beside it.

    Repositories that were added without the file are in it. Dumps, corpora, clones and lakes are
    not; where they are read from is left out.
    """
    content = tomlkit.parse(study.path.read_text(encoding="utf-8-sig"))
    content.pop("lake", None)
    files: dict[str, bytes] = {}
    sources = [
        *_repositories(content, study),
        *_benchmarks(content, study),
        *_forums(content, study, files),
    ]
    text = f"# {HEADER}\n\n{tomlkit.dumps(content).lstrip()}"
    tomllib.loads(text)  # what was changed in it is still a study file
    files[STUDY] = text.encode()
    packaged = study.path.parent in (PACKAGED, data_dir.path / SAMPLE)
    return StudyCopy(files, tuple(sources), packaged)


def other_facts(
    connection: duckdb.DuckDBPyConnection, study: Study
) -> Iterator[tuple[str, str, str]]:
    """Yield what ``meta.about`` says of the study otherwise than ``study``: fact, what it says, and
    now.

    Where its data lie, and what computes there, decides nothing.
    """
    now = {fact: value for _, fact, value, _ in study_facts(study)}
    for fact, value in connection.execute(FACTS).fetchall():
        if now.get(fact, value) != value:
            yield fact, value, now[fact]


def no_study() -> Study:
    """Return a study of nothing, where a database has published data of papers alone."""
    return Study.model_construct(
        name="nothing", performance_labels=(), non_bug_labels=(), keywords=()
    )


def with_people(content: bytes, replaced: Callable[[str], str]) -> bytes:
    """Return a study file in which ``replaced`` stands for each account of its table [people]."""
    document = tomlkit.parse(content.decode())
    people = document.get("people", {})
    for key in ("persons", "same", "different"):
        if key in people:
            people[key] = _mapped(people[key].unwrap(), replaced)
    return tomlkit.dumps(document).encode()


def _mapped(value: object, replaced: Callable[[str], str]) -> object:
    if isinstance(value, list):
        return [_mapped(item, replaced) for item in value]
    return replaced(str(value))


def _repositories(content: tomlkit.TOMLDocument, study: Study) -> list[str]:
    local = []
    entries = content.get("repositories", [])
    named = {str(entry["name"]) for entry in entries}
    for repository in study.repositories:
        if repository.name not in named:  # added without the file
            entry = _entry(repository)
            if "repositories" not in content:
                content["repositories"] = tomlkit.aot()
            content["repositories"].append(entry)
    for entry in entries:
        repository = study.repository(str(entry["name"]))
        if entry.pop("corpus", None) is not None:
            local.append(repository.name)
            if repository.last is not None:
                entry["end"] = repository.last
        for key in ("github_url", "api_url"):
            if key in entry and is_local(str(entry[key])):
                entry.pop(key)
                local.append(repository.name)
        if "git" in entry:
            address = git_address(str(entry["git"]))
            if address.is_path or address.url.startswith("file:"):
                entry.pop("git")
                local.append(repository.name)
            else:
                entry["git"] = address.url
    return list(dict.fromkeys(local))


def _entry(repository: Repository) -> Table:
    """Return what a study file would have of a repository that was added without it."""
    entry = tomlkit.table()
    entry.update({"name": repository.name, "start": repository.start})
    if repository.source != kind_of(repository.name):
        entry["source"] = repository.source
    if repository.api_url is not None:
        entry["api_url"] = repository.api_url
    if repository.git and not git_address(repository.git).is_path:
        entry["git"] = git_address(repository.git).url
    return entry


def _benchmarks(content: tomlkit.TOMLDocument, study: Study) -> list[str]:
    """Leave out the sources of benchmark results that are on this machine."""
    local = []
    kept = tomlkit.aot()
    for entry, source in zip(content.pop("benchmarks", []), study.benchmarks, strict=True):
        address = None if source.git is None else git_address(source.git)
        if address is None or address.is_path or address.url.startswith("file:"):
            local.append(f"{source.name} of {source.repository}")
        else:
            entry["git"] = address.url
            kept.append(entry)
    if kept:
        content["benchmarks"] = kept
    return local


def _forums(content: tomlkit.TOMLDocument, study: Study, files: dict[str, bytes]) -> list[str]:
    local = []
    for entry, forum in zip(content.get("forums", []), study.forums, strict=True):
        if entry.pop("dump", None) is not None:
            local.append(forum.name)
            if forum.kind == "discourse":
                entry["api_url"] = forum.address
        for key, path in (("labelled", forum.labelled), ("keywords", forum.keywords)):
            if path is not None:
                entry[key] = _beside(f"{forum.name}-{key}.csv", path, files)
    return local


def _beside(name: str, path: Path, files: dict[str, bytes]) -> str:
    """Keep the file at ``path`` beside the study; its name there."""
    try:
        files[f"{STUDY.rpartition('/')[0]}/{name}"] = path.read_bytes()
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: a file of the study cannot be read ({error.strerror})"
        ) from None
    return name
