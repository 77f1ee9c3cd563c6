"""Parts of the one query of the read path: what shares words with the query, scored by BM25.

What the words bring up is looked through for what is hidden before anything is counted, and not at all where nothing
is. Where words are common and a scope holds very much, the rarest of them find, and the others only count.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.types import Integer

from store.readable import hidden_words, is_readable, quotes_nothing_of
from store.sql import TEXTS

KEYWORDS: dict[str, Any] = {"terms": TEXTS, "postings": Integer}
"""The types of the values that these parts take."""

BM25_K1 = 1.2
BM25_B = 0.75
"""The usual constants of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009)."""

IDF = "ln(1 + (records - df + 0.5) / (df + 0.5))"
"""How telling a word is that `df` of `records` have; never below nought."""

WEIGHT = "ln(1 + (GREATEST(records, 1000) - df + 0.5) / (df + 0.5))"
"""The same for how much of a query is covered: a few records do not tell which words are rare."""

MOST_POSTINGS = 30_000
"""How many postings are read to find records by their words: those of the rarest words, and of the rarest one always.
A more common word finds nothing by itself then, and counts for the best of what the others found."""

BEST = 25
"""For so many times the wanted number of each kind, of what the rarest words find, the common ones are counted."""

# Rounded: the same numbers summed in another order may differ in the last digit, and with it the order of two records.
_BM25 = f"""
    round(1e9 * sum(w.idf * p.frequency * ({BM25_K1} + 1)
        / (p.frequency + {BM25_K1} * (1 - {BM25_B} + {BM25_B} * p.length / s.mean_length)))) / 1e9
"""
_COVERED = "round(1e9 * sum(w.weight)) / 1e9"
_IN_CELLS = "p.tenant_id = :tenant AND p.scope_key = ANY(:scope_keys) AND p.since <= :as_of"
_POSTED = f"""
    {_IN_CELLS} AND (NOT :hides OR p.record_id NOT IN (SELECT id FROM hidden_records))
    AND (NOT (SELECT anything FROM off) OR p.record_id NOT IN (SELECT id FROM unseen))
"""
_WORDS_BROUGHT_UP = hidden_words(
    """
    SELECT unnest(p.event_ids) FROM brought_up b
    JOIN passages p ON p.tenant_id = :tenant AND p.id = b.record_id
    """
)


def keyword_values(terms: Sequence[str]) -> dict[str, Any]:
    """The values for the statement, which finds by these words."""
    return {"terms": list(terms), "postings": MOST_POSTINGS}


HIDDEN_RECORDS = f"""
    brought_up AS (
        SELECT DISTINCT p.record_id, p.record_kind FROM postings p
        WHERE :hides AND p.term = ANY(:terms) AND {_IN_CELLS}
    ), hidden_words AS MATERIALIZED (
        {_WORDS_BROUGHT_UP}
    ), hidden_records AS MATERIALIZED (
        SELECT f.id FROM brought_up b JOIN facts f ON f.tenant_id = :tenant AND f.id = b.record_id
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id WHERE NOT {is_readable("k.attribute")}
        UNION ALL
        SELECT p.id FROM brought_up b JOIN passages p ON p.tenant_id = :tenant AND p.id = b.record_id
        WHERE NOT {quotes_nothing_of("hidden_words", "p.event_ids")}
    )
"""
"""`hidden_records` has what the words bring up and the caller may not see."""

SCORED = f"""
    statistics AS (
        SELECT GREATEST(c.records - u.records, 1)::float8 AS records,
            GREATEST(c.terms - u.terms, 1)::float8 / GREATEST(c.records - u.records, 1)::float8 AS mean_length
        FROM (
            SELECT sum(records) AS records, sum(terms) AS terms
            FROM search_cells WHERE tenant_id = :tenant AND scope_key = ANY(:scope_keys)
        ) c, (SELECT count(*) AS records, COALESCE(sum(length), 0) AS terms FROM unseen) u
    ), weighed AS MATERIALIZED (
        SELECT term, {IDF} AS idf, {WEIGHT} AS weight,
            sum(df) OVER rarest_first <= :postings
                OR count(*) FILTER (WHERE df > 0) OVER rarest_first = 1 AS telling
        FROM (
            SELECT w.term, COALESCE(p.df, 0)::float8 AS df FROM unnest(:terms) AS w(term)
            LEFT JOIN (
                SELECT p.term, count(*) AS df FROM postings p
                WHERE p.term = ANY(:terms) AND {_POSTED} GROUP BY p.term
            ) p ON p.term = w.term
        ) t, statistics WINDOW rarest_first AS (ORDER BY df, term)
    ), demand AS (
        SELECT round(1e9 * sum(weight)) / 1e9 AS weight FROM weighed
    ), telling AS MATERIALIZED (
        SELECT p.record_id, p.record_kind, p.scope_key, {_BM25} AS score, {_COVERED} AS covered
        FROM postings p JOIN weighed w ON w.term = p.term CROSS JOIN statistics s
        WHERE w.telling AND {_POSTED}
        GROUP BY p.record_id, p.record_kind, p.scope_key
    ), common AS (
        SELECT t.record_id, {_BM25} AS score, {_COVERED} AS covered
        FROM (
            SELECT record_id, scope_key,
                row_number() OVER (PARTITION BY record_kind ORDER BY score DESC, record_id) AS place
            FROM telling WHERE EXISTS (SELECT FROM weighed WHERE NOT telling)
        ) t CROSS JOIN weighed w CROSS JOIN statistics s
        JOIN postings p ON p.tenant_id = :tenant AND p.term = w.term
            AND p.scope_key = t.scope_key AND p.record_id = t.record_id
        WHERE t.place <= :most * {BEST} AND NOT w.telling
        GROUP BY t.record_id
    ), scored AS MATERIALIZED (
        SELECT t.record_id, t.record_kind, t.score + COALESCE(c.score, 0) AS score,
            t.covered + COALESCE(c.covered, 0) AS covered
        FROM telling t LEFT JOIN common c ON c.record_id = t.record_id
    )
"""
"""`scored` has what shares words with the query, its BM25 and how much of the query it covers; `demand` has the weight
of all of it. It takes `off`, `hidden_records` and `unseen` before it."""
