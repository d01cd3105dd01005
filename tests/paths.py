"""Where the repository is, and the real data that some tests read where they are at hand."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
CHAINER = SHARED / "chainer"  # a corpus: issues and comments of chainer/chainer
PYTORCH_PACKAGE = SHARED / "replication-pytorch"  # the published files of PyTorch
PROBLEMS = SHARED / "dlperf" / "problems.csv"  # the published problems of the study of them
