-- What a person has switched off stays off, whatever a change of policy makes of its class.

-- The attributes that a class declared, by all their names, when a person switched it. The last row of a person and
-- an attribute counts. A switch that was made before there was this table has no row here and goes by its class alone.
CREATE TABLE switched_attributes (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    state text NOT NULL CHECK (state IN ('off', 'on')),
    personal boolean NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, subject, attribute, number),
    FOREIGN KEY (tenant_id, number) REFERENCES switches
);
-- Whether anybody has switched an attribute off while its class held personal data is asked of every fact that is
-- about nobody.
CREATE INDEX switched_off_as_personal ON switched_attributes (tenant_id, attribute) WHERE state = 'off' AND personal;

-- Whom a fact is about, as `person_of` has it; and where that is nobody as its class holds no personal data any more,
-- or is gone: whoever it was about, as long as they have it switched off from the time when the class did.
CREATE FUNCTION subject_of(tenant uuid, fact uuid, key uuid, personal text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    about text := person_of(tenant, fact, key, personal);
    kept text;
BEGIN
    IF about IS NOT NULL THEN
        RETURN about;
    END IF;
    SELECT k.attribute INTO kept FROM fact_keys k WHERE k.tenant_id = tenant AND k.id = key;
    IF kept = ANY (personal) OR NOT EXISTS (
        SELECT FROM switched_attributes w
        WHERE w.tenant_id = tenant AND w.attribute = kept AND w.state = 'off' AND w.personal
    ) THEN
        RETURN NULL;
    END IF;
    about := person_of(tenant, fact, key, ARRAY[kept]);
    RETURN CASE WHEN (
        SELECT w.state = 'off' AND w.personal FROM switched_attributes w
        WHERE w.tenant_id = tenant AND w.subject = about AND w.attribute = kept ORDER BY w.number DESC LIMIT 1
    ) THEN about END;
END $$;

-- How the person whom a fact is about has it: 'off', 'on', or NULL where nobody has ever switched it. It is off where
-- the last switch of its attribute is, or that of the class that has it today; `models.switches` says the same.
-- `attributes` and `classes` say side by side of which class each attribute is. A fact about `shown_to` counts as
-- one that nobody has switched.
CREATE OR REPLACE FUNCTION switch_of(
    tenant uuid, fact uuid, key uuid, personal text[], attributes text[], classes text[], shown_to text
) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    about text := subject_of(tenant, fact, key, personal);
    kept text;
BEGIN
    IF about IS NULL OR about = shown_to THEN
        RETURN NULL;
    END IF;
    SELECT k.attribute INTO kept FROM fact_keys k WHERE k.tenant_id = tenant AND k.id = key;
    -- Of 'off' and 'on' the lesser is 'off', and of a word and NULL it is the word.
    RETURN LEAST(
        (
            SELECT w.state FROM switched_attributes w
            WHERE w.tenant_id = tenant AND w.subject = about AND w.attribute = kept ORDER BY w.number DESC LIMIT 1
        ),
        (
            SELECT s.state FROM switches s
            WHERE s.tenant_id = tenant AND s.subject = about
                AND s.class_name = classes[array_position(attributes, kept)]
            ORDER BY s.number DESC LIMIT 1
        )
    );
END $$;

-- What waits for a reviewer, in the order of the queue, so that a page reads no more than it shows. When a claim
-- lapses is a part of the index: those that have are passed over in it, and they are most of them in the end.
DROP INDEX facts_to_review;
CREATE INDEX facts_to_review ON facts (tenant_id, recorded_at, id, (CASE WHEN lapses_at IS NULL THEN 'infinity' ELSE lapses_at END))
    WHERE admission <> 'admitted' AND ended_at IS NULL;
-- Candidates without a thing that have words of their own: what was discarded has none.
CREATE INDEX candidates_unnamed ON candidates (tenant_id, recorded_at, id)
    WHERE key_id IS NULL AND reviews_id IS NULL AND mention IS NOT NULL AND value IS NOT NULL;
