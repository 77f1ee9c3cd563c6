"""Changing the policy: by administrators alone, seen before it is done, obeyed at once, and never rewritten."""

import asyncio
from typing import Any

import pytest

from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.policy_change import EffectKind
from models.policy_document import digest_of, document_of
from models.policy_proposal import NewPolicy
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.statements import Statement
from models.verbs import Verb
from runtime.policy_file import sent_policy, written_policy
from runtime.settings import SHIPPED_POLICY
from tests.policies import admin_of, applied, otherwise, read_by, without
from tests.world import STAGING, World

KEEP = "Keep gpu-bench-01 running until the audit is over."
CONTENT = SHIPPED_POLICY.read_text("utf-8")


def new(content: str = CONTENT, reason: str = "a test", **fields: Any) -> NewPolicy:
    return NewPolicy(content=content, reason=reason, **fields)


async def test_a_tenant_takes_on_a_policy_of_its_own_and_keeps_its_words(world: World) -> None:
    root, service = admin_of(world), world.service
    before = await service.policy_in_force(root)
    assert before.version == 0
    assert before.content is not None
    assert digest_of(sent_policy(before.content)) == before.digest
    made = await service.apply_policy(root, new(f"{CONTENT}\n# for the audit\n"))
    assert (made.version, made.applied, made.effects, made.grants) == (1, True, (), ())
    assert made.digest == before.digest
    read = await service.policy_in_force(root)
    assert (read.version, read.digest, read.document) == (1, before.digest, before.document)
    assert read.content == f"{CONTENT}\n# for the audit\n"
    assert await service.policy_of_version(root, 1) == read


async def test_a_dry_run_tells_all_and_changes_nothing(world: World) -> None:
    await world.say(world.lead, KEEP)
    [fact] = (await world.recall(entities=("gpu-bench-01",))).required
    told = await applied(world, without("operational_restriction"), dry_run=True)
    assert (told.version, told.applied) == (1, False)
    [effect] = told.effects
    assert effect.kind is EffectKind.NO_LONGER_DECLARED
    assert (effect.attribute, effect.memories, effect.ids) == ("lifecycle_policy", 1, (fact.id,))
    assert (await world.service.policy_in_force(admin_of(world))).version == 0
    assert await world.service.policy_log(admin_of(world)) == []
    assert (await world.recall(entities=("gpu-bench-01",))).required
    done = await applied(world, without("operational_restriction"))
    assert done == told._replace(applied=True)
    assert (await world.recall(entities=("gpu-bench-01",))).facts == ()


async def test_memories_that_have_ended_are_not_counted_and_claims_are(world: World) -> None:
    await world.say(world.lead, KEEP)
    await world.say(world.lead, "Keep gpu-bench-01 reserved until the benchmark is done.", activity_id="b")
    await world.say(world.developer, "Keep gpu-bench-01 running until the move is over.", activity_id="c")
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    assert sorted(life.status for life in lives) == ["active", "quarantined", "superseded"]
    [effect] = (await applied(world, without("operational_restriction"), dry_run=True)).effects
    assert effect.memories == 2


async def test_what_is_taken_from_roles_is_told(world: World) -> None:
    def narrower(document: dict[str, Any]) -> None:
        document["roles"]["developer"]["may"] = ["recall", "read"]
        document["roles"]["agent"]["scopes"].pop("task")

    told = await applied(world, narrower)
    assert [(lost.name, lost.gone, len(lost.verbs), lost.scopes) for lost in told.grants] == [
        ("agent", False, 0, ("task",)),
        ("developer", False, 8, ()),
    ]
    with pytest.raises(NotPermitted):
        await world.publish(world.developer, {"activity_id": "a"} | _note())


def _note() -> dict[str, Any]:
    return {"type": "note", "scope": STAGING, "occurred_at": "2026-03-02T09:00:00Z", "text": "x"}


async def test_steps_obey_as_well_within_a_second(world: World) -> None:
    """What a lead says is a claim once no lead may write it any more."""

    def no_writer(document: dict[str, Any]) -> None:
        document["classes"]["service_dependency"]["attributes"]["owner"]["write"] = ["operator"]

    await applied(world, no_writer)
    await asyncio.sleep(1.1)
    told = await world.service.remember(
        world.lead, Statement(scope=STAGING, entity="db-1", attribute="owner", value="Ana")
    )
    assert told.decided is not None
    assert (told.decided.verdict, told.decided.reason) == ("hold_unverified", "not_permitted")


async def test_only_administrators_of_the_whole_tenant_change_it(world: World) -> None:
    root = admin_of(world)
    refused: list[Principal] = [
        world.lead,
        world.agent,
        world.pipeline,
        world.principal("olga", PrincipalKind.HUMAN, "operator"),
        root.model_copy(update={"within": STAGING}),
        root.model_copy(update={"only": frozenset({Verb.READ})}),
        world.principal("bot", PrincipalKind.AGENT, "admin"),
    ]
    for who in refused:
        for dry_run in (True, False):
            with pytest.raises(NotPermitted):
                await world.service.apply_policy(who, new(dry_run=dry_run))
    for who in refused[:-1]:
        with pytest.raises(NotPermitted):
            await world.service.policy_log(who)
        with pytest.raises(NotPermitted):
            await world.service.policy_of_version(who, 1)
    assert await world.service.policy_log(root) == []
    system = world.principal("ci", PrincipalKind.SYSTEM, "admin")
    assert (await world.service.apply_policy(system, new())).applied


async def test_whoever_reads_anything_reads_the_policy_and_its_comments_are_for_administrators(
    world: World,
) -> None:
    await world.service.apply_policy(admin_of(world), new())
    read = await world.service.policy_in_force(world.agent)
    assert read.document == document_of(sent_policy(CONTENT))
    assert read.content is None
    nobody = world.principal("nobody")
    only_writes = world.lead.model_copy(update={"only": frozenset({Verb.PUBLISH})})
    for who in (nobody, only_writes):
        with pytest.raises(NotPermitted):
            await world.service.policy_in_force(who)


async def test_nobody_locks_themselves_out(world: World) -> None:
    def without_administrators(document: dict[str, Any]) -> None:
        document["roles"]["admin"]["may"] = ["read"]

    def within_workspaces(document: dict[str, Any]) -> None:
        document["roles"]["admin"]["tenant_wide"] = False

    def called_otherwise(document: dict[str, Any]) -> None:
        document["roles"]["boss"] = document["roles"].pop("admin")

    for change in (without_administrators, within_workspaces, called_otherwise):
        for dry_run in (True, False):
            with pytest.raises(InvalidInput, match="you could not change it again") as refused:
                await applied(world, change, dry_run=dry_run)
            assert refused.value.field == "content"
    both = admin_of(world).model_copy(update={"roles": ("admin", "boss")})
    content = written_policy(otherwise(called_otherwise))
    assert (await world.service.apply_policy(both, new(content))).applied
    with pytest.raises(NotPermitted, match="knows no role admin"):
        await world.service.apply_policy(admin_of(world), new())


async def test_a_change_is_made_from_the_version_that_is_in_force(world: World) -> None:
    await applied(world, read_by("decision", "operator"), expected_version=0)
    for stale in (0, 2):
        for dry_run in (True, False):
            with pytest.raises(Conflict, match="another version is in force by now"):
                await applied(world, without("decision"), expected_version=stale, dry_run=dry_run)
    with pytest.raises(Conflict, match="there is nothing to change"):
        await applied(world, read_by("decision", "operator"))
    assert (await applied(world, without("decision"), expected_version=1)).version == 2
    log = await world.service.policy_log(admin_of(world))
    assert [(each.version, each.applied_by, each.reason) for each in log] == [
        (2, "root", "a test"),
        (1, "root", "a test"),
    ]


async def test_of_many_changes_at_once_one_is_made_and_the_others_are_told(world: World) -> None:
    changes = [read_by("decision", role) for role in ("operator", "infra_lead", "developer", "agent", "user")]
    made = await asyncio.gather(*(applied(world, change) for change in changes), return_exceptions=True)
    versions = sorted(each.version for each in made if not isinstance(each, BaseException))
    assert versions == list(range(1, len(versions) + 1))
    assert all(isinstance(each, Conflict) for each in made if isinstance(each, BaseException))
    assert len(await world.service.policy_log(admin_of(world))) == len(versions)


async def test_what_was_once_in_force_is_applied_anew(world: World) -> None:
    """No version is taken back: the way back is another version."""
    root = admin_of(world)
    await applied(world, read_by("decision", "operator"))
    await applied(world, without("decision"))
    first = await world.service.policy_of_version(root, 1)
    assert first.content is not None
    again = await world.service.apply_policy(root, new(first.content))
    assert (again.version, again.digest) == (3, first.digest)
    for none in (0, 4, -1):
        with pytest.raises(NotFound, match="no such version"):
            await world.service.policy_of_version(root, none)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("version: 2\ndimensions: staging\n", "line 2: dimensions: "),
        (CONTENT.replace("version: 2", "version: 1", 1), "line 2: version: "),
        (CONTENT.replace("[infra_lead, operator]", "[emperor]", 1), "names emperor, which neither roles"),
        ("", "the document: "),
    ],
)
async def test_what_is_no_policy_is_refused_with_its_line(world: World, content: str, complaint: str) -> None:
    sent = new().model_copy(update={"content": content})
    with pytest.raises(InvalidInput) as refused:
        await world.service.apply_policy(admin_of(world), sent)
    assert complaint in refused.value.message
    assert await world.service.policy_log(admin_of(world)) == []


async def test_a_tenant_that_nobody_has_made_gets_no_policy(world: World) -> None:
    root = admin_of(world).model_copy(update={"tenant": f"{world.tenant}-none"})
    with pytest.raises(NotFound, match="keepwell tenants add"):
        await world.service.apply_policy(root, new())


async def test_another_tenant_is_not_affected(world: World) -> None:
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.lead)
    await other.say(other.lead, KEEP)
    change = await applied(world, without("operational_restriction"))
    assert change.effects == ()
    asked = RecallRequest(scope=STAGING, entities=("gpu-bench-01",))
    assert (await other.service.recall(other.agent, asked)).required
    assert (await other.service.policy_in_force(other.lead)).version == 0
