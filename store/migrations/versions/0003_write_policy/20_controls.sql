-- Which classes of memory a person has switched off for themselves, and whom records are about.

-- A log: the last row of a person and a class counts. The number orders them, whatever the clock does.
CREATE TABLE switches (
    tenant_id uuid NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    subject text NOT NULL,
    class_name text NOT NULL,
    state text NOT NULL CHECK (state IN ('off', 'on')),
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, number),
    FOREIGN KEY (tenant_id) REFERENCES tenants
);
CREATE INDEX switches_of_person ON switches (tenant_id, subject, class_name, number);
-- Whether anybody has ever switched anything off is asked by every recall.
CREATE INDEX switches_turned_off ON switches (tenant_id) WHERE state = 'off';

-- The person whom a scope names. An operator that looks into the scope itself could use no index, as it is not
-- leakproof and the rows are behind a wall.
ALTER TABLE fact_keys ADD COLUMN person text GENERATED ALWAYS AS (scope ->> 'user') STORED;
CREATE INDEX fact_keys_of_person ON fact_keys (tenant_id, person) WHERE person IS NOT NULL;
ALTER TABLE events ADD COLUMN person text GENERATED ALWAYS AS (scope ->> 'user') STORED;
CREATE INDEX events_of_person ON events (tenant_id, person) WHERE person IS NOT NULL;

-- Everything that a person has said and done is told to them by one export; what agents say needs no such index.
CREATE INDEX events_by_person ON events (tenant_id, subject) WHERE subject_kind = 'human';
CREATE INDEX transitions_by_actor ON transitions (tenant_id, actor);
CREATE INDEX confirmations_by_person ON confirmations (tenant_id, subject);

-- The person whom a fact is about, NULL for nobody; `models.controls.person_of` says the same and says why.
-- `personal` has the attributes of classes that hold personal data. Authority 2 is a person's own word.
CREATE FUNCTION person_of(tenant uuid, fact uuid, key uuid, personal text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    named text;
    attribute text;
BEGIN
    SELECT k.person, k.attribute INTO named, attribute FROM fact_keys k WHERE k.tenant_id = tenant AND k.id = key;
    IF named IS NOT NULL OR attribute <> ALL (personal) THEN
        RETURN named;
    END IF;
    RETURN (
        WITH said AS (
            SELECT e.subject, v.authority_role IS NOT NULL OR v.supports = 'claim' AS counts,
                e.subject_kind = 'human' AND v.authority = 2 AS own
            FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
            WHERE v.tenant_id = tenant AND v.record_id = fact AND v.supports IN ('statement', 'claim')
        )
        SELECT CASE WHEN count(DISTINCT subject) = 1 AND bool_and(own) THEN min(subject) END
        FROM said WHERE counts = (SELECT bool_or(counts) FROM said)
    );
END $$;

-- How the person whom a fact is about has its class: 'off', 'on', or NULL where nobody has ever switched it.
-- `attributes` and `classes` say side by side of which class each attribute is. A fact about `shown_to` counts as
-- one that nobody has switched.
CREATE FUNCTION switch_of(
    tenant uuid, fact uuid, key uuid, personal text[], attributes text[], classes text[], shown_to text
) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    about text := person_of(tenant, fact, key, personal);
BEGIN
    IF about IS NULL OR about = shown_to THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT s.state FROM switches s
        WHERE s.tenant_id = tenant AND s.subject = about AND s.class_name = (
            SELECT classes[array_position(attributes, k.attribute)]
            FROM fact_keys k WHERE k.tenant_id = tenant AND k.id = key
        )
        ORDER BY s.number DESC LIMIT 1
    );
END $$;
