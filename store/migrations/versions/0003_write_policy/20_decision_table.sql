-- The whole decision table: values in canonical form, terms of retention, disputes, doubts and reviews.

ALTER TABLE facts
    -- The value in the form in which values are compared; for facts from before, the rules read it from the value.
    ADD COLUMN canonical_value text,
    -- The end of the class's retention: of a fact beyond its latest statement, of a claim beyond its record.
    ADD COLUMN lapses_at timestamptz,
    DROP CONSTRAINT facts_admission_check,
    ADD CONSTRAINT facts_admission_check CHECK (admission IN ('admitted', 'unverified', 'disputed')),
    ADD CONSTRAINT facts_lapse_after_they_begin CHECK (admission <> 'admitted' OR lapses_at > valid_from),
    DROP CONSTRAINT facts_govern_alone,
    ADD CONSTRAINT facts_govern_alone EXCLUDE USING gist (
        uuidrange(key_id, key_id, '[]') WITH &&,
        tstzrange(valid_from, LEAST(ended_at, expires_at, lapses_at)) WITH &&
    ) WHERE (admission = 'admitted');
-- The claims that nobody has settled yet.
CREATE INDEX facts_to_review ON facts (tenant_id, scope_key, recorded_at, id)
    WHERE admission <> 'admitted' AND ended_at IS NULL;
GRANT UPDATE (lapses_at) ON facts TO keepwell_service;

ALTER TABLE candidates
    -- Why it must not govern, as the gates saw it.
    ADD COLUMN doubt text,
    -- The held claim, or the candidate without a thing, that it accepts or rejects.
    ADD COLUMN reviews_id uuid;
CREATE INDEX candidates_by_review ON candidates (tenant_id, reviews_id) WHERE reviews_id IS NOT NULL;

-- Nothing comes back by itself. Only an end that has not taken effect yet may be taken back or put off.
CREATE OR REPLACE FUNCTION forbid_revival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at <= statement_timestamp() AND (NEW.ended_at IS NULL OR NEW.ended_at > OLD.ended_at) THEN
        RAISE EXCEPTION 'fact % has ended and stays ended', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'facts_stay_ended';
    END IF;
    RETURN NEW;
END $$;
