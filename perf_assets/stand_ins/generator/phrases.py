"""The words of reports: what they are about by area, and how they complain.

None of them holds one of the paper's keywords but where ``{keyword}`` stands.
"""

OPERATIONS = {
    "module: data": (
        "the DataLoader with 8 workers", "shuffling a large dataset", "the image reader",
        "collating nested dictionaries", "the prefetch queue", "reading record shards",
        "the tokenizer on long lines", "the random crop transform",
    ),
    "module: nn": (
        "the backward pass of Conv2d", "LayerNorm on short rows", "the Embedding gradient",
        "the RNN cell", "grouped convolution", "attention on long sequences",
        "BatchNorm in train mode", "dropout in a scripted loop",
    ),
    "module: jit": (
        "tracing a model with loops", "the graph compiler", "the fusion pass",
        "scripting a nested module", "the dead code pass",
    ),
    "module: Sparse": (
        "the product of sparse matrices", "coalescing duplicate entries",
        "slicing a sparse tensor", "converting CSR to COO", "the sparse gradient of Embedding",
    ),
    "OS: windows": (
        "starting the worker processes", "importing the package", "writing a checkpoint",
        "building a C++ extension", "the shared memory of workers",
    ),
    "": (
        "the Adam step", "mixed precision", "all_reduce on two nodes", "the ONNX exporter",
        "loading a checkpoint", "the quantizer", "the profiler window", "the scheduler",
        "the C++ frontend", "complex matmul", "the random generator", "indexing with a mask",
    ),
}  # fmt: skip
"""What reports of an area are about, by the label of the area; last, what no label names."""

TIME_COSTS = (
    "takes {n} times as long {when}", "takes {high} ms a step, {low} ms before",
    "needs {n} s for what took one second {when}", "spends most of a step in copies {when}",
    "blocks for {many} s before the first step", "gains nothing from more than {n} threads",
    "scales badly beyond {n} devices {when}", "waits on a lock {when}",
    "uses one core only {when}", "keeps the device waiting for {many} ms a step",
)  # fmt: skip
MEMORY_COSTS = (
    "keeps {n} GB after it was deleted", "grows by {high} MB in every epoch {when}",
    "runs out of memory after {many} epochs {when}", "holds two copies of its input {when}",
    "needs {many} GB where {n} GB were enough", "never gives its buffers back {when}",
)  # fmt: skip
"""How a report says that something takes too much time or memory."""

WIDENED_COSTS = (
    "overhead of {what} has doubled {when}", "{what} runs at half the speed {when}",
    "{what} takes lots of memory {when}", "too much memory for {what} {when}",
)  # fmt: skip
"""Performance bugs that a rule finds by more words than the paper's."""

KEYWORD_TITLES = (
    "{keyword} in {what} {when}", "{keyword} with {what} {when}", "{what}: {keyword} {when}",
)  # fmt: skip
ADJECTIVE_TITLES = (
    "{what} is {keyword} {when}", "{what} is {n} times {keyword} {when}",
    "{what} gets {keyword} {when}",
)  # fmt: skip
VERB_TITLES = ("new defaults of {what} {keyword} {when}",)

FAULTS = (
    "raises a TypeError {when}", "crashes with a segmentation fault {when}",
    "returns NaN {when}", "ignores the dtype argument {when}", "gives a wrong shape {when}",
    "cannot be pickled {when}", "loses its state {when}", "prints a deprecation warning {when}",
    "fails to build {when}", "breaks for empty input {when}", "does not accept a list {when}",
    "rounds to zero {when}", "hides the original traceback {when}",
    "differs from the documentation {when}", "rejects a valid path {when}",
    "gives other values than NumPy {when}", "fails an assertion in line {many} {when}",
    "raises IndexError at item {high} {when}",
)  # fmt: skip
"""How a report says that something is wrong."""

HURRIED_FAULTS = (
    "{what} crashes when I try to speed it up with {n} threads",
    "wrong result from the fast path of {what} {when}",
    "{what} gives NaN with the faster kernel {when}",
    "error in the timing of {what}: negative seconds {when}",
)  # fmt: skip
"""Faults whose title mentions speed."""

WISHES = {
    "feature": ("support {what} {when}", "add an option to {what} {when}"),
    "enhancement": ("better messages from {what} {when}", "let {what} accept a callback {when}"),
    "question": ("how do I use {what} {when}?", "is {what} meant to work {when}?"),
    "documentation": ("no example for {what} {when}", "the page on {what} is out of date {when}"),
}
"""Titles of issues other than bug reports, by a word of their label."""

KEYWORD_WISHES = (
    'say more about "{keyword}" for {what} {when}', 'what does "{keyword}" mean for {what} {when}?',
)  # fmt: skip

WHENS = (
    "with float16", "on macOS", "after resuming a run", "with a batch of {many}",
    "inside a subclass", "with two devices", "under Python 3.8", "with negative strides",
    "in eval mode", "with a custom collate function", "since the last release", "on a V100",
    "with {n} workers", "on CPU", "for {high} classes", "", "",
)  # fmt: skip

CAUSE_AREA = "module: data"
CAUSE_TITLE = "since the loader was rewritten"
CAUSE_COMMIT = "Rewrite the loader around one queue for all workers"
"""Why performance bugs become more, as reports of one area say it from a month on."""

TIME_OPENINGS = (
    "I time {what} in every nightly run, and it went from {low} to {high} ms.",
    "Training got {n} times as expensive for us, and the profile ends in {what}.",
    "For {what} a step took {low} ms in 1.4 and takes {high} ms in 1.6.",
    "On {many} cores {what} finishes no earlier than on {n}.",
)
MEMORY_OPENINGS = (
    "While I ran {what}, the process went from {n} to {many} GB within an hour.",
    "The snapshot after {what} has {n} GB that nothing refers to.",
    "A job with {what} is killed after {many} minutes, as its {many} GB are full.",
)
FAULT_OPENINGS = (
    "I get an error from {what} in line {high} of my script.",
    "The result of {what} is not what I expected in {n} of {many} cases.",
    "After the update to 1.{n} my test of {what} fails.",
    "With {what} the process ends without a message after {many} steps.",
    "The output of {what} differs in element {high}.",
)
WISH_OPENINGS = (
    "We use {what} in {n} projects, and each of them asks for this.",
    "I read the guide and the code of {what}, and this is not clear to me.",
    "This is about {what}, which I use for the first time.",
)
COST_SENTENCES = (
    "The times are means of twenty runs after a warm-up.",
    "Most of a step is spent in a copy to the device, by the profile.",
    "Going back to the previous release brings the old times back.",
    "With a single worker there is hardly a difference.",
    "I watched nvidia-smi and top for an hour.",
    "The larger the input, the more it shows.",
    "It is the same on a V100 and on a 2080.",
    "A sampling profiler points to a lock in the queue.",
    "Nothing else runs on this machine.",
    "Collecting garbage by hand gives half of it back.",
    "We pay for these hours, so it matters to us.",
    "A script that measures it is attached.",
    "Setting the number of threads by hand makes no difference.",
    "Please tell me which trace would help.",
)
MEASURED = "```\nstep 100: {low} ms\nstep 200: {high} ms\nstep 300: {high} ms\n```"
"""What stands in a performance report where others have a traceback."""
