"""Class readers as SQL: the one place that says which memories, and which words, somebody may see.

Every read of memories puts these conditions beside tenant, scope and status, so that nothing beyond them is
ranked, counted or told: to a reader, what they may not see looks like what is not there.
"""

from typing import Any

from sqlalchemy.types import Boolean

from models.readers import Readable
from store.sql import TEXTS

READERS: dict[str, Any] = {
    "readable": TEXTS,
    "unreadable": TEXTS,
    "undeclared": Boolean,
}
"""The types of the values that say which memories may be seen; `values_of` has the values."""

WORDS: dict[str, Any] = {**READERS, "hides": Boolean}
"""The types of the values that say which words may be seen as well."""


def values_of(readable: Readable) -> dict[str, Any]:
    """The values for a statement that has any of these conditions."""
    return {
        "readable": sorted(readable.attributes),
        "unreadable": sorted(readable.unreadable),
        "undeclared": readable.undeclared,
        "hides": readable.hides,
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


def hidden_words(among: str) -> str:
    """A query for the events, of those that the query `among` has, that speak of a memory that may not be seen.

    Such an event is one that is evidence for that memory, or from which one of its class was proposed, whatever
    was decided. It finds nothing where nothing is hidden, and is planned away.
    """
    return f"""
        SELECT v.event_id AS id FROM evidence v
        JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE :hides AND v.tenant_id = :tenant AND v.event_id IN ({among}) AND NOT {is_readable("k.attribute")}
        UNION
        SELECT c.event_id FROM candidates c
        WHERE :hides AND c.tenant_id = :tenant AND c.event_id IN ({among}) AND c.attribute = ANY(:unreadable)
    """


def quotes_nothing_of(hidden: str, events: str) -> str:
    """Whether none of these events, an array, is among those of `hidden`, which `hidden_words` has found."""
    return (
        f"(NOT :hides OR NOT EXISTS (SELECT FROM unnest({events}) AS quoted(id)"
        f" WHERE quoted.id IN (SELECT id FROM {hidden})))"
    )


def speaks_of_nothing_hidden(events: str) -> str:
    """Whether none of these events, an array, speaks of a memory that may not be seen: looked up for this one alone."""
    return f"(NOT :hides OR NOT EXISTS ({hidden_words(f'SELECT unnest({events})')}))"


def episode_is_readable(episode: str, among: str) -> str:
    """Whether the episode with this id, one of those that the query `among` has, tells no hidden words."""
    told = f"SELECT t.event_id FROM evidence t WHERE t.tenant_id = :tenant AND t.record_id IN ({among})"
    events = (
        f"ARRAY(SELECT s.event_id FROM evidence s WHERE s.tenant_id = :tenant AND s.record_id = {episode})"
    )
    return quotes_nothing_of(f"({hidden_words(told)}) AS hidden", events)
