"""Where the page listens, and which names it answers to."""

from __future__ import annotations

import re
import socket
from typing import NamedTuple

__all__ = ["DEFAULT", "Address", "AddressError"]

_WRITTEN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^:\[\]/?#@\s]+):(?P<port>\d{1,5})", re.ASCII)
_HIGHEST_PORT = 65_535
#: every address of this machine, and the one of them that a browser on it can open
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not listened on


class AddressError(Exception):
    """The page cannot listen there; the message is one sentence for a person."""


class Address(NamedTuple):
    """A host (a name or an IP address, IPv6 without brackets) and a port (0: any free one)."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> Address:
        """The address that ``HOST:PORT`` means; an IPv6 address stands in brackets.

        Raises:
            AddressError: it means none.
        """
        found = _WRITTEN.fullmatch(text)
        if not found or int(found["port"]) > _HIGHEST_PORT:
            raise AddressError(f"{text!r} is no address for the page: give HOST:PORT, for example 127.0.0.1:7433, or off.")
        return cls(found["host"].strip("[]").lower(), int(found["port"]))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """What to type into a browser on this machine."""
        return f"http://{self._replace(host=_EVERYWHERE.get(self.host, self.host))}/"

    @property
    def names(self) -> frozenset[str]:
        """Every value of the Host header that means this address: a name of this machine's own loopback, or the one given.

        The port is part of it, except 80, which browsers leave out.
        """
        hosts = {"localhost", "127.0.0.1", "[::1]", str(self).rpartition(":")[0]}
        names = {f"{host}:{self.port}" for host in hosts}
        return frozenset(names | hosts if self.port == 80 else names)

    def listen(self) -> socket.socket:
        """Return a socket that listens there.

        Raises:
            AddressError: it is taken, or not this machine's.
        """
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(family, kind, protocol)
        except (OSError, UnicodeError) as error:
            raise AddressError(f"The page cannot listen on {self}: no such host. Name another with --page.") from error
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where SO_REUSEADDR lets others steal the port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen()
        except OSError as error:
            listener.close()
            why = (error.strerror or str(error)).lower()
            raise AddressError(
                f"The page cannot listen on {self} ({why}). Name another with --page HOST:PORT, or do without: --page off."
            ) from error
        return listener


DEFAULT = Address("127.0.0.1", 7433)
