"""Where a webhook may go: addresses that are taken and refused, and IP addresses that are public or not."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.webhooks import MOST_CHARACTERS, Target, allowed_host, is_allowed, is_public, may_reach, target_of

ALLOWED = {"hooks.internal", "10.0.0.7:8443", "[fd00::7]", "localhost", "169.254.169.254", "0.0.0.0"}


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://hooks.example.org", Target("https", "hooks.example.org", 443, "/")),
        ("https://hooks.example.org/in?a=%20b&c", Target("https", "hooks.example.org", 443, "/in?a=%20b&c")),
        ("https://hooks.example.org?a=b@c", Target("https", "hooks.example.org", 443, "/?a=b@c")),
        ("HTTPS://Hooks.Example.ORG:8443/In", Target("https", "hooks.example.org", 8443, "/In")),
        ("https://hooks.example.org:80/", Target("https", "hooks.example.org", 80, "/")),
        ("https://xn--bcher-kva.example/", Target("https", "xn--bcher-kva.example", 443, "/")),
        ("https://93.184.216.34/", Target("https", "93.184.216.34", 443, "/")),
        ("https://[2606:4700:0:0::1111]/", Target("https", "2606:4700::1111", 443, "/")),
        ("http://hooks.internal:25/in", Target("http", "hooks.internal", 25, "/in")),
        ("http://localhost:8080/", Target("http", "localhost", 8080, "/")),
        ("https://10.0.0.7:8443/", Target("https", "10.0.0.7", 8443, "/")),
        ("http://[fd00:0::7]/", Target("http", "fd00::7", 80, "/")),
    ],
)
def test_what_is_taken(address: str, target: Target) -> None:
    assert target_of(address, ALLOWED) == target


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        (f"https://hooks.example.org/{'a' * MOST_CHARACTERS}", "at most"),
        ("https://hooks.example.org/#here", "fragment"),
        ("https://hooks.example.org/#", "fragment"),
        ("https://me:secret@hooks.example.org/", "user and the password"),
        ("https://hooks.example.org@evil.example/", "user and the password"),
        ("ftp://hooks.example.org/", "such as https://"),
        ("hooks.example.org/in", "such as https://"),
        ("//hooks.example.org/in", "such as https://"),
        ("https://", "such as https://"),
        ("https:///in", "such as https://"),
        ("https://hooks.example.org:/in", "such as https://"),
        ("https://hooks.example.org:443443/in", "such as https://"),
        ("https://hooks.example.org/a b", "such as https://"),
        ("https://hooks.example.org/a\r\nx: y", "such as https://"),
        ("https://hooks.example.org/caf\u00e9", "such as https://"),
        ("https://hooks.example.org\\.evil.example/", "such as https://"),
        ("https://hooks.exa\tmple.org/", "such as https://"),
        (" https://hooks.example.org/", "such as https://"),
        ("https://hooks.example.org/\n", "such as https://"),
        ("https://2606:4700::1111/", "such as https://"),
        ("https://b\u00fccher.example/", "host as a name in ASCII"),
        ("https://\u2460\u2461\u2466.0.0.1/", "host as a name in ASCII"),
        ("https://hoo\u212as.example.org/", "host as a name in ASCII"),
        ("https://hooks.example.org:\u0664\u0664\u0663/", "such as https://"),
        ("https://127.0.0.1\u3002/", "host as a name in ASCII"),
        ("https://hooks..example.org/", "host as a name in ASCII"),
        ("https://hooks.example.org./", "host as a name in ASCII"),
        ("https://-hooks.example.org/", "host as a name in ASCII"),
        (f"https://{'a' * 64}.example.org/", "host as a name in ASCII"),
        (f"https://{'a.' * 127}example.org/", "host as a name in ASCII"),
        ("https://2130706433/", "host as a name in ASCII"),
        ("https://0177.0.0.1/", "host as a name in ASCII"),
        ("https://127.1/", "host as a name in ASCII"),
        ("https://0x7f000001/", "host as a name in ASCII"),
        ("https://0X7F.0.0.0x1/", "host as a name in ASCII"),
        ("https://127.0.0.1.1/", "host as a name in ASCII"),
        ("https://[127.0.0.1]/", "host as a name in ASCII"),
        ("https://[fe80::1%25eth0]/", "host as a name in ASCII"),
        ("https://[::1/", "such as https://"),
        ("https://hooks.example.org:0/", "from 1 to 65535"),
        ("https://hooks.example.org:65536/", "from 1 to 65535"),
        ("http://hooks.example.org/", "write https://, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("http://other.hooks.internal/", "write https://, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://intranet/", "with its domain, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://hooks.example.org:25/", "port 443 .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://127.0.0.1/", "public host, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://10.0.0.7/", "public host, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://[::1]:8443/", "public host, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://[::ffff:127.0.0.1]/", "public host, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("https://100.64.0.1/", "public host, .*KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("http://169.254.169.254/latest/meta-data/", "name another host$"),
        ("https://0.0.0.0/", "name another host$"),
        ("https://[fd00:ec2::254]/", "name another host$"),
        ("https://168.63.129.16/", "name another host$"),
    ],
)
def test_what_is_refused_has_a_remedy(address: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy) as refused:
        target_of(address, ALLOWED)
    assert refused.value.field == "url"


def test_a_refusal_quotes_nothing_of_the_address() -> None:
    with pytest.raises(InvalidInput) as refused:
        target_of("http://hooks.example.org/zebra?token=7731", ())
    assert "zebra" not in str(refused.value)
    assert "hooks.example.org" not in str(refused.value)


@given(st.text(max_size=60), st.sampled_from(["https://", "http://", "https://[", "https://10.0.0.7:", ""]))
def test_whatever_is_written_is_taken_or_refused(text: str, begin: str) -> None:
    try:
        target = target_of(begin + text, ALLOWED)
    except InvalidInput:
        return
    assert target.path.startswith("/")
    assert target.path.isascii()
    assert target_of(f"{target.scheme}://{target.authority}{target.path}", ALLOWED) == target


PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "2002:808:808::1",
    "64:ff9b::808:808",
]
PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "192.88.99.1",
    "::1",
    "fd00::1",
    "2001:db8::1",
    "3fff::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "::ffff:127.0.0.1",
    "::ffff:192.168.1.1",
    "2002:7f00:1::",
    "64:ff9b::a00:1",
]
FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::7f00:1",
    "::ffff:0:7f00:1",
    "64:ff9b:1::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    "fd00:ec2::254%eth0",
    "5f00::1",
    "4000::1",
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::",
    "64:ff9b::a9fe:a9fe",
]


@pytest.mark.parametrize(
    ("address", "public", "by_name"),
    [
        *[(each, True, True) for each in PUBLIC],
        *[(each, False, True) for each in PRIVATE],
        *[(each, False, False) for each in FORBIDDEN],
    ],
)
def test_which_addresses_are_reached(address: str, public: bool, by_name: bool) -> None:
    ip = ip_address(address)
    assert is_public(ip) is may_reach(ip, allowed=False) is public
    assert may_reach(ip, allowed=True) is by_name


@given(st.ip_addresses(v=4))
def test_an_address_within_another_is_what_it_is_by_itself(inner: IPv4Address) -> None:
    for prefix, shift in (("::ffff:0:0", 0), ("64:ff9b::", 0), ("2002::", 80)):
        outer = IPv6Address(int(IPv6Address(prefix)) | int(inner) << shift)
        assert is_public(outer) is is_public(inner)
        assert may_reach(outer, allowed=True) is may_reach(inner, allowed=True)


@given(st.ip_addresses())
def test_what_is_public_is_reached_under_every_name(address: IPv4Address | IPv6Address) -> None:
    assert not is_public(address) or may_reach(address, allowed=True)


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("hooks.internal", 80, True),
        ("hooks.internal", 8443, True),
        ("a.hooks.internal", 80, False),
        ("internal", 80, False),
        ("10.0.0.7", 8443, True),
        ("10.0.0.7", 443, False),
        ("fd00::7", 1, True),
        ("fd00::8", 1, False),
    ],
)
def test_what_is_allowed_is_this_very_host(host: str, port: int, allowed: bool) -> None:
    assert is_allowed(host, port, ALLOWED) is allowed


def test_an_allowed_host_is_compared_in_one_form() -> None:
    assert allowed_host("Hooks.Internal:0443") == "hooks.internal:443"
    assert allowed_host("[FD00:0:0::7]:8443") == "[fd00::7]:8443"


@pytest.mark.parametrize(
    ("target", "authority"),
    [
        (Target("https", "hooks.example.org", 443, "/"), "hooks.example.org"),
        (Target("http", "hooks.internal", 80, "/"), "hooks.internal"),
        (Target("https", "hooks.example.org", 80, "/"), "hooks.example.org:80"),
        (Target("https", "fd00::7", 443, "/"), "[fd00::7]"),
        (Target("https", "fd00::7", 8443, "/"), "[fd00::7]:8443"),
    ],
)
def test_how_a_request_names_the_host(target: Target, authority: str) -> None:
    assert target.authority == authority
