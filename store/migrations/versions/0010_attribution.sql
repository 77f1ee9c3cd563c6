-- What became of answers. A report goes with its trace; how often a record was seen and used stays with the record.
CREATE TABLE reports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT uuidv7(),
    trace_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    idempotency_key text,
    digest bytea NOT NULL,
    outcome text,
    pair text,
    arm text,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT reports_of_traces FOREIGN KEY (tenant_id, trace_id) REFERENCES traces ON DELETE CASCADE,
    CONSTRAINT reports_have_arms CHECK ((pair IS NULL) = (arm IS NULL))
);
CREATE INDEX reports_by_trace ON reports (tenant_id, trace_id);
CREATE UNIQUE INDEX reports_once ON reports (tenant_id, trace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- One row for each record that was visible after a recall, however often that was reported.
CREATE TABLE exposures (
    tenant_id uuid NOT NULL,
    trace_id uuid NOT NULL,
    record_id uuid NOT NULL,
    used boolean NOT NULL,
    PRIMARY KEY (tenant_id, trace_id, record_id),
    CONSTRAINT exposures_of_traces FOREIGN KEY (tenant_id, trace_id) REFERENCES traces ON DELETE CASCADE
);
CREATE INDEX exposures_of_record ON exposures (tenant_id, record_id);

CREATE TABLE record_uses (
    tenant_id uuid NOT NULL REFERENCES tenants,
    record_id uuid NOT NULL,
    seen integer NOT NULL,
    used integer NOT NULL,
    PRIMARY KEY (tenant_id, record_id)
);
