-- What models were asked, how that ended, and what each tenant spent on it by day.

CREATE TABLE extractions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    activity_id uuid NOT NULL,
    redo_id uuid,
    purpose text NOT NULL CHECK (purpose IN ('extract', 'narrate')),
    first_seq integer NOT NULL,
    last_seq integer NOT NULL,
    extractor text NOT NULL,
    model text,
    prompt text,
    input_digest bytea,
    state text NOT NULL CHECK (state IN ('asked', 'proposed', 'applied', 'fell_back', 'superseded')),
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    requests integer NOT NULL DEFAULT 0,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    proposed jsonb,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, activity_id) REFERENCES activities,
    -- What was proposed is held until it is applied or given up, and not a moment longer.
    CONSTRAINT extractions_hold_what_waits CHECK ((state = 'proposed') = (proposed IS NOT NULL)),
    CONSTRAINT extractions_fall_back_for_a_reason CHECK (state <> 'fell_back' OR reason IS NOT NULL)
);
CREATE INDEX extractions_by_time ON extractions (tenant_id, recorded_at, id);
CREATE INDEX extractions_of_activity ON extractions (tenant_id, activity_id, purpose);
CREATE INDEX extractions_of_redo ON extractions (tenant_id, redo_id) WHERE redo_id IS NOT NULL;

CREATE TABLE model_spending (
    tenant_id uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant_id, day)
);

-- From a candidate to the model, prompt and input behind it; none where rules or a caller proposed.
ALTER TABLE candidates ADD COLUMN extraction_id uuid,
    ADD FOREIGN KEY (tenant_id, extraction_id) REFERENCES extractions;
