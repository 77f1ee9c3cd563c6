-- Policies of tenants, a row a change, and a way to see which attributes a tenant has memories of.

CREATE TABLE policies (
    tenant_id uuid NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    content text NOT NULL,
    document jsonb NOT NULL,
    digest bytea NOT NULL,
    applied_by text NOT NULL,
    applied_kind text NOT NULL,
    reason text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, version),
    FOREIGN KEY (tenant_id) REFERENCES tenants
);

-- Whether anything is hidden from a reader is asked on every recall: which attributes there are, each once.
CREATE INDEX fact_keys_attributes ON fact_keys (tenant_id, attribute);
