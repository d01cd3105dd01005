"""The mail map of a repository: which names and addresses of its history are one person's.

Source of the rules: https://git-scm.com/docs/gitmailmap.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mailmap:
    """The addresses that stand for others.

    by_email : the address that stands for an address, whatever the name beside it.
    by_contact : the address that stands for a name and an address together, which goes before.

    Names and addresses are compared without case, as git does.
    """

    by_email: Mapping[str, str] = field(default_factory=dict)
    by_contact: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "Mailmap":
        """Return the mail map of a file ``.mailmap``, without what is not an entry of one."""
        by_email: dict[str, str] = {}
        by_contact: dict[tuple[str, str], str] = {}
        for line in text.split("\n"):
            contacts = [] if line.lstrip().startswith("#") else list(_contacts(line))
            if len(contacts) >= 2:  # with fewer it is another name for an address
                (_, proper), (name, email), *_ = contacts
                if name:
                    by_contact[name.casefold(), email.casefold()] = proper.casefold()
                else:
                    by_email[email.casefold()] = proper.casefold()
        return cls(by_email, by_contact)

    def canonical(self, name: str | None, email: str) -> str:
        """Return the address, in lower case, that stands for ``email`` beside ``name``."""
        found = self.by_contact.get(((name or "").casefold(), email.casefold()))
        return found or self.by_email.get(email.casefold(), email.casefold())

    def hidden(self, hide: Callable[[str], str]) -> "Mailmap":
        """Return the same map of what ``hide`` makes of each address."""
        return Mailmap(
            {hide(email): hide(proper) for email, proper in self.by_email.items()},
            {(n, hide(email)): hide(proper) for (n, email), proper in self.by_contact.items()},
        )


def _contacts(line: str) -> Iterator[tuple[str, str]]:
    """Yield the names and addresses of an entry, in order."""
    begin = 0
    while (opened := line.find("<", begin)) >= 0 and (closed := line.find(">", opened)) >= 0:
        if closed > opened + 1:
            yield line[begin:opened].strip(), line[opened + 1 : closed]
        begin = closed + 1
