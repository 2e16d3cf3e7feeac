-- Makes operations pending, each with its reference and its step; see sharedsteps.go. It
-- leaves out an operation that is not in state sent, and one whose reference is taken. If
-- another transaction takes a reference at the same moment, the statement fails as a whole.
WITH given AS MATERIALIZED (
    SELECT place, id,
        ($2::BIGINT[])[place] AS created_at, ($3::BIGINT[])[place] AS at, ($4::TEXT[])[place] AS reference,
        ($5::BIGINT[])[place] AS next_enquiry, ($6::TEXT[])[place] AS reason
    FROM unnest($1::TEXT[]) WITH ORDINALITY AS o (id, place)
),
pending AS (
    UPDATE operations_of_month AS o SET state = 'pending', pending_reference = g.reference, next_enquiry = g.next_enquiry
    FROM given AS g
    WHERE o.id = g.id AND o.created_at = g.created_at AND o.state = 'sent'
        AND (SELECT n.id FROM operation_names AS n WHERE n.pending_reference = g.reference) IS NULL
    RETURNING g.place, g.id, g.at, g.reason
),
new_steps AS (
    INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
    SELECT id, 3, at, $7::TEXT, 'sent', 'pending', reason FROM pending
)
SELECT place FROM pending
