"""Reports that may be about the same."""

import polars as pl

from perf_assets.config.classifier import word_vectors
from perf_assets.core.reviews.similar import LEAST_SIMILARITY, MOST_SIMILAR, report_vectors

REPOSITORY, OTHER = "owner/name", "other/name"


def similar(number: int, *reports: tuple[str, int, str, str | None]) -> list[tuple[int, float]]:
    frame = pl.DataFrame(
        reports,
        schema={
            "repository": pl.String,
            "number": pl.Int64,
            "title": pl.String,
            "body": pl.String,
        },
        orient="row",
    )
    found = report_vectors(frame, word_vectors()).similar_to(REPOSITORY, number)
    return list(found.select("number", "similarity").iter_rows())


LEAK = "Memory leak in the data loader with many workers"
SLOW = "Training is slow on two GPUs"


def test_reports_in_other_words_about_the_same_are_similar() -> None:
    found = similar(
        1,
        (REPOSITORY, 1, LEAK, "The loader does not free memory when num_workers is large."),
        (REPOSITORY, 2, "DataLoader leaks memory when many workers are used", "Memory grows."),
        (REPOSITORY, 3, SLOW, "It takes twice as long as before."),
        (OTHER, 4, LEAK, "The loader does not free memory when num_workers is large."),
    )
    assert [number for number, _ in found] == [2]
    assert LEAST_SIMILARITY <= found[0][1] < 1


def test_the_most_similar_come_first_and_are_few() -> None:
    same = [(REPOSITORY, number, LEAK, None) for number in range(1, MOST_SIMILAR + 3)]
    found = similar(2, *same)
    assert [number for number, _ in found] == [1, 3, 4]
    assert all(value > 0.999 for _, value in found)


def test_without_words_or_without_the_report_nothing_is_similar() -> None:
    assert similar(1, (REPOSITORY, 1, "", None), (REPOSITORY, 2, "...", "")) == []
    assert similar(9, (REPOSITORY, 1, LEAK, None)) == []
    assert similar(9) == []
