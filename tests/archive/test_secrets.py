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
HEX = "abcdef0123456789"
PAIR = base64.b64encode(f"ann:{some(9)}".encode()).decode()
ACCOUNT = base64.b64encode(b"481234567890123456").decode()
NEPTUNE = base64.b64encode(
    json.dumps({"api_address": "https://app.neptune.ai", "api_key": some(32, HEX)}).encode()
).decode()
PASSWORD = "hun" + "ter22"
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
    ("Anthropic key", "s" + "k-ant-api03-" + some(93, f"{ALNUM}-_") + "AA"),
    ("AWS key", "AK" + "IA" + some(16, string.ascii_uppercase + string.digits)),
    ("Azure storage key", "Account" + "Key=" + some(86) + "=="),
    ("Azure secret", some(3) + "8Q" + "~" + some(34)),
    ("Databricks token", "da" + "pi" + some(32, HEX)),
    ("Databricks token", "da" + "pi" + some(32, HEX) + "-2"),
    ("Discord token", f"{ACCOUNT}.{some(6)}.{some(27)}"),
    ("Discord token", f"{ACCOUNT}.{some(6)}.{some(38)}"),
    ("Discord token", "discord.com" + f"/api/webhooks/912345600012345678/{some(68)}"),
    ("Docker token", "dck" + "r_pat_" + some(27)),
    ("Google key", "AI" + "za" + some(35)),
    ("Google token", "ya" + "29." + some(60)),
    ("Google token", "GOC" + "SPX-" + some(28)),
    ("Groq key", "gs" + "k_" + some(52)),
    ("Hugging Face token", "h" + "f_" + some(34)),
    ("Hugging Face token", "api_" + "org_" + some(34)),
    ("Hugging Face token", "h" + "f_" + some(34, string.ascii_letters)),
    ("JSON Web Token", f"{encoded({'alg': 'HS256'})}.{encoded({'sub': '12'})}.{some(43)}"),
    ("Mailchimp key", some(32, "abcdef0123456789") + "-us" + "12"),
    ("Kaggle key", "KG" + "AT_" + some(32, HEX)),
    ("LangSmith key", "ls" + f"v2_pt_{some(32, HEX)}_{some(10, HEX)}"),
    ("Neptune token", NEPTUNE),
    ("npm token", "np" + "m_" + some(36)),
    ("NVIDIA key", "nv" + "api-" + some(64)),
    ("OpenAI key", "s" + "k-" + some(48)),
    ("OpenAI key", "s" + "k-proj-" + some(100, f"{ALNUM}-_")),
    ("OpenAI key", "s" + "k-or-v1-" + some(64, HEX)),
    ("OpenAI key", "s" + "k-proj-" + some(20) + "T3Blbk" + "FJ" + some(20)),
    ("PyPI token", "pyp" + "i-AgEIcHlwaS5vcmc" + some(80)),
    ("PyPI token", "pyp" + "i-AgENdGVzdC5weXBpLm9yZw" + some(80)),
    ("Replicate token", "r" + "8_" + some(37)),
    ("private key", PEM.strip("-")),
    ("private key", CITED.strip("-")),
    ("private key", SOURCE.strip("-")),
    ("private key", LOCKED.strip("-")),
    ("private key", PUTTY.partition("\nPrivate-MAC")[0]),
    ("SendGrid key", "S" + "G." + some(22) + "." + some(43)),
    ("Slack token", "xo" + "xb-123456789012-" + some(24)),
    ("Slack token", "xa" + "pp-1-A0123ABCDE-9123450912-" + some(64, HEX)),
    ("Slack token", "https://hooks." + "slack.com/services/T12/B34/" + some(24)),
    ("Square secret", "sq0" + "csp-" + some(43)),
    ("Stripe key", "s" + "k_live_" + some(24)),
    ("Stripe key", "r" + "k_live_" + some(99)),
    ("Telegram token", "123456789" + ":AA" + some(33)),
    ("Twilio key", "S" + "K" + some(32, HEX)),
]
AWS = some(40, f"{ALNUM}/+")
LOGIN, NAMED, HEADER, BASIC = (
    "login command",
    "key or token",
    "authorization header",
    "basic authentication",
)
IN_CONTEXT = [
    ("AWS key", 'aws_secret_access_key = "{}"', AWS),
    ("AWS key", "aws_secret_access_key = {}", AWS),
    ("AWS key", "export AWS_SECRET_ACCESS_KEY={}", AWS),
    ("AWS key", "AWS Secret Access Key [None]: {}", AWS),
    (NAMED, '"SecretAccessKey": "{}"', AWS),
    (NAMED, "aws_session_token={}", some(300, f"{ALNUM}/+")),
    ("password in a URL", "git clone https://ann:{}@git.example.org/x.git", "hun" + "ter2"),
    ("password in a URL", "redis://:{}@db/1", "hun" + "ter2"),
    ("password in a URL", "https://{}@github.com/a/b", some(40, HEX)),
    ("password in a URL", "https://{}:x-oauth-basic@github.com/a/b", some(40, HEX)),
    ("npm token", "//registry.npmjs.org/:_auth" + "Token={}", some(36, "abcdef0123-")),
    (NAMED, "WANDB_API_KEY={}", some(40, HEX)),
    (NAMED, "docker run -e WANDB_API_KEY={} image", some(40, HEX)),
    (NAMED, "ENV WANDB_API_KEY {}", some(40, HEX)),
    (NAMED, "os.environ['WANDB_API_KEY'] = '{}'", some(40, HEX)),
    (NAMED, "os.environ.setdefault('COHERE_API_KEY', '{}')", some(40)),
    (LOGIN, "!wandb login {}", some(40, HEX)),
    (LOGIN, "wandb login --relogin --host https://x.org {}", some(40, HEX)),
    (LOGIN, 'wandb.login(key="{}")', some(40, HEX)),
    (LOGIN, 'wandb.login("{}")', some(40, HEX)),
    (LOGIN, "wandb: Paste an API key from your profile and hit enter: {}", some(40, HEX)),
    (LOGIN, "vllm serve --api-key {}", some(32)),
    (LOGIN, "openai.set_api_key('{}')", some(32)),
    (HEADER, 'curl -H "Authorization: Bearer {}" x.org', some(40)),
    (HEADER, "{{'Authorization': 'Bearer {}'}}", some(30)),
    (HEADER, "Authorization: token {}", some(40, HEX)),
    (HEADER, "authorization: {}", some(40)),
    (BASIC, "Authorization: Basic {}", PAIR),
    (BASIC, '{{"auths": {{"x.org": {{\n  "auth": "{}"}}}}}}', PAIR),
    (BASIC, "_auth={}", PAIR),
    ("Kaggle key", '{{"username":"ann","key":"{}"}}', some(32, HEX)),
    ("Kaggle key", '{{"key": "{}", "username": "ann-b"}}', some(32, HEX)),
    ("Kaggle key", '{{\\"username\\":\\"ann\\",\\"key\\":\\"{}\\"}}', some(32, HEX)),
    (NAMED, "export KAGGLE_KEY={}", some(32, HEX)),
    (NAMED, "TWILIO_AUTH_TOKEN={}", some(32, HEX)),
    (NAMED, "SharedAccessKeyName=Root;SharedAccessKey={}", some(43) + "="),
    ("Azure signature", "https://x.blob.core.windows.net/c?sv=2020&sig={}&se=1", some(43) + "%3D"),
    (NAMED, "Ocp-Apim-Subscription-Key: {}", some(32, HEX)),
    (NAMED, "AZURE_OPENAI_KEY = '{}'", some(32, HEX)),
    (NAMED, "NGC_API_KEY: {}", base64.b64encode(some(60).encode()).decode()),
    (NAMED, "Experiment(api_key='{}')", some(25)),
    (NAMED, "- name: OPENAI_API_KEY\n  value: {}", some(40)),
    (NAMED, "https://x.org/?api_key={}&a=1", some(24)),
    (NAMED, "http://localhost:8888/?token={}", some(48, HEX)),
    (NAMED, "api_key: str = '{}'", some(32)),
    (NAMED, "my api key is {}", some(32)),
    (NAMED, "'secret' => '{}'", some(32)),
    (NAMED, "<apiKey>{}</apiKey>", some(32)),
    (NAMED, "token=&quot;{}&quot;", some(32)),
    (NAMED, "api_key={}", "-".join(some(size, HEX) for size in (8, 4, 4, 4, 12))),
    ("password", 'password = "{}"', "qwertz" + "uiop"),
    ("password", "'password': '{}'", "s3" + "cr!tX9"),
    ("password", "DB_PASSWORD={}", PASSWORD),
    ("password", "password: {}", PASSWORD),
    ("password", "Uid=sa;Pwd={};", PASSWORD),
    ("password", "<password>{}</password>", PASSWORD),
    ("password", "docker login -u ann -p {}", PASSWORD),
    ("password", "echo {} | docker login -u ann --password-stdin", PASSWORD),
    ("password", "curl -u ann:{} https://x.org", PASSWORD),
    ("password", "sshpass -p '{}' ssh x", PASSWORD),
    ("password", "mysql -u root -p{}", PASSWORD),
    ("password", "machine x.org\n  login ann\n  password {}", PASSWORD),
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
    *("api_key = '<your key>'", "api_key='YOUR_API_KEY_1234567'", "token=***", "api_key=None"),
    "WANDB_API_KEY=" + "x" * 40,
    *(
        "export TOKEN=$TOKEN",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "token=%TOKEN1%",
        "token=$(cat a1)",
    ),
    *("token=os.environ['X_TOKEN_12345']", "api_key=settings.OPENAI_API_KEY_2", 'api_key="EMPTY"'),
    *("password = getpass()", "password = getpass.getpass()", "password=os.getenv('PASSWORD1')"),
    *("password: str", "password = None", 'password="password"', "'password': 'your_password'"),
    *("password=args.password", "password=config['password']", "PWD=/home/user1 PWD='/tmp/a1'"),
    *(
        "'auth': 'required', auth = 'basic'",
        "Enter password: ",
        "--password-stdin",
        "password: hidden",
    ),
    *('key = "value"', "key=lambda x: x", "token = tokens[0]", "token=tokenizer.eos_token"),
    *("pad_token_id=50256, eos_token='<|endoftext|>'", "token_type_ids=token_type_ids2"),
    *("token=meta-llama/Llama-2-7b-chat-hf", "--tokenizer mistralai/Mistral-7B-Instruct-v0.2"),
    *("key: model.layers.0.self_attn.q_proj.weight1", "KeyError: 'model.layers.10.mlp.gate'"),
    *("cache key: " + some(40, HEX), "CACHE_KEY=" + some(40, HEX), f'"key": "{some(32, HEX)}"'),
    *(f"uses: actions/checkout@{some(40, HEX)}", f"ssh-rsa AAAAB3NzaC1yc2E{some(60)} me"),
    *("wandb login", "wandb login <key>", "wandb login YOUR_API_KEY_GOES_HERE_1234"),
    *("Authorization: Bearer <token>", "Authorization: Bearer ${API_KEY}", 'f"Bearer {token}"'),
    *("Authorization: Bearer YOUR_ACCESS_TOKEN_HERE1", "Authorization: Basic authentication"),
    *("s" + "k-" + "x" * 48, "OPENAI_API_KEY=s" + "k-abc...xyz", "h" + "f_" + "x" * 34),
    *("api_key: 0123456789abcdef0123456789abcdef", "token 12345678901234567890"),
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX" + "AMPLEKEY",
    'File "<secret>/python2.7/site-packages/chainer/training.py"',
    *("curl -u username:password https://x.org", "git clone https://<token>@github.com/x/y"),
    "secretName: my-tls-secret-v1, kubectl create secret generic token-secret-01",
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


def test_rows_with_secrets_are_reported() -> None:
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


def test_a_key_is_reported_without_the_secret_that_is_in_it() -> None:
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


SIGNS = {"base 62": ALNUM, "base 64": f"{ALNUM}+/", "hexadecimal": HEX}


@given(
    signs=st.sampled_from(sorted(SIGNS)),
    size=st.integers(32, 64),
    seed=st.integers(0, 20),
    start=st.sampled_from(
        [
            "API_KEY=",
            "'token': '",
            "Authorization: Bearer ",
            "x login ",
            "--secret-key ",
            "api_key: ",
        ]
    ),
)
def test_random_values_after_a_name_are_found(signs: str, size: int, seed: int, start: str) -> None:
    value = "7a" + some(size, SIGNS[signs], seed) + "b3X"
    assert without_secrets(f"see {start}{value} there") == f"see {start}{REMOVED} there"


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        *("token=", "token='a", "api_key: a", "login -a ", "login(a='", "curl -u a:", "bearer "),
        *("authorization: ", "password='", "--a-a-", "echo a", "login a password ", '"username":"'),
        *(
            "KEY\nvalue:",
            "A_KEY ",
            "://a",
            "mysql ",
            "?sig=",
            "hit enter",
            "MTIz",
            "a.Q~",
            "aws_ key",
        ),
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
