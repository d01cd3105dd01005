"""The pages of the review workbench, and what their keys do."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import whole_characters
from perf_assets.core.reviews.rater_agreement import AGREED
from perf_assets.reports.rendering import environment_of
from perf_assets.web.guard import Guard
from perf_assets.web.review import codes
from perf_assets.web.review.agreement import disagreements, in_common, pairs, with_agreements
from perf_assets.web.review.collecting import collect, sheets
from perf_assets.web.review.fields import FIRST, Field, fields_of
from perf_assets.web.review.store import Answer, Key, Store, now
from perf_assets.web.review.subjects import CHOSEN, Subjects

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
LONGEST_REQUEST = 100_000  # bytes
LONGEST_CELL = 5_000  # characters
MOST_EXAMPLES = 3
"""Reports of one's own that are named with a category."""

UNCACHED = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

Sent = Mapping[str, Any]
Handler = Callable[[Sent, str], Response]


@dataclass(frozen=True)
class Workbench:
    """What is judged and where answers are kept.

    subjects, store : where subjects are read, and answers kept.
    is_blind : whether raters see the tool's label only once they judged.
    """

    subjects: Subjects
    store: Store
    is_blind: bool = True

    def fields(self, kind: str) -> tuple[Field, ...]:
        """Return the questions about a kind, with the categories as they are now."""
        return fields_of(kind, codes.categories(self.store.codes()) if kind == "bugs" else None)

    def collect(self) -> list[str]:
        """Bring all answers into the database by sheets beside them; a sentence for each."""
        last = self.store.last_answer()
        answers = self.store.answers(with_first=True)
        texts = sheets(self.subjects, answers, self.store.drawn(), self.store.codes())
        collected = collect(self.store.path.parent, self.subjects.directory.path, texts)
        if collected.is_complete:
            self.store.note_collection(last)
        return collected.sentences


def application(workbench: Workbench, hosts: frozenset[str]) -> ASGIApp:
    """Return the pages, which refuse requests of other origins, or without a rater's secret."""
    pages = _Pages(workbench)
    routes = [
        Route("/enter/{secret}", pages.enter),
        Route("/", pages.of_rater(pages.report)),
        Route("/answer", pages.of_rater(pages.answer), methods=["POST"]),
        Route("/undo", pages.of_rater(pages.undo), methods=["POST"]),
        Route("/discussion", pages.of_rater(pages.discussion)),
        Route("/agree", pages.of_rater(pages.agree), methods=["POST"]),
        Route("/codebook", pages.of_rater(pages.codebook)),
        Route("/codebook/change", pages.of_rater(pages.change), methods=["POST"]),
        Route("/codebook.csv", pages.of_rater(pages.codebook_table)),
        Route("/codebook.toml", pages.of_rater(pages.codebook_toml)),
        Route("/collect", pages.of_rater(pages.collect), methods=["POST"]),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
    ]
    return Guard(Starlette(routes=routes), hosts, POLICY)


class _Pages:
    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self.store, self.subjects = workbench.store, workbench.subjects
        self.collecting = Lock()
        # A browser sends the cookies of a host to each of its ports, so to each study there.
        self.cookie = f"perf_assets_rater_{self.store.study()}"
        self.templates = environment_of(FOLDER / "templates")

    def of_rater(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """Return the handler for who came by a rater's link; others are refused.

        It runs in a thread, with what the page sent or the parameters of the address.
        """

        async def handle(request: Request) -> Response:
            rater = self.store.rater_of(request.cookies.get(self.cookie, ""))
            if rater is None:
                return PlainTextResponse(
                    "Open the link that was printed for you: it has your secret.\n", 403
                )
            is_change = request.method == "POST"
            try:
                sent = await _sent(request) if is_change else request.query_params
                return await run_in_threadpool(handler, sent, rater)
            except PerfAssetsError as error:
                if is_change:
                    return JSONResponse({"mistake": str(error)}, 400)
                return PlainTextResponse(f"{error}\n", 404)

        return handle

    async def enter(self, request: Request) -> Response:
        """Take the secret out of the address, and into a cookie that no script reads."""
        secret = request.path_params["secret"]
        if self.store.rater_of(secret) is None:
            return PlainTextResponse("This link is nobody's.\n", 403)
        answer = RedirectResponse("/", 303, UNCACHED)
        answer.set_cookie(
            self.cookie, secret, httponly=True, samesite="strict", max_age=90 * 86_400
        )
        return answer

    def report(self, sent: Sent, rater: str) -> Response:
        """Return the next subject, or the one that is asked for."""
        key = self._key(str(sent["subject"]), rater) if "subject" in sent else None
        return self._page(self._subject(rater, key), rater)

    def answer(self, sent: Sent, rater: str) -> Response:
        """Keep an answer, and give the next subject."""
        key = self._key(str(sent.get("subject", "")), rater)
        self.store.add(self._read(sent, key, rater))
        return HTMLResponse(self._subject(rater, None))

    def undo(self, _: Sent, rater: str) -> Response:
        """Take the last answer back, and show its subject again."""
        answers = self.store.answers(rater)
        if not answers:
            raise PerfAssetsError("there is no answer to take back")
        last = answers[-1]
        self.store.add(replace(last, cells={}, at=now()))
        return HTMLResponse(self._subject(rater, last.key, last))

    def discussion(self, _: Sent, rater: str) -> Response:
        """Return what raters differ on, once all of them judged it, and how far they agree."""
        answers = with_agreements(self.store.answers(with_first=True))
        self._disclose(rater, answers)
        own = {answer.key for answer in answers if answer.rater == rater}
        # Nobody sees what others said of a subject before judging it.
        differing = [
            disagreement for disagreement in disagreements(answers) if disagreement.key in own
        ]
        shown = self._render(
            "discussion.html",
            rater=rater,
            pairs=pairs(
                [answer for answer in answers if answer.rater == AGREED or answer.key in own]
            ),
            differing=differing,
            fields={kind: self.workbench.fields(kind) for kind in FIRST},
            addresses={disagreement.key: _address(disagreement.key) for disagreement in differing},
            titles={
                disagreement.key: self.subjects.title(disagreement.key)
                for disagreement in differing
            },
            texts={
                disagreement.key: self.subjects.texts(disagreement.key)
                for disagreement in differing
            },
            common={
                disagreement.key: in_common(disagreement.answers) for disagreement in differing
            },
        )
        return self._page(shown, rater, "discussion")

    def agree(self, sent: Sent, rater: str) -> Response:
        """Keep what raters agreed on; their first answers stay as they are."""
        key = self._key(str(sent.get("subject", "")), rater)
        answers = self.store.answers(with_first=True)
        raters = {answer.rater for answer in answers if answer.key == key} - {AGREED}
        if rater not in raters:
            return PlainTextResponse("Judge this report yourself before you agree on it.\n", 403)
        if len(raters) < 2:
            raise PerfAssetsError("two raters have to judge it first")
        answer = self._read(sent, key, AGREED)
        for name in raters:  # who agrees has discussed
            self.store.disclose(name, [key])
        note = f"{answer.cells.get('note', '')} (noted by {rater})".strip()
        self.store.add(replace(answer, cells={**answer.cells, "note": note}))
        return JSONResponse({"kept": True})

    def codebook(self, _: Sent, rater: str) -> Response:
        """Return the categories, their counts once all is judged, and what raters changed."""
        changes = self.store.codes()
        categories = codes.categories(changes)
        examples: dict[str, list[tuple[str, str]]] = {}
        for answer in self.store.answers(rater):  # of one's own: what others said is seen later
            name = codes.present_name(answer.cells.get("category", ""), changes)
            if name and len(examples.setdefault(name, [])) < MOST_EXAMPLES:
                examples[name].append((self.subjects.title(answer.key), _address(answer.key)))
        shown = self._render(
            "codebook.html",
            categories=categories,
            examples=examples,
            counts=self._counts(rater),
            own={name for name in categories if codes.study_name(name) is None},
            changes=changes,
            rater=rater,
        )
        return self._page(shown, rater, "codebook")

    def change(self, sent: Sent, rater: str) -> Response:
        """Let the codebook grow."""
        change, name, into_name, definition = (
            str(sent.get(name, "")) for name in ("change", "name", "into_name", "definition")
        )
        before = self.store.codes()
        self.store.add_code(codes.changed(rater, change, name, into_name, definition, before))
        return JSONResponse({"kept": True})

    def codebook_table(self, _: Sent, rater: str) -> Response:
        """Return the codebook as a table for a paper."""
        text = codes.as_table(self._counts(rater), self.store.codes())
        return Response(text, media_type="text/csv", headers=_saved("codebook.csv"))

    def codebook_toml(self, _: Sent, __: str) -> Response:
        """Return the codebook as TOML."""
        text = codes.as_toml(self.store.codes())
        return Response(text, media_type="text/plain", headers=_saved("codebook.toml"))

    def collect(self, _: Sent, __: str) -> Response:
        """Bring the answers into the database."""
        if not self.collecting.acquire(blocking=False):
            raise PerfAssetsError("answers are being collected already: wait a minute")
        try:
            said = self.workbench.collect()
        finally:
            self.collecting.release()
        return JSONResponse({"said": said or ["nobody judged anything yet"]})

    def _disclose(self, rater: str, answers: Sequence[Answer]) -> None:
        """Note that a rater is shown what others said of the rater's own subjects."""
        own = {answer.key for answer in answers if answer.rater == rater}
        self.store.disclose(
            rater, own & {answer.key for answer in answers if answer.rater != rater}
        )

    def _counts(self, rater: str) -> Counter[str] | None:
        """Return how often each category was chosen; None while the rater has subjects left."""
        answers, changes = self.store.answers(), self.store.codes()
        if set(self.store.queue(rater)) - {
            answer.key for answer in answers if answer.rater == rater
        }:
            return None
        self._disclose(rater, answers)
        chosen = (answer.cells.get("category", "") for answer in answers)
        return Counter(codes.present_name(name, changes) for name in chosen if name)

    def _key(self, text: str, rater: str) -> Key:
        """Return the subject that a request names, which must be the rater's own."""
        kind, _, rest = text.partition(" ")
        container, _, number = rest.rpartition(" ")
        key = Key(kind, container, number)
        if key not in self.store.queue(rater):
            raise PerfAssetsError("this subject is not in your queue")
        return key

    def _read(self, sent: Sent, key: Key, rater: str) -> Answer:
        """Return an answer as a page sent it."""
        cells = sent.get("cells")
        cells = cells if isinstance(cells, dict) else {}
        kept: dict[str, str] = {}
        for field in self.workbench.fields(key.kind):
            value = cells.get(field.name, "")
            if not isinstance(value, str) or len(value) > LONGEST_CELL:
                raise PerfAssetsError(f"{field.label}: at most {LONGEST_CELL} characters of text")
            if value:
                kept[field.name] = field.accepted(value)
        if FIRST[key.kind] not in kept:
            raise PerfAssetsError("answer the first question: y, n or u")
        if key.kind == "bugs" and kept["is_performance"] != "yes":
            kept = {name: kept[name] for name in ("is_performance", "note") if name in kept}
        seconds = sent.get("seconds")
        took = float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e6 else None
        return Answer(key, rater, kept, now(), took, sent.get("is_to_discuss") is True)

    def _subject(self, rater: str, key: Key | None, before: Answer | None = None) -> str:
        """Return a subject with its questions as a part of a page; by default the next one."""
        queue = self.store.queue(rater)
        answered = {answer.key: answer for answer in self.store.answers(rater)}
        left = [subject for subject in queue if subject not in answered]
        chosen = key or (left[0] if left else None)
        progress = {"judged": len(queue) - len(left), "of": len(queue), "rater": rater}
        if chosen is None:
            return self._render("done.html", progress=progress)
        given = before or answered.get(chosen)
        is_judged = before is None and given is not None
        seen = not self.workbench.is_blind or is_judged
        shown = self.subjects.shown(chosen, with_evidence=seen)
        if is_disclosed := is_judged and bool(shown.evidence.label):
            self.store.disclose(rater, [chosen])
        return self._render(
            "subject.html",
            shown=shown,
            subject=f"{chosen.kind} {chosen.container} {chosen.number}",
            fields=self.workbench.fields(chosen.kind),
            given=given,
            is_disclosed=is_disclosed,
            is_seen=seen,
            is_chosen=self.store.drawn().get(chosen) == CHOSEN,
            progress=progress,
        )

    def _render(self, template: str, **values: object) -> str:
        return self.templates.get_template(template).render(values)

    def _page(self, body: str, rater: str, current: str = "report") -> HTMLResponse:
        shown = self._render("page.html", body=body, rater=rater, current=current)
        return HTMLResponse(shown, headers=UNCACHED)


async def _sent(request: Request) -> dict[str, Any]:
    """Return the JSON that a page sent."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_REQUEST:
            raise PerfAssetsError(f"at most {LONGEST_REQUEST} bytes can be sent")
    try:
        sent = whole_characters(json.loads(bytes(body)))
    except (ValueError, RecursionError):
        raise PerfAssetsError("this is not JSON") from None
    if not isinstance(sent, dict):
        raise PerfAssetsError("this is not an answer of the page")
    return sent


def _address(key: Key) -> str:
    return f"/?subject={quote(f'{key.kind} {key.container} {key.number}')}"


def _saved(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
