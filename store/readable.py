"""Class readers as SQL: the one place that says which memories, and which words, somebody may see.

Every read of memories puts these conditions beside tenant, scope and status, so that nothing beyond them is
ranked, counted or told: to a reader, what they may not see looks like what is not there.
"""

from typing import Any

from sqlalchemy.types import Boolean

from models.readers import Readable
from store.sql import TEXTS

READERS: dict[str, Any] = {"readable": TEXTS, "unreadable": TEXTS, "undeclared": Boolean}
"""The types of the values that these conditions need; `values_of` has the values."""


def values_of(readable: Readable) -> dict[str, Any]:
    """The values for a statement that has any of these conditions."""
    return {
        "readable": sorted(readable.attributes),
        "unreadable": sorted(readable.unreadable),
        "undeclared": readable.undeclared,
    }


def is_readable(attribute: str) -> str:
    """Whether memories of the attribute in this column may be seen; says the same as `Readable.shows`."""
    return f"({attribute} = ANY(:readable) OR (:undeclared AND {attribute} <> ALL(:unreadable)))"


def is_told(attribute: str, *facts: str) -> str:
    """Whether somebody may hear what was decided on a candidate of this attribute, which made or met these facts.

    Beyond memories that may be seen, this is what came to nothing as no class declares such an attribute.
    """
    nothing = " AND ".join(f"{fact} IS NULL" for fact in facts)
    return f"({is_readable(attribute)} OR ({nothing} AND {attribute} <> ALL(:unreadable)))"


# The attributes of which a tenant has memories are found one after the other in their index, however many
# memories there are.
SOMETHING_HIDDEN = """(
    SELECT cardinality(:unreadable) > 0 OR (NOT :undeclared AND EXISTS (
        WITH RECURSIVE present(attribute) AS (
            (SELECT k.attribute FROM fact_keys k WHERE k.tenant_id = :tenant ORDER BY k.attribute LIMIT 1)
            UNION ALL
            SELECT (
                SELECT k.attribute FROM fact_keys k
                WHERE k.tenant_id = :tenant AND k.attribute > p.attribute ORDER BY k.attribute LIMIT 1
            )
            FROM present p WHERE p.attribute IS NOT NULL
        )
        SELECT FROM present WHERE attribute <> ALL(:readable)
    ))
)"""
"""Whether the tenant may have memories that the reader may not see. Where not, nothing else has to be looked at."""


def quotes_nothing_hidden(events: str, hidden: str = SOMETHING_HIDDEN) -> str:
    """Whether none of these events, an array, speaks of a memory that may not be seen.

    Such an event is one that is evidence for that memory, or from which one of its class was proposed, whatever
    was decided. A passage or an episode that has it would tell its words.
    """
    return f"""(NOT {hidden} OR NOT (
        EXISTS (
            SELECT FROM candidates c
            WHERE c.tenant_id = :tenant AND c.event_id = ANY({events}) AND c.attribute = ANY(:unreadable)
        ) OR EXISTS (
            SELECT FROM evidence v
            JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
            JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
            WHERE v.tenant_id = :tenant AND v.event_id = ANY({events}) AND NOT {is_readable("k.attribute")}
        )
    ))"""


def events_of_episode(episode: str) -> str:
    """The events that the episode with this id was built from, as an array."""
    return f"ARRAY(SELECT s.event_id FROM evidence s WHERE s.tenant_id = :tenant AND s.record_id = {episode})"
