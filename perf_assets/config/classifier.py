"""The file of a trained model: weights, and what it was trained on; no texts."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import polars as pl

from perf_assets.base.config_files import StrictModel, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.labelling.classifier.features import WordVectors
from perf_assets.core.labelling.classifier.model import CLASSES, Model, feature_count
from perf_assets.core.labelling.commits.words import COMMIT_WORDS
from perf_assets.core.labelling.vocabulary import WORDS, Word

PACKAGED = Path(__file__).with_name("performance_model.json.gz")
COMMIT_MODEL = Path(__file__).with_name("commit_model.json.gz")
"""The model of commits, by `tests/benchmarks/commit_classifier.py`."""

VECTORS = Path(__file__).with_name("word_vectors.npz")
"""Vectors of 12,659 words, by `tests/benchmarks/word_vectors.py` from the sentence embeddings of
all-MiniLM-L6-v2 (Apache 2.0)."""

NAME = "performance_model.json.gz"
"""The file of a data directory's own model, which `perf-assets review train` writes."""

_VOCABULARIES: Mapping[str, Mapping[str, Word]] = {"reports": WORDS, "commits": COMMIT_WORDS}

LARGEST = 100_000_000  # bytes, unpacked
FORMAT: Literal[2] = 2


class _File(StrictModel):
    format: Literal[2]
    version: str
    vectors: str
    weights: list[list[float]]
    slope: float
    shifts: list[float]
    thresholds: dict[str, float]
    share: float
    description: dict[str, Any]


def model_of(data_dir: Path | None = None) -> Model:
    """Return the model of a data directory; the packaged one where it has none.

    Raises
    ------
    PerfAssetsError
        The file is damaged, or of another version.
    """
    path = _path(data_dir)
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size, "reports")


def commit_model() -> Model:
    """Return the packaged model of commits."""
    return _read(COMMIT_MODEL, 0, 0, "commits")


def fingerprint_of_model(data_dir: Path) -> str:
    """Return a digest of the file that :func:`model_of` reads."""
    return _digest_of(_path(data_dir))


def fingerprint_of_commit_model() -> str:
    """Return a digest of the file that :func:`commit_model` reads."""
    return _digest_of(COMMIT_MODEL)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """Return the packaged vectors of words."""
    import numpy as np  # noqa: PLC0415  (who has nothing to label need not wait for it)

    with np.load(VECTORS, allow_pickle=False) as file:
        terms = file["terms"].tobytes().decode().split("\n")
        vectors = file["vectors"].astype(np.float32) * file["scales"][:, None]
    rows = pl.DataFrame({"term": terms}).with_row_index("row").select("term", "row")
    return WordVectors(rows, vectors)


def _path(data_dir: Path | None) -> Path:
    trained = None if data_dir is None else data_dir / NAME
    return trained if trained is not None and trained.exists() else PACKAGED


def as_bytes(model: Model) -> bytes:
    """Return the content of a model's file; the same model gives the same bytes."""
    content = {
        **{name: value for name, value in vars(model).items() if name != "words"},
        "weights": model.weights.tolist(),
        "vectors": _digest_of_vectors(),
        "format": FORMAT,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


@lru_cache(maxsize=1)
def _digest_of_vectors() -> str:
    return hashlib.sha256(VECTORS.read_bytes()).hexdigest()[:8]


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int, of: str) -> Model:
    import numpy as np  # noqa: PLC0415

    remedy = "train again, or delete it for the packaged one"
    try:
        with gzip.open(path) as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ValueError
        content = json.loads(text)
    except (OSError, EOFError, ValueError, zlib.error):
        raise PerfAssetsError(
            f"{path} is not a model that `perf-assets review train` wrote: {remedy}"
        ) from None
    if isinstance(content, dict) and content.get("format") == 1:
        raise PerfAssetsError(f"{path} is a model of an older version of perf-assets: {remedy}")
    found = validate(_File, content, path)
    vectors = word_vectors()
    words = _VOCABULARIES[of]
    features = feature_count(words, vectors)
    is_whole = {len(row) for row in found.weights} == {len(CLASSES)} == {len(found.shifts)}
    if found.vectors != _digest_of_vectors() or len(found.weights) != features or not is_whole:
        raise PerfAssetsError(f"{path} was trained with other vectors of words: {remedy}")
    kept = found.model_dump(exclude={"format", "vectors", "weights", "shifts"})
    weights, shifts = np.array(found.weights), tuple(found.shifts)
    return Model(words=words, vectors=vectors, weights=weights, shifts=shifts, **kept)
