-- A candidate without a thing is settled by one review, whatever runs at once: who comes second waits here for the
-- first, and finds it settled. No key is held for such a candidate, as it has none.
CREATE TABLE settlements (
    tenant_id uuid NOT NULL,
    candidate_id uuid NOT NULL,
    review_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, candidate_id),
    FOREIGN KEY (tenant_id, candidate_id) REFERENCES candidates,
    FOREIGN KEY (tenant_id, review_id) REFERENCES candidates
);

-- Of those that are settled by now the first review counts. The owner of the tables reads them for all tenants.
ALTER TABLE candidates NO FORCE ROW LEVEL SECURITY;
ALTER TABLE decisions NO FORCE ROW LEVEL SECURITY;
INSERT INTO settlements (tenant_id, candidate_id, review_id, recorded_at)
SELECT DISTINCT ON (c.tenant_id, c.id) c.tenant_id, c.id, r.id, d.recorded_at
FROM candidates r
JOIN decisions d ON d.tenant_id = r.tenant_id AND d.candidate_id = r.id
JOIN candidates c ON c.tenant_id = r.tenant_id AND c.id = r.reviews_id
WHERE r.reviews_id IS NOT NULL AND d.verdict <> 'discard' AND (r.key_id IS NOT NULL OR d.verdict = 'retract')
ORDER BY c.tenant_id, c.id, d.recorded_at, r.id;
ALTER TABLE candidates FORCE ROW LEVEL SECURITY;
ALTER TABLE decisions FORCE ROW LEVEL SECURITY;

-- Which reviews a candidate has is asked of `settlements` by now.
DROP INDEX candidates_by_review;
