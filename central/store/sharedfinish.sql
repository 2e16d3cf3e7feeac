-- Finishes operations, each with its last step, its earning with the ledger entries, and,
-- without a success, the release of its reservations; see sharedfinish.go. It leaves out
-- an operation that is not in the given state. Lines with --pending count for those that
-- were pending (sharedFinishPending): they have an event of their terminal and a callback.
-- One whose enquiries went on, or whose callback's endpoint is disabled, is left out.
WITH given AS MATERIALIZED (
    SELECT place, id,
        ($2::BIGINT[])[place] AS created_at, ($3::TEXT[])[place] AS from_state, ($4::TEXT[])[place] AS to_state,
        ($5::BIGINT[])[place] AS at, ($6::TEXT[])[place] AS code, ($7::TEXT[])[place] AS rrn, ($8::BIGINT[])[place] AS http,
        ($9::BYTEA[])[place] AS reply, ($10::BIGINT[])[place] AS charge, ($11::BIGINT[])[place] AS otp_refused,
        ($12::BIGINT[])[place] AS step, ($13::TEXT[])[place] AS reason
    FROM unnest($1::TEXT[]) WITH ORDINALITY AS o (id, place)
),
finished AS (
    UPDATE operations_of_month AS o
    SET state = g.to_state, finished_at = g.at, code = g.code, rrn = g.rrn, http = g.http,
        reply = g.reply, charge = g.charge, otp_refused = g.otp_refused
--pending , next_enquiry = NULL
    FROM given AS g
    WHERE o.id = g.id AND o.created_at = g.created_at AND o.state = g.from_state
--pending AND o.enquiries = ($35::BIGINT[])[g.place] AND coalesce(o.stuck_at, 0) = ($36::BIGINT[])[g.place]
--pending AND (SELECT m.id FROM merchants AS m LEFT JOIN vendors AS v ON v.id = m.vendor AND m.callback_url IS NULL
--pending     WHERE m.id = o.merchant AND coalesce(m.callback_disabled_at, v.callback_disabled_at) IS NOT NULL) IS NULL
    RETURNING g.place, g.id, g.at, g.step, g.from_state, g.to_state, g.reason
--pending , o.terminal, o.merchant
),
new_steps AS (
    INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
    SELECT id, step
--pending + (SELECT max(s.step) FROM operation_steps AS s WHERE s.operation = finished.id)
    , at, $14::TEXT, from_state, to_state, reason FROM finished
),
new_commissions AS (
    INSERT INTO commissions (operation, vendor, aggregator, merchant, payment_method, provider, txn_type, slab,
        amount, charge, gst, provider_cost, commission, tds, day, at)
    SELECT f.id,
        nullif(($16::TEXT[])[i], ''), nullif(($17::TEXT[])[i], ''), ($18::TEXT[])[i], ($19::TEXT[])[i], ($20::TEXT[])[i],
        ($21::TEXT[])[i], nullif(($22::TEXT[])[i], ''), ($23::BIGINT[])[i], ($24::BIGINT[])[i], ($25::BIGINT[])[i],
        ($26::BIGINT[])[i], ($27::BIGINT[])[i], ($28::BIGINT[])[i], ($29::TEXT[])[i], f.at
    FROM unnest($15::BIGINT[]) WITH ORDINALITY AS e (place, i) JOIN finished AS f ON f.place = e.place
),
new_entries AS (
    INSERT INTO ledger_entries (operation, purpose, reversal, debit, credit, amount, written_by, at)
    SELECT f.id, ($31::TEXT[])[i], 0, ($32::TEXT[])[i], ($33::TEXT[])[i], ($34::BIGINT[])[i], f.id, f.at
    FROM unnest($30::BIGINT[]) WITH ORDINALITY AS p (place, i) JOIN finished AS f ON f.place = p.place
),
--pending locked_terminals AS MATERIALIZED (
--pending     SELECT t.id, s.count
--pending     FROM (SELECT terminal, count(*) AS count FROM finished WHERE terminal IS NOT NULL GROUP BY terminal) AS s
--pending         JOIN terminals AS t ON t.id = s.terminal
--pending     ORDER BY t.id FOR NO KEY UPDATE OF t
--pending ),
--pending counted_terminals AS (
--pending     UPDATE terminals AS t SET last_event = t.last_event + l.count FROM locked_terminals AS l WHERE t.id = l.id
--pending     RETURNING t.id, t.last_event - l.count AS last_event
--pending ),
--pending new_events AS (
--pending     INSERT INTO events (terminal, cursor, kind, operation, at)
--pending     SELECT t.id, t.last_event + row_number() OVER (PARTITION BY t.id ORDER BY f.place), 'outcome', f.id, f.at
--pending     FROM finished AS f JOIN counted_terminals AS t ON t.id = f.terminal
--pending ),
--pending new_callbacks AS (
--pending     INSERT INTO callbacks (operation, merchant, vendor, event, state, created_at, since, due_at)
--pending     SELECT f.id, m.id, v.id, $38::TEXT, 'waiting', f.at, f.at, f.at
--pending     FROM finished AS f JOIN merchants AS m ON m.id = f.merchant
--pending         LEFT JOIN vendors AS v ON v.id = m.vendor AND m.callback_url IS NULL AND v.callback_url IS NOT NULL
--pending     WHERE coalesce(m.callback_events, v.callback_events)::jsonb ? $38::TEXT
--pending ),
released AS (
    DELETE FROM reservations AS r USING finished AS f
    WHERE f.to_state <> 'succeeded' AND r.operation = f.id
    RETURNING r.key, r.period, r.amount
),
-- In one order, behind the terminals, so that no two transactions wait for each other.
locked AS MATERIALIZED (
    SELECT u.key, u.period, s.count, s.sum
    FROM (SELECT key, period, count(*) AS count, sum(amount)::BIGINT AS sum FROM released GROUP BY key, period) AS s
        JOIN quota_usage AS u ON u.key = s.key AND u.period = s.period
--pending WHERE (SELECT count(*) FROM locked_terminals) >= 0
    ORDER BY u.key, u.period FOR NO KEY UPDATE OF u
),
given_back AS (
    UPDATE quota_usage AS u SET count = u.count - l.count, sum = u.sum - l.sum
    FROM locked AS l WHERE u.key = l.key AND u.period = l.period
)
SELECT place FROM finished
--pending WHERE (SELECT count(pg_notify($39::TEXT, topic)) FROM (SELECT DISTINCT ($37::TEXT[])[place] AS topic FROM finished WHERE terminal IS NOT NULL) AS t) >= 0
