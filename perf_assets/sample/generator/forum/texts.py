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
        "{thing} is slower than expected",
        "Low throughput of {thing}",
        "Memory leak in {thing}",
    ),
}
SENTENCES = {
    "program_crash": (
        "The script aborts with an exception and prints a traceback.",
        "It crashes with a core dump, error code 139, segmentation fault.",
        "The error says that shapes mismatch; a ValueError is raised.",
    ),
    "model_migration_and_deployment": (
        "I saved a checkpoint and want to deploy it for serving on Android.",
        "The frozen graph has to be converted and exported to a mobile phone.",
        "How is a model migrated from the desktop to production serving?",
    ),
    "implementation": (
        "I want to implement a custom layer with two inputs.",
        "How can I write my own block that concatenates the columns?",
        "Is there a function to build this, or must I code it myself?",
    ),
    "training_anomaly": (
        "After two epochs the loss is nan and the accuracy stays constant.",
        "It never converges; gradients vanish and the loss diverges.",
        "Validation accuracy is stuck at chance from the first epoch.",
    ),
    "comprehension": (
        "I read the documentation and do not understand the concept.",
        "What is the difference, and what does the argument mean?",
        "Can somebody explain the idea behind it?",
    ),
    "installation": (
        "The setup with pip fails: no wheel matches the platform.",
        "Which package version and driver are required on Windows?",
        "After installing, the DLL is missing and the import fails.",
    ),
    "performance": (
        "Each epoch runs slow and the throughput is bad.",
        "It takes longer with every batch, as there is a memory leak.",
        "The overhead is large: it was faster in the release before.",
    ),
}
THINGS = (
    "a dense layer",
    "the data reader",
    "my classifier",
    "an attention block",
    "the tokenizer",
    "a recurrent cell",
)
CODE = ("import tensorkit as tk\nnet = tk.Net(3)\nnet.fit(x, y)", "x = tk.read('a.csv')\nx < 3 & y")


@dataclass(frozen=True)
class Text:
    """Title and paragraphs of a question, with its blocks of code, all as plain text.

    is_crlf : whether lines end as Windows has it.
    """

    kinds: tuple[str, ...]
    title: str
    paragraphs: tuple[str, ...]
    code: tuple[str, ...] = ()
    is_crlf: bool = False

    @property
    def is_performance(self) -> bool:
        """Whether it speaks of performance, in the words of the keyword set."""
        return "performance" in self.kinds

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
        """With another block of code."""
        return replace(self, code=(*self.code, block))

    def with_title(self, title: str) -> "Text":
        """With another title."""
        return replace(self, title=title)

    def crlf(self) -> "Text":
        """With line ends of Windows."""
        return replace(self, is_crlf=True)


def text_of(rng: Random, kinds: tuple[str, ...]) -> Text:
    """A question of these ``kinds``, each shown by two sentences or three."""
    title = rng.choice(TITLES[kinds[0]]).format(thing=rng.choice(THINGS))
    paragraphs = [
        sentence for kind in kinds for sentence in rng.sample(SENTENCES[kind], rng.randrange(2, 4))
    ]
    code = (rng.choice(CODE),) if rng.random() < 0.4 else ()
    return Text(kinds, title, tuple(paragraphs), code)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
