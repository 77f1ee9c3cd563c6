"""The signature, read by the library's own verifier, and by the steps that the guide gives to receivers."""

import base64
import hashlib
import hmac
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from providers.webhooks.sender import WebhookSender
from tests.docs.run_document import blocks_of
from tests.webhooks.senders import BODY, HOST, MESSAGE, SECRET, sending, sent
from tests.webhooks.server import Received, Receiver, receiving

OLD = f"whsec_{base64.b64encode(b'zebra-7731 was a secret, of 32 b').decode()}"
GUIDE = Path(__file__).parents[2] / "docs/webhooks.md"

Genuine = Callable[[str, dict[str, str], bytes], bool]


@pytest.fixture
async def receiver() -> AsyncGenerator[Receiver]:
    async with receiving() as running:
        yield running


@pytest.fixture
async def sender() -> AsyncGenerator[WebhookSender]:
    async with sending(HOST) as made:
        yield made


async def one(sender: WebhookSender, receiver: Receiver, *secrets: str) -> Received:
    await sent(sender, receiver.port, secrets=secrets)
    [received] = receiver.received
    return received


async def test_the_library_takes_it(sender: WebhookSender, receiver: Receiver) -> None:
    received = await one(sender, receiver, SECRET)
    assert Webhook(SECRET).verify(received.body, received.heads)["type"] == "intention.due"


@pytest.mark.parametrize(
    "changed", ["body", "webhook-id", "webhook-timestamp", "webhook-signature", "secret"]
)
async def test_the_library_refuses_whatever_is_changed(
    sender: WebhookSender, receiver: Receiver, changed: str
) -> None:
    received = await one(sender, receiver, SECRET)
    heads = dict(received.heads)
    if changed == "webhook-timestamp":
        heads[changed] = str(int(heads[changed]) + 1)
    elif changed == "webhook-signature":
        heads[changed] = f"v1,{base64.b64encode(bytes(32)).decode()}"
    elif changed == "webhook-id":
        heads[changed] += "0"
    body = received.body + b" " if changed == "body" else received.body
    with pytest.raises(WebhookVerificationError):
        Webhook(OLD if changed == "secret" else SECRET).verify(body, heads)


async def test_it_is_that_of_the_specification(sender: WebhookSender, receiver: Receiver) -> None:
    received = await one(sender, receiver, SECRET)
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    content = b".".join([str(MESSAGE).encode(), received.heads["webhook-timestamp"].encode(), BODY])
    digest = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    assert received.heads["webhook-signature"] == f"v1,{digest}"


async def test_while_one_secret_replaces_another_both_are_good(
    sender: WebhookSender, receiver: Receiver
) -> None:
    received = await one(sender, receiver, SECRET, OLD)
    assert len(received.heads["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, OLD):
        Webhook(secret).verify(received.body, received.heads)


async def test_the_guide_shows_receivers_how_to_verify(sender: WebhookSender, receiver: Receiver) -> None:
    [shown] = [text for _, text, _ in blocks_of(GUIDE.read_text("utf-8")) if "is_genuine" in text]
    told: dict[str, Genuine] = {}
    exec(shown, told)
    received = await one(sender, receiver, OLD, SECRET)
    assert told["is_genuine"](SECRET, received.heads, received.body)
    assert not told["is_genuine"](SECRET, received.heads, received.body + b" ")
    assert not told["is_genuine"](f"whsec_{base64.b64encode(bytes(32)).decode()}", received.heads, BODY)
