"""What a person has switched off stays off whatever a change of the policy makes of its class."""

from typing import Any

import pytest
from sqlalchemy import text

from models.errors import NotFound
from models.export import Export
from models.memories import MemoryQuery
from models.policy_change import EffectKind
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from recall.memories import FactRead
from tests.household import CHAT, Household
from tests.policies import Change, applied, without
from tests.world import World, event

PREFERENCE = "user_preference"
MINE = {"user": "ana"}
Document = dict[str, Any]


@pytest.fixture
def household(world: World) -> Household:
    return Household(world)


def renamed(document: Document) -> None:
    document["classes"]["preferences"] = document["classes"].pop(PREFERENCE)


def moved(document: Document) -> None:
    """One attribute goes to a class that has others."""
    spec = document["classes"][PREFERENCE]["attributes"].pop("preference")
    document["classes"]["general_note"]["attributes"]["preference"] = spec


def renamed_with_its_attribute(document: Document) -> None:
    renamed(document)
    attributes = document["classes"]["preferences"]["attributes"]
    attributes["liking"] = attributes.pop("preference") | {"synonyms": ["preference"]}


def impersonal(document: Document) -> None:
    document["classes"][PREFERENCE] |= {"personal": None, "sensitivity": "normal"}


def renamed_and_impersonal(document: Document) -> None:
    impersonal(document)
    renamed(document)


async def recalled(household: Household, scope: dict[str, str]) -> set[str]:
    """What comes to somebody else who may recall there."""
    bob = household.person("bob", "operator")
    answer = await household.service.recall(
        bob, RecallRequest.model_validate({"scope": scope, "query": "tea"})
    )
    return {fact.value for fact in answer.facts}


async def listed(household: Household, who: Principal, scope: dict[str, str]) -> list[str]:
    page = await household.service.memories(who, MemoryQuery(scope=scope))
    return [each.fact.terms.value for each in page.memories if isinstance(each, FactRead)]


@pytest.mark.parametrize("scope", [MINE, CHAT], ids=["her scope", "a chat"])
@pytest.mark.parametrize(
    "change",
    [
        renamed,
        moved,
        renamed_with_its_attribute,
        impersonal,
        renamed_and_impersonal,
        without(PREFERENCE),
    ],
)
async def test_it_stays_off(household: Household, change: Change, scope: dict[str, str]) -> None:
    service, ana = household.service, household.person("ana", "participant", "user")
    fact_id = await household.remembered(ana, "preference", "tea", scope=scope)
    await service.switch_off(ana, PREFERENCE)
    await applied(household.world, change)
    assert await recalled(household, scope) == set()
    for who in (household.operator, household.admin):
        assert await listed(household, who, scope) == []
        with pytest.raises(NotFound):
            await service.memory(who, fact_id)
    # It is still hers: marked, and to be seen by her alone.
    own = (await service.own_memories(ana, 10)).memories
    assert [(each.fact.id, each.switched_off) for each in own if isinstance(each, FactRead)] == [
        (fact_id, True)
    ]
    document = Export.model_validate_json(await service.export_of(ana))
    [exported] = document.memories
    assert (exported.id, exported.about_subject, exported.switched_off) == (fact_id, True, True)
    assert document.withheld == []


@pytest.mark.parametrize("change", [renamed, moved, renamed_with_its_attribute, impersonal])
async def test_nothing_new_of_it_is_held(household: Household, change: Change) -> None:
    service, ana = household.service, household.person("ana", "participant", "user")
    await service.switch_off(ana, PREFERENCE)
    await applied(household.world, change)
    for scope in (MINE, CHAT):
        assert (await household.state(ana, "preference", "tea", scope=scope)).reason == "switched_off"
    said = await household.state(household.person("bob", "operator"), "preference", "tea", scope=CHAT)
    assert said.reason == "permitted_statement"


@pytest.mark.parametrize("change", [renamed, moved, impersonal])
async def test_what_waits_of_no_thing_yet_stays_off_too(household: Household, change: Change) -> None:
    """Her own words of a name that two things have are hers, although their class holds no personal data any more."""
    service, ana = household.service, household.person("ana", "participant")
    for identity in ("cafe:one", "cafe:other"):
        seen = event(text="seen", scope=CHAT, entities=[{"id": identity, "name": "the cafe"}])
        done = event(type="activity_completed", scope=CHAT)
        await household.world.digest(
            await household.world.publish(household.person("bob", "participant"), seen, done)
        )
    held = await household.state(ana, "preference", "tea", scope=CHAT, entity="the cafe")
    assert held.reason == "ambiguous_entity"
    assert len((await service.review_queue(household.operator, CHAT)).items) == 1
    await service.switch_off(ana, PREFERENCE)
    await applied(household.world, change)
    assert not (await service.review_queue(household.operator, CHAT)).items


@pytest.mark.parametrize(
    ("change", "class_name"),
    [
        (renamed, "preferences"),
        (renamed_with_its_attribute, "preferences"),
        (renamed, PREFERENCE),
        (moved, PREFERENCE),
        (impersonal, PREFERENCE),
        (without(PREFERENCE), PREFERENCE),
    ],
)
async def test_the_person_switches_it_on_by_the_name_of_today_or_of_then(
    household: Household, change: Change, class_name: str
) -> None:
    service, ana = household.service, household.person("ana", "participant", "user")
    await household.remembered(ana, "preference", "tea", scope=CHAT)
    await service.switch_off(ana, PREFERENCE)
    await applied(household.world, change)
    told = {each.class_name: each.state for each in await service.switches_of(ana)}
    assert (told[PREFERENCE], told[class_name]) == ("off", "off")
    assert (await service.switch_on(ana, class_name)).state == "on"
    told = {each.class_name: each.state for each in await service.switches_of(ana)}
    assert set(told.values()) == {"on"}
    # What no class declares is recalled by nobody.
    expected = set[str]() if change.__name__ == "drop" else {"tea"}
    assert await recalled(household, CHAT) == expected


async def test_what_others_have_said_first_does_not_become_hers_as_the_class_holds_no_personal_data(
    household: Household,
) -> None:
    """Only what was about Ana stays hidden: not what others have said before her, nor what is not of the class."""
    service, ana = household.service, household.person("ana", "participant", "operator")
    bob = household.person("bob", "participant")
    for who in (bob, ana):
        await household.state(who, "preference", "tea", scope=CHAT)
    await household.remembered(ana, "owner", "tea and coffee", scope={"workspace": "w"}, entity="the kitchen")
    await service.switch_off(ana, PREFERENCE)
    await applied(household.world, impersonal)
    assert await recalled(household, CHAT) == {"tea"}
    assert await recalled(household, {"workspace": "w"}) == {"tea and coffee"}


async def told_of(household: Household, change: Change) -> set[tuple[str, str, tuple[str, ...], int]]:
    """What a dry run tells, but for the sensitivity."""
    effects = (await applied(household.world, change, dry_run=True)).effects
    return {
        (each.kind.value, each.attribute, each.concerns, each.memories)
        for each in effects
        if each.kind is not EffectKind.SENSITIVITY_CHANGED
    }


def without_controls(document: Document) -> None:
    document["classes"][PREFERENCE]["controls"] = ["inspect"]


def auditors(document: Document) -> None:
    document["roles"]["auditor"] = {"may": ["read"], "scopes": {"conversation": "any"}}


async def test_a_dry_run_tells_what_a_person_loses(household: Household) -> None:
    """Of Ana, who has the class off, and of Ben, who has not."""
    service, ana = household.service, household.person("ana", "participant", "user")
    for who in (ana, household.person("ben", "participant")):
        await household.remembered(who, "preference", f"tea for {who.subject}", scope=CHAT)
    await service.switch_off(ana, PREFERENCE)
    lost = ("correct", "disable", "export", "withdraw")
    assert await told_of(household, without_controls) == {("controls_lost", "preference", lost, 2)}
    # What Ana has switched off stays hers.
    assert await told_of(household, impersonal) == {("no_longer_about_anybody", "preference", (), 1)}
    assert await told_of(household, without(PREFERENCE)) == {
        ("no_longer_declared", "preference", (), 2),
        ("no_longer_about_anybody", "preference", (), 1),
        ("controls_lost", "preference", ("correct", "disable", "withdraw"), 1),
    }
    assert await told_of(household, renamed) == set()
    assert await told_of(household, auditors) == {("becomes_readable_for", "preference", ("auditor",), 2)}


async def test_a_dry_run_tells_what_comes_back_or_goes_by_a_switch(household: Household) -> None:
    service, ana = household.service, household.person("ana", "participant", "user")
    await household.remembered(ana, "preference", "tea")
    await service.switch_off(ana, "general_note")
    assert await told_of(household, moved) >= {("becomes_switched_off", "preference", (), 1)}
    await applied(household.world, moved)
    assert await household.values() == set()
    # It came to the class after that was switched off, so that the switch covers it by the class alone.
    back = await told_of(household, lambda document: None)
    assert ("no_longer_switched_off", "preference", (), 1) in back


async def test_a_switch_of_before_attributes_were_recorded_goes_by_its_class(household: Household) -> None:
    await household.remembered(household.operator, "preference", "tea")
    async with household.world.database.transaction(household.ana.tenant_id) as work:
        await work.run(
            text(
                "INSERT INTO switches (tenant_id, subject, class_name, state)"
                f" VALUES (:tenant, 'ana', '{PREFERENCE}', 'off')"
            )
        )
    assert await household.values() == set()
    # Switched off again it says of which attributes it is, and is as good as any other.
    assert (await household.service.switch_off(household.ana, PREFERENCE)).state == "off"
    await applied(household.world, renamed)
    assert await household.values() == set()


async def test_a_switch_in_a_class_that_no_longer_holds_personal_data_is_of_her_scope_alone(
    household: Household,
) -> None:
    service, ana = (
        household.service,
        household.world.principal("ana", PrincipalKind.HUMAN, "participant", "user"),
    )
    await applied(household.world, impersonal)
    await household.remembered(ana, "preference", "tea", scope=CHAT)
    await household.remembered(ana, "preference", "tea", scope=MINE)
    await service.switch_off(ana, PREFERENCE)
    assert await recalled(household, CHAT) == {"tea"}
    assert await recalled(household, MINE) == set()
