"""Where connections are made to: to checked addresses alone, and to no other than the one that was checked."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from models.attempts import Answer, Ending
from models.webhooks import Target
from providers.webhooks.network import resolved
from tests.webhooks.certificates import Authority
from tests.webhooks.senders import BODY, HOST, Names, sending, sent
from tests.webhooks.server import Receiver, receiving

DELIVERED = Answer(Ending.ANSWERED, 204)


@pytest.fixture
async def receiver() -> AsyncGenerator[Receiver]:
    async with receiving() as running:
        yield running


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["127.8.9.10"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["::ffff:10.0.0.1"],
        ["169.254.169.254"],
        ["fd00::1"],
        ["fd00:ec2::254"],
        ["fe80::1%lo"],
        ["100.64.0.1"],
        ["0.0.0.0"],
        ["::"],
        ["10.0.0.1"],
        ["172.16.0.1"],
        ["192.168.0.1"],
        ["64:ff9b::7f00:1"],
        ["2002:7f00:1::"],
        ["93.184.216.34", "10.0.0.1"],
        ["10.0.0.1", "93.184.216.34"],
        ["93.184.216.34", "1.1.1.1", "8.8.8.8", "8.8.4.4", "127.0.0.1"],
        ["no address"],
    ],
)
async def test_a_name_that_leads_to_what_is_not_public_is_refused(
    receiver: Receiver, addresses: list[str]
) -> None:
    async with sending(resolve=Names(*addresses)) as sender:
        assert await sent(sender, receiver.port) == Answer(Ending.NOT_PUBLIC)
    assert receiver.connections == 0


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "fd00::1",
        "100.64.0.1",
        "0.0.0.0",
        "localhost",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "127.1",
    ],
)
async def test_a_host_that_the_system_reads_as_what_is_not_public_is_refused(
    receiver: Receiver, host: str
) -> None:
    async with sending(resolve=resolved) as sender:
        assert await sent(sender, receiver.port, host) == Answer(Ending.NOT_PUBLIC)
    assert receiver.connections == 0


@pytest.mark.parametrize("by_port", [True, False])
async def test_a_host_that_the_operator_allows_is_reached(receiver: Receiver, by_port: bool) -> None:
    entry = f"{HOST}:{receiver.port}" if by_port else HOST
    async with sending(entry) as sender:
        assert await sent(sender, receiver.port) == DELIVERED


async def test_an_address_that_the_operator_allows_is_reached(receiver: Receiver) -> None:
    async with sending("127.0.0.1") as sender:
        assert await sent(sender, receiver.port, "127.0.0.1") == DELIVERED


async def test_what_is_allowed_is_no_pattern(receiver: Receiver) -> None:
    async with sending(f"{HOST}:{receiver.port + 1}", "example.org", "org", "127.0.0.1", "*") as sender:
        assert await sent(sender, receiver.port) == Answer(Ending.NOT_PUBLIC)
    assert receiver.connections == 0


@pytest.mark.parametrize("address", ["169.254.169.254", "fd00:ec2::254", "0.0.0.0", "224.0.0.1"])
async def test_no_allowed_name_leads_to_credentials(receiver: Receiver, address: str) -> None:
    async with sending(HOST, resolve=Names(address)) as sender:
        assert await sent(sender, receiver.port) == Answer(Ending.NOT_PUBLIC)


async def test_a_name_is_resolved_once_for_a_connection(receiver: Receiver) -> None:
    names = Names("127.0.0.1")

    async def changes(host: str, port: int) -> Sequence[str]:
        found = await names(host, port)
        names.addresses = ["192.0.2.1"]  # nobody is there
        return found

    async with sending(HOST, resolve=changes) as sender:
        assert await sent(sender, receiver.port) == DELIVERED
        assert await sent(sender, receiver.port) == DELIVERED
    assert names.asked == [(HOST, receiver.port)]


async def test_another_address_of_a_name_is_tried(receiver: Receiver) -> None:
    # Nothing listens on the first one, as the receiver listens on 127.0.0.1 alone.
    async with sending(HOST, resolve=Names("127.0.0.2", "127.0.0.1")) as sender:
        assert await sent(sender, receiver.port) == DELIVERED


@pytest.mark.parametrize("error", [OSError("no such name"), None])
async def test_a_name_without_an_address_is_told(receiver: Receiver, error: OSError | None) -> None:
    async def fails(_host: str, _port: int) -> Sequence[str]:
        if error is not None:
            raise error
        return []

    async with sending(HOST, resolve=fails) as sender:
        assert await sent(sender, receiver.port) == Answer(Ending.UNREACHABLE)


async def test_a_name_that_is_not_resolved_in_time_is_told(receiver: Receiver) -> None:
    async def hangs(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async with sending(HOST, resolve=hangs, total_seconds=0.2) as sender:
        assert await sent(sender, receiver.port) == Answer(Ending.TIMED_OUT)


async def test_tls_is_verified_against_the_name(authority: Authority) -> None:
    async with (
        receiving(authority.serving(HOST)) as receiver,
        sending(HOST, trust=authority.trust) as sender,
    ):
        assert await sent(sender, receiver.port, scheme="https") == DELIVERED
        assert receiver.received[0].body == BODY
        assert await sent(sender, receiver.port, scheme="https") == DELIVERED
        assert receiver.connections == 1


async def test_a_certificate_for_another_name_is_refused(authority: Authority) -> None:
    async with (
        receiving(authority.serving("other.example.org")) as receiver,
        sending(HOST, trust=authority.trust) as sender,
    ):
        assert await sent(sender, receiver.port, scheme="https") == Answer(Ending.UNTRUSTED)
        assert receiver.received == []


async def test_a_certificate_of_an_authority_that_nobody_knows_is_refused(
    authority: Authority, tmp_path: Path
) -> None:
    async with receiving(authority.serving(HOST)) as receiver:
        async with sending(HOST) as sender:
            assert await sent(sender, receiver.port, scheme="https") == Answer(Ending.UNTRUSTED)
        async with sending(HOST, trust=Authority(tmp_path).trust) as sender:
            assert await sent(sender, receiver.port, scheme="https") == Answer(Ending.UNTRUSTED)
        assert receiver.received == []


async def test_a_server_without_tls_is_not_trusted(authority: Authority) -> None:
    async def speaks_first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example.org ESMTP\r\n")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(speaks_first, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with sending(HOST, trust=authority.trust) as sender:
            assert await sent(sender, port, scheme="https") == Answer(Ending.UNTRUSTED)


def test_what_is_shown_of_a_target_leaves_out_its_path() -> None:
    assert "token" not in repr(Target("https", HOST, 443, "/in?token=zebra"))
