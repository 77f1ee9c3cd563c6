"""The export: everything that is held of a person, whole, with provenance, and nothing of anybody of a similar name."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text

from models.errors import NotFound, NotPermitted
from models.export import Export
from models.export_document import SECTIONS, canonical
from models.principals import Principal
from models.recall import RecallRequest
from models.reconciliation import Verdict
from models.statements import Correction, Withdrawal
from models.verbs import Verb
from store.engine import Database
from store.tables import metadata
from tests.household import AGENT, CHAT, HUMAN, SYSTEM, Household
from tests.http.conftest import Statements, own
from tests.policies import applied, read_by
from tests.world import STAGING, World, event

KIT = "kit.kestrel-5531"
"""Nobody else's name has this in it, so that a row that does is about Kit."""
MINE = {"user": KIT}


def now() -> str:
    return datetime.now(UTC).isoformat()


@pytest.fixture
def household(world: World) -> Household:
    return Household(world)


async def exported(household: Household, who: Principal, subject: str | None = None) -> Export:
    """An export as a reader of the format has it."""
    return Export.model_validate_json(await household.service.export_of(who, subject))


async def live(household: Household) -> Principal:
    """All that can happen to a person: what they say and what is said of them, decided in every way that there is."""
    service, world = household.service, household.world
    kit = household.person(KIT, "developer", "participant")
    operator = household.operator
    first = await household.remembered(operator, "contact_channel", "email", scope=MINE)
    await service.correct(kit, first, Correction(value="phone"))
    tea = await household.remembered(kit, "preference", "tea", scope=CHAT)
    await household.state(household.world.principal("bot", AGENT, "agent"), "preference", "tea", scope=CHAT)
    await service.retract(kit, tea, Withdrawal(text="No tea any more."))
    await household.remembered(kit, "uses", "Postgres 18", scope=STAGING, entity="db-1")
    await household.state(
        kit, "owner", "me", scope=STAGING, entity="db-1"
    )  # held: no role of Kit's may write it
    promised = await household.remembered(
        world.lead, "commitment", "tidy up", scope=STAGING, ends_when="the shelf is empty"
    )
    said = [
        (await world.publish(who, event(**fields, activity_id="shelf", occurred_at=now())))[0]
        for who, fields in (
            (world.lead, {"type": "message", "text": "Who tidies up?"}),
            (kit, {"type": "message", "text": "I do. The shelf is empty."}),
            (world.lead, {"type": "milestone", "text": "Somebody will."}),
        )
    ]
    await world.digest(said)
    assert (await service.confirm(kit, promised, said[1].event_id)).state == "accepted"
    about = event(scope=MINE, activity_id="watching", type="milestone", text="asked for a summary")
    await world.digest(await world.publish(operator, about))
    await service.switch_off(kit, "general_note")
    await household.state(operator, "note", "a note", scope=MINE)
    for number in range(3):
        asked = RecallRequest(scope=STAGING, query=f"my number {number}")
        assert (await service.recall(kit, asked)).trace_id
    await service.switch_on(kit, "general_note")
    await service.switch_off(kit, "task_commitment")
    return kit


# By which of its columns a row of a table is found in an export. What is left out tells nothing of its own: keywords
# are made from the texts, and a key for the API is no memory.
FOUND_BY = {
    "events": ("id",),
    "candidates": ("id",),
    "decisions": ("candidate_id",),
    "evidence": ("record_id", "event_id", "supports"),
    "facts": ("id",),
    "fact_keys": ("id",),
    "transitions": ("id",),
    "confirmations": ("id",),
    "episodes": ("id",),
    "passages": ("id",),
    "lineage": ("child_id", "parent_id"),
    "switches": ("class_name", "state"),
    "switched_attributes": ("attribute", "state"),
    "policies": ("version",),
    "traces": ("id",),
}
LEFT_OUT = {"postings", "api_keys"}


def rows_in(document: Export) -> dict[str, set[tuple[str, ...]]]:
    """The rows that an export has, of each table."""
    candidates = [each for one in document.events for each in one.candidates]
    memories = document.memories
    changes = [*document.changes, *(each for one in memories for each in one.changes)]
    confirmations = [*document.confirmations, *(each for one in memories for each in one.confirmations)]
    evidence = [(one.id, each.event_id, each.supports) for one in memories for each in one.evidence]
    evidence += [(one.id, each, kind) for one in document.episodes for each in one.sources for kind in ("",)]
    parents = [(one.id, each) for one in memories for each in one.made_from]
    parents += [(one.id, each) for one in document.episodes for each in one.sources]
    found: dict[str, list[tuple[Any, ...]]] = {
        "events": [(each.id,) for each in document.events],
        "candidates": [(each.id,) for each in candidates],
        "decisions": [(each.id,) for each in candidates if each.decision is not None],
        "evidence": evidence,
        "facts": [(each.id,) for each in memories],
        "fact_keys": [(each.key_id,) for each in (*memories, *candidates)],
        "transitions": [(each.id,) for each in changes],
        "confirmations": [(each.id,) for each in confirmations],
        "episodes": [(each.id,) for each in document.episodes],
        "passages": [(each.id,) for one in document.episodes for each in one.passages],
        "lineage": parents,
        "switches": [(each.class_name, each.state.value) for each in document.switches],
        "switched_attributes": [
            (name, one.state.value) for one in document.switches for name in one.attributes
        ],
        "policies": [(each.version,) for each in document.policy_changes],
        "traces": [(each.id,) for each in document.recalls],
    }
    return {table: {tuple(map(str, row)) for row in rows} for table, rows in found.items()}


async def test_every_row_that_mentions_the_person_is_in_the_export(household: Household) -> None:
    kit = await live(household)
    found = rows_in(await exported(household, kit))
    mentions: dict[str, int] = {}
    async with household.world.database.transaction(kit.tenant_id) as work:
        for table in sorted(metadata.tables):
            if table == "outbox":
                continue  # The service may not read it; it holds ids alone.
            rows = await work.rows(
                text(f"SELECT to_jsonb(t) AS row FROM {table} t WHERE t::text LIKE :name"),
                {"name": f"%{KIT}%"},
            )
            mentions[table] = len(rows)
            for row in (each.row for each in rows if table not in LEFT_OUT):
                key = tuple(str(row[column]) for column in FOUND_BY[table])
                if table == "evidence" and row["record_kind"] == "episode":
                    key = (*key[:2], "")
                assert key in found[table], (table, row)
    # What the statement above has to do with: rows of all these tables name the person.
    named = {
        "events",
        "evidence",
        "fact_keys",
        "transitions",
        "confirmations",
        "switches",
        "switched_attributes",
        "traces",
    }
    assert {table for table in named if mentions[table] == 0} == set()


async def test_what_hangs_on_those_rows_is_whole(household: Household) -> None:
    """Decisions, lives, evidence by others, lineage and passages, which do not name the person themselves."""
    kit = await live(household)
    document = await exported(household, kit)
    by_value = {each.value: each for each in document.memories}
    assert set(by_value) == {"email", "phone", "tea", "Postgres 18", "me", "tidy up"}
    assert {value for value, each in by_value.items() if each.about_subject} == {"email", "phone", "tea"}
    statuses = {value: each.status.value for value, each in by_value.items()}
    assert statuses == {
        "email": "superseded",
        "phone": "active",
        "tea": "retracted",
        "Postgres 18": "active",
        "me": "quarantined",
        "tidy up": "retired",
    }
    email, phone, promised = by_value["email"], by_value["phone"], by_value["tidy up"]
    assert (email.class_name, email.evidence[0].subject, email.evidence[0].authority_role) == (
        "user_preference",
        "olga",
        "operator",
    )
    assert (phone.authority_role, phone.evidence[0].subject) == ("self", KIT)
    assert [(each.rule, each.actor) for each in email.changes] == [("establish", "olga"), ("supersede", KIT)]
    assert email.made_from == [each.event_id for each in email.evidence]
    assert (promised.gate, [each.speaker.subject for each in promised.confirmations]) == ("closed", [KIT])
    assert [each.memory_id for each in document.confirmations] == [promised.id]
    assert {each.actor for each in document.changes} == {KIT}
    told = {each.id: each for each in document.events}
    assert {each.event_id for one in document.memories if one.about_subject for each in one.evidence} <= set(
        told
    )
    echo = [each for each in document.events if each.speaker.subject == "bot"]
    assert [each.because for each in echo] == [["evidence"]]
    decided = {each.decision.verdict for one in document.events for each in one.candidates if each.decision}
    assert decided >= {
        Verdict.ESTABLISH,
        Verdict.SUPERSEDE,
        Verdict.RETRACT,
        Verdict.HOLD_UNVERIFIED,
        Verdict.DISCARD,
    }
    [shelf] = [each for each in document.episodes if each.activity_id == "shelf"]
    assert [each.text for each in shelf.passages if "I do." in each.text]
    assert not [each for each in shelf.passages if set(each.sources).isdisjoint(told)]
    assert [(each.class_name, each.state.value) for each in document.switches] == [
        ("general_note", "off"),
        ("general_note", "on"),
        ("task_commitment", "off"),
    ]
    assert document.withheld == []


def counted(document: dict[str, Any]) -> dict[str, int]:
    counts = {section: len(document[section]) for section in SECTIONS}
    counts["candidates"] = sum(len(each["candidates"]) for each in document["events"])
    counts["passages"] = sum(len(each["passages"]) for each in document["episodes"])
    return counts


async def test_counts_and_digest_are_those_of_the_document(household: Household) -> None:
    kit = await live(household)
    document = json.loads(await household.service.export_of(kit))
    assert document["counts"] == counted(document)
    header = ("format", "version", "tenant", "subject", "requested_by", "generated_at")
    lines = [
        {name: document[name] for name in header},
        *(each for name in SECTIONS for each in document[name]),
    ]
    written = b"".join(canonical(line) + b"\n" for line in lines)
    assert document["digest"] == hashlib.blake2b(written, digest_size=32).hexdigest()
    assert (document["format"], document["version"], document["tenant"]) == ("keepwell.export", 1, kit.tenant)


async def test_people_of_similar_names_never_get_each_others(household: Household) -> None:
    """Nor does an agent or a system of the same name, whose words are not the person's."""
    people = ("ana", "Ana", "ana.b", "ana%", "an_", "ana ", "%")
    for number, subject in enumerate(people):
        speaking = household.person(subject, "participant", "user")
        await household.remembered(speaking, "preference", f"said by {number}", scope=CHAT)
        await household.remembered(household.operator, "preference", f"of {number}", scope={"user": subject})
        await household.service.switch_off(speaking, "task_commitment")
    for kind in (AGENT, SYSTEM):
        alike = household.world.principal("ana", kind, "agent", "developer", "participant")
        await household.state(alike, "preference", f"claimed by the {kind}", scope=CHAT)
    for number, subject in enumerate(people):
        own = await exported(household, household.person(subject))
        theirs = await exported(household, household.admin, subject)
        for document in (own, theirs):
            values = {each.value for each in document.memories}
            assert values == {f"said by {number}", f"of {number}"}, subject
            assert {each.speaker.subject for each in document.events} <= {subject, "olga"}
            assert {each.speaker.kind for each in document.events} == {HUMAN}
            assert {each.actor for each in document.changes} <= {subject}
            assert len(document.switches) == 1
        assert theirs.requested_by == "root"


async def test_what_is_switched_off_is_marked_and_whole(household: Household) -> None:
    await household.remembered(household.operator, "preference", "tea")
    await household.service.switch_off(household.ana, "user_preference")
    [memory] = (await exported(household, household.ana)).memories
    assert (memory.value, memory.switched_off, memory.status.value) == ("tea", True, "active")


async def test_what_lies_beyond_ones_reach_and_is_not_about_oneself_is_named_and_not_told(
    household: Household,
) -> None:
    """Kit was a developer in staging and is none any more: their own words stay theirs, what others said does not."""
    kit = await live(household)
    former = household.person(KIT)
    document = await exported(household, former)
    assert {each.value for each in document.memories} == {"email", "phone", "tea"}
    assert {(each.kind, each.reason) for each in document.withheld} == {
        ("memory", "beyond_reach"),
        ("event", "beyond_reach"),
        ("episode", "beyond_reach"),
    }
    spoken = {each.id for each in document.events}
    assert all(set(each.sources) <= spoken for each in document.withheld)
    assert "I do. The shelf is empty." in {each.text for each in document.events}
    assert "Who tidies up?" not in document.model_dump_json()
    everything = await exported(household, household.admin, KIT)
    assert everything.withheld == []
    assert rows_in(everything) == rows_in(await exported(household, kit))


async def test_what_only_others_read_is_told_where_it_is_ones_own(household: Household) -> None:
    """Kit's own memories and words are whole; what was decided on others' memories, and their words, are not told."""
    kit = await live(household)
    hidden = await household.remembered(household.world.lead, "owner", "Bo", scope=STAGING, entity="db-2")
    repeated = await household.state(kit, "owner", "Bo", scope=STAGING, entity="db-2")
    assert (repeated.verdict, repeated.target_id) == (Verdict.RESTATE, hidden)

    def narrow(document: dict[str, Any]) -> None:
        for name in ("user_preference", "service_dependency"):
            read_by(name, "operator")(document)

    await applied(household.world, narrow)
    document = await exported(household, kit)
    assert {each.value for each in document.memories} == {"email", "phone", "tea", "tidy up"}
    by_attribute: dict[str, list[bool]] = {}
    for each in (each for one in document.events for each in one.candidates):
        by_attribute.setdefault(each.attribute, []).append(each.decision is not None)
    assert set(by_attribute["owner"]) == {False}
    assert set(by_attribute["contact_channel"]) == {True}
    assert hidden in {each.id for each in document.withheld}
    told = {(each.kind, each.reason) for each in document.withheld}
    assert told == {("memory", "beyond_reach"), ("event", "beyond_reach")}
    assert (await exported(household, household.admin, KIT)).withheld == []


async def test_a_class_may_keep_its_memories_out_of_exports(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")

    def close(document: dict[str, Any]) -> None:
        document["classes"]["user_preference"]["controls"] = ["inspect"]

    await applied(household.world, close)
    own = await exported(household, household.ana)
    assert own.memories == []
    assert [(each.id, each.reason) for each in own.withheld] == [(fact_id, "class_without_export")]
    assert [each.id for each in (await exported(household, household.admin, "ana")).memories] == [fact_id]
    [change] = (await exported(household, household.admin)).policy_changes
    assert (change.version, change.reason) == (1, "a test")


@pytest.mark.parametrize(
    ("who", "subject"),
    [
        ({"kind": AGENT}, None),
        ({"kind": SYSTEM}, None),
        ({"within": {"user": "ana"}}, None),
        ({"only": frozenset({Verb.RECALL})}, None),
        ({"roles": ()}, None),
        ({}, "ben"),
        ({"roles": ("operator",)}, "ben"),
        ({"kind": AGENT}, "ana"),
        ({"roles": ("admin",), "within": {"user": "ben"}}, "ben"),
        ({"roles": ("admin",), "only": frozenset({Verb.READ})}, "ben"),
    ],
)
async def test_who_may_not_gets_nothing(
    household: Household, who: dict[str, Any], subject: str | None
) -> None:
    with pytest.raises(NotPermitted):
        await household.service.export_of(household.ana.model_copy(update=who), subject)


async def test_of_nobody_there_is_an_empty_export_and_no_tenant_is_an_error(household: Household) -> None:
    empty = await exported(household, household.admin, "nobody of this name")
    assert set(empty.counts.model_dump().values()) == {0}
    assert (await exported(household, household.ana, "ana")).subject == "ana"
    with pytest.raises(NotFound):
        await household.service.export_of(household.ana.model_copy(update={"tenant": "nowhere"}))


async def test_the_number_of_statements_does_not_grow_with_the_records(
    household: Household, database: Database
) -> None:
    speaking = household.person("ana", "participant")
    await exported(household, household.ana)  # It learns that the tenant is there.
    sent: list[int] = []
    for many in (1, 6):
        for number in range(many):
            value = f"{number} of {many}"
            await household.remembered(speaking, "preference", value, scope=CHAT)
            said = event(scope=CHAT, type="milestone", text=value, activity_id=value)
            await household.world.digest(await household.world.publish(speaking, said))
        with Statements(database) as statements:
            await exported(household, household.ana)
        sent.append(len(own(statements)))
    assert sent[0] == sent[1]
