"""Rows that were not stored, kept with the reasons for people to look at."""

import io
import json
import shutil
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.storage.audit.auditing import AuditReport


def quarantine(
    report: AuditReport, rows: pl.DataFrame, directory: Path, name: str = "candidate"
) -> Path:
    """Keep refused rows as ``candidate.parquet``, or by another ``name``, with ``report.json``.

    Each file is replaced as a whole, and what was kept there before is gone. Returns
    ``directory``, which is made where it is missing.

    Raises
    ------
    PerfAssetsError
        The files cannot be written.
    """
    parquet = io.BytesIO()
    rows.write_parquet(parquet)
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"
    files = {f"{name}.parquet": parquet.getvalue(), "report.json": text.encode()}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            write_file(directory / file, content)
        for left in directory.glob("*.parquet*"):
            if left.name not in files:
                left.unlink()
    except OSError as error:
        raise PerfAssetsError(
            f"{directory}: what failed its audit cannot be kept there: {error.strerror}"
        ) from None
    return directory


def release(directory: Path) -> None:
    """Forget what was kept in quarantine of rows that are stored by now."""
    if directory.is_dir():
        shutil.rmtree(directory, ignore_errors=True)
