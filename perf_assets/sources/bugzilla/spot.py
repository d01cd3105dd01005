"""The product and the component whose bugs are read, by the name that the study has for them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from perf_assets.base.repository_names import split_name


@dataclass(frozen=True)
class Spot:
    """A product of a host; one component of it, or all of them if ``component`` is None.

    pages : what the addresses of its bugs begin with.
    """

    name: str
    host: str
    product: str
    component: str | None
    pages: str

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of a search for its bugs."""
        component = {} if self.component is None else {"component": self.component}
        return {"product": self.product, **component}

    def has(self, product: str, component: str) -> bool:
        """Return whether a bug of this product and component is one of its bugs."""
        is_component = self.component is None or self.component.casefold() == component.casefold()
        return is_component and self.product.casefold() == product.casefold()

    def name_of(self, product: str, component: str) -> str:
        """Return the name of another product and component of the host."""
        return f"{self.host}/{product}/{component}"


def spot_of(name: str, api: str) -> Spot:
    """Return what a study means by ``host/product`` or ``host/product/component``.

    A Bugzilla may be in a folder of its host, which the address of the API shows.
    """
    host, path = split_name(name)
    product, _, component = path.partition("/")
    is_there = urlsplit(api).netloc == host
    pages = api.removesuffix("/rest") if is_there else f"https://{host}"
    return Spot(name, host or "", product, component or None, pages)
