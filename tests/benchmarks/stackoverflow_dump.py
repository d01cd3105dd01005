"""How long reading a dump takes, beside an XML parser that only walks it, and how much memory.

Run by hand; generates dumps of both sizes first, with a row in fifty of the study:

    python -m tests.benchmarks.stackoverflow_dump [--megabytes 200 2000] [--tagged 0.02]

Prints, for each size: seconds of the walk (expat, with a handler that does nothing), seconds of
reading and of loading all months into a warehouse, the ratio of reading to the walk, the largest
memory of the reading process and of the loading one; at last how reading grew with the size.
"""

import argparse
import multiprocessing
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from perf_assets.base.months import add_months
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.stackexchange.dump import read_dump
from perf_assets.sources.stackexchange.extract import open_extract
from perf_assets.stages.mining.questions import extract_of, mine_questions
from perf_assets.stand_ins.generator.forum.dump import row_of
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.forum_places import forum_of

WORDS = re.findall(
    r"\w+",
    "the model layer slow memory value loss tensor input output shape error function code thread "
    "page user server button query class method object list string return import file after",
)
MONTHS = 24


def write_dump(path: Path, size: int, tagged: float) -> None:
    """A Posts.xml of about ``size`` bytes; ``tagged`` of its questions are of the study."""
    chance = random.Random(size)
    texts = [
        f"<p>{' '.join(chance.choices(WORDS, k=chance.randrange(40, 260)))}</p>\n\n"
        f"<pre><code>{' '.join(chance.choices(WORDS, k=60))} &lt; 3\n</code></pre>\n"
        for _ in range(200)
    ]
    number, questions = 0, [1]
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        while file.tell() < size:
            for _ in range(1000):
                number += 1
                month = add_months("2020-01", number * MONTHS // (size // 900) % MONTHS)
                moment = f"{month}-{1 + number % 28:02d}T{number % 24:02d}:00:00.123"
                row = {"Id": number, "PostTypeId": 2, "CreationDate": moment, "Score": number % 9}
                row |= {"Body": chance.choice(texts), "OwnerUserId": number % 9999}
                if number % 5 < 2:
                    tag = "tensorkit" if chance.random() < tagged else "python"
                    row |= {"PostTypeId": 1, "Title": "Why so?", "Tags": f"<{tag}><numpy>"}
                    row |= {"ViewCount": number, "LastActivityDate": moment, "AnswerCount": 1}
                    questions.append(number)
                else:
                    row["ParentId"] = questions[
                        chance.randrange(max(0, len(questions) - 50), len(questions))
                    ]
                file.write(row_of(row) + "\n")
        file.write("</posts>\n")


def walk(dump: Path, _: Path) -> None:
    """Let the parser go through the file, and do nothing with what it tells."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: None
    with dump.open("rb") as file:
        parser.ParseFile(file)


def read(dump: Path, data_dir: Path) -> None:
    """Take out of the file what is of the study."""
    forum = forum_of(dump, end=add_months("2020-01", MONTHS - 1))
    with open_extract(data_dir / "forums" / f"{forum.name}.duckdb") as extract:
        read_dump(forum, extract)
        state = extract.state("Posts")
    assert state is not None and state["is_done"]
    print(f"    {state['questions']:,} questions, {state['answers']:,} answers of the study")


def load(dump: Path, data_dir: Path) -> None:
    """Load every month of what was taken out."""
    place = DataDirectory.of(data_dir)
    forum = forum_of(dump, end=add_months("2020-01", MONTHS - 1))
    with open_warehouse(place.warehouse) as database:
        writer = AuditedWriter(database, place)
        assert extract_of(writer, forum).exists()
        tag_set = forum.tag_sets[0]  # the only one that the dump has questions of
        list(mine_questions(writer, forum, tag_set, tag_set.months))


def measured(deed: Callable[[Path, Path], None], dump: Path, data_dir: Path) -> tuple[float, float]:
    """Seconds, and megabytes at most, of a process that does it."""
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=_measure, args=(deed, dump, data_dir, queue))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(f"{deed.__name__} failed")
    seconds, megabytes = queue.get()
    return seconds, megabytes


def _measure(deed: Callable[[Path, Path], None], dump: Path, data_dir: Path, queue: object) -> None:
    began = time.perf_counter()
    deed(dump, data_dir)
    seconds = time.perf_counter() - began
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    queue.put((seconds, largest))  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", nargs="+", type=int, default=[200, 2000])
    parser.add_argument("--tagged", type=float, default=0.02)
    arguments = parser.parse_args()
    took = []
    for size in arguments.megabytes:
        with tempfile.TemporaryDirectory() as directory:
            dump, data_dir = Path(directory) / "Posts.xml", Path(directory) / "home"
            write_dump(dump, size * 1_000_000, arguments.tagged)
            walked, _ = measured(walk, dump, data_dir)
            seconds, memory = measured(read, dump, data_dir)
            loaded, memory_loading = measured(load, dump, data_dir)
            took.append(seconds / size)
            print(
                f"{size:,} MB: walked in {walked:.1f} s, read in {seconds:.1f} s "
                f"({seconds / walked:.2f} of the walk), {memory:.0f} MB; "
                f"months loaded in {loaded:.1f} s, {memory_loading:.0f} MB",
                flush=True,
            )
    if len(took) > 1:
        print(
            f"reading a byte of the largest takes {took[-1] / took[0]:.2f} of one of the smallest"
        )


if __name__ == "__main__":
    main()
