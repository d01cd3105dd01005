"""The errors a person at the terminal may meet, each a single sentence."""


class PerfAssetsError(Exception):
    """Something the user can mend: what is wrong, where, and how to put it right.

    The command line prints the message without a traceback and exits with code 2.
    """


class TransientError(PerfAssetsError):
    """Something that passes, such as a network that is down or a data directory in use.

    The same run at a later time may well succeed; nobody has to mend anything first.
    """


class AuditError(PerfAssetsError):
    """Candidate rows broke a critical rule; the stored tables were left as they were.

    The command line finishes everything else first and exits with code 1.
    """


OUT_OF_MEMORY = (
    "the memory is full; let the program have more of it (docs/performance.md says how much a run "
    "needs), or run fewer --repository at a time; what was stored is kept"
)
