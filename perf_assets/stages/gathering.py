"""With a lake: what workers released, brought to where models and statistics are computed."""

from perf_assets.storage.gate import Gate
from perf_assets.study import Study


def gather(gate: Gate, study: Study) -> None:
    """Make what the warehouse has of the study's repositories equal to what was released.

    Nothing becomes of it without a lake, and little where nothing was released since.

    Raises
    ------
    PassingError
        The lake cannot be reached for the moment.
    """
    if study.lake is None:
        return
    # Its libraries take long to import, and are there only where a lake is.
    from perf_assets.lake.bringing import bring  # noqa: PLC0415
    from perf_assets.lake.place import Lake  # noqa: PLC0415

    names = [one.name for one in study.repositories]
    # What is asked of forums is here and nowhere else.
    bring(gate.database, Lake.of(study.lake.url), names, only=not study.forums)
