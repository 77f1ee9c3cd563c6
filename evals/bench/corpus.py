"""Tenants with a memory to search: passages and facts, written through the store, without any workflow.

Every passage belongs to an episode of published events, every fact cites one of them, and one fact in five has
been superseded, so that the read path has something to leave out.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import Receipt
from evals.bench.stage import Stage
from evals.bench.wording import Wording, host_id, host_name, workspace
from models.authority import Authority, Standing
from models.candidates import Terms
from models.episodes import outline, passages, weakest_word
from models.events import EntityMention, StoredEvent
from models.facts import Admission, Ending, Status
from models.ids import derived_id
from models.principals import Principal
from models.scope import Scope
from models.text import normalise
from store import entities, episodes, events, evidence, facts, search
from store.unit_of_work import UnitOfWork

WORKSPACES = 4
EVENTS_OF_ACTIVITY = 10
PASSAGES_IN_TEN = 8
BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_ACTIVITIES_AT_ONCE = 50
_FACTS_AT_ONCE = 200
_MANY = ("preference", "operating_rule")
_ONE = ("owner", "uses", "change_policy", "lifecycle_policy")


class Corpus(NamedTuple):
    """A tenant that was filled, and the words to ask it with."""

    agent: Principal
    wording: Wording
    workspaces: int
    passages: int
    facts: int

    @property
    def records(self) -> int:
        """All that can be found."""
        return self.passages + self.facts


async def fill(
    stage: Stage, agent: Principal, records: int, seed: int, *, workspaces: int = WORKSPACES
) -> Corpus:
    """Give the tenant of `agent` about `records` records in some workspaces: eight passages for every two facts."""
    wording = Wording(seed)
    activities = max(1, records * PASSAGES_IN_TEN // 10 // EVENTS_OF_ACTIVITY)
    cited: list[StoredEvent] = []
    kept = 0
    for first in range(0, activities, _ACTIVITIES_AT_ONCE):
        numbers = range(first, min(first + _ACTIVITIES_AT_ONCE, activities))
        raw = [
            event(wording, number, part, workspaces)
            for number in numbers
            for part in range(EVENTS_OF_ACTIVITY)
        ]
        receipts = await stage.service.publish(agent, raw)
        async with stage.database.transaction(agent.tenant_id) as work:
            for activity_id in _activities(receipts):
                stored = await events.of_activity(work, activity_id)
                kept += await _write_episode(work, activity_id, stored)
                cited.extend(stored)
    wanted = records - kept
    writer = _FactWriter(wording, cited)
    for first in range(0, wanted, _FACTS_AT_ONCE):
        async with stage.database.transaction(agent.tenant_id) as work:
            await writer.write(work, min(_FACTS_AT_ONCE, wanted - first))
    return Corpus(agent, wording, workspaces, kept, wanted)


def event(wording: Wording, activity: int, part: int, workspaces: int = WORKSPACES) -> dict[str, Any]:
    """One event of an activity as an agent would report it: what it saw on which machine."""
    host = wording.host()
    return {
        "activity_id": f"activity-{activity}",
        "type": "note",
        "scope": {"workspace": workspace(activity % workspaces)},
        "occurred_at": (BEGIN + timedelta(minutes=10 * activity + part)).isoformat(),
        "text": f"{host_name(host)}: {wording.sentence(10)} {wording.sentence(14)}",
        "entities": [{"id": host_id(host), "name": host_name(host)}],
        "data": {"attempt": part, "duration_ms": wording.draw.randrange(20, 9_000)},
    }


def _activities(receipts: Sequence[Receipt]) -> list[UUID]:
    return list(dict.fromkeys(receipt.activity_id for receipt in receipts))


async def _write_episode(work: UnitOfWork, activity_id: UUID, stored: Sequence[StoredEvent]) -> int:
    cut = passages(stored)
    scope = Scope(stored[0].scope)
    mentions = [mention for each in stored[:2] for mention in each.entities]
    about = await entities.learn(
        work, scope, [entities.Learned(mention, trusted=False) for mention in mentions]
    )
    row = episodes.EpisodeRow(
        activity_id=activity_id,
        scope=scope,
        revision=stored[-1].seq,
        outline=outline(stored),
        narrative=cut[0].text,
        narrator="bench",
        authority=weakest_word(stored),
        passages=cut,
        entity_ids=about,
    )
    await episodes.write(work, row)
    identity = episodes.episode_id(work.tenant_id, activity_id)
    sources = [
        evidence.Evidence(
            each.id, each.type.value, each.authority, None, each.speaker.subject, each.occurred_at
        )
        for each in stored
    ]
    await evidence.cite(work, evidence.Kind.EPISODE, identity, sources)
    return len(cut)


class _FactWriter:
    """Begins facts about machines; a key that has one already gets a successor."""

    def __init__(self, wording: Wording, cited: Sequence[StoredEvent]) -> None:
        self._wording = wording
        self._cited = cited
        self._governing: dict[UUID, facts.NewFact] = {}
        self._written = 0

    async def write(self, work: UnitOfWork, count: int) -> None:
        """Write `count` facts and index them."""
        found_by: dict[UUID, list[search.Document]] = {}
        for _ in range(count):
            new, words = await self._one(work)
            found_by.setdefault(new.scope_key, []).append(search.Document(new.id, words, new.valid_from))
        for scope_key, documents in found_by.items():
            await search.index(work, search.RecordKind.FACT, scope_key, documents)

    async def _one(self, work: UnitOfWork) -> tuple[facts.NewFact, str]:
        self._written += 1
        draw = self._wording.draw
        source = draw.choice(self._cited)
        scope = Scope(source.scope)
        host = self._wording.host()
        mention = EntityMention(id=host_id(host), name=host_name(host))
        learned = await entities.learn(work, scope, [entities.Learned(mention, trusted=True)])
        # One value an attribute would be superseded more often than in life where a machine is much spoken of.
        attribute = draw.choice(_ONE) if self._written % 5 < 2 else draw.choice(_MANY)
        value = self._wording.sentence(4)
        many = attribute in _MANY
        key = facts.FactKey(scope, learned[0], attribute, normalise(value) if many else None)
        key_id = await facts.ensure_key(work, key)
        new = facts.NewFact(
            id=derived_id("bench fact", work.tenant_id, self._written),
            key_id=key_id,
            scope_key=scope.key,
            admission=Admission.ADMITTED,
            terms=Terms(
                value=value, ends_when="QA has migrated" if attribute == "lifecycle_policy" else None
            ),
            canonical=normalise(value),
            valid_from=BEGIN + timedelta(minutes=self._written),
            valid_until=None,
            lapses_at=None,
            stated_at=BEGIN + timedelta(minutes=self._written),
            authority=Authority.HUMAN_INSTRUCTION,
            authority_role="infra_lead",
            standing=Standing.OBSERVED,
            challenges=None,
            statement=self._wording.sentence(8),
        )
        await self._supersede(work, new, source)
        await facts.begin(work, new)
        self._governing[key_id] = new
        await evidence.cite(work, evidence.Kind.FACT, new.id, [_witness(source)])
        await _declare(work, new, None, Status.ACTIVE, source)
        said = [host_name(host), attribute.replace("_", " "), value, new.terms.ends_when or "", new.statement]
        return new, " ".join(said)

    async def _supersede(self, work: UnitOfWork, new: facts.NewFact, source: StoredEvent) -> None:
        old = self._governing.get(new.key_id)
        if old is not None:
            await facts.end(work, old.id, Ending.SUPERSEDED, new.valid_from)
            await _declare(work, old, Status.ACTIVE, Status.SUPERSEDED, source)


def _witness(source: StoredEvent) -> evidence.Evidence:
    return evidence.Evidence(
        source.id, "statement", Authority.HUMAN_INSTRUCTION, "infra_lead", "dana", source.occurred_at
    )


async def _declare(
    work: UnitOfWork, fact: facts.NewFact, before: Status | None, after: Status, source: StoredEvent
) -> None:
    await evidence.declare(
        work,
        evidence.Kind.FACT,
        evidence.Transition(
            record_id=fact.id,
            from_status=None if before is None else before.value,
            to_status=after.value,
            rule="bench",
            reason="bench",
            actor="dana",
            actor_role="infra_lead",
            event_id=source.id,
            effective_at=fact.valid_from,
        ),
    )
