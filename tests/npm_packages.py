"""Packages as npm has them, small and without meaning, and a registry on loopback that has them."""

import base64
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from perf_assets.reports.site import packages

MODULE = b'import*as u from"apache-arrow";export{u};\n//# sourceMappingURL=duckdb-browser.mjs.map\n'
FILES = {
    "@duckdb/duckdb-wasm": {
        "dist/duckdb-browser.mjs": MODULE,
        "dist/duckdb-browser-eh.worker.js": b"// a worker\n//# sourceMappingURL=w.js.map\n",
        "dist/duckdb-eh.wasm": b"\0asm" + bytes(10_000),
    },
    "apache-arrow": {
        "Arrow.es2015.min.js": b"globalThis.Arrow = {};\n",
        "LICENSE.txt": b"licence\n",
        "NOTICE.txt": b"notice\n",
    },
}


def packed(files: Mapping[str, bytes]) -> bytes:
    """A package of these files, beside members that lead out of any directory."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name in ("../evil", "/tmp/evil-of-a-package", *(f"package/{one}" for one in files)):
            member = tarfile.TarInfo(name)
            data = files.get(name.removeprefix("package/"), b"evil")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return content.getvalue()


def pin(directory: Path, patch: pytest.MonkeyPatch) -> list[Path]:
    """Have small packages pinned, and nothing in the cache; returns them as files."""
    entries, paths = [], []
    for name, files in FILES.items():
        content = packed(files)
        path = directory / f"{name.rpartition('/')[2]}-1.0.0.tgz"
        path.write_bytes(content)
        paths.append(path)
        integrity = f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"
        entries.append(
            {"name": name, "version": "1.0.0", "size": len(content), "integrity": integrity}
            | {"files": list(files)}
        )
    (directory / "pinned.json").write_text(json.dumps(entries), encoding="utf-8")
    patch.setattr(packages, "PINNED", directory / "pinned.json")
    patch.setenv("XDG_CACHE_HOME", str(directory / "cache"))
    # Nobody listens there.
    patch.setenv("NPM_CONFIG_REGISTRY", "http://user:secret@127.0.0.1:9/npm/")
    packages.packages.cache_clear()
    return paths


class Registry(ThreadingHTTPServer):
    """What it was asked for, and what it has."""

    def __init__(self, content: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content, self.asked = dict(content), list[str]()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.content.get(self.path)
        self.send_response(404 if content is None else 200)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def registry(paths: list[Path]) -> Iterator[Registry]:
    """A registry that has the packages of these files."""
    content = {
        f"/{name}/-/{path.name}": path.read_bytes() for name, path in zip(FILES, paths, strict=True)
    }
    with Registry(content) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
