"""Training on files and verdicts, by the command."""

import gzip
import json
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.classifier import NAME, model_of
from perf_assets.stages import classifier_training
from tests.support import perf_assets


def judged(number: int = 60) -> list[str]:
    return [
        json.dumps(
            {
                "repository": "owner/name",
                "number": i,
                "title": f"{'slow kernel' if i % 3 == 0 else 'kernel fails'} {i}",
                "body": None,
                "is_performance": i % 3 == 0,
            }
        )
        for i in range(number)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("is_packed", [True, False])
def test_a_file_of_judged_reports_makes_a_model(tmp_path: Path, *, is_packed: bool) -> None:
    path = tmp_path / "judged.jsonl"
    content = "\n".join([*judged(), ""]).encode()
    path.write_bytes(gzip.compress(content) if is_packed else content)
    ran = perf_assets("review", "train", path, "--data-dir", tmp_path)
    assert ran.returncode == 0 and "learned from 60 reports, of which 20" in ran.stdout
    assert "area under the ROC curve 1.0" in ran.stdout
    model = model_of(tmp_path)
    assert model.description["command"] == "perf-assets review train judged.jsonl"
    (tmp_path / NAME).unlink()
    assert model_of(tmp_path).version != model.version  # the packaged one again


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[1]", "line 1"),
        (b"{", "line 1 is not valid JSON"),
        (b"[" * 100_000, "line 1 is not valid JSON"),
        (b'{"repository": "a/b", "title": 7, "body": "", "is_performance": true}', "title"),
        (b'{"repository": "a/b", "title": "t", "body": ""}', "is_performance"),
        (b"\xff\xfe\x00", "neither UTF-8 text nor gzip"),
        (b"\x1f\x8b\x08", "neither UTF-8 text nor gzip"),
        (judged(9)[0].encode(), "too few to train on"),
        (b"", "too few to train on"),
    ],
)
def test_a_file_with_a_mistake_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_bytes(content)
    ran = perf_assets("review", "train", path, "--data-dir", tmp_path)
    assert ran.returncode != 0 and said in ran.stderr and "Traceback" not in ran.stderr
    assert not (tmp_path / NAME).exists()


@pytest.mark.slow
def test_refuses_a_packed_file_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classifier_training, "LARGEST", 1_000)
    path = tmp_path / "judged.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * 50_000_000))
    with pytest.raises(PerfAssetsError, match="at most 1,000 bytes, unpacked"):
        classifier_training._read(path)


def test_without_verdicts_there_is_nothing_to_learn(tmp_path: Path) -> None:
    ran = perf_assets("review", "train", "--data-dir", tmp_path)
    assert ran.returncode != 0 and "has no verdicts to train on" in ran.stderr
    ran = perf_assets("review", "train", tmp_path / "nowhere", "--data-dir", tmp_path)
    assert ran.returncode != 0 and "cannot be read" in ran.stderr
