"""Training the classifier on files of judged reports, and on the verdicts of the study's raters."""

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import polars as pl

from perf_assets.base.config_files import StrictModel, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.config.classifier import NAME, as_bytes, model_of, word_vectors
from perf_assets.core.labelling.classifier.model import Model
from perf_assets.core.labelling.classifier.training import train, train_further
from perf_assets.schema.frames import frame_of
from perf_assets.storage.warehouse import reading

SCHEMA = {
    "repository": pl.String,
    "title": pl.String,
    "body": pl.String,
    "is_performance": pl.Boolean,
    "kind": pl.String,
}
LARGEST = 500_000_000  # bytes of a file, unpacked

# What all raters together say, where they do not disagree.
JUDGED = """
select
    repository, title, issues.body, reviewed.verdict = 'yes' as is_performance,
    cast(null as varchar) as kind
from intermediate.reviewed_labels as reviewed
inner join raw.issues as issues using (repository, number)
where reviewed.dataset = 'live' and reviewed.rater = 'consensus' and verdict in ('yes', 'no')
order by repository, number
"""


TEXTS = "select title, body from raw.issues where repository = ? and number = ?"

Subject: TypeAlias = tuple[str, int]


class _Report(StrictModel, extra="ignore"):
    """A judged report."""

    repository: str
    title: str | None
    body: str | None
    is_performance: bool
    kind: Literal["none", "speed", "memory", "hang", "quality"] | None = None


def train_model(
    published: Path, data_dir: Path, files: Sequence[Path], chosen: Mapping[Subject, bool]
) -> tuple[Model, Path]:
    """Train on ``files`` or, without any, go on from the packaged model with the raters' verdicts.

    Verdicts of raters, and those on the bug reports ``chosen`` because rule and classifier differ,
    are used with the files. The model is written to the data directory, whose next run scores all
    issues by it.

    Raises
    ------
    PerfAssetsError
        A file cannot be read, or there are too few reports of either kind.
    """
    judged = _judged(published, chosen)
    command = " ".join(["perf-assets review train", *(path.name for path in files)])
    if files:
        reports = pl.concat([*map(_read, files), judged])
        model = train(reports, word_vectors(), command)
    elif judged.is_empty():
        raise PerfAssetsError(
            f"{published} has no verdicts to train on: let people judge (perf-assets review sample,"
            " or serve), or name files of judged reports"
        )
    else:
        model = train_further(model_of(), judged, command)
    path = data_dir / NAME
    write_file(path, as_bytes(model))
    return model, path


def _judged(published: Path, chosen: Mapping[Subject, bool]) -> pl.DataFrame:
    if not published.exists():
        return pl.DataFrame(schema=SCHEMA)
    with reading(published) as connection:
        judged = frame_of(connection.sql(JUDGED)).cast(SCHEMA)  # type: ignore[arg-type]
        rows = [
            (repository, *row, is_performance, None)
            for (repository, number), is_performance in sorted(chosen.items())
            for row in connection.execute(TEXTS, [repository, number]).fetchall()
        ]
    return pl.concat([judged, pl.DataFrame(rows, schema=SCHEMA, orient="row")])


def _read(path: Path) -> pl.DataFrame:
    """Return the judged reports of a file of JSON lines, with or without gzip."""
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if is_packed else path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise PerfAssetsError(
                f"{path}: judged reports may have at most {LARGEST:,} bytes, unpacked"
            )
        lines = content.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise PerfAssetsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (EOFError, UnicodeDecodeError, zlib.error):
        raise PerfAssetsError(
            f"{path}: neither UTF-8 text nor gzip of it; save it as UTF-8"
        ) from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            raise PerfAssetsError(f"{path}: line {number} is not valid JSON") from None
        keys = content if isinstance(content, dict) else {}
        rows.append(validate(_Report, keys, f"{path}, line {number}").model_dump())
    return pl.DataFrame(rows, schema=SCHEMA)
