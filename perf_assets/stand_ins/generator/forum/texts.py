"""The questions of a synthetic forum: sentences of each kind, with the words that show it."""

from dataclasses import dataclass, replace
from random import Random

KINDS = (
    "program_crash",
    "model_migration_and_deployment",
    "implementation",
    "training_anomaly",
    "comprehension",
    "installation",
    "performance",
)

TITLES = {
    "program_crash": (
        "{thing} crashes with a segmentation fault",
        "Traceback: ValueError raised by {thing}",
        "Exception aborts {thing}: shape mismatch error",
    ),
    "model_migration_and_deployment": (
        "Export {thing} to a mobile phone",
        "Convert a saved checkpoint of {thing} for serving",
        "Deploy {thing} from a frozen graph on Android",
    ),
    "implementation": (
        "How to implement a custom {thing}",
        "Write my own {thing} with two inputs",
        "Build {thing} that concatenates columns",
    ),
    "training_anomaly": (
        "Loss of {thing} becomes nan after some epochs",
        "Accuracy of {thing} stays constant and never converges",
        "Gradients of {thing} vanish, loss diverges",
    ),
    "comprehension": (
        "What does the argument of {thing} mean",
        "Difference between {thing} and its documentation",
        "Understand the concept behind {thing}",
    ),
    "installation": (
        "pip cannot install the wheel for {thing}",
        "ImportError: DLL missing after setup of {thing}",
        "Which driver and package version does {thing} require",
    ),
    "performance": (
        "{thing} needs more time than I expected",
        "Memory usage of {thing} grows",
        "Cards idle while {thing} works",
    ),
}
PLAIN_TITLES = (
    "Problem with {thing}",
    "Question about {thing}",
    "{thing} in the new version",
    "What am I missing with {thing}",
)
"""Titles that questions of every kind have."""

SENTENCES = {
    "program_crash": (
        "The script aborts with an exception and prints a traceback.",
        "It crashes with a core dump, code 139, segmentation fault.",
        "The message says that shapes mismatch; a ValueError is raised.",
        "In the second epoch the process is killed.",
    ),
    "model_migration_and_deployment": (
        "I saved a checkpoint and want to deploy it for serving on Android.",
        "The frozen graph has to be converted and exported to a mobile phone.",
        "How is a model migrated from the desktop to production serving?",
        "On the other machine the restored model gives other values.",
    ),
    "implementation": (
        "I want to implement a custom layer with two inputs.",
        "How can I write my own block that concatenates the columns?",
        "Is there a function to build this, or must I code it myself?",
        "Each row should be weighted by the column beside it.",
    ),
    "training_anomaly": (
        "After two epochs the loss is nan and the accuracy stays constant.",
        "It never converges; gradients vanish and the loss diverges.",
        "Validation accuracy is stuck at chance from the first epoch.",
        "With the same seed each run ends with other values.",
    ),
    "comprehension": (
        "I read the documentation and do not understand the concept.",
        "What is the difference, and what does the argument mean?",
        "Can somebody explain the idea behind it?",
        "The result has another shape than the guide says.",
    ),
    "installation": (
        "The setup with pip fails: no wheel matches the platform.",
        "Which package version and driver are required on Windows?",
        "After installing, the DLL is missing and the import fails.",
        "On the new machine nothing is found.",
    ),
    "performance": (
        "An epoch needs forty minutes, and ten are what I expected.",
        "The cards idle most of the time, while the reader is at work.",
        "Memory usage grows from batch to batch until the machine swaps.",
        "More workers do not change the time that a batch needs.",
    ),
}
"""What shows a kind; the last of each could be of several."""

MATTERS = {
    "program_crash": (
        *("a traceback", "the exception", "a segmentation fault", "a core dump", "the ValueError"),
        *("an abort", "a shape mismatch", "an invalid index", "a failed assertion"),
    ),
    "model_migration_and_deployment": (
        *("the export", "a frozen graph", "serving", "a saved checkpoint", "the mobile app"),
        *("an Android phone", "the conversion", "a restored model", "the other machine"),
    ),
    "implementation": (
        *("a custom layer", "a block of my own", "the two inputs", "an example to build on"),
        *("a way to combine columns", "a wrapper", "the added output", "a weighted sum"),
    ),
    "training_anomaly": (
        *("the loss", "nan values", "the accuracy", "gradients that vanish", "a constant output"),
        *("overfitting", "the validation curve", "wrong predictions", "the seed"),
    ),
    "comprehension": (
        *("the difference between both", "the meaning of the argument", "the documentation"),
        *("the purpose of the flag", "the concept", "the formula", "the default", "the guide"),
    ),
    "installation": (
        *("the wheel", "pip", "conda", "the driver", "the missing DLL", "the package"),
        *("an upgrade", "Windows", "the new machine"),
    ),
    "performance": (
        *("the time of an epoch", "memory usage", "idle cards", "the long wait", "utilization"),
        *("a parallel reader", "the bottleneck", "the batch time", "a full cache"),
    ),
}
"""What questions of a kind speak of, and others too, though less."""

FRAMES = (
    "It has to do with {} and {}.",
    "I looked at {}, and at {} too.",
    "My colleague thinks of {}, I think of {}.",
    "There is {}, and besides {}.",
    "Perhaps {} matters, or {}.",
    "Between {} and {} I see no connection.",
)

STEMMED_TITLES = ("{thing} is slower than expected", "Low throughput of {thing}")
STEMMED = (
    "Each epoch runs slow and the throughput is bad.",
    "It takes longer with every batch, as there is a memory leak.",
    "The overhead is large: it was faster in the release before.",
)
"""Of performance, with stems of the keyword set."""

STEMMED_AS_MEANT = (
    "Prediction is very slow on my machine.",
    "After the first batch it hangs for a minute.",
)
"""The same, with entries that match no text as they were published."""

STEMMED_OTHERS = {
    "program_crash": "On the larger card it ends with OOM, on the smaller one with the exception.",
    "model_migration_and_deployment": "Serving need not be faster than before, it has to be right.",
    "implementation": "An efficient way is welcome, but any way to build it will do.",
    "training_anomaly": "With another speed of decay the loss is nan as well.",
    "comprehension": "Does the argument stand for the speed of decay, or what does it mean?",
    "installation": "Is the wheel the fastest way to install the package?",
}
"""Of other kinds, with stems of the keyword set: what a rule by words takes for performance."""

THINGS = (
    "a dense layer",
    "the data reader",
    "my classifier",
    "an attention block",
    "the tokenizer",
    "a recurrent cell",
)
SYLLABLES = ("ba", "do", "fi", "gu", "ke", "lo", "mi", "no", "pu", "ra", "se", "tu", "vo", "zi")
NAMES = "The modules are called {}, {}, {}, {} and {}."
"""Words that hardly two questions have: without them a kind has fewer than 200."""

PLAIN_TITLE_SHARE = 0.6
SHOWN_SHARE = 0.45  # of the questions have a sentence that shows their kind
OWN_MATTER_SHARE = 0.36
STEMMED_SHARE = 0.8  # of the questions about performance
MEANT_SHARE = 0.25  # of these
STEMMED_OTHERS_SHARE = 0.03
CODE = ("import tensorkit as tk\nnet = tk.Net(3)\nnet.fit(x, y)", "x = tk.read('a.csv')\nx < 3 & y")


@dataclass(frozen=True)
class Text:
    """Title and paragraphs of a question, with its blocks of code, all as plain text.

    has_stem : whether an entry of the keyword set is in it, in the reading that counts.
    is_crlf : whether lines end as Windows has it.
    """

    kinds: tuple[str, ...]
    title: str
    paragraphs: tuple[str, ...]
    code: tuple[str, ...] = ()
    has_stem: bool = False
    is_crlf: bool = False

    @property
    def html(self) -> str:
        """As the forum stores it."""
        parts = [f"<p>{_escaped(paragraph)}</p>" for paragraph in self.paragraphs]
        parts += [f"<pre><code>{_escaped(block)}\n</code></pre>" for block in self.code]
        html = "\n\n".join(parts) + "\n"
        return html.replace("\n", "\r\n") if self.is_crlf else html

    @property
    def plain(self) -> str:
        """The paragraphs alone, a line each."""
        return "\n".join(self.paragraphs)

    def with_code(self, block: str) -> "Text":
        """Return the text with another block of code."""
        return replace(self, code=(*self.code, block))

    def with_title(self, title: str) -> "Text":
        """Return the text with another title."""
        return replace(self, title=title)

    def crlf(self) -> "Text":
        """Return the text with line ends of Windows."""
        return replace(self, is_crlf=True)


def text_of(rng: Random, kinds: tuple[str, ...]) -> Text:
    """Return a question of these ``kinds``, each shown by a sentence or more, among others."""
    thing = rng.choice(THINGS)
    has_plain_title = rng.random() < PLAIN_TITLE_SHARE
    title = rng.choice(PLAIN_TITLES if has_plain_title else TITLES[kinds[0]])
    paragraphs = [_about(rng, kinds) for _ in range(rng.randrange(2, 5))]
    if rng.random() < SHOWN_SHARE:
        paragraphs += [rng.choice(SENTENCES[kind]) for kind in kinds]
    stemmed: tuple[str, ...] = ()
    if "performance" in kinds:
        if rng.random() < STEMMED_SHARE:
            stemmed = (rng.choice(STEMMED_AS_MEANT if rng.random() < MEANT_SHARE else STEMMED),)
        if stemmed and not has_plain_title and rng.random() < STEMMED_SHARE:
            title = rng.choice(STEMMED_TITLES)
    elif rng.random() < STEMMED_OTHERS_SHARE:
        stemmed = (STEMMED_OTHERS[kinds[0]],)
    names = ["".join(rng.choice(SYLLABLES) for _ in range(3)) for _ in range(5)]
    paragraphs += [*stemmed, NAMES.format(*names)]
    rng.shuffle(paragraphs)
    code = (rng.choice(CODE),) if rng.random() < 0.4 else ()
    return Text(kinds, title.format(thing=thing), tuple(paragraphs), code, bool(stemmed))


def _about(rng: Random, kinds: tuple[str, ...]) -> str:
    """Return a sentence that speaks of two matters, each of one of the ``kinds`` or of any."""
    matters = [
        rng.choice(MATTERS[rng.choice(kinds if rng.random() < OWN_MATTER_SHARE else KINDS)])
        for _ in range(2)
    ]
    return rng.choice(FRAMES).format(*matters)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
