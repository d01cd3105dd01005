"""The errors a person at the terminal may meet, each a single sentence."""


class PerfAssetsError(Exception):
    """An error that the user can correct: what is wrong, where, and the remedy.

    The command line prints the message without a traceback and exits with code 2.
    """


class TransientError(PerfAssetsError):
    """A temporary error, such as a network that is down or a data directory in use.

    The same run may succeed later without any correction.
    """


class AuditError(PerfAssetsError):
    """Candidate rows broke a critical rule; the stored tables were left as they were.

    The command line finishes everything else first and exits with code 1.
    """


OUT_OF_MEMORY = (
    "the memory is full; let the program have more of it (docs/performance.md says how much a run "
    "needs), or run fewer --repository at a time; what was stored is kept"
)
