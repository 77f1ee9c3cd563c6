-- The tables, and the laws of a fact's life that no code can step over.

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE activities (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    scope_key uuid NOT NULL,
    external_id text NOT NULL,
    last_seq integer NOT NULL,
    consolidated_seq integer NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT activities_by_name UNIQUE (tenant_id, scope_key, external_id),
    CONSTRAINT activities_consolidate_what_is_there CHECK (consolidated_seq <= last_seq)
);

CREATE TABLE events (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    activity_id uuid NOT NULL,
    seq integer NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    subject_kind text NOT NULL,
    roles text[] NOT NULL,
    authority smallint NOT NULL,
    scope_key uuid NOT NULL,
    scope jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    timezone text,
    text text,
    entities jsonb NOT NULL,
    evidence_ref text,
    data jsonb NOT NULL,
    idempotency_key text,
    digest bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, activity_id) REFERENCES activities,
    CONSTRAINT events_are_numbered UNIQUE (tenant_id, activity_id, seq)
);
CREATE UNIQUE INDEX events_once ON events (tenant_id, subject_kind, subject, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL DEFAULT now(),
    recorded_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_due ON outbox (available_at, id);

CREATE TABLE applied (
    tenant_id uuid NOT NULL,
    step text NOT NULL,
    answer jsonb NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, step)
);

CREATE TABLE entities (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    canonical text NOT NULL,
    type text NOT NULL,
    same_as uuid,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, same_as) REFERENCES entities,
    CONSTRAINT entities_are_canonical UNIQUE (tenant_id, canonical)
);

CREATE TABLE aliases (
    tenant_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    name_key text NOT NULL,
    entity_id uuid NOT NULL,
    name text NOT NULL,
    trusted boolean NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, scope_key, name_key, entity_id),
    FOREIGN KEY (tenant_id, entity_id) REFERENCES entities
);
CREATE INDEX aliases_by_entity ON aliases (tenant_id, entity_id);

CREATE TABLE episodes (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    activity_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    revision integer NOT NULL,
    execution_status text NOT NULL,
    goal_outcome text NOT NULL,
    narrative text NOT NULL,
    narrator text NOT NULL,
    authority smallint NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    revised_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, activity_id) REFERENCES activities,
    CONSTRAINT episodes_one_an_activity UNIQUE (tenant_id, activity_id)
);

CREATE TABLE passages (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    episode_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    text text NOT NULL,
    event_ids uuid[] NOT NULL,
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, episode_id) REFERENCES episodes
);
CREATE INDEX passages_of_episode ON passages (tenant_id, episode_id);

CREATE TABLE episode_entities (
    tenant_id uuid NOT NULL,
    episode_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, episode_id, entity_id),
    FOREIGN KEY (tenant_id, episode_id) REFERENCES episodes,
    FOREIGN KEY (tenant_id, entity_id) REFERENCES entities
);
CREATE INDEX episodes_by_entity ON episode_entities (tenant_id, entity_id, episode_id);

CREATE TABLE fact_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    scope_key uuid NOT NULL,
    scope jsonb NOT NULL,
    entity_id uuid,
    attribute text NOT NULL,
    value_key text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, entity_id) REFERENCES entities
);
-- The id is a digest of the whole key, so that it is unique; these two are for looking up.
CREATE INDEX fact_keys_by_entity ON fact_keys (tenant_id, entity_id, scope_key);
CREATE INDEX fact_keys_by_attribute ON fact_keys (tenant_id, scope_key, attribute);

-- A range over uuids lets an exclusion constraint compare keys without any further extension.
CREATE TYPE uuidrange AS RANGE (subtype = uuid);

CREATE TABLE facts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    key_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    admission text NOT NULL CHECK (admission IN ('admitted', 'unverified')),
    value text NOT NULL,
    ends_when text,
    expires_at timestamptz,
    stated_from timestamptz,
    valid_from timestamptz NOT NULL,
    ended_at timestamptz,
    ending text CHECK (ending IN ('superseded', 'retired', 'retracted')),
    stated_at timestamptz NOT NULL,
    restated_at timestamptz NOT NULL,
    authority smallint NOT NULL,
    authority_role text,
    standing text NOT NULL,
    challenges uuid,
    statement text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES fact_keys,
    FOREIGN KEY (tenant_id, challenges) REFERENCES facts,
    CONSTRAINT facts_end_for_a_reason CHECK ((ended_at IS NULL) = (ending IS NULL)),
    CONSTRAINT facts_end_after_they_begin CHECK (ended_at >= valid_from AND expires_at > valid_from),
    CONSTRAINT facts_govern_alone EXCLUDE USING gist (
        uuidrange(key_id, key_id, '[]') WITH &&,
        tstzrange(valid_from, LEAST(ended_at, expires_at)) WITH &&
    ) WHERE (admission = 'admitted')
);
CREATE INDEX facts_by_key ON facts (tenant_id, key_id, valid_from);

CREATE TABLE candidates (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    key_id uuid,
    kind text NOT NULL,
    attribute text NOT NULL,
    mention text,
    value text,
    ends_when text,
    expires_at timestamptz,
    stated_from timestamptz,
    hedged boolean NOT NULL,
    quote text NOT NULL,
    extractor text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    FOREIGN KEY (tenant_id, key_id) REFERENCES fact_keys
);
CREATE INDEX candidates_by_key ON candidates (tenant_id, key_id, id);
CREATE INDEX candidates_by_event ON candidates (tenant_id, event_id);

CREATE TABLE decisions (
    tenant_id uuid NOT NULL,
    candidate_id uuid NOT NULL,
    verdict text NOT NULL,
    reason text NOT NULL,
    fact_id uuid,
    target_id uuid,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, candidate_id),
    FOREIGN KEY (tenant_id, candidate_id) REFERENCES candidates,
    FOREIGN KEY (tenant_id, fact_id) REFERENCES facts,
    FOREIGN KEY (tenant_id, target_id) REFERENCES facts
);

CREATE TABLE evidence (
    tenant_id uuid NOT NULL,
    record_id uuid NOT NULL,
    event_id uuid NOT NULL,
    record_kind text NOT NULL,
    supports text NOT NULL,
    authority smallint NOT NULL,
    authority_role text,
    subject text NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, record_id, event_id, supports),
    FOREIGN KEY (tenant_id, event_id) REFERENCES events
);
CREATE INDEX evidence_by_event ON evidence (tenant_id, event_id);

CREATE TABLE lineage (
    tenant_id uuid NOT NULL,
    child_id uuid NOT NULL,
    parent_id uuid NOT NULL,
    child_kind text NOT NULL,
    parent_kind text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, child_id, parent_id)
);
CREATE INDEX lineage_by_parent ON lineage (tenant_id, parent_id, child_id);

CREATE TABLE transitions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    record_kind text NOT NULL,
    record_id uuid NOT NULL,
    from_status text,
    to_status text NOT NULL,
    rule text NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    actor_role text,
    event_id uuid,
    effective_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES events
);
CREATE INDEX transitions_of_record ON transitions (tenant_id, record_id, recorded_at);

CREATE TABLE gates (
    tenant_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'closed')),
    reason text,
    opened_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    PRIMARY KEY (tenant_id, fact_id),
    FOREIGN KEY (tenant_id, fact_id) REFERENCES facts,
    CONSTRAINT gates_close_for_a_reason CHECK ((state = 'closed') = (reason IS NOT NULL))
);

CREATE TABLE confirmations (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    event_id uuid NOT NULL,
    subject text NOT NULL,
    subject_kind text NOT NULL,
    roles text[] NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'accepted', 'refused')),
    reason text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, fact_id) REFERENCES facts,
    FOREIGN KEY (tenant_id, event_id) REFERENCES events
);
CREATE INDEX confirmations_of_fact ON confirmations (tenant_id, fact_id, recorded_at);

CREATE TABLE postings (
    tenant_id uuid NOT NULL,
    term text NOT NULL,
    scope_key uuid NOT NULL,
    record_id uuid NOT NULL,
    record_kind text NOT NULL,
    frequency smallint NOT NULL,
    length integer NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, term, scope_key, record_id) INCLUDE (record_kind, frequency, length, since)
);
CREATE INDEX postings_of_record ON postings (tenant_id, record_id);

CREATE TABLE search_cells (
    tenant_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    records bigint NOT NULL,
    terms bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope_key)
);

-- A derived record without lineage cannot be committed.
CREATE FUNCTION require_lineage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lineage WHERE tenant_id = NEW.tenant_id AND child_id = NEW.id) THEN
        RAISE EXCEPTION 'derived record % has no lineage', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'derived_from_something';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER episodes_are_derived AFTER INSERT ON episodes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_lineage();
CREATE CONSTRAINT TRIGGER facts_are_derived AFTER INSERT ON facts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_lineage();

-- The status of a fact changes in a transaction that says so in the transition log.
CREATE FUNCTION require_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM transitions
        WHERE tenant_id = NEW.tenant_id AND record_id = NEW.id AND written_by = pg_current_xact_id()
    ) THEN
        RAISE EXCEPTION 'fact % changed status without a transition', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'transitions_are_declared';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER facts_begin_by_transition AFTER INSERT ON facts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_transition();
CREATE CONSTRAINT TRIGGER facts_change_by_transition AFTER UPDATE OF ended_at, ending ON facts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_transition();

-- Nothing comes back by itself: an end may move forward in time's order only, to an earlier instant.
CREATE FUNCTION forbid_revival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL AND (NEW.ended_at IS NULL OR NEW.ended_at > OLD.ended_at) THEN
        RAISE EXCEPTION 'fact % has ended and stays ended', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'facts_stay_ended';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER facts_stay_ended BEFORE UPDATE OF ended_at ON facts
    FOR EACH ROW EXECUTE FUNCTION forbid_revival();
