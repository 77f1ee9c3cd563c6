"""The one query of the read path: entities, standing instructions, words, likeness and conflicts in one round trip.

Tenant, scopes, class readers and status are filters in here, so nothing that ranks sees or counts anything beyond
them. Of what they may see, how rare a word is rests on all that was ever there: what has ended counts as well.
"""

from sqlalchemy.types import DateTime, Integer

from models.attribution import help_of
from models.entities import CUES
from models.ranking import Measured, scores
from store import persons
from store.disclosures import UNSEEN
from store.entities import NAME_IN_SCOPE
from store.keywords import HIDDEN_RECORDS, KEYWORDS, SCORED, keyword_values
from store.likeness import (
    FOUND_PASSAGES,
    LIKENESS,
    PASSAGES_BY_LIKENESS,
    alike,
    likeness_of,
    likeness_values,
    nearest,
    vector_of,
    was_known,
)
from store.readable import WORDS, hidden_words, is_readable, quotes_nothing_of, values_of
from store.recalled import (
    EPISODES,
    MENTIONS,
    NOT_ENDED,
    SOURCES,
    Found,
    Search,
    fact_of,
    partner_of,
    passage_of,
    side_of,
)
from store.reports import uses_of
from store.sql import IDS, TEXTS, plain, sql
from store.unit_of_work import UnitOfWork

# Whatever goes by the name of a thing in play is in play as well: a restriction that was said of a name must
# not be missed because the thing itself is listed by its id. For writing, an ambiguous name means nothing.

# A record is there when nothing has ended it at `as_of`; see models.facts.status_at, which says the same of one fact.
# What somebody has switched off for themselves is brought back to nobody, them included.
_THERE = f"""
    f.tenant_id = :tenant AND f.scope_key = ANY(:scope_keys)
    AND f.valid_from <= :as_of
    AND (:known_at IS NULL OR f.recorded_at <= :known_at)
    AND {NOT_ENDED}
    AND (f.expires_at IS NULL OR f.expires_at > :as_of)
    AND (f.lapses_at IS NULL OR f.lapses_at > :as_of)
    AND NOT {persons.switched_off("f", "anything FROM off")}
"""
_ELIGIBLE = f"f.admission = 'admitted' AND {_THERE}"
"""A fact is eligible when it governs at `as_of`."""

# A challenger is no candidate, and stands against what governs until somebody settles it. Those of one thing are looked
# up by the thing, whatever else lies in the scope.
_STANDS = f"""
    (f.admission = 'admitted' OR (f.admission = 'disputed' AND f.stated_at <= :as_of)) AND {_THERE}
    AND {is_readable("k.attribute")}
"""
_SIDES = f"""
    single AS (
        SELECT * FROM unnest(:names, :declared) AS s(name, declared)
    ), contested AS (
        SELECT DISTINCT k.entity_id, s.declared FROM chosen_facts c
        JOIN facts f ON f.tenant_id = :tenant AND f.id = c.id
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        JOIN single s ON s.name = k.attribute
    ), sides AS (
        SELECT f.id, x.entity_id, x.declared, COALESCE(f.canonical_value, f.value) AS said FROM contested x
        JOIN single s ON s.declared = x.declared
        JOIN fact_keys k ON k.tenant_id = :tenant AND k.entity_id = x.entity_id
            AND k.scope_key = ANY(:scope_keys) AND k.attribute = s.name
        JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
        WHERE {_STANDS}
        UNION ALL
        SELECT f.id, x.entity_id, x.declared, COALESCE(f.canonical_value, f.value) FROM contested x
        JOIN single s ON s.declared = x.declared
        JOIN fact_keys k ON k.tenant_id = :tenant AND k.entity_id IS NULL
            AND k.scope_key = ANY(:scope_keys) AND k.attribute = s.name
        JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
        WHERE x.entity_id IS NULL AND {_STANDS}
    ), disagreeing AS (
        SELECT entity_id, declared FROM sides GROUP BY entity_id, declared HAVING count(DISTINCT said) > 1
    ), shown_facts AS (
        SELECT id, false AS partner FROM chosen_facts
        UNION ALL
        SELECT s.id, true FROM sides s
        JOIN disagreeing d ON d.declared = s.declared AND d.entity_id IS NOT DISTINCT FROM s.entity_id
        WHERE s.id NOT IN (SELECT id FROM chosen_facts)
    )
"""

IN_PLAY = """
    named AS (
        SELECT id AS entity_id, canonical AS mention
        FROM entities WHERE tenant_id = :tenant AND canonical = ANY(:canonicals)
        UNION
        SELECT entity_id, name_key FROM aliases
        WHERE tenant_id = :tenant AND scope_key = ANY(:scope_keys) AND name_key = ANY(:name_keys)
    ), namesakes AS (
        SELECT entity_id, mention FROM named
        UNION
        SELECT b.entity_id, n.mention
        FROM named n
        JOIN aliases a ON a.tenant_id = :tenant AND a.entity_id = n.entity_id AND a.scope_key = ANY(:scope_keys)
        JOIN aliases b ON b.tenant_id = :tenant AND b.scope_key = ANY(:scope_keys) AND b.name_key = a.name_key
    ), things AS (
        SELECT DISTINCT COALESCE(e.same_as, e.id) AS entity_id, n.mention
        FROM namesakes n JOIN entities e ON e.tenant_id = :tenant AND e.id = n.entity_id
    ), in_play AS (
        SELECT entity_id, mention FROM things
        UNION
        SELECT cue.id, cue.canonical
        FROM things t JOIN entities e ON e.tenant_id = :tenant AND e.id = t.entity_id
        JOIN entities cue ON cue.tenant_id = :tenant AND cue.canonical = 'type:' || e.type
    )
"""
"""The beginning of a query: `in_play` has each entity in play with the mention that it was found by, and the cues that
the types of these entities are.
"""

_WORDS_OF_FACTS = hidden_words("SELECT unnest(event_ids) FROM passages_of_facts")
_GOVERNS = f"""
    SELECT true FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    WHERE f.id = n.record_id AND {is_readable("k.attribute")} AND {_ELIGIBLE}
"""
_RECALL = plain(
    sql(
        f"""
    WITH off AS (
        SELECT {persons.ANYTHING_OFF} AS anything
    ), {HIDDEN_RECORDS}, {IN_PLAY}, {UNSEEN}, {SCORED}, facts_by_words AS (
        SELECT record_id FROM (
            SELECT record_id, score FROM scored WHERE record_kind = 'fact' ORDER BY score DESC, record_id OFFSET 0
        ) n
        WHERE ({_GOVERNS}) ORDER BY score DESC, record_id LIMIT :most
    ), {alike(_GOVERNS)}, facts_by_likeness AS (
        {nearest("fact", _GOVERNS)}
    ), facts_in_play AS MATERIALIZED (
        SELECT f.id, f.valid_from,
            k.attribute = ANY(:restrictions) OR k.attribute = ANY(:standing) OR k.attribute = ANY(:needed) AS must_come
        FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
        WHERE k.tenant_id = :tenant AND k.entity_id IN (SELECT entity_id FROM in_play)
            AND {is_readable("k.attribute")} AND {_ELIGIBLE}
    ), binding AS MATERIALIZED (
        SELECT k.id FROM fact_keys k
        WHERE k.tenant_id = :tenant AND k.scope_key = ANY(:scope_keys) AND k.entity_id IS NULL
            AND k.attribute = ANY(:restrictions) AND {is_readable("k.attribute")}
        UNION
        SELECT k.id FROM fact_keys k
        WHERE k.tenant_id = :tenant AND k.scope_key = ANY(:scope_keys) AND k.attribute = ANY(:standing)
            AND NOT EXISTS (
                SELECT FROM entities c WHERE c.tenant_id = :tenant AND c.id = k.entity_id AND c.type = ANY(:cues)
            ) AND {is_readable("k.attribute")}
    ), facts_by_key AS (
        SELECT id FROM facts_in_play WHERE must_come
        UNION
        (
            SELECT i.id FROM facts_in_play i LEFT JOIN scored s ON s.record_id = i.id WHERE NOT i.must_come
            ORDER BY COALESCE(s.score, 0) DESC, i.valid_from DESC, i.id LIMIT :most_in_play
        )
        UNION
        SELECT f.id FROM binding b JOIN facts f ON f.tenant_id = :tenant AND f.key_id = b.id WHERE {_ELIGIBLE}
    ), chosen_facts AS (
        SELECT id FROM facts_by_key
        UNION SELECT record_id FROM facts_by_words
        UNION SELECT record_id FROM facts_by_likeness
    ), passages_by_words AS (
        SELECT s.record_id, row_number() OVER (ORDER BY s.score DESC, s.record_id) AS place FROM scored s
        WHERE s.record_kind = 'passage' AND ((:known_at IS NULL AND NOT (SELECT anything FROM off)) OR EXISTS (
            SELECT FROM passages p
            WHERE p.tenant_id = :tenant AND p.id = s.record_id AND {was_known("p.event_ids")}
                AND NOT {persons.speak_of_what_is_off("p.event_ids", "anything FROM off")}
        ))
        ORDER BY s.score DESC, s.record_id LIMIT :most
    ), passages_by_likeness AS (
        {PASSAGES_BY_LIKENESS}
    ), passages_of_facts AS (
        SELECT DISTINCT p.id, p.event_ids FROM chosen_facts c
        JOIN evidence v ON v.tenant_id = :tenant AND v.record_id = c.id
        JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
        JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
        JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id AND e.id = ANY(p.event_ids)
    ), passages_of_evidence AS (
        SELECT id FROM passages_of_facts
        WHERE {quotes_nothing_of(f"({_WORDS_OF_FACTS}) AS hidden", "event_ids")}
    ), {FOUND_PASSAGES}, {_SIDES}, said AS MATERIALIZED (
        SELECT record_id, score, covered FROM scored WHERE (
            record_id IN (SELECT id FROM chosen_facts UNION ALL SELECT id FROM chosen_passages)
        ) IS TRUE
    )
    SELECT 'fact' AS kind, f.id, f.scope_key, COALESCE(s.score, 0) AS words,
        COALESCE(s.covered / (SELECT NULLIF(weight, 0) FROM demand), 0) AS coverage,
        {likeness_of("a")} AS likeness,
        f.id IN (SELECT record_id FROM facts_by_likeness) AS alike, c.partner, k.entity_id, n.canonical,
        {NAME_IN_SCOPE} AS name,
        k.attribute,
        {MENTIONS} AS mentions,
        f.value AS text, f.ends_when, f.expires_at, f.valid_from AS at, f.authority, f.authority_role,
        f.standing, f.statement, k.scope, COALESCE(f.canonical_value, f.value) AS said, f.admission,
        false AS evidence, NULL::uuid AS episode_id, NULL::uuid[] AS before, NULL::uuid[] AS after,
        {SOURCES} AS sources, {EPISODES} AS episodes, {uses_of("f.id")}
    FROM shown_facts c
    JOIN facts f ON f.tenant_id = :tenant AND f.id = c.id
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    LEFT JOIN entities n ON n.tenant_id = k.tenant_id AND n.id = k.entity_id
    LEFT JOIN said s ON s.record_id = f.id AND NOT c.partner
    LEFT JOIN vectors a ON {vector_of("f", "a")} AND NOT c.partner
    WHERE {is_readable("k.attribute")}
    UNION ALL
    SELECT 'passage', p.id, p.scope_key, COALESCE(s.score, 0),
        COALESCE(s.covered / (SELECT NULLIF(weight, 0) FROM demand), 0), {likeness_of("a")},
        p.id IN (SELECT record_id FROM passages_by_likeness), false, NULL, NULL, NULL, NULL, NULL, p.text, NULL, NULL,
        p.occurred_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, p.id IN (SELECT id FROM passages_of_evidence),
        p.episode_id, c.before, c.after, p.event_ids, NULL, {uses_of("p.id")}
    FROM chosen_passages c JOIN passages p ON p.tenant_id = :tenant AND p.id = c.id
    LEFT JOIN said s ON s.record_id = p.id
    LEFT JOIN vectors a ON {vector_of("p", "a")}
    WHERE p.occurred_at <= :as_of AND p.scope_key = ANY(:scope_keys) AND {was_known("p.event_ids")}
        AND NOT {persons.speak_of_what_is_off("p.event_ids", "anything FROM off")}
    """,
        scope_keys=IDS,
        known_at=DateTime(timezone=True),
        canonicals=TEXTS,
        name_keys=TEXTS,
        standing=TEXTS,
        restrictions=TEXTS,
        needed=TEXTS,
        most_in_play=Integer,
        cues=TEXTS,
        names=TEXTS,
        declared=TEXTS,
        **KEYWORDS,
        **LIKENESS,
        **WORDS,
        **persons.TYPES,
    )
)


async def find(work: UnitOfWork, search: Search) -> Found:
    """All that the search brings up, unordered but with its scores, within what the caller may read."""
    sent = {"scope_keys", "as_of", "known_at", "canonicals", "name_keys", "most_in_play", "most", "places"}
    values = {name: value for name, value in search._asdict().items() if name in sent}
    by_attribute = {
        "standing": sorted(search.standing),
        "restrictions": sorted(search.restrictions),
        "needed": sorted(search.needed),
        "cues": sorted(CUES),
    }
    single = {"names": list(search.single), "declared": list(search.single.values())}
    shown = {**values_of(search.readable), **persons.values_of(search.known)}
    rows = await work.fetch(
        _RECALL,
        {
            **values,
            **by_attribute,
            **single,
            **shown,
            **keyword_values(search.terms),
            **likeness_values(search.likeness),
        },
    )
    facts = [row for row in rows if row.kind == "fact"]
    passages = [row for row in rows if row.kind == "passage"]
    of_facts = scores(
        [Measured(row.id, row.words, row.coverage, row.likeness) for row in facts if not row.partner]
    )
    of_passages = scores(
        [
            Measured(row.id, row.words, row.coverage, row.likeness, row.before or (), row.after or ())
            for row in passages
        ]
    )
    return Found(
        [fact_of(row, search) for row in facts if not row.partner],
        [passage_of(row) for row in passages],
        [partner_of(row, search) for row in facts if row.partner],
        [side_of(row, search) for row in facts if row.attribute in search.single],
        {row.id: row.said for row in facts},
        {row.id: row.scope_key for row in rows},
        {**of_facts, **of_passages},
        {row.id: help_of(*row.uses) for row in rows if row.uses},
    )
