"""Everything that governs in a tenant, so that before and after can be compared; and what must not be anywhere."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import text

from models.authority import Authority
from models.ids import tenant_id
from models.recall import RecalledFact
from tests.injection.stronghold import Stronghold

Section = Mapping[Any, Any]

_FACTS = text(
    """
    SELECT f.id, k.scope, e.canonical, k.attribute, k.value_key, f.value, f.ends_when, f.expires_at, f.stated_from,
        f.valid_from, f.ended_at, f.ending, f.stated_at, f.restated_at, f.authority, f.authority_role, f.standing,
        f.challenges, f.statement
    FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    LEFT JOIN entities e ON e.tenant_id = k.tenant_id AND e.id = k.entity_id
    WHERE f.tenant_id = :tenant AND f.admission = 'admitted'
    """
)
_EVIDENCE = text(
    """
    SELECT v.record_id AS id,
        array_agg((v.event_id, v.supports, v.authority, v.authority_role, v.subject)::text ORDER BY v.event_id) AS rows
    FROM evidence v JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
    WHERE v.tenant_id = :tenant AND v.authority_role IS NOT NULL AND f.admission = 'admitted' GROUP BY v.record_id
    """
)
_TRANSITIONS = text(
    """
    SELECT t.record_id AS id,
        array_agg((t.from_status, t.to_status, t.rule, t.actor, t.actor_role)::text ORDER BY t.id) AS rows
    FROM transitions t JOIN facts f ON f.tenant_id = t.tenant_id AND f.id = t.record_id
    WHERE t.tenant_id = :tenant AND f.admission = 'admitted' GROUP BY t.record_id
    """
)
_NAMES = text(
    """
    SELECT (a.scope_key, a.name_key)::text AS id, array_agg(e.canonical ORDER BY e.canonical) AS things
    FROM aliases a JOIN entities e ON e.tenant_id = a.tenant_id AND e.id = COALESCE(
        (SELECT s.same_as FROM entities s WHERE s.tenant_id = a.tenant_id AND s.id = a.entity_id), a.entity_id)
    WHERE a.tenant_id = :tenant AND a.trusted GROUP BY a.scope_key, a.name_key
    """
)
_KEYS = text(
    """
    SELECT id, name, encode(digest, 'hex'), subject, subject_kind, roles, within, verbs, made_by, expires_at, revoked_at
    FROM api_keys WHERE tenant_id = :tenant
    """
)
_GATES = text("SELECT fact_id AS id, state, reason FROM gates WHERE tenant_id = :tenant")
_CONFIRMATIONS = text(
    "SELECT id, fact_id, event_id, subject FROM confirmations WHERE tenant_id = :tenant AND state = 'accepted'"
)
_EVENTS = text("SELECT DISTINCT type, subject, subject_kind, authority FROM events WHERE tenant_id = :tenant")
_CLAIMS = text(
    """
    SELECT f.id FROM facts f WHERE f.tenant_id = :tenant AND f.admission <> 'admitted'
        AND (f.authority_role IS NOT NULL OR f.standing <> 'inferred' OR EXISTS (
            SELECT FROM postings p WHERE p.tenant_id = f.tenant_id AND p.record_id = f.id))
    """
)


class Governing(NamedTuple):
    """What governs, by section and then by id. `reach` has the asked mentions for which each fact is heeded."""

    sections: Mapping[str, Section]
    reach: Mapping[str, frozenset[str]]


async def governing(hold: Stronghold) -> Governing:
    """What governs in the stronghold now."""
    async with hold.world.database.transaction(tenant_id(hold.world.tenant)) as work:
        sections: dict[str, Section] = {
            name: {str(row.id): dict(row._mapping) for row in await work.rows(query)}
            for name, query in (
                ("facts", _FACTS),
                ("evidence", _EVIDENCE),
                ("transitions", _TRANSITIONS),
                ("names", _NAMES),
                ("api keys", _KEYS),
                ("gates", _GATES),
                ("confirmations", _CONFIRMATIONS),
            )
        }
    recalled = [fact for answer in await hold.recalled() for fact in answer.facts]
    policies, tenant = hold.world.service._policies, tenant_id(hold.world.tenant)
    policies.changed(tenant)
    version, policy, _ = await policies.in_force(tenant)
    sections["policy"] = {"version": version, "document": policy.model_dump_json()}
    sections["recalled"] = {str(fact.id): _told(fact) for fact in recalled}
    reach = {str(fact.id): frozenset(fact.about) for fact in recalled}
    return Governing(sections, reach)


def _told(fact: RecalledFact) -> Any:
    """What a caller is told of a fact, without what grows with every remark: sources, episodes, the score."""
    return fact.model_dump(exclude={"id", "sources", "episodes", "score", "about", "reasons"}) | {
        "required": fact.required
    }


def changes(before: Governing, after: Governing, *, widens: bool = False, more: bool = False) -> list[str]:
    """What differs, told as `section: id: before -> after`.

    With `widens` a fact may be heeded for more mentions than before. With `more` somebody permitted has spoken
    meanwhile: what was not there before is left out, and what was there may have been said again.
    """
    found: list[str] = []
    for name, was in before.sections.items():
        now = after.sections[name]
        keys = was.keys() if more else was.keys() | now.keys()
        found += [
            f"{name}: {key}: {was.get(key)} -> {now.get(key)}"
            for key in sorted(keys)
            if was.get(key) != now.get(key) and not (more and _was_restated(name, was[key], now.get(key)))
        ]
    for key, was_for in before.reach.items():
        now_for = after.reach.get(key, frozenset())
        if not (was_for <= now_for if widens or more else was_for == now_for):
            found.append(f"reach: {key}: {sorted(was_for)} -> {sorted(now_for)}")
    return found


def _was_restated(section: str, was: Any, now: Any) -> bool:
    """Whether the difference is that the same was said again: a later instant, and one more piece of evidence."""
    if section == "facts" and now is not None:
        return {**was, "restated_at": None} == {**now, "restated_at": None}
    return section == "evidence" and now is not None and set(was["rows"]) <= set(now["rows"])


def _most(hold: Stronghold, row: Any) -> Authority:
    """The most that an event may be, whatever stands in it."""
    if row.type == "tool_result":
        return Authority.UNTRUSTED
    match row.subject_kind:
        case "human":
            return Authority.HUMAN_INSTRUCTION
        case "system" if row.subject == hold.world.pipeline.subject:
            return Authority.VERIFIED_OUTCOME
        case "agent":
            return Authority.MODEL_INFERRED
        case _:
            return Authority.UNTRUSTED


async def wrongs(hold: Stronghold, queries: Sequence[str]) -> list[str]:
    """What must not be, whatever was sent: an event or claim above its source, a claim recalled as a fact."""
    async with hold.world.database.transaction(tenant_id(hold.world.tenant)) as work:
        events = await work.rows(_EVENTS)
        raised = [f"event above its source: {row}" for row in events if row.authority > _most(hold, row)]
        raised += [f"claim with a word of its own: {row.id}" for row in await work.rows(_CLAIMS)]
        admitted = {str(row.id) for row in await work.rows(_FACTS)}
    recalled = {str(fact.id) for query in queries for fact in await hold.found_by(query)}
    return raised + [f"claim recalled as a fact: {each}" for each in sorted(recalled - admitted)]
