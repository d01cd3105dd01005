"""A small package as the study's authors publish it, both frameworks, with the known traps."""

from pathlib import Path

from perf_assets.sources.replication.package import (
    BUG_COLUMNS,
    FIX_COLUMNS,
    SERIES_COLUMNS,
    TAXONOMY,
    TAXONOMY_COLUMNS,
)

Cells = list[list[str]]


def sha(digit: str) -> str:
    return digit * 40


def bug(number: int, opened: str, closed: str = "Not found", **changes: str) -> list[str]:
    minutes = "1440" if closed != "Not found" else closed
    day, hour = opened.split()
    cells = {
        "number": str(number),
        "author": "ann",
        "opened": opened,
        "comments": "2",
        "first": f"{day} {int(hour.split(':')[0]) + 1}:00",
        "closed": closed,
        "to_first": "60",
        "to_close": minutes,
        "participants": "2",
        "commentators": "1",
        "names": "{'bob': 2}",
        "labels": "module:performance, high",
    }
    return list((cells | changes).values())


def commit(digit: str, additions: int, deletions: int, approach: str = "LINK") -> str:
    changes = additions + deletions
    return (
        f"({sha(digit)}, 2017-02-01 23:30:00 -0800, O'Neil, Jr., "
        f"{additions}, {deletions}, {changes}, {approach})"
    )


def fix(number: int, additions: int, deletions: int, *commits: str) -> list[str]:
    totals = [len(commits), additions, deletions, additions + deletions]
    return [str(number), *map(str, totals), ", ".join(commits)]


def months(first: int, *counts: tuple[int, int]) -> Cells:
    return [
        [f"2017-{first + index:02d}", str(part), str(whole), repr(part / whole)]
        for index, (part, whole) in enumerate(counts)
    ]


def csv_text(columns: tuple[str, ...], rows: Cells) -> str:
    def quoted(cell: str) -> str:
        return f'"{cell}"' if "," in cell else cell

    lines = [list(columns), *rows]
    return "".join(",".join(map(quoted, cells)) + "\r\n" for cells in lines)


def package(prefix: str) -> dict[str, tuple[tuple[str, ...], Cells]]:
    """The files of one framework: four performance bugs, three fixed, and four others."""
    performance = [
        bug(101, "2017-01-01 3:00", "2017-01-11 3:00", to_close="14400.5"),
        bug(102, "2017-01-02 13:00", "2017-02-01 13:00", to_close="43200", labels="No labels"),
        bug(7, "2017-01-03 13:00", "2017-01-04 13:00"),
        bug(103, "2017-01-04 13:00"),
    ]
    others = [
        bug(104, "2017-01-01 4:00", "2017-01-03 4:00", to_close="2880"),
        bug(105, "2017-01-05 4:00", "2017-01-06 4:00", names="{'ann': 2}"),
        bug(106, "2017-02-05 4:00", author="ghost"),
        bug(
            107,
            "2017-02-06 4:00",
            comments="0",
            first="No comments",
            to_first="No comments",
            commentators="0",
            names="{}",
        ),
    ]
    return {
        f"{prefix}_perf_bugs_information.csv": (BUG_COLUMNS, performance),
        f"{prefix}_non_perf_bugs_information.csv": (BUG_COLUMNS, others),
        f"{prefix}_perf_fixes_information.csv": (
            FIX_COLUMNS,
            [
                fix(101, 30, 10, commit("a", 20, 5), commit("b", 10, 5, "REGEX")),
                fix(102, 100, 20, commit("c", 9, 1)),
                fix(7, 2, 2, commit("d", 1, 1), commit("d", 1, 1)),
            ],
        ),
        f"{prefix}_non_perf_fixes_information.csv": (
            FIX_COLUMNS,
            [fix(104, 3, 2, commit("e", 3, 2)), fix(105, 5, 2, commit("f", 5, 2))],
        ),
        f"{prefix}_open_perf_trend_analysis.csv": (
            SERIES_COLUMNS["open"],
            months(2, (2, 2), (1, 4)),
        ),
        f"{prefix}_fixed_perf_trend_analysis.csv": (
            SERIES_COLUMNS["fixed"],
            months(2, (2, 4) if prefix == "pytorch" else (3, 5), (3, 5)),
        ),
    }


TAXONOMY_ROWS = [
    ["Pytorch", "Memory inefficiency (Unreleased memory resources)", "101  (2 bugs)"],
    ["Pytorch", "Memory inefficiency (Unreleased memory resources)", "101 (2 bugs)"],
    ["TensorFlow", "Ineffcient caching", "101"],
    ["TensorFlow", "C/C++ abstraction", "102"],
    ["Pytorch", "Other", "17502"],
    ["Pytorch", "Other", "7"],
]


def write_package(folder: Path, *prefixes: str) -> Path:
    """Write the files of the given frameworks (default: both) with the taxonomy."""
    folder.mkdir(parents=True, exist_ok=True)
    for prefix in prefixes or ("pytorch", "tensorflow"):
        for file, (columns, rows) in package(prefix).items():
            (folder / file).write_text(csv_text(columns, rows), encoding="utf-8", newline="")
    text = csv_text(TAXONOMY_COLUMNS, TAXONOMY_ROWS)
    (folder / TAXONOMY).write_text(text, encoding="utf-8", newline="")
    return folder


def replace_in(path: Path, old: str, new: str) -> None:
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode(), 1))
