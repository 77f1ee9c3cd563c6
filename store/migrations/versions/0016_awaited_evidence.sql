-- Who makes something of an event and who indexes its passage, each before the other has committed, do not see each
-- other. So the first holds the activity until its transaction ends, and the second looks once more when nobody does
-- (`store.disclosures.complete`).
CREATE OR REPLACE FUNCTION disclose_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('keepwell passages ' || a.activity_id, 0)) FROM (
        SELECT DISTINCT e.activity_id FROM added v
        JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
        WHERE v.record_kind = 'fact' ORDER BY e.activity_id
    ) a;
    INSERT INTO disclosures
    SELECT p.tenant_id, p.scope_key, p.id, f.id, k.attribute, false, false, l.length FROM added v
    JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
    JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id AND e.id = ANY(p.event_ids)
    CROSS JOIN LATERAL (
        SELECT o.length FROM postings o WHERE o.tenant_id = p.tenant_id AND o.record_id = p.id LIMIT 1
    ) l
    WHERE v.record_kind = 'fact'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION disclose_candidates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('keepwell passages ' || a.activity_id, 0)) FROM (
        SELECT DISTINCT e.activity_id FROM added c
        JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id ORDER BY e.activity_id
    ) a;
    INSERT INTO disclosures
    SELECT p.tenant_id, p.scope_key, p.id, c.id, c.attribute, true, c.doubt IS NOT DISTINCT FROM 'switched_off', l.length
    FROM added c
    JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
    JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
    JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id AND e.id = ANY(p.event_ids)
    CROSS JOIN LATERAL (
        SELECT o.length FROM postings o WHERE o.tenant_id = p.tenant_id AND o.record_id = p.id LIMIT 1
    ) l
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
