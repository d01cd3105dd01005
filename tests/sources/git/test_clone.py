"""The clone: it follows its origin, survives what happens to clones, and shows no secret."""

import os
import shutil
import threading
from base64 import b64encode
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.history import list_branch_commits
from tests.git_repositories import (
    FILE,
    Made,
    git,
    make,
)


@pytest.fixture
def log_of_git(tmp_path, monkeypatch):
    """Puts a git on PATH that writes down its arguments; gives the file."""
    log, shim = tmp_path / "log", tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:{os.environ['PATH']}")
    return log


def test_when_nothing_changed_one_listing_is_enough(three_months, source, log_of_git):
    clone, _ = three_months
    again = update_clone(str(source), clone.path)
    commands = log_of_git.read_text().splitlines()
    assert (again.tip, again.is_updated) == (clone.tip, False)
    assert sum("ls-remote" in command for command in commands) == 1
    assert not any(" fetch " in command or " clone " in command for command in commands)


def test_an_update_follows_branches_forced_pushes_and_a_new_default_branch(three_months, source):
    clone, shas = three_months
    git(source, "update-ref", "refs/heads/gone", shas[0])
    git(source, "update-ref", "refs/pull/7/head", shas[0])
    assert update_clone(str(source), clone.path).is_updated
    git(source, "update-ref", "-d", "refs/heads/gone")
    git(source, "update-ref", "refs/heads/gone/deeper", shas[0])
    git(source, "update-ref", "refs/heads/main", shas[1])
    git(source, "update-ref", "refs/heads/trunk", shas[2])
    git(source, "symbolic-ref", "HEAD", "refs/heads/trunk")
    now = update_clone(str(source), clone.path)
    assert (now.branch, now.tip, now.is_updated) == ("trunk", shas[2], True)
    refs = git(clone.path, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/gone/deeper", "refs/heads/main", "refs/heads/trunk"]
    git(source, "symbolic-ref", "HEAD", "refs/heads/main")
    now = update_clone(str(source), clone.path)
    assert (now.branch, now.tip, now.is_updated) == ("main", shas[1], False)


def test_a_detached_head_means_the_branch_at_that_commit(three_months, source, tmp_path):
    _, shas = three_months
    git(source, "update-ref", "refs/heads/early", shas[1])
    git(source, "update-ref", "--no-deref", "HEAD", shas[1])
    assert update_clone(str(source), tmp_path / "other.git").branch == "early"


def test_a_repository_that_moved_is_noticed_and_followed(three_months, source, tmp_path):
    clone, _ = three_months
    elsewhere = tmp_path / "elsewhere.git"
    (other,) = make(elsewhere, [Made({b"z": (FILE, b"z\n")})])
    now = update_clone(str(elsewhere), clone.path)
    assert (now.tip, now.moved_from, now.url) == (other, str(source), str(elsewhere))
    assert update_clone(str(elsewhere), clone.path).moved_from is None


def test_what_a_killed_run_left_is_not_an_obstacle(three_months, source, tmp_path):
    clone, shas = three_months
    (tmp_path / f".{clone.path.name}.partial-1").mkdir()
    for lock in ("HEAD.lock", "packed-refs.lock", "config.lock", "refs/heads/main.lock"):
        (clone.path / lock).parent.mkdir(parents=True, exist_ok=True)
        (clone.path / lock).write_text("")
    (clone.path / "objects" / "pack" / "tmp_pack_x").write_text("half")
    git(source, "update-ref", "refs/heads/main", shas[1])
    assert update_clone(str(source), clone.path).tip == shas[1]
    shutil.rmtree(clone.path)
    clone.path.mkdir()
    assert update_clone(str(source), clone.path).tip == shas[1]
    assert not list(tmp_path.glob(".clone*")) and not list(clone.path.rglob("*.lock"))


@pytest.mark.parametrize("content", [b"ref: refs/heads/m\xedn\n", b"ref: refs/heads/none\n"])
def test_a_head_that_is_damaged_is_pointed_to_the_branch_again(three_months, source, content):
    clone, shas = three_months
    (clone.path / "HEAD").write_bytes(content)
    assert update_clone(str(source), clone.path).tip == shas[-1]
    assert (clone.path / "HEAD").read_bytes() == b"ref: refs/heads/main\n"


def test_hooks_and_templates_of_the_person_do_not_get_into_a_clone(cloned, tmp_path, monkeypatch):
    hook = tmp_path / "template" / "hooks" / "post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\n")
    (tmp_path / ".gitconfig").write_text(f"[init]\n templateDir = {tmp_path}/template\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not (cloned(Made())[0].path / "hooks").exists()


def refused(url, path) -> str:
    with pytest.raises(PerfAssetsError) as caught:
        update_clone(str(url), path)
    assert not path.exists() and not list(path.parent.glob(f".{path.name}*"))
    return str(caught.value)


def test_what_cannot_be_cloned_is_refused_in_one_sentence(tmp_path, source):
    target = tmp_path / "new" / "clone.git"
    assert "no git repository exists" in refused(tmp_path / "absent", target)
    (tmp_path / "folder").mkdir()
    assert "not appear to be a git repository" in refused(tmp_path / "folder", target)
    git(source, "init", "--quiet", "--bare")
    assert "is empty" in refused(source, target)
    make(source, [Made(branch="work")])
    git(source, "symbolic-ref", "HEAD", "refs/heads/absent")
    assert "no default branch" in refused(source, target)
    assert "cannot be reached" in refused("http://127.0.0.1:9/a/b", target)
    assert "make git run a command" in refused("ext::sh -c 'touch /tmp/pwned'", target)


def test_a_shallow_repository_is_refused(three_months, source, tmp_path):
    shallow = tmp_path / "shallow.git"
    url = f"file://{source}"
    git(tmp_path, "clone", "--quiet", "--bare", "--depth=1", url, str(shallow))
    assert "shallow" in refused(shallow, tmp_path / "other.git")


def test_a_partial_clone_is_refused_with_the_remedy(three_months, source, tmp_path):
    partial = tmp_path / "partial.git"
    git(source, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{source}", partial)
    message = refused(partial, tmp_path / "other.git")
    assert "is a partial clone" in message and "without --filter" in message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a directory to another user")
def test_a_repository_of_another_user_is_reported_with_gits_own_remedy(
    three_months, source, tmp_path
):
    for path in (source, *source.rglob("*")):
        os.chown(path, 1234, 1234)
    message = refused(source, tmp_path / "other.git")
    assert f"git config --global --add safe.directory {source}" in message


def test_branches_may_have_any_name_that_git_allows(three_months, source, tmp_path):
    names = [f"topic{sign}one" for sign in ("\u2028", "\u2029", "\x85", "\u00a0", "é")]
    for name in names:
        git(source, "branch", name)
    clone = update_clone(str(source), tmp_path / "clone.git")
    assert not update_clone(str(source), clone.path).is_updated
    git(source, "branch", "-D", names[0])
    assert update_clone(str(source), clone.path).is_updated
    listed = git(clone.path, "for-each-ref", "--format=%(refname)", "refs/heads/").split("\n")
    assert {name for name in names if f"refs/heads/{name}" in listed} == set(names[1:])
    assert list_branch_commits(clone).is_empty()


def test_a_directory_that_is_not_a_clone_of_ours_is_left_alone(three_months, source, tmp_path):
    mine_too = tmp_path / "precious"
    mine_too.mkdir()
    (mine_too / "thesis.txt").write_text("words")
    with pytest.raises(PerfAssetsError, match="something other than a git clone"):
        update_clone(str(source), mine_too)
    assert (mine_too / "thesis.txt").read_text() == "words"


def test_missing_or_old_git_and_a_full_disk_are_reported_in_one_sentence(
    three_months, source, tmp_path, monkeypatch
):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert "git is not installed" in refused(source, tmp_path / "other.git")
    fake = tmp_path / "bin" / "git"
    fake.write_text(
        '#!/bin/sh\ncase "$*" in\nversion) echo git version 2.40.1;;\n'
        "*ls-remote*) printf '%040d\\tHEAD\\n%040d\\trefs/heads/main\\n' 1 1;;\n"
        "*) echo 'fatal: write error: No space left on device' >&2; exit 128;;\nesac\n"
    )
    fake.chmod(0o755)
    assert "the disk is full" in refused(source, tmp_path / "other.git")
    fake.write_text("#!/bin/sh\necho git version 2.17.1\n")
    assert "git 2.32 or newer" in refused(source, tmp_path / "other.git")


@pytest.fixture
def web(tmp_path, source):
    """A loopback server that hands out the files of tmp_path to octocat alone."""
    octocat = "Basic " + b64encode(b"octocat:s3cr/t").decode()

    class Guarded(SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.headers["Authorization"] == octocat:
                super().do_GET()
            else:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="here"')
                self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Guarded, directory=tmp_path))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_secret_in_the_url_is_used_and_never_shown(web, source, tmp_path):
    (sha,) = make(source, [Made({b"a": (FILE, b"text\n")})])
    git(source, "update-server-info")
    url = f"http://octocat:s3cr%2Ft@{web}"
    clone = update_clone(f"{url}/source.git", tmp_path / "clone.git")
    assert (clone.tip, clone.url) == (sha, f"http://{web}/source.git")
    again = update_clone(f"{url}/source.git", tmp_path / "clone.git")
    assert not again.is_updated and again.moved_from is None
    kept = [path.read_bytes() for path in clone.path.rglob("*") if path.is_file()]
    assert not [text for text in kept if b"s3cr" in text or b"octocat" in text]
    message = refused(f"{url}/absent.git", tmp_path / "other.git")
    assert "absent.git" in message and "s3cr" not in message and "octocat" not in message
    assert "ghp_0" not in refused(f"http://ghp_0@{web}/no.git", tmp_path / "other.git")
    assert "ghp_1" not in refused(f"{url}/no.git?token=ghp_1", tmp_path / "other.git")


@pytest.mark.slow
def test_a_redirection_to_another_host_gets_no_secret(source, tmp_path):
    heard = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.headers["Authorization"])
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
            self.end_headers()

        def log_message(self, *_):
            pass

    class Redirecting(Elsewhere):
        def do_GET(self):
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{other.server_port}{self.path}")
            self.end_headers()

    other, server = (ThreadingHTTPServer(("127.0.0.1", 0), one) for one in (Elsewhere, Redirecting))
    for one in (other, server):
        threading.Thread(target=one.serve_forever, args=(0.01,), daemon=True).start()
    message = refused(f"http://octocat:s3cret@127.0.0.1:{server.server_port}/x.git", tmp_path / "c")
    for one in (other, server):
        one.shutdown()
        one.server_close()
    assert set(heard) <= {None} and "s3cret" not in message


SECRET_ADDRESSES = (
    "user:canary@host.invalid:x.git",
    "user:canary@host.invalid/x.git",
    "canary@host.invalid/x.git",
    "//user:canary@host.invalid/x.git",
    "https:user:canary@host.invalid/x.git",
    "ssh://user:canary@host.invalid/x.git",
    "git://user:canary@host.invalid/x.git",
    "http://user:canary@host.invalid/x.git",
    "http://canary@host.invalid/x.git",
    "https://user:canary@host.invalid:99999/x.git",
    "https://user:canary@[::1/x.git",
    "https://user:canary@host.invalid/x\n.git",
    "gopher://user:canary@host.invalid/x.git",
    "https://user:canary@127.0.0.1:9/x.git",
    "http://user:canary@127.0.0.1:9/x.git?token=canary#canary",
    "http://can%61ry@127.0.0.1:9/x.git",
)


@pytest.mark.parametrize("address", SECRET_ADDRESSES)
def test_no_sentence_shows_a_secret_of_the_address(address, tmp_path):
    message = refused(address, tmp_path / "new" / "clone.git")
    assert "canary" not in message and "can%61ry" not in message and "\n" not in message


@pytest.mark.parametrize(
    "address",
    [
        "--upload-pack=touch ran",
        "-oProxyCommand=touch ran",
        "ssh://-oProxyCommand=touch%20ran/x.git",
        "ssh://-x@host.invalid/x.git",
        "ext::touch ran",
        "fd::17",
        "transport::https://host.invalid",
        "file:///x\0y",
        "host.invalid:x\x1b[2Jy.git",
    ],
)
def test_an_address_is_never_an_option_nor_a_command(address, tmp_path):
    message = refused(address, tmp_path / "clone.git")
    assert message.startswith("a repository's git entry in the study file cannot be used")
    assert "\x1b" not in message and address not in message


def tags_of(clone) -> dict[str, str]:
    listed = git(clone.path, "for-each-ref", "--format=%(refname) %(objectname)", "refs/tags/")
    return dict(line.split() for line in listed.splitlines())


def test_tags_that_are_versions_are_followed_and_no_others(three_months, source, log_of_git):
    clone, shas = three_months
    git(source, "update-ref", "refs/tags/v1.0", shas[0])
    for name in ("ciflow/trunk/12345", "latest", "v1.0-of-a-file/x", "nightly"):
        git(source, "update-ref", f"refs/tags/{name}", shas[1])
    make(source, [Made({b"r": (FILE, b"release\n")}, branch="gone")])
    only_tagged = git(source, "rev-parse", "refs/heads/gone")
    git(source, "update-ref", "refs/tags/v1.1", only_tagged)
    git(source, "update-ref", "-d", "refs/heads/gone")
    now = update_clone(str(source), clone.path)
    assert now.is_updated
    assert tags_of(now) == {"refs/tags/v1.0": shas[0], "refs/tags/v1.1": only_tagged}
    fetches = [line for line in log_of_git.read_text().splitlines() if " fetch " in line]
    assert len(fetches) == 1 and "v1.0" not in fetches[0]

    git(source, "update-ref", "-d", "refs/tags/v1.1")
    git(source, "update-ref", "refs/tags/v1.0", shas[2])
    assert update_clone(str(source), clone.path).is_updated
    assert tags_of(now) == {"refs/tags/v1.0": shas[2]}
    log_of_git.write_text("")
    assert not update_clone(str(source), clone.path).is_updated
    commands = log_of_git.read_text()
    assert " fetch " not in commands and " update-ref " not in commands


def test_a_new_clone_has_the_tags_and_an_older_one_gets_them(three_months, source, tmp_path):
    _, shas = three_months
    git(source, "update-ref", "refs/tags/v1.0", shas[1])
    new = update_clone(str(source), tmp_path / "new.git")
    assert tags_of(new) == {"refs/tags/v1.0": shas[1]}
    git(new.path, "update-ref", "-d", "refs/tags/v1.0")  # as versions before this one cloned
    git(new.path, "update-ref", "refs/tags/v0.9", shas[0])
    assert update_clone(str(source), new.path).is_updated
    assert tags_of(new) == {"refs/tags/v1.0": shas[1]}


def test_a_tag_that_replaces_a_directory_of_tags_is_followed(three_months, source):
    clone, shas = three_months
    git(source, "update-ref", "refs/tags/v1.0/1.0.1", shas[0])
    git(source, "update-ref", "refs/tags/release/1.0", shas[0])
    update_clone(str(source), clone.path)
    git(source, "update-ref", "-d", "refs/tags/v1.0/1.0.1")
    git(source, "update-ref", "-d", "refs/tags/release/1.0")
    git(source, "update-ref", "refs/tags/v1.0", shas[0])
    assert tags_of(update_clone(str(source), clone.path)) == {"refs/tags/v1.0": shas[0]}
