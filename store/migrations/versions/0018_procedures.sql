-- Playbooks, what is proposed for them, what was decided, and the experience that they come from.

-- A word to Keepwell itself is marked, whatever it is about: an intention, or a procedure.
ALTER TABLE events RENAME COLUMN on_intention TO directive;

-- `versions` is the number of the last version. Whoever changes anything of a procedure holds its row.
CREATE TABLE procedures (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    scope_key uuid NOT NULL,
    scope jsonb NOT NULL,
    person text GENERATED ALWAYS AS (scope ->> 'user') STORED,
    name text NOT NULL,
    class text NOT NULL,
    versions integer NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants,
    CONSTRAINT procedures_by_name UNIQUE (tenant_id, scope_key, name)
);
CREATE INDEX procedures_of_person ON procedures (tenant_id, person) WHERE person IS NOT NULL;

CREATE TABLE proposals (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    procedure_id uuid NOT NULL,
    base integer,
    content jsonb NOT NULL,
    origin text NOT NULL CHECK (origin IN ('written', 'reflected', 'evidence_lost', 'rollback')),
    drafters jsonb NOT NULL,
    because text,
    grounds jsonb NOT NULL,
    episodes uuid[] NOT NULL,
    finding uuid,
    state text NOT NULL CHECK (
        state IN ('open', 'changes_asked', 'conflicted', 'on_trial', 'approved', 'rejected', 'lapsed', 'withdrawn')
    ),
    reason text NOT NULL,
    revision integer NOT NULL DEFAULT 1,
    event_id uuid,
    remind_at timestamptz,
    escalate_at timestamptz,
    lapses_at timestamptz,
    version_id uuid,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, procedure_id) REFERENCES procedures,
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    CONSTRAINT proposals_wait_while_open CHECK (
        (state IN ('open', 'changes_asked', 'conflicted', 'on_trial')) = (lapses_at IS NOT NULL)
    )
);
CREATE INDEX proposals_of_procedure ON proposals (tenant_id, procedure_id, recorded_at, id);
CREATE INDEX proposals_waiting ON proposals (tenant_id, recorded_at, id)
    WHERE state IN ('open', 'changes_asked', 'conflicted', 'on_trial');
-- What recurs is proposed once at a time, and so is the review of a version whose evidence is gone.
CREATE UNIQUE INDEX proposals_of_finding ON proposals (tenant_id, procedure_id, finding)
    WHERE finding IS NOT NULL AND state IN ('open', 'changes_asked', 'conflicted', 'on_trial');

-- At most one version of a procedure is current, and one on trial, whatever runs at once.
CREATE TABLE procedure_versions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    procedure_id uuid NOT NULL,
    number integer NOT NULL,
    content jsonb NOT NULL,
    digest bytea NOT NULL,
    status text NOT NULL CHECK (status IN ('trial', 'current', 'deprecated', 'suspended')),
    origin text NOT NULL CHECK (origin IN ('written', 'reflected', 'evidence_lost', 'rollback')),
    proposal_id uuid,
    drafters jsonb NOT NULL,
    approved jsonb NOT NULL,
    episodes uuid[] NOT NULL,
    trial jsonb,
    reason text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, procedure_id) REFERENCES procedures,
    FOREIGN KEY (tenant_id, proposal_id) REFERENCES proposals,
    CONSTRAINT procedure_versions_are_numbered UNIQUE (tenant_id, procedure_id, number),
    CONSTRAINT procedure_versions_are_tried_with_somebody CHECK (status <> 'trial' OR trial IS NOT NULL)
);
CREATE UNIQUE INDEX procedure_versions_current ON procedure_versions (tenant_id, procedure_id) WHERE status = 'current';
CREATE UNIQUE INDEX procedure_versions_on_trial ON procedure_versions (tenant_id, procedure_id) WHERE status = 'trial';

-- What a reviewer has said. It is stored first, and counts once a step has decided so.
CREATE TABLE proposal_decisions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    proposal_id uuid NOT NULL,
    event_id uuid NOT NULL,
    revision integer NOT NULL,
    choice text NOT NULL CHECK (choice IN ('approve', 'try', 'request_changes', 'reject')),
    subject text NOT NULL,
    subject_kind text NOT NULL,
    roles text[] NOT NULL,
    content jsonb,
    reason text,
    trial jsonb,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'counted', 'refused')),
    outcome text,
    role text,
    counts_for integer,
    decided_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, proposal_id) REFERENCES proposals,
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    CONSTRAINT proposal_decisions_say_why CHECK ((state = 'pending') = (outcome IS NULL))
);
CREATE INDEX proposal_decisions_of_proposal ON proposal_decisions (tenant_id, proposal_id, recorded_at, id);
CREATE INDEX proposal_decisions_by_person ON proposal_decisions (tenant_id, subject);

-- How a run with a version went, as its agent reports.
CREATE TABLE procedure_runs (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    version_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    subject text NOT NULL,
    subject_kind text NOT NULL,
    steps jsonb NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('success', 'failure', 'unknown')),
    pair text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, event_id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES events,
    FOREIGN KEY (tenant_id, version_id) REFERENCES procedure_versions
);
CREATE INDEX procedure_runs_of_version ON procedure_runs (tenant_id, version_id, recorded_at);
CREATE INDEX procedure_runs_by_person ON procedure_runs (tenant_id, subject);

-- What an episode teaches, as reflection has read it at the episode's `revision`. It goes with its episode.
CREATE TABLE experiences (
    tenant_id uuid NOT NULL,
    episode_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    revision integer NOT NULL,
    reading integer NOT NULL,
    task_class text,
    content jsonb,
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, episode_id),
    FOREIGN KEY (tenant_id, episode_id) REFERENCES episodes ON DELETE CASCADE
);
CREATE INDEX experiences_by_task ON experiences (tenant_id, scope_key, task_class) WHERE task_class IS NOT NULL;

-- An episode that somebody has retracted is no evidence any more, and comes back to nobody.
ALTER TABLE episodes ADD COLUMN retracted_at timestamptz;

-- Versions and proposals change by declared transitions alone, and say what they were made from.
CREATE OR REPLACE FUNCTION require_declared_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM transitions
        WHERE tenant_id = NEW.tenant_id AND record_id = NEW.id AND written_by = pg_current_xact_id()
    ) THEN
        RAISE EXCEPTION 'a row of %, %, changed state without a transition', TG_TABLE_NAME, NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'transitions_are_declared';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER proposals_begin_by_transition AFTER INSERT ON proposals
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER proposals_change_by_transition AFTER UPDATE OF state ON proposals
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER proposals_are_derived AFTER INSERT ON proposals
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_lineage();
CREATE CONSTRAINT TRIGGER procedure_versions_begin_by_transition AFTER INSERT ON procedure_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER procedure_versions_change_by_transition AFTER UPDATE OF status ON procedure_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status <> OLD.status)
    EXECUTE FUNCTION require_declared_state();
CREATE CONSTRAINT TRIGGER procedure_versions_are_derived AFTER INSERT ON procedure_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_lineage();

-- What has gone out of force does not come back: that takes a version of its own. What is settled stays settled.
CREATE FUNCTION forbid_version_revival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status IN ('deprecated', 'suspended') AND NEW.status IN ('trial', 'current'))
        OR NEW.content <> OLD.content THEN
        RAISE EXCEPTION 'version % is out of force, or says something else', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'versions_stay_as_they_are';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER procedure_versions_stay_as_they_are BEFORE UPDATE ON procedure_versions
    FOR EACH ROW EXECUTE FUNCTION forbid_version_revival();
CREATE FUNCTION forbid_proposal_revival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state IN ('approved', 'rejected', 'lapsed', 'withdrawn') AND NEW.state <> OLD.state THEN
        RAISE EXCEPTION 'proposal % is settled and stays settled', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'proposals_stay_settled';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER proposals_stay_settled BEFORE UPDATE OF state ON proposals
    FOR EACH ROW EXECUTE FUNCTION forbid_proposal_revival();
