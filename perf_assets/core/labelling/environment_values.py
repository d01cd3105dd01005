"""The values of environments: how systems, devices, versions and data types are named."""

import re

SYSTEMS = {
    system: re.compile(pattern)
    for system, pattern in {
        "android": r"\bandroid\b",
        "ios": r"\b(?:ios|iphone|ipad)\b",
        "linux": r"linux|ubuntu|debian|cent ?os|fedora|red ?hat|\brhel\b|\bsuse\b|\bwsl|\barch\b"
        r"|manjaro|raspbian|gentoo|alpine",
        "macos": r"\bmac(?:book| ?os)?\b|\bos ?x\b|\bdarwin\b|catalina|mojave|big sur|monterey"
        r"|ventura",
        "windows": r"\bwin(?:dows)?(?:[ -]?(?:xp|vista|server|\d+))?\b",
    }.items()
}
# In a text about learning windows slide, a MAC is an operation, and an arch is an architecture.
# A pattern is tried where one of its words is in the text: most have none, which is quickly seen.
SYSTEMS_IN_TEXT: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("android", ("android",), SYSTEMS["android"]),
    ("ios", ("ios", "iphone", "ipad"), SYSTEMS["ios"]),
    (
        "linux",
        (
            *("linux", "ubuntu", "debian", "centos", "cent os", "fedora", "red hat", "redhat"),
            *("rhel", "wsl"),
        ),
        re.compile(r"linux|ubuntu|debian|cent ?os|fedora|red ?hat|\brhel\b|\bwsl\d?\b"),
    ),
    (
        "macos",
        ("mac", "os x", "osx", "darwin"),
        re.compile(r"\b(?:mac ?os\b|macbook|os ?x\b|darwin\b|on (?:a |my )?mac\b)"),
    ),
    (
        "windows",
        ("windows", "win7", "win8", "win10", "win11", "win32", "win64"),
        re.compile(
            r"\b(?:(?:on|for|under|using|in) windows\b(?! (?:of|with))|win(?:7|8|10|11|32|64)\b"
            r"|windows[- ](?:7|8|10|11)\b(?! (?:times|steps|frames))"
            r"|windows[- ](?:xp|vista|server|machine|pc|os))"
        ),
    ),
)
NEGATED_SYSTEMS = ("windows", "linux", "mac")
NEGATED = re.compile(
    rf"\b(?:not|isn't|never)(?: \w+){{0,3}}? (?:on )?(?={'|'.join(NEGATED_SYSTEMS)})\w+"
)
DEVICES = {
    "tpu": re.compile(r"\btpus?\b"),
    "gpu": re.compile(
        r"\bgpus?\b|nvidia|geforce|\b[gr]tx|tesla|titan|quadro|radeon|\brocm|\bvega\b|\bcuda"
        r"|\bmx\d{3}|\bapple m\d|\bmps\b|\b(?:[pvath]|rtx ?a)\d{1,4}0?\b|\b[km]\d0\b"
        r"|\b(?:10|16|20|30|40)[5-9]0(?: ?ti| ?super)?\b"
    ),
    "cpu": re.compile(r"\bcpus?\b"),
}
ABOUT_A_DEVICE = re.compile(
    r"\b(?:on|with|using|for|to)(?: the| a| an| my| one| single| multiple| \d+)* (gpu|cpu|tpu)s?\b"
    r"|\b(gpu|cpu|tpu)s?[ -](?:only|version|build|mode|training|inference|memory|ram|util\w*)\b"
    r"|\b(cuda) (?:out of memory|error)"
)
DATA_TYPES = re.compile(
    r"\b(?:(?P<brain>bf(?:loat)?16)|(?:fp|float)(?P<float>16|32|64)"
    r"|(?P<integer>u?int(?:8|16|32|64))|(?P<half>half[- ]precision)"
    r"|(?P<mixed>mixed[- ]precision))\b"
)
NUMBER = re.compile(r"(?<![\d.])v?(\d{1,2}\.\d{1,3})(?![\d])")
UNRELEASED = re.compile(r"\b(nightly|master|main|head|source)\b")
PYTHON_IN_TEXT = re.compile(r"\bpython ?-?(?:version)?:? ?v?([23]\.\d{1,2})")
PYTHON_NUMBER = re.compile(r"(?<![\d.])v?([23]\.\d{1,2})(?!\d)")
CUDA_IN_TEXT = re.compile(r"\bcuda(?: version| toolkit)?[ -]?v?(\d{1,2}\.\d)\b")
CUDA_IN_FIELD = re.compile(r"\bcuda\D{0,12}(\d{1,2}(?:\.\d{1,2})?)(?!\d)")
CUDA_NUMBER = re.compile(r"(?<![\d.])v?(\d{1,2}(?:\.\d{1,2})?)(?![\d]| ?[gm]i?b)")
OF_ANOTHER_PROGRAM = re.compile(
    r"\b(?:cu ?dnn|conda|anaconda|miniconda|pip3?|driver|nvcc|gcc|commit)\b[\s:=v-]{0,3}[\d.]+"
)
"""Numbers in a field that are not of what the field asks for."""

MISSING = re.compile(
    r"^(?:_?no[ _]response_?|n/?a|none|no|not? (?:relevant|applicable|available)"
    r"|could not collect|unknown|false|-+|\?+|nothing|without)?\W*$|\bno cuda\b|\bcpu[ -]only\b"
)
NO_GPU = re.compile(
    r"^(?:n/?a|none|no|false|not available|without)\W*$|\bcpu[ -]only\b|\bgpu not\b"
    r"|\b(?:no|not|without|don.?t have)\b[^,;.]{0,20}\bgpu"
)

OLDEST_CUDA, NO_CUDA = 4.0, 20.0
"""Other numbers beside the word count devices or bits, or switch something on."""


def systems(value: str) -> list[str]:
    """Return the families of operating systems that a field names."""
    rest = NEGATED.sub("", value)
    return [system for system, pattern in SYSTEMS.items() if pattern.search(rest)]


def devices(value: str) -> list[str]:
    """Return the device of a field: a GPU before a CPU, which every machine has."""
    if NO_GPU.search(value):
        return ["cpu"]
    return [device for device, pattern in DEVICES.items() if pattern.search(value)][:1]


def available(value: str) -> list[str]:
    """Return what ``Is CUDA available`` says; nothing where the framework could not be asked."""
    if value.startswith(("yes", "true")):
        return ["gpu"]
    return ["cpu"] if value.startswith(("no", "false")) else []


def python_version(value: str) -> list[str]:
    """Return the version of Python that a field gives."""
    match = PYTHON_IN_TEXT.search(value) or PYTHON_NUMBER.search(value)
    return [match[1]] if match else []


def cuda_version(value: str) -> list[str]:
    """Return a version, also as CUDA's runtime gives it: 9010 is 9.1."""
    if runtime := re.match(r"(\d{1,2})0(\d)0\b", value):
        return [f"{runtime[1]}.{runtime[2]}"]
    if MISSING.search(value):
        return []
    match = CUDA_IN_FIELD.search(value) or CUDA_NUMBER.search(OF_ANOTHER_PROGRAM.sub("", value))
    return [match[1]] if match and OLDEST_CUDA <= float(match[1]) < NO_CUDA else []


def data_types(value: str) -> list[str]:
    """Return the data types that a field names, each once."""
    return list(dict.fromkeys(map(data_type, DATA_TYPES.finditer(value))))


def data_type(match: re.Match[str]) -> str:
    """Return the data type of a match of :data:`DATA_TYPES`."""
    if match["brain"]:
        return "bfloat16"
    if match["float"]:
        return f"float{match['float']}"
    return match["integer"] or ("float16" if match["half"] else "mixed")
