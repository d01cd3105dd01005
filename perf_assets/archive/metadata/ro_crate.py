"""``ro-crate-metadata.json``: the whole archive as a Research Object Crate.

Source: https://www.researchobject.org/ro-crate/specification/1.2/
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from perf_assets.archive.description import ArchivedFile, Description, Source, in_utc
from perf_assets.archive.metadata.citation import PAPERS, SOFTWARE, Paper
from perf_assets.archive.metadata.texts import (
    CITATION,
    FOLDERS,
    KEYWORDS,
    LICENCES,
    READ_ME,
    as_json,
    folder_of,
)

CRATE = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.2"
# What the files are that are made together with the crate, and their types.
METADATA = {
    READ_ME: ("What this archive is, for people: begin here.", "text/markdown"),
    LICENCES: ("A note on the terms of each part.", "text/markdown"),
    CITATION: ("How the archive is cited.", "application/yaml"),
    "datapackage.json": ("The tables, as a Frictionless data package.", "application/json"),
    "croissant.json": ("The tables, as a Croissant data set.", "application/ld+json"),
}
MIT = "https://spdx.org/licenses/MIT"
MAKING, PROGRAM = "#making", "#perf-assets"
Entity = dict[str, Any]


def ro_crate(description: Description, metadata: Mapping[str, str]) -> str:
    """Return ``ro-crate-metadata.json``; ``metadata`` are the other such files, by path."""
    files = [*(_of_text(path, text) for path, text in metadata.items()), *description.files]
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "name": "What this archive is, as a Research Object Crate",
            "conformsTo": {"@id": PROFILE},
            "about": {"@id": "./"},
        },
        _root(description, files),
        *_folders(files),
        *map(_file, files),
        *_makers(description),
        *_sources(description),
        *map(_paper, PAPERS),
        *_making(description),
    ]
    return as_json({"@context": f"{PROFILE}/context", "@graph": graph})


def _root(description: Description, files: Sequence[ArchivedFile]) -> Entity:
    parts = [file.path for file in files if folder_of(file.path) is None]
    folders = sorted({folder for file in files if (folder := folder_of(file.path)) is not None})
    months_of_all = description.period
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": description.title,
        "description": description.abstract,
        "datePublished": description.published,
        "version": description.edition,
        "license": {"@id": LICENCES},
        "author": _references(map(_author_id, range(len(description.makers)))),
        "keywords": list(KEYWORDS),
        **({} if months_of_all is None else {"temporalCoverage": "/".join(months_of_all)}),
        **_based_on("isBasedOn", description),
        "citation": _references(paper.url for paper in PAPERS),
        "mentions": {"@id": MAKING},
        "hasPart": _references(map(_id, (*parts, *(f"{name}/" for name in folders)))),
    }


def _folders(files: Sequence[ArchivedFile]) -> list[Entity]:
    """Return the folders at the top, each with all files in it."""
    parts: dict[str, list[str]] = {}
    for file in files:
        if (folder := folder_of(file.path)) is not None:
            parts.setdefault(folder, []).append(_id(file.path))
    return [
        {
            "@id": _id(f"{folder}/"),
            "@type": "Dataset",
            "name": folder,
            "description": FOLDERS.get(folder, f"The files of {folder}."),
            "hasPart": _references(parts[folder]),
        }
        for folder in sorted(parts)
    ]


def _file(file: ArchivedFile) -> Entity:
    return {
        "@id": _id(file.path),
        "@type": ["File", "CreativeWork"] if file.path == LICENCES else "File",
        "name": file.path,
        "description": file.description,
        "encodingFormat": file.media_type,
        "contentSize": str(file.size),
        "sha256": file.sha256,
    }


def _of_text(path: str, text: str) -> ArchivedFile:
    content = text.encode()
    meaning, media_type = METADATA[path]
    return ArchivedFile(
        path, media_type, meaning, len(content), hashlib.sha256(content).hexdigest()
    )


def _makers(description: Description) -> list[Entity]:
    kind = "Person" if description.authors else "Organization"
    return [
        {"@id": _author_id(number), "@type": kind, "name": name}
        for number, name in enumerate(description.makers)
    ]


def _sources(description: Description) -> list[Entity]:
    """Return what was mined; sources of one address, as the tag sets of a forum can be, are one."""
    sources: dict[str, list[Source]] = {}
    for source in description.sources:
        sources.setdefault(source.uri, []).append(source)
    return [_source(address, alike) for address, alike in sources.items()]


def _source(address: str, alike: Sequence[Source]) -> Entity:
    commits = [source.commit for source in alike if source.commit is not None]
    read = [in_utc(source.read_at) for source in alike if source.read_at is not None]
    mined = "; ".join(f"{source.name}, {source.months}" for source in alike)
    return {
        "@id": address,
        "@type": "WebSite",
        "name": ", ".join(source.name for source in alike),
        "url": address,
        "description": f"What was mined: {mined}.",
        **({"version": commits[0]} if commits else {}),
        **({"dateModified": max(read)} if read else {}),
    }


def _paper(paper: Paper) -> Entity:
    return {
        "@id": paper.url,
        "@type": "ScholarlyArticle",
        "name": paper.title,
        "creditText": paper.citation,
        "datePublished": str(paper.year),
    }


def _making(description: Description) -> list[Entity]:
    """By what and from what the archive was made."""
    return [
        {
            "@id": MAKING,
            "@type": "CreateAction",
            "name": f"A run of {SOFTWARE}",
            "instrument": {"@id": PROGRAM},
            **_based_on("object", description),
            "result": {"@id": "./"},
            "endTime": description.published,
        },
        {
            "@id": PROGRAM,
            "@type": "SoftwareApplication",
            "name": SOFTWARE,
            "description": "The program that mined the sources and computed the tables.",
            "version": description.version,
            "url": {"@id": _program(description)},
            "license": {"@id": MIT},
        },
        {
            "@id": MIT,
            "@type": "CreativeWork",
            "name": "MIT License",
            "description": "The licence of perf-assets.",
        },
    ]


def _program(description: Description) -> str:
    """Return where the program is: in the archive, or else what says so."""
    paths = (file.path for file in description.files if file.path.endswith(".whl"))
    return _id(next(paths, READ_ME))


def _based_on(name: str, description: Description) -> Entity:
    """Return the property ``name``, which is about all sources; none where there are none."""
    addresses = [source.uri for source in description.sources]
    return {name: _references(addresses)} if addresses else {}


def _references(ids: Iterable[str]) -> Entity | list[Entity]:
    """Return what ``ids`` name; a single one is not a list, as the specification has it."""
    references = [{"@id": fromkey} for fromkey in dict.fromkeys(ids)]
    return references[0] if len(references) == 1 else references


def _id(path: str) -> str:
    """``path`` as the relative URI by which it is meant."""
    return quote(path, safe="/")


def _author_id(number: int) -> str:
    return f"#author-{number + 1}"
