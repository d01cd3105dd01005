"""The words of the synthetic repository: titles, bodies, comments, the issue templates.

None of the vocabulary holds one of the paper's keywords; keywords enter only through
``Texts.keyword_sentence`` and ``Texts.keyword_title``.
"""

from random import Random

from perf_assets.stand_ins.generator.keywords import KEYWORDS

COMPONENTS = (
    "Conv2d", "DataLoader", "the Adam optimizer", "checkpointing", "the tokenizer",
    "sparse tensors", "LayerNorm", "the ONNX exporter", "the profiler window", "Embedding",
    "the scheduler", "mixed precision", "the graph compiler", "distributed training",
    "complex numbers", "the quantizer", "the C++ frontend", "random seeds", "the RNN cell",
    "the image reader",
)  # fmt: skip
SYMPTOMS = (
    "raises a TypeError", "crashes with a segmentation fault", "returns NaN",
    "ignores the dtype argument", "gives a wrong shape", "cannot be pickled", "loses its state",
    "prints a deprecation warning", "fails to build on Windows", "breaks for empty input",
    "does not accept a list", "rounds to zero", "hides the original traceback",
    "differs from the documentation", "rejects a valid path",
)  # fmt: skip
CIRCUMSTANCES = (
    "with float16", "on macOS", "after loading a checkpoint", "when the batch is empty",
    "inside a subclass", "with two devices", "under Python 3.8", "for negative strides",
    "in eval mode", "with a custom collate function", "since the last release", "",
)  # fmt: skip
SENTENCES = (
    "I expected the result to have the same shape as the input.",
    "The same script works with the previous release.",
    "It happens on every machine that I tried.",
    "A smaller example is hard to make, but I can share the model in private.",
    "Setting the seed makes no difference.",
    "The traceback points into the compiled part.",
    "I read the guide twice and found nothing about this.",
    "With the nightly build the error message is another one.",
    "My guess is that the check in the constructor is wrong.",
    "Removing the second layer makes the problem go away.",
    "This may be related to the change of the default dtype.",
    "We train on two nodes with four cards each.",
    "Please tell me if you need anything else.",
    "The values agree up to the fourth decimal place.",
)
REPLIES = (
    "Thank you for the report, I can reproduce it.",
    "Could you share the versions of the drivers?",
    "Any news on this?",
    "Same here on a fresh install.",
    "This should be fixed on the main branch, please try it.",
    "I bisected it to the refactoring of last month.",
    "A test for this would be welcome.",
    "Attaching the output of the environment script.",
    "It still happens with the release candidate.",
    "I will look into it this week.",
)
OFF_TOPIC = (
    "By the way, is it slower for you as well?",
    "Here the memory usage looked fine, so that is not it.",
    "Could this be the memory leak that others talk about?",
)
SUBJECTS = (
    "Tidy up {}", "Add a test for {}", "Document {}", "Refactor {}", "Rename a helper of {}",
    "Simplify the checks of {}", "Update the example for {}", "Remove dead code from {}",
)  # fmt: skip
FIXES = ("Fix {}", "Correct the shapes in {}", "Handle empty input in {}", "Repair {}")
TRACEBACK = (
    '```\nTraceback (most recent call last):\n  File "train.py", line {}, in <module>\n'
    "ValueError: expected a scalar\n```"
)

ADJECTIVES = ("laggy", "slow", "slower")
VERBS = ("worsen performance",)
NOUN_FRAMES = (
    "Since the update I see a {keyword} in run {token}.",
    "Run {token} shows a {keyword} that I cannot explain.",
    "There is a {keyword} when I train with setting {token}.",
)
ADJECTIVE_FRAMES = (
    "With setting {token} everything is {keyword} for me.",
    "Run {token} has been {keyword} since the update.",
)
SYSTEMS = {"linux": "Ubuntu 20.04", "macos": "macOS 11.2", "windows": "Windows 10"}
DEVICES = {"gpu": "GeForce RTX 2080", "cpu": "CPU only"}
RELEASES, PYTHONS = ("1.4", "1.5", "1.6"), ("3.7", "3.8")
FALSE_FRAMES = (
    'The warning about "{keyword}" in run {token} is wrong.',
    'A chart is named "{keyword}" and shows the accuracy of run {token}.',
    'The page on "{keyword}" has a broken link, see {token}.',
)
"""What a rule by words takes for a performance bug."""
WIDENED_TITLES = (
    "Overhead of {} has doubled",
    "{} runs at half the speed with float16",
    "{} takes lots of memory",
    "Too much memory for {}",
)
"""Performance bugs that the rule misses."""
VERB_FRAMES = ("The new defaults {keyword} in run {token}.",)

TEMPLATE_PATH = ".github/ISSUE_TEMPLATE/bug_report.md"
FRONT_MATTER = "---\nname: Bug report\nabout: Something does not work\nlabels: bug\n---\n\n"
SLOWER_LINE = "- Is the model slower than expected? Tell us the numbers."
WORSE_LINE = "- Does the run have worse performance than with the previous release?"
REGRESSION_BOX = "- [ ] Performance regression"
FIRST_FORM = (
    "<!-- Thank you for the report. Questions about a slow start belong in the forum. -->\n"
    "\n"
    "## Checklist\n"
    "- [ ] I have searched the existing reports\n"
    f"{REGRESSION_BOX}\n"
    f"{SLOWER_LINE}\n"
    "\n"
    "**Environment**\n"
    "Version:\n"
    "Memory usage:\n"
    "\n"
    "## What happens\n"
    "\n"
    "## What should happen\n"
)
SECOND_FORM = FIRST_FORM.replace(SLOWER_LINE, WORSE_LINE).replace(
    "Memory usage:\n", "Memory usage:\nCPU usage and GPU usage:\n"
)


def implied(keyword: str) -> frozenset[str]:
    """Return the keywords of the paper that a text has as soon as it has ``keyword``."""
    return frozenset(other for other in KEYWORDS if other in keyword)


class Texts:
    """Draws texts from the vocabulary; each keyword sentence carries a token of its own."""

    def __init__(self, rng: Random) -> None:
        """Draw with ``rng``."""
        self.rng = rng
        self.tokens = 0

    def token(self) -> str:
        """Return a mark that no other line has, so that no line with a keyword repeats by
        chance.
        """
        self.tokens += 1
        return f"case-{self.tokens:05d}"

    def component(self) -> str:
        """Return a part of the library."""
        return self.rng.choice(COMPONENTS)

    def title(self) -> str:
        """Return a title without any keyword."""
        words = (self.component(), self.rng.choice(SYMPTOMS), self.rng.choice(CIRCUMSTANCES))
        text = " ".join(words).strip()
        return text[0].upper() + text[1:]

    def paragraph(self) -> str:
        """Return one to four sentences without any keyword."""
        return " ".join(self.rng.sample(SENTENCES, self.rng.randint(1, 4)))

    def prose(self) -> str:
        """Return one to three paragraphs, at times with a traceback, without any keyword."""
        parts = [self.paragraph() for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.3:
            parts.insert(1, TRACEBACK.format(self.rng.randint(3, 400)))
        return "\n\n".join(parts)

    def reply(self) -> str:
        """Return a comment; some hold keywords, which must not count."""
        if self.rng.random() < 0.06:
            return self.rng.choice(OFF_TOPIC)
        return " ".join(self.rng.sample(REPLIES, self.rng.randint(1, 2)))

    def keyword(self) -> str:
        """Return one of the paper's keywords."""
        return self.rng.choice(KEYWORDS)

    def keyword_sentence(self, keyword: str) -> str:
        """Return a sentence with ``keyword`` that no other issue has."""
        frames: tuple[str, ...] = NOUN_FRAMES
        if keyword in ADJECTIVES:
            frames = ADJECTIVE_FRAMES
        elif keyword in VERBS:
            frames = VERB_FRAMES
        return self.rng.choice(frames).format(keyword=keyword, token=self.token())

    def false_sentence(self, keyword: str) -> str:
        """Return a sentence with ``keyword`` that is about something else."""
        return self.rng.choice(FALSE_FRAMES).format(keyword=keyword, token=self.token())

    def widened_title(self) -> str:
        """Return a title about performance without any keyword."""
        text = self.rng.choice(WIDENED_TITLES).format(self.component())
        return text[0].upper() + text[1:]

    def keyword_title(self, keyword: str) -> str:
        """Return a title with ``keyword``."""
        if keyword in ADJECTIVES:
            text = f"{self.component()} is {keyword} with float16"
        elif keyword in VERBS:
            text = f"new defaults of {self.component()} {keyword}"
        else:
            text = f"{keyword} in {self.component()}"
        return text[0].upper() + text[1:]

    def environment(self, is_performance: bool) -> tuple[str, dict[str, str]]:
        """Return the lines in which a report states its environment, and what they state."""
        system = self.rng.choices(list(SYSTEMS), (6, 2, 2))[0]
        device = self.rng.choices(list(DEVICES), (4, 1) if is_performance else (1, 1))[0]
        release, python = self.rng.choice(RELEASES), self.rng.choice(PYTHONS)
        lines = (
            f"- Tensorkit version: {release}.{self.rng.randrange(4)}",
            f"- Python version: {python}.{self.rng.randrange(9)}",
            f"- OS: {SYSTEMS[system]}",
            f"- GPU: {DEVICES[device]}",
        )
        stated = {
            "device": device,
            "framework_version": release,
            "operating_system": system,
            "python_version": python,
        }
        return "\n".join(lines), stated

    def subject(self) -> str:
        """Return the first line of a commit that fixes nothing."""
        return self.rng.choice(SUBJECTS).format(self.component())

    def fix_subject(self) -> str:
        """Return the first line of a commit that fixes something."""
        return self.rng.choice(FIXES).format(self.component())


def filled(form: str, version: str, memory: str, happens: str, expected: str) -> str:
    """Return the issue body that a person makes of a template's ``form``."""
    answers = (
        ("Version:\n", f"Version: {version}\n"),
        ("Memory usage:\n", f"Memory usage: {memory}\n"),
        ("CPU usage and GPU usage:\n", "CPU usage and GPU usage: half of it\n"),
        ("## What happens\n", f"## What happens\n{happens}\n"),
    )
    for empty, answer in answers:
        form = form.replace(empty, answer)
    return f"{form}{expected}\n"
