"""What comes from forums and trackers: dumps however packed, and answers of both APIs."""

import gzip
import json
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import py7zr
import requests
from requests.adapters import BaseAdapter

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import Forum
from perf_assets.sources.discourse.client import DiscourseClient
from perf_assets.sources.discourse.questions import DiscourseQuestions
from perf_assets.sources.forums import QuestionSource
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.api_client import ApiClient
from perf_assets.sources.stackexchange.api_questions import StackExchangeQuestions
from perf_assets.sources.stackexchange.dump import read_dump
from perf_assets.sources.stackexchange.extract import open_extract
from perf_assets.sources.stackexchange.extracted_posts import of_extract
from perf_assets.stand_ins.discourse.server import DiscourseServer
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.stackexchange.server import ForumServer
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from tests import answer_fuzzing
from tests.damaged_inputs.damage import damaged, hostile, spoilt, text_damaged
from tests.damaged_inputs.kinds import FindingError, Kind, Surroundings, TryOne
from tests.forum_places import SITE, forum_of, planned, written

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAMES = ("Posts.xml", "PostLinks.xml", "PostHistory.xml", "Comments.xml")
HASTE = RequestPolicy(attempts=2, first_pause=0.0, longest_pause=0.0, answer=5.0, longest_wait=0.0)
MOST_REQUESTS = 300
STATUSES = (200, 200, 200, 204, 301, 400, 401, 404, 429, 500, 502)


def _dumps(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("dumps")
    folder = written(room / "valid", planned(12))
    valid = {name: (folder / name).read_bytes() for name in NAMES}
    place = room / "dump"
    place.mkdir(exist_ok=True)
    forum = forum_of(place)

    def try_one(chance: random.Random) -> object:
        for path in place.iterdir():
            path.unlink()
        contents = dict(valid)
        spoiled = chance.choice((NAMES[0], *NAMES))
        is_packed = chance.random() < 0.2
        if not is_packed or chance.random() < 0.5:
            contents[spoiled] = xml_damaged(contents[spoiled], chance)
        if is_packed:
            _pack(place, contents, chance)
        else:
            for name, content in contents.items():
                (place / name).write_bytes(content)
        (room / "extract.duckdb").unlink(missing_ok=True)
        with open_extract(room / "extract.duckdb") as extract:
            read_dump(forum, extract)
            months = forum.tag_sets[0].months
            batches = [of_extract(extract, forum, one, months) for one in forum.tag_sets]
        return [frame.to_arrow() for batch in batches for frame in batch.frames.values()]

    return try_one


def _pack(place: Path, contents: dict[str, bytes], chance: random.Random) -> None:
    is_damaged = chance.random() < 0.7
    if chance.random() < 0.5:
        for name, content in contents.items():
            packed = zstd.compress(content)
            if is_damaged and name == NAMES[0]:
                packed = damaged(packed, chance)
            (place / f"{name}.zst").write_bytes(packed)
        return
    path = place / "stackoverflow.com-Posts.7z"
    with py7zr.SevenZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(content, name)
    if is_damaged:
        path.write_bytes(damaged(path.read_bytes(), chance))


def xml_damaged(valid: bytes, chance: random.Random) -> bytes:
    """A file of a dump with hostile values in the attributes of a row, or with damaged bytes."""
    kind = chance.random()
    if kind < 0.35:
        return damaged(valid, chance)
    if kind < 0.5:
        return text_damaged(valid, chance)
    lines = valid.split(b"\n")
    rows = [place for place, line in enumerate(lines) if b"<row " in line]
    place = chance.choice(rows or [0])
    parts = lines[place].split(b'"')
    chosen = chance.randrange(1, max(2, len(parts) - 1), 2)
    value = str(hostile(parts[chosen % len(parts)].decode("utf-8", "replace"), chance))
    parts[chosen % len(parts)] = (
        value.encode("utf-8", "surrogatepass").replace(b'"', b"&quot;").replace(b"<", b"&lt;")
    )
    lines[place] = b'"'.join(parts)
    return b"\n".join(lines)


def _served_dumps(surroundings: Surroundings) -> TryOne:
    folder = written(surroundings.room("served"), planned(6))
    valid = {folder / name: (folder / name).read_bytes() for name in NAMES}

    def try_one(chance: random.Random) -> object:
        path = chance.choice(list(valid))
        path.write_bytes(xml_damaged(valid[path], chance))
        try:
            return read_site(folder)
        finally:
            path.write_bytes(valid[path])

    return try_one


class _Spoiling(BaseAdapter):
    """Answers requests itself: as the loopback server does, but for what is spoiled by chance."""

    def __init__(self, server: LoopbackServer, chance: random.Random) -> None:
        super().__init__()
        self.server, self.chance = server, chance
        self.place = chance.choice((0, 1, 1, 1, 2, 3))
        self.is_every = chance.random() < 0.2
        self.requests = 0

    def send(self, request: Any, *_: Any, **__: Any) -> requests.Response:
        self.requests += 1
        if self.requests > MOST_REQUESTS:
            raise FindingError("it asks without end")
        reply = self.server.answer("GET", request.path_url, "", b"")
        answer = requests.Response()
        answer.request, answer.url, answer.status_code = request, request.url, reply.status
        is_packed = reply.headers.get("Content-Encoding") == "gzip"
        body = gzip.decompress(reply.body) if is_packed else reply.body
        if self.is_every or self.requests - 1 == self.place:
            body = self._spoilt(body, answer)
        answer.raw = _Body(body)
        return answer

    def _spoilt(self, body: bytes, answer: requests.Response) -> bytes:
        kind = self.chance.random()
        if kind < 0.25:
            return damaged(body, self.chance)
        if kind < 0.4:
            answer.status_code = self.chance.choice(STATUSES)
            return self.chance.choice((body, b"", b"null", b"[]", b"<html>"))
        text = json.dumps(spoilt(json.loads(body), self.chance))
        return text.encode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Nothing is open."""


class _Body:
    """The bytes of an answer, as ``requests`` reads them."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, *_: Any, **__: Any) -> Any:
        yield self._content

    def release_conn(self) -> None:
        """There is none."""

    close = release_conn


def _stack_exchange(surroundings: Surroundings) -> TryOne:
    site = read_site(written(surroundings.room("site"), planned(8)))
    url = "http://127.0.0.1:1/2.3"
    forum = forum_of(api_url=url, end="2020-02")

    def source(chance: random.Random) -> QuestionSource:
        server = ForumServer({SITE: site}, quota=10**9)
        client = ApiClient(url, forum.site, lambda _: None, HASTE)
        client._session.mount("http://", _Spoiling(server, chance))
        return StackExchangeQuestions(client, forum, forum.tag_sets[0])

    return lambda chance: _asked(source(chance), site, chance)


def _discourse(surroundings: Surroundings) -> TryOne:
    site = read_site(written(surroundings.room("discourse"), planned(8)))
    url = "http://127.0.0.1:1"
    tags = {"all": [], "x": ["tensorkit", "category:gpu"]}
    forum = Forum(
        name=SITE, kind="discourse", tags=tags, start="2020-01", end="2020-02", api_url=url
    )

    def source(chance: random.Random) -> QuestionSource:
        client = DiscourseClient(url, lambda _: None, HASTE)
        client._session.mount("http://", _Spoiling(DiscourseServer(site, chunk=2), chance))
        return DiscourseQuestions(client, forum, chance.choice(forum.tag_sets))

    return lambda chance: _asked(source(chance), site, chance)


def _asked(source: QuestionSource, site: Site, chance: random.Random) -> object:
    """What a source gives that is asked for one thing."""
    kind = chance.random()
    if kind < 0.15:
        return source.check_tags()
    if kind < 0.3:
        return source.newest_activity()
    if kind < 0.6:
        read = [source.month(month) for month in source.tag_set.months]
    else:
        read = list(source.changed(_middle(site)))
    return [frame.to_arrow() for one in read for frame in one.batch.frames.values()]


def _middle(site: Site) -> Any:
    """A moment after half of what happened in ``site``."""
    moments = sorted(one["last_activity_date"] for one in site.questions.values())
    return datetime.fromtimestamp(moments[len(moments) // 2], UTC)


def _github(surroundings: Surroundings) -> TryOne:
    fuzzer = answer_fuzzing.Fuzzer(surroundings.room("github"))

    def try_one(chance: random.Random) -> object:
        try:
            sentence = fuzzer.example(chance.randrange(2**40))
        except answer_fuzzing.FindingError as error:
            raise FindingError(str(error)) from error
        if sentence is not None:
            raise PerfAssetsError(sentence)
        return None

    return try_one


KINDS = (
    Kind("dumps", 4, _dumps),
    Kind("served_dumps", 30, _served_dumps),
    Kind("answers_of_stack_exchange", 60, _stack_exchange),
    Kind("answers_of_discourse", 60, _discourse),
    Kind("answers_of_github", 60, _github),
)
