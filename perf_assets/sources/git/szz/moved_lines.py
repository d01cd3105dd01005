"""Lines that were moved or copied rather than written, as ``git blame -w -M -C`` finds them.

A fragment that came in one piece with a version is looked for in what the version's commit found
there: in the file itself (moved), then in the other files that the commit changes (copied). What
is found is looked for further back, and so on. It works round by round, for all fragments at
once.
"""

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from perf_assets.sources.git.blame import Entry, pass_back
from perf_assets.sources.git.command import LACKS, in_clone, local_environment, run
from perf_assets.sources.git.commits import each_object
from perf_assets.sources.git.line_changes import Hunks, borrow_objects, compare_blobs
from perf_assets.sources.git.szz.ancestry import ABSENT, SUBMODULE
from perf_assets.sources.git.szz.versions import Versions

# git's own: letters and digits that a fragment must have more of, for chance to be ruled out.
_MOVED, _COPIED = 20, 40


class _Match(NamedTuple):
    """The part of an entry that is found elsewhere, and where."""

    score: int
    start: int
    end: int
    offset: int


class _Source(NamedTuple):
    """A file of a parent in which lines may be found."""

    commit: int
    path: int
    blob: str


@dataclass
class _Search:
    """An entry on its way through the places where its lines may come from."""

    entry: Entry
    stages: list[tuple[int, list[_Source]]]

    def is_open(self) -> bool:
        """Return whether it has enough letters and digits for any source that is left."""
        while self.stages and self.entry.score <= self.threshold:
            self.stages = self.stages[1:]
        return bool(self.stages)

    @property
    def threshold(self) -> int:
        """The score that a match must exceed where it looks next."""
        return self.stages[0][0]

    @property
    def sources(self) -> list[_Source]:
        """The next place of the search."""
        return self.stages[0][1]


@dataclass(frozen=True)
class _Hit:
    """An entry of which a part was found."""

    search: _Search
    source: _Source
    match: _Match

    def moved(self, versions: Versions) -> Iterator[Entry]:
        """Yield that part, where it was found."""
        found = self.search.entry.part(self.match.start, self.match.end)
        if found.has_traced:
            version = versions.at(self.source.commit, self.source.path)
            yield found._replace(version=version, start=self.match.offset)

    def rests(self) -> Iterator[_Search]:
        """Yield searches for the lines before and after it; those of too small parts are over."""
        entry = self.search.entry
        for start, end in ((0, self.match.start), (self.match.end, entry.length)):
            rest = entry.part(start, end)
            if rest.has_traced:
                is_small = rest.score <= self.search.threshold
                yield _Search(rest, [] if is_small else self.search.stages)


def _compare(
    clone: Path, candidates: Sequence[tuple[str, Entry]], least: Sequence[int]
) -> list[Hunks | None]:
    """Return the hunks from each blob to the entry beside it; None where too little is found."""
    hunks: list[Hunks | None] = [None] * len(candidates)
    promising = _promising(clone, candidates, least)
    contents = {index: candidates[index][1].content for index in promising}
    if not contents:
        return hunks
    pairs = {
        index: (candidates[index][0], _blob_name(content, len(candidates[index][0])))
        for index, content in contents.items()
    }
    distinct = sorted(set(pairs.values()))
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as objects:
        borrow_objects(clone, Path(objects))
        _write_blobs(clone, Path(objects), set(contents.values()))
        found = compare_blobs(clone, distinct, Path(objects))
        hunks_of_pair = dict(zip(distinct, found, strict=True))
    for index, pair in pairs.items():
        hunks[index] = hunks_of_pair[pair]
    return hunks


def _promising(
    clone: Path, candidates: Sequence[tuple[str, Entry]], least: Sequence[int]
) -> Iterator[int]:
    """Yield the index of each candidate whose blob has enough lines of the entry in a row."""
    by_blob: dict[str, list[int]] = defaultdict(list)
    for index, (blob, _) in enumerate(candidates):
        by_blob[blob].append(index)
    for blob, content in each_object(clone, sorted(by_blob)):
        indices = by_blob[blob]
        needed = set[bytes]().union(*(candidates[index][1].bare for index in indices))
        present = needed.intersection(content.translate(None, b" \t\r").split(b"\n"))
        for index in indices:
            if candidates[index][1].best_score(present) > least[index]:
                yield index


def _blob_name(content: bytes, length: int) -> str:
    algorithm = hashlib.sha1 if length == 40 else hashlib.sha256
    return algorithm(b"blob %d\0" % len(content) + content).hexdigest()


def _write_blobs(clone: Path, objects: Path, contents: Iterable[bytes]) -> None:
    stdin = b"".join(b"blob\ndata %d\n%s\n" % (len(content), content) for content in contents)
    env = local_environment({"GIT_OBJECT_DIRECTORY": str(objects)})
    run(in_clone(clone, "fast-import", "--quiet"), env, stdin)


def find_authors(versions: Versions, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the traced lines, in entries at the versions whose commits wrote them.

    Each of the ``entries`` is a fragment at the version that it came with.
    """
    fragments = list(entries)
    while fragments:
        searches = [_Search(entry, _stages(versions, entry)) for entry in fragments]
        moved: list[Entry] = []
        while searches:
            searches, found, authored = _round(versions, searches)
            moved += found
            yield from authored
        fragments = pass_back(versions, moved)


def _stages(versions: Versions, entry: Entry) -> list[tuple[int, list[_Source]]]:
    """Return the places to search for an entry, in git's order, and the score a match needs."""
    version = entry.version
    commit = versions.commit_of[version]
    parents = versions.commits.parents[commit]
    stages = []
    if entry.score > _MOVED:
        for parent, base, path in zip(
            parents, versions.bases[version], versions.base_paths[version], strict=True
        ):
            if base >= 0:
                stages.append((_MOVED, [_Source(parent, path, versions.blob_of[base])]))
    if entry.score > _COPIED:
        for index, parent in enumerate(parents):
            others = [
                _Source(parent, number, change.old_blob)
                for number, change in versions.changed.against(commit, index)
                if change.old_kind not in (ABSENT, SUBMODULE)
                and number != versions.base_paths[version][index]
            ]
            if others:
                stages.append((_COPIED, others))
    return stages


def _round(
    versions: Versions, searches: Sequence[_Search]
) -> tuple[list[_Search], list[Entry], list[Entry]]:
    """Look for each entry where it is next: what to look for further, what moved, what did not."""
    active = [search for search in searches if search.is_open()]
    for search in active:
        attempt = search.entry.text.attempt
        attempt.spend(len(search.sources))
        for source in search.sources:
            if source.blob in versions.missing:
                attempt.give_up(f"{LACKS}{source.blob}")
    active = [search for search in active if search.entry.text.attempt.problem is None]
    authored = [search.entry for search in searches if not search.stages]
    still: list[_Search] = []
    hits: list[_Hit] = []
    for search, hit in zip(active, _look(versions.clone, active), strict=True):
        if hit is None:
            still.append(_Search(search.entry, search.stages[1:]))
        else:
            hits.append(hit)
            still += hit.rests()
    versions.add({hit.source.path for hit in hits})
    return still, [moved for hit in hits for moved in hit.moved(versions)], authored


def _look(clone: Path, searches: Sequence[_Search]) -> Iterator[_Hit | None]:
    """Yield the best that is found of each entry in the files of its stage; the last of equals."""
    candidates = [(source.blob, search.entry) for search in searches for source in search.sources]
    least = [search.threshold for search in searches for _ in search.sources]
    answers = iter(_compare(clone, candidates, least))
    for search in searches:
        best: _Hit | None = None
        for source in search.sources:
            hunks = next(answers)
            match = None if hunks is None else _best_match(search.entry, hunks)
            if match is not None and (best is None or match.score >= best.match.score):
                best = _Hit(search, source, match)
        yield best if best is not None and best.match.score > search.threshold else None


def _best_match(entry: Entry, hunks: Hunks) -> _Match | None:
    """Return the lines between two hunks that have most letters and digits; the last of equals."""
    best: _Match | None = None
    old = new = 0
    for old_first, old_count, new_first, new_count in (*hunks.tolist(), (0, 0, entry.length, 0)):
        if new < new_first:
            score = entry.text.score(entry.first + new, new_first - new)
            if best is None or score >= best.score:
                best = _Match(score, new, new_first, old)
        old, new = old_first + old_count, new_first + new_count
    return best
