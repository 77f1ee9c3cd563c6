-- On which occasions a live observation has contradicted a fact: ids and instants, never what was observed. It goes
-- with the trace of the recall that told it. The row that `asks` is the one by which the fact waits for a reviewer.
CREATE TABLE mismatches (
    tenant_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    trace_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    occasion uuid NOT NULL,
    observed_at timestamptz NOT NULL,
    asks boolean NOT NULL,
    PRIMARY KEY (tenant_id, fact_id, trace_id),
    CONSTRAINT mismatches_of_traces FOREIGN KEY (tenant_id, trace_id) REFERENCES traces ON DELETE CASCADE
);
CREATE INDEX mismatches_to_review ON mismatches (tenant_id, recorded_at, fact_id) WHERE asks;
CREATE INDEX mismatches_of_trace ON mismatches (tenant_id, trace_id);
