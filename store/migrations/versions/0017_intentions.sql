-- What is to be done later, what must come for it, and what came.

-- Where something due is delivered other than into an inbox. The service signs with `secrets`, newest first.
CREATE TABLE endpoints (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('webhook', 'workflow')),
    address text NOT NULL,
    secrets text[] NOT NULL,
    made_by text NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    open_until timestamptz,
    disabled_at timestamptz,
    reason text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants,
    CONSTRAINT endpoints_by_name UNIQUE (tenant_id, name)
);

CREATE TABLE intentions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    scope_key uuid NOT NULL,
    scope jsonb NOT NULL,
    person text GENERATED ALWAYS AS (scope ->> 'user') STORED,
    event_id uuid NOT NULL,
    set_by text NOT NULL,
    set_by_kind text NOT NULL,
    set_by_roles text[] NOT NULL,
    owner text NOT NULL,
    owner_kind text NOT NULL,
    action text NOT NULL,
    data jsonb NOT NULL,
    trigger jsonb NOT NULL,
    not_before timestamptz,
    deadline timestamptz,
    grace interval NOT NULL,
    timezone text NOT NULL,
    endpoint_id uuid,
    premises uuid[] NOT NULL,
    state text NOT NULL CHECK (state IN ('proposed', 'pending', 'fired', 'cancelled', 'expired')),
    reason text,
    next_at timestamptz,
    fired integer NOT NULL DEFAULT 0,
    revision integer NOT NULL DEFAULT 1,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints,
    CONSTRAINT intentions_wait_while_open CHECK (next_at IS NULL OR state IN ('proposed', 'pending'))
);
CREATE INDEX intentions_due ON intentions (tenant_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX intentions_of_owner ON intentions (tenant_id, owner_kind, owner, recorded_at, id);
CREATE INDEX intentions_by_setter ON intentions (tenant_id, set_by_kind, set_by, recorded_at);
CREATE INDEX intentions_as_set ON intentions (tenant_id, recorded_at, id);
CREATE INDEX intentions_of_person ON intentions (tenant_id, person) WHERE person IS NOT NULL;

-- One row a firing: `key` is the instant, or what happened, so that none comes twice whatever is tried again.
CREATE TABLE occurrences (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    intention_id uuid NOT NULL,
    key text NOT NULL,
    owner text NOT NULL,
    owner_kind text NOT NULL,
    endpoint_id uuid,
    cause_id uuid,
    due_at timestamptz NOT NULL,
    fired_at timestamptz NOT NULL,
    expires_at timestamptz,
    fate text NOT NULL
        CHECK (fate IN ('due', 'delivered', 'acknowledged', 'cancelled', 'missed', 'expired', 'dead_lettered')),
    skipped integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL,
    leases integer NOT NULL DEFAULT 0,
    lease uuid,
    attempts integer NOT NULL DEFAULT 0,
    first_sent_at timestamptz,
    settled_at timestamptz,
    outcome text,
    event_id uuid,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, intention_id) REFERENCES intentions,
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints,
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    CONSTRAINT occurrences_come_once UNIQUE (tenant_id, intention_id, key),
    CONSTRAINT occurrences_settle_once CHECK ((fate IN ('due', 'delivered')) = (settled_at IS NULL))
);
CREATE INDEX occurrences_of_intention ON occurrences (tenant_id, intention_id, due_at, id);
CREATE INDEX occurrences_in_inbox ON occurrences (tenant_id, owner_kind, owner, available_at, id)
    WHERE settled_at IS NULL AND endpoint_id IS NULL;
CREATE INDEX occurrences_open ON occurrences (tenant_id, owner_kind, owner, due_at) WHERE settled_at IS NULL;
CREATE INDEX occurrences_at_endpoint ON occurrences (tenant_id, endpoint_id, available_at, id)
    WHERE fate = 'due' AND endpoint_id IS NOT NULL;
CREATE INDEX occurrences_that_expire ON occurrences (tenant_id, expires_at)
    WHERE settled_at IS NULL AND expires_at IS NOT NULL;

-- Words on intentions are marked, so that no field which a publisher names like theirs makes an event one.
ALTER TABLE events ADD COLUMN on_intention boolean NOT NULL DEFAULT false;

-- By what an event says, the cues that may wait for it.
CREATE TABLE cues (
    tenant_id uuid NOT NULL,
    key uuid NOT NULL,
    intention_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, key, intention_id),
    FOREIGN KEY (tenant_id, intention_id) REFERENCES intentions
);
CREATE INDEX cues_of_intention ON cues (tenant_id, intention_id);

-- By fact key, the intentions that wait for a change there, and those that rest on a fact of it as their premise.
CREATE TABLE watches (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    intention_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('trigger', 'premise')),
    PRIMARY KEY (tenant_id, key_id, intention_id, role),
    FOREIGN KEY (tenant_id, intention_id) REFERENCES intentions
);
CREATE INDEX watches_of_intention ON watches (tenant_id, intention_id);

-- What has happened, or will have at `at`, and some intention may have waited for. `after` is how far it has been seen.
CREATE TABLE stimuli (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    kind text NOT NULL CHECK (kind IN ('event', 'transition', 'term')),
    subject_id uuid NOT NULL,
    at timestamptz NOT NULL,
    after uuid,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX stimuli_due ON stimuli (tenant_id, at, id);

-- For when the tenant's timer is set. Whoever sets an intention holds the row while they look whether that is too late.
CREATE TABLE timers (
    tenant_id uuid PRIMARY KEY,
    wakes_at timestamptz,
    FOREIGN KEY (tenant_id) REFERENCES tenants
);

-- Whatever changes a fact that is watched stirs those who watch it: at once, when the change takes effect, and when the
-- fact's own term runs out.
CREATE FUNCTION stir_watches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    term timestamptz;
BEGIN
    SELECT LEAST(f.expires_at, f.lapses_at) INTO term FROM facts f
    WHERE f.tenant_id = NEW.tenant_id AND f.id = NEW.record_id AND EXISTS (
        SELECT FROM watches w WHERE w.tenant_id = f.tenant_id AND w.key_id = f.key_id
    );
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    INSERT INTO stimuli (tenant_id, kind, subject_id, at)
    VALUES (NEW.tenant_id, 'transition', NEW.id, NEW.effective_at);
    IF term IS NOT NULL AND NEW.from_status IS NULL THEN
        INSERT INTO stimuli (tenant_id, kind, subject_id, at) VALUES (NEW.tenant_id, 'term', NEW.record_id, term);
    END IF;
    INSERT INTO outbox (tenant_id, kind, subject_id) VALUES (NEW.tenant_id, 'intend', NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER transitions_stir AFTER INSERT ON transitions
    FOR EACH ROW WHEN (NEW.record_kind = 'fact') EXECUTE FUNCTION stir_watches();

-- An intention changes its state in a transaction that says so in the transition log.
CREATE FUNCTION require_declared_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM transitions
        WHERE tenant_id = NEW.tenant_id AND record_id = NEW.id AND written_by = pg_current_xact_id()
    ) THEN
        RAISE EXCEPTION 'intention % changed state without a transition', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'transitions_are_declared';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER intentions_begin_by_transition AFTER INSERT ON intentions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER intentions_change_by_transition AFTER UPDATE OF state ON intentions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER intentions_are_derived AFTER INSERT ON intentions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_lineage();

-- What has ended does not begin again.
CREATE FUNCTION forbid_intention_revival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state NOT IN ('proposed', 'pending') AND NEW.state <> OLD.state THEN
        RAISE EXCEPTION 'intention % has ended and stays ended', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'intentions_stay_ended';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER intentions_stay_ended BEFORE UPDATE OF state ON intentions
    FOR EACH ROW EXECUTE FUNCTION forbid_intention_revival();
