"""Files for people, each put in the place of the one before in one step."""

from pathlib import Path


def write_report(path: Path, content: str | bytes) -> Path:
    """Put ``content`` in the place of the report, or of a picture of it."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    return temporary.replace(path)
