"""Secrets in texts: each kind is found, shown masked, and gone once it is taken out."""

import base64
import json
import random
import string
import time

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.archive.secret_kinds import kinds
from perf_assets.archive.secrets import (
    FOUND,
    REMOVED,
    find_secrets,
    masked,
    remove_secrets,
    without_secrets,
)
from tests.effort import examples

ALNUM = string.ascii_letters + string.digits


def some(length: int, of: str = ALNUM, seed: int = 7) -> str:
    """A random text; none stands in this file, or scanners would take it for a secret."""
    return "".join(random.Random(f"{seed} {length} {of}").choices(of, k=length))


def encoded(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def key_of(kind: str, separator: str = "\n") -> str:
    lines = [some(64, f"{ALNUM}+/", seed) for seed in range(3)] + [some(20) + "=="]
    return separator.join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


PEM, CITED, SOURCE = (
    key_of("RSA " + "PRIVATE KEY", separator) for separator in ("\n", "\r\n> ", '\\n"\n  "')
)
LOCKED = key_of("ENCRYPTED " + "PRIVATE KEY")
PUTTY = "\n".join(
    [
        "PuTTY-User-Key-" + "File-2: ssh-rsa",
        *("Encryption: none", "Comment: mine", "Public-Lines: 1", some(64)),
        *("Private-Lines: 1", some(64, seed=8), "Private-MAC: " + some(40, "abcdef0123")),
    ]
)
SECRETS = [
    ("GitHub token", "gh" + "p_" + some(36)),
    ("GitHub token", "git" + "hub_pat_" + some(22) + "_" + some(59)),
    ("GitLab token", "gl" + "pat-" + some(20)),
    ("GitLab token", "gl" + "pat-" + some(60) + ".01.1a2b3c4d5"),
    ("AWS key", "AK" + "IA" + some(16, string.ascii_uppercase + string.digits)),
    ("Azure storage key", "Account" + "Key=" + some(86) + "=="),
    ("Google key", "AI" + "za" + some(35)),
    ("Hugging Face token", "h" + "f_" + some(34, string.ascii_letters)),
    ("JSON Web Token", f"{encoded({'alg': 'HS256'})}.{encoded({'sub': '12'})}.{some(43)}"),
    ("Mailchimp key", some(32, "abcdef0123456789") + "-us" + "12"),
    ("npm token", "np" + "m_" + some(36)),
    ("OpenAI key", "s" + "k-proj-" + some(20) + "T3Blbk" + "FJ" + some(20)),
    ("PyPI token", "pyp" + "i-AgEIcHlwaS5vcmc" + some(80)),
    ("private key", PEM.strip("-")),
    ("private key", CITED.strip("-")),
    ("private key", SOURCE.strip("-")),
    ("private key", LOCKED.strip("-")),
    ("private key", PUTTY.partition("\nPrivate-MAC")[0]),
    ("SendGrid key", "S" + "G." + some(22) + "." + some(43)),
    ("Slack token", "xo" + "xb-123456789012-" + some(24)),
    ("Slack token", "https://hooks." + "slack.com/services/T12/B34/" + some(24)),
    ("Square secret", "sq0" + "csp-" + some(43)),
    ("Stripe key", "s" + "k_live_" + some(24)),
    ("Stripe key", "r" + "k_live_" + some(99)),
    ("Telegram token", "123456789" + ":AA" + some(33)),
]
IN_CONTEXT = [
    ("AWS key", 'aws_secret_access_key = "{}"', some(40, ALNUM + "/+")),
    ("password in a URL", "git clone https://ann:{}@git.example.org/x.git", "hun" + "ter2"),
    ("npm token", "//registry.npmjs.org/:_auth" + "Token={}", some(36, "abcdef0123-")),
]
CASES = [*((kind, "export TOKEN='{}' # mine", secret) for kind, secret in SECRETS), *IN_CONTEXT]
GITHUB = SECRETS[0][1]
STRIPE = next(secret for kind, secret in SECRETS if kind == "Stripe key")

HARMLESS = [
    "",
    "commit " + some(40, "abcdef0123456789"),
    "sha256:" + some(64, "abcdef0123456789"),
    "gh" + "p_" + "x" * 36,
    "AK" + "IAIOSFODNN7EXAMPLE",
    "it begins with -----BEGIN RSA " + "PRIVATE KEY----- and then comes base64",
    "-----BEGIN PUBLIC KEY-----\n" + some(64) + "\n-----END PUBLIC KEY-----",
    "https://user:password@example.org https://user:<token>@example.org",
    "grpc://worker:2222@task http://proxy:8080/@x",
    "git clone git@github.com:chainer/chainer.git",
    'eyJ0 is how {"t begins; eyJhbGciOi.x.y is none',
    "std::_Rb_tree_ghp_node _ZN3fooSKabc AIzawa hf_model_path npm_config_registry",
    "2019-01-01 12:00:00.123456789:INFO:" + some(35) + some(5),
]


@pytest.mark.parametrize(("kind", "context", "secret"), CASES, ids=[kind for kind, *_ in CASES])
def test_a_secret_is_found_masked_and_taken_out(kind: str, context: str, secret: str) -> None:
    text = context.format(secret)
    found = find_secrets("raw.issues", frame(text), ["id"])
    assert found.rows() == [("raw.issues", "1", "body", kind, masked(secret), 1)]
    assert without_secrets(text) == context.format(REMOVED)


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_what_is_none_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_a_private_key_is_taken_out_whole() -> None:
    assert without_secrets(f"This:\n{PEM}\nThat: x") == f"This:\n-----{REMOVED}\nThat: x"
    cut = PEM[: PEM.index("\n", 100)]
    assert without_secrets(f"{cut}\n...\nSee above.") == f"-----{REMOVED}\n...\nSee above."


def test_rows_with_secrets_are_told() -> None:
    rows = pl.DataFrame(
        {
            "repository": ["a/b", "a/b", None],
            "number": [1, 2, 3],
            "body": [f"{GITHUB} and {GITHUB}, {STRIPE}", None, "fine"],
            "labels": [["bug", None], None, [f"x {STRIPE}", STRIPE]],
            "size": [1.0, 2.0, 3.0],
        }
    )
    assert find_secrets("raw.issues", rows, ["repository", "number"]).rows() == [
        ("raw.issues", ":3", "labels", "Stripe key", masked(STRIPE), 2),
        ("raw.issues", "a/b:1", "body", "GitHub token", masked(GITHUB), 2),
        ("raw.issues", "a/b:1", "body", "Stripe key", masked(STRIPE), 1),
    ]
    cleaned = remove_secrets(rows, ["body", "labels"])
    assert cleaned.to_dict(as_series=False) == {
        **rows.to_dict(as_series=False),
        "body": [f"{REMOVED} and {REMOVED}, {REMOVED}", None, "fine"],
        "labels": [["bug", None], None, [f"x {REMOVED}", REMOVED]],
    }
    assert cleaned.schema == rows.schema
    assert find_secrets("raw.issues", cleaned, ["number"]).equals(pl.DataFrame(schema=FOUND))


def test_a_key_is_told_without_the_secret_that_is_in_it() -> None:
    rows = pl.DataFrame({"path": [f"src/{GITHUB}.py"]})
    (key,) = find_secrets("raw.commit_files", rows, ["path"])["key"]
    assert key == f"src/{REMOVED}.py"


def test_tables_without_rows_or_texts_have_none() -> None:
    for rows in (frame("x").clear(), pl.DataFrame({"id": [1]})):
        assert find_secrets("raw.issues", rows, ["id"]).is_empty()
        assert remove_secrets(rows, [name for name in rows.columns if name != "id"]).equals(rows)


FRAGMENTS = st.sampled_from(
    [
        *(context.format(secret) for _, context, secret in CASES),
        *(secret for _, secret in SECRETS),
        *(secret[: len(secret) // 2] for _, secret in SECRETS),
        *HARMLESS,
        *(REMOVED, " ", "\n", '"', "'", "://", ":", "@", "aws_key", "a", "/", "-", "_", "."),
    ]
)


@settings(max_examples=examples(200, 5000))
@given(parts=st.lists(FRAGMENTS | st.text(max_size=5), max_size=8))
def test_nothing_is_found_once_all_is_taken_out(parts: list[str]) -> None:
    text = "".join(parts)
    cleaned = without_secrets(text)
    assert without_secrets(cleaned) == cleaned
    assert find_secrets("t", frame(cleaned), ["id"]).is_empty()
    found = find_secrets("t", frame(text), ["id"])
    assert found.is_empty() == (cleaned == text), "Polars finds each text that has one"


@given(secret=st.text(min_size=1))
def test_what_is_shown_is_at_most_a_quarter_of_it(secret: str) -> None:
    shown = masked(secret).removesuffix("…")
    assert secret.startswith(shown)
    assert len(shown) <= min(4, len(secret) / 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        *("sk-", "eyJ", "eyJa=", "eyJa.b/", "//", "://a:", "aws", "awskey'", "xoxb-1-", "A: ", "-"),
        *(
            "BEGIN RSA " + "PRIVATE KEY",
            "MII ",
            "END ",
            "12345678:",
            "0a-us",
            "_authToken= ",
            "aB3 ",
        ),
    ],
)
def test_no_text_takes_long(part: str) -> None:
    """What strangers write could; a quadratic pattern takes minutes for as much."""
    kinds()
    begun = time.process_time()
    without_secrets(part * (100_000 // len(part)))
    without_secrets(PEM[:200] + part * (100_000 // len(part)))
    assert time.process_time() - begun < 10


def frame(text: str) -> pl.DataFrame:
    return pl.DataFrame({"id": [1], "body": [text]})
