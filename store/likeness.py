"""Parts of the one query of the read path: what is like the query, and what stands next to what was found.

Up to some ten thousand vectors of the authorised cells are all compared exactly, and so are more where anything may be
hidden from the asker. Else the signs of their numbers are compared first, and exactly those that come out nearest. Ids
are sorted first and looked at in their order until there are enough, so that no wide row is read for nothing. What may
not be told is passed over in here.
"""

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.types import Float, Integer, Text, Uuid

from store import persons
from store.readable import speaks_of_nothing_hidden
from store.vectors import written

LIKENESS: dict[str, Any] = {
    "space": Uuid,
    "like": Text,
    "floor": Float,
    "exact": Integer,
    "most": Integer,
    "places": Integer,
}
"""The types of the values that these parts take."""


class Likeness(NamedTuple):
    """What to compare with: a vector of length one in a space, and the cosine below which nothing is like it."""

    space_id: UUID
    vector: str
    floor: float

    @classmethod
    def to(cls, space_id: UUID, vector: Any, floor: float) -> "Likeness":
        """With the vector as Postgres reads it."""
        return cls(space_id, written(vector), floor)


def likeness_values(likeness: Likeness | None) -> dict[str, Any]:
    """The values for the statement; without likeness nothing is alike."""
    if likeness is None:
        return {"space": None, "like": None, "floor": 1.0, "exact": EXACT}
    return {"space": likeness.space_id, "like": likeness.vector, "floor": likeness.floor, "exact": EXACT}


EXACT = 10_000
"""Of more vectors than these, only the nearest by their signs are compared exactly; see docs/performance.md."""

CLOSEST = 10
"""So many times the wanted number are compared exactly, of each kind."""

# All vectors have length one, so that the inner product, of which the operator gives the negative, is the cosine. The
# query's vector is a query of its own: a plan for any values would read its text anew for every row otherwise.
_ASKED = "(SELECT CAST(:like AS halfvec))"
_IN_CELLS = """
    tenant_id = :tenant AND space_id = :space AND scope_key = ANY(:scope_keys) AND since <= :as_of
    AND embedding IS NOT NULL
"""


def likeness_of(vector: str) -> str:
    """The cosine to the query of the row called `vector` in a query, null where it has none."""
    return f"-({vector}.embedding <#> {_ASKED})"


def vector_of(record: str, row: str) -> str:
    """A condition: the vector `row` of a query is that of `record`, a fact or a passage, in the space that serves."""
    return f"""{row}.tenant_id = :tenant AND {row}.space_id = :space AND {row}.scope_key = {record}.scope_key
        AND {row}.record_id = {record}.id"""


def was_known(events: str) -> str:
    """Whether all of these events, an array, had been recorded by `known_at`, where the request names it."""
    return f"""(:known_at IS NULL OR NOT EXISTS (
        SELECT FROM events e WHERE e.tenant_id = :tenant AND e.id = ANY({events}) AND e.recorded_at > :known_at
    ))"""


def may_be_told(passage: str) -> str:
    """Whether the passage of this name in a query may be told; tenant, scope and time are for the query to ask."""
    events = f"{passage}.event_ids"
    return f"""(
        {speaks_of_nothing_hidden(events)} AND {was_known(events)}
        AND NOT {persons.speak_of_what_is_off(events, "anything FROM off")}
    )"""


_APART = f"signs <~> (SELECT binary_quantize({_ASKED})) AS apart"


def alike(fact_governs: str) -> str:
    """The part of a query that makes `alike`: the likeness of every record that may be among the nearest.

    `fact_governs` is a query for true about the record of row `n`, as for `nearest`: of many versions of one fact,
    whose signs hardly differ, one governs.
    """
    return f"""
        crowd AS (
            SELECT NOT :hides AND :known_at IS NULL AND NOT (SELECT anything FROM off) AND count(*) > :exact AS many
            FROM (SELECT FROM vectors WHERE {_IN_CELLS} LIMIT :exact + 1) v
        ), closest AS (
            (
                SELECT record_id, scope_key FROM (
                    SELECT record_id, scope_key, {_APART} FROM vectors
                    WHERE (SELECT many FROM crowd) AND record_kind = 'fact' AND {_IN_CELLS}
                    ORDER BY apart, record_id OFFSET 0
                ) n
                WHERE ({fact_governs})
                ORDER BY apart, record_id LIMIT :most * {CLOSEST}
            ) UNION ALL (
                SELECT record_id, scope_key FROM (
                    SELECT record_id, scope_key, {_APART} FROM vectors
                    WHERE (SELECT many FROM crowd) AND record_kind = 'passage' AND {_IN_CELLS}
                ) n
                ORDER BY apart, record_id LIMIT :most * {CLOSEST}
            )
        ), alike AS (
            SELECT v.record_id, v.record_kind, {likeness_of("v")} AS likeness FROM vectors v
            WHERE NOT (SELECT many FROM crowd) AND {_IN_CELLS}
            UNION ALL
            SELECT v.record_id, v.record_kind, {likeness_of("v")} FROM closest c
            JOIN vectors v ON v.tenant_id = :tenant AND v.space_id = :space
                AND v.scope_key = c.scope_key AND v.record_id = c.record_id
        )
    """


def nearest(kind: str, may_be_told: str) -> str:
    """A query for the `most` records of a kind that are most like the query, with their place.

    `may_be_told` is a query for true about the record of row `n`. It is asked in the order of likeness, and no more
    often than it has to: a part of a query that is no condition of a join stays where it is written.
    """
    return f"""
        SELECT n.record_id, row_number() OVER (ORDER BY n.likeness DESC, n.record_id) AS place FROM (
            SELECT record_id, likeness FROM (
                SELECT record_id, likeness FROM alike
                WHERE record_kind = '{kind}' AND likeness >= :floor
                ORDER BY likeness DESC, record_id OFFSET 0
            ) n
            WHERE ({may_be_told})
            ORDER BY likeness DESC, record_id LIMIT :most
        ) n
    """


PASSAGES_BY_LIKENESS = nearest(
    "passage",
    f"SELECT {may_be_told('p')} FROM passages p WHERE p.tenant_id = :tenant AND p.id = n.record_id",
)
"""A query for the passages that are most like the query."""


def _next_to(direction: str, order: str, more: str) -> str:
    """The ids of the two passages of an episode on one side of passage `p`, the nearer one first."""
    return f"""ARRAY(
        SELECT n.id FROM passages n
        WHERE n.tenant_id = :tenant AND n.episode_id = p.episode_id
            AND (n.occurred_at, n.event_ids[1], n.id) {direction} (p.occurred_at, p.event_ids[1], p.id)
            {more}AND {may_be_told("n")}
        ORDER BY n.occurred_at {order}, n.event_ids[1] {order}, n.id {order} LIMIT 2
    )"""


FOUND_PASSAGES = f"""
    found_passages AS (
        SELECT record_id AS id, min(place) AS place FROM (
            SELECT record_id, place FROM passages_by_words UNION ALL SELECT record_id, place FROM passages_by_likeness
        ) x GROUP BY record_id
    ), beside AS (
        SELECT p.id, c.place, {_next_to("<", "DESC", "")} AS before,
            {_next_to(">", "ASC", "AND n.occurred_at <= :as_of ")} AS after
        FROM found_passages c JOIN passages p ON p.tenant_id = :tenant AND p.id = c.id
        WHERE p.occurred_at <= :as_of AND p.scope_key = ANY(:scope_keys) AND {was_known("p.event_ids")}
            AND NOT {persons.speak_of_what_is_off("p.event_ids", "anything FROM off")}
    ), chosen_passages AS (
        SELECT i.id, b.before, b.after FROM (
            SELECT id FROM beside
            UNION SELECT unnest(before || after) FROM beside WHERE place <= :places
            UNION SELECT id FROM passages_of_evidence
        ) i LEFT JOIN beside b ON b.id = i.id
    )
"""
"""`chosen_passages` has what words and likeness found, with what stands next to each, and the evidence of facts."""
