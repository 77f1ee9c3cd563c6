"""Whom memories are about, and whether that person has switched their class off.

Two functions in the database say so of one fact; queries put them into their conditions, so that what is switched
off is in no answer, no list and no page, and counts in nothing that ranks others.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.types import Text

from models.controls import About, Catalogue, SwitchState, catalogue
from models.policy import Policy
from models.reasons import ReasonCode
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork

ANYTHING_OFF = "EXISTS (SELECT FROM switches o WHERE o.tenant_id = :tenant AND o.state = 'off')"
"""Whether anybody of the tenant has ever switched anything off: asked once, and before anything is looked up."""

ATTRIBUTES_OFF = """
    SELECT w.attribute FROM switched_attributes w WHERE w.tenant_id = :tenant AND w.state = 'off'
    UNION
    SELECT c.attribute FROM unnest(:attributes, :classes) AS c(attribute, class)
    JOIN switches s ON s.tenant_id = :tenant AND s.class_name = c.class AND s.state = 'off'
"""
"""The attributes that anybody has ever switched off, by themselves or with the class that has them: no other is off."""


def switched_off(fact: str, anything_off: str) -> str:
    """A condition: the person whom the fact called `fact` in a query is about has switched its class off.

    `anything_off` answers `ANYTHING_OFF`. Takes what `values_of` gives. Whom a fact is about takes longer to find out
    than which attribute it has, so that this is asked first.
    """
    return f"""((SELECT {anything_off}) AND EXISTS (
        SELECT FROM fact_keys kept
        WHERE kept.tenant_id = :tenant AND kept.id = {fact}.key_id AND kept.attribute IN ({ATTRIBUTES_OFF})
    ) AND COALESCE(switch_of(
        :tenant, {fact}.id, {fact}.key_id, :personal, :attributes, :classes, :shown_to
    ) = 'off', false))"""


def speak_of_what_is_off(events: str, anything_off: str) -> str:
    """A condition: on one of these events, an array, rests a memory that is switched off, or one was refused for that.

    Takes what `switched_off` takes.
    """
    return f"""((SELECT {anything_off}) AND (
        EXISTS (
            SELECT FROM evidence v JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
            WHERE v.tenant_id = :tenant AND v.event_id = ANY({events}) AND {switched_off("f", anything_off)}
        ) OR EXISTS (
            SELECT FROM candidates c
            WHERE c.tenant_id = :tenant AND c.event_id = ANY({events}) AND c.doubt = '{ReasonCode.SWITCHED_OFF}'
        )
    ))"""


LIKELY = """
    SELECT f.id FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    WHERE k.tenant_id = :tenant AND k.person = :person
    UNION
    SELECT v.record_id FROM events e JOIN evidence v ON v.tenant_id = e.tenant_id AND v.event_id = e.id
    WHERE e.tenant_id = :tenant AND e.subject = :person AND e.subject_kind = 'human' AND v.record_kind = 'fact'
"""
"""The facts that may be about `:person`: in a scope that names them, or resting on their words among others."""

TYPES: dict[str, Any] = {"personal": TEXTS, "attributes": TEXTS, "classes": TEXTS, "shown_to": Text}
"""The types of the values that `switched_off` takes, beside the tenant."""


def values_of(known: Catalogue, shown_to: str | None = None) -> dict[str, Any]:
    """The values that `switched_off` takes, beside the tenant. A memory about `shown_to` passes for one that is on."""
    return {
        "personal": list(known.personal),
        "attributes": list(known.attributes),
        "classes": list(known.classes),
        "shown_to": shown_to,
    }


_ABOUT = sql(
    """
    SELECT f.id, subject_of(:tenant, f.id, f.key_id, :personal) AS person,
        switch_of(:tenant, f.id, f.key_id, :personal, :attributes, :classes, :shown_to) AS state
    FROM facts f WHERE f.tenant_id = :tenant AND f.id = ANY(:ids)
    """,
    ids=IDS,
    **TYPES,
)


async def about(work: UnitOfWork, policy: Policy, fact_ids: Sequence[UUID]) -> dict[UUID, About]:
    """Whom each of these facts is about; one that does not exist in the tenant is left out."""
    if not fact_ids:
        return {}
    rows = await work.rows(_ABOUT, {**values_of(catalogue(policy)), "ids": list(fact_ids)})
    return {row.id: About(row.person, row.state == SwitchState.OFF) for row in rows}


_OFF = sql(
    f"SELECT f.id FROM facts f WHERE f.tenant_id = :tenant AND f.id = ANY(:ids) AND {switched_off('f', ANYTHING_OFF)}",
    ids=IDS,
    **TYPES,
)


async def off_for(
    work: UnitOfWork, policy: Policy, fact_ids: Sequence[UUID], speaker: str
) -> frozenset[UUID]:
    """Those of these facts that are about somebody else than `speaker` who has switched their class off.

    Whom a fact is about is looked up only where anybody of the tenant has ever switched anything off.
    """
    if not fact_ids:
        return frozenset()
    rows = await work.rows(_OFF, {**values_of(catalogue(policy), speaker), "ids": list(fact_ids)})
    return frozenset(row.id for row in rows)
