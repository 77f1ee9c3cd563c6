-- The person whom a fact is about, NULL for nobody; `models.controls.person_of` says the same and says why.
-- `personal` has the attributes of classes that hold personal data. Authority 2 is a person's own word.
CREATE OR REPLACE FUNCTION person_of(tenant uuid, fact uuid, key uuid, personal text[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named text;
    attribute text;
BEGIN
    SELECT k.person, k.attribute INTO named, attribute FROM fact_keys k WHERE k.tenant_id = tenant AND k.id = key;
    IF named IS NOT NULL OR attribute <> ALL (personal) THEN
        RETURN named;
    END IF;
    RETURN (
        SELECT CASE WHEN e.subject_kind = 'human' AND v.authority = 2 THEN e.subject END
        FROM evidence v
        JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
        JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
        WHERE v.tenant_id = tenant AND v.record_id = fact AND v.supports IN ('statement', 'claim')
            AND (v.authority_role IS NOT NULL OR v.supports = 'claim' OR f.admission <> 'admitted')
        ORDER BY e.recorded_at, e.id LIMIT 1
    );
END $$;
