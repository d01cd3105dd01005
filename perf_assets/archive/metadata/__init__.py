"""What an archive says of itself: to people, and by the standards that programs read."""

from perf_assets.archive.description import Description
from perf_assets.archive.metadata.citation import citation
from perf_assets.archive.metadata.croissant import croissant
from perf_assets.archive.metadata.data_package import data_package
from perf_assets.archive.metadata.licences import licences
from perf_assets.archive.metadata.read_me import read_me
from perf_assets.archive.metadata.ro_crate import CRATE, ro_crate
from perf_assets.archive.metadata.texts import CITATION, LICENCES, READ_ME


def metadata_files(description: Description) -> dict[str, str]:
    """Return the text of each file of metadata, by its path in the archive.

    They are the same bytes whenever they are written of the same ``description``: that says all
    that is in them, the moment among it.
    """
    files = {
        READ_ME: read_me(description),
        LICENCES: licences(description),
        CITATION: citation(description),
        "datapackage.json": data_package(description),
        "croissant.json": croissant(description),
    }
    return {**files, CRATE: ro_crate(description, files)}
