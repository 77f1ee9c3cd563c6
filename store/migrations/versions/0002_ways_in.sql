-- Keys for callers from outside, lists that are read page by page, and news in an order that skips nothing.

CREATE TABLE api_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    subject text NOT NULL,
    subject_kind text NOT NULL,
    roles text[] NOT NULL,
    within jsonb NOT NULL,
    verbs text[],
    made_by text NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants
);
CREATE UNIQUE INDEX api_keys_by_name ON api_keys (tenant_id, name) WHERE revoked_at IS NULL;

-- The one fact that a correction or withdrawal speaks of.
ALTER TABLE candidates ADD COLUMN about_id uuid, ADD FOREIGN KEY (tenant_id, about_id) REFERENCES facts;

CREATE INDEX facts_by_scope ON facts (tenant_id, scope_key, recorded_at, id);
CREATE INDEX episodes_by_scope ON episodes (tenant_id, scope_key, recorded_at, id);

-- In the order of the transactions that wrote them, of which all below the oldest running one are complete.
ALTER TABLE decisions ADD COLUMN written_by xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX decisions_in_order ON decisions (tenant_id, written_by, candidate_id);
CREATE INDEX transitions_in_order ON transitions (tenant_id, written_by, id);
