-- What is to be forgotten, what that reaches, what nothing may be made of any more, and the proof that it is gone.

CREATE TABLE erasures (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    target text NOT NULL CHECK (target IN ('record', 'event', 'activity', 'entity', 'person', 'scope', 'class', 'tenant')),
    basis text NOT NULL,
    asked_by text NOT NULL,
    asked_by_kind text NOT NULL,
    confirmers integer NOT NULL CHECK (confirmers >= 0),
    goes_on boolean NOT NULL,
    expected bytea,
    state text NOT NULL CHECK (
        state IN ('planning', 'planned', 'held', 'erasing', 'verifying', 'done', 'withdrawn', 'lapsed')
    ),
    plan jsonb,
    digest bytea,
    residue jsonb,
    sealed bytea,
    progress jsonb NOT NULL DEFAULT '{}',
    lapses_at timestamptz,
    accepted_at timestamptz,
    done_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants
);
CREATE INDEX erasures_open ON erasures (tenant_id, recorded_at, id) WHERE done_at IS NULL;

CREATE TABLE erasure_confirmations (
    tenant_id uuid NOT NULL,
    erasure_id uuid NOT NULL,
    subject text NOT NULL,
    subject_kind text NOT NULL,
    digest bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, erasure_id, subject, subject_kind),
    FOREIGN KEY (tenant_id, erasure_id) REFERENCES erasures ON DELETE CASCADE
);

-- What an erasure, or a hold, reaches. `root` is what was named, the others are what was made of it.
CREATE TABLE erasure_nodes (
    tenant_id uuid NOT NULL,
    erasure_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    root boolean NOT NULL,
    depth integer NOT NULL,
    expanded boolean NOT NULL DEFAULT false,
    survives boolean NOT NULL DEFAULT false,
    fenced boolean NOT NULL DEFAULT false,
    erased boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, erasure_id, id)
);
CREATE INDEX erasure_nodes_to_expand ON erasure_nodes (tenant_id, erasure_id, depth, id) WHERE NOT expanded;
CREATE INDEX erasure_nodes_to_fence ON erasure_nodes (tenant_id, erasure_id, id) WHERE NOT fenced;
CREATE INDEX erasure_nodes_to_erase ON erasure_nodes (tenant_id, erasure_id, kind, id) WHERE NOT erased;

-- What is left of what was erased, for ever: that it was, and by which request.
CREATE TABLE tombstones (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    disposition text NOT NULL CHECK (disposition IN ('delete', 'redact')),
    erasure_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX tombstones_of_erasure ON tombstones (tenant_id, erasure_id);

-- Under which idempotency keys nothing comes in again: digests of who sent it under which key.
CREATE TABLE erased_keys (
    tenant_id uuid NOT NULL,
    digest bytea NOT NULL,
    event_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    seq integer NOT NULL,
    PRIMARY KEY (tenant_id, digest)
);

-- What must not be erased for now. `until` is NULL where somebody has to release it.
CREATE TABLE legal_holds (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    target jsonb NOT NULL,
    reason text NOT NULL,
    owner text NOT NULL,
    until timestamptz,
    released_at timestamptz,
    released_by text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants
);
CREATE INDEX legal_holds_in_force ON legal_holds (tenant_id) WHERE released_at IS NULL;

-- Receipts, each chained to the one before it by its digest.
CREATE TABLE erasure_log (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number >= 1),
    erasure_id uuid NOT NULL,
    receipt jsonb NOT NULL,
    previous bytea NOT NULL,
    digest bytea NOT NULL,
    key_id text,
    signature bytea,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, number),
    CONSTRAINT erasure_log_once UNIQUE (tenant_id, erasure_id)
);

-- What has left Keepwell, which nobody here can take back: content-free.
CREATE TABLE departures (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    kind text NOT NULL,
    records integer NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX departures_by_time ON departures (tenant_id, recorded_at);

-- The skeleton of an erased event stays: that somebody said something then.
ALTER TABLE events ADD COLUMN erased_at timestamptz;
-- When an erasure last took words out of it, or made it anew without its erased sources.
ALTER TABLE episodes ADD COLUMN recomputed_at timestamptz;
ALTER TABLE facts ADD COLUMN recomputed_at timestamptz;

-- What was erased stays erased. Whatever is made of a record holds it against being erased until it is committed, or
-- waits until it is erased and then sees its tombstone. Events are held by the foreign keys of what cites them.
-- An episode may come to be once more, of other events. What an erasure has made anew since the transaction began was
-- read before.
CREATE FUNCTION fence_lineage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    anew timestamptz;
BEGIN
    CASE NEW.parent_kind
        WHEN 'fact' THEN
            SELECT recomputed_at INTO anew FROM facts
            WHERE tenant_id = NEW.tenant_id AND id = NEW.parent_id FOR KEY SHARE;
        WHEN 'episode' THEN
            SELECT recomputed_at INTO anew FROM episodes
            WHERE tenant_id = NEW.tenant_id AND id = NEW.parent_id FOR KEY SHARE;
        WHEN 'proposal' THEN
            PERFORM FROM proposals WHERE tenant_id = NEW.tenant_id AND id = NEW.parent_id FOR KEY SHARE;
        WHEN 'procedure' THEN
            PERFORM FROM procedure_versions WHERE tenant_id = NEW.tenant_id AND id = NEW.parent_id FOR KEY SHARE;
        ELSE
            NULL;
    END CASE;
    IF anew > transaction_timestamp() OR EXISTS (
        SELECT FROM tombstones t WHERE t.tenant_id = NEW.tenant_id AND t.id = NEW.child_id AND NEW.child_kind <> 'episode'
        UNION ALL
        SELECT FROM tombstones t WHERE t.tenant_id = NEW.tenant_id AND t.id = NEW.parent_id
            AND (NEW.parent_kind <> 'episode' OR NOT EXISTS (
                SELECT FROM episodes s WHERE s.tenant_id = NEW.tenant_id AND s.id = NEW.parent_id
            ))
    ) THEN
        RAISE EXCEPTION 'record % was made of what was erased', NEW.child_id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'erased_stays_erased';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER lineage_is_fenced AFTER INSERT ON lineage
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fence_lineage();

CREATE FUNCTION fence_candidates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tombstones t WHERE t.tenant_id = NEW.tenant_id AND t.id IN (NEW.event_id, NEW.id)
    ) THEN
        RAISE EXCEPTION 'candidate % was made of what was erased', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'erased_stays_erased';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER candidates_are_fenced AFTER INSERT ON candidates
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fence_candidates();
