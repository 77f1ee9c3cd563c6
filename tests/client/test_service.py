"""The client and the service itself: one story over the wire, from the first key to the news of the end."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from itertools import count

import pytest
import uvicorn
from keepwell import Keepwell, KeepwellSync, NewEvent, NotFound, NotPermitted, Unauthenticated
from keepwell.types import FactTold, PrincipalKind, VerdictNews
from temporalio.client import Client

from runtime.addresses import Addresses
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.bell import hung_bell
from runtime.readiness import Readiness
from runtime.service import Service
from store import occurrences
from store.engine import Database
from store.news import CHANNEL
from store.policies import Policies
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import Places, RateLimit, export_places
from tests.world import World

STAGING = {"workspace": "staging-cloud"}


@pytest.fixture(scope="session")
async def url(
    addresses: Addresses, database: Database, policies: Policies, client: Client, service: Service
) -> AsyncGenerator[str]:
    """Where the service answers."""
    async with (
        hung_bell(addresses.database_url, CHANNEL) as bell,
        hung_bell(addresses.database_url, occurrences.CHANNEL) as inbox_bell,
    ):
        keys = ApiKeys(database, policies)
        api = Api(
            service=service,
            keys=keys,
            authenticator=Authenticator(keys, None),
            rate=RateLimit(10_000.0),
            streams=Places(),
            exports=export_places(),
            bell=bell,
            inbox_bell=inbox_bell,
            readiness=Readiness(database, client, task_queue="any"),
            draining=asyncio.Event(),
        )
        server = uvicorn.Server(uvicorn.Config(build(api), log_config=None, lifespan="off"))
        listening = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        api.draining.set()
        bell.ring_all()
        inbox_bell.ring_all()
        server.should_exit = True
        await serving


@pytest.fixture
async def admin(url: str, world: World, database: Database, policies: Policies) -> AsyncGenerator[Keepwell]:
    """The first administrator of a tenant of the test's own."""
    token = await ApiKeys(database, policies).make_first(world.tenant)
    async with Keepwell(token, url) as admin:
        yield admin


async def token_for(admin: Keepwell, subject: str, kind: PrincipalKind, *roles: str) -> str:
    return (await admin.create_key(name=subject, subject=subject, kind=kind, roles=roles)).token


async def test_the_life_of_a_fact_over_the_wire(url: str, admin: Keepwell) -> None:
    dana = await token_for(admin, "dana", "human", "infra_lead")
    async with Keepwell(dana, url) as memory:
        assert (await memory.principal()).subject == "dana"
        stated = await memory.remember(
            scope=STAGING,
            entity="gpu-bench-01",
            attribute="lifecycle_policy",
            value="keep running",
            ends_when="QA has migrated the suite",
            text="Keep gpu-bench-01 running until QA has migrated the suite.",
        )
        assert (stated.verdict, stated.governs) == ("establish", True)
        assert stated.memory_id is not None
        answer = await memory.recall(scope=STAGING, query="clean up idle machines", entities=["gpu-bench-01"])
        assert [fact.id for fact in answer.facts] == [stated.memory_id]
        assert answer.facts[0].required
        fact = await memory.memory(stated.memory_id)
        assert isinstance(fact, FactTold)
        assert fact.status == "active"
        kinds = {"field": "kind", "op": "eq", "value": "fact"}
        found = [each.id async for each in memory.memories(scope=STAGING, filter=kinds, page_size=1)]
        assert found == [stated.memory_id]
        changed = await memory.correct(stated.memory_id, value="keep running", ends_when="the audit is over")
        assert changed.verdict == "supersede"
        assert changed.memory_id is not None
        evidence = await memory.publish(
            type="observation", activity_id="audit", scope=STAGING, text="The audit is over."
        )
        ended = await memory.confirm(changed.memory_id, evidence.event_id)
        assert ended.state == "accepted"
        lives = (await memory.history_of("gpu-bench-01", STAGING)).lives
        assert [life.fact.status for life in lives] == ["superseded", "retired"]
        assert {node.kind for node in (await memory.lineage(stated.memory_id)).nodes} >= {"fact", "event"}
        why = await memory.explain(changed.memory_id, scope=STAGING, entities=["gpu-bench-01"])
        assert (why.included, why.dropped_at) == (False, "status")
        assert (await memory.verdict_of(stated.event_id)).decisions[0].verdict == "establish"


async def test_what_is_due_comes_into_the_inbox_over_the_wire(url: str, admin: Keepwell) -> None:
    bot = await token_for(admin, "ops-agent", "agent", "agent")
    async with Keepwell(bot, url) as agent, asyncio.timeout(30):
        async with agent.activity("roll out", scope=STAGING, timezone="Europe/Berlin") as work:
            made = await work.intend("check the canary", after="PT0.5S", data={"canary": 7})
        assert [each.id async for each in agent.intentions()] == [made.intention.id]
        async with aclosing(agent.inbox()) as inbox:
            due = await anext(inbox)
            assert (due.intention_id, due.data, due.scope) == (made.intention.id, {"canary": 7}, STAGING)
            await due.snooze(after="PT0.1S")
            again = await anext(inbox)
            assert again.occurrence_id == due.occurrence_id
            told = await again.acknowledge("looks good")
        assert (told.intention.status, told.intention.timezone) == ("acknowledged", "Europe/Berlin")
        assert [each.id async for each in agent.intentions()] == []


async def test_what_waits_is_settled_over_the_wire(url: str, admin: Keepwell) -> None:
    dana = await token_for(admin, "dana", "human", "infra_lead")
    bot = await token_for(admin, "ops-agent", "agent", "agent")
    said = {"scope": STAGING, "attribute": "lifecycle_policy", "value": "may be stopped"}
    async with Keepwell(bot, url) as agent, Keepwell(dana, url) as memory:
        for number in range(3):
            held = await agent.remember({**said, "entity": f"gpu-bench-0{number}"})
            assert (held.verdict, held.reason) == ("hold_unverified", "proposed_by_model")
        [decided] = (await memory.verdict_of(held.event_id)).decisions
        assert (decided.disposition, decided.gate) == ("quarantine", "authority")
        assert decided.meaning
        answer = await agent.recall(scope=STAGING, entities=["gpu-bench-02"], unverified=True)
        assert answer.facts == []
        assert [(claim.id, claim.status) for claim in answer.unverified] == [(held.memory_id, "quarantined")]
        waiting = [review async for review in memory.reviews(scope=STAGING, page_size=2)]
        assert [review.heard[0].subject for review in waiting] == ["ops-agent"] * 3
        assert all(review.claim is not None for review in waiting)
        accepted = await memory.accept(waiting[0].id, terms={"value": "may be stopped at night"})
        assert (accepted.verdict, accepted.governs) == ("establish", True)
        rejected = await memory.reject(waiting[1].id, "It is in use.")
        assert rejected.reason == "rejected_in_review"
        with pytest.raises(NotPermitted):
            await agent.accept(waiting[2].id)

    def settle_the_last() -> None:
        with KeepwellSync(dana, url) as plain:
            [left] = plain.reviews(scope={})
            assert plain.accept(left.id).governs
            assert list(plain.reviews(scope={})) == []

    await asyncio.to_thread(settle_the_last)


async def test_an_agent_reports_by_what_it_does(url: str, admin: Keepwell) -> None:
    dana = await token_for(admin, "dana", "human", "infra_lead")
    bot = await token_for(admin, "ops-agent", "agent", "agent")
    async with Keepwell(dana, url) as lead, Keepwell(bot, url) as agent:
        said = {"scope": STAGING, "entity": "gpu-bench-01", "attribute": "lifecycle_policy"}
        kept = await lead.remember(**said, value="keep running")
        async with agent.activity("clean up", scope=STAGING) as run:
            known = await run.before("stop gpu-bench-01", entities=["gpu-bench-01"])
            run.used(known.visible)
        await agent.buffer.flush(30)
        assert known.trace_id is not None
        last = run.tickets[-1].acknowledgement
        assert last is not None
        async with asyncio.timeout(30):
            while (await agent.verdict_of(last.event_id)).stage != "settled":
                await asyncio.sleep(0.1)
        found = await admin.attribution(scope=STAGING)
        assert (found.recalls, found.reported) == (1, 1)
        reached = {stage.stage: stage.records for stage in found.funnels[0].stages}
        assert (reached["exposed"], reached["used"], reached["helped"]) == (1, 1, 0)
        assert [each.id for each in (await agent.trace_page(record_id=kept.memory_id)).traces] == [
            known.trace_id
        ]
        told = await agent.explain_trace(known.trace_id, str(kept.memory_id))
        assert told.included
        again = await agent.recall(scope=STAGING, entities=["gpu-bench-01"])
        assert again.facts[0].terms.help == pytest.approx(1 / 3)


async def test_a_buffer_empties_into_the_service(url: str, admin: Keepwell) -> None:
    agent = await token_for(admin, "ops-agent", "agent", "agent")
    now = datetime.now(UTC)

    def event(text: str, **scope: str) -> NewEvent:
        return NewEvent(activity_id="run-1", type="note", scope=scope or STAGING, occurred_at=now, text=text)

    async with Keepwell(agent, url) as memory:
        tickets = [memory.buffer.put(event(f"step {number}")) for number in range(250)]
        bad = [
            memory.buffer.put(event("where?", planet="mars")),
            memory.buffer.put(event("mine?", user="sam")),
        ]
        last = memory.buffer.put(event("the last step"))
        flushed = await memory.buffer.flush(30)
    assert (flushed.durable, flushed.waiting, flushed.refused) == (251, 0, 2)
    seqs = [ticket.acknowledgement.seq for ticket in [*tickets, last] if ticket.acknowledgement]
    assert seqs == list(range(1, 252))
    assert [ticket.error.code for ticket in bad if ticket.error] == ["invalid_input", "not_permitted"]


async def test_news_follow_what_was_said(url: str, admin: Keepwell) -> None:
    dana = await token_for(admin, "dana", "human", "infra_lead")
    async with Keepwell(dana, url) as memory:
        first = await memory.remember(scope=STAGING, entity="db-1", attribute="uses", value="Postgres 16")
        async with aclosing(memory.news()) as news:
            waiting = asyncio.ensure_future(anext(news))
            for number in count():
                # What is said before the stream is open is no news of it: say things until one comes.
                await memory.remember(scope=STAGING, entity="db-2", attribute="owner", value=f"team {number}")
                if (await asyncio.wait({waiting}, timeout=0.2))[0]:
                    break
        assert first.memory_id is not None
        taken = await memory.retract(first.memory_id, text="It was never installed.")
        assert taken.verdict == "retract"
        verdicts: list[str] = []
        ended = False
        async with aclosing(memory.news(after=waiting.result().id)) as news:
            async for _, told in news:
                if isinstance(told, VerdictNews):
                    verdicts.append(told.verdict)
                elif told.to_status == "retracted":
                    assert told.memory_id == first.memory_id
                    ended = True
                if ended and "retract" in verdicts:
                    break


async def test_who_may_not_is_told_so(url: str, admin: Keepwell) -> None:
    agent = await token_for(admin, "ops-agent", "agent", "agent")
    async with Keepwell(agent, url) as memory:
        with pytest.raises(NotPermitted):
            await memory.keys()
        with pytest.raises(NotFound):
            await memory.memory("00000000-0000-4000-8000-000000000000")
        (made,) = [key for key in await admin.keys() if key.name == "ops-agent"]
        await admin.revoke_key(made.id)
    async with Keepwell(f"{agent[:-4]}beef", url) as stranger:
        with pytest.raises(Unauthenticated):
            await stranger.principal()


async def test_a_program_without_a_loop(url: str, admin: Keepwell) -> None:
    token = await token_for(admin, "ops-agent", "agent", "agent")

    def work() -> None:
        with KeepwellSync(token, url) as memory:
            assert memory.health().status == "alive"
            assert memory.readiness().ready
            assert memory.recall(scope=STAGING, query="anything?").facts == []

    await asyncio.to_thread(work)
