"""perf-assets: how much of a project's trouble is performance trouble, month by month."""

from typing import Any

__version__ = "0.1.0"
__all__ = ["StudyComponent", "__version__"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Return the component, which most who import the package do not wait for."""
    if name == "StudyComponent":
        from perf_assets.dagster_app.component import StudyComponent  # noqa: PLC0415

        return StudyComponent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
