-- The record of each recall, for as long as the operator keeps them. `asked` has the question, masked of secrets; the
-- rest is ids, names of rules, counts and instants.
CREATE TABLE traces (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL DEFAULT uuidv7(),
    recorded_at timestamptz NOT NULL DEFAULT now(),
    subject text NOT NULL,
    subject_kind text NOT NULL,
    scope_key uuid NOT NULL,
    asked jsonb NOT NULL,
    triggers text[] NOT NULL,
    decisions jsonb NOT NULL,
    entries jsonb NOT NULL,
    advice text NOT NULL,
    tokens integer NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX traces_by_age ON traces (tenant_id, recorded_at);
CREATE INDEX traces_of_subject ON traces (tenant_id, subject, recorded_at);
