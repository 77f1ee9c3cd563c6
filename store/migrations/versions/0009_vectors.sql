-- Vectors of passages and facts, and the order of passages.

-- Vectors compare only where one model made them. While a space is built another one serves.
CREATE TABLE vector_spaces (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    model text NOT NULL,
    dimension integer NOT NULL CHECK (dimension BETWEEN 1 AND 4000),
    state text NOT NULL CHECK (state IN ('building', 'serving', 'retired')),
    recorded_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX vector_spaces_serve_alone ON vector_spaces (state) WHERE state = 'serving';
CREATE UNIQUE INDEX vector_spaces_are_of_models ON vector_spaces (model, dimension) WHERE state <> 'retired';

-- A row without an embedding waits for one. An exact search reads all vectors of a cell, so that they lie in the row
-- and never beside the table. There is no foreign key to the space: every writer would lock its one row.
CREATE TABLE vectors (
    tenant_id uuid NOT NULL,
    space_id uuid NOT NULL,
    scope_key uuid NOT NULL,
    record_id uuid NOT NULL,
    record_kind text NOT NULL,
    since timestamptz NOT NULL,
    embedding halfvec,
    PRIMARY KEY (tenant_id, space_id, scope_key, record_id)
);
ALTER TABLE vectors ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX vectors_of_record ON vectors (tenant_id, record_id);
CREATE INDEX vectors_waiting ON vectors (tenant_id, space_id, record_id) WHERE embedding IS NULL;

-- What stands before and after a passage. Events get their ids in the order in which they are written.
DROP INDEX passages_of_episode;
CREATE INDEX passages_in_order ON passages (tenant_id, episode_id, occurred_at, (event_ids[1]), id);
