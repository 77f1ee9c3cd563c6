-- What a record that is found by its words gives away: a fact itself, a passage those that rest on its events and what
-- was proposed from them. By this the statistics of words leave out what a reader may not see.
CREATE TABLE disclosures (
    tenant_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    record_id uuid NOT NULL,
    about_id uuid NOT NULL,
    attribute text NOT NULL,
    proposed boolean NOT NULL,
    refused boolean NOT NULL,
    length integer NOT NULL,
    PRIMARY KEY (tenant_id, scope_key, record_id, about_id) INCLUDE (attribute, proposed, refused, length)
);

-- A passage can be there before what is made of its events. What is made first is seen when the passage is indexed.
CREATE FUNCTION disclose_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
CREATE TRIGGER evidence_discloses AFTER INSERT ON evidence
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION disclose_facts();

CREATE FUNCTION disclose_candidates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
CREATE TRIGGER candidates_disclose AFTER INSERT ON candidates
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION disclose_candidates();

-- What is there already. The owner of the tables reads them for all tenants.
ALTER TABLE candidates NO FORCE ROW LEVEL SECURITY;
ALTER TABLE evidence NO FORCE ROW LEVEL SECURITY;
ALTER TABLE fact_keys NO FORCE ROW LEVEL SECURITY;
ALTER TABLE facts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE passages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
CREATE TEMPORARY TABLE documents ON COMMIT DROP AS
    SELECT DISTINCT tenant_id, scope_key, record_kind, record_id, length FROM postings;
INSERT INTO disclosures
SELECT d.tenant_id, d.scope_key, d.record_id, f.id, k.attribute, false, false, d.length FROM documents d
JOIN facts f ON f.tenant_id = d.tenant_id AND f.id = d.record_id
JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
WHERE d.record_kind = 'fact';
INSERT INTO disclosures
SELECT DISTINCT d.tenant_id, d.scope_key, d.record_id, f.id, k.attribute, false, false, d.length FROM documents d
JOIN passages p ON p.tenant_id = d.tenant_id AND p.id = d.record_id
CROSS JOIN LATERAL unnest(p.event_ids) AS said(id)
JOIN evidence v ON v.tenant_id = p.tenant_id AND v.event_id = said.id
JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id;
INSERT INTO disclosures
SELECT DISTINCT d.tenant_id, d.scope_key, d.record_id, c.id, c.attribute, true,
    c.doubt IS NOT DISTINCT FROM 'switched_off', d.length
FROM documents d
JOIN passages p ON p.tenant_id = d.tenant_id AND p.id = d.record_id
CROSS JOIN LATERAL unnest(p.event_ids) AS said(id)
JOIN candidates c ON c.tenant_id = p.tenant_id AND c.event_id = said.id;
ALTER TABLE candidates FORCE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
ALTER TABLE fact_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;
ALTER TABLE passages FORCE ROW LEVEL SECURITY;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
