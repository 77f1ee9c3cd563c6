"""Where a webhook may go: which addresses can be registered, and to which IP addresses a connection may be made.

Pure: nothing is resolved here. A host that is written as a number in any other way than the usual one is refused, as
resolvers read such a spelling as an address that nobody who looks at it sees.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from models.errors import InvalidInput

MOST_CHARACTERS = 2_000
FIRST_FREE_PORT = 1_024
"""Below are the ports of mail, of name servers and of others that have no business with a webhook."""

_PORTS = {"http": 80, "https": 443}
_FIELD = "url"

_ADDRESS = re.compile(
    r"(?P<scheme>[A-Za-z]+)://(?P<host>\[[^\]\s]*\]|[^\s:/?\\\[\]]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:[/?][A-Za-z0-9\-._~!$&'()*+,;=:@%/?\[\]]*)?)"
)
_ENTRY = re.compile(r"(?P<host>\[[^\]\s]*\]|[^\s:/?\\\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")

_NAT64 = ip_network("64:ff9b::/96")
_METADATA = frozenset(map(ip_address, ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")))
"""Services of clouds that hand out credentials, beside those on link-local addresses."""

_NOT_GLOBAL = tuple(map(ip_network, ("192.88.99.0/24", "3fff::/20")))
"""Relays of 6to4 and documentation, which `is_global` takes for global addresses."""

_THIS_NETWORK = ip_network("0.0.0.0/8")

Ip = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Target:
    """An endpoint's address in parts. Its path may be a secret, so that nothing shows it by accident.

    `host` is in lower case, an IPv6 address without its brackets; `path` is all that follows, the query included.
    """

    scheme: str
    host: str
    port: int
    path: str = field(repr=False)

    @property
    def authority(self) -> str:
        """The host as the head of a request names it: with its port where that is not the usual one."""
        named = _bracketed(self.host)
        return named if self.port == _PORTS[self.scheme] else f"{named}:{self.port}"


def target_of(address: str, allowed: Collection[str]) -> Target:
    """The parts of an endpoint's address; raises `InvalidInput` with the remedy. `allowed` are the operator's hosts.

    | the address | is |
    | --- | --- |
    | is longer than `MOST_CHARACTERS`, has credentials or a fragment, or is no address | refused |
    | has a host with other letters than ASCII, or a number that is spelled otherwise than 127.0.0.1 | refused |
    | `https`, a host with its domain, and port 443, 80 or one from `FIRST_FREE_PORT` on | taken |
    | an IP address that everybody may reach, likewise | taken |
    | `http`, a host without a domain, a lower port, or a private address | taken where the operator allows the host |
    | a metadata service, link-local, multicast, unspecified or reserved | refused, allowed or not |
    """
    if len(address) > MOST_CHARACTERS:
        raise InvalidInput(f"an address has at most {MOST_CHARACTERS} characters", field=_FIELD)
    if "#" in address:
        raise InvalidInput("leave out the fragment, # and what follows: it is never sent", field=_FIELD)
    if "@" in re.split(r"[/?]", address.partition("://")[2], maxsplit=1)[0]:
        raise InvalidInput(
            "leave out the user and the password: each call is signed with the endpoint's secret",
            field=_FIELD,
        )
    read = _ADDRESS.fullmatch(address)
    if read is None or read["scheme"].lower() not in _PORTS:
        raise InvalidInput("write an address such as https://hooks.example.org/keepwell", field=_FIELD)
    scheme = read["scheme"].lower()
    host = _host(read["host"])
    if host is None:
        raise InvalidInput(
            "write the host as a name in ASCII (xn--… for others), as 192.0.2.7, or as [2001:db8::7]",
            field=_FIELD,
        )
    port = _PORTS[scheme] if read["port"] is None else int(read["port"])
    path = read["path"] if read["path"].startswith("/") else f"/{read['path']}"
    target = Target(scheme, host, port, path)
    _refuse(target, is_allowed(host, port, allowed))
    return target


def _refuse(target: Target, allowed: bool) -> None:
    unless = "or have the operator allow the host by KEEPWELL_WEBHOOK_ALLOWED_HOSTS"
    address = as_ip(target.host)
    if address is not None and not may_reach(address, allowed=allowed):
        remedy = f"name a public host, {unless}" if may_reach(address, allowed=True) else "name another host"
        raise InvalidInput(f"no webhook goes to that address; {remedy}", field=_FIELD)
    if not 1 <= target.port <= 65_535:
        raise InvalidInput("a port is a number from 1 to 65535", field=_FIELD)
    if allowed:
        return
    if target.scheme != "https":
        raise InvalidInput(f"write https://, {unless}", field=_FIELD)
    if address is None and "." not in target.host:
        raise InvalidInput(f"name the host with its domain, {unless}", field=_FIELD)
    if target.port < FIRST_FREE_PORT and target.port not in _PORTS.values():
        raise InvalidInput(f"use port 443 or one from {FIRST_FREE_PORT} on, {unless}", field=_FIELD)


def allowed_host(entry: str) -> str:
    """One of the operator's hosts, `host` or `host:port`, as `is_allowed` compares them; raises `ValueError`."""
    read = _ENTRY.fullmatch(entry)
    host = None if read is None else _host(read["host"])
    if read is None or host is None or (read["port"] is not None and not 1 <= int(read["port"]) <= 65_535):
        raise ValueError(
            "write hosts as they stand in addresses, such as hooks.internal, 10.0.0.7:8443 or [fd00::7]"
        )
    named = _bracketed(host)
    return named if read["port"] is None else f"{named}:{int(read['port'])}"


def is_allowed(host: str, port: int, allowed: Collection[str]) -> bool:
    """Whether the operator allows this very host, on every port or on this one."""
    named = _bracketed(host)
    return named in allowed or f"{named}:{port}" in allowed


def as_ip(host: str) -> Ip | None:
    """The address that a host is written as; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def may_reach(address: Ip, *, allowed: bool) -> bool:
    """Whether a connection may be made to an address, of a host that the operator has or has not `allowed`.

    | the address is | not allowed | allowed |
    | --- | --- | --- |
    | public | yes | yes |
    | loopback, private, shared by a provider's customers, for documentation | no | yes |
    | a metadata service, link-local, multicast, unspecified, reserved | no | no |

    So a name that the operator allows cannot lead to the credentials of the machine, whoever answers for that name.
    """
    return not _is_forbidden(_unwrapped(address)) if allowed else is_public(address)


def is_public(address: Ip) -> bool:
    """Whether everybody reaches this address over the internet.

    An address that carries another one (mapped, 6to4, NAT64) is what it carries. Teredo is not public.
    """
    inner = _unwrapped(address)
    listed = any(inner in network for network in _NOT_GLOBAL)
    return inner.is_global and not listed and not _is_forbidden(inner)


def _is_forbidden(address: Ip) -> bool:
    if address.is_link_local or address.is_multicast or address.is_unspecified or address in _METADATA:
        return True
    if isinstance(address, IPv6Address):
        # Loopback lies within a block that is reserved as a whole.
        return address.is_site_local or (address.is_reserved and not address.is_loopback)
    return address.is_reserved or address in _THIS_NETWORK


def _unwrapped(address: Ip) -> Ip:
    """What an address carries, itself where it carries nothing."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    # Without its zone, which makes an address unlike the same one in a list.
    return address.ipv4_mapped or address.sixtofour or IPv6Address(int(address))


def _host(written: str) -> str | None:
    """A host in the form that is compared and connected to; None where it is none."""
    if written.startswith("["):
        try:
            return IPv6Address(written[1:-1]).compressed if "%" not in written else None
        except ValueError:
            return None
    if not written.isascii():
        return None
    host = written.lower()
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        # A last label that is a number makes a resolver read the whole as an address, however it is spelled.
        return host if isinstance(as_ip(host), IPv4Address) else None
    return host if len(host) <= 253 and all(map(_LABEL.fullmatch, labels)) else None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
