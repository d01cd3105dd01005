"""New alerts go to a webhook once each, whatever it does, and nobody is told its address."""

import json
import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.months import add_months
from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app import alert_sensor as module
from perf_assets.dagster_app.alert_sensor import MOST_A_TICK, SECONDS, WEBHOOK, alert_sensor
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.webhook import post
from perf_assets.storage.migrations import create_tables
from tests.model_database import insert
from tests.rows import REPOSITORY, Row
from tests.storage.good_rows import GOOD, completed

SECRET = "T0PSECRET"
PREFIX = "a0123456789"


class Webhook:
    """A server on loopback that answers as it is told, one way for each message; then well."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.ways: list[str] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == f"/services/{SECRET}"
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                way = hook.ways.pop(0) if hook.ways else "200"
                if way == "slow":
                    time.sleep(1.5)
                    return
                if way == "drips":
                    for _ in range(30):
                        self.wfile.write(b"H")
                        time.sleep(0.05)
                    return
                if way == "cut":
                    self.wfile.write(b"HTTP/1.1 20")
                    return
                if way == "cut body":
                    hook.bodies.append(body)
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok")
                    return
                if way == "200":
                    hook.bodies.append(body)
                self.send_response(int(way))
                if way == "302":
                    self.send_header("Location", f"/elsewhere/{SECRET}")
                self.end_headers()
                self.wfile.write(SECRET.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/services/{SECRET}"


@pytest.fixture
def webhook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhook]:
    hook = Webhook()
    monkeypatch.setenv(WEBHOOK, hook.url)
    yield hook
    hook.http.shutdown()
    hook.http.server_close()


def alert(month: str, series: str = "0", **changes: Any) -> Row:
    identifier = f"{PREFIX[:-1]}{series}-{month}"
    row = completed("marts.alerts", GOOD["marts.alerts"][0])
    return row | {
        "alert_id": identifier,
        "repository": REPOSITORY,
        "month": month,
        "first_month": add_months(month, -6),
        "last_month": add_months(month, 3),
        "group_ids": [identifier],
        "state": "new",
        "state_by": None,
        "result": f"share of performance bugs from {month} on: 10 % to 30 %",
        "performance_bugs": 3,
        "issues": [7, 8],
        **changes,
    }


def publish(data_dir: DataDirectory, *rows: Row) -> None:
    data_dir.published.unlink(missing_ok=True)
    with duckdb.connect(str(data_dir.published)) as connection:
        create_tables(connection)
        insert(connection, "marts.alerts", list(rows))
        url = f"https://github.com/{REPOSITORY}/issues/7"
        row = completed("raw.issues", GOOD["raw.issues"][0]) | {"number": 7, "html_url": url}
        insert(connection, "raw.issues", [row])


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    return DataDirectory.of(tmp_path)


def tick(data_dir: DataDirectory, cursor: str | None = "[]") -> Any:
    sensor = alert_sensor(Place(data_dir), seconds=0.4)
    with (
        dg.DagsterInstance.ephemeral() as instance,
        dg.build_sensor_context(instance=instance, cursor=cursor) as context,
    ):
        return sensor.evaluate_tick(context)


def test_without_an_address_nothing_is_posted(data_dir, webhook, monkeypatch) -> None:
    publish(data_dir, alert("2021-03"))
    monkeypatch.delenv(WEBHOOK)
    done = tick(data_dir)
    assert WEBHOOK in done.skip_message and webhook.bodies == []
    assert done.run_requests == []


def test_each_new_alert_is_posted_once_with_its_evidence(data_dir, webhook) -> None:
    hostile = "share in <!channel> & <https://evil.example|x> \x1b[2J"
    known = alert("2020-01", "1", state="known", state_by="Ann")
    publish(data_dir, alert("2021-03", result=hostile, also_changed=["backlog"]), known)
    done = tick(data_dir)
    (body,) = webhook.bodies
    assert "&lt;!channel&gt; &amp;" in body["text"] and "\x1b" not in body["text"]
    assert "; also: backlog" in body["text"]
    issue = f"https://github.com/{REPOSITORY}/issues/7"
    assert f"<{issue}|#7> #8 and 1 more" in body["text"]
    assert body["alert"]["alert_id"] == f"{PREFIX[:-1]}0-2021-03"
    assert body["alert"]["issues"] == [{"number": 7, "url": issue}, {"number": 8, "url": None}]
    again = tick(data_dir, done.cursor)
    assert len(webhook.bodies) == 1 and "nothing new" in again.skip_message
    assert again.cursor == done.cursor


@pytest.mark.slow
def test_an_alert_whose_month_moved_or_that_goes_by_another_change_is_the_same(
    data_dir, webhook
) -> None:
    one, other = alert("2021-03"), alert("2021-03", "1")
    publish(data_dir, {**one, "group_ids": [one["alert_id"], other["alert_id"]]})
    done = tick(data_dir)
    publish(data_dir, alert("2021-05", "1"), alert("2022-01"))
    later = tick(data_dir, done.cursor)
    posted = [body["alert"]["month"] for body in webhook.bodies]
    assert posted == ["2021-03", "2022-01"] and "2022-01" in later.skip_message


@pytest.mark.slow
@pytest.mark.parametrize("way", ["500", "429", "404", "302", "slow", "drips", "cut"])
def test_what_did_not_arrive_is_posted_at_the_next_tick(
    data_dir, webhook, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG)
    publish(data_dir, alert("2021-03"), alert("2020-03", "1"))
    webhook.ways = ["200", way]
    done = tick(data_dir)
    assert [body["alert"]["month"] for body in webhook.bodies] == ["2021-03"]
    assert "tried again" in done.skip_message
    later = tick(data_dir, done.cursor)
    assert [body["alert"]["month"] for body in webhook.bodies] == ["2021-03", "2020-03"]
    told = done.skip_message + later.skip_message + str(done.cursor) + caplog.text
    assert SECRET not in told and "services" not in told


def test_an_answer_whose_text_is_cut_came_after_the_message_arrived(data_dir, webhook) -> None:
    publish(data_dir, alert("2021-03"))
    webhook.ways = ["cut body"]
    done = tick(data_dir)
    assert "nothing new" in tick(data_dir, done.cursor).skip_message
    assert len(webhook.bodies) == 1


def test_a_server_that_is_not_there_is_said_so_without_its_address(data_dir, webhook) -> None:
    publish(data_dir, alert("2021-03"))
    webhook.http.shutdown()
    webhook.http.server_close()
    done = tick(data_dir)
    assert "not at all" in done.skip_message and SECRET not in done.skip_message
    assert json.loads(done.cursor) == []


def test_many_alerts_are_posted_a_few_at_a_tick(data_dir, webhook) -> None:
    publish(data_dir, *(alert(f"20{year}-01") for year in range(10, 18)))
    first = tick(data_dir)
    assert len(webhook.bodies) == MOST_A_TICK and "next tick" in first.skip_message
    tick(data_dir, first.cursor)
    months = [body["alert"]["month"] for body in webhook.bodies]
    assert sorted(months) == [f"20{year}-01" for year in range(10, 18)]
    assert months[0] == "2017-01"  # the newest first


@pytest.mark.slow
@pytest.mark.parametrize("cursor", [None, "no JSON", "7", "[1]"])
def test_the_first_tick_reports_nothing_old(data_dir, webhook, cursor: str | None) -> None:
    publish(data_dir, alert("2021-03"), alert("2018-03", last_month="2021-06"))
    done = tick(data_dir, cursor)
    assert [body["alert"]["month"] for body in webhook.bodies] == ["2021-03"]
    assert len(json.loads(done.cursor)) == 2


def test_nothing_published_or_by_an_older_version_is_said_so(data_dir, webhook) -> None:
    assert str(data_dir.published) in tick(data_dir).skip_message
    with duckdb.connect(str(data_dir.published)) as connection:
        connection.execute("CREATE SCHEMA marts")
    assert "older" in tick(data_dir).skip_message
    assert webhook.bodies == []


@pytest.mark.parametrize(
    "url",
    [
        *(f"ftp://host/{SECRET}", f"http://example.org/{SECRET}", f"https://[{SECRET}", SECRET),
        f"https://host/{SECRET * 500}",
    ],
)
def test_what_is_not_an_address_for_a_secret_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(PerfAssetsError) as refused:
        post(url, {}, WEBHOOK, SECONDS)
    assert SECRET not in str(refused.value) and WEBHOOK in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_error_of_the_network_has_no_trace_of_the_address(monkeypatch) -> None:
    def fail(*_: Any) -> int:
        raise RuntimeError(f"https://host/{SECRET}")

    monkeypatch.setattr("perf_assets.dagster_app.webhook._status", fail)
    with pytest.raises(TransientError) as refused:
        post(f"https://host/{SECRET}", {}, WEBHOOK, SECONDS)
    assert SECRET not in str(refused.value)
    assert refused.value.__suppress_context__


def test_the_sensor_is_there_and_says_what_it_needs(data_dir) -> None:
    sensor = alert_sensor(Place(data_dir))
    assert WEBHOOK in str(sensor.description)
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
    assert MOST_A_TICK * module.SECONDS < 60  # after which Dagster ends a tick
