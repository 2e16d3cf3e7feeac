-- Marks operations as sent, each with its step; see sharedsteps.go. It leaves out an
-- operation that is not in state received.
WITH given AS MATERIALIZED (
    SELECT place, id,
        ($2::BIGINT[])[place] AS created_at, ($3::BIGINT[])[place] AS at, ($4::BIGINT[])[place] AS bank_not_after
    FROM unnest($1::TEXT[]) WITH ORDINALITY AS o (id, place)
),
sent AS (
    UPDATE operations_of_month AS o SET state = 'sent', sent_at = g.at, bank_not_after = g.bank_not_after
    FROM given AS g
    WHERE o.id = g.id AND o.created_at = g.created_at AND o.state = 'received'
    RETURNING g.place, g.id, g.at
),
new_steps AS (
    INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
    SELECT id, 2, at, $5::TEXT, 'received', 'sent', '' FROM sent
)
SELECT place FROM sent
