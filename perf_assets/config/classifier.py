"""The file of a trained model: words and weights, and what it was trained on; no texts."""

import gzip
import hashlib
import json
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import polars as pl

from perf_assets.base.config_files import StrictModel, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.labelling.classifier.model import Model

PACKAGED = Path(__file__).with_name("performance_model.json.gz")
NAME = "performance_model.json.gz"
"""The file of a data directory's own model, which `perf-assets review train` writes."""

LARGEST = 100_000_000  # bytes, unpacked
FORMAT: Literal[1] = 1


class _Terms(StrictModel):
    term: list[str]
    idf: list[float]
    weight: list[float]


class _File(StrictModel):
    format: Literal[1]
    version: str
    stems: dict[str, str]
    terms: dict[str, _Terms]
    signals: dict[str, float]
    intercept: float
    slope: float
    shift: float
    threshold: float
    share: float
    description: dict[str, Any]


def model_of(data_dir: Path | None = None) -> Model:
    """Return the model of a data directory; the packaged one where it has none.

    Raises
    ------
    PerfAssetsError
        The file is damaged, or of a newer version.
    """
    path = _path(data_dir)
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


def fingerprint_of_model(data_dir: Path) -> str:
    """Return a digest of the file that :func:`model_of` reads."""
    return hashlib.sha256(_path(data_dir).read_bytes()).hexdigest()


def _path(data_dir: Path | None) -> Path:
    trained = None if data_dir is None else data_dir / NAME
    return trained if trained is not None and trained.exists() else PACKAGED


def as_bytes(model: Model) -> bytes:
    """Return the content of a model's file; the same model gives the same bytes."""
    terms = {block: known.to_dict(as_series=False) for block, known in model.terms.items()}
    content = {**vars(model), "terms": terms, "format": FORMAT}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int) -> Model:
    try:
        with gzip.open(path) as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ValueError
        content = json.loads(text)
    except (OSError, EOFError, ValueError, zlib.error):
        raise PerfAssetsError(
            f"{path} is not a model that `perf-assets review train` wrote: train again, or delete "
            "it for the packaged one"
        ) from None
    found = validate(_File, content, path)
    schema = {"term": pl.String, "idf": pl.Float64, "weight": pl.Float64}
    terms = {
        block: pl.DataFrame(known.model_dump(), schema=schema)
        for block, known in found.terms.items()
    }
    return Model(terms=terms, **found.model_dump(exclude={"format", "terms"}))
