"""The Northstar story, played over HTTP by the client, each party with a key of its own."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import httpx2
import pytest
from keepwell import Keepwell
from keepwell.errors import NotPermitted
from temporalio.client import Client

from examples.northstar.__main__ import run
from examples.northstar.check import faults
from examples.northstar.play import Heard, play
from examples.northstar.story import HERE, read_story
from models.api_keys import NewApiKey
from models.principals import Principal, PrincipalKind
from runtime.addresses import Addresses
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.bell import hung_bell
from runtime.policy_file import load_policy
from runtime.readiness import Readiness
from runtime.service import Service
from runtime.worker import running_worker
from store import occurrences
from store.engine import Database
from store.news import CHANNEL
from store.policies import Policies
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import Places, RateLimit, export_places
from tests.stores import own_database
from tests.world import MASKER, QUIET_SECONDS

STORY = read_story()
STRANGERS = ("ana-ortiz", "anna-ortiz", "ANA-ORTIZ", "ana%", "ana_ortiz", "ana-ortiz ", "*", "ben")


class Shop:
    """The story, played, and a client for any key of its tenant."""

    def __init__(
        self, heard: list[Heard], again: list[Heard], names: list[str], clients: dict[str, Keepwell]
    ) -> None:
        self.heard = heard
        self.again = again
        self.names = names
        self.clients = clients


@pytest.fixture(scope="module")
async def shop(addresses: Addresses, client: Client) -> AsyncGenerator[Shop]:
    """The story in a database of its own: what a worker finds waiting it decides by its own policy."""
    async with (
        own_database(addresses) as url,
        Database(url) as database,
        opened_shop(url, database, client) as played,
    ):
        yield played


@asynccontextmanager
async def opened_shop(url: str, database: Database, client: Client) -> AsyncGenerator[Shop]:
    policy = load_policy(HERE / "policy.yaml")
    queue = f"northstar-{uuid4().hex[:8]}"
    admin = Principal(
        tenant=f"northstar-{uuid4().hex[:8]}", subject="root", kind=PrincipalKind.HUMAN, roles=("admin",)
    )
    policies = Policies(database, policy)
    service = Service(database, policies, client, masker=MASKER, task_queue=queue)
    await service.add_tenant(admin)
    keys = ApiKeys(database, policies)
    async with (
        running_worker(url, client, policy, task_queue=queue, quiet_seconds=QUIET_SECONDS),
        hung_bell(url, CHANNEL) as bell,
        hung_bell(url, occurrences.CHANNEL) as inbox_bell,
    ):
        api = Api(
            service=service,
            keys=keys,
            authenticator=Authenticator(keys, None),
            rate=RateLimit(100_000),
            streams=Places(),
            exports=export_places(),
            bell=bell,
            inbox_bell=inbox_bell,
            readiness=Readiness(database, client, task_queue=queue),
            draining=asyncio.Event(),
        )
        transport = httpx2.ASGITransport(build(api))

        def opened(key: str) -> Keepwell:
            return Keepwell(key, "http://keepwell", transport=transport)

        _, token = await keys.make(
            admin, NewApiKey(name="root", subject="root", kind=PrincipalKind.HUMAN, roles=("admin",))
        )
        async with opened(token) as administering:
            # As a play leaves it that has died halfway.
            left = {"name": "northstar copilot", "subject": "copilot", "kind": "agent", "roles": ["copilot"]}
            await administering.create_key(left)
            heard = await play(STORY, administering, opened, datetime.now(UTC))
            again = await play(STORY.of_run("again"), administering, opened, datetime.now(UTC))
            names = [key.name for key in await administering.keys() if key.revoked_at is None]
            clients: dict[str, Keepwell] = {}
            for who in ("ana-ortiz", "anna-ortiz"):
                key = {"name": f"again {who}", "subject": who, "kind": "human", "roles": ["customer"]}
                clients[who] = opened((await administering.create_key(key)).token)
            yield Shop(heard, again, names, clients)
            for each in clients.values():
                await each.aclose()


def test_every_turn_is_as_it_should_be(shop: Shop) -> None:
    assert faults(shop.heard) == []
    assert len(shop.heard) == sum(len(session.turns) for _, session in STORY.sittings())


def test_played_again_it_is_the_same(shop: Shop) -> None:
    assert faults(shop.again) == []
    first = [(each.turn.expects, each.reply.memory, each.refused) for each in shop.heard]
    assert [(each.turn.expects, each.reply.memory, each.refused) for each in shop.again] == first
    assert shop.names == ["root"]


def test_a_run_has_customers_of_its_own() -> None:
    marked = STORY.of_run("7f")
    assert set(marked.customers) == {f"{name}-7f" for name in STORY.customers}
    assert {each.customer for each in marked.conversations} == set(marked.customers)
    assert marked.conversations[-1].sessions[-1].turns[0].about[:2] == (
        "customer:ana-ortiz-7f",
        "customer:anna-ortiz-7f",
    )


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"KEEPWELL_API_KEY": ""}, "set KEEPWELL_API_KEY"),
        ({"KEEPWELL_API_KEY": "kw_x", "KEEPWELL_URL": "nowhere"}, "KEEPWELL_URL"),
        ({"KEEPWELL_API_KEY": "kw_x", "KEEPWELL_URL": "http://127.0.0.1:9"}, "check that it runs"),
    ],
)
def test_what_keeps_it_from_being_played_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variables: dict[str, str], said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert run() == 1
    told = capsys.readouterr().err
    assert told.startswith("northstar: ")
    assert told.count("\n") == 1
    assert said in told


def test_the_story_is_worth_playing() -> None:
    """Guards the test itself: a story that expects nothing would prove nothing."""
    turns = [turn for _, session in STORY.sittings() for turn in session.turns]
    assert len(STORY.conversations) == 10
    assert all(len(each.sessions) > 1 for each in STORY.conversations)
    assert sum(bool(turn.expects) for turn in turns) > 15
    assert sum(len(turn.never) for turn in turns) > 20


def test_the_checks_can_fail(shop: Shop) -> None:
    other = shop.heard[0]._replace(reply=shop.heard[-1].reply._replace(context="never by email"))
    wrong = other._replace(turn=other.turn.model_copy(update={"never": ("email",)}))
    assert len(faults([wrong])) == 2


def test_what_a_system_of_record_holds_is_asked_there_and_refused_here(shop: Shop) -> None:
    refused = [each for each in shop.heard if each.refused]
    told = {saying.attribute for each in refused for saying in each.turn.proposes}
    assert {"shipment_status", "refund_eligibility"} <= told
    [last] = [each for each in shop.heard if each.turn.asks_order == "N-1001" and each.session.day == 20]
    assert last.reply.text.endswith("Order N-1001 is delivered and cannot be refunded.")
    [foreign] = [each for each in shop.heard if each.turn.asks_order == "N-1001" and each.session.day == 7]
    assert foreign.reply.text.endswith("I find no order N-1001 of yours.")


@pytest.mark.parametrize("other", STRANGERS)
async def test_no_customer_reads_in_anothers_scope(shop: Shop, other: str) -> None:
    mine = "ana-ortiz"
    own = await shop.clients[mine].recall("how", scope={"user": mine}, entities=[f"customer:{mine}"])
    assert own.facts
    if other == mine:
        return
    with pytest.raises(NotPermitted):
        await shop.clients[mine].recall("how", scope={"user": other}, entities=[f"customer:{other}"])
    named = await shop.clients[mine].recall(
        f"sms Doctor Ortiz {other}",
        scope={"user": mine},
        entities=[f"customer:{other}", "Doctor Ortiz"],
        limit=50,
    )
    assert {fact.canonical for fact in named.facts} <= {"customer:ana-ortiz"}
    assert "Doctor" not in named.model_dump_json(exclude={"passages"})
